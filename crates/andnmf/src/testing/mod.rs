//! Helpers for unit tests, shared with the crate `andnmf-io`.

use ndarray::{Array2, ArrayBase, Data, Ix2};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::Real;

/// A random matrix with entries uniform in [-1, 1).
pub(crate) fn random_matrix<T: Real>(rows: usize, columns: usize, seed: u64) -> Array2<T> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    Array2::from_shape_simple_fn((rows, columns), || T::from_f64(rng.random_range(-1.0..1.0)))
}

/// Panics unless `‖a − b‖ ≤ tolerance · max(‖b‖, 1)` in the Frobenius norm.
#[track_caller]
pub(crate) fn assert_close<T: Real, A: Data<Elem = T>, B: Data<Elem = T>>(
    a: &ArrayBase<A, Ix2>,
    b: &ArrayBase<B, Ix2>,
    tolerance: f64,
) {
    assert_eq!(a.dim(), b.dim(), "shapes differ");
    let difference: f64 = a.iter().zip(b).map(|(x, y)| (x.as_f64() - y.as_f64()).powi(2)).sum::<f64>().sqrt();
    let size: f64 = b.iter().map(|y| y.as_f64().powi(2)).sum::<f64>().sqrt().max(1.0);
    // NaN fails too.
    assert!(
        difference <= tolerance * size,
        "matrices differ by {difference:e} (allowed {:e})",
        tolerance * size
    );
}

/// The CSR form of a dense matrix: row pointers, feature indices and values of its non-zeros.
pub(crate) fn sparse_copy<T: Real>(dense: &Array2<T>) -> (Vec<usize>, Vec<u32>, Vec<T>) {
    let (mut pointers, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
    for row in dense.outer_iter() {
        for (j, &v) in row.iter().enumerate().filter(|&(_, &v)| v != T::from_f64(0.0)) {
            indices.push(j as u32);
            values.push(v);
        }
        pointers.push(values.len());
    }
    (pointers, indices, values)
}

/// A random matrix of the given rank.
pub(crate) fn low_rank<T: Real>(n: usize, rank: usize, columns: usize) -> Array2<T> {
    random_matrix::<T>(n, rank, 1).dot(&random_matrix::<T>(rank, columns, 2))
}
