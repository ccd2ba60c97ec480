//! Shared code of the methods for the squared error ‖Y − X·A‖².
//!
//! Both halves of an alternation use the samples only through products: the weights need Y·Aᵀ and the Gram matrix A·Aᵀ,
//! the components Xᵀ·Y and Xᵀ·X. The residual is never formed; the loss follows from the same products.

use std::sync::OnceLock;

use ndarray::{Array2, ArrayView2, s};

use super::moments::{Moments, loss};
use super::pass::{GramSums, PassWorkspace, WeightPass, WeightRule};
use super::revive::{self, Residuals};
use super::{AlternatingSettings, Alternation, ComponentUpdate, UpdateContext};
use crate::compression::Space;
use crate::linalg::linear_map::LinearMap;
use crate::linalg::product::{PartialSumPool, gram_of_rows, gram_of_rows_into, multiply_wide};
use crate::pool::Pool;
use crate::query::{self, MaybeOwned};
use crate::samples::Samples;
use crate::{FitError, Real};

/// The update rule of a squared-error method, in terms of products and Gram matrices.
pub(in crate::baselines) trait GramRule<T: Real>: Sync + Sized {
    /// The name of the method.
    const METHOD: &'static str;
    /// True if dead components are reinitialized. Their weights are then zero, so the rule must be able to leave zero.
    const REVIVES: bool;
    /// The update rule of the weights.
    type Weights: WeightRule<T>;

    fn settings(&self) -> AlternatingSettings;

    fn weight_rule(&self) -> Self::Weights;

    /// Adapts the initial components to the constraints of the rule.
    fn prepare_start(&self, start: Array2<T>) -> Array2<T> {
        if self.settings().signed {
            start
        } else {
            start.mapv_into(|v| if v > T::from_f64(0.0) { v } else { T::from_f64(0.0) })
        }
    }

    /// Writes the new components to `next`.
    ///
    /// # Errors
    /// On overflow.
    fn components(
        &self,
        next: &mut Array2<T>,
        moments: &mut Moments<T>,
        current: &Array2<T>,
        buffers: &Pool<RuleBuffers<T, Self>>,
    ) -> Result<(), FitError>;

    /// The regularization term that the rule adds to the squared error in this stage, for components with this Gram
    /// matrix and samples with this sum of squares.
    fn penalty(&self, _gram: ArrayView2<'_, T>, _stage: usize, _squares: f64) -> f64 {
        0.0
    }
}

/// Scratch buffers of one thread for a block of samples or features.
type RuleBuffers<T, R> = <<R as GramRule<T>>::Weights as WeightRule<T>>::Buffers;

/// Runs a [`GramRule`] as an [`Alternation`].
pub(in crate::baselines) struct GramMethod<T: Real, R: GramRule<T>> {
    rule: R,
    /// Memory reused from stage to stage.
    workspace: PassWorkspace<T, RuleBuffers<T, R>>,
    passes: Pool<GramPass<T>>,
    moments: Pool<Moments<T>>,
    /// Partial sums of Gram matrices and of projected components.
    gram_partial_sums: PartialSumPool<T>,
    projected_partial_sums: PartialSumPool<T>,
    /// ‖Y‖², set by the first pass.
    squares: OnceLock<f64>,
}

impl<T: Real, R: GramRule<T>> GramMethod<T, R> {
    pub(in crate::baselines) fn new(rule: R) -> Self {
        Self {
            rule,
            workspace: PassWorkspace::default(),
            passes: Pool::default(),
            moments: Pool::default(),
            gram_partial_sums: PartialSumPool::default(),
            projected_partial_sums: PartialSumPool::default(),
            squares: OnceLock::new(),
        }
    }
}

/// Input of a pass, derived from the components.
pub(in crate::baselines) struct GramPass<T: Real> {
    /// y ↦ A·y, in the space of the samples.
    map: LinearMap<T>,
    /// A·Aᵀ, in the space of the samples.
    gram: Array2<T>,
}

impl<T: Real, R: GramRule<T>> Alternation<T> for GramMethod<T, R> {
    const METHOD: &'static str = R::METHOD;
    type Pass = GramPass<T>;
    type Sums = GramSums<T>;

    fn settings(&self) -> AlternatingSettings {
        self.rule.settings()
    }

    fn prepare_start(&self, start: Array2<T>) -> Array2<T> {
        self.rule.prepare_start(start)
    }

    fn prepare_pass(&self, components: &Array2<T>, space: &Space<T>, sparse: bool) -> GramPass<T> {
        let Some(GramPass { mut map, mut gram }) = self.passes.take() else {
            let map = LinearMap::new(space.enter(components), sparse);
            return GramPass { map, gram: gram_of_rows(components.view()) };
        };
        gram_of_rows_into(&mut gram, components.view(), &self.gram_partial_sums);
        map.update(|matrix| space.enter_into(matrix, components, &self.projected_partial_sums));
        GramPass { map, gram }
    }

    fn recycle_pass(&self, pass: GramPass<T>) {
        self.passes.give(pass);
    }

    fn pass(
        &self,
        pass: &GramPass<T>,
        samples: &dyn Samples<T>,
        last: Option<&Array2<T>>,
        weights: &mut Array2<T>,
    ) -> Result<GramSums<T>, FitError> {
        self.workspace.weights.store(std::mem::take(weights));
        let query = WeightPass {
            rule: self.rule.weight_rule(),
            map: MaybeOwned::Borrowed(&pass.map),
            gram: pass.gram.view().into(),
            last: last.map(|last| last.view().into()),
            measure: self.squares.get().is_none(),
            workspace: MaybeOwned::Borrowed(&self.workspace),
        };
        let passed = query::run(samples, &query)?;
        *weights = passed.weights;
        Ok(passed.sums)
    }

    fn update_components(
        &self,
        sums: GramSums<T>,
        context: UpdateContext<'_, T>,
    ) -> Result<ComponentUpdate<T, Self>, FitError> {
        if self.squares.get().is_none() && sums.largest > 0.0 && sums.largest < min_magnitude::<T>() {
            return Err(FitError::Overflow { stage: context.stage });
        }
        let squares = *self.squares.get_or_init(|| sums.squares);
        let (rank, features) = context.components.dim();
        let mut moments = self.moments.take().unwrap_or_else(|| Moments::zeros(rank, features));
        (moments.stage, moments.squares) = (context.stage, squares);
        sums.sums.copy_gram(&mut moments.gram);
        to_sample_space(&mut moments.products, sums.sums.products(), context.space);
        let components = context.next;
        self.rule.components(components, &mut moments, context.components, &self.workspace.rule_buffers)?;
        let mut pass = self.prepare_pass(components, context.space, context.samples.is_sparse());
        let loss = loss(squares, &moments, components.view(), pass.gram.view());
        let mut revived = Vec::new();
        if R::REVIVES {
            let dead = revive::dead(&moments.gram, &pass.gram, context.revivals);
            if !dead.is_empty() {
                let residuals = Residuals { map: &pass.map, gram: pass.gram.view(), squares };
                let worst = residuals.largest(context.samples, context.weights, dead.len())?;
                for (&k, sample) in dead.iter().zip(worst) {
                    let direction =
                        revive::residual_direction(context.samples, sample, context.weights, &pass.map)?;
                    let direction = self.rule.prepare_start(context.space.leave(&direction));
                    if direction.iter().all(|&v| v == T::from_f64(0.0)) {
                        continue;
                    }
                    components.slice_mut(s![k..=k, ..]).assign(&direction);
                    context.weights.column_mut(k).fill(T::from_f64(0.0));
                    revived.push(k);
                }
                if !revived.is_empty() {
                    let previous = pass;
                    pass = self.prepare_pass(components, context.space, context.samples.is_sparse());
                    self.recycle_pass(previous);
                }
            }
        }
        let active_fraction = sums.active as f64 / context.weights.len().max(1) as f64;
        let loss = loss + self.rule.penalty(pass.gram.view(), context.stage, squares);
        self.moments.give(moments);
        self.workspace.sums.give(sums);
        Ok(ComponentUpdate { pass, loss, active_fraction, revived })
    }
}

/// Maps Xᵀ·Y back to the space of the features.
fn to_sample_space<T: Real>(into: &mut Array2<T>, products: ArrayView2<'_, T>, space: &Space<T>) {
    match space.basis() {
        None => into.assign(&products),
        Some(basis) => multiply_wide(into.view_mut(), products, basis.view()),
    }
}

/// If all values are smaller than this, their squares underflow.
fn min_magnitude<T: Real>() -> f64 {
    (T::SMALLEST.as_f64() / T::EPSILON.as_f64()).sqrt()
}
