//! The Kullback–Leibler updates of a block of samples.

use ndarray::{Array2, ArrayViewMut2, s};

use super::dense::add_dense;
use super::sparse::add_sparse;
use crate::Real;
use crate::samples::Block;

/// Components in the layout that the block updates read.
pub(super) struct ComponentsByFeature<T: Real> {
    /// Features × rank, padded with zero columns to whole SIMD vectors.
    pub(super) components: Array2<T>,
    /// The sum of each component, padded with zeros.
    pub(super) totals: Vec<T>,
    pub(super) rank: usize,
}

/// The row width for `rank` values, padded to a multiple of 32 bytes.
pub(super) fn padded_width<T: Real>(rank: usize) -> usize {
    rank.next_multiple_of(32 / size_of::<T>())
}

impl<T: Real> ComponentsByFeature<T> {
    /// From a padded features × rank matrix.
    pub(super) fn new(components: Array2<T>, rank: usize) -> Self {
        let mut totals = vec![0.0; components.ncols()];
        for row in components.outer_iter() {
            totals.iter_mut().zip(row).for_each(|(total, v)| *total += v.as_f64());
        }
        Self { components, totals: totals.into_iter().map(T::from_f64).collect(), rank }
    }

    /// From rank × features.
    pub(super) fn transposed(components: &Array2<T>) -> Self {
        let (rank, features) = components.dim();
        let mut by_feature = Array2::zeros((features, padded_width::<T>(rank)));
        by_feature.slice_mut(s![.., ..rank]).assign(&components.t());
        Self::new(by_feature, rank)
    }
}

/// The sums over samples from which the components are updated.
pub(super) struct QuotientSums<T: Real> {
    /// Rᵀ·X, features × padded rank.
    pub(super) products: Array2<T>,
    /// The sum of the weights of each component.
    pub(super) weights: Vec<f64>,
    /// Number of non-zero weights.
    pub(super) active: u64,
    /// The divergence with the new weights.
    pub(super) loss: f64,
}

/// Scratch buffers of one thread for a block.
pub(super) struct KullbackLeiblerBuffers<T> {
    pub(super) fitted: Vec<T>,
    pub(super) sums: Vec<T>,
    pub(super) features: Vec<usize>,
    pub(super) weights: Vec<T>,
}

impl<T> Default for KullbackLeiblerBuffers<T> {
    fn default() -> Self {
        let empty = Vec::new;
        Self { fitted: empty(), sums: empty(), features: Vec::new(), weights: empty() }
    }
}

/// Updates the weights of a block (row-major, samples × rank) `sweeps` times and adds it to the sums. In the `first`
/// stage all weights of a sample are initialized to their best common value.
pub(super) fn add_block<T: Real>(
    sums: &mut QuotientSums<T>,
    model: &ComponentsByFeature<T>,
    block: &Block<'_, T>,
    mut weights: ArrayViewMut2<'_, T>,
    sweeps: usize,
    first: bool,
    buffers: &mut KullbackLeiblerBuffers<T>,
) {
    match block {
        Block::Dense(rows) => {
            add_dense(sums, model, rows.view(), weights.view_mut(), sweeps, first, buffers);
        }
        Block::Sparse(rows) => {
            let weights = weights.as_slice_mut().expect("row-major");
            add_sparse(sums, model, rows, weights, sweeps, first, buffers);
        }
    }
    let (zero, fitted) = (T::from_f64(0.0), &model.totals[..model.rank]);
    for row in weights.outer_iter() {
        for ((&x, sum), total) in row.iter().zip(&mut sums.weights).zip(fitted) {
            *sum += x.as_f64();
            sums.active += u64::from(x > zero);
            // Σ ŷ over all features, stored or not.
            sums.loss += x.as_f64() * total.as_f64();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::{CsrSamples, DenseSamples, Samples};
    use crate::testing::{assert_close, random_matrix, sparse_copy};

    /// Counts with many zeros, among them a whole row and a whole column.
    fn counts(n: usize, features: usize) -> Array2<f64> {
        let mut data = random_matrix::<f64>(n, features, 1).mapv(|v| (6.0 * v).floor().max(0.0));
        data.row_mut(2).fill(0.0);
        data.column_mut(3).fill(0.0);
        data
    }

    /// Naive quotients, with 0/0 = 0.
    fn ratio(y: &Array2<f64>, x: &Array2<f64>, a: &Array2<f64>) -> Array2<f64> {
        let mut r = y.clone();
        r.zip_mut_with(&x.dot(a), |r, &fitted| *r = if *r == 0.0 { 0.0 } else { *r / fitted });
        r
    }

    fn divergence(y: &Array2<f64>, x: &Array2<f64>, a: &Array2<f64>) -> f64 {
        let term = |(&y, &f): (&f64, &f64)| if y == 0.0 { f } else { y * (y / f).ln() - y + f };
        y.iter().zip(&x.dot(a)).map(term).sum()
    }

    fn sums_for<T: Real>(model: &ComponentsByFeature<T>) -> QuotientSums<T> {
        let products = Array2::zeros(model.components.dim());
        QuotientSums { products, weights: vec![0.0; model.rank], active: 0, loss: 0.0 }
    }

    #[test]
    fn a_block_update_equals_the_textbook_for_dense_and_sparse_samples() {
        for (rank, features, sweeps) in [(1, 9, 1), (3, 40, 2), (8, 33, 1), (21, 700, 3)] {
            let y = counts(70, features);
            let a = random_matrix::<f64>(rank, features, 2).mapv(f64::abs);
            let before = random_matrix::<f64>(70, rank, 3).mapv(f64::abs);
            let mut x = before.clone();
            let totals = a.sum_axis(ndarray::Axis(1));
            for _ in 0..sweeps {
                x = &x * &ratio(&y, &x, &a).dot(&a.t()) / &totals;
            }
            let expected = ratio(&y, &x, &a).t().dot(&x);

            let (pointers, indices, values) = sparse_copy(&y);
            let sparse = CsrSamples::new(features, &pointers, indices, values).unwrap();
            let dense = DenseSamples::new(y.view()).unwrap();
            let model = ComponentsByFeature::transposed(&a);
            for samples in [&dense as &dyn Samples<f64>, &sparse] {
                let (mut sums, mut weights) = (sums_for(&model), before.clone());
                let block = samples.block(0..70).unwrap();
                add_block(
                    &mut sums,
                    &model,
                    &block,
                    weights.view_mut(),
                    sweeps,
                    false,
                    &mut KullbackLeiblerBuffers::default(),
                );
                assert_close(&weights, &x, 1e-13);
                assert_close(&sums.products.slice(s![.., ..rank]), &expected, 1e-12);
                let columns = x.sum_axis(ndarray::Axis(0));
                assert!(sums.weights.iter().zip(&columns).all(|(a, b)| (a / b - 1.0).abs() < 1e-12));
                let loss = divergence(&y, &x, &a);
                assert!((sums.loss / loss - 1.0).abs() < 1e-11, "{} and {loss}", sums.loss);
                assert_eq!(sums.active, x.iter().filter(|&&v| v > 0.0).count() as u64);
            }
        }
    }

    #[test]
    fn duplicate_features_count_as_their_sum() {
        let a = random_matrix::<f64>(3, 5, 2).mapv(f64::abs);
        let once = CsrSamples::new(5, &[0_u32, 3], vec![0_u32, 2, 4], vec![3.0, 2.0, 1.0]).unwrap();
        let values = vec![1.0, 5.0, 2.0, 1.0, -3.0];
        let twice = CsrSamples::new(5, &[0_u32, 5], vec![4_u32, 0, 2, 0, 0], values).unwrap();
        let model = ComponentsByFeature::transposed(&a);
        let run = |samples: &CsrSamples<'_, f64>| {
            let (mut sums, mut weights) = (sums_for(&model), Array2::zeros((1, 3)));
            let block = samples.block(0..1).unwrap();
            add_block(
                &mut sums,
                &model,
                &block,
                weights.view_mut(),
                1,
                true,
                &mut KullbackLeiblerBuffers::default(),
            );
            (weights, sums.products, sums.loss)
        };
        let (once, twice) = (run(&once), run(&twice));
        assert_close(&twice.0, &once.0, 1e-15);
        assert_close(&twice.1, &once.1, 1e-15);
        assert!((twice.2 - once.2).abs() < 1e-13);
    }

    #[test]
    fn values_without_a_positive_fit_stay_finite() {
        let y = ndarray::array![[1.0_f64, 2.0, 0.0], [0.0, 0.0, 3.0]];
        let a = ndarray::array![[1.0, 0.0, 0.0], [0.0, 0.0, 0.0]];
        let (pointers, indices, values) = sparse_copy(&y);
        let sparse = CsrSamples::new(3, &pointers, indices, values).unwrap();
        let dense = DenseSamples::new(y.view()).unwrap();
        let model = ComponentsByFeature::transposed(&a);
        for samples in [&dense as &dyn Samples<f64>, &sparse] {
            let (mut sums, mut weights) = (sums_for(&model), ndarray::array![[1.0, 1.0], [0.0, 1.0]]);
            let block = samples.block(0..2).unwrap();
            add_block(
                &mut sums,
                &model,
                &block,
                weights.view_mut(),
                1,
                false,
                &mut KullbackLeiblerBuffers::default(),
            );
            assert_eq!(weights, ndarray::array![[1.0, 0.0], [0.0, 0.0]]);
            assert!(sums.products.iter().all(|v| v.is_finite()) && sums.loss.is_finite());
            assert!(sums.loss > 1000.0, "values that cannot be fitted have a large loss, not {}", sums.loss);
        }
    }
}
