//! What the methods for the squared error ‖Y − X·A‖² share.
//!
//! Both halves of an alternation need the samples only through products: the weights through Y·Aᵀ and A·Aᵀ, the
//! components through Xᵀ·Y and Xᵀ·X. The residual is never formed, and the loss follows from the same numbers.

use std::sync::OnceLock;

use ndarray::{Array2, ArrayView2, s};

use super::moments::{Moments, loss};
use super::pass::{GramSums, PassWorkspace, WeightPass, WeightRule};
use super::revive::{self, Residuals};
use super::{Alternation, Now, Renewed, Settings};
use crate::compression::Space;
use crate::linalg::product::{Parts, gram_of_rows, gram_of_rows_into, multiply_wide};
use crate::linalg::row_map::RowMap;
use crate::pool::Pool;
use crate::query::{self, MaybeOwned};
use crate::samples::Samples;
use crate::{FitError, Real};

/// How a method renews weights and components from products.
pub(in crate::baselines) trait GramRule<T: Real>: Sync + Sized {
    /// The name of the method.
    const METHOD: &'static str;
    /// Whether components that have come to nothing get a new direction. Their weights are then zero, so the
    /// rule must be one that can leave zero.
    const REVIVES: bool;
    /// How weights are renewed.
    type Weights: WeightRule<T>;

    fn settings(&self) -> Settings;

    fn weight_rule(&self) -> Self::Weights;

    /// The start as the rule can use it.
    fn admit(&self, start: Array2<T>) -> Array2<T> {
        if self.settings().signed {
            start
        } else {
            start.mapv_into(|v| if v > T::from_f64(0.0) { v } else { T::from_f64(0.0) })
        }
    }

    /// Writes the new components to `next`.
    ///
    /// # Errors
    /// Where numbers leave the range of the type.
    fn components(
        &self,
        next: &mut Array2<T>,
        moments: &mut Moments<T>,
        now: &Array2<T>,
        buffers: &Pool<RuleBuffers<T, Self>>,
    ) -> Result<(), FitError>;

    /// What the rule minimises besides the squared error, in this stage, for components with this Gram matrix and
    /// samples with this sum of squares.
    fn penalty(&self, _gram: ArrayView2<'_, T>, _stage: usize, _squares: f64) -> f64 {
        0.0
    }
}

/// What one thread needs for a block of samples, or of features.
type RuleBuffers<T, R> = <<R as GramRule<T>>::Weights as WeightRule<T>>::Buffers;

/// A rule with what it needs to run as an [`Alternation`].
pub(in crate::baselines) struct GramMethod<T: Real, R: GramRule<T>> {
    rule: R,
    /// What earlier stages no longer need, for the later ones.
    workspace: PassWorkspace<T, RuleBuffers<T, R>>,
    passes: Pool<GramPass<T>>,
    moments: Pool<Moments<T>>,
    /// Parts of sums: Gram matrices, and components in a smaller space.
    gram_parts: Parts<T>,
    entered_parts: Parts<T>,
    /// ‖Y‖², known after the first pass.
    squares: OnceLock<f64>,
}

impl<T: Real, R: GramRule<T>> GramMethod<T, R> {
    pub(in crate::baselines) fn new(rule: R) -> Self {
        Self {
            rule,
            workspace: PassWorkspace::default(),
            passes: Pool::default(),
            moments: Pool::default(),
            gram_parts: Parts::default(),
            entered_parts: Parts::default(),
            squares: OnceLock::new(),
        }
    }
}

/// What a pass needs to know of the components.
pub(in crate::baselines) struct GramPass<T: Real> {
    /// y ↦ A·y, in the space of the samples.
    map: RowMap<T>,
    /// A·Aᵀ, in the space of the samples.
    gram: Array2<T>,
}

impl<T: Real, R: GramRule<T>> Alternation<T> for GramMethod<T, R> {
    const METHOD: &'static str = R::METHOD;
    type Pass = GramPass<T>;
    type Sums = GramSums<T>;

    fn settings(&self) -> Settings {
        self.rule.settings()
    }

    fn admit(&self, start: Array2<T>) -> Array2<T> {
        self.rule.admit(start)
    }

    fn prepare(&self, components: &Array2<T>, space: &Space<T>, sparse: bool) -> GramPass<T> {
        let Some(GramPass { mut map, mut gram }) = self.passes.take() else {
            let map = RowMap::new(space.enter(components), sparse);
            return GramPass { map, gram: gram_of_rows(components.view()) };
        };
        gram_of_rows_into(&mut gram, components.view(), &self.gram_parts);
        map.renew(|matrix| space.enter_into(matrix, components, &self.entered_parts));
        GramPass { map, gram }
    }

    fn take_back(&self, pass: GramPass<T>) {
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

    fn renew(&self, sums: GramSums<T>, now: Now<'_, T>) -> Result<Renewed<T, Self>, FitError> {
        if self.squares.get().is_none() && sums.largest > 0.0 && sums.largest < smallest_size::<T>() {
            return Err(FitError::Overflow { stage: now.stage });
        }
        let squares = *self.squares.get_or_init(|| sums.squares);
        let (rank, features) = now.components.dim();
        let mut moments = self.moments.take().unwrap_or_else(|| Moments::zeros(rank, features));
        (moments.stage, moments.squares) = (now.stage, squares);
        sums.sums.copy_gram(&mut moments.gram);
        to_sample_space(&mut moments.products, sums.sums.products(), now.space);
        let components = now.next;
        self.rule.components(components, &mut moments, now.components, &self.workspace.of_rule)?;
        let mut pass = self.prepare(components, now.space, now.samples.is_sparse());
        let loss = loss(squares, &moments, components.view(), pass.gram.view());
        let mut revived = Vec::new();
        if R::REVIVES {
            let dead = revive::dead(&moments.gram, &pass.gram, now.revivals);
            if !dead.is_empty() {
                let residuals = Residuals { map: &pass.map, gram: pass.gram.view(), squares };
                let found = residuals.largest(now.samples, now.weights, dead.len())?;
                for (&k, sample) in dead.iter().zip(found) {
                    let direction = revive::direction(now.samples, sample, now.weights, &pass.map)?;
                    let direction = self.rule.admit(now.space.leave(&direction));
                    if direction.iter().all(|&v| v == T::from_f64(0.0)) {
                        continue;
                    }
                    components.slice_mut(s![k..=k, ..]).assign(&direction);
                    now.weights.column_mut(k).fill(T::from_f64(0.0));
                    revived.push(k);
                }
                if !revived.is_empty() {
                    let over = pass;
                    pass = self.prepare(components, now.space, now.samples.is_sparse());
                    self.take_back(over);
                }
            }
        }
        let active_fraction = sums.active as f64 / now.weights.len().max(1) as f64;
        let loss = loss + self.rule.penalty(pass.gram.view(), now.stage, squares);
        self.moments.give(moments);
        self.workspace.sums.give(sums);
        Ok(Renewed { pass, loss, active_fraction, revived })
    }
}

/// Xᵀ·Y in the space of the samples' features.
fn to_sample_space<T: Real>(into: &mut Array2<T>, products: ArrayView2<'_, T>, space: &Space<T>) {
    match space.basis() {
        None => into.assign(&products),
        Some(basis) => multiply_wide(into.view_mut(), products, basis.view()),
    }
}

/// Samples without any value of at least this size have squares that the type can hardly tell from zero.
fn smallest_size<T: Real>() -> f64 {
    (T::SMALLEST.as_f64() / T::EPSILON.as_f64()).sqrt()
}
