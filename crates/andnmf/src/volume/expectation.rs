//! The integral of a Dirichlet density under correlated noise, by expectation propagation.
//!
//! A sample determines its shares x (of sum one) up to a normal distribution N(m, Σ), whose covariance is that of the noise
//! of all decoded shares together. Wanted is log E[∏ x_k^(a_k − 1) for x ≥ 0] under it. Each factor of the product is
//! replaced by a *site* exp(h_k x_k − π_k x_k²/2), chosen such that mean and variance of x_k are those which the true factor
//! gives together with the sites of all others (the *cavity*, normal with mean μ and precision τ). Those moments, and the
//! integral of the factor, are tabulated ([`PowerDensity`]): in units of the cavity's width they are functions of μ√τ.
//!
//! Adding a site to a normal distribution is an update of rank one, so that a sweep over the sites of a sample costs about
//! K³ products, and no decomposition.
//!
//! **Reference.** Minka, *Expectation propagation for approximate Bayesian inference* (2001).

use super::power_density::PowerDensity;

/// The sites of one sample: precisions π, then shifts h.
pub(super) type Sites<'s> = (&'s mut [f64], &'s mut [f64]);

/// The normal distribution of the shares of a sample, without their density or with all sites.
pub(super) struct Normal {
    pub(super) mean: Vec<f64>,
    /// Rank × rank, by rows.
    pub(super) covariance: Vec<f64>,
    column: Vec<f64>,
}

/// What a sample adds to the likelihood.
pub(super) struct Evidence {
    /// log E[∏ x_k^(a_k − 1) for x ≥ 0].
    pub(super) value: f64,
    /// The largest change of a mean in the last sweep, in its standard deviations.
    pub(super) change: f64,
}

/// When sweeps end.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sweeps {
    pub(super) most: usize,
    /// Change of a mean, in standard deviations, that ends them.
    pub(super) settled: f64,
}

impl Normal {
    pub(super) fn new(rank: usize) -> Self {
        Self { mean: vec![0.0; rank], covariance: vec![0.0; rank * rank], column: vec![0.0; rank] }
    }

    fn assign(&mut self, mean: &[f64], covariance: &[f64]) {
        self.mean.copy_from_slice(mean);
        self.covariance.copy_from_slice(covariance);
    }

    fn marginal(&self, k: usize) -> (f64, f64) {
        (self.mean[k], self.covariance[k * (self.mean.len() + 1)])
    }

    /// Multiplies by exp(h x_k − π x_k²/2); 1 + πv must be positive.
    fn add(&mut self, k: usize, precision: f64, shift: f64) {
        let rank = self.mean.len();
        let (mean, variance) = self.marginal(k);
        let scale = 1.0 / (1.0 + precision * variance);
        let along = (shift - precision * mean) * scale;
        self.column.copy_from_slice(&self.covariance[k * rank..(k + 1) * rank]);
        for ((row, mean), c) in self.covariance.chunks_exact_mut(rank).zip(&mut self.mean).zip(&self.column) {
            *mean += along * c;
            let factor = precision * scale * c;
            row.iter_mut().zip(&self.column).for_each(|(v, d)| *v -= factor * d);
        }
    }

    /// Sweeps over the sites of a sample, from those given, until they agree with the densities, and leaves the distribution
    /// with all sites here. `by_exponent` gets the derivatives of the evidence by the logarithms of the exponents.
    pub(super) fn propagate(
        &mut self,
        (mean, covariance): (&[f64], &[f64]),
        densities: &[PowerDensity],
        (precisions, shifts): Sites<'_>,
        sweeps: Sweeps,
        by_exponent: &mut [f64],
    ) -> Evidence {
        let rank = mean.len();
        self.assign(mean, covariance);
        self.restore(precisions, shifts);
        let mut change = f64::INFINITY;
        for _ in 0..sweeps.most {
            change = 0.0;
            for k in 0..rank {
                let (m, v) = self.marginal(k);
                let Some(cavity) = Cavity::new((m, v), precisions[k], shifts[k]) else {
                    change = f64::INFINITY;
                    continue;
                };
                let (precision, shift, moved) = cavity.site(&densities[k]);
                let (more, further) = (STEP * (precision - precisions[k]), STEP * (shift - shifts[k]));
                if !is_bearable(1.0 + more * v) {
                    change = f64::INFINITY;
                    continue;
                }
                change = f64::max(change, (moved - m).abs() / v.sqrt());
                self.add(k, more, further);
                precisions[k] += more;
                shifts[k] += further;
            }
            if change < sweeps.settled {
                break;
            }
        }
        // Again from the start, so that the value is exact for these sites.
        self.assign(mean, covariance);
        let mut value = self.restore(precisions, shifts);
        for k in 0..rank {
            let Some(cavity) = Cavity::new(self.marginal(k), precisions[k], shifts[k]) else {
                by_exponent[k] = 0.0;
                continue;
            };
            let density = densities[k].at(cavity.place());
            let log_width = -0.5 * cavity.precision.ln();
            value += density.value + (densities[k].exponent() - 1.0) * log_width;
            value -= log_factor(cavity.mean, 1.0 / cavity.precision, precisions[k], shifts[k]);
            by_exponent[k] = density.by_exponent + densities[k].exponent() * log_width;
        }
        Evidence { value, change }
    }

    /// Adds all sites; returns the logarithm of the integral with them. Sites that would leave no distribution are reset.
    fn restore(&mut self, precisions: &mut [f64], shifts: &mut [f64]) -> f64 {
        let mut value = 0.0;
        // Positive ones first: they make room for negative ones.
        for positive in [true, false] {
            for k in 0..self.mean.len() {
                if (precisions[k] >= 0.0) != positive {
                    continue;
                }
                let (mean, variance) = self.marginal(k);
                if !is_bearable(1.0 + precisions[k] * variance) {
                    (precisions[k], shifts[k]) = (0.0, 0.0);
                }
                value += log_factor(mean, variance, precisions[k], shifts[k]);
                self.add(k, precisions[k], shifts[k]);
            }
        }
        value
    }
}

/// Sites go this part of the way to where they lead: poles at zero make some swing back and forth otherwise.
const STEP: f64 = 0.7;
/// The least 1 + πv of a site that is added: less would widen a distribution beyond what the approximation bears.
const LEAST_SHRINKAGE: f64 = 0.05;

/// False also for values that are not numbers.
fn is_bearable(shrinkage: f64) -> bool {
    shrinkage > LEAST_SHRINKAGE
}

/// log E[exp(h x − π x²/2)] under a normal distribution.
fn log_factor(mean: f64, variance: f64, precision: f64, shift: f64) -> f64 {
    let shrinkage = 1.0 + precision * variance;
    let exponent = 2.0 * shift * mean + shift * shift * variance - precision * mean * mean;
    0.5 * (exponent / shrinkage - shrinkage.ln())
}

/// The distribution of a share without its own site.
struct Cavity {
    mean: f64,
    precision: f64,
}

impl Cavity {
    /// `None` if nothing but the site holds the share.
    fn new((mean, variance): (f64, f64), precision: f64, shift: f64) -> Option<Self> {
        let without = 1.0 / variance - precision;
        let cavity = Self { mean: (mean / variance - shift) / without, precision: without };
        (without > 0.0 && cavity.mean.is_finite()).then_some(cavity)
    }

    /// The mean in units of the width.
    fn place(&self) -> f64 {
        self.mean * self.precision.sqrt()
    }

    /// The site that gives the share the moments which its density asks for, and that mean.
    fn site(&self, density: &PowerDensity) -> (f64, f64, f64) {
        let width = 1.0 / self.precision.sqrt();
        let (shift, variance) = density.moments(self.place());
        let mean = self.mean + width * shift;
        let total = self.precision / variance;
        (total - self.precision, total * mean - self.precision * self.mean, mean)
    }
}
