//! Accumulates Σ y zᵀ and Σ z zᵀ over blocks of samples y with weights z, many of which may be zero.

use ndarray::{Array2, ArrayView2, ArrayViewMut2};

use super::gather::add_row_lists;
use super::product::{gram_add_lower, mirror_lower};
use super::product_accumulator::ProductAccumulator;
use crate::Real;
use crate::query::{Wire, WireError, WireReader, WireWriter, same_length, write_matrix};
use crate::samples::Block;

/// Fraction of active (non-zero) weights below which sums run over the non-zeros instead of the dense product kernel,
/// if the block fits the L2 cache. (Both fractions are estimates from kernel speeds; the benchmark shows the gain at
/// 3 % active, the exact crossover was not determined.)
const SPARSE_SHARE_NARROW: f64 = 0.25;
/// The same if the block does not fit the L2 cache.
const SPARSE_SHARE_WIDE: f64 = 0.06;
/// The largest number of values of a narrow block (512 KiB in double precision).
const NARROW_BLOCK: usize = 1 << 16;

/// The sums B = Σ y zᵀ and C = Σ z zᵀ over some samples.
#[derive(Debug, Clone)]
pub(crate) struct WeightedSums<T: Real> {
    products: ProductAccumulator<T>,
    /// The lower triangle of C; the strict upper triangle is unspecified.
    gram: Array2<T>,
}

/// Scratch buffers that a thread reuses from block to block.
#[derive(Debug)]
pub(crate) struct SumBuffers<T> {
    active: ActiveWeights<T>,
    features: Vec<u32>,
}

impl<T> Default for SumBuffers<T> {
    fn default() -> Self {
        Self { active: ActiveWeights::default(), features: Vec::new() }
    }
}

impl<T: Real> WeightedSums<T> {
    /// Sums over no samples.
    pub(crate) fn new(rank: usize, n_features: usize, for_sparse: bool) -> Self {
        Self {
            products: ProductAccumulator::new(rank, n_features, for_sparse),
            gram: Array2::zeros((rank, rank)),
        }
    }

    /// Resets the sums to zero.
    pub(crate) fn clear(&mut self) {
        self.products.clear();
        self.gram.fill(T::from_f64(0.0));
    }

    /// Wraps sums that are already known: B as rank × features, and C.
    pub(crate) fn from_parts(products: Array2<T>, gram: Array2<T>) -> Self {
        Self { products: ProductAccumulator::ByComponent(products), gram }
    }

    /// Returns true if B has the layout for sparse samples.
    pub(crate) fn is_for_sparse(&self) -> bool {
        matches!(self.products, ProductAccumulator::ByFeature(_))
    }

    /// Adds a block of samples with their weights (row-major, samples × rank), `active` of which are not zero.
    pub(crate) fn add(
        &mut self,
        block: &Block<'_, T>,
        z: ArrayView2<'_, T>,
        active: u64,
        buffers: &mut SumBuffers<T>,
    ) {
        let SumBuffers { active: nonzeros, features } = buffers;
        let active_fraction = active as f64 / z.len().max(1) as f64;
        let sparse = active_fraction < SPARSE_SHARE_NARROW;
        if sparse {
            nonzeros.collect(z);
        }
        match (block, &mut self.products) {
            (Block::Dense(rows), ProductAccumulator::ByComponent(b))
                if sparse && active_fraction < sparse_share(rows.len()) && rows.is_standard_layout() =>
            {
                let (width, rank) = (rows.ncols(), z.ncols());
                let rows = rows.as_slice().expect("checked by the guard");
                let b = b.as_slice_mut().expect("row-major");
                add_row_lists(b, width, rows, nonzeros.by_component(rank));
            }
            (block, products) => products.add(block, z, features),
        }
        if sparse {
            nonzeros.add_gram(&mut self.gram);
        } else {
            gram_add_lower(self.gram.view_mut(), z);
        }
    }

    /// Adds the sums of other samples, which must have the same shape.
    pub(crate) fn merge(&mut self, other: &Self) {
        self.products.merge(&other.products);
        self.gram += &other.gram;
    }

    /// B, as rank × features.
    pub(crate) fn products(&self) -> ArrayView2<'_, T> {
        self.products.view()
    }

    /// B, as rank × features, for callers that reuse its memory.
    pub(crate) fn products_mut(&mut self) -> ArrayViewMut2<'_, T> {
        self.products.view_mut()
    }

    /// C, rank × rank.
    pub(crate) fn gram(&self) -> Array2<T> {
        let mut c = Array2::zeros(self.gram.dim());
        self.copy_gram(&mut c);
        c
    }

    /// Copies C to a matrix of its shape.
    pub(crate) fn copy_gram(&self, c: &mut Array2<T>) {
        c.assign(&self.gram);
        mirror_lower(c);
    }
}

/// The wire format has B as rank × features and all of C, whatever the layout.
impl<T: Real> Wire for WeightedSums<T> {
    fn write(&self, to: &mut WireWriter) {
        write_matrix(self.products(), to);
        self.gram().write(to);
    }

    fn read(from: &mut WireReader<'_>) -> Result<Self, WireError> {
        let (products, gram): (Array2<T>, Array2<T>) = (Wire::read(from)?, Wire::read(from)?);
        same_length(gram.dim(), (products.nrows(), products.nrows()), products.len(), gram.len())?;
        Ok(Self::from_parts(products, gram))
    }
}

/// The fraction of active weights below which sums over non-zeros are faster than the dense product.
fn sparse_share(values_in_block: usize) -> f64 {
    if values_in_block <= NARROW_BLOCK { SPARSE_SHARE_NARROW } else { SPARSE_SHARE_WIDE }
}

/// The non-zero weights of a block in CSR format, and on demand in CSC format.
#[derive(Debug)]
struct ActiveWeights<T> {
    /// The end of each sample's weights.
    ends: Vec<usize>,
    components: Vec<u32>,
    weights: Vec<T>,
    /// The same by component.
    starts: Vec<usize>,
    samples_of: Vec<usize>,
    weights_of: Vec<T>,
}

impl<T> Default for ActiveWeights<T> {
    fn default() -> Self {
        Self {
            ends: Vec::new(),
            components: Vec::new(),
            weights: Vec::new(),
            starts: Vec::new(),
            samples_of: Vec::new(),
            weights_of: Vec::new(),
        }
    }
}

impl<T: Real> ActiveWeights<T> {
    /// Collects the non-zero weights by sample.
    fn collect(&mut self, z: ArrayView2<'_, T>) {
        let Self { ends, components, weights, .. } = self;
        let (zero, rank) = (T::from_f64(0.0), z.ncols());
        ends.clear();
        let mut len = 0;
        for row in z.outer_iter() {
            if weights.len() < len + rank {
                components.resize(2 * (len + rank), 0);
                weights.resize(2 * (len + rank), zero);
            }
            // Branch-free compaction: write every weight and advance only past non-zeros. A branch would be
            // mispredicted too often.
            let (components, weights) = (&mut components[len..][..rank], &mut weights[len..][..rank]);
            let mut count = 0;
            for (k, &v) in row.to_slice().expect("row-major").iter().enumerate() {
                components[count] = k as u32;
                weights[count] = v;
                count += usize::from(v != zero);
            }
            len += count;
            ends.push(len);
        }
    }

    fn len(&self) -> usize {
        self.ends.last().copied().unwrap_or(0)
    }

    /// The components of each sample with their weights.
    fn by_sample(&self) -> impl Iterator<Item = (&[u32], &[T])> {
        let starts = std::iter::once(&0).chain(&self.ends);
        starts.zip(&self.ends).map(|(&start, &end)| (&self.components[start..end], &self.weights[start..end]))
    }

    /// The samples of each component with their weights, by a counting sort.
    fn by_component(&mut self, rank: usize) -> impl Iterator<Item = (&[usize], &[T])> {
        let len = self.len();
        let Self { ends, components, weights, starts, samples_of, weights_of } = self;
        starts.clear();
        starts.resize(rank + 1, 0);
        components[..len].iter().for_each(|&k| starts[k as usize + 1] += 1);
        for k in 0..rank {
            starts[k + 1] += starts[k];
        }
        samples_of.resize(len, 0);
        weights_of.resize(len, T::from_f64(0.0));
        let mut at = 0;
        for (i, &end) in ends.iter().enumerate() {
            while at < end {
                let next = &mut starts[components[at] as usize];
                samples_of[*next] = i;
                weights_of[*next] = weights[at];
                *next += 1;
                at += 1;
            }
        }
        // Each start has advanced to the start of the next list: shift them back.
        starts.copy_within(0..rank, 1);
        starts[0] = 0;
        starts.windows(2).map(|ends| (&samples_of[ends[0]..ends[1]], &weights_of[ends[0]..ends[1]]))
    }

    /// C += Σ z zᵀ (lower triangle).
    fn add_gram(&self, gram: &mut Array2<T>) {
        let rank = gram.ncols();
        let gram = gram.as_slice_mut().expect("row-major");
        for (components, weights) in self.by_sample() {
            for (a, (&i, &zi)) in components.iter().zip(weights).enumerate() {
                let row = &mut gram[i as usize * rank..(i as usize + 1) * rank];
                for (&j, &zj) in components[..=a].iter().zip(weights) {
                    row[j as usize] += zi * zj;
                }
            }
        }
    }
}
