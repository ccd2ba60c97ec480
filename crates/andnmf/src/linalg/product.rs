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

/// Zeros for sums that are read before they are written. Memory that comes as zeros from the system is one page of them
/// shared by all until somebody writes: reading first makes every page cost twice, and a halt of all threads.
pub(crate) fn written_zeros<T: Real>(len: usize) -> Vec<T> {
    let mut zeros = Vec::with_capacity(len);
    zeros.resize(len, T::from_f64(0.0));
    zeros
}

/// Whether all entries are numbers.
pub(crate) fn all_finite<T: Real>(a: ArrayView2<'_, T>) -> bool {
    // Zero times anything else is not zero, and adds up without a branch.
    sum_of_pairs(a, a, |x, _| x * 0.0) == 0.0
}

/// Columns that one thread works on at a time in products with a matrix of this many rows: fixed, so that results are
/// too, and more where there is little to do for each.
fn wide_tile(rows: usize) -> usize {
    (WIDE_TILE_PRODUCTS / (rows * rows).max(1)).max(1).next_multiple_of(FEWEST_COLUMNS)
}

const FEWEST_COLUMNS: usize = 128;
const WIDE_TILE_PRODUCTS: usize = 1 << 18;

/// [`multiply_add`] for a small `a` and a wide `b`, its columns shared among threads.
pub(crate) fn multiply_add_wide<T: Real>(
    out: ArrayViewMut2<'_, T>,
    a: ArrayView2<'_, T>,
    b: ArrayView2<'_, T>,
    scale: T,
) {
    by_wide_tiles(out, b, &|out, b| multiply_add(out, a, b, scale));
}

/// [`multiply_into`] for a small `a` and a wide `b`, its columns shared among threads.
pub(crate) fn multiply_wide<T: Real>(out: ArrayViewMut2<'_, T>, a: ArrayView2<'_, T>, b: ArrayView2<'_, T>) {
    by_wide_tiles(out, b, &|out, b| multiply_into(out, a, b));
}

/// Works on tiles of the columns of two matrices, on several threads where there are several tiles.
fn by_wide_tiles<T: Real>(
    out: ArrayViewMut2<'_, T>,
    b: ArrayView2<'_, T>,
    work: &(impl Fn(ArrayViewMut2<'_, T>, ArrayView2<'_, T>) + Sync),
) {
    let tile = wide_tile(out.nrows());
    if out.ncols() <= tile {
        return work(out, b);
    }
    let middle = out.ncols().div_ceil(tile) / 2 * tile;
    let (left, right) = out.split_at(Axis(1), middle);
    let (b_left, b_right) = b.split_at(Axis(1), middle);
    rayon::join(|| by_wide_tiles(left, b_left, work), || by_wide_tiles(right, b_right, work));
}

/// Terms that one thread adds up at a time in products whose sums are long and whose result has so many entries: fixed,
/// so that results are too, and more where there is little to do for each.
fn terms_tile(entries: usize) -> usize {
    (TERMS_TILE_PRODUCTS / entries.max(1)).clamp(FEWEST_TERMS, MOST_TERMS)
}

const FEWEST_TERMS: usize = 256;
const MOST_TERMS: usize = 4096;
const TERMS_TILE_PRODUCTS: usize = 1 << 20;

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
    let tile = terms_tile(shape.0 * shape.1);
    sum_of_some_tiles(0..terms.div_ceil(tile).max(1), &|i| {
        let mut part = Array2::zeros(shape);
        add(part.view_mut(), i * tile..((i + 1) * tile).min(terms));
        part
    })
}

/// The sum of some parts along a fixed tree: few of them are there at once.
fn sum_of_some_tiles<T: Real>(tiles: Range<usize>, part: &(impl Fn(usize) -> Array2<T> + Sync)) -> Array2<T> {
    if tiles.len() == 1 {
        return part(tiles.start);
    }
    let middle = tiles.start + tiles.len() / 2;
    let (left, right) = rayon::join(
        || sum_of_some_tiles(tiles.start..middle, part),
        || sum_of_some_tiles(middle..tiles.end, part),
    );
    left + right
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
    sum_of_pairs(a, b, |x, y| x * y)
}

/// The sum of `term` over all pairs of entries.
fn sum_of_pairs<T: Real>(
    a: ArrayView2<'_, T>,
    b: ArrayView2<'_, T>,
    term: impl Fn(f64, f64) -> f64 + Sync,
) -> f64 {
    let term = |(x, y): (&T, &T)| term(x.as_f64(), y.as_f64());
    let of_rows = |a: ArrayView1<'_, T>, b: ArrayView1<'_, T>| match (a.to_slice(), b.to_slice()) {
        (Some(a), Some(b)) => {
            let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<LANES>(), b.as_chunks::<LANES>());
            let mut sums = [0.0; LANES];
            for (a, b) in a.iter().zip(b) {
                sums.iter_mut().zip(a.iter().zip(b)).for_each(|(sum, pair)| *sum += term(pair));
            }
            sums.iter().sum::<f64>() + a_rest.iter().zip(b_rest).map(term).sum::<f64>()
        }
        _ => a.iter().zip(&b).map(term).sum(),
    };
    sum_of_rows(0..a.nrows(), a.ncols(), &|i| of_rows(a.row(i), b.row(i)))
}

/// The sum of what these rows of so many entries come to, on several threads where there are many: always added up in
/// the same order.
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

/// Fewer entries than this are added up before another thread would have begun.
const ENTRIES_PER_THREAD: usize = 1 << 16;

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

/// Euclidean norm of the difference of two matrices of the same shape.
pub(crate) fn distance<T: Real>(a: ArrayView2<'_, T>, b: ArrayView2<'_, T>) -> f64 {
    let plain = sum_of_pairs(a, b, |x, y| (x - y) * (x - y));
    // Where squares leave the range of numbers, the difference is looked at as a matrix.
    if plain.is_normal() { plain.sqrt() } else { frobenius((&a - &b).view()) }
}

fn sum_of_squares<T: Real>(a: ArrayView2<'_, T>, scale: f64) -> f64 {
    sum_of_pairs(a, a, |x, _| (x * scale).powi(2))
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
        // From some number of rows on there is more to do for one column than for a tile of them.
        let sizes = [40, 600].map(|rows| (rows, wide_tile(rows)));
        let widths = |(rows, tile)| [1, tile, tile + 1, 3 * tile + 7].map(|width| (rows, width));
        for (rows, width) in sizes.into_iter().flat_map(widths) {
            let (a, b) = (random_matrix::<f64>(rows, 6, 1), random_matrix::<f64>(6, width, 2));
            let mut out = random_matrix::<f64>(rows, width, 3);
            let mut expected = out.clone();
            multiply_add_wide(out.view_mut(), a.view(), b.view(), -0.5);
            multiply_add(expected.view_mut(), a.view(), b.view(), -0.5);
            assert_close(&out, &expected, 1e-14);
        }
    }

    #[test]
    fn gram_matrices_of_wide_rows_equal_the_plain_product() {
        for width in [0, 1, 7, MOST_TERMS + 3, 2 * MOST_TERMS] {
            let a = random_matrix::<f64>(5, width, 1);
            assert_close(&gram_of_rows(a.view()), &multiply(a.view(), a.t()), 1e-13);
        }
    }

    #[test]
    fn products_with_long_sums_equal_the_plain_product() {
        for terms in [0, 1, 7, MOST_TERMS + 3, 2 * MOST_TERMS] {
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
    fn one_entry_that_is_no_number_is_found() {
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
