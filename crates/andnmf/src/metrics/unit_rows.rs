//! Rows split into directions and lengths, so that comparisons ignore scale.

use ndarray::{Array2, ArrayView1, ArrayView2};

use crate::memory::{self, product};
use crate::{Real, ShapeError};

/// The rows of a matrix as unit vectors and lengths.
pub(super) struct UnitRows {
    /// Unit vectors; zero for rows that are all zero or have an entry that is not finite.
    pub(super) directions: Array2<f64>,
    /// 0 for a zero row, infinite for a row with an entry that is not finite.
    pub(super) lengths: Vec<f64>,
}

impl UnitRows {
    pub(super) fn of<T: Real>(matrix: ArrayView2<'_, T>) -> Self {
        let mut directions = matrix.mapv(Real::as_f64);
        let lengths = directions
            .rows_mut()
            .into_iter()
            .map(|mut row| {
                let largest = largest_magnitude(row.view());
                if largest == 0.0 || !largest.is_finite() {
                    row.fill(0.0);
                    return largest;
                }
                // Dividing by the largest entry first keeps the squares representable.
                row.mapv_inplace(|v| v / largest);
                let length = row.dot(&row).sqrt();
                row.mapv_inplace(|v| v / length);
                // The length of a finite row may overflow; keep it finite.
                (largest * length).min(f64::MAX)
            })
            .collect();
        Self { directions, lengths }
    }

    /// Returns true if row `i` is finite and not zero.
    pub(super) fn has_direction(&self, i: usize) -> bool {
        self.lengths[i] > 0.0 && self.lengths[i].is_finite()
    }
}

/// The largest absolute entry; infinite if any entry is not finite.
fn largest_magnitude(row: ArrayView1<'_, f64>) -> f64 {
    row.iter().fold(0.0, |top, v| if v.is_finite() { v.abs().max(top) } else { f64::INFINITY })
}

/// Checks that components and truth have the same number of features, and that there is memory for all pairs.
pub(super) fn check_same_width<T: Real>(
    components: ArrayView2<'_, T>,
    truth: ArrayView2<'_, T>,
) -> Result<(), ShapeError> {
    if components.ncols() != truth.ncols() {
        let expected = format!("rank × {} (the features of the truth)", truth.ncols());
        return Err(ShapeError::new("components", components.dim(), expected));
    }
    // Their cosines, and the costs of matching them.
    let pairs = product(&[components.nrows(), truth.nrows(), 2, size_of::<f64>()]);
    memory::check_shape("components", components.dim(), "all pairs with the truth", pairs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn splits_a_row_into_direction_and_length() {
        let rows = UnitRows::of(array![[3.0, -4.0], [0.0, 0.0]].view());
        assert!(
            (rows.directions[[0, 0]] - 0.6).abs() < 1e-15 && (rows.directions[[0, 1]] + 0.8).abs() < 1e-15
        );
        assert!((rows.lengths[0] - 5.0).abs() < 1e-15);
        assert_eq!(rows.lengths[1], 0.0);
        assert!(rows.has_direction(0) && !rows.has_direction(1));
    }

    #[test]
    fn extreme_rows_keep_their_direction() {
        for size in [1e-320, 1e-200, 1e200, f64::MAX] {
            let rows = UnitRows::of(array![[size, size]].view());
            assert!((rows.directions[[0, 0]] - 0.5_f64.sqrt()).abs() < 1e-15, "at {size:e}");
            assert!(rows.has_direction(0), "at {size:e}");
        }
    }

    #[test]
    fn a_row_that_is_not_finite_has_no_direction() {
        for odd in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let rows = UnitRows::of(array![[odd, 1.0], [1.0, odd]].view());
            assert!(!rows.has_direction(0) && !rows.has_direction(1));
            assert!(rows.directions.iter().all(|&v| v == 0.0));
        }
    }
}
