//! Who looks on while a fit runs: shows progress, measures against a truth, keeps checkpoints.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use andnmf::Real;
use andnmf::fit::{Observer, StageView};
use andnmf::metrics::correlation_error;
use andnmf_program::{Failure, Progress};
use ndarray::Array2;

use super::saved::Keeper;

/// Writing checkpoints may take this share of the time.
const CHECKPOINT_SHARE: f64 = 0.1;

pub(crate) struct Watch<'a, T: Real> {
    progress: &'a mut Progress,
    most_stages: usize,
    time_limit: Option<f64>,
    truth: Option<&'a Array2<T>>,
    /// Distance from the truth after each stage.
    pub(crate) errors: BTreeMap<usize, f64>,
    keeper: &'a Keeper,
    every: Duration,
    due: Instant,
    /// Why no checkpoint could be written: the run ends then, rather than to go on without.
    pub(crate) failed: Option<Failure>,
}

impl<'a, T: Real> Watch<'a, T> {
    pub(crate) fn new(
        progress: &'a mut Progress,
        (most_stages, time_limit): (usize, Option<f64>),
        truth: Option<&'a Array2<T>>,
        keeper: &'a Keeper,
        every: Duration,
    ) -> Self {
        let due = Instant::now() + every;
        Self {
            progress,
            most_stages,
            time_limit,
            truth,
            errors: BTreeMap::new(),
            keeper,
            every,
            due,
            failed: None,
        }
    }
}

impl<T: Real> Observer<T> for Watch<'_, T> {
    fn stage(&mut self, view: &StageView<'_, T>) -> ControlFlow<()> {
        self.progress.stage(view.record, self.most_stages, self.time_limit);
        if let Some(truth) = self.truth
            && let Ok(error) = correlation_error(view.components().view(), truth.view())
            && error.relative_total().is_finite()
        {
            self.errors.insert(view.record.stage, error.relative_total());
        }
        let begun = Instant::now();
        if begun < self.due {
            return ControlFlow::Continue(());
        }
        if let Err(failure) = self.keeper.save(view.checkpoint(), &self.errors) {
            self.failed = Some(failure);
            return ControlFlow::Break(());
        }
        let rest = if self.every.is_zero() { 0.0 } else { begun.elapsed().as_secs_f64() / CHECKPOINT_SHARE };
        self.due = Instant::now() + self.every.max(Duration::from_secs_f64(rest));
        ControlFlow::Continue(())
    }
}
