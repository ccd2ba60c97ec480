//! Samples drawn from an answer: its components, weights drawn anew, and noise as strong as its residual.

use ndarray::{Array2, Axis};
use rand::{Rng, RngExt};
use rand_distr::{Distribution, Gamma, Poisson, StandardNormal};

use crate::linalg::product::multiply;
use crate::samples::CsrSamples;
use crate::{FitError, Real};

/// Samples at a time: whole arrays of them would take as much memory as the samples.
const BLOCK: usize = 256;

/// An answer from which samples can be drawn.
#[derive(Debug)]
pub(super) struct Mixture {
    /// Rank × features.
    pub(super) components: Array2<f64>,
    /// Samples × rank, not negative.
    pub(super) weights: Array2<f64>,
    /// True if no value of the samples is negative.
    pub(super) non_negative: bool,
    /// Standard deviation of the noise of each feature.
    pub(super) noise: Vec<f64>,
    /// Root mean square of the samples.
    size: f64,
}

impl Mixture {
    /// From components, weights and the samples (rows) that they explain. Their fit has taken noise from the residual: as
    /// many dimensions of it as there are components, in samples and in features.
    pub(super) fn new(components: Array2<f64>, weights: Array2<f64>, rows: &Array2<f64>) -> Self {
        let (n, width) = rows.dim();
        let mut squares = vec![0.0; width];
        let blocks = weights.axis_chunks_iter(Axis(0), BLOCK).zip(rows.axis_chunks_iter(Axis(0), BLOCK));
        for (weights, rows) in blocks {
            let mut residual = multiply(weights, components.view());
            residual -= &rows;
            squares.iter_mut().zip(residual.columns()).for_each(|(sum, column)| *sum += column.dot(&column));
        }
        let left = |all: usize| (all as f64 - components.nrows() as f64).max(1.0) / all.max(1) as f64;
        let free = left(n) * left(width);
        let noise = squares.into_iter().map(|sum: f64| (sum / (free * n.max(1) as f64)).sqrt()).collect();
        let non_negative = rows.iter().all(|v| *v >= 0.0);
        let size = (rows.iter().map(|v| v * v).sum::<f64>() / (n * width).max(1) as f64).sqrt();
        Self { components, weights, non_negative, noise, size }
    }

    /// Root mean square of the noise.
    pub(super) fn mean_noise(&self) -> f64 {
        (self.noise.iter().map(|v| v * v).sum::<f64>() / self.noise.len().max(1) as f64).sqrt()
    }

    /// The residual that noise does not explain: the share of it, at most the part of the samples times `amplified`. The noise
    /// is relative to the size of the samples.
    pub(super) fn misfit(&self, noise: f64, amplified: f64) -> f64 {
        let residual = self.mean_noise() / self.size.max(f64::MIN_POSITIVE);
        if residual <= noise {
            return 0.0;
        }
        let excess = (residual * residual - noise * noise).sqrt();
        (1.0 - noise / residual).min(amplified * excess)
    }

    /// As many samples as there are weights.
    pub(super) fn draw<T: Real>(&self, rng: &mut impl Rng) -> Array2<T> {
        let n = self.weights.nrows();
        let numbers: Vec<usize> = (0..n).map(|_| rng.random_range(0..n)).collect();
        let mut samples = Array2::zeros((n, self.components.ncols()));
        for (block, mut rows) in numbers.chunks(BLOCK).zip(samples.axis_chunks_iter_mut(Axis(0), BLOCK)) {
            let weights = self.weights.select(Axis(0), block);
            let means = multiply(weights.view(), self.components.view());
            for (mut row, means) in rows.outer_iter_mut().zip(means.outer_iter()) {
                for ((v, mean), noise) in row.iter_mut().zip(means).zip(&self.noise) {
                    let drawn: f64 = StandardNormal.sample(rng);
                    let value = mean + noise * drawn;
                    *v = T::from_f64(if self.non_negative { value.max(0.0) } else { value });
                }
            }
        }
        samples
    }
}

/// Counts of samples with these expected counts, weights × components. Samples are drawn anew; overdispersion φ makes the
/// variance of a count with mean μ equal to μ + φμ².
pub(super) fn draw_counts<T: Real>(
    components: &Array2<f64>,
    weights: &Array2<f64>,
    overdispersion: f64,
    rng: &mut impl Rng,
) -> Result<CsrSamples<'static, T>, FitError> {
    let (n, width) = (weights.nrows(), components.ncols());
    let mut starts = vec![0_usize];
    let (mut features, mut values) = (Vec::<u32>::new(), Vec::<T>::new());
    let sums: Vec<f64> = components.outer_iter().map(|row| row.sum()).collect();
    let cumulative = running_sums(components);
    let mut counts = vec![0_u64; width];
    for _ in 0..n {
        let sample = weights.row(rng.random_range(0..n));
        let total: f64 = sample.iter().zip(&sums).map(|(w, sum)| w * sum).sum();
        if overdispersion > 0.0 || total > width as f64 {
            let means = sample.dot(components);
            counts.iter_mut().zip(&means).for_each(|(count, &mean)| {
                *count = poisson(dispersed(mean, overdispersion, rng), rng);
            });
        } else {
            counts.fill(0);
            for (k, &weight) in sample.iter().enumerate() {
                for _ in 0..poisson(weight * sums[k], rng) {
                    let at = rng.random::<f64>() * sums[k];
                    let feature =
                        cumulative.row(k).as_slice().map_or(0, |sums| sums.partition_point(|s| *s <= at));
                    counts[feature.min(width - 1)] += 1;
                }
            }
        }
        for (feature, &count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
            features.push(feature as u32);
            values.push(T::from_f64(count as f64));
        }
        starts.push(values.len());
    }
    Ok(CsrSamples::new(width, &starts, features, values)?)
}

/// The sums of the values of each row up to every feature.
fn running_sums(components: &Array2<f64>) -> Array2<f64> {
    let mut sums = components.as_standard_layout().into_owned();
    for mut row in sums.outer_iter_mut() {
        let mut sum = 0.0;
        row.iter_mut().for_each(|v| {
            sum += *v;
            *v = sum;
        });
    }
    sums
}

fn dispersed(mean: f64, overdispersion: f64, rng: &mut impl Rng) -> f64 {
    if overdispersion <= 0.0 || mean <= 0.0 {
        return mean;
    }
    Gamma::new(1.0 / overdispersion, overdispersion).map_or(mean, |factor| mean * factor.sample(rng))
}

fn poisson(mean: f64, rng: &mut impl Rng) -> u64 {
    if mean > 0.0 { Poisson::new(mean).map_or(0, |counts| counts.sample(rng) as u64) } else { 0 }
}

#[cfg(test)]
mod tests {
    use ndarray::{Array1, Axis, array};

    use super::*;
    use crate::random::{Stream, generator};
    use crate::samples::{Samples, read};
    use crate::testing::random_matrix;

    #[test]
    fn drawn_samples_have_the_mean_and_the_noise_of_the_answer() {
        let components = array![[2.0, 0.0, 1.0, 3.0, 1.0, 1.0], [0.0, 2.0, 1.0, 1.0, 5.0, 2.0]];
        let weights = random_matrix::<f64>(4000, 2, 1).mapv(f64::abs);
        let clean = multiply(weights.view(), components.view());
        let noise = random_matrix::<f64>(4000, 6, 2) * &array![0.1, 0.2, 0.1, 0.1, 0.1, 0.4];
        let mixture = Mixture::new(components, weights, &(&clean + &noise));
        assert!(!mixture.non_negative);
        let drawn: Array2<f64> = mixture.draw(&mut generator(3, Stream::Noise));
        let mean = |rows: &Array2<f64>| rows.mean_axis(Axis(0)).unwrap();
        assert!((mean(&drawn) - mean(&clean)).iter().all(|v| v.abs() < 0.1));
        // The noise takes the place of what the true weights leave: their residual has all dimensions.
        for (given, feature) in mixture.noise.iter().zip(noise.columns()) {
            let of = (feature.dot(&feature) / 3998.0).sqrt() * (6.0_f64 / 4.0).sqrt();
            assert!((given - of).abs() < 1e-12, "{given} {of}");
        }
        // What noise explains is no misfit; what it does not is, as far as it matters.
        let relative = mixture.mean_noise() / mixture.size;
        assert_eq!(mixture.misfit(relative, 10.0), 0.0);
        assert!((mixture.misfit(relative / 4.0, 1e3) - 0.75).abs() < 1e-12);
        assert!((mixture.misfit(0.0, 0.5) - 0.5 * relative).abs() < 1e-12);
        let positive = Mixture { non_negative: true, ..mixture };
        let drawn: Array2<f64> = positive.draw(&mut generator(3, Stream::Noise));
        assert!(drawn.iter().all(|v| *v >= 0.0));
    }

    #[test]
    fn drawn_counts_have_the_mean_and_the_variance_of_their_noise() {
        let components = array![[0.5, 0.5, 0.0, 0.0], [0.0, 0.1, 0.2, 0.7]];
        // Few counts are drawn one by one, many feature by feature.
        for (total, overdispersion) in [(3.0, 0.0), (400.0, 0.0), (400.0, 0.1)] {
            let weights = Array2::from_shape_fn((20_000, 2), |_| total / 2.0);
            let drawn: CsrSamples<'_, f64> =
                draw_counts(&components, &weights, overdispersion, &mut generator(5, Stream::Noise)).unwrap();
            let mut rows = Array2::<f64>::zeros((20_000, 4));
            read(&drawn, 0..drawn.n_samples()).unwrap().for_each(|i, j, v| rows[[i, j]] += v);
            let expected: Array1<f64> = weights.row(0).dot(&components);
            let (mean, variance) = (rows.mean_axis(Axis(0)).unwrap(), rows.var_axis(Axis(0), 1.0));
            for ((mean, variance), mu) in mean.iter().zip(&variance).zip(&expected) {
                let wanted = mu + overdispersion * mu * mu;
                assert!((mean / mu - 1.0).abs() < 0.05, "{mean} {mu}");
                assert!((variance / wanted - 1.0).abs() < 0.08, "{variance} {wanted}");
            }
        }
    }
}
