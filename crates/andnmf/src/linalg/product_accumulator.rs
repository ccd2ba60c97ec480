//! Accumulates Σ z yᵀ over samples y with weights z, in a memory layout that suits dense or sparse samples.

use ndarray::{Array2, ArrayView2, ArrayViewMut2};

use super::feature_rows::{FeatureRows, stride};
use super::product::{multiply_add, prefaulted_zeros};
use crate::Real;
use crate::samples::Block;

/// The running sum Σ z yᵀ.
#[derive(Debug, Clone)]
pub(crate) enum ProductAccumulator<T: Real> {
    /// Rank × features, for dense samples.
    ByComponent(Array2<T>),
    /// Features × rank, for sparse samples.
    ByFeature(FeatureRows<T>),
}

impl<T: Real> ProductAccumulator<T> {
    /// A sum over no samples.
    pub(crate) fn new(rank: usize, n_features: usize, for_sparse: bool) -> Self {
        if for_sparse {
            Self::ByFeature(FeatureRows::zeros(n_features, rank))
        } else {
            let sum = prefaulted_zeros(rank * n_features);
            Self::ByComponent(
                Array2::from_shape_vec((rank, n_features), sum).expect("rank × features values"),
            )
        }
    }

    /// The number of values that such a sum stores.
    pub(crate) fn size(rank: usize, n_features: usize, for_sparse: bool) -> usize {
        n_features * if for_sparse { stride::<T>(rank) } else { rank }
    }

    /// Resets the sum to zero.
    pub(crate) fn clear(&mut self) {
        match self {
            Self::ByComponent(sum) => sum.fill(T::from_f64(0.0)),
            Self::ByFeature(sum) => sum.clear(),
        }
    }

    /// Adds a block of samples with their weights (samples × rank).
    pub(crate) fn add(&mut self, block: &Block<'_, T>, z: ArrayView2<'_, T>, scratch: &mut Vec<u32>) {
        match (block, self) {
            (Block::Dense(rows), Self::ByComponent(sum)) => {
                multiply_add(sum.view_mut(), z.t(), rows.view(), T::from_f64(1.0));
            }
            (Block::Sparse(rows), Self::ByFeature(sum)) => {
                sum.scatter(rows, z.as_standard_layout().as_slice().expect("row-major"), scratch);
            }
            // Slow path: dense and sparse blocks mixed in one fold.
            (block, Self::ByComponent(sum)) => {
                block.for_each(|i, feature, y| sum.column_mut(feature).scaled_add(y, &z.row(i)));
            }
            (block, Self::ByFeature(sum)) => block.for_each(|i, feature, y| {
                sum.row_mut(feature).iter_mut().zip(z.row(i)).for_each(|(sum, &z)| *sum += y * z);
            }),
        }
    }

    /// Adds the sum of other samples, which must have the same shape.
    pub(crate) fn merge(&mut self, other: &Self) {
        match (self, other) {
            (Self::ByComponent(mine), Self::ByComponent(theirs)) => *mine += theirs,
            (Self::ByFeature(mine), Self::ByFeature(theirs)) => mine.add(theirs),
            (Self::ByComponent(mine), Self::ByFeature(theirs)) => *mine += &theirs.view().t(),
            (Self::ByFeature(mine), Self::ByComponent(theirs)) => {
                for (feature, column) in theirs.columns().into_iter().enumerate() {
                    mine.row_mut(feature).iter_mut().zip(column).for_each(|(sum, &v)| *sum += v);
                }
            }
        }
    }

    /// Rank × features.
    pub(crate) fn view(&self) -> ArrayView2<'_, T> {
        match self {
            Self::ByComponent(sum) => sum.view(),
            Self::ByFeature(sum) => sum.view().reversed_axes(),
        }
    }

    /// Rank × features.
    pub(crate) fn view_mut(&mut self) -> ArrayViewMut2<'_, T> {
        match self {
            Self::ByComponent(sum) => sum.view_mut(),
            Self::ByFeature(sum) => sum.view_mut().reversed_axes(),
        }
    }

    /// Rank × features, row-major.
    pub(crate) fn into_matrix(self) -> Array2<T> {
        match self {
            Self::ByComponent(sum) => sum,
            Self::ByFeature(sum) => sum.view().t().as_standard_layout().into_owned(),
        }
    }
}
