//! Cholesky factorization with reusable memory, and bounds on matrix norms.

use std::mem::MaybeUninit;

use faer::Par;
use faer::dyn_stack::MemStack;
use faer::linalg::cholesky::llt::factor::{cholesky_in_place, cholesky_in_place_scratch};
use ndarray::{Array2, ArrayView2, s};
use pulp::{Simd, WithSimd};

use super::bridge::mat_mut;
use super::product::{ensure_shape, gram_add_lower, mirror_lower};
use crate::Real;

/// L and L⁻¹ of a positive definite matrix L·Lᵀ.
#[derive(Debug)]
pub(crate) struct CholeskyFactor<T> {
    /// Row-major Lᵀ, that is, column-major L, which the backend prefers.
    transposed: Array2<T>,
    inverse: Array2<T>,
    stack: Vec<MaybeUninit<u8>>,
    sums: Vec<f64>,
}

impl<T: Real> Default for CholeskyFactor<T> {
    fn default() -> Self {
        let none = || Array2::zeros((0, 0));
        Self { transposed: none(), inverse: none(), stack: Vec::new(), sums: Vec::new() }
    }
}

impl<T: Real> CholeskyFactor<T> {
    /// Factorizes a matrix; reads only its lower triangle. Returns `None` if it is not positive definite; the factors
    /// are then unspecified.
    pub(crate) fn factorize(&mut self, gram: ArrayView2<'_, T>) -> Option<()> {
        let Self { transposed, inverse, stack, .. } = self;
        let size = gram.nrows();
        ensure_shape(transposed, gram.dim());
        ensure_shape(inverse, gram.dim());
        for (j, mut row) in transposed.outer_iter_mut().enumerate() {
            row.slice_mut(s![..j]).fill(T::from_f64(0.0));
            row.slice_mut(s![j..]).assign(&gram.slice(s![j.., j]));
        }
        let scratch = cholesky_in_place_scratch::<T>(size, Par::Seq, Default::default());
        stack.resize(scratch.unaligned_bytes_required(), MaybeUninit::uninit());
        let factor = mat_mut(transposed.view_mut().reversed_axes());
        cholesky_in_place(factor, Default::default(), Par::Seq, MemStack::new(stack), Default::default())
            .ok()?;
        // The backend leaves unspecified values above the diagonal.
        for (j, mut row) in transposed.outer_iter_mut().enumerate() {
            row.slice_mut(s![..j]).fill(T::from_f64(0.0));
        }
        let transposed = transposed.as_slice().expect("row-major");
        let inverse = inverse.as_slice_mut().expect("row-major");
        pulp::Arch::new().dispatch(InvertLower { transposed, inverse, size });
        Some(())
    }

    /// L⁻¹, row-major, with zeros above the diagonal.
    pub(crate) fn inverse(&self) -> ArrayView2<'_, T> {
        self.inverse.view()
    }

    /// Writes the inverse of the matrix, L⁻ᵀ·L⁻¹, to `full`.
    pub(crate) fn full_inverse(&self, full: &mut Array2<T>) {
        ensure_shape(full, self.inverse.dim());
        full.fill(T::from_f64(0.0));
        gram_add_lower(full.view_mut(), self.inverse.view());
        mirror_lower(full);
    }

    /// An upper bound on the condition number of L; its square bounds that of the matrix. NaN or infinite if L
    /// overflowed.
    pub(crate) fn condition_bound(&mut self) -> f64 {
        let Self { transposed, inverse, sums, .. } = self;
        norm_bound(transposed.view(), sums) * norm_bound(inverse.view(), sums)
    }
}

/// An upper bound on the largest singular value: √(‖m‖₁·‖m‖∞). NaN if an entry is NaN. `sums` is scratch space.
pub(super) fn norm_bound<T: Real>(m: ArrayView2<'_, T>, sums: &mut Vec<f64>) -> f64 {
    sums.clear();
    sums.resize(m.ncols(), 0.0);
    let matrix = m.as_standard_layout();
    let rows = matrix.as_slice().expect("row-major");
    let row_sum = pulp::Arch::new().dispatch(SumMagnitudes { rows, column_sums: sums });
    (row_sum * sums.iter().copied().fold(0.0, larger)).sqrt()
}

/// Adds the magnitudes of all entries to the column sums; returns the largest row sum.
struct SumMagnitudes<'a, T> {
    rows: &'a [T],
    column_sums: &'a mut [f64],
}

impl<T: Real> WithSimd for SumMagnitudes<'_, T> {
    type Output = f64;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> f64 {
        let Self { rows, column_sums } = self;
        let mut largest_row_sum = 0.0;
        for row in rows.chunks_exact(column_sums.len().max(1)) {
            // Independent accumulators: a single one would wait for each addition.
            let mut row_sums = [0.0; 8];
            for (row, columns) in row.chunks(8).zip(column_sums.chunks_mut(8)) {
                for ((row_sum, column), v) in row_sums.iter_mut().zip(columns).zip(row) {
                    let magnitude = v.as_f64().abs();
                    *column += magnitude;
                    *row_sum += magnitude;
                }
            }
            largest_row_sum = larger(largest_row_sum, row_sums.iter().sum());
        }
        largest_row_sum
    }
}

/// The maximum of both; NaN if either is NaN.
fn larger(a: f64, b: f64) -> f64 {
    if b > a || b.is_nan() { b } else { a }
}

/// L⁻¹ from Lᵀ by forward substitution, row by row.
struct InvertLower<'a, T> {
    transposed: &'a [T],
    inverse: &'a mut [T],
    size: usize,
}

impl<T: Real> WithSimd for InvertLower<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Self { transposed, inverse, size } = self;
        for i in 0..size {
            let (above, row) = inverse.split_at_mut(i * size);
            let row = &mut row[..size];
            row.fill(T::from_f64(0.0));
            for j in 0..i {
                let (factor, above) = (transposed[j * size + i], &above[j * size..j * size + j + 1]);
                row[..=j].iter_mut().zip(above).for_each(|(v, &above)| *v -= factor * above);
            }
            let inverse_pivot = T::from_f64(1.0) / transposed[i * size + i];
            row[..i].iter_mut().for_each(|v| *v *= inverse_pivot);
            row[i] = inverse_pivot;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::product::multiply;
    use crate::linalg::symmetric::spectral_norm;
    use crate::testing::{assert_close, random_matrix};

    #[test]
    fn a_reused_factor_inverts_matrices_of_any_size() {
        let mut factor = CholeskyFactor::<f64>::default();
        for size in [1, 2, 7, 40, 40, 5] {
            let rows = random_matrix::<f64>(size, size + 30, size as u64);
            let gram = multiply(rows.view(), rows.t());
            // The strict upper triangle is not read.
            let lower =
                Array2::from_shape_fn(gram.dim(), |(i, j)| if j > i { f64::NAN } else { gram[[i, j]] });
            factor.factorize(lower.view()).unwrap();
            let inverse = factor.inverse();
            let identity = multiply(multiply(inverse, gram.view()).view(), inverse.t());
            assert_close(&identity, &Array2::eye(size), 1e-12);
            assert!(inverse.indexed_iter().all(|((i, j), &v)| i >= j || v == 0.0));
            let mut full = Array2::zeros((0, 0));
            factor.full_inverse(&mut full);
            assert_close(&multiply(full.view(), gram.view()), &Array2::eye(size), 1e-11);
            let condition = spectral_norm(inverse) * spectral_norm(gram.view()).sqrt();
            let bound = factor.condition_bound();
            let ratio = bound / condition;
            assert!((1.0 - 1e-12..(size as f64).max(2.0)).contains(&ratio), "{size}: {ratio}");
            // The stored factor has zeros above its diagonal: its row norms are those of L.
            let lengths = factor.transposed.columns().into_iter().map(|row| row.dot(&row));
            assert!(lengths.zip(gram.diag()).all(|(length, &v)| (length / v - 1.0).abs() < 1e-12));
        }
    }

    #[test]
    fn a_matrix_that_is_not_positive_definite_has_no_factor() {
        let mut factor = CholeskyFactor::<f64>::default();
        assert!(factor.factorize(ndarray::array![[1.0, 2.0], [2.0, 1.0]].view()).is_none());
        assert!(factor.factorize(ndarray::array![[f64::NAN]].view()).is_none());
    }

    #[test]
    fn the_norm_bound_is_an_upper_bound_and_propagates_nan() {
        let mut sums = Vec::new();
        for seed in 0..5 {
            let m = random_matrix::<f64>(9, 9, seed);
            let (bound, norm) = (norm_bound(m.view(), &mut sums), spectral_norm(m.view()));
            assert!(bound >= norm && bound <= 3.0 * norm, "{bound} {norm}");
        }
        // A single full row: the 1-norm alone would be too low.
        let mut row = Array2::<f64>::zeros((50, 50));
        row.row_mut(49).fill(1.0);
        assert!(norm_bound(row.view(), &mut sums) >= 50_f64.sqrt() * (1.0 - 1e-15));
        row[[3, 4]] = f64::NAN;
        assert!(norm_bound(row.view(), &mut sums).is_nan());
    }
}
