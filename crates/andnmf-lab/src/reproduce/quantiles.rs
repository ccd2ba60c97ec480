//! Median and percentiles over seeds.

use serde::Serialize;

/// Median, 10th and 90th percentile of several values.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Band {
    /// The median.
    pub median: f64,
    /// The tenth percentile.
    pub low: f64,
    /// The ninetieth percentile.
    pub high: f64,
}

impl Band {
    /// The band of some values; `None` if there are none, or one is NaN.
    #[must_use]
    pub fn of(values: &[f64]) -> Option<Self> {
        let mut sorted = values.to_vec();
        if sorted.is_empty() || sorted.iter().any(|value| value.is_nan()) {
            return None;
        }
        sorted.sort_by(f64::total_cmp);
        Some(Self {
            median: quantile(&sorted, 0.5),
            low: quantile(&sorted, 0.1),
            high: quantile(&sorted, 0.9),
        })
    }
}

/// The median of some values; `None` if there are none, or one is NaN.
#[must_use]
pub fn median(values: &[f64]) -> Option<f64> {
    Band::of(values).map(|band| band.median)
}

/// Linear interpolation between neighbouring ranks, numpy's default.
fn quantile(sorted: &[f64], share: f64) -> f64 {
    let rank = share * (sorted.len() - 1) as f64;
    let (below, between) = (rank.floor() as usize, rank.fract());
    let low = sorted[below];
    match sorted.get(below + 1) {
        Some(high) if between > 0.0 => low + between * (high - low),
        _ => low,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A quantile by counting ranks in small steps.
    fn naive(values: &[f64], share: f64) -> f64 {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let last = sorted.len() - 1;
        // The value at each step is a mixture of two neighbours.
        let steps = 1000 * last.max(1);
        let at = (share * steps as f64).round() as usize;
        let (rank, part) = (at * last / steps, (at * last % steps) as f64 / steps as f64);
        (1.0 - part) * sorted[rank] + part * sorted[(rank + 1).min(last)]
    }

    #[test]
    fn quantiles_equal_those_of_a_naive_count() {
        let mut state = 7_u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 40) as f64
        };
        for length in 1..25 {
            let values: Vec<f64> = (0..length).map(|_| next()).collect();
            let band = Band::of(&values).unwrap();
            for (quantile_value, share) in [(band.low, 0.1), (band.median, 0.5), (band.high, 0.9)] {
                let expected = naive(&values, share);
                assert!(
                    (quantile_value - expected).abs() <= 1e-6 * expected.abs(),
                    "{length}: {quantile_value} {expected}"
                );
            }
        }
    }

    #[test]
    fn known_values_by_hand() {
        // numpy.quantile([5, 1, 4, 2, 3], [.1, .5, .9])
        let band = Band::of(&[5.0, 1.0, 4.0, 2.0, 3.0]).unwrap();
        assert!((band.low - 1.4).abs() < 1e-12 && band.median == 3.0 && (band.high - 4.6).abs() < 1e-12);
        assert_eq!(median(&[2.0, 1.0]), Some(1.5));
        assert_eq!(Band::of(&[f64::INFINITY]).unwrap().high, f64::INFINITY);
        assert_eq!((Band::of(&[]), Band::of(&[1.0, f64::NAN])), (None, None));
    }
}
