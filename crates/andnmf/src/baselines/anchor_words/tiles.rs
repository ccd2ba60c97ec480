//! Parallel work on tiles of a fixed number of rows, so that results do not depend on the number of threads.

use ndarray::{Array2, ArrayView2, ArrayViewMut2, Axis, s};
use rayon::prelude::*;

use crate::linalg::product::multiply_into;

/// Calls `work(first row, rows)` for every `height` rows of a matrix, in parallel.
///
/// # Errors
/// One of the errors of `work`, if any.
pub(super) fn try_for_each_tile<E: Send>(
    matrix: &mut Array2<f64>,
    height: usize,
    work: impl Fn(usize, ArrayViewMut2<'_, f64>) -> Result<(), E> + Sync,
) -> Result<(), E> {
    let tiles: Vec<_> = matrix.axis_chunks_iter_mut(Axis(0), height).enumerate().collect();
    tiles.into_par_iter().try_for_each(|(number, rows)| work(number * height, rows))
}

/// [`try_for_each_tile`] for work that always succeeds.
pub(super) fn for_each_tile(
    matrix: &mut Array2<f64>,
    height: usize,
    work: impl Fn(usize, ArrayViewMut2<'_, f64>) + Sync,
) {
    let done = try_for_each_tile(matrix, height, |first, rows| {
        work(first, rows);
        Ok::<(), std::convert::Infallible>(())
    });
    match done {
        Ok(()) => (),
        Err(never) => match never {},
    }
}

/// `rows · otherᵀ`.
pub(super) fn multiply_by_transposed(rows: ArrayView2<'_, f64>, other: ArrayView2<'_, f64>) -> Array2<f64> {
    let mut out = Array2::zeros((rows.nrows(), other.nrows()));
    for_each_tile(&mut out, 64, |first, out| {
        let last = first + out.nrows();
        multiply_into(out, rows.slice(s![first..last, ..]), other.t());
    });
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_close, random_matrix};

    #[test]
    fn parallel_products_equal_sequential_ones() {
        let (rows, other) = (random_matrix::<f64>(150, 30, 1), random_matrix::<f64>(7, 30, 2));
        assert_close(&multiply_by_transposed(rows.view(), other.view()), &rows.dot(&other.t()), 1e-14);
    }

    #[test]
    fn every_row_is_visited_once_with_its_index() {
        let mut matrix = Array2::zeros((70, 2));
        for_each_tile(&mut matrix, 16, |first, mut rows| {
            for (i, mut row) in rows.outer_iter_mut().enumerate() {
                row += (first + i) as f64;
            }
        });
        assert_eq!(matrix, Array2::from_shape_fn((70, 2), |(i, _)| i as f64));
        let stopped =
            try_for_each_tile(&mut matrix, 16, |first, _| if first == 32 { Err(first) } else { Ok(()) });
        assert_eq!(stopped, Err(32));
    }
}
