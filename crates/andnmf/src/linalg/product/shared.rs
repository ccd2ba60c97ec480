//! Products whose tiles are shared among threads. Where tiles begin and in which order they are added up depends on shapes
//! alone, and so do results.

use std::ops::Range;

use ndarray::{Array2, ArrayView2, ArrayViewMut2, Axis, s};

use super::norms::ENTRIES_PER_THREAD;
use super::{gram_add_lower, make_room, mirror_lower, multiply_add, multiply_into};
use crate::Real;
use crate::pool::Pool;

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
    let tile = wide_tile(out.nrows());
    by_columns(out, b, tile, &|out, b| multiply_add(out, a, b, scale));
}

/// [`multiply_into`] for a small `a` and a wide `b`, its columns shared among threads.
pub(crate) fn multiply_wide<T: Real>(out: ArrayViewMut2<'_, T>, a: ArrayView2<'_, T>, b: ArrayView2<'_, T>) {
    let tile = wide_tile(out.nrows());
    by_columns(out, b, tile, &|out, b| multiply_into(out, a, b));
}

/// Works on tiles of so many columns of two matrices, on several threads where there are several tiles.
pub(crate) fn by_columns<A: Send + Sync, B: Sync>(
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
    rayon::join(|| by_columns(left, b_left, tile, work), || by_columns(right, b_right, tile, work));
}

/// Changes each entry of a wide matrix by that of another, on several threads where there are many.
pub(crate) fn change_wide<A: Send + Sync, B: Sync>(
    out: ArrayViewMut2<'_, A>,
    by: ArrayView2<'_, B>,
    change: impl Fn(&mut A, &B) + Sync,
) {
    let tile = (ENTRIES_PER_THREAD / out.nrows().max(1)).max(1);
    by_columns(out, by, tile, &|mut out, by| out.zip_mut_with(&by, &change));
}

/// Terms that one thread adds up at a time in products whose sums are long and whose result has so many entries: fixed,
/// so that results are too, and more where there is little to do for each.
fn terms_tile(entries: usize) -> usize {
    (TERMS_TILE_PRODUCTS / entries.max(1)).clamp(FEWEST_TERMS, MOST_TERMS)
}

const FEWEST_TERMS: usize = 256;
const MOST_TERMS: usize = 4096;
const TERMS_TILE_PRODUCTS: usize = 1 << 20;

/// Parts of sums, for threads that add up the next ones.
pub(crate) type Parts<T> = Pool<Array2<T>>;

/// `a · aᵀ` for a wide matrix, its columns shared among threads.
pub(crate) fn gram_of_rows<T: Real>(a: ArrayView2<'_, T>) -> Array2<T> {
    let mut gram = Array2::zeros((0, 0));
    gram_of_rows_into(&mut gram, a, &Parts::default());
    gram
}

/// [`gram_of_rows`] in place of what a matrix holds.
pub(crate) fn gram_of_rows_into<T: Real>(gram: &mut Array2<T>, a: ArrayView2<'_, T>, parts: &Parts<T>) {
    let rank = a.nrows();
    let sum = sum_of_tiles(a.ncols(), (rank, rank), parts, |part, columns| {
        gram_add_lower(part, a.slice(s![.., columns]).t());
    });
    make_room(gram, (rank, rank));
    gram.assign(&sum);
    parts.give(sum);
    mirror_lower(gram);
}

/// `a · b` for a wide `a` and a high `b`, the terms of its sums shared among threads.
pub(crate) fn multiply_long<T: Real>(a: ArrayView2<'_, T>, b: ArrayView2<'_, T>) -> Array2<T> {
    let mut product = Array2::zeros((0, 0));
    multiply_long_into(&mut product, a, b, &Parts::default());
    product
}

/// [`multiply_long`] in place of what a matrix holds.
pub(crate) fn multiply_long_into<T: Real>(
    product: &mut Array2<T>,
    a: ArrayView2<'_, T>,
    b: ArrayView2<'_, T>,
    parts: &Parts<T>,
) {
    let shape = (a.nrows(), b.ncols());
    let sum = sum_of_tiles(a.ncols(), shape, parts, |part, terms| {
        let (a, b) = (a.slice(s![.., terms.clone()]), b.slice(s![terms, ..]));
        multiply_add(part, a, b, T::from_f64(1.0));
    });
    make_room(product, shape);
    product.assign(&sum);
    parts.give(sum);
}

/// Sums of so many terms, a tile of which `add` adds to a part.
fn sum_of_tiles<T: Real>(
    terms: usize,
    shape: (usize, usize),
    parts: &Parts<T>,
    add: impl Fn(ArrayViewMut2<'_, T>, Range<usize>) + Sync,
) -> Array2<T> {
    let tile = terms_tile(shape.0 * shape.1);
    let of_tile = |i: usize| {
        let mut part = parts.take().unwrap_or_else(|| Array2::zeros((0, 0)));
        make_room(&mut part, shape);
        part.fill(T::from_f64(0.0));
        add(part.view_mut(), i * tile..((i + 1) * tile).min(terms));
        part
    };
    let add_up = |mut left: Array2<T>, right| {
        left += &right;
        parts.give(right);
        left
    };
    sum_of_some_tiles(0..terms.div_ceil(tile).max(1), &of_tile, &add_up)
}

/// The sum of some parts along a fixed tree: few of them are there at once.
fn sum_of_some_tiles<P: Send>(
    tiles: Range<usize>,
    part: &(impl Fn(usize) -> P + Sync),
    add_up: &(impl Fn(P, P) -> P + Sync),
) -> P {
    if tiles.len() == 1 {
        return part(tiles.start);
    }
    let middle = tiles.start + tiles.len() / 2;
    let (left, right) = rayon::join(
        || sum_of_some_tiles(tiles.start..middle, part, add_up),
        || sum_of_some_tiles(middle..tiles.end, part, add_up),
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
    fn every_entry_of_a_wide_matrix_is_changed_once() {
        for (rows, width) in [(3, 2), (2, ENTRIES_PER_THREAD), (0, 5), (5, 0), (ENTRIES_PER_THREAD + 1, 2)] {
            let mut sum = Array2::from_elem((rows, width), 1.0_f64);
            let by = Array2::from_shape_fn((rows, width), |(i, j)| (i + 2 * j) as f32);
            change_wide(sum.view_mut(), by.view(), |sum, &v| *sum += f64::from(v));
            assert!(sum.indexed_iter().all(|((i, j), &v)| v == (1 + i + 2 * j) as f64));
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
}
