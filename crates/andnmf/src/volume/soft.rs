//! Soft volume: the components of least volume that hold the samples, up to noise.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis, CowArray, Ix2};
use rayon::prelude::*;

use super::density::{Density, FLAT, LogDensity, learn};
use super::dirichlet::outside;
use super::lbfgs::minimise;
use crate::linalg::determinant::log_determinant_and_inverse;
use crate::linalg::product::multiply;

/// Samples whose sums one thread adds up: fixed, so that results do not depend on the number of threads.
pub(super) const ROWS_PER_PART: usize = 512;

/// The model of the density of weights near zero.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum NearZero {
    /// Flat: plain soft volume.
    Flat,
    /// Learned from the decoded weights, for each component.
    Learned,
}

/// Limits of a maximisation.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SoftLimits {
    /// Width of the limit at zero, in standard deviations of a decoded weight.
    pub(crate) softness: f64,
    /// Rounds, each with the noise (and the density) of the decoder before it.
    pub(crate) rounds: usize,
    /// Iterations of L-BFGS in a round.
    pub(crate) iterations: usize,
    /// A round that moves the decoder by less than this share is the last.
    pub(crate) settled: f64,
}

/// A minimum-volume problem: samples, scale and noise.
pub(crate) struct SoftVolume<'a> {
    /// Samples × rank: coordinates along as many directions as there are components.
    pub(crate) rows: CowArray<'a, f64, Ix2>,
    /// The linear function of a sample that gives the sum of its weights.
    pub(crate) sums: Array1<f64>,
    /// Standard deviation of the noise of one coordinate.
    pub(crate) noise: f64,
}

/// Components of least volume.
#[derive(Debug, Clone)]
pub(crate) struct SoftSolution {
    /// Rank × rank, in the coordinates of the samples.
    pub(crate) components: Array2<f64>,
    /// The objective, a negative log-likelihood: lower is better, between solutions of one problem.
    pub(crate) value: f64,
    /// Share of decoded weights that lie more than three standard deviations below zero.
    pub(crate) outside: f64,
}

impl SoftVolume<'_> {
    /// Maximises log|det P| + mean Σ log p(z) over decoders P, z = P·y, from the decoder of these components.
    ///
    /// `None` if they are dependent, or if the sum of a component's weights is not positive; also if `stop` returns true.
    pub(crate) fn maximise(
        &self,
        start: &Array2<f64>,
        near_zero: NearZero,
        limits: &SoftLimits,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Option<SoftSolution> {
        let scales = start.dot(&self.sums);
        if scales.iter().any(|s| *s <= 0.0 || !s.is_finite()) {
            return None;
        }
        let scaled = start / &scales.insert_axis(Axis(1));
        // Components are rows: z = y·A⁻¹, so the decoder of the columns' form is the transposed inverse.
        let (mut log_volume, inverse) = log_determinant_and_inverse(scaled.view())?;
        let mut decoder = inverse.t().to_owned();
        let mut weights = multiply(self.rows.view(), decoder.t());
        let total = self.rows.dot(&self.sums).mean()?;
        let mut fit = 0.0;
        for _ in 0..limits.rounds {
            if stop() {
                return None;
            }
            let deviations = self.deviations(&decoder, &weights);
            let widths: Vec<f64> = deviations.iter().map(|s| limits.softness * s).collect();
            let densities = densities(near_zero, &weights, &widths, total);
            let tables: Vec<LogDensity> =
                densities.iter().map(|density| LogDensity::new(&density.relative)).collect();
            let problem = Round { weights: &weights, tables: &tables, widths: &widths };
            let rank = decoder.nrows();
            let found = minimise(
                Array2::<f64>::eye(rank).into_raw_vec_and_offset().0,
                limits.iterations,
                1e-9,
                |mixing, gradient| problem.evaluate(mixing, gradient),
            );
            let mixing = Array2::from_shape_vec((rank, rank), found.point).expect("square");
            let (log_mixing, _) = log_determinant_and_inverse(mixing.view())?;
            decoder = mixing.dot(&decoder);
            weights = multiply(weights.view(), mixing.t());
            fit = found.value + log_mixing + densities.iter().map(|density| density.log_mass).sum::<f64>();
            log_volume -= log_mixing;
            let moved = &mixing - &Array2::<f64>::eye(rank);
            if (moved.mapv(|v| v * v).sum() / rank as f64).sqrt() < limits.settled {
                break;
            }
        }
        let deviations = self.deviations(&decoder, &weights);
        let outside = outside(&weights, &deviations);
        let (_, components) = log_determinant_and_inverse(decoder.view())?;
        let components = components.t().to_owned();
        Some(SoftSolution { components, value: log_volume + fit, outside })
    }

    /// The noise of each decoded weight; with hardly any noise, a trace of the largest weight.
    fn deviations(&self, decoder: &Array2<f64>, weights: &Array2<f64>) -> Vec<f64> {
        let largest = |column: ArrayView1<'_, f64>| column.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
        decoder
            .outer_iter()
            .zip(weights.columns())
            .map(|(row, column)| (self.noise * row.dot(&row).sqrt()).max(1e-9 * largest(column)))
            .collect()
    }
}

/// The density near zero of every component.
fn densities(near_zero: NearZero, weights: &Array2<f64>, widths: &[f64], total: f64) -> Vec<Density> {
    let rank = weights.ncols();
    match near_zero {
        NearZero::Flat => vec![FLAT; rank],
        NearZero::Learned => {
            let learned = (0..rank).into_par_iter().map(|k| {
                let unit = if total > 0.0 { widths[k] / total } else { 0.0 };
                learn(weights.column(k).iter().map(|z| z / widths[k]), unit, rank.max(2))
            });
            learned.collect()
        }
    }
}

/// One round: the noise and the densities are fixed, and the decoder changes by a factor.
struct Round<'a> {
    weights: &'a Array2<f64>,
    tables: &'a [LogDensity],
    widths: &'a [f64],
}

impl Round<'_> {
    /// −log|det M| − mean Σ log p(M·z) and its gradient, among the M whose columns sum to one.
    fn evaluate(&self, mixing: &[f64], gradient: &mut [f64]) -> f64 {
        let (n, rank) = self.weights.dim();
        let mixing = ArrayView2::from_shape((rank, rank), mixing).expect("square");
        let Some((log_determinant, inverse)) = log_determinant_and_inverse(mixing) else {
            return f64::INFINITY;
        };
        let parts: Vec<(f64, Array2<f64>)> = (0..n.div_ceil(ROWS_PER_PART))
            .into_par_iter()
            .map(|part| {
                let rows = part * ROWS_PER_PART..((part + 1) * ROWS_PER_PART).min(n);
                let old = self.weights.slice(ndarray::s![rows, ..]);
                let mut new = multiply(old, mixing.t());
                let mut sum = 0.0;
                for mut row in new.outer_iter_mut() {
                    for ((z, table), width) in row.iter_mut().zip(self.tables).zip(self.widths) {
                        let (value, slope) = table.at(*z / width);
                        sum += value;
                        *z = slope / width;
                    }
                }
                (sum, multiply(new.t(), old))
            })
            .collect();
        let (fit, slopes) = parts
            .into_iter()
            .reduce(|(fit, slopes), (more, others)| (fit + more, slopes + others))
            .unwrap_or_else(|| (0.0, Array2::zeros((rank, rank))));
        let mut whole = -(&inverse.t() + &(slopes / n as f64));
        // Columns keep their sums: the gradient has none.
        for mut column in whole.columns_mut() {
            let mean = column.sum() / rank as f64;
            column.mapv_inplace(|v| v - mean);
        }
        gradient.iter_mut().zip(&whole).for_each(|(to, v)| *to = *v);
        -log_determinant - fit / n as f64
    }
}

#[cfg(test)]
mod tests {
    use rand::RngExt;
    use rand_distr::{Distribution, StandardNormal};

    use super::*;
    use crate::random::{Stream, generator};
    use crate::testing::random_matrix;
    use crate::volume::testing::{error, problem as volume};

    const LIMITS: SoftLimits = SoftLimits { softness: 1.0, rounds: 10, iterations: 60, settled: 1e-4 };

    /// Samples whose shares are spread over a simplex with this exponent, and the components (rows).
    fn shares(exponent: f64, noise: f64) -> (Array2<f64>, Array2<f64>) {
        let components = random_matrix::<f64>(4, 4, 3).mapv(f64::abs) + Array2::<f64>::eye(4);
        let mut rng = generator(5, Stream::Weights);
        let weights = Array2::from_shape_fn((4000, 4), |_| (-rng.random::<f64>().ln()).powf(1.0 / exponent));
        let weights = &weights / &weights.sum_axis(Axis(1)).insert_axis(Axis(1));
        let mut draw = || -> f64 { StandardNormal.sample(&mut rng) };
        let noise = Array2::from_shape_simple_fn((4000, 4), || noise * draw());
        (weights.dot(&components) + noise, components)
    }

    #[test]
    fn evenly_spread_shares_give_their_simplex_from_a_start_that_is_off() {
        let (rows, components) = shares(1.0, 0.01);
        let off = components.dot(&(Array2::<f64>::eye(4) + 0.15));
        let before = error(&off, &components);
        let found = volume(&rows, &components, 0.01)
            .maximise(&off, NearZero::Flat, &SoftLimits { softness: 0.7, ..LIMITS }, &|| false)
            .unwrap();
        let after = error(&found.components, &components);
        assert!(before > 0.1 && after < 0.02, "{before} {after}");
        assert!(found.outside < 0.01);
    }

    #[test]
    fn a_learned_density_is_right_where_weights_crowd_near_zero() {
        let (rows, components) = shares(0.4, 0.02);
        let problem = volume(&rows, &components, 0.02);
        let end = |near_zero| {
            error(
                &problem.maximise(&components, near_zero, &LIMITS, &|| false).unwrap().components,
                &components,
            )
        };
        let (flat, learned) = (end(NearZero::Flat), end(NearZero::Learned));
        assert!(learned < 0.5 * flat, "{learned} {flat}");
    }

    #[test]
    fn the_gradient_is_that_of_the_objective_within_the_constraint() {
        let (rows, components) = shares(1.0, 0.05);
        let problem = volume(&rows, &components, 0.05);
        let (_, inverse) = log_determinant_and_inverse(components.view()).unwrap();
        let weights = multiply(problem.rows.view(), inverse.view());
        let deviations = problem.deviations(&inverse.t().to_owned(), &weights);
        let tables: Vec<LogDensity> = (0..4).map(|_| LogDensity::new(&[5.0, 3.0, 2.0, 1.5, 1.0])).collect();
        let round = Round { weights: &weights, tables: &tables, widths: &deviations };
        let mut gradient = vec![0.0; 16];
        let at =
            |mixing: &Array2<f64>, gradient: &mut [f64]| round.evaluate(mixing.as_slice().unwrap(), gradient);
        at(&Array2::eye(4), &mut gradient);
        // Along a direction whose columns sum to zero.
        let mut direction = random_matrix::<f64>(4, 4, 9);
        for mut column in direction.columns_mut() {
            let mean = column.mean().unwrap();
            column.mapv_inplace(|v| v - mean);
        }
        let step = 1e-6;
        let value = |t: f64| at(&(Array2::<f64>::eye(4) + &direction * t), &mut [0.0; 16]);
        let slope: f64 = gradient.iter().zip(&direction).map(|(g, d)| g * d).sum();
        let difference = (value(step) - value(-step)) / (2.0 * step);
        assert!((slope - difference).abs() < 1e-5 * difference.abs().max(1.0), "{slope} {difference}");
    }

    #[test]
    fn dependent_or_negative_starts_are_refused_and_a_stop_is_heeded() {
        let (rows, components) = shares(1.0, 0.01);
        let problem = volume(&rows, &components, 0.01);
        let solve = |start: &Array2<f64>, stopped: bool| {
            problem.maximise(start, NearZero::Flat, &LIMITS, &|| stopped)
        };
        let mut dependent = components.clone();
        let first = dependent.row(0).to_owned();
        dependent.row_mut(1).assign(&first);
        assert!(solve(&dependent, false).is_none());
        assert!(solve(&-&components, false).is_none());
        assert!(solve(&components, true).is_none());
    }
}
