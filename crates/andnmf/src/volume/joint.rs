//! Components by maximum likelihood where shares are Dirichlet and the noise of all of them is seen together.
//!
//! A sample y = x·A + noise, shares x ≥ 0 of sum one with density ∏ₖ x_k^(a_k − 1), has the log-likelihood
//!
//! −log|det A| + log E[∏ x_k^(a_k − 1) for x ≥ 0] + log Γ(Σ a) − Σ log Γ(a_k)
//!
//! up to constants. The expectation is over the normal distribution of shares that explain the sample: decoded shares, with
//! the noise of all of them. It comes from expectation propagation (`expectation`), and slopes from the moments of the shares
//! that it finds: by A, mean(E[x]ᵀy − E[xᵀx]A)/σ².

use std::ops::Range;

use ndarray::{Array1, Array2, ArrayView2, ArrayViewMut2, Axis, s};
use rayon::prelude::*;

use super::expectation::{Normal, Sweeps};
use super::power_density::{PowerDensity, PowerKernel};
use super::soft::ROWS_PER_PART;
use crate::linalg::determinant::log_determinant_and_inverse;
use crate::linalg::product::multiply;
use crate::linalg::special::{digamma, ln_gamma};

/// The likelihood as a function of a mixing M (components become M·A₀) whose rows sum to one, and of the exponents.
pub(super) struct JointLikelihood<'a> {
    /// Samples × rank.
    rows: ArrayView2<'a, f64>,
    /// Weights by the inverse of A₀.
    weights: Array2<f64>,
    /// A₀, scaled so that the weights of a sample sum to one.
    components: &'a Array2<f64>,
    log_volume: f64,
    noise: f64,
    kernel: PowerKernel,
    /// Sites at the last point: precisions, then shifts, of each sample.
    sites: Array2<f64>,
}

/// Sums over samples.
struct Sums {
    value: f64,
    /// Samples whose sites still move.
    unsettled: usize,
    /// Σ E[x]ᵀ y.
    products: Array2<f64>,
    /// Σ E[xᵀx].
    moments: Array2<f64>,
    by_exponent: Array1<f64>,
}

/// The normal distribution of the shares of samples by their components.
struct Decoded {
    means: Array2<f64>,
    covariance: Array2<f64>,
}

impl<'a> JointLikelihood<'a> {
    /// `None` if the components are dependent.
    pub(super) fn new(rows: ArrayView2<'a, f64>, components: &'a Array2<f64>, noise: f64) -> Option<Self> {
        let (log_volume, inverse) = log_determinant_and_inverse(components.view())?;
        let weights = multiply(rows, inverse.view());
        let sites = Array2::zeros((rows.nrows(), 2 * components.nrows()));
        Some(Self { rows, weights, components, log_volume, noise, kernel: PowerKernel::new(), sites })
    }

    /// The mean log-likelihood of a sample, and its slopes by the mixing (within the constraint) and by the logarithms of
    /// the exponents. `None` outside the domain, or where sites do not settle.
    pub(super) fn evaluate(
        &mut self,
        mixing: ArrayView2<'_, f64>,
        exponents: &[f64],
        sweeps: Sweeps,
    ) -> Option<(f64, Array2<f64>, Array1<f64>)> {
        let rank = exponents.len();
        let (log_determinant, unmixing) = log_determinant_and_inverse(mixing)?;
        let components = mixing.dot(self.components);
        let decoded = self.decode(&components, &unmixing)?;
        let densities: Vec<PowerDensity> =
            exponents.par_iter().map(|exponent| self.kernel.density(*exponent)).collect();
        let sums = self.sums(&decoded, &densities, sweeps);
        let n = self.rows.nrows() as f64;
        if sums.unsettled as f64 > MOST_UNSETTLED * n {
            return None;
        }
        let total: f64 = exponents.iter().sum();
        let mut value = sums.value / n - log_determinant - self.log_volume + ln_gamma(total);
        let mut by_exponent = sums.by_exponent / n;
        for (slope, a) in by_exponent.iter_mut().zip(exponents) {
            value -= ln_gamma(*a);
            *slope += a * (digamma(total) - digamma(*a));
        }
        let variance = self.noise * self.noise;
        let by_components = (sums.products - sums.moments.dot(&components)) / (n * variance);
        let mut by_mixing = by_components.dot(&self.components.t());
        // Rows keep their sums: the slope has none.
        for mut row in by_mixing.rows_mut() {
            let mean = row.sum() / rank as f64;
            row.mapv_inplace(|v| v - mean);
        }
        value.is_finite().then_some((value, by_mixing, by_exponent))
    }

    /// Shares that sum to one, by least squares, and their noise.
    fn decode(&self, components: &Array2<f64>, unmixing: &Array2<f64>) -> Option<Decoded> {
        let mut means = multiply(self.weights.view(), unmixing.view());
        let (_, mut covariance) = log_determinant_and_inverse(components.dot(&components.t()).view())?;
        let sums = covariance.sum_axis(Axis(1));
        let total = sums.sum();
        if total.is_nan() || total <= 0.0 {
            return None;
        }
        for mut mean in means.rows_mut() {
            let excess = (mean.sum() - 1.0) / total;
            mean.scaled_add(-excess, &sums);
        }
        for (mut row, sum) in covariance.rows_mut().into_iter().zip(&sums) {
            row.scaled_add(-sum / total, &sums);
        }
        covariance *= self.noise * self.noise;
        // Of rank K − 1, with room for rounding on the diagonal.
        let covariance = covariance.as_standard_layout().into_owned();
        covariance.diag().iter().all(|v| *v > 0.0).then_some(Decoded { means, covariance })
    }

    fn sums(&mut self, decoded: &Decoded, densities: &[PowerDensity], sweeps: Sweeps) -> Sums {
        let rows = self.rows;
        let parts: Vec<_> = self.sites.axis_chunks_iter_mut(Axis(0), ROWS_PER_PART).collect();
        let parts: Vec<Sums> = parts
            .into_par_iter()
            .enumerate()
            .map(|(part, sites)| {
                let start = part * ROWS_PER_PART;
                let range = start..start + sites.nrows();
                part_sums(rows.slice(s![range.clone(), ..]), decoded, range, densities, sites, sweeps)
            })
            .collect();
        parts.into_iter().reduce(Sums::merge).unwrap_or_else(|| Sums::zeros(densities.len()))
    }
}

/// Share of the samples whose sites may still move where a point counts.
const MOST_UNSETTLED: f64 = 0.2;
/// Change of a mean, in standard deviations, from which sites still move.
const UNSETTLED: f64 = 0.3;

fn part_sums(
    rows: ArrayView2<'_, f64>,
    decoded: &Decoded,
    range: Range<usize>,
    densities: &[PowerDensity],
    mut sites: ArrayViewMut2<'_, f64>,
    sweeps: Sweeps,
) -> Sums {
    let rank = densities.len();
    let (mut sums, mut normal) = (Sums::zeros(rank), Normal::new(rank));
    let covariance = decoded.covariance.as_slice().expect("made in standard layout");
    let mut means = decoded.means.slice(s![range, ..]).as_standard_layout().into_owned();
    let mut by_exponent = vec![0.0; rank];
    for (mut mean, mut sites) in means.rows_mut().into_iter().zip(sites.rows_mut()) {
        let mean = mean.as_slice_mut().expect("a row");
        let (precisions, shifts) = sites.as_slice_mut().expect("a row").split_at_mut(rank);
        let found =
            normal.propagate((&*mean, covariance), densities, (precisions, shifts), sweeps, &mut by_exponent);
        sums.value += found.value;
        let settled = found.change < UNSETTLED;
        sums.unsettled += usize::from(!settled);
        sums.by_exponent.iter_mut().zip(&by_exponent).for_each(|(sum, v)| *sum += v);
        mean.copy_from_slice(&normal.mean);
        let moments = sums.moments.as_slice_mut().expect("made in standard layout");
        moments.iter_mut().zip(&normal.covariance).for_each(|(sum, v)| *sum += v);
    }
    sums.products = multiply(means.t(), rows);
    sums.moments += &multiply(means.t(), means.view());
    sums
}

impl Sums {
    fn zeros(rank: usize) -> Self {
        let square = || Array2::zeros((rank, rank));
        let by_exponent = Array1::zeros(rank);
        Self { value: 0.0, unsettled: 0, products: square(), moments: square(), by_exponent }
    }

    fn merge(self, other: Self) -> Self {
        Self {
            value: self.value + other.value,
            unsettled: self.unsettled + other.unsettled,
            products: self.products + other.products,
            moments: self.moments + other.moments,
            by_exponent: self.by_exponent + other.by_exponent,
        }
    }
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;
    use crate::testing::random_matrix;

    /// Until nothing moves.
    const LONG: Sweeps = Sweeps { most: 200, settled: 1e-10 };

    /// Shares on a grid, and the mass of each under the density ∏ x_k^(a_k − 1): x = sin² θ, for two or three shares.
    fn grid(exponents: &[f64], steps: usize) -> Vec<(Vec<f64>, f64)> {
        let angle = |i: usize| (i as f64 + 0.5) / steps as f64 * std::f64::consts::FRAC_PI_2;
        let width = std::f64::consts::FRAC_PI_2 / steps as f64;
        // The first share, then the second as a part of what is left.
        let power = |sine: f64, cosine: f64, a: f64, b: f64| {
            2.0 * width * sine.powf(2.0 * a - 1.0) * cosine.powf(2.0 * b - 1.0)
        };
        let mut found = Vec::new();
        for (sine, cosine) in (0..steps).map(|i| angle(i).sin_cos()) {
            let rest: f64 = exponents[1..].iter().sum();
            let mass = power(sine, cosine, exponents[0], rest);
            if exponents.len() == 2 {
                found.push((vec![sine * sine, cosine * cosine], mass));
                continue;
            }
            for (s, c) in (0..steps).map(|i| angle(i).sin_cos()) {
                let left = cosine * cosine;
                let shares = vec![sine * sine, left * s * s, left * c * c];
                found.push((shares, mass * power(s, c, exponents[1], exponents[2])));
            }
        }
        found
    }

    /// The log-likelihood of a sample by its definition, without constants.
    fn naive(sample: &[f64], components: &Array2<f64>, exponents: &[f64], noise: f64, steps: usize) -> f64 {
        let sample = Array1::from(sample.to_vec());
        let term = |(shares, mass): (Vec<f64>, f64)| {
            let rest = &sample - &Array1::from(shares).dot(components);
            mass * (-0.5 * rest.dot(&rest) / (noise * noise)).exp()
        };
        let integral: f64 = grid(exponents, steps).into_iter().map(term).sum();
        let total: f64 = exponents.iter().sum();
        let norm = ln_gamma(total) - exponents.iter().map(|a| ln_gamma(*a)).sum::<f64>();
        integral.ln() + norm
            - sample.len() as f64 * noise.ln()
            - 0.5 * sample.len() as f64 * (2.0 * std::f64::consts::PI).ln()
    }

    /// What `evaluate` leaves out: the distance of the sample from the plane of the components, and constants.
    fn left_out(sample: &[f64], components: &Array2<f64>, noise: f64) -> f64 {
        let (_, inverse) = log_determinant_and_inverse(components.view()).unwrap();
        let sums = inverse.sum_axis(Axis(1));
        let size = sums.dot(&sums).sqrt();
        let distance = (1.0 - Array1::from(sample.to_vec()).dot(&sums)) / size;
        -0.5 * (distance / noise).powi(2) - (noise * size).ln() - 0.5 * (2.0 * std::f64::consts::PI).ln()
    }

    #[test]
    fn the_likelihood_is_the_integral_over_all_shares() {
        let two = array![[1.0, 0.2], [0.3, 0.8]];
        let three = array![[1.0, 0.2, 0.1], [0.3, 0.8, 0.2], [0.4, 0.5, 0.9]];
        // Inside, near a corner, near an edge, and outside.
        let places = [[0.4, 0.35, 0.25], [0.97, 0.02, 0.01], [0.5, 0.5, 0.0], [-0.2, 0.5, 0.7]];
        for (noise, most) in [(0.05, 0.02), (0.15, 0.03)] {
            for exponents in [[1.0, 1.0, 1.0], [0.5, 0.7, 1.0], [2.0, 3.0, 1.5]] {
                for place in places {
                    for (components, steps) in [(&two, 20_000), (&three, 600)] {
                        let rank = components.nrows();
                        let mut shares = Array1::from(place[..rank].to_vec());
                        shares[0] += 1.0 - shares.sum();
                        let sample = (shares.dot(components) + 0.3 * noise).to_vec();
                        let exponents = &exponents[..rank];
                        let rows = Array2::from_shape_vec((1, rank), sample.clone()).unwrap();
                        let mut likelihood = JointLikelihood::new(rows.view(), components, noise).unwrap();
                        let (value, ..) =
                            likelihood.evaluate(Array2::eye(rank).view(), exponents, LONG).unwrap();
                        let found = value + left_out(&sample, components, noise);
                        let expected = naive(&sample, components, exponents, noise, steps);
                        assert!(
                            (found - expected).abs() < most,
                            "noise {noise}, {exponents:?}, {place:?}: {found} {expected}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn slopes_are_those_of_the_value() {
        let components = random_matrix::<f64>(4, 4, 3).mapv(f64::abs) + Array2::<f64>::eye(4);
        let shares = random_matrix::<f64>(40, 4, 5).mapv(|v| v * v);
        let shares = &shares / &shares.sum_axis(Axis(1)).insert_axis(Axis(1));
        let rows = shares.dot(&components) + random_matrix::<f64>(40, 4, 7) * 0.05;
        let mut likelihood = JointLikelihood::new(rows.view(), &components, 0.05).unwrap();
        let mut direction = random_matrix::<f64>(4, 4, 9) * 0.3;
        for mut row in direction.rows_mut() {
            let mean = row.mean().unwrap();
            row.mapv_inplace(|v| v - mean);
        }
        let exponents = [0.4, 1.0, 0.7, 2.0];
        let turns = [0.4, -0.2, 0.7, 1.0];
        let mut at = |t: f64| {
            let mixing = Array2::<f64>::eye(4) + &direction * t;
            let moved: Vec<f64> = exponents.iter().zip(turns).map(|(a, turn)| a * (t * turn).exp()).collect();
            likelihood.evaluate(mixing.view(), &moved, LONG).unwrap()
        };
        let (_, by_mixing, by_exponent) = at(0.0);
        let slope =
            (&by_mixing * &direction).sum() + by_exponent.iter().zip(turns).map(|(s, t)| s * t).sum::<f64>();
        let difference = (at(1e-4).0 - at(-1e-4).0) / 2e-4;
        assert!((slope - difference).abs() < 1e-3 * difference.abs().max(1.0), "{slope} {difference}");
    }
}
