//! The overdispersion of counts around fitted means, by maximum likelihood.

use ndarray::Array2;
use rayon::prelude::*;

use super::rows::rows_of;
use crate::fit::StageInterrupt;
use crate::linalg::product::multiply;
use crate::linalg::special::ln_gamma;
use crate::samples::{CsrSamples, Samples};

/// Values that are looked at, about.
const MOST_VALUES: usize = 1 << 18;
/// The range of the overdispersion, as logarithms, and the number of halvings by the golden ratio.
const RANGE: (f64, f64) = (-14.0, 2.0);
const SECTIONS: usize = 24;

/// The overdispersion of some counts.
#[derive(Debug, Clone, Copy)]
pub(super) struct Overdispersion {
    /// φ in the variance μ + φμ².
    pub(super) value: f64,
    /// What the log-likelihood gains by it over Poisson noise.
    pub(super) gain: f64,
}

/// The overdispersion of largest likelihood, corrected for the values that the fit takes up.
pub(super) fn overdispersion(
    samples: &CsrSamples<'_, f32>,
    components: &Array2<f32>,
    weights: &Array2<f32>,
) -> Result<Overdispersion, StageInterrupt> {
    let (n, width, rank) = (samples.n_samples(), samples.n_features(), components.nrows());
    let rows = rows_of(samples)?;
    let step = (n * width).div_ceil(MOST_VALUES).max(1);
    let chosen: Vec<usize> = (0..n).step_by(step).collect();
    let means = multiply(weights.select(ndarray::Axis(0), &chosen).view(), components.view());
    let mut counts = Array2::<f32>::zeros(means.dim());
    for (row, &i) in chosen.iter().enumerate() {
        rows.row(i).for_each(|(feature, v)| counts[[row, feature]] = v);
    }
    let pairs: Vec<(f64, f64)> = (counts.iter().zip(&means))
        .map(|(&y, &mean)| (f64::from(y), f64::from(mean)))
        .filter(|(_, mean)| *mean > 1e-12)
        .collect();
    let poisson: f64 = pairs.iter().map(|(y, mean)| y * mean.ln() - mean).sum();
    let likelihood = |log_phi: f64| -> f64 {
        let phi = log_phi.exp();
        let size = 1.0 / phi;
        let of_size = ln_gamma(size);
        let parts: Vec<f64> = (pairs.par_chunks(4096))
            .map(|pairs| {
                pairs
                    .iter()
                    .map(|&(y, mean)| {
                        let drawn =
                            if y > 0.0 { ln_gamma(y + size) - of_size + y * (phi * mean).ln() } else { 0.0 };
                        drawn - (y + size) * (phi * mean).ln_1p()
                    })
                    .sum()
            })
            .collect();
        parts.iter().sum()
    };
    let golden = (5.0_f64.sqrt() - 1.0) / 2.0;
    let (mut low, mut high) = RANGE;
    let (mut left, mut right) = (high - golden * (high - low), low + golden * (high - low));
    let (mut at_left, mut at_right) = (likelihood(left), likelihood(right));
    for _ in 0..SECTIONS {
        if at_left > at_right {
            (high, right, at_right) = (right, left, at_left);
            left = high - golden * (high - low);
            at_left = likelihood(left);
        } else {
            (low, left, at_left) = (left, right, at_right);
            right = low + golden * (high - low);
            at_right = likelihood(right);
        }
    }
    let values = (n * width) as f64;
    let free = (values - (rank * (n + width)) as f64).max(0.1 * values);
    let value = (0.5 * (low + high)).exp() * values / free;
    Ok(Overdispersion { value, gain: (at_left.max(at_right) - poisson) * step as f64 })
}

/// Half the deviance of a count from its mean, with overdispersion φ.
pub(super) fn deviance(y: f64, mean: f64, phi: f64) -> f64 {
    let own = if y > 0.0 { y * (y / mean).ln() } else { 0.0 };
    if phi > 0.0 {
        own - (y + 1.0 / phi) * ((1.0 + phi * y) / (1.0 + phi * mean)).ln()
    } else {
        own - (y - mean)
    }
}
