//! A fixed linear map applied to blocks of samples, dense or sparse.

use ndarray::{Array2, ArrayView2, ArrayViewMut2};

use super::feature_rows::FeatureRows;
use super::product::multiply_into;
use crate::Real;
use crate::pool::Pool;
use crate::samples::Block;

/// The map y ↦ M·y for a matrix `M` (outputs × features), laid out for fast application to many samples.
#[derive(Debug, Clone)]
pub(crate) struct LinearMap<T: Real> {
    matrix: Array2<T>,
    /// The transpose, for sparse samples: the contribution of one feature is then contiguous.
    by_feature: Option<FeatureRows<T>>,
    /// Scratch buffers for feature indices.
    scratch: Pool<Vec<u32>>,
}

impl<T: Real> LinearMap<T> {
    pub(crate) fn new(matrix: Array2<T>, for_sparse: bool) -> Self {
        let by_feature = for_sparse.then(|| FeatureRows::from_columns(matrix.view()));
        Self { matrix, by_feature, scratch: Pool::default() }
    }

    /// Overwrites the matrix with another one of the same shape.
    pub(crate) fn update(&mut self, write: impl FnOnce(&mut Array2<T>)) {
        write(&mut self.matrix);
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
                self.scratch.lend(|scratch| match &self.by_feature {
                    Some(by_feature) => by_feature.gather(rows, out, scratch),
                    // Slow path: sparse blocks from a source that declared dense samples.
                    None => FeatureRows::from_columns(self.matrix.view()).gather(rows, out, scratch),
                });
            }
        }
    }
}
