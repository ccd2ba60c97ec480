//! Whether weights are of a kind from which components can be recovered.
//!
//! The weights may be true ones, or those that a fit came to. Fitted weights flatter: where a fit went wrong it
//! often did so by taking a background out of the weights and into the components.
//!
//! ```
//! use andnmf::diagnose::diagnose_weights;
//! use andnmf::synth::Weights;
//! use andnmf::trust::Verdict;
//!
//! let weights = Weights::Dirichlet { concentration: 1.0 }.draw(500, 10, 0)?;
//! assert_eq!(diagnose_weights(weights.view())?.judgement.verdict, Verdict::Good);
//! // Half as much again of every component in every sample: a background that belongs to no component.
//! let background = diagnose_weights((weights + 0.05).view())?;
//! assert_eq!(background.judgement.verdict, Verdict::Poor);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod fitted;
mod judge;
mod overall;
mod usage;

use ndarray::ArrayView2;
use serde::Serialize;

pub use fitted::{DiagnoseError, Diagnosis, diagnose_model, diagnose_samples};
pub use overall::Overall;
pub use usage::ComponentUsage;

use crate::constants::DiagnosisConstants;
use crate::theory::bounds::CorrelationBounds;
use crate::theory::{GeneralCorrelationConditions, MatrixError, strongest_correlations};
use crate::trust::Judgement;
use crate::{Real, entry_point};

/// Two components and how their weights go together.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct CorrelatedPair {
    /// A component, counted from 0.
    pub first: usize,
    /// Another with a larger number.
    pub second: usize,
    /// The Pearson correlation of their weights.
    pub correlation: f64,
}

/// What weights are like, and what that means for the recovery of components. Components are counted from 0.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WeightDiagnosis {
    /// The paper's conditions, for each component in units of its largest weight, since its scale is free. The decay
    /// order is among them.
    pub conditions: GeneralCorrelationConditions,
    /// What the theorems allow the m of the conditions to be.
    pub bounds: CorrelationBounds,
    /// Whether m keeps to the general bound. The theorems are far from sharp, and no verdict rests on this: most
    /// weights from which recovery succeeds are beyond it.
    pub bound_met: bool,
    /// The most strongly correlated pairs, strongest first.
    pub correlations: Vec<CorrelatedPair>,
    /// How each component is used.
    pub usage: Vec<ComponentUsage>,
    /// Components that hardly a sample is without.
    pub always_on: Vec<usize>,
    /// Components that hardly any sample has, those that none has included.
    pub rarely_on: Vec<usize>,
    /// The share of all weight that stands still at the level that each component hardly ever falls below.
    pub background_share: f64,
    /// Whether components can be recovered from such weights, and what to do where they cannot.
    pub judgement: Judgement,
}

entry_point! {
    /// Looks at weights, n samples × K components, for everything that recovery by AND depends on.
    ///
    /// # Errors
    /// When there are no samples or no components, or a weight is negative or not finite.
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
    // Refuses what cannot be weights before anything is made of it.
    let correlations = strongest_correlations(weights, constants.correlations_shown)?
        .into_iter()
        .map(|(first, second, correlation)| CorrelatedPair { first, second, correlation })
        .collect();
    let units = usage::in_own_units(weights);
    let conditions = GeneralCorrelationConditions::of(units.view())?;
    let bounds = CorrelationBounds::of(&conditions);
    let columns = units.columns().into_iter();
    let usage: Vec<ComponentUsage> = columns.map(|column| ComponentUsage::of(column, constants)).collect();
    type Test = fn(&ComponentUsage, &DiagnosisConstants) -> bool;
    let numbers = |test: Test| (0..usage.len()).filter(|&i| test(&usage[i], constants)).collect();
    let means: f64 = usage.iter().map(|component| component.mean).sum();
    let floors: f64 = usage.iter().map(|component| component.floor).sum();
    let mut diagnosis = WeightDiagnosis {
        bound_met: conditions.m <= bounds.general,
        always_on: numbers(judge::is_always_on),
        rarely_on: numbers(judge::is_rarely_on),
        background_share: if means > 0.0 { floors / means } else { 0.0 },
        conditions,
        bounds,
        correlations,
        usage,
        judgement: Judgement::default(),
    };
    diagnosis.judgement = judge::judge(&diagnosis, constants);
    Ok(diagnosis)
}

#[cfg(test)]
mod tests;
