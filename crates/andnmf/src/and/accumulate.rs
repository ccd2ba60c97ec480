//! The inner loop of a stage: decode a block, threshold it while it is in cache, add it to the sums.

use ndarray::{Array2, ArrayView2};
use pulp::{Simd, WithSimd};

use super::decoder::{Decoder, hard_threshold};
use super::statistics::{DecodeStatistics, Products, StageStatistics};
use crate::Real;
use crate::linalg::gather::{add_row_lists, scatter_row};
use crate::linalg::product::{gram_add_lower, multiply_add};
use crate::samples::{Block, CsrView};

/// With fewer active values than this share, sums run over the non-zeros instead of through the dense product
/// kernel, where the block lies in the second-level cache… (Both shares are estimates from the speeds of the
/// kernels: the benchmark shows the gain at 3 % active, the crossover itself was not searched for.)
const SPARSE_SHARE_NARROW: f64 = 0.25;
/// …and with fewer than this share where it does not.
const SPARSE_SHARE_WIDE: f64 = 0.06;
/// Values of a block that still count as narrow (512 KiB in double precision).
const NARROW_BLOCK: usize = 1 << 16;

/// Buffers that one thread keeps from block to block.
#[derive(Debug)]
pub(crate) struct Scratch<T> {
    decoded: Vec<T>,
    lists: ActiveLists<T>,
    features: Vec<usize>,
    counts: Counts<T>,
}

impl<T> Default for Scratch<T> {
    fn default() -> Self {
        Self {
            decoded: Vec::new(),
            lists: ActiveLists::default(),
            features: Vec::new(),
            counts: Counts::default(),
        }
    }
}

pub(super) struct Accumulator<'a, T: Real> {
    pub(super) decoder: &'a Decoder<T>,
    pub(super) thresholds: &'a [T],
    pub(super) scratch: &'a mut Scratch<T>,
}

impl<T: Real> Accumulator<'_, T> {
    pub(super) fn add(self, sums: &mut StageStatistics<T>, block: &Block<'_, T>) {
        let (n, rank) = (block.n_samples(), self.thresholds.len());
        let Scratch { decoded, lists, features, counts } = self.scratch;
        decoded.resize(n * rank, T::from_f64(0.0));
        let mut z = ndarray::ArrayViewMut2::from_shape((n, rank), decoded).expect("sized just above");
        self.decoder.decode_into(block, z.view_mut());
        let active = counts.threshold(z.as_slice_mut().expect("row-major"), self.thresholds);
        counts.add_to(&mut sums.decoded);
        let z = z.view();

        let share = active as f64 / (n * rank).max(1) as f64;
        match (block, &mut sums.products) {
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
            add_gram_of_non_zeros(&mut sums.gram, z);
        } else {
            gram_add_lower(sums.gram.view_mut(), z);
        }
        sums.n_samples += n;
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

/// Decode statistics of one block, in the arithmetic of the block so that they vectorise.
#[derive(Debug)]
pub(super) struct Counts<T> {
    active: Vec<T>,
    negative: Vec<T>,
    negative_squares: Vec<T>,
    largest: Vec<T>,
}

impl<T> Default for Counts<T> {
    fn default() -> Self {
        Self { active: Vec::new(), negative: Vec::new(), negative_squares: Vec::new(), largest: Vec::new() }
    }
}

impl<T: Real> Counts<T> {
    /// Thresholds row-major decoded values in place and counts; returns how many passed.
    pub(super) fn threshold(&mut self, decoded: &mut [T], thresholds: &[T]) -> u64 {
        let (zero, rank) = (T::from_f64(0.0), thresholds.len());
        for counts in [&mut self.active, &mut self.negative, &mut self.negative_squares, &mut self.largest] {
            counts.clear();
            counts.resize(rank, zero);
        }
        pulp::Arch::new().dispatch(ThresholdRows { counts: self, decoded, thresholds });
        self.active.iter().map(|v| v.as_f64() as u64).sum()
    }

    pub(super) fn add_to(&self, total: &mut DecodeStatistics) {
        for k in 0..self.active.len() {
            // Counts of a block are exact up to 2²⁴ samples even in single precision; the engine's hold hundreds.
            total.active[k] += self.active[k].as_f64() as u64;
            total.negative[k] += self.negative[k].as_f64() as u64;
            total.negative_squares[k] += self.negative_squares[k].as_f64();
            total.largest[k] = total.largest[k].max(self.largest[k].as_f64());
        }
    }
}

/// The loop of [`Counts::threshold`], compiled for the vectors at hand.
struct ThresholdRows<'a, T> {
    counts: &'a mut Counts<T>,
    decoded: &'a mut [T],
    thresholds: &'a [T],
}

impl<T: Real> WithSimd for ThresholdRows<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let (zero, one, rank) = (T::from_f64(0.0), T::from_f64(1.0), self.thresholds.len());
        let Counts { active, negative, negative_squares, largest } = self.counts;
        let (active, negative) = (&mut active[..rank], &mut negative[..rank]);
        let (squares, largest) = (&mut negative_squares[..rank], &mut largest[..rank]);
        for row in self.decoded.chunks_exact_mut(rank) {
            for k in 0..rank {
                let (v, threshold) = (row[k], self.thresholds[k]);
                let below = if v < zero { v } else { zero };
                squares[k] += below * below;
                negative[k] += if v < zero { one } else { zero };
                largest[k] = if v > largest[k] { v } else { largest[k] };
                active[k] += if (v >= threshold) & (v > zero) { one } else { zero };
                row[k] = hard_threshold(v, threshold);
            }
        }
    }
}
