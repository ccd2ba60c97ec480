//! A fixed linear map applied to blocks of samples, dense or sparse.

use std::borrow::Cow;

use ndarray::{Array2, ArrayView2, ArrayViewMut2};

use super::gather::add_row_lists;
use super::product::multiply_into;
use crate::Real;
use crate::samples::Block;

/// The map y ↦ M·y for a matrix `M` (outputs × features), laid out for fast application to many samples.
#[derive(Debug, Clone)]
pub(crate) struct RowMap<T: Real> {
    matrix: Array2<T>,
    /// The transpose, where samples are sparse: what one feature contributes is then contiguous.
    by_feature: Option<Array2<T>>,
}

impl<T: Real> RowMap<T> {
    pub(crate) fn new(matrix: Array2<T>, for_sparse: bool) -> Self {
        let by_feature = for_sparse.then(|| matrix.t().as_standard_layout().into_owned());
        Self { matrix, by_feature }
    }

    pub(crate) fn matrix(&self) -> ArrayView2<'_, T> {
        self.matrix.view()
    }

    /// `out[i] ← M · (sample i)`, one row per sample; `out` is row-major.
    pub(crate) fn apply(&self, block: &Block<'_, T>, mut out: ArrayViewMut2<'_, T>) {
        match block {
            Block::Dense(rows) => multiply_into(out, rows.view(), self.matrix.t()),
            Block::Sparse(rows) => {
                let by_feature = match &self.by_feature {
                    Some(matrix) => Cow::Borrowed(matrix),
                    // Only a caller that announced dense samples comes here: correct, not fast.
                    None => Cow::Owned(self.matrix.t().as_standard_layout().into_owned()),
                };
                let matrix = by_feature.as_slice().expect("made in row-major order");
                let width = by_feature.ncols();
                let mut features = Vec::new();
                out.fill(T::from_f64(0.0));
                for (i, mut out) in out.outer_iter_mut().enumerate() {
                    let values = rows.row_parts(i, &mut features);
                    let out = out.as_slice_mut().expect("rows of a row-major matrix are contiguous");
                    add_row_lists(out, width, matrix, std::iter::once((features.as_slice(), values)));
                }
            }
        }
    }
}
