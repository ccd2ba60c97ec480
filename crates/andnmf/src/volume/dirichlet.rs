//! Components by maximum likelihood where the weights of a sample sum to one and are spread as a Dirichlet distribution.
//!
//! Shares with density ∏ₖ x_k^(a_k − 1), seen through noise, have the log-likelihood
//!
//! log|det P| + (1/n) Σ_t Σ_k log f_{a_k}(z_kt/s_k) + Σ_k (a_k − 1) log s_k + log Γ(Σ a) − Σ log Γ(a_k)
//!
//! for the decoder P, its weights z = P·y and their noise s_k = σ‖P_k‖. Decoder and exponents a_k ≤ 1 are learned
//! together. Exponents of one are soft volume. The noise of different weights is treated as independent, so
//! −½ log det(I + σ²PPᵀ) is added: it bounds the likelihood of simplices thinner than the noise.

use std::ops::Range;

use ndarray::{Array1, Array2, ArrayView2, Axis, s};
use rayon::prelude::*;

use super::lbfgs::minimise;
use super::power_density::{PowerDensity, PowerKernel};
use super::soft::{ROWS_PER_PART, SoftSolution, SoftVolume};
use crate::linalg::determinant::log_determinant_and_inverse;
use crate::linalg::product::multiply;
use crate::linalg::special::{digamma, ln_gamma};

/// The least exponent; the largest is one. Weights that crowd more than this are as good as zero.
const LEAST_EXPONENT: f64 = 0.05;
/// Exponents at the start, on the way between the two.
const FIRST_PLACE: f64 = -2.0;
/// Noise of a decoded weight, in units of the sum of weights, up to which the likelihood is a good one.
const MOST_NOISE: f64 = 0.3;
/// Share of the decoded weights clearly below zero from which a point is outside the domain.
const MOST_OUTSIDE: f64 = 0.05;
const RELATIVE_TOLERANCE: f64 = 1e-9;

/// Components by maximum likelihood, and how well their weights agree with the model.
#[derive(Debug, Clone)]
pub(crate) struct DirichletSolution {
    pub(crate) solution: SoftSolution,
    /// The root mean square by which the covariances of the weights differ from those of the fitted Dirichlet
    /// distribution, relative to its standard deviations. Zero if the model is right.
    pub(crate) misfit: f64,
    /// The exponents a_k.
    pub(crate) exponents: Vec<f64>,
}

impl SoftVolume<'_> {
    /// Maximises the likelihood from the decoder of these components.
    ///
    /// `None` if they are dependent, the sum of a component's weights is not positive, or decoded weights are too noisy for
    /// the model; also if `stop` returns true.
    pub(crate) fn maximise_dirichlet(
        &self,
        start: &Array2<f64>,
        iterations: usize,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Option<DirichletSolution> {
        let scales = start.dot(&self.sums);
        if scales.iter().any(|s| *s <= 0.0 || !s.is_finite()) || self.noise <= 0.0 {
            return None;
        }
        let rank = start.nrows();
        let scaled = start / &scales.insert_axis(Axis(1));
        let (log_volume, inverse) = log_determinant_and_inverse(scaled.view())?;
        let decoder = inverse.t().to_owned();
        let weights = multiply(self.rows.view(), decoder.t());
        let problem = Likelihood::new(&weights, &decoder, self.noise);
        let mut point = Array2::<f64>::eye(rank).into_raw_vec_and_offset().0;
        point.extend(vec![FIRST_PLACE; rank]);
        let found = minimise(point, iterations, RELATIVE_TOLERANCE, |point, gradient| {
            if stop() { f64::INFINITY } else { problem.evaluate(point, gradient) }
        });
        if stop() || !found.value.is_finite() {
            return None;
        }
        let (mixing, places) = found.point.split_at(rank * rank);
        let mixing = ArrayView2::from_shape((rank, rank), mixing).expect("square");
        let exponents: Vec<f64> = places.iter().map(|place| exponent(*place).0).collect();
        let decoder = mixing.dot(&decoder);
        let weights = multiply(weights.view(), mixing.t());
        let (_, components) = log_determinant_and_inverse(decoder.view())?;
        let noise = decoder.dot(&decoder.t()) * self.noise.powi(2);
        let deviations: Vec<f64> = noise.diag().iter().map(|v| v.sqrt()).collect();
        let solution = SoftSolution {
            components: components.t().to_owned(),
            value: found.value + log_volume,
            outside: outside(&weights, &deviations),
        };
        let misfit = misfit(&weights, &noise, &exponents);
        Some(DirichletSolution { solution, misfit, exponents })
    }
}

/// The exponent at a place on the real line, and its derivative.
fn exponent(place: f64) -> (f64, f64) {
    let share = 1.0 / (1.0 + (-place).exp());
    let exponent = LEAST_EXPONENT.powf(share);
    (exponent, exponent * LEAST_EXPONENT.ln() * share * (1.0 - share))
}

/// The share of decoded weights that lie more than three standard deviations below zero.
pub(super) fn outside(weights: &Array2<f64>, deviations: &[f64]) -> f64 {
    let below =
        weights.outer_iter().map(|row| row.iter().zip(deviations).filter(|(z, s)| **z < -3.0 * **s).count());
    below.sum::<usize>() as f64 / weights.len().max(1) as f64
}

/// See [`DirichletSolution::misfit`].
pub(super) fn misfit(weights: &Array2<f64>, noise: &Array2<f64>, exponents: &[f64]) -> f64 {
    let (n, rank) = (weights.nrows() as f64, weights.ncols());
    let Some(mean) = weights.mean_axis(Axis(0)) else { return f64::INFINITY };
    let centred = weights - &mean;
    let found = multiply(centred.t(), centred.view()) / n - noise;
    let total: f64 = exponents.iter().sum();
    let shares: Array1<f64> = exponents.iter().map(|a| a / total).collect();
    let expected = |k: usize, l: usize| {
        let own = if k == l { shares[k] } else { 0.0 };
        (own - shares[k] * shares[l]) / (total + 1.0)
    };
    let square = |k: usize, l: usize| {
        (found[[k, l]] - expected(k, l)).powi(2) / (expected(k, k) * expected(l, l)).max(f64::MIN_POSITIVE)
    };
    let sum: f64 = (0..rank).flat_map(|k| (0..rank).map(move |l| (k, l))).map(|(k, l)| square(k, l)).sum();
    (sum / (rank * rank) as f64).sqrt()
}

/// The likelihood as a function of a mixing M (the decoder becomes M·P₀) whose columns sum to one, and of places of the
/// exponents.
struct Likelihood<'a> {
    /// Weights by the decoder P₀.
    weights: &'a Array2<f64>,
    /// P₀P₀ᵀ.
    gram: Array2<f64>,
    noise: f64,
    kernel: PowerKernel,
    most_noise: f64,
    most_outside: f64,
}

/// Sums over samples.
struct Sums {
    value: f64,
    outside: usize,
    /// Σ (∂ log f/∂z) z₀ᵀ for the weights z₀ by P₀.
    slopes: Array2<f64>,
    /// Σ (∂ log f/∂z) z for each component.
    by_scale: Vec<f64>,
    by_exponent: Vec<f64>,
}

impl<'a> Likelihood<'a> {
    fn new(weights: &'a Array2<f64>, decoder: &Array2<f64>, noise: f64) -> Self {
        let gram = decoder.dot(&decoder.t());
        let deviations: Vec<f64> = gram.diag().iter().map(|v| noise * v.sqrt()).collect();
        let largest = deviations.iter().copied().fold(0.0, f64::max);
        let most_noise = MOST_NOISE.max(1.3 * largest);
        let most_outside = MOST_OUTSIDE.max(1.5 * outside(weights, &deviations));
        Self { weights, gram, noise, kernel: PowerKernel::new(), most_noise, most_outside }
    }

    /// The negative log-likelihood and its gradient; infinite outside the domain.
    fn evaluate(&self, point: &[f64], gradient: &mut [f64]) -> f64 {
        let (n, rank) = self.weights.dim();
        let (mixing, places) = point.split_at(rank * rank);
        let mixing = ArrayView2::from_shape((rank, rank), mixing).expect("square");
        let Some((log_determinant, inverse)) = log_determinant_and_inverse(mixing) else {
            return f64::INFINITY;
        };
        let mixed_gram = mixing.dot(&self.gram);
        let squares: Vec<f64> =
            mixed_gram.outer_iter().zip(mixing.outer_iter()).map(|(g, m)| g.dot(&m)).collect();
        let deviations: Vec<f64> = squares.iter().map(|v| self.noise * v.sqrt()).collect();
        if deviations.iter().any(|s| !(*s > 0.0 && *s <= self.most_noise)) {
            return f64::INFINITY;
        }
        let exponents: Vec<(f64, f64)> = places.iter().map(|place| exponent(*place)).collect();
        let tables: Vec<PowerDensity> =
            exponents.par_iter().map(|(exponent, _)| self.kernel.density(*exponent)).collect();
        let sums = self.sums(mixing, &tables, &deviations);
        if sums.outside as f64 > self.most_outside * self.weights.len() as f64 {
            return f64::INFINITY;
        }
        let variance = self.noise * self.noise;
        let thinness = Array2::<f64>::eye(rank) + mixed_gram.dot(&mixing.t()) * variance;
        let Some((log_thinness, thin_inverse)) = log_determinant_and_inverse(thinness.view()) else {
            return f64::INFINITY;
        };
        let total: f64 = exponents.iter().map(|(a, _)| a).sum();
        let (of_total, count) = (digamma(total), n as f64);
        let mut value = log_determinant + sums.value / count - 0.5 * log_thinness + ln_gamma(total);
        let mut whole = &inverse.t() + &(&sums.slopes / count) - &(thin_inverse.dot(&mixed_gram) * variance);
        for (k, (a, derivative)) in exponents.into_iter().enumerate() {
            value += (a - 1.0) * deviations[k].ln() - ln_gamma(a);
            let by_log_deviation = (a - 1.0) - sums.by_scale[k] / count;
            whole.row_mut(k).scaled_add(by_log_deviation / squares[k], &mixed_gram.row(k));
            let by_log_exponent =
                sums.by_exponent[k] / count + a * (deviations[k].ln() + of_total - digamma(a));
            gradient[rank * rank + k] = -by_log_exponent * derivative / a;
        }
        // Columns keep their sums: the gradient has none.
        for mut column in whole.columns_mut() {
            let mean = column.sum() / rank as f64;
            column.mapv_inplace(|v| v - mean);
        }
        gradient.iter_mut().zip(&whole).for_each(|(to, v)| *to = -v);
        -value
    }

    fn sums(&self, mixing: ArrayView2<'_, f64>, tables: &[PowerDensity], deviations: &[f64]) -> Sums {
        let n = self.weights.nrows();
        let parts: Vec<Sums> = (0..n.div_ceil(ROWS_PER_PART))
            .into_par_iter()
            .map(|part| {
                let rows = part * ROWS_PER_PART..((part + 1) * ROWS_PER_PART).min(n);
                self.part(rows, mixing, tables, deviations)
            })
            .collect();
        parts.into_iter().reduce(Sums::merge).unwrap_or_else(|| Sums::zeros(tables.len()))
    }

    fn part(
        &self,
        rows: Range<usize>,
        mixing: ArrayView2<'_, f64>,
        tables: &[PowerDensity],
        deviations: &[f64],
    ) -> Sums {
        let old = self.weights.slice(s![rows, ..]);
        let mut new = multiply(old, mixing.t());
        let mut sums = Sums::zeros(tables.len());
        for mut row in new.outer_iter_mut() {
            for (k, z) in row.iter_mut().enumerate() {
                let u = *z / deviations[k];
                let density = tables[k].at(u);
                let slope = density.slope / deviations[k];
                sums.outside += usize::from(u < -3.0);
                sums.value += density.value;
                sums.by_scale[k] += slope * *z;
                sums.by_exponent[k] += density.by_exponent;
                *z = slope;
            }
        }
        Sums { slopes: multiply(new.t(), old), ..sums }
    }
}

impl Sums {
    fn zeros(rank: usize) -> Self {
        let slopes = Array2::zeros((rank, rank));
        Self { value: 0.0, outside: 0, slopes, by_scale: vec![0.0; rank], by_exponent: vec![0.0; rank] }
    }

    fn merge(mut self, other: Self) -> Self {
        let add = |to: &mut Vec<f64>, from: Vec<f64>| to.iter_mut().zip(from).for_each(|(a, b)| *a += b);
        self.value += other.value;
        self.outside += other.outside;
        self.slopes += &other.slopes;
        add(&mut self.by_scale, other.by_scale);
        add(&mut self.by_exponent, other.by_exponent);
        self
    }
}

#[cfg(test)]
mod tests {
    use rand_distr::{Distribution, Gamma, StandardNormal};

    use super::*;
    use crate::random::{Stream, generator};
    use crate::testing::random_matrix;
    use crate::volume::testing::{error, problem};

    /// Shares from a Dirichlet distribution with equal exponents, mixed and noisy; the components (rows).
    fn shares(exponent: f64, noise: f64) -> (Array2<f64>, Array2<f64>) {
        let components = random_matrix::<f64>(4, 4, 3).mapv(f64::abs) + Array2::<f64>::eye(4);
        let mut rng = generator(5, Stream::Weights);
        let gamma = Gamma::new(exponent, 1.0).unwrap();
        let weights = Array2::from_shape_simple_fn((4000, 4), || gamma.sample(&mut rng) + 1e-300);
        let weights = &weights / &weights.sum_axis(Axis(1)).insert_axis(Axis(1));
        let mut draw = || -> f64 { StandardNormal.sample(&mut rng) };
        let noise = Array2::from_shape_simple_fn((4000, 4), || noise * draw());
        (weights.dot(&components) + noise, components)
    }

    #[test]
    fn components_are_found_whatever_the_exponent_from_a_start_that_is_off() {
        for (exponent, most) in [(0.1, 0.02), (0.3, 0.02), (1.0, 0.03)] {
            let (rows, components) = shares(exponent, 0.02);
            let off = components.dot(&(Array2::<f64>::eye(4) + 0.15));
            let found = problem(&rows, &components, 0.02).maximise_dirichlet(&off, 200, &|| false).unwrap();
            let error = error(&found.solution.components, &components);
            assert!(error < most, "{exponent}: {error}");
            assert!(found.misfit < 0.03 && found.solution.outside < 0.01, "{exponent}: {}", found.misfit);
        }
    }

    #[test]
    fn correlated_weights_are_no_dirichlet_distribution() {
        let (rows, components) = shares(0.5, 0.02);
        let (_, inverse) = log_determinant_and_inverse(components.view()).unwrap();
        // Two components that always come together, in equal parts.
        let mut weights = rows.dot(&inverse);
        let mean = (&weights.column(0) + &weights.column(1)) / 2.0;
        weights.column_mut(0).assign(&mean);
        let noisy = &mean + &(&weights.column(2) * 0.1);
        weights.column_mut(1).assign(&noisy);
        let rows = weights.dot(&components);
        let found = problem(&rows, &components, 0.02).maximise_dirichlet(&components, 200, &|| false);
        assert!(found.is_none_or(|found| found.misfit > 0.2));
    }

    #[test]
    fn the_gradient_is_that_of_the_likelihood_within_the_constraint() {
        let (rows, components) = shares(0.5, 0.05);
        let (_, inverse) = log_determinant_and_inverse(components.view()).unwrap();
        let decoder = inverse.t().to_owned();
        let weights = multiply(rows.view(), decoder.t());
        let likelihood = Likelihood::new(&weights, &decoder, 0.05);
        let mut direction = random_matrix::<f64>(4, 4, 9);
        for mut column in direction.columns_mut() {
            let mean = column.mean().unwrap();
            column.mapv_inplace(|v| v - mean);
        }
        let mut point = Array2::<f64>::eye(4).into_raw_vec_and_offset().0;
        point.extend([-1.0, 0.3, 0.8, -0.5]);
        let direction: Vec<f64> = direction.into_iter().chain([0.4, -0.2, 0.7, 1.0]).collect();
        let mut gradient = vec![0.0; 20];
        likelihood.evaluate(&point, &mut gradient);
        let slope: f64 = gradient.iter().zip(&direction).map(|(g, d)| g * d).sum();
        let value = |t: f64| {
            let moved: Vec<f64> = point.iter().zip(&direction).map(|(p, d)| p + t * d).collect();
            likelihood.evaluate(&moved, &mut [0.0; 20])
        };
        let difference = (value(1e-5) - value(-1e-5)) / 2e-5;
        assert!((slope - difference).abs() < 1e-3 * difference.abs().max(1.0), "{slope} {difference}");
    }

    #[test]
    fn dependent_or_negative_starts_are_refused_and_a_stop_is_heeded() {
        let (rows, components) = shares(1.0, 0.01);
        let problem = problem(&rows, &components, 0.01);
        let mut dependent = components.clone();
        let first = dependent.row(0).to_owned();
        dependent.row_mut(1).assign(&first);
        assert!(problem.maximise_dirichlet(&dependent, 50, &|| false).is_none());
        assert!(problem.maximise_dirichlet(&-&components, 50, &|| false).is_none());
        assert!(problem.maximise_dirichlet(&components, 50, &|| true).is_none());
    }
}
