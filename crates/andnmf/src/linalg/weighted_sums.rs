//! Σ y zᵀ and Σ z zᵀ over blocks of samples y with weights z, of which many may be zero.

use ndarray::{Array2, ArrayView2};

use super::gather::{add_row_lists, scatter_row};
use super::product::{gram_add_lower, mirror_lower, multiply_add};
use crate::Real;
use crate::samples::{Block, CsrView};

/// With fewer active values than this share, sums run over the non-zeros instead of through the dense product
/// kernel, where the block lies in the second-level cache… (Both shares are estimates from the speeds of the
/// kernels: the benchmark shows the gain at 3 % active, the crossover itself was not searched for.)
const SPARSE_SHARE_NARROW: f64 = 0.25;
/// …and with fewer than this share where it does not.
const SPARSE_SHARE_WIDE: f64 = 0.06;
/// Values of a block that still count as narrow (512 KiB in double precision).
const NARROW_BLOCK: usize = 1 << 16;

/// The sums B = Σ y zᵀ and C = Σ z zᵀ over some samples.
#[derive(Debug, Clone)]
pub(crate) struct WeightedSums<T: Real> {
    products: Products<T>,
    /// C, of which only the lower triangle is filled.
    gram: Array2<T>,
}

/// B in the order that suits the samples.
#[derive(Debug, Clone)]
enum Products<T: Real> {
    /// rank × features: dense samples, whose rows are added to the rows of active components.
    ByComponent(Array2<T>),
    /// features × rank: sparse samples, each of whose values meets all weights of its sample.
    ByFeature(Array2<T>),
}

/// Buffers that one thread keeps from block to block.
#[derive(Debug)]
pub(crate) struct SumBuffers<T> {
    lists: ActiveLists<T>,
    features: Vec<usize>,
}

impl<T> Default for SumBuffers<T> {
    fn default() -> Self {
        Self { lists: ActiveLists::default(), features: Vec::new() }
    }
}

impl<T: Real> WeightedSums<T> {
    /// No samples yet.
    pub(crate) fn new(rank: usize, n_features: usize, for_sparse: bool) -> Self {
        let products = if for_sparse {
            Products::ByFeature(Array2::zeros((n_features, rank)))
        } else {
            Products::ByComponent(Array2::zeros((rank, n_features)))
        };
        Self { products, gram: Array2::zeros((rank, rank)) }
    }

    /// Sums that were worked out before: B as rank × features, and C.
    pub(crate) fn from_parts(products: Array2<T>, gram: Array2<T>) -> Self {
        Self { products: Products::ByComponent(products), gram }
    }

    /// Adds a block of samples with their weights (row-major, samples × rank), `active` of which are not zero.
    pub(crate) fn add(
        &mut self,
        block: &Block<'_, T>,
        z: ArrayView2<'_, T>,
        active: u64,
        buffers: &mut SumBuffers<T>,
    ) {
        let SumBuffers { lists, features } = buffers;
        let share = active as f64 / z.len().max(1) as f64;
        match (block, &mut self.products) {
            (Block::Dense(rows), Products::ByComponent(b)) => {
                let sparse_pays =
                    if rows.len() <= NARROW_BLOCK { SPARSE_SHARE_NARROW } else { SPARSE_SHARE_WIDE };
                if share < sparse_pays && rows.is_standard_layout() {
                    lists.collect(z);
                    let width = rows.ncols();
                    let rows = rows.as_slice().expect("just checked");
                    add_row_lists(b.as_slice_mut().expect("row-major"), width, rows, lists.iter());
                } else {
                    multiply_add(b.view_mut(), z.t(), rows.view(), T::from_f64(1.0));
                }
            }
            (Block::Sparse(rows), Products::ByFeature(b)) => add_sparse_rows(b, rows, z, features),
            (block, products) => add_in_foreign_order(products, block, z),
        }
        if share < SPARSE_SHARE_NARROW {
            add_gram_of_non_zeros(&mut self.gram, z);
        } else {
            gram_add_lower(self.gram.view_mut(), z);
        }
    }

    /// Adds the sums of other samples, which must be of the same shape.
    pub(crate) fn merge(&mut self, other: Self) {
        match (&mut self.products, other.products) {
            (Products::ByComponent(mine), Products::ByComponent(theirs))
            | (Products::ByFeature(mine), Products::ByFeature(theirs)) => *mine += &theirs,
            (Products::ByComponent(mine), Products::ByFeature(theirs))
            | (Products::ByFeature(mine), Products::ByComponent(theirs)) => *mine += &theirs.t(),
        }
        self.gram += &other.gram;
    }

    /// B, as rank × features.
    pub(crate) fn products(&self) -> ArrayView2<'_, T> {
        match &self.products {
            Products::ByComponent(b) => b.view(),
            Products::ByFeature(b) => b.t(),
        }
    }

    /// C, rank × rank.
    pub(crate) fn gram(&self) -> Array2<T> {
        let mut c = self.gram.clone();
        mirror_lower(&mut c);
        c
    }
}

/// B (features × rank) += Σ y zᵀ for sparse y: each stored value meets the non-zero weights of its sample.
fn add_sparse_rows<T: Real>(
    b: &mut Array2<T>,
    rows: &CsrView<'_, T>,
    z: ArrayView2<'_, T>,
    features: &mut Vec<usize>,
) {
    let rank = b.ncols();
    let b = b.as_slice_mut().expect("row-major");
    let zero = T::from_f64(0.0);
    let mut active: Vec<(usize, T)> = Vec::with_capacity(rank);
    for (i, z) in z.outer_iter().enumerate() {
        active.clear();
        active.extend(z.iter().copied().enumerate().filter(|&(_, v)| v != zero));
        if active.is_empty() {
            continue;
        }
        let values = rows.row_parts(i, features);
        // Single additions cost several times one lane of a vector addition.
        if active.len() * 6 < rank {
            for (&feature, &y) in features.iter().zip(values) {
                let b = &mut b[feature * rank..(feature + 1) * rank];
                for &(k, z) in &active {
                    b[k] += y * z;
                }
            }
        } else {
            scatter_row(b, z.to_slice().expect("row-major"), features, values);
        }
    }
}

/// The same sums where the order of B does not suit the block (dense and sparse blocks mixed in one fold).
fn add_in_foreign_order<T: Real>(products: &mut Products<T>, block: &Block<'_, T>, z: ArrayView2<'_, T>) {
    let mut b = match products {
        Products::ByComponent(b) => b.view_mut(),
        Products::ByFeature(b) => b.view_mut().reversed_axes(),
    };
    block.for_each(|i, feature, y| {
        for (k, &z) in z.row(i).iter().enumerate() {
            b[[k, feature]] += y * z;
        }
    });
}

/// C += Σ z zᵀ (lower triangle) from the non-zeros of each z.
fn add_gram_of_non_zeros<T: Real>(gram: &mut Array2<T>, z: ArrayView2<'_, T>) {
    let rank = gram.ncols();
    let gram = gram.as_slice_mut().expect("row-major");
    let zero = T::from_f64(0.0);
    let mut active: Vec<(usize, T)> = Vec::with_capacity(rank);
    for z in z.outer_iter() {
        active.clear();
        active.extend(z.iter().copied().enumerate().filter(|&(_, v)| v != zero));
        for (a, &(i, zi)) in active.iter().enumerate() {
            let row = &mut gram[i * rank..(i + 1) * rank];
            for &(j, zj) in &active[..=a] {
                row[j] += zi * zj;
            }
        }
    }
}

/// The active samples of each component with their weights.
#[derive(Debug)]
struct ActiveLists<T> {
    starts: Vec<usize>,
    samples: Vec<usize>,
    weights: Vec<T>,
}

impl<T> Default for ActiveLists<T> {
    fn default() -> Self {
        Self { starts: Vec::new(), samples: Vec::new(), weights: Vec::new() }
    }
}

impl<T: Real> ActiveLists<T> {
    /// Turns thresholded rows into one list per component (a counting sort by component).
    fn collect(&mut self, z: ArrayView2<'_, T>) {
        let zero = T::from_f64(0.0);
        let rank = z.ncols();
        self.starts.clear();
        self.starts.resize(rank + 1, 0);
        for row in z.outer_iter() {
            for (k, &v) in row.iter().enumerate() {
                self.starts[k + 1] += usize::from(v != zero);
            }
        }
        for k in 0..rank {
            self.starts[k + 1] += self.starts[k];
        }
        let total = self.starts[rank];
        self.samples.resize(total, 0);
        self.weights.resize(total, zero);
        for (i, row) in z.outer_iter().enumerate() {
            for (k, &v) in row.iter().enumerate() {
                if v != zero {
                    let place = self.starts[k];
                    self.samples[place] = i;
                    self.weights[place] = v;
                    self.starts[k] += 1;
                }
            }
        }
        // Each start now stands where the next list begins.
        self.starts.copy_within(0..rank, 1);
        self.starts[0] = 0;
    }

    fn iter(&self) -> impl Iterator<Item = (&[usize], &[T])> {
        self.starts.windows(2).map(|ends| (&self.samples[ends[0]..ends[1]], &self.weights[ends[0]..ends[1]]))
    }
}
