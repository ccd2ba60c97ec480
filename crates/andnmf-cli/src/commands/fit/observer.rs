//! The observer of a fit: shows progress, measures the error against a truth, writes checkpoints.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use andnmf::and::Threshold;
use andnmf::fit::{Observer, StageRecord, StageView};
use andnmf::metrics::correlation_error;
use andnmf::{MethodParams, Real};
use andnmf_program::{Failure, Progress};
use ndarray::Array2;

use super::checkpoint_file::CheckpointWriter;

/// Writing checkpoints may take this fraction of the time.
const CHECKPOINT_FRACTION: f64 = 0.1;

/// The limit on all stages of a fit; `None` if a search of unknown length comes before those that are limited.
pub(crate) fn total_stage_limit(settings: &MethodParams) -> Option<usize> {
    let searches = matches!(settings, MethodParams::And(and) if matches!(and.threshold, Threshold::Auto));
    (!searches).then(|| settings.stage_limit())
}

pub(crate) struct FitObserver<'a, T: Real> {
    progress: &'a mut Progress,
    max_stages: Option<usize>,
    time_limit: Option<f64>,
    truth: Option<&'a Array2<T>>,
    /// Error against the truth after each stage.
    pub(crate) errors: BTreeMap<usize, f64>,
    checkpoints: &'a CheckpointWriter,
    every: Duration,
    /// `None` if the next checkpoint is further away than clocks can say.
    due: Option<Instant>,
    /// The first failure to write a checkpoint.
    pub(crate) failed: Option<Failure>,
}

impl<'a, T: Real> FitObserver<'a, T> {
    pub(crate) fn new(
        progress: &'a mut Progress,
        settings: &MethodParams,
        truth: Option<&'a Array2<T>>,
        checkpoints: &'a CheckpointWriter,
        every: Duration,
    ) -> Self {
        let due = Instant::now().checked_add(every);
        Self {
            progress,
            max_stages: total_stage_limit(settings),
            time_limit: settings.time_limit(),
            truth,
            errors: BTreeMap::new(),
            checkpoints,
            every,
            due,
            failed: None,
        }
    }
}

impl<T: Real> Observer<T> for FitObserver<'_, T> {
    fn stage(&mut self, view: &StageView<'_, T>) -> ControlFlow<()> {
        self.progress.stage(view.record, self.max_stages, self.time_limit);
        if let Some(truth) = self.truth
            && let Ok(error) = correlation_error(view.components().view(), truth.view())
            && error.relative_total().is_finite()
        {
            self.errors.insert(view.record.stage, error.relative_total());
        }
        let started = Instant::now();
        if self.due.is_none_or(|due| started < due) {
            return ControlFlow::Continue(());
        }
        // A fit does not end because its checkpoints cannot be written: a disk may be full for a while, or for good.
        if let Err(failure) = self.checkpoints.save(view.checkpoint(), &self.errors) {
            self.failed.get_or_insert(failure);
        }
        let pause =
            if self.every.is_zero() { 0.0 } else { started.elapsed().as_secs_f64() / CHECKPOINT_FRACTION };
        self.due = Instant::now().checked_add(self.every.max(Duration::from_secs_f64(pause)));
        ControlFlow::Continue(())
    }

    fn refit_stage(&mut self, record: &StageRecord) -> ControlFlow<()> {
        self.progress.refit_stage(record);
        ControlFlow::Continue(())
    }
}
