//! The decoder: z = φ_α(A† y), the pseudo-inverse of the stage's first components followed by a hard threshold.

use ndarray::{Array2, ArrayView2, ArrayViewMut2};

use crate::linalg::linear_map::LinearMap;
use crate::linalg::product::all_finite;
use crate::linalg::pseudo_inverse::{PseudoInverseWorkspace, pseudo_inverse_into};
use crate::samples::Block;
use crate::{Real, ShapeError};

/// The decoder of one stage, which does not change within the stage.
///
/// ```
/// use andnmf::and::Decoder;
/// use andnmf::samples::{DenseSamples, Samples};
///
/// let components = ndarray::array![[1.0_f64, 0.0, 1.0], [0.0, 2.0, 0.0]];
/// let samples = DenseSamples::new(ndarray::array![[3.0, 2.0, 3.0]])?;
/// let decoder = Decoder::new(components.view(), false).expect("finite components");
/// let weights = decoder.decode(&samples.block(0..1)?)?;
/// assert!((weights[[0, 0]] - 3.0).abs() < 1e-12 && (weights[[0, 1]] - 1.0).abs() < 1e-12);
/// # Ok::<(), andnmf::FitError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Decoder<T: Real> {
    inverse: LinearMap<T>,
    numerical_rank: usize,
}

impl<T: Real> Decoder<T> {
    /// The decoder of `components` (rank × features), laid out for dense or for sparse samples.
    ///
    /// Singular values at or below max(rank, features)·ε times the largest count as zero. `None` if the components
    /// are empty or not finite, or their pseudo-inverse overflows.
    #[must_use]
    pub fn new(components: ArrayView2<'_, T>, for_sparse: bool) -> Option<Self> {
        if components.is_empty() {
            return None;
        }
        let mut decoder = Self::from_matrix(Array2::zeros(components.dim()), for_sparse);
        decoder.update(components, &mut PseudoInverseWorkspace::default())?;
        Some(decoder)
    }

    /// Recomputes the decoder for other components of the same shape. After `None`, the decoder is invalid.
    pub(crate) fn update(
        &mut self,
        components: ArrayView2<'_, T>,
        workspace: &mut PseudoInverseWorkspace,
    ) -> Option<()> {
        if !all_finite(components) {
            return None;
        }
        let mut rank = None;
        self.inverse.update(|matrix| rank = pseudo_inverse_into(matrix, components, workspace));
        self.numerical_rank = rank?;
        all_finite(self.matrix()).then_some(())
    }

    /// A decoder from its matrix A† (rank × features).
    pub(crate) fn from_matrix(matrix: Array2<T>, for_sparse: bool) -> Self {
        Self { numerical_rank: matrix.nrows(), inverse: LinearMap::new(matrix, for_sparse) }
    }

    /// Number of linearly independent components, up to rounding.
    #[must_use]
    pub fn numerical_rank(&self) -> usize {
        self.numerical_rank
    }

    /// A† as a rank × features matrix.
    #[must_use]
    pub fn matrix(&self) -> ArrayView2<'_, T> {
        self.inverse.matrix()
    }

    /// A† y for every sample of a block (samples × rank), before thresholding.
    ///
    /// # Errors
    /// If the block does not have the features of the components.
    pub fn decode(&self, block: &Block<'_, T>) -> Result<Array2<T>, ShapeError> {
        self.check(block)?;
        let mut decoded = Array2::zeros((block.n_samples(), self.matrix().nrows()));
        self.decode_into(block, decoded.view_mut());
        Ok(decoded)
    }

    /// [`decode`](Self::decode) into row-major memory of the right shape.
    pub(crate) fn decode_into(&self, block: &Block<'_, T>, decoded: ArrayViewMut2<'_, T>) {
        self.inverse.apply(block, decoded);
    }

    /// Checks that the block has the features of the components.
    pub(crate) fn check(&self, block: &Block<'_, T>) -> Result<(), ShapeError> {
        let n_features = self.matrix().ncols();
        if block.n_features() == n_features {
            return Ok(());
        }
        let given = (block.n_samples(), block.n_features());
        Err(ShapeError::new(
            "the block of samples",
            given,
            format!("any number of samples × {n_features} features"),
        ))
    }
}

/// φ_α: the value if it is at or above the threshold, else zero.
#[inline(always)]
pub(crate) fn hard_threshold<T: Real>(value: T, threshold: T) -> T {
    if value >= threshold { value } else { T::from_f64(0.0) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::product::multiply;
    use crate::samples::{CsrSamples, DenseSamples, Samples};
    use crate::testing::{assert_close, random_matrix};

    #[test]
    fn weights_of_exact_mixtures_are_decoded() {
        let (weights, components) = (random_matrix::<f64>(30, 4, 1), random_matrix::<f64>(4, 12, 2));
        let samples = DenseSamples::new(multiply(weights.view(), components.view())).unwrap();
        let decoder = Decoder::new(components.view(), false).unwrap();
        assert_close(&decoder.decode(&samples.block(0..30).unwrap()).unwrap(), &weights, 1e-12);
        assert_eq!(decoder.numerical_rank(), 4);
    }

    #[test]
    fn sparse_rows_are_decoded_like_dense_ones_in_either_layout() {
        let components = random_matrix::<f64>(5, 3, 3);
        let dense =
            DenseSamples::new(ndarray::array![[0.0, 2.0, 0.0], [0.0, 0.0, 0.0], [1.0, 0.0, -3.0]]).unwrap();
        let sparse = CsrSamples::new(3, &[0_u32, 1, 1, 3], vec![1_u32, 2, 0], vec![2.0, -3.0, 1.0]).unwrap();
        let expected =
            Decoder::new(components.view(), false).unwrap().decode(&dense.block(0..3).unwrap()).unwrap();
        for for_sparse in [true, false] {
            let decoder = Decoder::new(components.view(), for_sparse).unwrap();
            assert_close(&decoder.decode(&sparse.block(0..3).unwrap()).unwrap(), &expected, 1e-14);
        }
    }

    #[test]
    fn without_components_or_features_there_is_no_decoder() {
        for (shape, for_sparse) in [((0, 4), true), ((0, 4), false), ((3, 0), true)] {
            assert!(Decoder::new(Array2::<f64>::zeros(shape).view(), for_sparse).is_none());
        }
    }

    #[test]
    fn a_block_with_other_features_is_refused() {
        let decoder = Decoder::new(random_matrix::<f64>(2, 4, 1).view(), false).unwrap();
        let samples = DenseSamples::new(random_matrix::<f64>(3, 5, 2)).unwrap();
        let error = decoder.decode(&samples.block(0..3).unwrap()).unwrap_err();
        assert_eq!(error.given, (3, 5));
    }

    #[test]
    fn the_threshold_is_hard_and_includes_its_own_value() {
        assert_eq!(hard_threshold(0.5, 0.5), 0.5);
        assert_eq!(hard_threshold(0.4999, 0.5), 0.0);
        assert_eq!(hard_threshold(-3.0, 0.5), 0.0);
    }
}
