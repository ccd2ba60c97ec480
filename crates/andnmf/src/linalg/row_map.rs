//! A fixed linear map applied to blocks of samples, dense or sparse.

use ndarray::{Array2, ArrayView2, ArrayViewMut2};

use super::feature_rows::FeatureRows;
use super::product::multiply_into;
use crate::Real;
use crate::pool::Pool;
use crate::samples::Block;

/// The map y ↦ M·y for a matrix `M` (outputs × features), laid out for fast application to many samples.
#[derive(Debug, Clone)]
pub(crate) struct RowMap<T: Real> {
    matrix: Array2<T>,
    /// The transpose, where samples are sparse: what one feature contributes is then contiguous.
    by_feature: Option<FeatureRows<T>>,
    /// Workspace for the features of samples.
    room: Pool<Vec<u32>>,
}

impl<T: Real> RowMap<T> {
    pub(crate) fn new(matrix: Array2<T>, for_sparse: bool) -> Self {
        let by_feature = for_sparse.then(|| FeatureRows::of_columns(matrix.view()));
        Self { matrix, by_feature, room: Pool::default() }
    }

    /// Takes another matrix of the same shape.
    pub(crate) fn renew(&mut self, renew: impl FnOnce(&mut Array2<T>)) {
        renew(&mut self.matrix);
        if let Some(by_feature) = &mut self.by_feature {
            by_feature.copy_columns(self.matrix.view());
        }
    }

    pub(crate) fn matrix(&self) -> ArrayView2<'_, T> {
        self.matrix.view()
    }

    /// `out[i] ← M · (sample i)`, one row per sample; `out` is row-major.
    pub(crate) fn apply(&self, block: &Block<'_, T>, mut out: ArrayViewMut2<'_, T>) {
        match block {
            Block::Dense(rows) => multiply_into(out, rows.view(), self.matrix.t()),
            Block::Sparse(rows) => {
                let out = out.as_slice_mut().expect("row-major");
                self.room.lend(|room| match &self.by_feature {
                    Some(by_feature) => by_feature.gather(rows, out, room),
                    // Only a caller that announced dense samples comes here: correct, not fast.
                    None => FeatureRows::of_columns(self.matrix.view()).gather(rows, out, room),
                });
            }
        }
    }
}
