//! ANLS under the common contract.

use ndarray::{Array2, ArrayView2, ArrayViewMut2, Axis};
use rayon::prelude::*;

use super::params::{Anls, AnlsParams};
use crate::baselines::alternating::{
    GramMethod, GramRule, Moments, PreparedGram, Settings, WeightProblem, fit,
};
use crate::fit::{Fit, Method, Run, Solver, Start};
use crate::nnls::{Begin, ScaledGram, solve_block};
use crate::samples::Samples;
use crate::{FitError, Real};

/// Features that one thread takes at a time.
const FEATURES_PER_TASK: usize = 256;

impl<T: Real> Solver<T> for Anls {
    fn method(&self) -> Method {
        Method::Anls
    }

    fn fit(
        &self,
        samples: &dyn Samples<T>,
        start: Start<T>,
        run: &mut Run<'_, T>,
    ) -> Result<Fit<T>, FitError> {
        T::fit_anls(self, samples, start, run)
    }
}

impl Anls {
    pub(crate) fn run<T: Real>(
        &self,
        samples: &dyn Samples<T>,
        start: Start<T>,
        run: &mut Run<'_, T>,
    ) -> Result<Fit<T>, FitError> {
        fit(&GramMethod::new(self.params()), samples, start, run)
    }
}

impl<T: Real> GramRule<T> for &AnlsParams {
    const METHOD: Method = Method::Anls;
    const REVIVES: bool = true;
    type Buffers = PreparedGram<T>;

    fn settings(&self) -> Settings {
        Settings { limits: self.limits(), signed: self.signed, compress: self.compress, seed: self.seed }
    }

    fn weights(
        &self,
        problem: &WeightProblem<'_, T>,
        weights: ArrayViewMut2<'_, T>,
        prepared: &mut PreparedGram<T>,
    ) {
        problem.solve(weights, prepared);
    }

    fn components(&self, moments: &Moments<T>, now: &Array2<T>) -> Result<Array2<T>, FitError> {
        let overflow = || FitError::Overflow { stage: moments.stage };
        if moments.gram.iter().chain(&moments.products).any(|v| !v.finite()) {
            return Err(overflow());
        }
        if self.signed { moments.least_squares(now) } else { non_negative(moments, now) }.ok_or_else(overflow)
    }
}

/// The non-negative components that fit best: each feature is a problem of its own. What no sample uses stays as
/// it is. `None` where numbers leave the range of the type.
fn non_negative<T: Real>(moments: &Moments<T>, now: &Array2<T>) -> Option<Array2<T>> {
    let gram = ScaledGram::new(moments.gram.view()).ok()?;
    let mut components = now.clone();
    let tasks: Vec<_> = components
        .axis_chunks_iter_mut(Axis(1), FEATURES_PER_TASK)
        .zip(moments.products.axis_chunks_iter(Axis(1), FEATURES_PER_TASK))
        .collect();
    let solve = |(mut components, products): (ArrayViewMut2<'_, T>, ArrayView2<'_, T>)| {
        let products = products.t().as_standard_layout().into_owned();
        let mut solved = components.t().as_standard_layout().into_owned();
        solve_block(&gram, products.view(), solved.view_mut(), Begin::Warm).ok()?;
        for (k, mut row) in components.outer_iter_mut().enumerate() {
            if moments.gram[[k, k]] > T::from_f64(0.0) {
                row.assign(&solved.column(k));
            }
        }
        Some(())
    };
    tasks.into_par_iter().map(solve).collect::<Option<Vec<()>>>()?;
    Some(components)
}
