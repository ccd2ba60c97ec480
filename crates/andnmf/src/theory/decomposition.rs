//! Decomposition of components in terms of the truth: A = A*(Σ + E) + N.

use ndarray::{Array2, ArrayView2};
use serde::Serialize;

use super::input::{MatrixError, check_finite};
use crate::linalg::product::multiply;
use crate::linalg::pseudo_inverse::pseudo_inverse_of_rows;
use crate::linalg::symmetric::spectral_norm;
use crate::{Real, ShapeError};

/// The three errors of the paper's analysis, as spectral norms.
#[derive(Serialize, Clone, Copy, Debug, PartialEq)]
pub struct ErrorNorms {
    /// ‖Σ − I‖₂: the error of the lengths. Harmless; ℓ₁ of the stage lemma.
    pub scale_error: f64,
    /// ‖E‖₂: the amount of other true components mixed in, which each stage must reduce; ℓ₂ of the stage lemma and ℓ of
    /// the initialization.
    pub mixing_error: f64,
    /// ‖N‖₂: the part outside the span of the truth; ρ of the (ℓ, ρ)-initialization.
    pub outside_error: f64,
}

/// A = A*(Σ + E) + N with Σ diagonal, E off-diagonal and N orthogonal to the span of the truth.
///
/// This is the form of the paper's ℓ-initialization and (ℓ, ρ)-initialization. Component i is compared with true
/// component i, without matching: the algorithm keeps the order of its initialization.
///
/// ```
/// use andnmf::theory::Decomposition;
/// let truth = ndarray::Array2::<f64>::eye(2);
/// let components = ndarray::array![[1.5, 0.25], [0.0, 1.0]];
/// let norms = Decomposition::of(components.view(), truth.view())?.norms;
/// assert!((norms.scale_error - 0.5).abs() < 1e-12 && (norms.mixing_error - 0.25).abs() < 1e-12);
/// # Ok::<(), andnmf::theory::MatrixError>(())
/// ```
#[derive(Serialize, Clone, Debug, PartialEq)]
pub struct Decomposition {
    /// The diagonal of Σ: the share of its own true component in each component.
    pub diagonal: Vec<f64>,
    /// E, as in the paper: row j, column i is the share of true component j in component i. The diagonal is zero.
    pub off_diagonal: Array2<f64>,
    /// N with one row per component (the transpose of the paper's matrix).
    pub outside: Array2<f64>,
    /// The spectral norms of the three errors.
    pub norms: ErrorNorms,
}

impl Decomposition {
    /// Decomposes `components` by least squares over `truth`, both K × W.
    ///
    /// If the true components are linearly dependent, the shares are not unique; those nearest to Σ = I, E = 0 are
    /// used. In particular, a zero true component has share 1 in its own component and 0 in others.
    ///
    /// # Errors
    /// If the shapes differ, an entry is not finite, or the shares overflow.
    pub fn of<T: Real>(components: ArrayView2<'_, T>, truth: ArrayView2<'_, T>) -> Result<Self, MatrixError> {
        if components.dim() != truth.dim() {
            let expected = format!("{} × {} like the truth", truth.nrows(), truth.ncols());
            return Err(ShapeError::new("components", components.dim(), expected).into());
        }
        check_finite("components", components)?;
        check_finite("truth", truth)?;
        let size = truth.nrows();
        if truth.is_empty() {
            let norms = ErrorNorms { scale_error: 0.0, mixing_error: 0.0, outside_error: 0.0 };
            let (off_diagonal, outside) = (Array2::zeros((size, size)), Array2::zeros(truth.dim()));
            return Ok(Self { diagonal: vec![1.0; size], off_diagonal, outside, norms });
        }

        // Dividing both matrices by one number does not change the shares and avoids overflow of squares.
        let largest = truth.iter().fold(0.0, |top: f64, v| top.max(v.as_f64().abs()));
        let unit = if largest == 0.0 { 1.0 } else { largest };
        let truth = truth.mapv(|v| v.as_f64() / unit);
        let difference = components.mapv(|v| v.as_f64() / unit) - &truth;

        // Decoding the difference gives Σ + E − I directly, which keeps the digits of errors as small as 1e-13.
        let overflow = MatrixError::Overflow { what: "components" };
        let Some(decoder) = pseudo_inverse_of_rows(truth.view()) else { return Err(overflow) };
        let deviation = multiply(decoder.matrix.view(), difference.t());
        let outside = (&difference - &multiply(deviation.t(), truth.view())) * unit;
        if deviation.iter().chain(&outside).any(|v| !v.is_finite()) {
            return Err(overflow);
        }

        let scale_error = deviation.diag().iter().fold(0.0, |top: f64, v| top.max(v.abs()));
        let diagonal = deviation.diag().iter().map(|v| 1.0 + v).collect();
        let mut off_diagonal = deviation;
        off_diagonal.diag_mut().fill(0.0);
        let norms = ErrorNorms {
            scale_error,
            mixing_error: spectral_norm(off_diagonal.view()),
            outside_error: spectral_norm(outside.view()),
        };
        Ok(Self { diagonal, off_diagonal, outside, norms })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_close, random_matrix};
    use ndarray::{Array1, array, s};

    /// The components of a decomposition.
    fn multiply_back(parts: &Decomposition, truth: &Array2<f64>) -> Array2<f64> {
        let shares = Array2::from_diag(&Array1::from(parts.diagonal.clone())) + &parts.off_diagonal;
        multiply(shares.t(), truth.view()) + &parts.outside
    }

    #[test]
    fn recovers_known_shares_and_the_part_outside() {
        // The truth lives in the first twelve features, N in the other eight.
        let mut truth = random_matrix::<f64>(5, 20, 1);
        truth.slice_mut(s![.., 12..]).fill(0.0);
        let mut outside = random_matrix::<f64>(5, 20, 2);
        outside.slice_mut(s![.., ..12]).fill(0.0);
        let diagonal = array![1.1, 0.9, 1.0, 0.8, 1.3];
        let mut mixing = random_matrix::<f64>(5, 5, 3) * 0.05;
        mixing.diag_mut().fill(0.0);
        let shares = Array2::from_diag(&diagonal) + &mixing;
        let components = multiply(shares.t(), truth.view()) + &outside;

        let parts = Decomposition::of(components.view(), truth.view()).unwrap();
        assert_close(&parts.off_diagonal, &mixing, 1e-13);
        assert_close(&parts.outside, &outside, 1e-13);
        assert!(parts.diagonal.iter().zip(&diagonal).all(|(a, b)| (a - b).abs() < 1e-13));
        assert!((parts.norms.scale_error - 0.3).abs() < 1e-13);
        assert!((parts.norms.mixing_error - spectral_norm(mixing.view())).abs() < 1e-13);
        assert!((parts.norms.outside_error - spectral_norm(outside.view())).abs() < 1e-13);
    }

    #[test]
    fn multiplies_back_and_leaves_nothing_of_the_truth_outside() {
        let (components, truth) = (random_matrix::<f64>(6, 15, 4), random_matrix::<f64>(6, 15, 5));
        let parts = Decomposition::of(components.view(), truth.view()).unwrap();
        assert_close(&multiply_back(&parts, &truth), &components, 1e-13);
        assert_close(&multiply(parts.outside.view(), truth.t()), &Array2::zeros((6, 6)), 1e-13);
        assert!(parts.off_diagonal.diag().iter().all(|&v| v == 0.0));
    }

    #[test]
    fn rows_and_columns_of_the_mixing_are_the_papers() {
        // Component 0 holds a quarter of true component 1, nothing the other way round.
        let truth = Array2::<f64>::eye(2);
        let parts = Decomposition::of(array![[1.0, 0.25], [0.0, 1.0]].view(), truth.view()).unwrap();
        assert_eq!(parts.off_diagonal, array![[0.0, 0.0], [0.25, 0.0]]);
    }

    #[test]
    fn tiny_errors_keep_their_digits() {
        let truth = random_matrix::<f64>(8, 30, 6);
        let mut mixing = random_matrix::<f64>(8, 8, 7);
        mixing.diag_mut().fill(0.0);
        mixing *= 1e-12 / spectral_norm(mixing.view());
        let components = &truth + &multiply(mixing.t(), truth.view());
        let norms = Decomposition::of(components.view(), truth.view()).unwrap().norms;
        assert!((norms.mixing_error / 1e-12 - 1.0).abs() < 1e-2, "{norms:?}");
        assert!(norms.scale_error < 1e-14 && norms.outside_error < 1e-14, "{norms:?}");
    }

    #[test]
    fn the_truth_itself_has_no_error_at_any_size() {
        for size in [1.0, 1e-200, 1e200] {
            let truth = random_matrix::<f64>(4, 9, 8) * size;
            let norms = Decomposition::of(truth.view(), truth.view()).unwrap().norms;
            assert_eq!(norms, ErrorNorms { scale_error: 0.0, mixing_error: 0.0, outside_error: 0.0 });
        }
    }

    #[test]
    fn dependent_or_zero_truth_still_multiplies_back() {
        let mut truth = random_matrix::<f64>(4, 10, 9);
        let copy = truth.row(0).to_owned();
        truth.row_mut(1).assign(&copy);
        truth.row_mut(2).fill(0.0);
        let same = Decomposition::of(truth.view(), truth.view()).unwrap();
        assert_eq!(same.norms.mixing_error, 0.0);
        let components = random_matrix::<f64>(4, 10, 10);
        let parts = Decomposition::of(components.view(), truth.view()).unwrap();
        assert_close(&multiply_back(&parts, &truth), &components, 1e-12);
        assert_eq!(parts.diagonal[2], 1.0);
    }

    #[test]
    fn no_components_or_no_features_give_no_error() {
        for shape in [(0, 0), (0, 4), (3, 0)] {
            let empty = Array2::<f32>::zeros(shape);
            let parts = Decomposition::of(empty.view(), empty.view()).unwrap();
            assert_eq!((parts.diagonal.len(), parts.norms.mixing_error), (shape.0, 0.0));
        }
    }

    #[test]
    fn components_of_another_shape_are_refused() {
        let error = Decomposition::of(Array2::<f64>::ones((2, 3)).view(), Array2::ones((3, 3)).view());
        assert_eq!(error.unwrap_err().to_string(), "components must be 3 × 3 like the truth, but is 2 × 3");
    }

    #[test]
    fn an_entry_that_is_not_finite_is_refused_with_its_location() {
        let (fine, mut odd) = (Array2::<f64>::eye(2), Array2::<f64>::eye(2));
        odd[[1, 0]] = f64::NAN;
        for (components, truth, name) in [(&odd, &fine, "components"), (&fine, &odd, "truth")] {
            let error = Decomposition::of(components.view(), truth.view()).unwrap_err();
            assert!(
                matches!(error, MatrixError::NotFinite { what, row: 1, column: 0, .. } if what == name),
                "{error}"
            );
        }
    }

    #[test]
    fn components_that_overflow_relative_to_the_truth_are_refused() {
        let error = Decomposition::of(array![[1e300]].view(), array![[1e-300]].view()).unwrap_err();
        assert_eq!(error, MatrixError::Overflow { what: "components" });
    }
}
