//! AND as a [`Solver`](crate::fit::Solver): with thresholds from the data, or with those of a schedule.

use crate::and::{And, AndParams, Threshold, fit_with_schedule};
use crate::fit::{Fit, Run, Start, solver};
use crate::objective::Objective;
use crate::samples::Samples;
use crate::{FitError, Real, SettingError};

solver!(And, AndParams::NAME);

impl And {
    pub(crate) fn run<T: Real>(
        &self,
        samples: &dyn Samples<T>,
        start: Start<T>,
        run: &mut Run<'_, T>,
    ) -> Result<Fit<T>, FitError> {
        match &self.params().threshold {
            Threshold::Auto => super::fit(self, samples, start, run),
            Threshold::Scheduled(_) if *self.objective() != Objective::default() => {
                let expected =
                    "a threshold schedule is the paper's algorithm, which has no weights; use threshold auto";
                Err(SettingError::new("objective", "given", expected).into())
            }
            Threshold::Scheduled(schedule) => fit_with_schedule(self.params(), schedule, samples, start, run),
        }
    }
}
