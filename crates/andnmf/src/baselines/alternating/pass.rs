//! One pass of a squared-error method as a query: updates the weights of all samples and accumulates the sums for the
//! component update.

use ndarray::{Array2, ArrayViewMut2, CowArray, Ix2, s};

use super::weights::WeightProblem;
use crate::linalg::linear_map::LinearMap;
#[cfg(test)]
use crate::linalg::product::gram_of_rows;
use crate::linalg::product::{frobenius, matrix_in};
use crate::linalg::product_accumulator::ProductAccumulator;
use crate::linalg::weighted_sums::{SumBuffers, WeightedSums};
use crate::pool::{Pool, Slot};
#[cfg(test)]
use crate::query::testing::{ExampleCheck, values};
use crate::query::{
    MaybeOwned, Part, Partial, Query, Sums, Wire, WireError, WireReader, WireWriter, check_shape,
    same_length, wire, write_matrix,
};
use crate::samples::Block;
use crate::samples::fold::{FoldPlan, fold_with_rows};
use crate::{Real, SamplesError};

/// The update rule of the weights for fixed components.
pub(crate) trait WeightRule<T: Real>: Wire + Copy + Send + Sync {
    /// The query name of passes with this rule.
    const QUERY: &'static str;
    /// A rule to test passes with.
    #[cfg(test)]
    const EXAMPLE: Self;
    /// Scratch buffers of one thread for a block.
    type Buffers: Default + Send;

    /// Updates the weights (samples × rank).
    fn update(
        &self,
        problem: &WeightProblem<'_, T>,
        weights: ArrayViewMut2<'_, T>,
        buffers: &mut Self::Buffers,
    );
}

/// Updates the weights of all samples and accumulates the sums for the component update.
pub(crate) struct WeightPass<'a, T: Real, R: WeightRule<T>> {
    pub(crate) rule: R,
    /// y ↦ A·y, in the space of the samples.
    pub(crate) map: MaybeOwned<'a, LinearMap<T>>,
    /// A·Aᵀ.
    pub(crate) gram: CowArray<'a, T, Ix2>,
    /// The weights of the last pass, if any.
    pub(crate) last: Option<CowArray<'a, T, Ix2>>,
    /// Also compute the norms of the samples.
    pub(crate) measure: bool,
    pub(crate) workspace: MaybeOwned<'a, PassWorkspace<T, R::Buffers>>,
}

/// Memory reused from pass to pass.
#[derive(Debug)]
pub(crate) struct PassWorkspace<T: Real, B> {
    /// Scratch buffers of the rule.
    pub(super) rule_buffers: Pool<B>,
    buffers: Pool<PassBuffers<T>>,
    /// Discarded sums, for reuse.
    pub(super) sums: Pool<GramSums<T>>,
    /// Discarded weights, for reuse.
    pub(super) weights: Slot<Array2<T>>,
}

impl<T: Real, B> Default for PassWorkspace<T, B> {
    fn default() -> Self {
        Self {
            rule_buffers: Pool::default(),
            buffers: Pool::default(),
            sums: Pool::default(),
            weights: Slot::default(),
        }
    }
}

#[derive(Debug)]
struct PassBuffers<T> {
    products: Vec<T>,
    sums: SumBuffers<T>,
}

impl<T> Default for PassBuffers<T> {
    fn default() -> Self {
        Self { products: Vec::new(), sums: SumBuffers::default() }
    }
}

/// The result of [`WeightPass`].
pub(crate) struct WeightPassResult<T: Real> {
    /// The new weights, samples × rank.
    pub(crate) weights: Array2<T>,
    pub(crate) sums: GramSums<T>,
}

/// The sums of a pass.
#[derive(Debug)]
pub(crate) struct GramSums<T: Real> {
    pub(crate) sums: WeightedSums<T>,
    /// ‖Y‖², if requested.
    pub(crate) squares: f64,
    /// The largest magnitude of a value, if requested.
    pub(crate) largest: f64,
    /// Number of non-zero weights.
    pub(crate) active: u64,
}

wire!(impl [T: Real] GramSums<T> { sums, squares, largest, active });

impl<T: Real> GramSums<T> {
    fn add(&mut self, other: &Self) {
        self.sums.merge(&other.sums);
        self.squares += other.squares;
        self.largest = self.largest.max(other.largest);
        self.active += other.active;
    }
}

impl<T: Real> Sums for GramSums<T> {
    fn merge(&mut self, next: Self) -> Result<(), WireError> {
        let (left, right) = (self.sums.products(), next.sums.products());
        same_length(left.dim(), right.dim(), left.len(), right.len())?;
        self.add(&next);
        Ok(())
    }
}

impl<T: Real> Partial for WeightPassResult<T> {
    type Sums = GramSums<T>;

    fn split(self, rows: &mut WireWriter) -> GramSums<T> {
        rows.rows(self.weights.view());
        self.sums
    }

    fn join(sums: GramSums<T>, rows: &mut WireReader<'_>, n_samples: usize) -> Result<Self, WireError> {
        Ok(Self { weights: rows.all_rows(n_samples)?, sums })
    }
}

impl<T: Real, R: WeightRule<T>> WeightPass<'_, T, R> {
    fn new_sums(&self, width: usize, sparse: bool) -> GramSums<T> {
        let rank = self.gram.nrows();
        let sums = match self.workspace.sums.take() {
            Some(GramSums { mut sums, .. })
                if sums.products().dim() == (rank, width) && sums.is_for_sparse() == sparse =>
            {
                sums.clear();
                sums
            }
            _ => WeightedSums::new(rank, width, sparse),
        };
        GramSums { sums, squares: 0.0, largest: 0.0, active: 0 }
    }

    /// Updates the weights of a block, which hold those of the last pass, and adds the block to the sums.
    fn block(&self, sums: &mut GramSums<T>, rows: &Block<'_, T>, mut weights: ArrayViewMut2<'_, T>) {
        self.workspace.buffers.lend(|PassBuffers { products, sums: sum_buffers }| {
            let mut products = matrix_in(products, weights.dim());
            self.map.apply(rows, products.view_mut());
            let first = self.last.is_none();
            let problem = WeightProblem { gram: self.gram.view(), products: products.view(), first };
            self.workspace
                .rule_buffers
                .lend(|buffers| self.rule.update(&problem, weights.view_mut(), buffers));
            let active = weights.iter().filter(|&&v| v != T::from_f64(0.0)).count() as u64;
            sums.sums.add(rows, weights.view(), active, sum_buffers);
            if self.measure {
                let (squares, largest) = norms(rows);
                sums.squares += squares;
                sums.largest = sums.largest.max(largest);
            }
            sums.active += active;
        });
    }
}

impl<T: Real, R: WeightRule<T>> Query<T> for WeightPass<'_, T, R> {
    const NAME: &'static str = R::QUERY;
    const RETURNS_ROWS: bool = true;
    type Partial = WeightPassResult<T>;
    type Error = SamplesError;

    fn write(&self, to: &mut WireWriter) {
        self.rule.write(to);
        write_matrix(self.map.matrix(), to);
        self.gram.write(to);
        self.last.is_some().write(to);
        self.measure.write(to);
    }

    fn write_rows(&self, to: &mut WireWriter) {
        if let Some(last) = &self.last {
            to.rows(last.view());
        }
    }

    fn read(
        from: &mut WireReader<'_>,
        rows: &mut WireReader<'_>,
        part: &Part<'_, T>,
    ) -> Result<Self, WireError> {
        let rule = Wire::read(from)?;
        let map = LinearMap::new(Wire::read(from)?, part.samples.is_sparse());
        let gram: CowArray<'_, T, Ix2> = Wire::read(from)?;
        let last = match bool::read(from)? {
            true => Some(rows.matrix(part.samples.n_samples(), gram.nrows())?.into()),
            false => None,
        };
        let measure = Wire::read(from)?;
        Ok(Self { rule, map: MaybeOwned::Owned(map), gram, last, measure, workspace: MaybeOwned::default() })
    }

    fn check(&self, part: &Part<'_, T>) -> Result<(), SamplesError> {
        let (n, features, rank) = (part.samples.n_samples(), part.samples.n_features(), self.gram.nrows());
        check_shape("the Gram matrix", self.gram.dim(), (rank, rank), part)?;
        check_shape("the matrix of components", self.map.matrix().dim(), (rank, features), part)?;
        let last = self.last.as_ref().map_or((n, rank), |last| last.dim());
        check_shape("the matrix of weights", last, (n, rank), part)
    }

    fn run(&self, part: &Part<'_, T>) -> Result<WeightPassResult<T>, SamplesError> {
        let (samples, rank) = (part.samples, self.gram.nrows());
        let (width, sparse) = (samples.n_features(), samples.is_sparse());
        let shape = (samples.n_samples(), rank);
        let reused = self.workspace.weights.take().filter(|weights| weights.dim() == shape);
        let mut weights = reused.unwrap_or_else(|| Array2::zeros(shape));
        let sums = fold_with_rows(
            samples,
            &FoldPlan::new(samples, ProductAccumulator::<T>::size(rank, width, sparse)),
            weights.view_mut(),
            &|| self.new_sums(width, sparse),
            &|sums: &mut GramSums<T>, first, rows, mut weights| {
                match &self.last {
                    Some(last) => weights.assign(&last.slice(s![first..first + rows.n_samples(), ..])),
                    None => weights.fill(T::from_f64(0.0)),
                }
                self.block(sums, &rows, weights);
                Ok::<(), SamplesError>(())
            },
            &|left, right| {
                left.add(&right);
                self.workspace.sums.give(right);
            },
        )?;
        Ok(WeightPassResult { weights, sums })
    }

    fn accepts(&self, partial: &WeightPassResult<T>, part: &Part<'_, T>) -> bool {
        let rank = self.gram.nrows();
        partial.weights.dim() == (part.samples.n_samples(), rank)
            && partial.sums.sums.products().dim() == (rank, part.samples.n_features())
    }

    #[cfg(test)]
    fn examples(check: &mut ExampleCheck<T>) {
        for last in [None, Some(check.weights())] {
            let components = check.components();
            let query = WeightPass {
                rule: R::EXAMPLE,
                gram: gram_of_rows(components.view()).into(),
                map: MaybeOwned::Owned(LinearMap::new(components, check.is_sparse())),
                last: last.map(CowArray::from),
                measure: true,
                workspace: MaybeOwned::default(),
            };
            check.check(&query, |WeightPassResult { weights, sums }| {
                let sizes = vec![sums.squares, sums.largest, sums.active as f64];
                let products = sums.sums.products().iter().map(|v| v.as_f64()).collect();
                [values(weights), products, values(&sums.sums.gram()), sizes].concat()
            });
        }
    }
}

/// ‖Y‖² and the largest magnitude of a block.
fn norms<T: Real>(block: &Block<'_, T>) -> (f64, f64) {
    let largest = |values: &[T]| values.iter().fold(0.0, |top: f64, v| top.max(v.as_f64().abs()));
    let mut norms = (0.0, 0.0_f64);
    match block {
        Block::Dense(rows) => {
            norms.0 = frobenius(rows.view()).powi(2);
            norms.1 =
                rows.outer_iter().fold(0.0, |top, row| top.max(largest(row.to_slice().expect("row-major"))));
        }
        Block::Sparse(rows) => {
            let mut features = Vec::new();
            for i in 0..rows.n_samples() {
                let values = rows.row_parts(i, &mut features);
                norms.0 += values.iter().map(|v| v.as_f64().powi(2)).sum::<f64>();
                norms.1 = norms.1.max(largest(values));
            }
        }
    }
    norms
}
