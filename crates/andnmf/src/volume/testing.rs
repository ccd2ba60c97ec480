//! Shared by the tests of components of least volume.

use ndarray::{Array2, ArrayView1, Axis};

use super::SoftVolume;
use crate::linalg::determinant::log_determinant_and_inverse;

/// Largest sine between a row and the nearest of the others.
pub(super) fn error(found: &Array2<f64>, truth: &Array2<f64>) -> f64 {
    let unit = |m: &Array2<f64>| {
        let lengths = m.mapv(|v| v * v).sum_axis(Axis(1)).mapv(f64::sqrt);
        m / &lengths.insert_axis(Axis(1))
    };
    let cosines = unit(truth).dot(&unit(found).t());
    let sine =
        |row: ArrayView1<'_, f64>| (1.0 - row.iter().copied().fold(0.0, f64::max).powi(2)).max(0.0).sqrt();
    cosines.outer_iter().map(sine).fold(0.0, f64::max)
}

/// The problem of samples made of these components.
pub(super) fn problem(rows: &Array2<f64>, components: &Array2<f64>, noise: f64) -> SoftVolume<'static> {
    // The sum of weights is the function that is one on every component.
    let (_, inverse) = log_determinant_and_inverse(components.view()).unwrap();
    let rows = rows.clone();
    SoftVolume { rows: rows.into(), sums: inverse.sum_axis(Axis(1)), noise }
}
