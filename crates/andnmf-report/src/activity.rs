//! How often and how strongly the samples use a component.

use andnmf::Real;
use ndarray::ArrayView1;
use serde::Serialize;

use crate::fit_view::ComponentThresholds;
use crate::rounding::rounded;

/// Number of histogram bins: few enough to read on a phone.
const BINS: usize = 24;

/// The weights of one component over all samples.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Activity {
    /// The largest weight: the upper end of the last bin. The first bin starts at 0.
    pub largest: f64,
    /// Number of samples in each bin, without zeros and weights below the threshold.
    pub counts: Vec<usize>,
    /// Number of samples in each bin whose weight is below the threshold but not zero.
    pub below: Vec<usize>,
    /// Number of samples with weight zero.
    pub zeros: usize,
    /// The threshold below which a weight counts as zero, if there is one.
    pub threshold: Option<f64>,
    /// The mean weight.
    pub mean: f64,
    /// The share of samples with a weight above zero and not below the threshold.
    pub active_share: f64,
}

impl Activity {
    /// Counts the weights of one component.
    pub(crate) fn of<T: Real>(
        weights: ArrayView1<'_, T>,
        thresholds: ComponentThresholds<'_>,
        component: usize,
    ) -> Self {
        let values = || weights.iter().map(|weight| weight.as_f64());
        let largest = values().fold(0.0, f64::max);
        let threshold = thresholds.of(component, largest);
        let bins = if largest > 0.0 { BINS } else { 0 };
        let (mut counts, mut below, mut zeros) = (vec![0; bins], vec![0; bins], 0);
        for value in values() {
            let bin = ((value / largest * BINS as f64) as usize).min(BINS - 1);
            if value <= 0.0 {
                zeros += 1;
            } else if threshold.is_some_and(|threshold| value < threshold) {
                below[bin] += 1;
            } else {
                counts[bin] += 1;
            }
        }
        let active: usize = counts.iter().sum();
        let n_samples = weights.len().max(1) as f64;
        Self {
            largest: rounded(largest),
            counts,
            below,
            zeros,
            threshold: threshold.map(rounded),
            mean: values().sum::<f64>() / n_samples,
            active_share: active as f64 / n_samples,
        }
    }

    pub(crate) fn rounded(mut self) -> Self {
        (self.mean, self.active_share) = (rounded(self.mean), rounded(self.active_share));
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::{Array1, array};

    #[test]
    fn every_sample_is_counted_once_and_the_threshold_decides_what_is_active() {
        let weights = array![0.0, 0.0, 0.5, 1.0, 2.0, 24.0];
        let activity = Activity::of(weights.view(), ComponentThresholds::Weights(&[9.0, 1.0]), 1);
        assert_eq!((activity.zeros, activity.threshold, activity.largest), (2, Some(1.0), 24.0));
        let bins = |counts: &[usize]| (0..BINS).filter(|&bin| counts[bin] == 1).collect::<Vec<_>>();
        assert_eq!((bins(&activity.counts), bins(&activity.below)), (vec![1, 2, 23], vec![0]));
        assert_eq!((activity.active_share, activity.mean), (0.5, 27.5 / 6.0));
        let shared = Activity::of(weights.view(), ComponentThresholds::Shares(&[0.5]), 0);
        assert_eq!((shared.threshold, shared.active_share), (Some(12.0), 1.0 / 6.0));
    }

    #[test]
    fn a_component_that_is_never_used_has_an_empty_histogram() {
        let activity = Activity::of(Array1::<f32>::zeros(3).view(), ComponentThresholds::Shares(&[0.1]), 0);
        assert!(activity.counts.is_empty());
        assert_eq!((activity.zeros, activity.active_share, activity.threshold), (3, 0.0, Some(0.0)));
    }
}
