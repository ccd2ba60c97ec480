//! Diagnoses whether components can be recovered from given weights.
//!
//! The weights may be true or fitted. Fitted weights can look better than they are: a fit that went wrong has often
//! moved a background from the weights into the components.
//!
//! ```
//! use andnmf::diagnose::diagnose_weights;
//! use andnmf::synth::Weights;
//! use andnmf::trust::Verdict;
//!
//! let weights = Weights::Dirichlet { concentration: 1.0 }.draw(500, 10, 0)?;
//! assert_eq!(diagnose_weights(weights.view())?.judgement.verdict, Verdict::Good);
//! // A constant background added to all weights.
//! let background = diagnose_weights((weights + 0.05).view())?;
//! assert_eq!(background.judgement.verdict, Verdict::Poor);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod certificate;
#[cfg(test)]
mod certificate_tests;
mod judge;
mod overall;
mod samples;
mod usage;

use ndarray::ArrayView2;
use serde::Serialize;

pub use certificate::{Certificate, CertifiedRun, Known, Premise, Theorem, certify};
pub use overall::OverallDiagnosis;
pub use samples::{DiagnoseError, Diagnosis, diagnose_model, diagnose_samples};
pub use usage::ComponentUsage;

use crate::constants::DiagnosisConstants;
use crate::theory::bounds::CorrelationBounds;
use crate::theory::{GeneralCorrelationConditions, MatrixError, strongest_correlations};
use crate::trust::Judgement;
use crate::{Real, entry_point};

/// Two components and the correlation of their weights.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct CorrelatedPair {
    /// The first component, counted from 0.
    pub first: usize,
    /// The second component, with a larger number.
    pub second: usize,
    /// The Pearson correlation of their weights.
    pub correlation: f64,
}

/// Properties of weights that matter for recovery, and the verdict. Components are counted from 0.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WeightDiagnosis {
    /// The paper's conditions, including the decay order, at the scaling for which m is the smallest multiple of its
    /// bound.
    pub conditions: GeneralCorrelationConditions,
    /// The bounds of the theorems on the m of the conditions.
    pub bounds: CorrelationBounds,
    /// True if m is within the general bound. The bound is far from sharp and does not affect the verdict: recovery
    /// succeeds for most weights beyond it.
    pub bound_met: bool,
    /// The most strongly correlated pairs, strongest first.
    pub correlations: Vec<CorrelatedPair>,
    /// The usage of each component.
    pub usage: Vec<ComponentUsage>,
    /// Components that are active in almost all samples.
    pub always_on: Vec<usize>,
    /// Components that are active in very few samples or none.
    pub rarely_on: Vec<usize>,
    /// The share of the total weight that is constant background: the level that each component almost never falls
    /// below.
    pub background_share: f64,
    /// The verdict on recovery from such weights, with reasons and advice.
    pub judgement: Judgement,
}

entry_point! {
    /// Diagnoses weights (n samples × K components) for recovery by AND.
    ///
    /// # Errors
    /// If there are no samples or no components, or a weight is negative or not finite.
    pub fn diagnose_weights<'a; T>(weights: ArrayView2<'a, T>) -> Result<WeightDiagnosis, MatrixError> = diagnosis;
}

fn diagnosis<T: Real>(weights: ArrayView2<'_, T>) -> Result<WeightDiagnosis, MatrixError> {
    diagnose_weights_with(weights, &DiagnosisConstants::default())
}

/// [`diagnose_weights`] with other constants, for experiments: see [`crate::constants`].
///
/// # Errors
/// As there.
#[doc(hidden)]
pub fn diagnose_weights_with<T: Real>(
    weights: ArrayView2<'_, T>,
    constants: &DiagnosisConstants,
) -> Result<WeightDiagnosis, MatrixError> {
    // This also refuses invalid weights.
    let correlations = strongest_correlations(weights, constants.correlations_shown)?
        .into_iter()
        .map(|(first, second, correlation)| CorrelatedPair { first, second, correlation })
        .collect();
    let units = usage::scaled_to_largest(weights);
    let conditions = GeneralCorrelationConditions::best_for_bound(weights)?;
    let bounds = CorrelationBounds::of(&conditions);
    let columns = units.columns().into_iter();
    let usage: Vec<ComponentUsage> = columns.map(|column| ComponentUsage::of(column, constants)).collect();
    type Test = fn(&ComponentUsage, &DiagnosisConstants) -> bool;
    let components_where = |test: Test| (0..usage.len()).filter(|&i| test(&usage[i], constants)).collect();
    let means: f64 = usage.iter().map(|component| component.mean).sum();
    let floors: f64 = usage.iter().map(|component| component.floor).sum();
    let mut diagnosis = WeightDiagnosis {
        bound_met: conditions.m <= bounds.general,
        always_on: components_where(judge::is_always_on),
        rarely_on: components_where(judge::is_rarely_on),
        background_share: if means > 0.0 { floors / means } else { 0.0 },
        conditions,
        bounds,
        correlations,
        usage,
        judgement: Judgement::default(),
    };
    // Limits on λ are set on weights in these units.
    let lambda = GeneralCorrelationConditions::of(units.view())?.lambda;
    diagnosis.judgement = judge::judge(&diagnosis, lambda, constants);
    Ok(diagnosis)
}

#[cfg(test)]
mod tests;
