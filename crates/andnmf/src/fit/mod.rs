//! One contract for every method: a solver takes samples and a start, tells its progress, and returns a
//! [`Fit`] that says what it found and why it stopped.

pub(crate) mod bits;
mod checkpoint;
mod clock;
mod drive;
mod limits;
mod observer;
mod run;
mod start;
mod state;
mod trace;

use std::sync::Arc;

use ndarray::Array2;
use serde::{Deserialize, Serialize};

pub use checkpoint::{Checkpoint, Header};
pub(crate) use clock::Clock;
pub(crate) use drive::{StagedRun, drive};
pub(crate) use limits::{Halt, Limits, Watch};
pub use observer::{Observer, Snapshot, StageView};
pub use run::Run;
pub(crate) use run::{Workers, is_cancelled};
pub(crate) use start::{Beginning, Found};
pub use start::{NamedStart, Start};
pub(crate) use state::{ExpectedShape, MethodState, Parts, ResumableState, Stored, wrong};
pub use trace::TraceColumn;

use crate::samples::Samples;
use crate::trust::{FitReport, Trust};
use crate::{FitError, Real};

/// A method with checked settings, ready to fit samples.
pub trait Solver<T: Real> {
    /// The name of the method.
    fn method(&self) -> &'static str;

    /// Factorizes the samples.
    ///
    /// # Errors
    /// Where the start does not fit the samples, the samples cannot be read, or numbers leave the range of the
    /// type. Stopping early is no error (see [`Fit::stop`]), unless there is not even a start to return yet.
    fn fit(
        &self,
        samples: &dyn Samples<T>,
        start: Start<T>,
        run: &mut Run<'_, T>,
    ) -> Result<Fit<T>, FitError>;
}

/// Implements [`Solver`] for a checked method by its generic `run`, which is compiled here for both precisions.
macro_rules! solver {
    ($solver:ident, $method:expr) => {
        impl<T: $crate::Real> $crate::fit::Solver<T> for $solver {
            fn method(&self) -> &'static str {
                $method
            }

            fn fit(
                &self,
                samples: &dyn $crate::samples::Samples<T>,
                start: $crate::fit::Start<T>,
                run: &mut $crate::fit::Run<'_, T>,
            ) -> Result<$crate::fit::Fit<T>, $crate::FitError> {
                $crate::entry_point! {
                    fn compiled<'a, 'r: 'a; N>(
                        solver: &'a $solver,
                        samples: &'a dyn $crate::samples::Samples<N>,
                        start: $crate::fit::Start<N>,
                        run: &'a mut $crate::fit::Run<'r, N>,
                    ) -> Result<$crate::fit::Fit<N>, $crate::FitError> = $solver::run;
                }
                compiled(self, samples, start, run)
            }
        }
    };
}
pub(crate) use solver;

/// Why a fit ended. Not converging is an answer, not an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// The components no longer changed, and no threshold was left to fall.
    Converged,
    /// All stages were done.
    MaxStages,
    /// The time was up.
    TimeLimit,
    /// The observer or the caller asked to stop.
    Cancelled,
}

/// What one stage did, as a row of the trace.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct StageRecord {
    /// Stage, counted from 0.
    pub stage: usize,
    /// Time spent in the solver up to the end of this stage; observers are off the clock.
    pub seconds: f64,
    /// Smallest threshold of any component, where the method has thresholds.
    pub threshold_min: Option<f64>,
    /// Median threshold of the components, where the method has thresholds.
    pub threshold_median: Option<f64>,
    /// Share of weights that are not zero: decoded weights that passed their threshold, where there is one.
    pub active_fraction: f64,
    /// How far the components moved, relative to their size (Frobenius norms).
    pub change: f64,
    /// What the method minimises, after the stage, where it minimises anything that it knows: for samples as the
    /// stages see them, so without what a projection on leading directions leaves out.
    pub loss: Option<f64>,
}

/// Something the user should know about an otherwise good result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case", tag = "kind")]
#[non_exhaustive]
pub enum Warning {
    /// Components that depend on each other.
    #[error(
        "at stage {stage} only {numerical_rank} of {rank} components were linearly independent; \
         duplicates or combinations of others cannot be told apart"
    )]
    DependentComponents {
        /// First stage where it was seen.
        stage: usize,
        /// Independent components at that stage.
        numerical_rank: usize,
        /// All components.
        rank: usize,
    },
    /// Components that no sample ever used.
    #[error("{} never active in any stage, and left at the start", numbered(components, ("was", "were")))]
    NeverActive {
        /// Their numbers, counted from 0.
        components: Vec<usize>,
    },
    /// Components that had come to nothing and were given a new direction.
    #[error(
        "{} come to nothing at stage {stage} and began anew from a sample's residual",
        numbered(components, ("had", "had"))
    )]
    Revived {
        /// The stage.
        stage: usize,
        /// Their numbers, counted from 0.
        components: Vec<usize>,
    },
    /// Components that contribute nothing to any sample.
    #[error(
        "{} nothing to any sample; a smaller rank would fit as well",
        numbered(components, ("contributes", "contribute"))
    )]
    Unused {
        /// Their numbers, counted from 0.
        components: Vec<usize>,
    },
    /// A projection that loses something.
    #[error(
        "the samples were projected on their {dimension} leading directions, which leaves out \
         {discarded:.3e} of their size"
    )]
    LossyProjection {
        /// Number of directions kept.
        dimension: usize,
        /// Norm of what was left out, relative to the norm of the samples.
        discarded: f64,
    },
}

/// So many components are named one by one.
const NAMED: usize = 8;

/// Components by their numbers, the first few of many, with the verb that goes with so many.
fn numbered(components: &[usize], (of_one, of_many): (&str, &str)) -> String {
    if let [only] = components {
        return format!("component {only} {of_one}");
    }
    let named: Vec<String> = components.iter().take(NAMED).map(ToString::to_string).collect();
    match components.len().saturating_sub(NAMED) {
        0 => format!("components {} {of_many}", named.join(", ")),
        more => format!("{} components ({}, and {more} more) {of_many}", components.len(), named.join(", ")),
    }
}

/// A finished factorization.
#[derive(Debug, Clone)]
pub struct Fit<T: Real> {
    /// The components found, rank × features.
    pub components: Array2<T>,
    /// The weights that go with them, n × rank, where the method works on weights of its own.
    pub weights: Option<Array2<T>>,
    /// Stages done in all, including those before a resumed checkpoint.
    pub stages: usize,
    /// Why the fit ended.
    pub stop: StopReason,
    /// One record per stage.
    pub trace: Vec<StageRecord>,
    /// What the user should know.
    pub warnings: Vec<Warning>,
    /// The thresholds of the last stage, one per component; empty where the method has none.
    pub thresholds: Vec<f64>,
    /// Dimension of the space the stages ran in, where that was smaller than the number of features.
    pub compressed_to: Option<usize>,
    /// How many times all samples were read (in the compressed space they are read no more).
    pub passes: usize,
    /// Time spent in the solver, without observers.
    pub seconds: f64,
    /// What the fit found out about itself, where thresholds came from the data and the run came to its end.
    pub report: Option<FitReport>,
    /// Whether the components are to be believed. `None` exactly where the method does not judge its results: all but
    /// AND with thresholds from the data. A run of that which was stopped is judged poor, for that reason.
    pub trust: Option<Trust>,
    pub(crate) rest: Rest<T>,
}

/// What a checkpoint needs beside what a fit shows.
#[derive(Debug, Clone)]
pub(crate) struct Rest<T: Real> {
    method: String,
    n_samples: usize,
    seed: u64,
    /// Passes and warnings of the stages: the end of a fit adds its own, which a resumed run must not count twice.
    passes: usize,
    warnings: usize,
    kind: &'static str,
    /// Without weights, which the fit holds.
    state: Arc<dyn MethodState<T>>,
}

impl<T: Real> Fit<T> {
    /// The method that made it.
    #[must_use]
    pub fn method(&self) -> &str {
        &self.rest.method
    }

    /// The state after the last stage, from which a longer run can go on to the same bits.
    #[must_use]
    pub fn checkpoint(&self) -> Checkpoint<T> {
        let Rest { method, n_samples, seed, passes, warnings, kind, state } = &self.rest;
        let header = Header {
            method: method.clone(),
            n_samples: *n_samples,
            stages: self.stages,
            seed: *seed,
            passes: *passes,
            seconds: self.seconds,
            trace: self.trace.clone(),
            warnings: self.warnings.iter().take(*warnings).cloned().collect(),
        };
        let state = self.weights.as_ref().and_then(|weights| state.with_weights(weights));
        Checkpoint::shared(header, kind, state.unwrap_or_else(|| Arc::clone(&self.rest.state)))
    }

    /// How large the samples were, where thresholds came from the data: the root mean square of their coordinates along
    /// their strongest direction.
    #[must_use]
    pub fn scale(&self) -> Option<f64> {
        self.rest.state.scale()
    }

    /// Warns of components that no sample ever used.
    pub(crate) fn tell_of_idle(&mut self, ever_active: &[bool]) {
        let components: Vec<usize> = (0..ever_active.len()).filter(|&k| !ever_active[k]).collect();
        if !components.is_empty() && self.stages > 0 {
            self.warnings.push(Warning::NeverActive { components });
        }
    }

    /// The fit that a run ended with.
    pub(crate) fn new<S: ResumableState<T>>(header: Header, mut state: S, stop: StopReason) -> Self {
        let Header { method, n_samples, stages, seed, passes, seconds, trace, warnings } = header;
        Self {
            components: state.components(),
            weights: state.take_weights(),
            stages,
            stop,
            thresholds: state.thresholds().to_vec(),
            compressed_to: None,
            passes,
            seconds,
            report: None,
            trust: None,
            rest: Rest {
                method,
                n_samples,
                seed,
                passes,
                warnings: warnings.len(),
                kind: S::KIND,
                state: Arc::new(state),
            },
            trace,
            warnings,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Warning;

    #[test]
    fn of_many_components_a_warning_names_the_first_few() {
        let told = |count: usize| Warning::NeverActive { components: (3..3 + count).collect() }.to_string();
        assert_eq!(told(1), "component 3 was never active in any stage, and left at the start");
        assert_eq!(told(2), "components 3, 4 were never active in any stage, and left at the start");
        assert!(told(8).starts_with("components 3, 4, 5, 6, 7, 8, 9, 10 were"), "{}", told(8));
        assert!(
            told(44).starts_with("44 components (3, 4, 5, 6, 7, 8, 9, 10, and 36 more) were"),
            "{}",
            told(44)
        );
        let revived = Warning::Revived { stage: 2, components: vec![7] }.to_string();
        assert!(revived.starts_with("component 7 had come to nothing at stage 2"), "{revived}");
    }
}
