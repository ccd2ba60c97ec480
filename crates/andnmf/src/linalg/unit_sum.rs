//! Rows normalized to sum 1.

use ndarray::{Array2, Axis};

use crate::Real;

/// Each row of positive numbers divided by its sum.
pub(crate) fn rows_of_unit_sum<T: Real>(matrix: &Array2<T>) -> Array2<T> {
    let mut shares = matrix.clone();
    for mut row in shares.axis_iter_mut(Axis(0)) {
        let total: f64 = row.iter().map(|v| v.as_f64()).sum();
        // The total is zero only if all values underflowed.
        let even = 1.0 / row.len() as f64;
        row.mapv_inplace(|v| T::from_f64(if total > 0.0 { v.as_f64() / total } else { even }));
    }
    shares
}
