//! The interface of all methods: a [`Solver`] takes samples and a [`Start`], reports each stage to an [`Observer`], and
//! returns a [`Fit`] with the components and the reason why it stopped.

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
pub(crate) use limits::{Limits, StageInterrupt, StopMonitor};
pub use observer::{Observer, Snapshot, StageView};
pub use run::{MAX_THREADS, Run};
pub(crate) use run::{Workers, is_cancelled};
pub use start::{NamedStart, Start};
pub(crate) use start::{ResolvedStart, StartComponents};
pub(crate) use state::{
    ExpectedShape, MethodState, ResumableState, StateParts, StoredState, invalid_checkpoint,
};
pub use trace::TraceColumn;

use crate::samples::Samples;
use crate::trust::{Ending, FitReport, Trust};
use crate::{FitError, Real};

/// A method with checked settings that can fit samples. [`crate::Method`] and the example of the crate show how to
/// get one.
pub trait Solver<T: Real> {
    /// The name of the method.
    fn method(&self) -> &'static str;

    /// Factorizes the samples.
    ///
    /// # Errors
    /// If the start does not match the samples, the samples cannot be read, or numbers overflow. Stopping early is no
    /// error (see [`Fit::stop`]), except during initialization, when there is no result yet.
    fn fit(
        &self,
        samples: &dyn Samples<T>,
        start: Start<T>,
        run: &mut Run<'_, T>,
    ) -> Result<Fit<T>, FitError>;
}

/// Implements [`Solver`] by the method's generic `run`, which is compiled here for both precisions.
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
                self.check_memory(samples)?;
                compiled(self, samples, start, run)
            }
        }
    };
}
pub(crate) use solver;

/// The reason why a fit stopped. Stopping without convergence is not an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// The components no longer changed, and all thresholds had reached their floor.
    Converged,
    /// The maximum number of stages was reached.
    MaxStages,
    /// The time limit was reached.
    TimeLimit,
    /// The observer or the caller cancelled the fit.
    Cancelled,
}

/// One stage (outer iteration): a row of the trace.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct StageRecord {
    /// Stage, counted from 0.
    pub stage: usize,
    /// Seconds spent in the solver up to the end of this stage, without observers.
    pub seconds: f64,
    /// Smallest threshold of all components, if the method has thresholds.
    pub threshold_min: Option<f64>,
    /// Median threshold of the components, if the method has thresholds.
    pub threshold_median: Option<f64>,
    /// Share of nonzero weights: of decoded weights at or above their threshold, if there are thresholds.
    pub active_fraction: f64,
    /// Change of the components relative to their size (Frobenius norms).
    pub change: f64,
    /// Loss after the stage, if the method computes one: of the samples in the space of the stages, so without what a
    /// projection on leading directions discards.
    pub loss: Option<f64>,
}

/// A warning about a result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case", tag = "kind")]
#[non_exhaustive]
pub enum Warning {
    /// Components that depend on each other.
    #[error(
        "at stage {stage} only {numerical_rank} of {rank} components were linearly independent: some are duplicates or \
         combinations of others; try a smaller rank"
    )]
    DependentComponents {
        /// The first stage with dependent components.
        stage: usize,
        /// Number of independent components at that stage.
        numerical_rank: usize,
        /// Number of components.
        rank: usize,
    },
    /// Components whose weights were zero in all samples and stages.
    #[error(
        "{} never active in any stage and did not change; try a smaller rank or a lower threshold",
        list_components(components, ("was", "were"))
    )]
    NeverActive {
        /// Their numbers, counted from 0.
        components: Vec<usize>,
    },
    /// Components that became zero and were initialized again.
    #[error(
        "{} zero at stage {stage} and restarted from the residual of a sample",
        list_components(components, ("became", "became"))
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
        list_components(components, ("contributes", "contribute"))
    )]
    Unused {
        /// Their numbers, counted from 0.
        components: Vec<usize>,
    },
    /// A lossy projection.
    #[error(
        "the projection on {dimension} leading directions discards {} % of the samples' norm; use a larger compress to \
         discard less",
        percent(*discarded)
    )]
    LossyProjection {
        /// Number of directions.
        dimension: usize,
        /// Norm of the discarded part, relative to the norm of the samples.
        discarded: f64,
    },
}

/// A fraction in percent, with two significant digits.
fn percent(fraction: f64) -> String {
    let rounded: f64 = format!("{:.1e}", 100.0 * fraction).parse().unwrap_or(0.0);
    if rounded == 0.0 || rounded >= 1e-3 { rounded.to_string() } else { format!("{rounded:e}") }
}

/// Warnings list at most this many components.
const MAX_LISTED: usize = 8;

/// The numbers of the components (the first few if there are many), followed by the singular or plural verb.
fn list_components(components: &[usize], (singular, plural): (&str, &str)) -> String {
    if let [only] = components {
        return format!("component {only} {singular}");
    }
    let named: Vec<String> = components.iter().take(MAX_LISTED).map(ToString::to_string).collect();
    match components.len().saturating_sub(MAX_LISTED) {
        0 => format!("components {} {plural}", named.join(", ")),
        more => format!("{} components ({}, and {more} more) {plural}", components.len(), named.join(", ")),
    }
}

/// A finished factorization.
#[derive(Debug, Clone)]
pub struct Fit<T: Real> {
    /// The components, rank × features.
    pub components: Array2<T>,
    /// The weights, n × rank, if the method computes them along with the components.
    pub weights: Option<Array2<T>>,
    /// Number of stages, including those before a resumed checkpoint and those of a search.
    pub stages: usize,
    /// Number of stages of the search for a start, at the beginning of the trace: the limit on stages concerns only
    /// those after it. 0 for all methods except AND with thresholds from the data.
    pub search_stages: usize,
    /// The reason why the fit stopped.
    pub stop: StopReason,
    /// One record per stage.
    pub trace: Vec<StageRecord>,
    /// Warnings.
    pub warnings: Vec<Warning>,
    /// The thresholds of the last stage, one per component; empty if the method has none.
    pub thresholds: Vec<f64>,
    /// Dimension of the compressed space of the stages; `None` without compression.
    pub compressed_to: Option<usize>,
    /// Number of passes over the samples (stages in a compressed space do not read them).
    pub passes: usize,
    /// Seconds spent in the solver, without observers.
    pub seconds: f64,
    /// Diagnostics of a finished fit with thresholds from the data; `None` for other fits.
    pub report: Option<FitReport>,
    /// The trust summary. `None` for all methods except AND with thresholds from the data. A run of AND that stopped
    /// early is judged poor, for that reason.
    pub trust: Option<Trust>,
    pub(crate) checkpoint_data: CheckpointData<T>,
}

/// The data of a checkpoint that a [`Fit`] does not show.
#[derive(Debug, Clone)]
pub(crate) struct CheckpointData<T: Real> {
    method: String,
    n_samples: usize,
    seed: u64,
    /// Passes and warnings of the stages, without those of the last step, which a resumed run repeats.
    passes: usize,
    warnings: usize,
    kind: &'static str,
    /// Without weights, which the fit stores.
    state: Arc<dyn MethodState<T>>,
}

impl<T: Real> Fit<T> {
    /// Name of the method.
    #[must_use]
    pub fn method(&self) -> &str {
        &self.checkpoint_data.method
    }

    /// The step that produced the components: `and`, `and+hals`, `min-volume`, `nmf`, or for counts `likelihood`,
    /// `priors` or `profiles`, if AND takes its thresholds from the data; otherwise the name of the method.
    ///
    /// ```
    /// use andnmf::and::AndParams;
    /// use andnmf::fit::{Run, Solver, Start};
    /// use andnmf::samples::DenseSamples;
    /// let samples = DenseSamples::new(ndarray::array![[1.0, 0.0], [0.0, 1.0], [2.0, 0.0], [0.0, 3.0]])?;
    /// let fit = AndParams::new(2).check()?.fit(&samples, Start::Auto, &mut Run::new())?;
    /// assert_eq!(fit.ending(), "and");
    /// # Ok::<(), andnmf::FitError>(())
    /// ```
    #[must_use]
    pub fn ending(&self) -> &str {
        match self.report.as_ref().map(|report| report.ending) {
            Some(Ending::Signed | Ending::Clipped | Ending::Swept) => "and",
            Some(Ending::Hals) => "and+hals",
            Some(Ending::MinVolume) => "min-volume",
            Some(Ending::Nmf) => "nmf",
            Some(Ending::Likelihood) => "likelihood",
            Some(Ending::Priors) => "priors",
            Some(Ending::Profiles) => "profiles",
            None => self.method(),
        }
    }

    /// Number of stages after the search for a start: at most the limit on stages.
    #[must_use]
    pub fn final_stages(&self) -> usize {
        self.stages.saturating_sub(self.search_stages)
    }

    /// Returns true if the fit treated the samples as counts, whose weights are those of largest likelihood
    /// ([`counts::weights`](crate::counts::weights)).
    #[must_use]
    pub fn of_counts(&self) -> bool {
        self.report.as_ref().is_some_and(|report| report.counts.is_some())
    }

    /// The checkpoint after the last stage. A longer run that resumes from it ends with the same bits as an
    /// uninterrupted one.
    #[must_use]
    pub fn checkpoint(&self) -> Checkpoint<T> {
        let CheckpointData { method, n_samples, seed, passes, warnings, kind, state } = &self.checkpoint_data;
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
        Checkpoint::shared(header, kind, state.unwrap_or_else(|| Arc::clone(&self.checkpoint_data.state)))
    }

    /// The scale of the samples, if thresholds came from the data: the root mean square of their coordinates along
    /// their leading direction.
    #[must_use]
    pub fn scale(&self) -> Option<f64> {
        self.checkpoint_data.state.scale()
    }

    /// Adds a warning about components that were never active.
    pub(crate) fn warn_never_active(&mut self, ever_active: &[bool]) {
        let components: Vec<usize> = (0..ever_active.len()).filter(|&k| !ever_active[k]).collect();
        if !components.is_empty() && self.stages > 0 {
            self.warnings.push(Warning::NeverActive { components });
        }
    }

    /// The fit at the end of a run.
    pub(crate) fn new<S: ResumableState<T>>(header: Header, mut state: S, stop: StopReason) -> Self {
        let Header { method, n_samples, stages, seed, passes, seconds, trace, warnings } = header;
        Self {
            components: state.components(),
            weights: state.take_weights(),
            stages,
            search_stages: 0,
            stop,
            thresholds: state.thresholds().to_vec(),
            compressed_to: None,
            passes,
            seconds,
            report: None,
            trust: None,
            checkpoint_data: CheckpointData {
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
    fn of_many_components_a_warning_lists_the_first_few() {
        let text = |count: usize| Warning::NeverActive { components: (3..3 + count).collect() }.to_string();
        let rest = "never active in any stage and did not change; try a smaller rank or a lower threshold";
        assert_eq!(text(1), format!("component 3 was {rest}"));
        assert_eq!(text(2), format!("components 3, 4 were {rest}"));
        assert!(text(8).starts_with("components 3, 4, 5, 6, 7, 8, 9, 10 were"), "{}", text(8));
        assert!(
            text(44).starts_with("44 components (3, 4, 5, 6, 7, 8, 9, 10, and 36 more) were"),
            "{}",
            text(44)
        );
        let revived = Warning::Revived { stage: 2, components: vec![7] }.to_string();
        assert!(revived.starts_with("component 7 became zero at stage 2"), "{revived}");
    }

    #[test]
    fn shares_are_in_percent() {
        assert_eq!([0.0, 0.012_345, 2e-7].map(super::percent), ["0", "1.2", "2e-5"]);
    }
}
