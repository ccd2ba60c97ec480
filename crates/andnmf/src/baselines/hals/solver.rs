//! HALS under the common contract.

use ndarray::{Array2, ArrayViewMut2};

use super::components::sweep_components;
use super::params::{Hals, HalsParams};
use super::sweep::sweep_weights;
use crate::baselines::alternating::{GramMethod, GramRule, Moments, Settings, WeightProblem, fit};
use crate::fit::{Fit, Method, Run, Solver, Start};
use crate::samples::Samples;
use crate::{FitError, Real};

impl<T: Real> Solver<T> for Hals {
    fn method(&self) -> Method {
        Method::Hals
    }

    fn fit(
        &self,
        samples: &dyn Samples<T>,
        start: Start<T>,
        run: &mut Run<'_, T>,
    ) -> Result<Fit<T>, FitError> {
        fit(&GramMethod::new(self.params()), samples, start, run)
    }
}

impl<T: Real> GramRule<T> for &HalsParams {
    const METHOD: Method = Method::Hals;
    const REVIVES: bool = true;
    type Buffers = Vec<T>;

    fn settings(&self) -> Settings {
        Settings { limits: self.limits(), compress: self.compress, seed: self.seed }
    }

    fn signed(&self) -> bool {
        self.signed
    }

    fn weights(&self, problem: &WeightProblem<'_, T>, weights: ArrayViewMut2<'_, T>, buffers: &mut Vec<T>) {
        let sweeps = if problem.first { self.sweeps.max(50) } else { self.sweeps };
        sweep_weights(problem.gram, problem.products, weights, sweeps, buffers);
    }

    fn components(&self, moments: &Moments<T>, now: &Array2<T>) -> Result<Array2<T>, FitError> {
        let mut components = now.clone();
        let Moments { gram, products, .. } = moments;
        sweep_components(gram.view(), products, &mut components, self.signed, self.sweeps);
        Ok(components)
    }
}
