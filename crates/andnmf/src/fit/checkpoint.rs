//! The state of a run between two stages.

use ndarray::Array2;
use serde::{Deserialize, Serialize};

use super::start::check_components;
use super::{Method, StageRecord, Warning, bits};
use crate::auto::AutoState;
use crate::linalg::product::multiply;
use crate::linalg::unit_sum::rows_of_unit_sum;
use crate::samples::Samples;
use crate::{FitError, Real, ShapeError};

/// Everything a solver needs to go on to the same bits as if it had never stopped.
///
/// Random numbers are drawn from streams named by seed and stage, so no generator state needs to be kept. What
/// the next stages depend on is serialised by its bits, so that any format, text included, keeps it exactly.
///
/// A resumed run takes its space and its seed from the checkpoint; the other settings are those of the solver
/// that resumes it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(bound = "T: Real")]
pub struct Checkpoint<T: Real> {
    /// The method whose run it is.
    pub method: Method,
    /// Number of samples of the run.
    pub n_samples: usize,
    /// Stages done.
    pub stages: usize,
    /// The working matrix: the components, in the compressed space where there is one; for LDA the parameters of
    /// the topics, which the components are the shares of.
    #[serde(with = "bits::matrix")]
    pub working: Array2<T>,
    /// Orthonormal basis (rows) of the compressed space.
    #[serde(with = "bits::optional_matrix")]
    pub basis: Option<Array2<T>>,
    /// The weights that go with the components, n × rank, where the method works on weights of its own.
    #[serde(with = "bits::optional_matrix")]
    pub weights: Option<Array2<T>>,
    /// The thresholds of the last stage, one per component; empty before the first, and where there are none.
    #[serde(with = "bits::list")]
    pub thresholds: Vec<f64>,
    /// What the last stage left for the choice of the next thresholds: the root mean square of each
    /// component's negative decoded values; empty before the first stage.
    #[serde(with = "bits::list")]
    pub negative_rms: Vec<f64>,
    /// Likewise: the mixing error as seen from the last stage's change, where the schedule asks for it.
    #[serde(with = "bits::optional")]
    pub mixing_error: Option<f64>,
    /// Where thresholds come from the data: what that needs to go on.
    #[serde(default = "Option::default")]
    pub auto: Option<AutoState<T>>,
    /// Which components have been active in any stage.
    pub ever_active: Vec<bool>,
    /// The seed of the run.
    pub seed: u64,
    /// Passes over the full data so far.
    pub passes: usize,
    /// Time spent in the solver so far.
    pub seconds: f64,
    /// Records of the stages done.
    pub trace: Vec<StageRecord>,
    /// Warnings so far.
    pub warnings: Vec<Warning>,
}

impl<T: Real> Checkpoint<T> {
    /// The components in the space of the samples, rank × features.
    #[must_use]
    pub fn components(&self) -> Array2<T> {
        match &self.basis {
            Some(basis) => {
                let mut components = multiply(self.working.view(), basis.view());
                if let Some(auto) = &self.auto {
                    components.mapv_inplace(|v| T::from_f64(v.as_f64() * auto.unit()));
                }
                components
            }
            None if self.method == Method::OnlineLda => rows_of_unit_sum(&self.working),
            None => self.working.clone(),
        }
    }

    /// The state before the first stage.
    pub(crate) fn fresh(method: Method, n_samples: usize, working: Array2<T>, seed: u64) -> Self {
        Self {
            method,
            n_samples,
            stages: 0,
            working,
            basis: None,
            weights: None,
            thresholds: Vec::new(),
            negative_rms: Vec::new(),
            mixing_error: None,
            auto: None,
            ever_active: Vec::new(),
            seed,
            passes: 0,
            seconds: 0.0,
            trace: Vec::new(),
            warnings: Vec::new(),
        }
    }

    /// The checkpoint, if it fits the samples, the settings, and itself; with its matrices in row order.
    pub(crate) fn checked(
        mut self,
        method: Method,
        rank: usize,
        samples: &dyn Samples<T>,
    ) -> Result<Self, FitError> {
        let wrong = |reason: String| Err(FitError::Checkpoint { reason });
        if self.method != method {
            return wrong(format!("it belongs to a run of {}, not of {method}", self.method));
        }
        let features = samples.n_features();
        let width = match &self.basis {
            Some(basis) if basis.ncols() != features || basis.nrows() == 0 => {
                let expected = format!("any number of directions × {features} features");
                return Err(ShapeError::new("the basis of the checkpoint", basis.dim(), expected).into());
            }
            Some(basis) => basis.nrows(),
            None => features,
        };
        check_components(&self.working, rank, width)?;
        if self.n_samples != samples.n_samples() {
            return wrong("it belongs to another number of samples".into());
        }
        if self.trace.len() != self.stages {
            return wrong("its trace does not have one record per stage".into());
        }
        if let Some(weights) = &self.weights {
            if weights.dim() != (self.n_samples, rank) {
                let expected = format!("{} × {rank} (samples × rank)", self.n_samples);
                return Err(ShapeError::new("the weights of the checkpoint", weights.dim(), expected).into());
            }
            let zero = T::from_f64(0.0);
            if !weights.iter().all(|&v| v.finite() && v >= zero) {
                return wrong("a weight is negative or not finite".into());
            }
        }
        if let Some(basis) = &self.basis {
            let gram = multiply(basis.view(), basis.t());
            let apart = |((i, j), v): ((usize, usize), &T)| (v.as_f64() - f64::from(u8::from(i == j))).abs();
            if !gram.indexed_iter().all(|entry| apart(entry) < 1e-3) {
                return wrong("its basis is not orthonormal".into());
            }
        }
        let matrices = [Some(&mut self.working), self.basis.as_mut(), self.weights.as_mut()];
        for matrix in matrices.into_iter().flatten() {
            *matrix = matrix.as_standard_layout().into_owned();
        }
        Ok(self)
    }
}
