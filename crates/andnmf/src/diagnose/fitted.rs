//! Diagnoses that begin with samples: of a model, or of nothing but the data.

use ndarray::{Array2, ArrayView2};
use serde::Serialize;

use super::{WeightDiagnosis, diagnose_weights};
use crate::and::AndParams;
use crate::fit::{Fit, Run, Solver, Start};
use crate::metrics::{ReconstructionError, reconstruction_error};
use crate::nnls::{self, NnlsError};
use crate::samples::Samples;
use crate::theory::MatrixError;
use crate::trust::Trust;
use crate::{FitError, Real, SettingError};

/// Why samples could not be diagnosed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum DiagnoseError {
    /// The settings of the fit.
    #[error(transparent)]
    Setting(#[from] SettingError),
    /// The fit itself.
    #[error(transparent)]
    Fit(#[from] FitError),
    /// The weights of the samples under the components.
    #[error(transparent)]
    Weights(#[from] NnlsError),
    /// What is left of the samples.
    #[error(transparent)]
    Residual(#[from] ReconstructionError),
    /// The conditions of those weights.
    #[error(transparent)]
    Matrix(#[from] MatrixError),
}

/// What a model and its samples say about the recovery of the components.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Diagnosis {
    /// What the weights of the samples under the components are like.
    pub weights: WeightDiagnosis,
    /// What is left of the samples, relative to them (Frobenius norms).
    pub residual: f64,
    /// Whether the fit that found the components is to be believed, where it was made for this diagnosis.
    pub trust: Option<Trust>,
}

/// Diagnoses a model: its components (rank × features), on samples, which may be new ones.
///
/// # Errors
/// Where the components do not have the features of the samples, or numbers leave the range of the type.
pub fn diagnose_model<T: Real>(
    samples: &dyn Samples<T>,
    components: ArrayView2<'_, T>,
    run: &Run<'_, T>,
) -> Result<Diagnosis, DiagnoseError> {
    let weights: Array2<T> = nnls::weights(samples, components, run)?;
    let residual = reconstruction_error(samples, weights.view(), components)?;
    let weights = diagnose_weights(weights.view())?;
    Ok(Diagnosis { weights, residual, trust: None })
}

/// Diagnoses samples: fits them with `rank` components and default settings, and judges the result. The fit comes along.
///
/// # Errors
/// Where the samples cannot be fitted.
pub fn diagnose_samples<T: Real>(
    samples: &dyn Samples<T>,
    rank: usize,
    run: &mut Run<'_, T>,
) -> Result<(Diagnosis, Fit<T>), DiagnoseError> {
    let fit = AndParams::new(rank).check()?.fit(samples, Start::Auto, run)?;
    let diagnosis = diagnose_model(samples, fit.components.view(), run)?;
    Ok((Diagnosis { trust: fit.trust.clone(), ..diagnosis }, fit))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::DenseSamples;
    use crate::synth::{DatasetKind, DatasetSpec, Weights};
    use crate::trust::Verdict;

    #[test]
    fn samples_and_their_model_are_judged_alike_and_a_wrong_model_is_not() {
        let sizes =
            DatasetSpec { n_features: 120, rank: 8, n_samples: 600, ..DatasetSpec::new(DatasetKind::Dir) };
        let data =
            DatasetSpec { weights: Weights::Dirichlet { concentration: 1.0 }, ..sizes }.generate().unwrap();
        let samples = DenseSamples::new(data.samples.view()).unwrap();
        let (diagnosis, fit) = diagnose_samples(&samples, 8, &mut Run::new()).unwrap();
        let trust = diagnosis.trust.clone().unwrap();
        assert_eq!(
            (trust.judgement.verdict, diagnosis.weights.judgement.verdict),
            (Verdict::Good, Verdict::Good)
        );
        assert!(diagnosis.residual < 1e-9 && trust.component_stability == [0.0; 8]);
        let model = diagnose_model(&samples, fit.components.view(), &Run::new()).unwrap();
        assert_eq!(Diagnosis { trust: Some(trust), ..model }, diagnosis);
        // A model that shares a part of every component among all of them.
        let mixed = &data.truth + &(data.truth.sum_axis(ndarray::Axis(0)) * 0.3);
        let wrong = diagnose_model(&samples, mixed.view(), &Run::new()).unwrap();
        assert!(wrong.residual > 1e-3 || wrong.weights.judgement.verdict < Verdict::Good);
        let narrow = data.truth.slice(ndarray::s![.., ..5]);
        assert!(matches!(diagnose_model(&samples, narrow, &Run::new()), Err(DiagnoseError::Weights(_))));
    }
}
