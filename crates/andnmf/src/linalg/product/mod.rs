//! Matrix products.
//!
//! Products in this file run on the calling thread. Callers parallelize over blocks of samples with fixed boundaries:
//! a product that split its sums by the number of threads would give different bits on different machines.

mod norms;
mod parallel;

use faer::linalg::matmul::matmul;
use faer::linalg::matmul::triangular::{self, BlockStructure};
use faer::{Accum, Par};
use ndarray::{Array2, ArrayView2, ArrayViewMut2, Axis, s};

pub(crate) use norms::{ENTRIES_PER_THREAD, all_finite, distance, frobenius, inner_product, length};
pub(crate) use parallel::{
    PartialSumPool, for_each_column_tile, gram_of_rows, gram_of_rows_into, multiply_add_wide, multiply_long,
    multiply_long_into, multiply_wide, zip_mut_wide,
};

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

/// Reallocates a workspace matrix if it has another shape. Its content is unspecified afterwards.
pub(crate) fn ensure_shape<T: Real>(workspace: &mut Array2<T>, shape: (usize, usize)) {
    if workspace.dim() != shape {
        *workspace = Array2::zeros(shape);
    }
}

/// Views a buffer as a matrix of this shape, with unspecified content.
pub(crate) fn matrix_in<T: Real>(buffer: &mut Vec<T>, shape: (usize, usize)) -> ArrayViewMut2<'_, T> {
    buffer.resize(shape.0 * shape.1, T::from_f64(0.0));
    ArrayViewMut2::from_shape(shape, buffer).expect("resized above")
}

/// Zeros in pages that are already faulted in. Memory zeroed by the system maps to one shared page until it is written:
/// a sum that reads first would fault twice per page, which stalls all threads.
pub(crate) fn prefaulted_zeros<T: Real>(len: usize) -> Vec<T> {
    let mut zeros = Vec::with_capacity(len);
    zeros.resize(len, T::from_f64(0.0));
    zeros
}

/// Multiplies each row by its factor.
pub(crate) fn scale_rows<T: Real>(matrix: &mut Array2<T>, factors: &[f64]) {
    for (mut row, &factor) in matrix.outer_iter_mut().zip(factors) {
        row.mapv_inplace(|v| T::from_f64(v.as_f64() * factor));
    }
}

/// Adds `aᵀ · a` to the lower triangle of `out`. The strict upper triangle is unspecified; [`mirror_lower`] completes
/// the matrix.
///
/// Takes about half the operations of the full product.
pub(crate) fn gram_add_lower<T: Real>(mut out: ArrayViewMut2<'_, T>, a: ArrayView2<'_, T>) {
    let one = T::from_f64(1.0);
    if a.strides()[1] == 1 {
        // Panels of a few rows up to the diagonal are faster than the backend's triangular product. Long sums are
        // split, so that the terms stay in cache from panel to panel.
        for terms in a.axis_chunks_iter(Axis(0), PANEL_TERMS) {
            for first in (0..a.ncols()).step_by(PANEL_ROWS) {
                let end = (first + PANEL_ROWS).min(a.ncols());
                let (rows, columns) = (terms.slice(s![.., first..end]), terms.slice(s![.., ..end]));
                multiply_add(out.slice_mut(s![first..end, ..end]), rows.reversed_axes(), columns, one);
            }
        }
        return;
    }
    triangular::matmul(
        mat_mut(out),
        BlockStructure::TriangularLower,
        Accum::Add,
        mat(a).transpose(),
        BlockStructure::Rectangular,
        mat(a),
        BlockStructure::Rectangular,
        one,
        Par::Seq,
    );
}

/// Rows of a Gram matrix per panel; found by experiment.
const PANEL_ROWS: usize = 8;
const PANEL_TERMS: usize = 1024;

/// Copies the lower triangle of a square matrix over its upper one.
pub(crate) fn mirror_lower<T: Real>(c: &mut Array2<T>) {
    for i in 0..c.nrows() {
        for j in 0..i {
            c[[j, i]] = c[[i, j]];
        }
    }
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
    fn products_accept_any_memory_order() {
        let (a, b) = (random_matrix::<f64>(6, 8, 3), random_matrix::<f64>(8, 4, 4));
        let column_major = a.t().as_standard_layout().into_owned();
        assert_close(&multiply(column_major.t(), b.view()), &multiply(a.view(), b.view()), 1e-14);
    }

    #[test]
    fn mirrored_gram_equals_the_full_product() {
        for rank in [0, 1, PANEL_ROWS, PANEL_ROWS + 1, 3 * PANEL_ROWS + 5] {
            let a = random_matrix::<f64>(PANEL_TERMS + 40, rank, 5);
            let columns_first = a.t().as_standard_layout().into_owned();
            for a in [a.view(), columns_first.t()] {
                let mut c = Array2::from_elem((rank, rank), 2.0);
                gram_add_lower(c.view_mut(), a);
                mirror_lower(&mut c);
                assert_close(&c, &(multiply(a.t(), a) + 2.0), 1e-12);
            }
        }
    }
}
