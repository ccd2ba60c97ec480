//! Checks of the matrices that the theory is applied to.

use ndarray::ArrayView2;

use crate::memory::{self, product};
use crate::{Real, ShapeError};

/// Bytes that every pair of components takes, at least: its product, and its place in a list of pairs.
const BYTES_PER_PAIR: usize = 20;

/// The reasons why a matrix is refused. Rows and columns are counted from 0.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum MatrixError {
    /// The shape is wrong.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// An entry is infinite or NaN.
    #[error("{what}: row {row}, column {column} (counted from 0) is {value}, but every entry must be finite")]
    NotFinite {
        /// Name of the matrix.
        what: &'static str,
        /// Row of the first such entry.
        row: usize,
        /// Column of that entry.
        column: usize,
        /// Value of that entry.
        value: f64,
    },
    /// An entry is negative, but weights must not be negative.
    #[error("{what}: row {row}, column {column} (counted from 0) is {value}, but no entry may be negative")]
    Negative {
        /// Name of the matrix.
        what: &'static str,
        /// Row of the first such entry.
        row: usize,
        /// Column of that entry.
        column: usize,
        /// Value of that entry.
        value: f64,
    },
    /// The entries are too large or too small compared with the truth.
    #[error(
        "{what}: too large or too small compared with the truth; the computation overflows double precision"
    )]
    Overflow {
        /// Name of the matrix.
        what: &'static str,
    },
}

/// Refuses infinite entries and NaN.
pub(super) fn check_finite<T: Real>(
    what: &'static str,
    matrix: ArrayView2<'_, T>,
) -> Result<(), MatrixError> {
    match matrix.indexed_iter().find(|(_, v)| !v.finite()) {
        None => Ok(()),
        Some(((row, column), v)) => Err(MatrixError::NotFinite { what, row, column, value: v.as_f64() }),
    }
}

/// Refuses matrices that cannot be weights (n samples × K components): without rows or columns, or with entries that
/// are negative or not finite.
pub(super) fn check_weights<T: Real>(weights: ArrayView2<'_, T>) -> Result<(), MatrixError> {
    let what = "weights";
    if weights.nrows() == 0 {
        return Err(ShapeError::new(what, weights.dim(), "n × rank with at least one row (sample)").into());
    }
    if weights.ncols() == 0 {
        return Err(
            ShapeError::new(what, weights.dim(), "n × rank with at least one column (component)").into()
        );
    }
    check_finite(what, weights)?;
    let pairs = product(&[weights.ncols(), weights.ncols(), BYTES_PER_PAIR]);
    memory::check_shape(what, weights.dim(), "all pairs of components", pairs)?;
    match weights.indexed_iter().find(|(_, v)| v.as_f64() < 0.0) {
        None => Ok(()),
        Some(((row, column), v)) => Err(MatrixError::Negative { what, row, column, value: v.as_f64() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::{Array2, array};

    #[test]
    fn an_infinite_weight_is_refused_with_its_location() {
        let error = check_weights(array![[1.0, 0.0], [0.5, f64::INFINITY]].view()).unwrap_err();
        assert_eq!(
            error.to_string(),
            "weights: row 1, column 1 (counted from 0) is inf, but every entry must be finite"
        );
        let nan = check_weights(array![[f32::NAN]].view()).unwrap_err();
        assert!(matches!(nan, MatrixError::NotFinite { row: 0, column: 0, .. }));
    }

    #[test]
    fn a_negative_weight_is_refused_with_its_location() {
        let error = check_weights(array![[1.0, 0.0], [0.5, 1.0], [-0.25, 0.0]].view()).unwrap_err();
        assert_eq!(error, MatrixError::Negative { what: "weights", row: 2, column: 0, value: -0.25 });
    }

    #[test]
    fn weights_without_samples_are_refused() {
        let error = check_weights(Array2::<f64>::zeros((0, 3)).view()).unwrap_err();
        assert_eq!(
            error.to_string(),
            "weights must be n × rank with at least one row (sample), but is 0 × 3"
        );
    }

    #[test]
    fn weights_without_components_are_refused() {
        let error = check_weights(Array2::<f64>::zeros((3, 0)).view()).unwrap_err();
        assert_eq!(
            error.to_string(),
            "weights must be n × rank with at least one column (component), but is 3 × 0"
        );
    }

    #[test]
    fn zero_and_negative_zero_are_valid_weights() {
        assert!(check_weights(array![[0.0, -0.0]].view()).is_ok());
    }
}
