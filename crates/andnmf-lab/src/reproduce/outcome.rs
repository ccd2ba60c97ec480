//! What a cell came to.

use andnmf::fit::StopReason;
use andnmf::theory::ErrorNorms;
use ndarray::Array2;
use serde::{Deserialize, Serialize};

use super::Cell;

/// A finished cell.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CellResult {
    /// What was done.
    pub cell: Cell,
    /// Time that the cell took, with making and measuring.
    pub wall_seconds: f64,
    /// What came out.
    pub outcome: CellOutcome,
}

/// What came out of a cell.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CellOutcome {
    /// A truth was sought.
    Recovered(Recovered),
    /// The errors of the theory, before the first stage and after every one.
    StageLemma(Vec<Norms>),
    /// Topics were found.
    Topics(FoundTopics),
    /// Components of pictures were found.
    Pictures(FoundPictures),
    /// It could not be done.
    Failed(String),
}

impl CellOutcome {
    /// What went wrong, where something did.
    #[must_use]
    pub fn trouble(&self) -> Option<&str> {
        match self {
            Self::Failed(reason) => Some(reason),
            Self::Recovered(recovered) => recovered.broken_off.as_deref(),
            _ => None,
        }
    }
}

/// How close a method came to the truth, and when.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Recovered {
    /// Errors of the start near the truth, whether the method began there or not.
    pub start: Errors,
    /// Errors along the way, in the order of time; of many stages a choice that shows as much.
    pub way: Vec<WayPoint>,
    /// Errors at the end.
    pub end: Errors,
    /// Stages done.
    pub stages: usize,
    /// Time in the solver.
    pub solver_seconds: f64,
    /// Why it stopped.
    pub stop_reason: StopReason,
    /// Whether each true component is nearest to the component of the same number.
    pub in_order: bool,
    /// How often the error rose by more than a twentieth above its smallest value so far.
    pub rises: usize,
    /// Largest correlation between two weights.
    pub largest_weight_correlation: f64,
    /// The conditions of the theorems, where they were asked for.
    pub conditions: Option<Conditions>,
    /// What ended it before its time, where something went wrong on the way: the rest is how far it came.
    pub broken_off: Option<String>,
}

/// Distance from the truth.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Errors {
    /// The paper's total correlation error.
    pub total: f64,
    /// The same for true components of unit length.
    pub relative: f64,
}

/// Errors at a time.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct WayPoint {
    /// Stages done, less one.
    pub stage: usize,
    /// Time in the solver.
    pub seconds: f64,
    /// Errors then.
    #[serde(flatten)]
    pub errors: Errors,
}

/// How far weights are from what the theorems ask for.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Conditions {
    /// m of the weights: how strongly components occur together.
    pub m: f64,
    /// The largest m of the general theorem, with its constant taken as 1.
    pub bound: f64,
}

/// The three errors of the theory, and the step between them.
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

/// Topics of texts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FoundTopics {
    /// The top words of each topic, best first.
    pub topics: Vec<Vec<String>>,
    /// The coherence of each topic, where it has enough words.
    pub coherence: Vec<Option<f64>>,
    /// Their mean.
    pub mean_coherence: Option<f64>,
    /// Documents and words.
    pub size: (usize, usize),
    /// Time in the solver.
    pub solver_seconds: f64,
}

/// Components of pictures.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FoundPictures {
    /// One component per row.
    pub components: Array2<f32>,
    /// What is left of the pictures when the components explain as much as they can, relative to their size.
    pub residual: f64,
    /// Share of each component that is zero, on average.
    pub zeros: f64,
    /// Time in the solver.
    pub solver_seconds: f64,
}
