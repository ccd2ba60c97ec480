//! Σ y zᵀ and Σ z zᵀ over blocks of samples y with weights z, of which many may be zero.

use ndarray::{Array2, ArrayView2, ArrayViewMut2};

use super::gather::add_row_lists;
use super::product::{gram_add_lower, mirror_lower};
use super::products::Products;
use crate::Real;
use crate::query::{Wire, WireError, WireReader, WireWriter, same_length, write_matrix};
use crate::samples::Block;

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
    /// C, of which only the lower triangle means anything.
    gram: Array2<T>,
}

/// Buffers that one thread keeps from block to block.
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
    /// No samples yet.
    pub(crate) fn new(rank: usize, n_features: usize, for_sparse: bool) -> Self {
        Self { products: Products::new(rank, n_features, for_sparse), gram: Array2::zeros((rank, rank)) }
    }

    /// As if new.
    pub(crate) fn clear(&mut self) {
        self.products.clear();
        self.gram.fill(T::from_f64(0.0));
    }

    /// Sums that were worked out before: B as rank × features, and C.
    pub(crate) fn from_parts(products: Array2<T>, gram: Array2<T>) -> Self {
        Self { products: Products::ByComponent(products), gram }
    }

    /// Whether B is laid out for sparse samples.
    pub(crate) fn is_for_sparse(&self) -> bool {
        matches!(self.products, Products::ByFeature(_))
    }

    /// Adds a block of samples with their weights (row-major, samples × rank), `active` of which are not zero.
    pub(crate) fn add(
        &mut self,
        block: &Block<'_, T>,
        z: ArrayView2<'_, T>,
        active: u64,
        buffers: &mut SumBuffers<T>,
    ) {
        let SumBuffers { active: found, features } = buffers;
        let share = active as f64 / z.len().max(1) as f64;
        let few = share < SPARSE_SHARE_NARROW;
        if few {
            found.collect(z);
        }
        match (block, &mut self.products) {
            (Block::Dense(rows), Products::ByComponent(b))
                if few && share < sparse_share(rows.len()) && rows.is_standard_layout() =>
            {
                let (width, rank) = (rows.ncols(), z.ncols());
                let rows = rows.as_slice().expect("just checked");
                let b = b.as_slice_mut().expect("row-major");
                add_row_lists(b, width, rows, found.by_component(rank));
            }
            (block, products) => products.add(block, z, features),
        }
        if few {
            found.add_gram(&mut self.gram);
        } else {
            gram_add_lower(self.gram.view_mut(), z);
        }
    }

    /// Adds the sums of other samples, which must be of the same shape.
    pub(crate) fn merge(&mut self, other: &Self) {
        self.products.merge(&other.products);
        self.gram += &other.gram;
    }

    /// B, as rank × features.
    pub(crate) fn products(&self) -> ArrayView2<'_, T> {
        self.products.view()
    }

    /// B, as rank × features, for whoever needs nothing but its room any more.
    pub(crate) fn products_mut(&mut self) -> ArrayViewMut2<'_, T> {
        self.products.view_mut()
    }

    /// C, rank × rank.
    pub(crate) fn gram(&self) -> Array2<T> {
        let mut c = Array2::zeros(self.gram.dim());
        self.copy_gram(&mut c);
        c
    }

    /// C, into a matrix of its shape.
    pub(crate) fn copy_gram(&self, c: &mut Array2<T>) {
        c.assign(&self.gram);
        mirror_lower(c);
    }
}

/// B as rank × features and all of C, whatever the layout.
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

/// With a smaller share of active weights than this, sums over them are faster than products of all.
fn sparse_share(values_in_block: usize) -> f64 {
    if values_in_block <= NARROW_BLOCK { SPARSE_SHARE_NARROW } else { SPARSE_SHARE_WIDE }
}

/// The weights of a block that are not zero: by sample, and on demand by component.
#[derive(Debug)]
struct ActiveWeights<T> {
    /// Where the weights of each sample end.
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
    /// Looks through the weights once.
    fn collect(&mut self, z: ArrayView2<'_, T>) {
        let Self { ends, components, weights, .. } = self;
        let (zero, rank) = (T::from_f64(0.0), z.ncols());
        ends.clear();
        let mut found = 0;
        for row in z.outer_iter() {
            if weights.len() < found + rank {
                components.resize(2 * (found + rank), 0);
                weights.resize(2 * (found + rank), zero);
            }
            // Every weight is written, and the next one over it where it was zero: which are cannot be foretold, and a
            // branch that is taken now and then costs more than this.
            let (components, weights) = (&mut components[found..][..rank], &mut weights[found..][..rank]);
            let mut count = 0;
            for (k, &v) in row.to_slice().expect("row-major").iter().enumerate() {
                components[count] = k as u32;
                weights[count] = v;
                count += usize::from(v != zero);
            }
            found += count;
            ends.push(found);
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
        let found = self.len();
        let Self { ends, components, weights, starts, samples_of, weights_of } = self;
        starts.clear();
        starts.resize(rank + 1, 0);
        components[..found].iter().for_each(|&k| starts[k as usize + 1] += 1);
        for k in 0..rank {
            starts[k + 1] += starts[k];
        }
        samples_of.resize(found, 0);
        weights_of.resize(found, T::from_f64(0.0));
        let mut at = 0;
        for (i, &end) in ends.iter().enumerate() {
            while at < end {
                let place = &mut starts[components[at] as usize];
                samples_of[*place] = i;
                weights_of[*place] = weights[at];
                *place += 1;
                at += 1;
            }
        }
        // Each start now stands where the next list begins.
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
