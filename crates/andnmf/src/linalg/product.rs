//! Matrix products.
//!
//! Unless their name says otherwise they run on the calling thread: parallelism lives one level up, over
//! blocks of samples with fixed boundaries, since a product that split its own sums by the number of threads
//! would give different bits on different machines.

use std::ops::Range;

use faer::linalg::matmul::matmul;
use faer::linalg::matmul::triangular::{self, BlockStructure};
use faer::{Accum, Par};
use ndarray::{Array2, ArrayView1, ArrayView2, ArrayViewMut2, Axis, s};
use rayon::prelude::*;

use super::bridge::{mat, mat_mut};
use crate::Real;

/// `a · b`.
pub(crate) fn multiply<T: Real>(a: ArrayView2<'_, T>, b: ArrayView2<'_, T>) -> Array2<T> {
    let mut out = Array2::zeros((a.nrows(), b.ncols()));
    multiply_into(out.view_mut(), a, b);
    out
}

/// `out ← a · b`.
pub(crate) fn multiply_into<T: Real>(out: ArrayViewMut2<'_, T>, a: ArrayView2<'_, T>, b: ArrayView2<'_, T>) {
    matmul(mat_mut(out), Accum::Replace, mat(a), mat(b), T::from_f64(1.0), Par::Seq);
}

/// `out ← out + scale · a · b`.
pub(crate) fn multiply_add<T: Real>(
    out: ArrayViewMut2<'_, T>,
    a: ArrayView2<'_, T>,
    b: ArrayView2<'_, T>,
    scale: T,
) {
    matmul(mat_mut(out), Accum::Add, mat(a), mat(b), scale, Par::Seq);
}

/// Columns that one thread works on at a time in [`multiply_add_wide`]: fixed, so that results are too.
const WIDE_TILE: usize = 512;

/// [`multiply_add`] for a small `a` and a wide `b`, its columns shared among threads.
pub(crate) fn multiply_add_wide<T: Real>(
    mut out: ArrayViewMut2<'_, T>,
    a: ArrayView2<'_, T>,
    b: ArrayView2<'_, T>,
    scale: T,
) {
    if out.ncols() <= WIDE_TILE {
        return multiply_add(out, a, b, scale);
    }
    let tiles: Vec<_> =
        out.axis_chunks_iter_mut(Axis(1), WIDE_TILE).zip(b.axis_chunks_iter(Axis(1), WIDE_TILE)).collect();
    tiles.into_par_iter().for_each(|(out, b)| multiply_add(out, a, b, scale));
}

/// Terms that one thread adds up at a time in products whose sums are long: fixed, so that results are too.
const TERMS_TILE: usize = 1024;

/// `a · aᵀ` for a wide matrix, its columns shared among threads.
pub(crate) fn gram_of_rows<T: Real>(a: ArrayView2<'_, T>) -> Array2<T> {
    let rank = a.nrows();
    let mut gram = sum_of_tiles(a.ncols(), (rank, rank), |part, columns| {
        gram_add_lower(part, a.slice(s![.., columns]).t());
    });
    mirror_lower(&mut gram);
    gram
}

/// `a · b` for a wide `a` and a high `b`, the terms of its sums shared among threads.
pub(crate) fn multiply_long<T: Real>(a: ArrayView2<'_, T>, b: ArrayView2<'_, T>) -> Array2<T> {
    sum_of_tiles(a.ncols(), (a.nrows(), b.ncols()), |part, terms| {
        let (a, b) = (a.slice(s![.., terms.clone()]), b.slice(s![terms, ..]));
        multiply_add(part, a, b, T::from_f64(1.0));
    })
}

/// Sums of so many terms, a tile of which `add` adds to a part.
fn sum_of_tiles<T: Real>(
    terms: usize,
    shape: (usize, usize),
    add: impl Fn(ArrayViewMut2<'_, T>, Range<usize>) + Sync,
) -> Array2<T> {
    let parts: Vec<Array2<T>> = (0..terms.div_ceil(TERMS_TILE).max(1))
        .into_par_iter()
        .map(|i| {
            let mut part = Array2::zeros(shape);
            add(part.view_mut(), i * TERMS_TILE..((i + 1) * TERMS_TILE).min(terms));
            part
        })
        .collect();
    parts.into_iter().reduce(|sum, part| sum + part).expect("at least one part")
}

/// Euclidean length of a row, also where squares leave the range of numbers.
pub(crate) fn length<T: Real>(row: ArrayView1<'_, T>) -> f64 {
    frobenius(row.insert_axis(Axis(0)))
}

/// Multiplies each row by its factor.
pub(crate) fn scale_rows<T: Real>(matrix: &mut Array2<T>, factors: &[f64]) {
    for (mut row, &factor) in matrix.outer_iter_mut().zip(factors) {
        row.mapv_inplace(|v| T::from_f64(v.as_f64() * factor));
    }
}

/// Adds `aᵀ · a` to the lower triangle of `out`, leaving the strict upper triangle alone.
///
/// Half the work of the full product; [`mirror_lower`] completes the matrix once all sums are in.
pub(crate) fn gram_add_lower<T: Real>(out: ArrayViewMut2<'_, T>, a: ArrayView2<'_, T>) {
    triangular::matmul(
        mat_mut(out),
        BlockStructure::TriangularLower,
        Accum::Add,
        mat(a).transpose(),
        BlockStructure::Rectangular,
        mat(a),
        BlockStructure::Rectangular,
        T::from_f64(1.0),
        Par::Seq,
    );
}

/// Copies the lower triangle of a square matrix over its upper one.
pub(crate) fn mirror_lower<T: Real>(c: &mut Array2<T>) {
    for i in 0..c.nrows() {
        for j in 0..i {
            c[[j, i]] = c[[i, j]];
        }
    }
}

/// Σ a[i, j] · b[i, j], summed in double precision.
pub(crate) fn inner_product<T: Real>(a: ArrayView2<'_, T>, b: ArrayView2<'_, T>) -> f64 {
    let product = |(x, y): (&T, &T)| x.as_f64() * y.as_f64();
    let of_rows = |(a, b): (ArrayView1<'_, T>, ArrayView1<'_, T>)| match (a.to_slice(), b.to_slice()) {
        (Some(a), Some(b)) => {
            let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<LANES>(), b.as_chunks::<LANES>());
            let mut sums = [0.0; LANES];
            for (a, b) in a.iter().zip(b) {
                sums.iter_mut().zip(a.iter().zip(b)).for_each(|(sum, pair)| *sum += product(pair));
            }
            sums.iter().sum::<f64>() + a_rest.iter().zip(b_rest).map(product).sum::<f64>()
        }
        _ => a.iter().zip(&b).map(product).sum(),
    };
    a.outer_iter().zip(b.outer_iter()).map(of_rows).sum()
}

/// Several sums side by side, which the compiler can keep in one vector.
const LANES: usize = 8;

/// Euclidean norm of all entries, also where their squares leave the range of numbers.
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

fn sum_of_squares<T: Real>(a: ArrayView2<'_, T>, scale: f64) -> f64 {
    let square = |v: &T| (v.as_f64() * scale).powi(2);
    let mut sums = [0.0; LANES];
    for row in a.outer_iter() {
        if let Some(row) = row.to_slice() {
            let (chunks, rest) = row.as_chunks::<LANES>();
            for chunk in chunks {
                for (sum, v) in sums.iter_mut().zip(chunk) {
                    *sum += square(v);
                }
            }
            sums[0] += rest.iter().map(square).sum::<f64>();
        } else {
            sums[0] += row.iter().map(square).sum::<f64>();
        }
    }
    sums.iter().sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_close, random_matrix};

    #[test]
    fn products_equal_the_textbook_sums() {
        let (a, b) = (random_matrix::<f64>(7, 5, 1), random_matrix::<f64>(5, 9, 2));
        let naive = Array2::from_shape_fn((7, 9), |(i, j)| (0..5).map(|l| a[[i, l]] * b[[l, j]]).sum());
        assert_close(&multiply(a.view(), b.view()), &naive, 1e-14);

        let mut twice = naive.clone();
        multiply_add(twice.view_mut(), a.view(), b.view(), 1.0);
        assert_close(&twice, &(&naive * 2.0), 1e-14);
    }

    #[test]
    fn wide_products_equal_narrow_ones() {
        for width in [1, WIDE_TILE, WIDE_TILE + 1, 3 * WIDE_TILE + 7] {
            let (a, b) = (random_matrix::<f64>(4, 6, 1), random_matrix::<f64>(6, width, 2));
            let mut out = random_matrix::<f64>(4, width, 3);
            let mut expected = out.clone();
            multiply_add_wide(out.view_mut(), a.view(), b.view(), -0.5);
            multiply_add(expected.view_mut(), a.view(), b.view(), -0.5);
            assert_close(&out, &expected, 1e-14);
        }
    }

    #[test]
    fn gram_matrices_of_wide_rows_equal_the_plain_product() {
        for width in [0, 1, 7, TERMS_TILE + 3, 2 * TERMS_TILE] {
            let a = random_matrix::<f64>(5, width, 1);
            assert_close(&gram_of_rows(a.view()), &multiply(a.view(), a.t()), 1e-13);
        }
    }

    #[test]
    fn products_with_long_sums_equal_the_plain_product() {
        for terms in [0, 1, 7, TERMS_TILE + 3, 2 * TERMS_TILE] {
            let (a, b) = (random_matrix::<f64>(5, terms, 1), random_matrix::<f64>(3, terms, 2));
            assert_close(&multiply_long(a.view(), b.t()), &multiply(a.view(), b.t()), 1e-13);
        }
    }

    #[test]
    fn products_accept_any_memory_order() {
        let (a, b) = (random_matrix::<f64>(6, 8, 3), random_matrix::<f64>(8, 4, 4));
        let column_major = a.t().as_standard_layout().into_owned();
        assert_close(&multiply(column_major.t(), b.view()), &multiply(a.view(), b.view()), 1e-14);
    }

    #[test]
    fn mirrored_gram_equals_the_full_product() {
        let a = random_matrix::<f64>(40, 13, 5);
        let mut c = Array2::zeros((13, 13));
        gram_add_lower(c.view_mut(), a.view());
        mirror_lower(&mut c);
        assert_close(&c, &multiply(a.t(), a.view()), 1e-13);
    }

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
