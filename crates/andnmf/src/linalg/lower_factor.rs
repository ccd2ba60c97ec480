//! Triangular factors of positive definite matrices, in memory that matrices of the same size use one after another.

use std::mem::MaybeUninit;

use faer::Par;
use faer::dyn_stack::MemStack;
use faer::linalg::cholesky::llt::factor::{cholesky_in_place, cholesky_in_place_scratch};
use ndarray::{Array2, ArrayView2, s};
use pulp::{Simd, WithSimd};

use super::bridge::mat_mut;
use super::product::{gram_add_lower, make_room, mirror_lower};
use crate::Real;

/// L and L⁻¹ of a matrix L·Lᵀ.
#[derive(Debug)]
pub(crate) struct LowerFactor<T> {
    /// Lᵀ row by row, which is L column by column, as the backend likes it.
    transposed: Array2<T>,
    inverse: Array2<T>,
    stack: Vec<MaybeUninit<u8>>,
    sums: Vec<f64>,
}

impl<T: Real> Default for LowerFactor<T> {
    fn default() -> Self {
        let none = || Array2::zeros((0, 0));
        Self { transposed: none(), inverse: none(), stack: Vec::new(), sums: Vec::new() }
    }
}

impl<T: Real> LowerFactor<T> {
    /// Takes the factors of another matrix, of which only the lower triangle is read. `None` where it is not positive
    /// definite: the factors are then nothing in particular.
    pub(crate) fn renew(&mut self, gram: ArrayView2<'_, T>) -> Option<()> {
        let Self { transposed, inverse, stack, .. } = self;
        let size = gram.nrows();
        make_room(transposed, gram.dim());
        make_room(inverse, gram.dim());
        for (j, mut row) in transposed.outer_iter_mut().enumerate() {
            row.slice_mut(s![..j]).fill(T::from_f64(0.0));
            row.slice_mut(s![j..]).assign(&gram.slice(s![j.., j]));
        }
        let scratch = cholesky_in_place_scratch::<T>(size, Par::Seq, Default::default());
        stack.resize(scratch.unaligned_bytes_required(), MaybeUninit::uninit());
        let factor = mat_mut(transposed.view_mut().reversed_axes());
        cholesky_in_place(factor, Default::default(), Par::Seq, MemStack::new(stack), Default::default())
            .ok()?;
        // Above the diagonal the backend leaves what it likes.
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

    /// The inverse of the matrix itself, L⁻ᵀ·L⁻¹.
    pub(crate) fn whole_inverse(&self, whole: &mut Array2<T>) {
        make_room(whole, self.inverse.dim());
        whole.fill(T::from_f64(0.0));
        gram_add_lower(whole.view_mut(), self.inverse.view());
        mirror_lower(whole);
    }

    /// A bound on the condition number of L, whose square is that of the matrix. Not a number, or infinite, where L is
    /// out of the range of numbers.
    pub(crate) fn condition_bound(&mut self) -> f64 {
        let Self { transposed, inverse, sums, .. } = self;
        norm_bound(transposed.view(), sums) * norm_bound(inverse.view(), sums)
    }
}

/// A bound on the largest singular value: the root of the largest column sum times the largest row sum. Not a number
/// where an entry is none. `sums` is a buffer.
pub(super) fn norm_bound<T: Real>(m: ArrayView2<'_, T>, sums: &mut Vec<f64>) -> f64 {
    sums.clear();
    sums.resize(m.ncols(), 0.0);
    let matrix = m.as_standard_layout();
    let rows = matrix.as_slice().expect("row-major");
    let row_sum = pulp::Arch::new().dispatch(Magnitudes { rows, column_sums: sums });
    (row_sum * sums.iter().copied().fold(0.0, larger)).sqrt()
}

/// Adds the magnitudes of all entries to the sums of their columns, and finds the largest sum of a row.
struct Magnitudes<'a, T> {
    rows: &'a [T],
    column_sums: &'a mut [f64],
}

impl<T: Real> WithSimd for Magnitudes<'_, T> {
    type Output = f64;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> f64 {
        let Self { rows, column_sums } = self;
        let mut row_sum = 0.0;
        for row in rows.chunks_exact(column_sums.len().max(1)) {
            // Several sums side by side: each addition would wait for the one before.
            let mut own = [0.0; 8];
            for (row, columns) in row.chunks(8).zip(column_sums.chunks_mut(8)) {
                for ((own, column), v) in own.iter_mut().zip(columns).zip(row) {
                    let magnitude = v.as_f64().abs();
                    *column += magnitude;
                    *own += magnitude;
                }
            }
            row_sum = larger(row_sum, own.iter().sum());
        }
        row_sum
    }
}

fn larger(a: f64, b: f64) -> f64 {
    if b > a || b.is_nan() { b } else { a }
}

/// L⁻¹ from Lᵀ, row by row: a row of it is one of the identity less multiples of those above.
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
            let own = T::from_f64(1.0) / transposed[i * size + i];
            row[..i].iter_mut().for_each(|v| *v *= own);
            row[i] = own;
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
    fn factors_of_any_size_invert_their_matrix_one_after_another() {
        let mut factor = LowerFactor::<f64>::default();
        for size in [1, 2, 7, 40, 40, 5] {
            let rows = random_matrix::<f64>(size, size + 30, size as u64);
            let gram = multiply(rows.view(), rows.t());
            // What is above the diagonal is not looked at.
            let lower =
                Array2::from_shape_fn(gram.dim(), |(i, j)| if j > i { f64::NAN } else { gram[[i, j]] });
            factor.renew(lower.view()).unwrap();
            let inverse = factor.inverse();
            let identity = multiply(multiply(inverse, gram.view()).view(), inverse.t());
            assert_close(&identity, &Array2::eye(size), 1e-12);
            assert!(inverse.indexed_iter().all(|((i, j), &v)| i >= j || v == 0.0));
            let mut whole = Array2::zeros((0, 0));
            factor.whole_inverse(&mut whole);
            assert_close(&multiply(whole.view(), gram.view()), &Array2::eye(size), 1e-11);
            let condition = spectral_norm(inverse) * spectral_norm(gram.view()).sqrt();
            let bound = factor.condition_bound();
            let ratio = bound / condition;
            assert!((1.0 - 1e-12..(size as f64).max(2.0)).contains(&ratio), "{size}: {ratio}");
            // The bound is that of the factor alone: so long is each of its rows, and no longer.
            let lengths = factor.transposed.columns().into_iter().map(|row| row.dot(&row));
            assert!(lengths.zip(gram.diag()).all(|(length, &v)| (length / v - 1.0).abs() < 1e-12));
        }
    }

    #[test]
    fn what_is_not_positive_definite_has_no_factor() {
        let mut factor = LowerFactor::<f64>::default();
        assert!(factor.renew(ndarray::array![[1.0, 2.0], [2.0, 1.0]].view()).is_none());
        assert!(factor.renew(ndarray::array![[f64::NAN]].view()).is_none());
    }

    #[test]
    fn the_bound_on_the_norm_is_one_and_shows_what_is_no_number() {
        let mut sums = Vec::new();
        for seed in 0..5 {
            let m = random_matrix::<f64>(9, 9, seed);
            let (bound, norm) = (norm_bound(m.view(), &mut sums), spectral_norm(m.view()));
            assert!(bound >= norm && bound <= 3.0 * norm, "{bound} {norm}");
        }
        // One column whose sum is small against the rest, where the one-norm alone would be too low.
        let mut row = Array2::<f64>::zeros((50, 50));
        row.row_mut(49).fill(1.0);
        assert!(norm_bound(row.view(), &mut sums) >= 50_f64.sqrt() * (1.0 - 1e-15));
        row[[3, 4]] = f64::NAN;
        assert!(norm_bound(row.view(), &mut sums).is_nan());
    }
}
