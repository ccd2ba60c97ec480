//! Converts `ndarray` views to `faer` views without copying.
//!
//! This is the crate's only unsafe code: both libraries describe a matrix by a pointer, two lengths and two strides in
//! elements.

#![allow(unsafe_code)]

use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, MatMut, MatRef, Par};
use ndarray::{Array2, ArrayView2, ArrayViewMut2};

use crate::Real;

/// The same matrix as a backend view.
pub(crate) fn mat<'a, T: Real>(a: ArrayView2<'a, T>) -> MatRef<'a, T> {
    let (rows, columns) = a.dim();
    let (row_stride, column_stride) = (a.strides()[0], a.strides()[1]);
    // SAFETY: the view guarantees that every (row, column) within its shape is a readable element at
    // pointer + row·row_stride + column·column_stride for the whole of 'a, which is all that `faer` requires.
    unsafe { MatRef::from_raw_parts(a.as_ptr(), rows, columns, row_stride, column_stride) }
}

/// The same matrix as a mutable backend view.
pub(crate) fn mat_mut<'a, T: Real>(mut a: ArrayViewMut2<'a, T>) -> MatMut<'a, T> {
    let (rows, columns) = a.dim();
    let (row_stride, column_stride) = (a.strides()[0], a.strides()[1]);
    // SAFETY: as in `mat`; a mutable `ndarray` view is the only access to its elements for 'a and never
    // lets two positions share one element.
    unsafe { MatMut::from_raw_parts_mut(a.as_mut_ptr(), rows, columns, row_stride, column_stride) }
}

/// A row-major copy of a backend matrix.
pub(crate) fn array<T: Real>(m: MatRef<'_, T>) -> Array2<T> {
    let mut copy = Array2::zeros((m.nrows(), m.ncols()));
    // The backend stores columns contiguously.
    for (column, mut into) in m.col_iter().zip(copy.columns_mut()) {
        into.iter_mut().zip(column.iter()).for_each(|(into, &v)| *into = v);
    }
    copy
}

/// `a · b` on the calling thread. (The backend's operators use its global thread setting.)
pub(crate) fn times<T: Real>(a: MatRef<'_, T>, b: MatRef<'_, T>) -> Mat<T> {
    let mut product = Mat::zeros(a.nrows(), b.ncols());
    matmul(product.as_mut(), Accum::Replace, a, b, T::from_f64(1.0), Par::Seq);
    product
}
