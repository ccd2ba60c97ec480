//! Diagnoses of a model on samples, and of samples alone.

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

/// The reasons why a diagnosis fails.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum DiagnoseError {
    /// The settings of the fit are invalid.
    #[error(transparent)]
    Setting(#[from] SettingError),
    /// The fit failed.
    #[error(transparent)]
    Fit(#[from] FitError),
    /// The weights of the samples could not be computed.
    #[error(transparent)]
    Weights(#[from] NnlsError),
    /// The reconstruction error could not be computed.
    #[error(transparent)]
    Residual(#[from] ReconstructionError),
    /// The weights are not valid for a diagnosis.
    #[error(transparent)]
    Matrix(#[from] MatrixError),
}

/// The diagnosis of a model on samples.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Diagnosis {
    /// The diagnosis of the weights of the samples.
    pub weights: WeightDiagnosis,
    /// The relative reconstruction error (Frobenius norm).
    pub residual: f64,
    /// The trust in the fit; `None` if the diagnosis did not make one.
    pub trust: Option<Trust>,
}

/// Diagnoses a model by its components (rank × features) on samples, which may be new.
///
/// # Errors
/// If components and samples differ in their number of features, or numbers overflow.
///
/// ```
/// use andnmf::diagnose::diagnose_model;
/// use andnmf::fit::Run;
/// use andnmf::samples::DenseSamples;
/// let samples = DenseSamples::new(ndarray::array![[1.0, 0.0], [0.0, 2.0], [3.0, 1.0]])?;
/// let diagnosis = diagnose_model(&samples, ndarray::Array2::eye(2).view(), &Run::new())?;
/// assert!(diagnosis.residual < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
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

/// Diagnoses samples: fits `rank` components with default settings, judges the result, and also returns the fit.
///
/// # Errors
/// If the samples cannot be fitted.
///
/// ```
/// use andnmf::diagnose::diagnose_samples;
/// use andnmf::fit::Run;
/// use andnmf::samples::DenseSamples;
/// use andnmf::synth::{DatasetKind, DatasetSpec};
///
/// let spec = DatasetSpec { n_features: 60, rank: 4, n_samples: 300, ..DatasetSpec::new(DatasetKind::Dir) };
/// let data = spec.generate()?;
/// let samples = DenseSamples::new(data.samples.view())?;
/// let (diagnosis, fit) = diagnose_samples(&samples, 4, &mut Run::new())?;
/// println!("{:?}: {:?}", diagnosis.weights.judgement.verdict, fit.stop);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
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
        // A wrong model: a part of every component is mixed into all others.
        let mixed = &data.truth + &(data.truth.sum_axis(ndarray::Axis(0)) * 0.3);
        let wrong = diagnose_model(&samples, mixed.view(), &Run::new()).unwrap();
        assert!(wrong.residual > 1e-3 || wrong.weights.judgement.verdict < Verdict::Good);
        let narrow = data.truth.slice(ndarray::s![.., ..5]);
        assert!(matches!(diagnose_model(&samples, narrow, &Run::new()), Err(DiagnoseError::Weights(_))));
    }
}
