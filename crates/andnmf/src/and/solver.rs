//! AND under the common contract.

use super::engine;
use super::params::And;
use super::threshold::Threshold;
use crate::fit::{Fit, Method, Run, Solver, Start};
use crate::samples::Samples;
use crate::{FitError, Real, auto};

impl<T: Real> Solver<T> for And {
    fn method(&self) -> Method {
        Method::And
    }

    fn fit(
        &self,
        samples: &dyn Samples<T>,
        start: Start<T>,
        run: &mut Run<'_, T>,
    ) -> Result<Fit<T>, FitError> {
        T::fit_and(self, samples, start, run)
    }
}

impl And {
    pub(crate) fn run<T: Real>(
        &self,
        samples: &dyn Samples<T>,
        start: Start<T>,
        run: &mut Run<'_, T>,
    ) -> Result<Fit<T>, FitError> {
        match &self.params().threshold {
            Threshold::Auto => auto::fit(self.params(), samples, start, run),
            Threshold::Scheduled(schedule) => engine::fit(self.params(), schedule, samples, start, run),
        }
    }
}
