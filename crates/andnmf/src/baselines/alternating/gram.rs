//! What the methods for the squared error ‖Y − X·A‖² share.
//!
//! Both halves of an alternation need the samples only through products: the weights through Y·Aᵀ and A·Aᵀ, the
//! components through Xᵀ·Y and Xᵀ·X. The residual is never formed, and the loss follows from the same numbers.

use std::sync::OnceLock;

use ndarray::{Array2, ArrayView2, ArrayViewMut2, s};

use super::moments::{Moments, loss};
use super::revive::{self, Residuals};
use super::weights::WeightProblem;
use super::{Alternation, BlockAt, Now, Renewed, Settings};
use crate::compression::Space;
use crate::elsewhere::{Question, ask};
use crate::linalg::coordinates::project;
use crate::linalg::product::{
    Parts, frobenius, gram_add_lower, gram_of_rows, gram_of_rows_into, matrix_in, multiply_wide,
};
use crate::linalg::row_map::RowMap;
use crate::linalg::sketch::combinations;
use crate::linalg::weighted_sums::{SumBuffers, WeightedSums};
use crate::pool::Pool;
use crate::samples::fold::{FoldPlan, fold_with_rows};
use crate::samples::{Block, DenseSamples, Samples};
use crate::{FitError, Real, SamplesError};

/// How a method renews weights and components from products.
pub(in crate::baselines) trait GramRule<T: Real>: Sync {
    /// The name of the method.
    const METHOD: &'static str;
    /// Whether components that have come to nothing get a new direction. Their weights are then zero, so the
    /// rule must be one that can leave zero.
    const REVIVES: bool;
    /// What one thread needs for a block.
    type Buffers: Default + Send;

    fn settings(&self) -> Settings;

    /// The start as the rule can use it.
    fn admit(&self, start: Array2<T>) -> Array2<T> {
        if self.settings().signed {
            start
        } else {
            start.mapv_into(|v| if v > T::from_f64(0.0) { v } else { T::from_f64(0.0) })
        }
    }

    /// Renews the weights (samples × rank) given `gram` = A·Aᵀ and `products` = Y·Aᵀ.
    fn weights(
        &self,
        problem: &WeightProblem<'_, T>,
        weights: ArrayViewMut2<'_, T>,
        buffers: &mut Self::Buffers,
    );

    /// Writes the new components to `next`.
    ///
    /// # Errors
    /// Where numbers leave the range of the type.
    fn components(
        &self,
        next: &mut Array2<T>,
        moments: &mut Moments<T>,
        now: &Array2<T>,
        buffers: &Pool<Self::Buffers>,
    ) -> Result<(), FitError>;

    /// What the rule minimises besides the squared error, in this stage, for components with this Gram matrix and
    /// samples with this sum of squares.
    fn penalty(&self, _gram: ArrayView2<'_, T>, _stage: usize, _squares: f64) -> f64 {
        0.0
    }
}

/// A rule with what it needs to run as an [`Alternation`].
pub(in crate::baselines) struct GramMethod<T: Real, R: GramRule<T>> {
    rule: R,
    of_rule: Pool<R::Buffers>,
    buffers: Pool<Buffers<T>>,
    /// What earlier stages no longer need, for the later ones.
    sums: Pool<GramSums<T>>,
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
            of_rule: Pool::default(),
            buffers: Pool::default(),
            sums: Pool::default(),
            passes: Pool::default(),
            moments: Pool::default(),
            gram_parts: Parts::default(),
            entered_parts: Parts::default(),
            squares: OnceLock::new(),
        }
    }
}

struct Buffers<T> {
    products: Vec<T>,
    sums: SumBuffers<T>,
}

impl<T> Default for Buffers<T> {
    fn default() -> Self {
        Self { products: Vec::new(), sums: SumBuffers::default() }
    }
}

/// What a pass needs to know of the components.
pub(in crate::baselines) struct GramPass<T: Real> {
    /// y ↦ A·y, in the space of the samples.
    map: RowMap<T>,
    /// A·Aᵀ, in the space of the samples.
    gram: Array2<T>,
}

pub(in crate::baselines) struct GramSums<T: Real> {
    sums: WeightedSums<T>,
    /// ‖Y‖², summed in the first pass only…
    squares: f64,
    /// …and the largest value by magnitude.
    largest: f64,
    active: u64,
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

    fn new_sums(&self, width: usize, sparse: bool) -> GramSums<T> {
        if let Some(GramSums { mut sums, .. }) = self.sums.take() {
            sums.clear();
            return GramSums { sums, squares: 0.0, largest: 0.0, active: 0 };
        }
        let rank = self.settings().limits.rank;
        GramSums { sums: WeightedSums::new(rank, width, sparse), squares: 0.0, largest: 0.0, active: 0 }
    }

    fn block(
        &self,
        pass: &GramPass<T>,
        sums: &mut GramSums<T>,
        block: &BlockAt<'_, T>,
        mut weights: ArrayViewMut2<'_, T>,
    ) -> Result<(), FitError> {
        self.buffers.lend(|Buffers { products, sums: sum_buffers }| {
            let mut products = matrix_in(products, weights.dim());
            pass.map.apply(&block.rows, products.view_mut());
            let (gram, first) = (pass.gram.view(), block.first);
            let problem = WeightProblem { gram, products: products.view(), first };
            self.of_rule.lend(|buffers| self.rule.weights(&problem, weights.view_mut(), buffers));
            let active = weights.iter().filter(|&&v| v != T::from_f64(0.0)).count() as u64;
            sums.sums.add(&block.rows, weights.view(), active, sum_buffers);
            if self.squares.get().is_none() {
                let (squares, largest) = sizes(&block.rows);
                sums.squares += squares;
                sums.largest = sums.largest.max(largest);
            }
            sums.active += active;
        });
        Ok(())
    }

    fn merge(&self, into: &mut GramSums<T>, other: GramSums<T>) {
        into.sums.merge(&other.sums);
        into.squares += other.squares;
        into.largest = into.largest.max(other.largest);
        into.active += other.active;
        self.sums.give(other);
    }

    fn ask(
        &self,
        pass: &GramPass<T>,
        samples: &dyn Samples<T>,
        first: bool,
        weights: &mut Array2<T>,
    ) -> Result<Option<GramSums<T>>, FitError> {
        // The products with the components come here, the weights go there: each a row per sample.
        let products = project(samples, pass.map.matrix())?;
        let products = DenseSamples::new(products).map_err(|_| FitError::Overflow { stage: 0 })?;
        let plan = FoldPlan::new(&products, 1);
        let active = fold_with_rows(
            &products,
            &plan,
            weights.view_mut(),
            &|| 0,
            &|active: &mut u64, _, block, mut weights| {
                let Block::Dense(products) = &block else { return Ok(()) };
                let problem = WeightProblem { gram: pass.gram.view(), products: products.view(), first };
                self.of_rule.lend(|buffers| self.rule.weights(&problem, weights.view_mut(), buffers));
                *active += weights.iter().filter(|&&v| v != T::from_f64(0.0)).count() as u64;
                Ok::<(), SamplesError>(())
            },
            &|left, right| *left += right,
        )?;
        let mut gram = Array2::zeros((weights.ncols(), weights.ncols()));
        gram_add_lower(gram.view_mut(), weights.view());
        let sums = WeightedSums::from_parts(combinations(samples, weights.view())?, gram);
        let (mut squares, mut largest) = (0.0, 0.0);
        if self.squares.get().is_none() {
            let lengths = ask(samples, &Question::Sizes)?.map(|answer| answer.sizes.column(1).to_owned());
            for length in lengths.into_iter().flatten() {
                squares += length * length;
                largest = f64::max(largest, length);
            }
        }
        Ok(Some(GramSums { sums, squares, largest, active }))
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
        self.rule.components(components, &mut moments, now.components, &self.of_rule)?;
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
        self.sums.give(sums);
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

/// ‖Y‖² of a block, and its largest value by magnitude.
fn sizes<T: Real>(block: &Block<'_, T>) -> (f64, f64) {
    let largest = |values: &[T]| values.iter().fold(0.0, |top: f64, v| top.max(v.as_f64().abs()));
    let mut sizes = (0.0, 0.0_f64);
    match block {
        Block::Dense(rows) => {
            sizes.0 = frobenius(rows.view()).powi(2);
            sizes.1 =
                rows.outer_iter().fold(0.0, |top, row| top.max(largest(row.to_slice().expect("row-major"))));
        }
        Block::Sparse(rows) => {
            let mut features = Vec::new();
            for i in 0..rows.n_samples() {
                let values = rows.row_parts(i, &mut features);
                sizes.0 += values.iter().map(|v| v.as_f64().powi(2)).sum::<f64>();
                sizes.1 = sizes.1.max(largest(values));
            }
        }
    }
    sizes
}
