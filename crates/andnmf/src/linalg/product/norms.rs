//! Inner products and norms of matrices, accumulated in double precision.

use std::ops::Range;

use ndarray::{ArrayView1, ArrayView2, Axis};
use pulp::{Simd, WithSimd};

use crate::Real;

/// Σ a[i, j] · b[i, j].
pub(crate) fn inner_product<T: Real>(a: ArrayView2<'_, T>, b: ArrayView2<'_, T>) -> f64 {
    sum_of_pairs(a, b, |x, y| x * y)
}

/// Returns true if all entries are finite.
pub(crate) fn all_finite<T: Real>(a: ArrayView2<'_, T>) -> bool {
    // Branch-free: zero times NaN or infinity is NaN.
    sum_of_pairs(a, a, |x, _| x * 0.0) == 0.0
}

/// Euclidean norm of a row; safe against overflow and underflow of squares.
pub(crate) fn length<T: Real>(row: ArrayView1<'_, T>) -> f64 {
    frobenius(row.insert_axis(Axis(0)))
}

/// The sum of `term` over all pairs of entries.
fn sum_of_pairs<T: Real>(
    a: ArrayView2<'_, T>,
    b: ArrayView2<'_, T>,
    term: impl Fn(f64, f64) -> f64 + Sync,
) -> f64 {
    let of_rows = |a: ArrayView1<'_, T>, b: ArrayView1<'_, T>| match (a.to_slice(), b.to_slice()) {
        (Some(a), Some(b)) => pulp::Arch::new().dispatch(SumOfPairs { a, b, term: &term }),
        _ => a.iter().zip(&b).map(|(x, y)| term(x.as_f64(), y.as_f64())).sum(),
    };
    sum_of_rows(0..a.nrows(), a.ncols(), &|i| of_rows(a.row(i), b.row(i)))
}

/// The sum over a pair of rows, dispatched to the available SIMD instructions.
struct SumOfPairs<'a, T, F> {
    a: &'a [T],
    b: &'a [T],
    term: &'a F,
}

impl<T: Real, F: Fn(f64, f64) -> f64> WithSimd for SumOfPairs<'_, T, F> {
    type Output = f64;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> f64 {
        let term = |(x, y): (&T, &T)| (self.term)(x.as_f64(), y.as_f64());
        let ((a, a_rest), (b, b_rest)) = (self.a.as_chunks::<LANES>(), self.b.as_chunks::<LANES>());
        let mut sums = [0.0; LANES];
        for (a, b) in a.iter().zip(b) {
            sums.iter_mut().zip(a.iter().zip(b)).for_each(|(sum, pair)| *sum += term(pair));
        }
        sums.iter_mut().zip(a_rest.iter().zip(b_rest)).for_each(|(sum, pair)| *sum += term(pair));
        sums.iter().sum()
    }
}

/// The sum of `of_row` over rows with `entries` entries each, along a fixed binary tree; large sums use several
/// threads.
fn sum_of_rows(rows: Range<usize>, entries: usize, of_row: &(impl Fn(usize) -> f64 + Sync)) -> f64 {
    if rows.len() <= 1 || rows.len() * entries <= ENTRIES_PER_THREAD {
        return rows.map(of_row).sum();
    }
    let middle = rows.start + rows.len() / 2;
    let (left, right) = rayon::join(
        || sum_of_rows(rows.start..middle, entries, of_row),
        || sum_of_rows(middle..rows.end, entries, of_row),
    );
    left + right
}

/// Below this number of entries, starting another thread costs more than it saves.
pub(crate) const ENTRIES_PER_THREAD: usize = 1 << 16;

/// Number of accumulators: enough to hide the latency of additions.
const LANES: usize = 16;

/// Frobenius norm; safe against overflow and underflow of squares.
pub(crate) fn frobenius<T: Real>(a: ArrayView2<'_, T>) -> f64 {
    let plain = sum_of_squares(a, 1.0);
    if plain.is_normal() {
        return plain.sqrt();
    }
    if plain.is_nan() {
        return plain;
    }
    let largest = a.iter().fold(0.0, |top: f64, v| top.max(v.as_f64().abs()));
    if largest == 0.0 || !largest.is_finite() {
        return largest;
    }
    largest * sum_of_squares(a, 1.0 / largest).sqrt()
}

/// Frobenius norm of the difference of two matrices of the same shape.
pub(crate) fn distance<T: Real>(a: ArrayView2<'_, T>, b: ArrayView2<'_, T>) -> f64 {
    let plain = sum_of_pairs(a, b, |x, y| (x - y) * (x - y));
    // If squares overflow or underflow, form the difference explicitly.
    if plain.is_normal() { plain.sqrt() } else { frobenius((&a - &b).view()) }
}

fn sum_of_squares<T: Real>(a: ArrayView2<'_, T>, scale: f64) -> f64 {
    sum_of_pairs(a, a, |x, _| (x * scale).powi(2))
}

#[cfg(test)]
mod tests {
    use ndarray::Array2;

    use super::*;
    use crate::testing::random_matrix;

    #[test]
    fn inner_products_of_matrices_equal_the_textbook_sum() {
        let (a, b) = (random_matrix::<f64>(5, 37, 6), random_matrix::<f64>(5, 37, 7));
        let naive: f64 = a.iter().zip(&b).map(|(x, y)| x * y).sum();
        let column_major = b.t().as_standard_layout().into_owned();
        for b in [b.view(), column_major.t()] {
            assert!((inner_product(a.view(), b) - naive).abs() < 1e-13);
        }
    }

    #[test]
    fn a_single_entry_that_is_not_finite_is_detected() {
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let mut a = random_matrix::<f64>(3, 21, 6) * 1e300;
            assert!(all_finite(a.view()) && all_finite(a.t()));
            a[[2, 20]] = bad;
            assert!(!all_finite(a.view()) && !all_finite(a.t()));
        }
    }

    #[test]
    fn the_distance_is_the_norm_of_the_difference() {
        let (a, b) = (random_matrix::<f64>(5, 37, 6), random_matrix::<f64>(5, 37, 7));
        for scale in [1.0, 1e200, 1e-200] {
            let (a, b) = (&a * scale, &b * scale);
            let expected = frobenius((&a - &b).view());
            assert!((distance(a.view(), b.view()) / expected - 1.0).abs() < 1e-14, "{scale:e}");
        }
        assert_eq!(distance(a.view(), a.view()), 0.0);
    }

    #[test]
    fn frobenius_norm_of_a_known_matrix() {
        assert_eq!(frobenius(ndarray::array![[3.0_f64, 0.0], [0.0, 4.0]].view()), 5.0);
        let a = random_matrix::<f64>(5, 37, 6);
        let naive = a.iter().map(|v| v * v).sum::<f64>().sqrt();
        assert!((frobenius(a.view()) - naive).abs() < 1e-14 && (frobenius(a.t()) - naive).abs() < 1e-14);
        for scale in [1e200, 1e-200] {
            assert!((frobenius((&a * scale).view()) / (naive * scale) - 1.0).abs() < 1e-14, "{scale:e}");
        }
        assert_eq!(frobenius(Array2::<f64>::zeros((2, 3)).view()), 0.0);
    }
}
