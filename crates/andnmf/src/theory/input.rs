//! What a matrix must be before theory applies to it.

use ndarray::ArrayView2;

use crate::{Real, ShapeError};

/// Why a matrix was refused. Rows and columns count from 0.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum MatrixError {
    /// Its size is wrong.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// It has an entry that is infinite or not a number.
    #[error("{what}: row {row}, column {column} (counted from 0) is {value}, but every entry must be finite")]
    NotFinite {
        /// Which matrix.
        what: &'static str,
        /// Row of the first such entry.
        row: usize,
        /// Its column.
        column: usize,
        /// The entry.
        value: f64,
    },
    /// It has a negative entry where weights must not be negative.
    #[error("{what}: row {row}, column {column} (counted from 0) is {value}, but no entry may be negative")]
    Negative {
        /// Which matrix.
        what: &'static str,
        /// Row of the first such entry.
        row: usize,
        /// Its column.
        column: usize,
        /// The entry.
        value: f64,
    },
    /// Its entries are so large or small beside those of the truth that the result is no number any more.
    #[error("{what}: out of proportion to the truth, the computation leaves the range of double precision")]
    OutOfProportion {
        /// Which matrix.
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

/// Refuses everything that cannot be a matrix of weights, n samples × K components: no rows, no columns,
/// entries that are negative or not finite.
pub(super) fn check_weights<T: Real>(weights: ArrayView2<'_, T>) -> Result<(), MatrixError> {
    let what = "weights";
    if weights.nrows() == 0 {
        return Err(ShapeError::new(what, weights.dim(), "of at least one sample (row)").into());
    }
    if weights.ncols() == 0 {
        return Err(ShapeError::new(what, weights.dim(), "of at least one component (column)").into());
    }
    check_finite(what, weights)?;
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
    fn the_place_of_an_infinite_weight_is_named() {
        let error = check_weights(array![[1.0, 0.0], [0.5, f64::INFINITY]].view()).unwrap_err();
        assert_eq!(
            error.to_string(),
            "weights: row 1, column 1 (counted from 0) is inf, but every entry must be finite"
        );
        let nan = check_weights(array![[f32::NAN]].view()).unwrap_err();
        assert!(matches!(nan, MatrixError::NotFinite { row: 0, column: 0, .. }));
    }

    #[test]
    fn the_place_of_a_negative_weight_is_named() {
        let error = check_weights(array![[1.0, 0.0], [0.5, 1.0], [-0.25, 0.0]].view()).unwrap_err();
        assert_eq!(error, MatrixError::Negative { what: "weights", row: 2, column: 0, value: -0.25 });
    }

    #[test]
    fn weights_without_samples_are_refused() {
        let error = check_weights(Array2::<f64>::zeros((0, 3)).view()).unwrap_err();
        assert_eq!(error.to_string(), "weights must be of at least one sample (row), but is 0 × 3");
    }

    #[test]
    fn weights_without_components_are_refused() {
        let error = check_weights(Array2::<f64>::zeros((3, 0)).view()).unwrap_err();
        assert_eq!(error.to_string(), "weights must be of at least one component (column), but is 3 × 0");
    }

    #[test]
    fn zero_and_negative_zero_are_weights() {
        assert!(check_weights(array![[0.0, -0.0]].view()).is_ok());
    }
}
