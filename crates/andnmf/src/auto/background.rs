//! The background that all components share.
//!
//! Weights that are always on at a constant level, and components that share a background, can be two descriptions of
//! the same samples: where the weights of every sample have the same sum, adding a constant to all weights is the
//! same as adding that much of the sum of all components to each of them. No weights can tell which of the two it
//! is; the components can, by their zeros.

use ndarray::{Array1, Array2};

use super::shares::median;
use crate::Real;

/// The share of the mean of all components (scaled to unit length) that each contains: the median over the components of
/// the smallest ratio in all but a few features. Near zero if components have zeros.
///
/// `ignored` is the share of the features, those where a component is smallest beside the mean, that is left out.
pub(super) fn background<T: Real>(components: &Array2<T>, ignored: f64) -> f64 {
    let unit = |row: Array1<f64>| {
        let length = row.dot(&row).sqrt();
        if length > 0.0 { row / length } else { row }
    };
    let rows: Vec<Array1<f64>> = components.outer_iter().map(|row| unit(row.mapv(|v| v.as_f64()))).collect();
    let Some(first) = rows.first() else { return 0.0 };
    let mean = unit(rows.iter().fold(Array1::zeros(first.len()), |sum, row| sum + row));
    let shared = |row: &Array1<f64>| {
        let mut ratios: Vec<f64> =
            row.iter().zip(&mean).filter(|(_, mean)| **mean > 0.0).map(|(v, mean)| v / mean).collect();
        if ratios.is_empty() {
            return 0.0;
        }
        let position = (ratios.len() as f64 * ignored) as usize;
        *ratios.select_nth_unstable_by(position, f64::total_cmp).1
    };
    median(rows.iter().map(shared)).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::random_matrix;

    #[test]
    fn it_is_what_every_component_has_of_the_mean_whatever_their_scales() {
        let zeros = random_matrix::<f64>(9, 200, 1).mapv(|v| v.max(0.0));
        assert_eq!(background(&zeros, 0.02), 0.0);
        let sum = zeros.sum_axis(ndarray::Axis(0));
        let mut shared = zeros;
        for (k, mut row) in shared.outer_iter_mut().enumerate() {
            row.scaled_add(0.1, &sum);
            row *= 10.0_f64.powi(k as i32);
        }
        let found = background(&shared, 0.02);
        assert!(found > 0.2 && found < 0.9, "{found}");
        assert_eq!(background(&Array2::<f64>::zeros((3, 4)), 0.02), 0.0);
    }
}
