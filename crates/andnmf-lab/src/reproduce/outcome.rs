//! Results of cells. Serialized names are part of the format of stored results.

use andnmf::fit::StopReason;
use andnmf::theory::ErrorNorms;
use ndarray::Array2;
use serde::{Deserialize, Serialize};

use super::{Cell, ErrorSummary};

/// A finished cell.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CellResult {
    /// The specification.
    pub cell: Cell,
    /// Wall time, including data generation and measurements.
    pub wall_seconds: f64,
    /// The commit that the program was built from, if known.
    #[serde(default)]
    pub commit: Option<String>,
    /// The outcome.
    pub outcome: CellOutcome,
}

/// The outcome of a cell.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CellOutcome {
    /// A recovery run.
    Recovered(Box<RecoveryResult>),
    /// The errors of the theory, stage by stage.
    StageLemma(LemmaTrace),
    /// Topics of texts.
    Topics(TopicResult),
    /// Components of images.
    #[serde(rename = "pictures")]
    Images(ImageResult),
    /// The run failed, with the reason.
    Failed(String),
}

impl CellOutcome {
    /// The reason of a failed or aborted run.
    #[must_use]
    pub fn failure(&self) -> Option<&str> {
        match self {
            Self::Failed(reason) => Some(reason),
            Self::Recovered(recovered) => recovered.aborted.as_deref(),
            _ => None,
        }
    }
}

/// The errors of a recovery run over time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RecoveryResult {
    /// Errors of the common start near the truth, whether or not the method used it.
    pub start: Errors,
    /// Errors of the method's own start, clipped at zero if the method requires non-negative components. `None` if the
    /// method started from the data alone.
    pub own_start: Option<Errors>,
    /// Errors over time, for a selection of stages.
    #[serde(rename = "way")]
    pub trace: Vec<TracePoint>,
    /// Summary of the error over all stages.
    #[serde(rename = "course")]
    pub error_summary: ErrorSummary,
    /// Final errors.
    pub end: Errors,
    /// Distribution of the final errors over components, for a finished run.
    pub components: Option<ComponentErrors>,
    /// Number of stages.
    pub stages: usize,
    /// Solver time.
    pub solver_seconds: f64,
    /// Stop reason.
    pub stop_reason: StopReason,
    /// Correlations of the samples' weights.
    pub weights: WeightCorrelations,
    /// Mixing of the start, if the method started near the truth.
    pub mixing: Option<StartMixing>,
    /// The smallest error that non-negative components can reach, if the truth has negative entries.
    #[serde(rename = "least_without_negatives")]
    pub nonnegative_error_floor: Option<f64>,
    /// The conditions of the theorems, if requested.
    pub conditions: Option<Conditions>,
    /// The reason that aborted the run, if any; the other fields describe the stages before it.
    #[serde(rename = "broken_off")]
    pub aborted: Option<String>,
}

impl RecoveryResult {
    /// The error at the start: the method's own start, or the common start if it has none.
    #[must_use]
    pub fn start_error(&self) -> f64 {
        self.own_start.unwrap_or(self.start).total
    }
}

/// Errors of single components.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ComponentErrors {
    /// True if each true component is nearest to the component with the same index.
    pub in_order: bool,
    /// The median relative error.
    pub median: f64,
    /// Share of the total error in the worst tenth of the components.
    pub worst_tenth: f64,
}

/// Correlations between the weights of two components, over all pairs.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct WeightCorrelations {
    /// The largest by absolute value, with its sign.
    pub largest: f64,
    /// The largest value, with its sign.
    pub most_positive: f64,
    /// The median absolute value.
    pub typical: f64,
    /// The largest E\[xᵢxⱼ\]/(E\[xᵢ\]·E\[xⱼ\]).
    pub co_occurrence: f64,
    /// The conditions of the theorems.
    pub conditions: WeightConditions,
}

/// The conditions of the theorems on the weights of a dataset, and the bound on m.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct WeightConditions {
    /// How the weights are scaled, as text.
    pub scaling: String,
    /// The largest sum of the weights of a sample.
    pub r: f64,
    /// Mean squares of the weights.
    pub k: f64,
    /// Mean products of two weights.
    pub m: f64,
    /// Distance of the second moments from degenerate ones.
    pub lambda: f64,
    /// The decay order; `None` if it is infinite.
    pub decay_order: Option<f64>,
    /// The bound on m of the main theorem, with its constant set to 1.
    pub bound: f64,
}

/// The mixing of components in a start.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct StartMixing {
    /// ‖E‖ of the theorems.
    pub norm: f64,
    /// Norm of what is mixed into a component, relative to the component's own part: the median.
    pub typical_ratio: f64,
    /// The same ratio: the largest.
    pub largest_ratio: f64,
}

/// Errors against the truth.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Errors {
    /// The paper's total correlation error.
    pub total: f64,
    /// The same with true components scaled to unit norm.
    pub relative: f64,
}

/// Errors at one time.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct TracePoint {
    /// Stage index, from 0.
    pub stage: usize,
    /// Solver time.
    pub seconds: f64,
    /// The errors.
    #[serde(flatten)]
    pub errors: Errors,
}

/// A condition of the theorems on the weights.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Conditions {
    /// m of the weights: how often components occur together.
    pub m: f64,
    /// The bound on m of the general theorem, with its constant set to 1.
    pub bound: f64,
}

/// The three error norms of the theory.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Norms {
    /// ‖Σ − I‖.
    pub scale: f64,
    /// ‖E‖.
    pub mixing: f64,
    /// ‖N‖.
    pub outside: f64,
}

impl From<ErrorNorms> for Norms {
    fn from(norms: ErrorNorms) -> Self {
        Self { scale: norms.scale_error, mixing: norms.mixing_error, outside: norms.outside_error }
    }
}

impl From<Norms> for ErrorNorms {
    fn from(norms: Norms) -> Self {
        Self { scale_error: norms.scale, mixing_error: norms.mixing, outside_error: norms.outside }
    }
}

/// The errors of the theory, stage by stage.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LemmaTrace {
    /// Norms before the first stage and after every stage.
    pub norms: Vec<Norms>,
    /// The lemma's condition on the steps, for every stage.
    pub disturbances: Vec<Disturbance>,
}

/// Deviation of the steps of a stage from those of the lemma.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Disturbance {
    /// ‖R‖, the larger value of the first and the last step.
    pub size: f64,
    /// The bound of the lemma: λ_min(Λ)·‖E‖/160.
    pub allowed: f64,
}

/// The topics found in texts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TopicResult {
    /// The top words of each topic, best first.
    pub topics: Vec<Vec<String>>,
    /// The coherence of each topic, if it has enough words.
    pub coherence: Vec<Option<f64>>,
    /// Mean coherence.
    pub mean_coherence: Option<f64>,
    /// Number of documents and of words.
    pub size: (usize, usize),
    /// Number of stages.
    pub stages: usize,
    /// Stop reason.
    pub stop_reason: StopReason,
    /// Solver time.
    pub solver_seconds: f64,
}

/// The components found in images.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ImageResult {
    /// One component per row.
    pub components: Array2<f32>,
    /// Relative residual of the images under non-negative weights.
    pub residual: f64,
    /// Mean share of zero entries of a component.
    pub zeros: f64,
    /// Number of stages.
    pub stages: usize,
    /// Stop reason.
    pub stop_reason: StopReason,
    /// Solver time.
    pub solver_seconds: f64,
}
