//! One pass of a squared-error method as a query: new weights of all samples, and the sums that renew the components.

use ndarray::{Array2, ArrayViewMut2, CowArray, Ix2, s};

use super::weights::WeightProblem;
use crate::linalg::product::{frobenius, matrix_in};
use crate::linalg::products::Products;
use crate::linalg::row_map::RowMap;
use crate::linalg::weighted_sums::{SumBuffers, WeightedSums};
use crate::pool::{Pool, Slot};
use crate::query::{
    MaybeOwned, Part, Partial, Query, Sums, Wire, WireError, WireReader, WireWriter, check_shape,
    same_length, wire, write_matrix,
};
use crate::samples::Block;
use crate::samples::fold::{FoldPlan, fold_with_rows};
use crate::{Real, SamplesError};

/// How a method renews the weights of samples under fixed components.
pub(crate) trait WeightRule<T: Real>: Wire + Copy + Send + Sync {
    /// Identifies passes with this rule in requests.
    const QUERY: &'static str;
    /// What one thread needs for a block.
    type Buffers: Default + Send;

    /// Renews the weights (samples × rank).
    fn update(
        &self,
        problem: &WeightProblem<'_, T>,
        weights: ArrayViewMut2<'_, T>,
        buffers: &mut Self::Buffers,
    );
}

/// Renews the weights of all samples and sums up what the components need.
pub(crate) struct WeightPass<'a, T: Real, R: WeightRule<T>> {
    pub(crate) rule: R,
    /// y ↦ A·y, in the space of the samples.
    pub(crate) map: MaybeOwned<'a, RowMap<T>>,
    /// A·Aᵀ.
    pub(crate) gram: CowArray<'a, T, Ix2>,
    /// The weights of the last pass, if there was one.
    pub(crate) last: Option<CowArray<'a, T, Ix2>>,
    /// Whether to measure the samples, too.
    pub(crate) measure: bool,
    pub(crate) workspace: MaybeOwned<'a, PassWorkspace<T, R::Buffers>>,
}

/// Memory that passes keep for the next one.
#[derive(Debug)]
pub(crate) struct PassWorkspace<T: Real, B> {
    /// What the rule needs for a block.
    pub(super) of_rule: Pool<B>,
    buffers: Pool<Buffers<T>>,
    /// Sums that are no longer needed.
    pub(super) sums: Pool<GramSums<T>>,
    /// Weights that are no longer needed.
    pub(super) weights: Slot<Array2<T>>,
}

impl<T: Real, B> Default for PassWorkspace<T, B> {
    fn default() -> Self {
        Self {
            of_rule: Pool::default(),
            buffers: Pool::default(),
            sums: Pool::default(),
            weights: Slot::default(),
        }
    }
}

#[derive(Debug)]
struct Buffers<T> {
    products: Vec<T>,
    sums: SumBuffers<T>,
}

impl<T> Default for Buffers<T> {
    fn default() -> Self {
        Self { products: Vec::new(), sums: SumBuffers::default() }
    }
}

/// What a [`WeightPass`] finds.
pub(crate) struct Passed<T: Real> {
    /// The new weights, samples × rank.
    pub(crate) weights: Array2<T>,
    pub(crate) sums: GramSums<T>,
}

/// The sums of a pass.
#[derive(Debug)]
pub(crate) struct GramSums<T: Real> {
    pub(crate) sums: WeightedSums<T>,
    /// ‖Y‖², where samples are measured…
    pub(crate) squares: f64,
    /// …and the largest value by magnitude.
    pub(crate) largest: f64,
    /// Weights that are not zero.
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

impl<T: Real> Partial for Passed<T> {
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

    /// Renews the weights of a block, which come as the last pass left them, and adds the block to the sums.
    fn block(&self, sums: &mut GramSums<T>, rows: &Block<'_, T>, mut weights: ArrayViewMut2<'_, T>) {
        self.workspace.buffers.lend(|Buffers { products, sums: sum_buffers }| {
            let mut products = matrix_in(products, weights.dim());
            self.map.apply(rows, products.view_mut());
            let first = self.last.is_none();
            let problem = WeightProblem { gram: self.gram.view(), products: products.view(), first };
            self.workspace.of_rule.lend(|buffers| self.rule.update(&problem, weights.view_mut(), buffers));
            let active = weights.iter().filter(|&&v| v != T::from_f64(0.0)).count() as u64;
            sums.sums.add(rows, weights.view(), active, sum_buffers);
            if self.measure {
                let (squares, largest) = sizes(rows);
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
    type Partial = Passed<T>;
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
        let map = RowMap::new(Wire::read(from)?, part.samples.is_sparse());
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

    fn run(&self, part: &Part<'_, T>) -> Result<Passed<T>, SamplesError> {
        let (samples, rank) = (part.samples, self.gram.nrows());
        let (width, sparse) = (samples.n_features(), samples.is_sparse());
        let shape = (samples.n_samples(), rank);
        let kept = self.workspace.weights.take().filter(|weights| weights.dim() == shape);
        let mut weights = kept.unwrap_or_else(|| Array2::zeros(shape));
        let sums = fold_with_rows(
            samples,
            &FoldPlan::new(samples, Products::<T>::size(rank, width, sparse)),
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
        Ok(Passed { weights, sums })
    }

    fn accepts(&self, partial: &Passed<T>, part: &Part<'_, T>) -> bool {
        let rank = self.gram.nrows();
        partial.weights.dim() == (part.samples.n_samples(), rank)
            && partial.sums.sums.products().dim() == (rank, part.samples.n_features())
    }
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
