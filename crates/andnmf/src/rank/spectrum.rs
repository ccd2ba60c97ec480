//! The singular values of the samples, and the rank at which they fall into the noise.

use crate::linalg::randomized_svd::{SvdRequest, randomized_svd};
use crate::linalg::subspace_iteration::squared_norm;
use crate::samples::Samples;
use crate::{Real, SamplesError};

/// Maximum number of passes for the singular values. Values within the noise are close together and converge slowly,
/// but an accuracy of one percent is enough.
const MAX_PASSES: usize = 7;
/// A singular value below this share of the largest is rounding.
const NOISELESS: f64 = 1e-6;
/// The largest singular value of noise varies around its edge; up to this factor above it counts as noise.
const SCATTER: f64 = 1.01;
/// With fewer directions left than this, their values are so close together that they always look like noise.
const MIN_NOISE_DIRECTIONS: usize = 10;

/// The leading singular values and the squared norm of the samples, both in units of the largest singular value.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Spectrum {
    /// Largest first; fewer than requested if the samples have no more.
    pub(super) values: Vec<f64>,
    /// The unit: the largest singular value.
    pub(super) unit: f64,
    energy: f64,
    /// The least variance that the noise can have.
    least_noise: f64,
    shape: (usize, usize),
}

impl Spectrum {
    /// Computes `max_rank` + 1 singular values, or all if there are fewer.
    pub(super) fn of<T: Real>(
        samples: &dyn Samples<T>,
        max_rank: usize,
        seed: u64,
    ) -> Result<Self, SamplesError> {
        let shape = (samples.n_samples(), samples.n_features());
        let wanted = SvdRequest { size: max_rank + 1, converged: max_rank + 1, max_passes: MAX_PASSES };
        let mut values = randomized_svd(samples, wanted, seed)?.values;
        let unit = values.first().copied().unwrap_or(0.0);
        if !(unit > 0.0 && unit.is_finite()) {
            return Ok(Self { values: Vec::new(), unit: 0.0, energy: 0.0, least_noise: 0.0, shape });
        }
        values.iter_mut().for_each(|value| *value /= unit);
        Ok(Self { values, unit, energy: squared_norm(samples, unit)?, least_noise: 0.0, shape })
    }

    /// The same, of samples whose noise has at least this variance.
    pub(super) fn with_least_noise(self, variance: f64) -> Self {
        Self { least_noise: variance / (self.unit * self.unit).max(f64::MIN_POSITIVE), ..self }
    }

    /// The variance of what `k` directions leave, spread over as many values as are free; `None` if none is.
    pub(super) fn variance_left(&self, k: usize) -> Option<f64> {
        Some(self.relative_variance_left(k)? * self.unit * self.unit)
    }

    fn relative_variance_left(&self, k: usize) -> Option<f64> {
        let (n, features) = self.shape;
        let free = n.checked_sub(k)? as f64 * features.checked_sub(k)? as f64;
        let left = self.energy - self.values.iter().take(k).map(|value| value * value).sum::<f64>();
        (free > 0.0).then(|| left.max(0.0) / free)
    }

    /// Singular value number `k`, counted from 0: the largest that a rank of `k` omits.
    pub(super) fn value(&self, k: usize) -> f64 {
        self.values.get(k).copied().unwrap_or(0.0)
    }

    /// Returns true if the samples have rank `k` or lower, up to rounding.
    pub(super) fn is_spanned_by(&self, k: usize) -> bool {
        self.value(k) <= NOISELESS
    }

    /// The largest singular value expected after `k` others if the rest is white noise: n × W values of standard
    /// deviation σ have none far above σ(√n + √W). `None` if no direction is left.
    pub(super) fn noise_edge(&self, k: usize) -> Option<f64> {
        let (n, features) = self.shape;
        let variance = self.relative_variance_left(k)?.max(self.least_noise);
        Some(variance.sqrt() * (((n - k) as f64).sqrt() + ((features - k) as f64).sqrt()))
    }

    /// The smallest rank such that this and every higher rank up to `max_rank` leaves only noise. `None` if the
    /// values do not fall into the noise by then.
    ///
    /// The search runs downward: a run of about equally strong leading values can look like noise.
    pub(super) fn rank_above_noise(&self, max_rank: usize) -> Option<usize> {
        let smallest_side = self.shape.0.min(self.shape.1);
        let highest = max_rank.min(smallest_side.saturating_sub(1));
        let is_noise = |k: usize| {
            let many_left = smallest_side - k >= MIN_NOISE_DIRECTIONS;
            let under = |edge: f64| many_left && self.value(k) <= SCATTER * edge;
            self.is_spanned_by(k) || self.noise_edge(k).is_some_and(under)
        };
        if self.values.is_empty() {
            return None;
        }
        (1..=highest).rev().take_while(|&k| is_noise(k)).last()
    }

    /// The ratio of the last of `k` singular values to the noise edge after them; infinite without noise.
    pub(super) fn clearance(&self, k: usize) -> f64 {
        if self.is_spanned_by(k) {
            return f64::INFINITY;
        }
        self.noise_edge(k).map_or(f64::INFINITY, |edge| self.value(k.saturating_sub(1)) / edge)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::DenseSamples;
    use crate::testing::{low_rank, random_matrix};
    use ndarray::Array2;

    fn rank_of(data: &Array2<f64>, max_rank: usize) -> Option<usize> {
        Spectrum::of(&DenseSamples::new(data.view()).unwrap(), max_rank, 1)
            .unwrap()
            .rank_above_noise(max_rank)
    }

    #[test]
    fn samples_without_noise_have_their_exact_rank() {
        let data = low_rank::<f64>(200, 7, 30);
        assert_eq!(rank_of(&data, 20), Some(7));
        assert_eq!(rank_of(&data, 7), Some(7));
        assert_eq!(rank_of(&data, 6), None);
    }

    #[test]
    fn all_directions_above_the_noise_are_counted() {
        for seed in 0..5 {
            let noise = random_matrix::<f64>(400, 90, 50 + seed);
            let data = low_rank::<f64>(400, 7, 90) + noise * 0.3;
            assert_eq!(rank_of(&data, 30), Some(7), "seed {seed}");
        }
    }

    #[test]
    fn many_equally_strong_directions_are_not_taken_for_noise() {
        // 80 of 200 directions with the same singular value: what the first leaves looks like noise.
        let mut data = Array2::<f64>::zeros((300, 200));
        (0..80).for_each(|i| data[[i, i]] = 1.0);
        data.scaled_add(1e-4, &random_matrix::<f64>(300, 200, 3));
        assert_eq!(rank_of(&data, 120), Some(80));
    }

    #[test]
    fn values_that_keep_falling_never_reach_noise() {
        let data =
            Array2::from_shape_fn((80, 60), |(i, j)| 0.9_f64.powi(i as i32) * f64::from(u8::from(i == j)));
        assert_eq!(rank_of(&data, 20), None);
        // Nor do the last few directions, which always look alike.
        assert_eq!(rank_of(&data, 59), None);
    }

    #[test]
    fn samples_without_spare_directions_have_no_rank_above_noise() {
        assert_eq!(rank_of(&Array2::zeros((20, 20)), 5), None);
        assert_eq!(rank_of(&random_matrix(1, 20, 1), 1), None);
        assert_eq!(rank_of(&random_matrix(20, 1, 1), 1), None);
    }
}
