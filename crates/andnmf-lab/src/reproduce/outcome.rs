//! What a cell came to.

use andnmf::fit::StopReason;
use andnmf::theory::ErrorNorms;
use ndarray::Array2;
use serde::{Deserialize, Serialize};

use super::{Cell, Course};

/// A finished cell.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CellResult {
    /// What was done.
    pub cell: Cell,
    /// Time that the cell took, with making and measuring.
    pub wall_seconds: f64,
    /// The state of the source that the program was built from, where it was known.
    #[serde(default)]
    pub commit: Option<String>,
    /// What came out.
    pub outcome: CellOutcome,
}

/// What came out of a cell.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CellOutcome {
    /// A truth was sought.
    Recovered(Box<Recovered>),
    /// The errors of the theory were followed.
    StageLemma(FollowedLemma),
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
    /// Errors of the start as the method took it: without its negative entries where it has no place for them. None
    /// where the method began with the data alone.
    pub own_start: Option<Errors>,
    /// Errors along the way, in the order of time; of many stages a choice that shows as much.
    pub way: Vec<WayPoint>,
    /// What all of the way came to.
    pub course: Course,
    /// Errors at the end.
    pub end: Errors,
    /// How the errors at the end are spread over components, where it came to its end.
    pub components: Option<ComponentErrors>,
    /// Stages done.
    pub stages: usize,
    /// Time in the solver.
    pub solver_seconds: f64,
    /// Why it stopped.
    pub stop_reason: StopReason,
    /// How strongly the weights of the samples are correlated.
    pub weights: WeightCorrelations,
    /// How far the start is from the truth, where the method began there.
    pub mixing: Option<StartMixing>,
    /// The least error of components without negative entries, where the truth has negative entries.
    pub least_without_negatives: Option<f64>,
    /// The conditions of the theorems, where they were asked for.
    pub conditions: Option<Conditions>,
    /// What ended it before its time, where something went wrong on the way: the rest is how far it came.
    pub broken_off: Option<String>,
}

impl Recovered {
    /// The error that the method began with: its own start's, or that of the start near the truth where it had none.
    #[must_use]
    pub fn begin(&self) -> f64 {
        self.own_start.unwrap_or(self.start).total
    }
}

/// Errors of single components.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ComponentErrors {
    /// Whether each true component is nearest to the component of the same number.
    pub in_order: bool,
    /// The middle one of the relative errors.
    pub median: f64,
    /// The share of the whole error that the worst tenth of the components has.
    pub worst_tenth: f64,
}

/// Correlations between the weights of two components, over all pairs.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct WeightCorrelations {
    /// The largest by size, with its sign.
    pub largest: f64,
    /// The largest above zero; the least negative where none is.
    pub most_positive: f64,
    /// The middle one, by size.
    pub typical: f64,
}

/// A start in terms of the truth.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct StartMixing {
    /// ‖E‖, as the theorems measure it.
    pub norm: f64,
    /// What is mixed into a component, as long as so many times its own part: the middle one.
    pub typical_ratio: f64,
    /// The same of the component that has most.
    pub largest_ratio: f64,
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

/// The errors of the theory from stage to stage.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FollowedLemma {
    /// Before the first stage and after every one.
    pub norms: Vec<Norms>,
    /// What the lemma asks of every stage beside small norms.
    pub disturbances: Vec<Disturbance>,
}

/// How far the steps of a stage are from those of the lemma.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Disturbance {
    /// ‖R‖, the larger one of the first and the last step.
    pub size: f64,
    /// What the lemma allows: λ_min(Λ)·‖E‖/160.
    pub allowed: f64,
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
    /// Stages done.
    pub stages: usize,
    /// Why it stopped.
    pub stop_reason: StopReason,
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
    /// Stages done.
    pub stages: usize,
    /// Why it stopped.
    pub stop_reason: StopReason,
    /// Time in the solver.
    pub solver_seconds: f64,
}
