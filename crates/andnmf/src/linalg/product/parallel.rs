//! Multithreaded products. Tile boundaries and the order of summation depend on the shapes alone, so results are
//! bitwise reproducible.

use std::ops::Range;

use ndarray::{Array2, ArrayView2, ArrayViewMut2, Axis, s};

use super::norms::ENTRIES_PER_THREAD;
use super::{ensure_shape, gram_add_lower, mirror_lower, multiply_add, multiply_into};
use crate::Real;
use crate::pool::Pool;

/// Columns per tile in products with a matrix of this many rows: more columns if there is little work per column.
fn wide_tile(rows: usize) -> usize {
    (WIDE_TILE_PRODUCTS / (rows * rows).max(1)).max(1).next_multiple_of(MIN_COLUMNS)
}

const MIN_COLUMNS: usize = 128;
const WIDE_TILE_PRODUCTS: usize = 1 << 18;

/// [`multiply_add`] for a small `a` and a wide `b`, parallel over tiles of columns.
pub(crate) fn multiply_add_wide<T: Real>(
    out: ArrayViewMut2<'_, T>,
    a: ArrayView2<'_, T>,
    b: ArrayView2<'_, T>,
    scale: T,
) {
    let tile = wide_tile(out.nrows());
    for_each_column_tile(out, b, tile, &|out, b| multiply_add(out, a, b, scale));
}

/// [`multiply_into`] for a small `a` and a wide `b`, parallel over tiles of columns.
pub(crate) fn multiply_wide<T: Real>(out: ArrayViewMut2<'_, T>, a: ArrayView2<'_, T>, b: ArrayView2<'_, T>) {
    let tile = wide_tile(out.nrows());
    for_each_column_tile(out, b, tile, &|out, b| multiply_into(out, a, b));
}

/// Runs `work` on tiles of `tile` columns of two matrices, in parallel.
pub(crate) fn for_each_column_tile<A: Send + Sync, B: Sync>(
    out: ArrayViewMut2<'_, A>,
    b: ArrayView2<'_, B>,
    tile: usize,
    work: &(impl Fn(ArrayViewMut2<'_, A>, ArrayView2<'_, B>) + Sync),
) {
    if out.ncols() <= tile {
        return work(out, b);
    }
    let middle = out.ncols().div_ceil(tile) / 2 * tile;
    let (left, right) = out.split_at(Axis(1), middle);
    let (b_left, b_right) = b.split_at(Axis(1), middle);
    rayon::join(
        || for_each_column_tile(left, b_left, tile, work),
        || for_each_column_tile(right, b_right, tile, work),
    );
}

/// Parallel `zip_mut_with`: applies `change` to each pair of entries.
pub(crate) fn zip_mut_wide<A: Send + Sync, B: Sync>(
    out: ArrayViewMut2<'_, A>,
    by: ArrayView2<'_, B>,
    change: impl Fn(&mut A, &B) + Sync,
) {
    let tile = (ENTRIES_PER_THREAD / out.nrows().max(1)).max(1);
    for_each_column_tile(out, by, tile, &|mut out, by| out.zip_mut_with(&by, &change));
}

/// Terms per tile in products with long sums whose result has this many entries: more terms if there is little work per
/// term.
fn terms_tile(entries: usize) -> usize {
    (TERMS_TILE_PRODUCTS / entries.max(1)).clamp(MIN_TERMS, MAX_TERMS)
}

const MIN_TERMS: usize = 256;
const MAX_TERMS: usize = 4096;
const TERMS_TILE_PRODUCTS: usize = 1 << 20;

/// Reusable matrices for the partial sums of threads.
pub(crate) type PartialSumPool<T> = Pool<Array2<T>>;

/// The Gram matrix `a · aᵀ` of a wide matrix, parallel over tiles of columns.
pub(crate) fn gram_of_rows<T: Real>(a: ArrayView2<'_, T>) -> Array2<T> {
    let mut gram = Array2::zeros((0, 0));
    gram_of_rows_into(&mut gram, a, &PartialSumPool::default());
    gram
}

/// Like [`gram_of_rows`], but writes to `gram`.
pub(crate) fn gram_of_rows_into<T: Real>(
    gram: &mut Array2<T>,
    a: ArrayView2<'_, T>,
    partial_sums: &PartialSumPool<T>,
) {
    let rank = a.nrows();
    let sum = sum_of_tiles(a.ncols(), (rank, rank), partial_sums, |part, columns| {
        gram_add_lower(part, a.slice(s![.., columns]).t());
    });
    ensure_shape(gram, (rank, rank));
    gram.assign(&sum);
    partial_sums.give(sum);
    mirror_lower(gram);
}

/// `a · b` for a wide `a` and a tall `b`, parallel over tiles of the summation index.
pub(crate) fn multiply_long<T: Real>(a: ArrayView2<'_, T>, b: ArrayView2<'_, T>) -> Array2<T> {
    let mut product = Array2::zeros((0, 0));
    multiply_long_into(&mut product, a, b, &PartialSumPool::default());
    product
}

/// Like [`multiply_long`], but writes to `product`.
pub(crate) fn multiply_long_into<T: Real>(
    product: &mut Array2<T>,
    a: ArrayView2<'_, T>,
    b: ArrayView2<'_, T>,
    partial_sums: &PartialSumPool<T>,
) {
    let shape = (a.nrows(), b.ncols());
    let sum = sum_of_tiles(a.ncols(), shape, partial_sums, |part, terms| {
        let (a, b) = (a.slice(s![.., terms.clone()]), b.slice(s![terms, ..]));
        multiply_add(part, a, b, T::from_f64(1.0));
    });
    ensure_shape(product, shape);
    product.assign(&sum);
    partial_sums.give(sum);
}

/// The sum over `terms` terms; `add` adds a tile of them to a partial sum.
fn sum_of_tiles<T: Real>(
    terms: usize,
    shape: (usize, usize),
    partial_sums: &PartialSumPool<T>,
    add: impl Fn(ArrayViewMut2<'_, T>, Range<usize>) + Sync,
) -> Array2<T> {
    let tile = terms_tile(shape.0 * shape.1);
    let of_tile = |i: usize| {
        let mut part = partial_sums.take().unwrap_or_else(|| Array2::zeros((0, 0)));
        ensure_shape(&mut part, shape);
        part.fill(T::from_f64(0.0));
        add(part.view_mut(), i * tile..((i + 1) * tile).min(terms));
        part
    };
    let add_up = |mut left: Array2<T>, right| {
        left += &right;
        partial_sums.give(right);
        left
    };
    tree_sum(0..terms.div_ceil(tile).max(1), &of_tile, &add_up)
}

/// Reduces tiles along a fixed binary tree, which keeps few partial sums alive at a time.
fn tree_sum<P: Send>(
    tiles: Range<usize>,
    part: &(impl Fn(usize) -> P + Sync),
    add_up: &(impl Fn(P, P) -> P + Sync),
) -> P {
    if tiles.len() == 1 {
        return part(tiles.start);
    }
    let middle = tiles.start + tiles.len() / 2;
    let (left, right) = rayon::join(
        || tree_sum(tiles.start..middle, part, add_up),
        || tree_sum(middle..tiles.end, part, add_up),
    );
    add_up(left, right)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::product::multiply;
    use crate::testing::{assert_close, random_matrix};

    #[test]
    fn wide_products_equal_narrow_ones() {
        // With 600 rows a tile has the minimum number of columns.
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
    fn every_entry_of_a_wide_matrix_is_changed_once() {
        for (rows, width) in [(3, 2), (2, ENTRIES_PER_THREAD), (0, 5), (5, 0), (ENTRIES_PER_THREAD + 1, 2)] {
            let mut sum = Array2::from_elem((rows, width), 1.0_f64);
            let by = Array2::from_shape_fn((rows, width), |(i, j)| (i + 2 * j) as f32);
            zip_mut_wide(sum.view_mut(), by.view(), |sum, &v| *sum += f64::from(v));
            assert!(sum.indexed_iter().all(|((i, j), &v)| v == (1 + i + 2 * j) as f64));
        }
    }

    #[test]
    fn gram_matrices_of_wide_rows_equal_the_plain_product() {
        for width in [0, 1, 7, MAX_TERMS + 3, 2 * MAX_TERMS] {
            let a = random_matrix::<f64>(5, width, 1);
            assert_close(&gram_of_rows(a.view()), &multiply(a.view(), a.t()), 1e-13);
        }
    }

    #[test]
    fn products_with_long_sums_equal_the_plain_product() {
        for terms in [0, 1, 7, MAX_TERMS + 3, 2 * MAX_TERMS] {
            let (a, b) = (random_matrix::<f64>(5, terms, 1), random_matrix::<f64>(3, terms, 2));
            assert_close(&multiply_long(a.view(), b.t()), &multiply(a.view(), b.t()), 1e-13);
        }
    }
}
