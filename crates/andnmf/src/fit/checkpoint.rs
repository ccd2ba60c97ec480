//! The state of a run between two stages.

use ndarray::Array2;
use serde::{Deserialize, Serialize};

use super::{StageRecord, Warning, bits};
use crate::Real;

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
    /// Number of samples of the run.
    pub n_samples: usize,
    /// Stages done.
    pub stages: usize,
    /// The working matrix, in the compressed space where there is one.
    #[serde(with = "bits::matrix")]
    pub working: Array2<T>,
    /// Orthonormal basis (rows) of the compressed space.
    #[serde(with = "bits::optional_matrix")]
    pub basis: Option<Array2<T>>,
    /// The thresholds of the last stage, one per component; empty before the first.
    #[serde(with = "bits::list")]
    pub thresholds: Vec<f64>,
    /// What the last stage left for the choice of the next thresholds: the root mean square of each
    /// component's negative decoded values; empty before the first stage.
    #[serde(with = "bits::list")]
    pub negative_rms: Vec<f64>,
    /// Likewise: the mixing error as seen from the last stage's change, where the schedule asks for it.
    #[serde(with = "bits::optional")]
    pub mixing_error: Option<f64>,
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
            Some(basis) => crate::linalg::product::multiply(self.working.view(), basis.view()),
            None => self.working.clone(),
        }
    }
}
