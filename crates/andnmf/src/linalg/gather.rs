//! Sums of a few scaled rows of a matrix. (`feature_rows` has the products with sparse samples.)
//!
//! [`pulp`] compiles these loops for several SIMD instruction sets and selects one at run time. They must be inline
//! methods: a closure would be compiled for the baseline instruction set only.

use pulp::{Simd, WithSimd};

use crate::Real;

/// `out[j] += Σ_i coefficients[i] · matrix[rows[i]·width + j]` for every column `j < width`, where `matrix` is
/// row-major and `width = out.len()`.
///
/// Columns are processed in register tiles, wide ones first. Each entry adds its terms in the given order, whatever its
/// tile.
#[inline(always)]
pub(crate) fn add_rows_kernel<T: Real>(out: &mut [T], matrix: &[T], rows: &[usize], coefficients: &[T]) {
    let mut column = 0;
    while column + 32 <= out.len() {
        add_tile::<T, 32>(out, column, matrix, rows, coefficients);
        column += 32;
    }
    if column + 16 <= out.len() {
        add_tile::<T, 16>(out, column, matrix, rows, coefficients);
        column += 16;
    }
    if column + 8 <= out.len() {
        add_tile::<T, 8>(out, column, matrix, rows, coefficients);
        column += 8;
    }
    if column + 4 <= out.len() {
        add_tile::<T, 4>(out, column, matrix, rows, coefficients);
        column += 4;
    }
    while column < out.len() {
        add_tile::<T, 1>(out, column, matrix, rows, coefficients);
        column += 1;
    }
}

/// [`add_rows_kernel`] for the `N` columns starting at `column`.
#[inline(always)]
fn add_tile<T: Real, const N: usize>(
    out: &mut [T],
    column: usize,
    matrix: &[T],
    rows: &[usize],
    coefficients: &[T],
) {
    let width = out.len();
    let tile: &mut [T; N] = (&mut out[column..column + N]).try_into().expect("the length is N");
    let mut sums = *tile;
    for (&row, &c) in rows.iter().zip(coefficients) {
        let start = row * width + column;
        let from: &[T; N] = matrix[start..start + N].try_into().expect("the length is N");
        for (sum, &v) in sums.iter_mut().zip(from) {
            *sum += c * v;
        }
    }
    *tile = sums;
}

/// [`add_rows_kernel`] for several outputs: output `k` sums the rows listed for it.
///
/// `lists` yields the row indices and coefficients for each row of `out` (each `width` long).
pub(crate) fn add_row_lists<'a, T: Real>(
    out: &mut [T],
    width: usize,
    matrix: &[T],
    lists: impl Iterator<Item = (&'a [usize], &'a [T])>,
) {
    pulp::Arch::new().dispatch(AddRowLists { out, width, matrix, lists });
}

struct AddRowLists<'o, T, I> {
    out: &'o mut [T],
    width: usize,
    matrix: &'o [T],
    lists: I,
}

impl<'a, T: Real, I: Iterator<Item = (&'a [usize], &'a [T])>> WithSimd for AddRowLists<'_, T, I> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        for (out, (rows, coefficients)) in self.out.chunks_exact_mut(self.width).zip(self.lists) {
            add_rows_kernel(out, self.matrix, rows, coefficients);
        }
    }
}

/// `out[rows[i]·width + j] += coefficients[i] · values[j]`: one vector added to several rows.
pub(crate) fn scatter_row<T: Real>(out: &mut [T], values: &[T], rows: &[usize], coefficients: &[T]) {
    pulp::Arch::new().dispatch(ScatterRow { out, values, rows, coefficients });
}

struct ScatterRow<'o, T> {
    out: &'o mut [T],
    values: &'o [T],
    rows: &'o [usize],
    coefficients: &'o [T],
}

impl<T: Real> WithSimd for ScatterRow<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let width = self.values.len();
        for (&row, &c) in self.rows.iter().zip(self.coefficients) {
            for (sum, &v) in self.out[row * width..(row + 1) * width].iter_mut().zip(self.values) {
                *sum += c * v;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_close, random_matrix};
    use ndarray::Array2;

    #[test]
    fn row_lists_add_up_for_any_width() {
        for width in [1, 7, 31, 32, 33, 64, 100] {
            let matrix = random_matrix::<f64>(9, width, 1);
            let start = random_matrix::<f64>(2, width, 2);
            let lists: [(&[usize], &[f64]); 2] = [(&[0, 8, 3], &[1.0, -2.0, 0.5]), (&[], &[])];
            let mut out = start.clone();
            add_row_lists(out.as_slice_mut().unwrap(), width, matrix.as_slice().unwrap(), lists.into_iter());
            let naive = Array2::from_shape_fn((2, width), |(k, j)| {
                lists[k]
                    .0
                    .iter()
                    .zip(lists[k].1)
                    .fold(start[[k, j]], |sum, (&i, &c)| sum + c * matrix[[i, j]])
            });
            assert_close(&out, &naive, 1e-15);
        }
    }

    #[test]
    fn a_scattered_row_reaches_only_the_listed_rows() {
        let values = random_matrix::<f32>(1, 5, 3);
        let mut out = Array2::<f32>::zeros((4, 5));
        scatter_row(out.as_slice_mut().unwrap(), values.as_slice().unwrap(), &[2, 0], &[2.0, 3.0]);
        assert_close(&out.row(2).insert_axis(ndarray::Axis(0)), &(&values * 2.0), 1e-6);
        assert_close(&out.row(0).insert_axis(ndarray::Axis(0)), &(&values * 3.0), 1e-6);
        assert!(out.row(1).iter().chain(out.row(3)).all(|&v| v == 0.0));
    }
}
