//! Anchor words as a [`Solver`](crate::fit::Solver): a single stage without initialization.

use std::ops::ControlFlow;

use ndarray::Array2;

use super::params::{AnchorWords, AnchorWordsParams};
use super::topics::{AnchorTopics, PASSES};
use crate::fit::{
    Checkpoint, Fit, Header, MethodState, ResumableState, Run, Snapshot, StageRecord, StageView, Start,
    StateParts, StopMonitor, StopReason, StoredState, Warning, solver,
};
use crate::samples::{CancellableSamples, Samples};
use crate::{FitError, Real, SamplesError, SettingError};

solver!(AnchorWords, AnchorWordsParams::NAME);

impl AnchorWords {
    pub(crate) fn run<T: Real>(
        &self,
        samples: &dyn Samples<T>,
        start: Start<T>,
        run: &mut Run<'_, T>,
    ) -> Result<Fit<T>, FitError> {
        check_start(&start)?;
        let mut monitor = StopMonitor::new(run, self.params().time_limit, 0.0);
        let stop = || monitor.reason().is_some();
        let result =
            run.workers()?.run(|| self.topics_with_stop(&CancellableSamples { samples, stop: &stop }, &stop));
        let topics = result.map_err(|error| match error {
            FitError::Samples(SamplesError::Cancelled) => FitError::StoppedBeforeStart,
            other => other,
        })?;
        let done = self.finished_run(samples.n_samples(), topics, monitor.clock.seconds());
        monitor.clock.pause();
        let observed = run.notify(&StageView::new(&done.header.trace[0], &[], &done));
        let stop =
            if observed == ControlFlow::Break(()) { StopReason::Cancelled } else { StopReason::Converged };
        Ok(Fit::new(done.header, done.state, stop))
    }
}

impl AnchorWords {
    /// The completed run.
    fn finished_run<T: Real>(
        &self,
        n_samples: usize,
        topics: AnchorTopics<T>,
        seconds: f64,
    ) -> FinishedRun<T> {
        let (rank, zero) = (self.params().rank, T::from_f64(0.0));
        let active = topics.components.iter().filter(|&&v| v != zero).count();
        let record = StageRecord {
            stage: 0,
            seconds,
            threshold_min: None,
            threshold_median: None,
            // The method has no sample weights: count the non-zeros of the components.
            active_fraction: active as f64 / topics.components.len() as f64,
            change: 1.0,
            loss: None,
        };
        let numerical_rank = topics.numerical_rank;
        let dependent = (numerical_rank < rank).then_some(Warning::DependentComponents {
            stage: 0,
            numerical_rank,
            rank,
        });
        let header = Header {
            stages: 1,
            passes: PASSES,
            seconds,
            trace: vec![record],
            warnings: dependent.into_iter().collect(),
            ..Header::new(AnchorWordsParams::NAME, n_samples, self.params().seed)
        };
        FinishedRun { header, state: AnchorState { components: topics.components } }
    }
}

fn check_start<T: Real>(start: &Start<T>) -> Result<(), SettingError> {
    let given = match start {
        Start::Auto => return Ok(()),
        Start::Resume(_) => "a checkpoint",
        _ => "an initialization",
    };
    Err(SettingError::new("start", given, "anchor words does not use one; it must be auto"))
}

/// A completed run, as observers see it.
struct FinishedRun<T: Real> {
    header: Header,
    state: AnchorState<T>,
}

impl<T: Real> Snapshot<T> for FinishedRun<T> {
    fn components(&self) -> Array2<T> {
        self.state.components()
    }

    fn checkpoint(&self) -> Checkpoint<T> {
        Checkpoint::new(self.header.clone(), self.state.clone())
    }
}

/// The topics. A run is complete after one stage and cannot be resumed.
#[derive(Debug, Clone)]
struct AnchorState<T: Real> {
    components: Array2<T>,
}

impl<T: Real> MethodState<T> for AnchorState<T> {
    fn components(&self) -> Array2<T> {
        self.components.clone()
    }

    fn parts(&self) -> serde_json::Result<StateParts<'_, T>> {
        let matrices = vec![("components", &self.components)];
        Ok(StateParts { kind: Self::KIND, matrices, values: serde_json::Value::Null })
    }
}

impl<T: Real> ResumableState<T> for AnchorState<T> {
    const KIND: &'static str = "anchor-words";

    fn load(stored: &mut StoredState<T>) -> Result<Self, FitError> {
        Ok(Self { components: stored.matrix("components")? })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use super::*;
    use crate::baselines::AnchorWordsParams;
    use crate::fit::Solver;
    use crate::samples::DenseSamples;
    use crate::testing::random_matrix;

    fn samples() -> DenseSamples<'static, f64> {
        DenseSamples::new(random_matrix::<f64>(40, 12, 1).mapv(|v| (8.0 * v).floor().max(0.0))).unwrap()
    }

    fn anchor_words() -> AnchorWords {
        AnchorWordsParams::new(3).check().unwrap()
    }

    #[test]
    fn the_single_stage_is_observed_and_returned() {
        struct Seen(Vec<(StageRecord, Array2<f64>)>);
        impl crate::fit::Observer<f64> for Seen {
            fn stage(&mut self, view: &StageView<'_, f64>) -> ControlFlow<()> {
                self.0.push((*view.record, view.components()));
                ControlFlow::Continue(())
            }
        }
        let mut seen = Seen(Vec::new());
        let fit = anchor_words().fit(&samples(), Start::Auto, &mut Run::new().observe(&mut seen)).unwrap();
        assert_eq!((fit.stages, fit.stop, fit.passes, fit.trace.len()), (1, StopReason::Converged, 2, 1));
        assert_eq!(seen.0, [(fit.trace[0], fit.components.clone())]);
        let topics = anchor_words().topics(&samples()).unwrap();
        assert_eq!(fit.components, topics.components);
        assert!(fit.warnings.is_empty() && fit.weights.is_none());
        assert_eq!(Solver::<f64>::method(&anchor_words()), "anchor-words");
    }

    #[test]
    fn an_observer_may_cancel_a_completed_run() {
        struct Stops;
        impl crate::fit::Observer<f64> for Stops {
            fn stage(&mut self, _: &StageView<'_, f64>) -> ControlFlow<()> {
                ControlFlow::Break(())
            }
        }
        let fit = anchor_words().fit(&samples(), Start::Auto, &mut Run::new().observe(&mut Stops)).unwrap();
        assert_eq!(fit.stop, StopReason::Cancelled);
    }

    #[test]
    fn initializations_are_rejected() {
        let fit = anchor_words().fit(&samples(), Start::Auto, &mut Run::new()).unwrap();
        let starts = [
            Start::RandomSamples,
            Start::SuccessiveProjection,
            Start::Given(fit.components.clone()),
            Start::Resume(Box::new(fit.checkpoint())),
        ];
        for start in starts {
            let error = anchor_words().fit(&samples(), start, &mut Run::new()).unwrap_err();
            assert!(error.to_string().contains("must be auto"), "{error}");
        }
    }

    #[test]
    fn a_cancelled_run_has_no_result() {
        let flag = AtomicBool::new(true);
        let error =
            anchor_words().fit(&samples(), Start::Auto, &mut Run::new().cancel_with(&flag)).unwrap_err();
        assert_eq!(error, FitError::StoppedBeforeStart);
        let no_time = AnchorWordsParams { time_limit: Some(0.0), ..AnchorWordsParams::new(3) };
        let error = no_time.check().unwrap().fit(&samples(), Start::Auto, &mut Run::new()).unwrap_err();
        assert_eq!(error, FitError::StoppedBeforeStart);
    }
}
