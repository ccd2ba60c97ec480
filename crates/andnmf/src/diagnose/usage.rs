//! How often and how strongly the samples use a component.

use ndarray::{Array2, ArrayView1, ArrayView2};
use serde::Serialize;

use crate::Real;
use crate::constants::DiagnosisConstants;

/// The usage of one component, with weights in units of its largest weight.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ComponentUsage {
    /// Number of samples in which its weight is at least 1/100 of its largest.
    pub on: usize,
    /// The share of these samples.
    pub on_share: f64,
    /// The smallest weight of any sample.
    pub smallest: f64,
    /// The weight that it reaches in 99 % of the samples: its background level.
    pub floor: f64,
    /// The mean weight.
    pub mean: f64,
}

impl ComponentUsage {
    /// Computes the usage from weights in units of the largest; all zero if the component is never used.
    pub(super) fn of(weights: ArrayView1<'_, f64>, constants: &DiagnosisConstants) -> Self {
        let count = weights.len();
        let mut sorted = weights.to_vec();
        sorted.sort_unstable_by(f64::total_cmp);
        let on = count - sorted.partition_point(|&weight| weight < constants.on);
        Self {
            on,
            on_share: on as f64 / count.max(1) as f64,
            smallest: sorted.first().copied().unwrap_or(0.0),
            floor: sorted.get((constants.floor_quantile * count as f64) as usize).copied().unwrap_or(0.0),
            mean: sorted.iter().sum::<f64>() / count.max(1) as f64,
        }
    }
}

/// The weights with each component divided by its largest weight, because its scale is arbitrary.
pub(super) fn scaled_to_largest<T: Real>(weights: ArrayView2<'_, T>) -> Array2<f64> {
    let mut units = weights.mapv(Real::as_f64);
    for mut column in units.columns_mut() {
        let largest = column.iter().copied().fold(0.0, f64::max);
        if largest > 0.0 {
            column.mapv_inplace(|weight| weight / largest);
        }
    }
    units
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::{Array1, array};

    fn usage(weights: ArrayView1<'_, f64>) -> ComponentUsage {
        ComponentUsage::of(weights, &DiagnosisConstants::default())
    }

    #[test]
    fn a_small_case_by_hand() {
        let units = scaled_to_largest(array![[2.0_f32, 0.0], [8.0, 0.0], [0.04, 0.0], [0.0, 0.0]].view());
        let first = usage(units.column(0));
        assert_eq!((first.on, first.on_share, first.smallest, first.floor), (2, 0.5, 0.0, 0.0));
        assert!((first.mean - 1.255 / 4.0).abs() < 1e-8);
        let unused = usage(units.column(1));
        assert_eq!((unused.on, unused.mean), (0, 0.0));
    }

    #[test]
    fn the_floor_ignores_one_sample_in_a_hundred() {
        let mut weights = Array1::from_elem(200, 0.5);
        weights[7] = 1.0;
        weights[3] = 0.0;
        weights[100] = 0.1;
        let result = usage(weights.view());
        assert_eq!((result.smallest, result.floor, result.on), (0.0, 0.5, 199));
        weights[9] = 0.2;
        assert_eq!(usage(weights.view()).floor, 0.2);
    }
}
