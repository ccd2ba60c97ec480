//! ANLS as a [`Solver`](crate::fit::Solver).

use std::sync::atomic::{AtomicBool, Ordering};

use ndarray::{Array2, ArrayView2, ArrayViewMut2};

use super::params::{Anls, AnlsParams};
use crate::baselines::alternating::{
    AlternatingSettings, GramMethod, GramRule, Moments, PreparedGram, WeightProblem, WeightRule, fit,
};
use crate::fit::{Fit, Run, Start, solver};
use crate::linalg::product::{all_finite, for_each_column_tile, matrix_in};
use crate::nnls::NnlsStart;
use crate::pool::Pool;
use crate::query::wire;
use crate::samples::Samples;
use crate::{FitError, Real};

/// Features per parallel task.
const FEATURES_PER_TASK: usize = 256;

solver!(Anls, AnlsParams::NAME);

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

/// Exact non-negative least-squares weights.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ExactRule {}

wire!(impl [] ExactRule {});

impl<T: Real> WeightRule<T> for ExactRule {
    const QUERY: &'static str = "exact-weights";
    #[cfg(test)]
    const EXAMPLE: Self = Self {};
    type Buffers = AnlsWorkspace<T>;

    fn update(
        &self,
        problem: &WeightProblem<'_, T>,
        weights: ArrayViewMut2<'_, T>,
        workspace: &mut AnlsWorkspace<T>,
    ) {
        problem.solve(weights, &mut workspace.prepared);
    }
}

impl<T: Real> GramRule<T> for &AnlsParams {
    const METHOD: &'static str = AnlsParams::NAME;
    const REVIVES: bool = true;
    type Weights = ExactRule;

    fn settings(&self) -> AlternatingSettings {
        AlternatingSettings {
            limits: self.limits(),
            signed: self.signed,
            compress: self.compress,
            seed: self.seed,
        }
    }

    fn weight_rule(&self) -> ExactRule {
        ExactRule {}
    }

    fn components(
        &self,
        next: &mut Array2<T>,
        moments: &mut Moments<T>,
        current: &Array2<T>,
        workspaces: &Pool<AnlsWorkspace<T>>,
    ) -> Result<(), FitError> {
        let finite = all_finite(moments.gram.view()) && all_finite(moments.products.view());
        let updated = if !finite {
            None
        } else if self.signed {
            moments.least_squares(next, current)
        } else {
            next.assign(current);
            non_negative(next, moments, workspaces)
        };
        updated.ok_or(FitError::Overflow { stage: moments.stage })
    }
}

/// Workspace of one thread for a block of samples or features.
pub(crate) struct AnlsWorkspace<T> {
    prepared: PreparedGram<T>,
    products: Vec<T>,
    solved: Vec<T>,
}

impl<T> Default for AnlsWorkspace<T> {
    fn default() -> Self {
        Self { prepared: PreparedGram::default(), products: Vec::new(), solved: Vec::new() }
    }
}

/// Replaces components by the optimal non-negative ones; each feature is a separate problem. Unused components stay
/// unchanged. `None` on overflow.
fn non_negative<T: Real>(
    components: &mut Array2<T>,
    moments: &Moments<T>,
    workspaces: &Pool<AnlsWorkspace<T>>,
) -> Option<()> {
    let failed = AtomicBool::new(false);
    let solve =
        |mut components: ArrayViewMut2<'_, T>, given: ArrayView2<'_, T>, workspace: &mut AnlsWorkspace<T>| {
            let AnlsWorkspace { prepared, products, solved } = workspace;
            let shape = (given.ncols(), given.nrows());
            let mut products = matrix_in(products, shape);
            let mut solved = matrix_in(solved, shape);
            products.assign(&given.t());
            solved.assign(&components.t());
            prepared.solve(moments.gram.view(), products.view(), solved.view_mut(), NnlsStart::Warm)?;
            for (k, mut row) in components.outer_iter_mut().enumerate() {
                if moments.gram[[k, k]] > T::from_f64(0.0) {
                    row.assign(&solved.column(k));
                }
            }
            Some(())
        };
    for_each_column_tile(
        components.view_mut(),
        moments.products.view(),
        FEATURES_PER_TASK,
        &|components, products| {
            if workspaces.lend(|workspace| solve(components, products, workspace)).is_none() {
                failed.store(true, Ordering::Relaxed);
            }
        },
    );
    (!failed.into_inner()).then_some(())
}
