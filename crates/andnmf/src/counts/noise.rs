//! The noise of samples: the setting, the recognition of counts, and the metric that makes their noise even.

use super::model::{Model, filled, likelihood_steps};
use super::pass::ByFeature;
use super::rows::copied;
use super::summary::{CountSums, count_sums};
use crate::fit::{StageInterrupt, StopMonitor};
use crate::linalg::product::multiply;
use crate::objective::Metric;
use crate::random::{Stream, generator};
use crate::samples::{CsrSamples, Samples, read};
use crate::settings::declare_choice;
use crate::{FitError, Real, SettingError};

declare_choice! {
    /// The noise that a fit expects.
    #[derive(Eq)]
    pub enum Noise for "noise" {
        /// Poisson if the samples are counts, otherwise Gaussian.
        Auto = "auto",
        /// Equal variance in all values.
        Gaussian = "gaussian",
        /// Counts: the variance of a value is its mean, or grows faster with it.
        Poisson = "poisson",
    }
}

/// What is known of counts before their fit.
#[derive(Debug, Clone)]
pub(crate) struct CountNoise {
    pub(crate) sums: CountSums,
    pub(crate) dispersion: f64,
    pub(crate) overdispersion: f64,
}

/// Values of the quick fit that estimates the dispersion, at most.
const QUICK_VALUES: usize = 1 << 20;
/// Steps of the quick fit.
const QUICK_STEPS: usize = 40;
/// Counts have a variance that grows at least with this power of their mean…
const LEAST_EXPONENT: f64 = 0.5;
/// …and noise of about their mean: whole numbers that a fit explains better are no counts.
const LEAST_DISPERSION: f64 = 0.5;

/// The noise of samples that are counts; `None` if they are not, or not said to be.
pub(crate) fn recognised<T: Real>(
    samples: &dyn Samples<T>,
    noise: Noise,
    rank: usize,
    seed: u64,
    monitor: &StopMonitor<'_>,
) -> Result<Option<CountNoise>, StageInterrupt> {
    let Some(sums) = sums_of_counts(samples, noise)? else { return Ok(None) };
    let given = noise == Noise::Poisson;
    let (part, _) = copied(samples, QUICK_VALUES, seed)?;
    let (dispersion, overdispersion) = dispersion(&part, rank, seed, monitor)?;
    let counts = given || dispersion >= LEAST_DISPERSION;
    Ok(counts.then_some(CountNoise { sums, dispersion, overdispersion }))
}

/// The sums of samples that look like counts, or are said to be; `None` for others. Their residuals, which also tell, are not
/// looked at.
///
/// # Errors
/// If samples that are said to be counts are none, or cannot be read.
pub(crate) fn sums_of_counts<T: Real>(
    samples: &dyn Samples<T>,
    noise: Noise,
) -> Result<Option<CountSums>, FitError> {
    if noise == Noise::Gaussian {
        return Ok(None);
    }
    let given = noise == Noise::Poisson;
    if samples.executor().is_some() {
        if given {
            let expected = "distributed samples support gaussian only; load the samples into this process";
            return Err(SettingError::new("noise", noise, expected).into());
        }
        return Ok(None);
    }
    let Some(sums) = count_sums(samples)? else {
        if given {
            let expected =
                "the samples must be counts: whole numbers of zero or more; use gaussian for others";
            return Err(SettingError::new("noise", noise, expected).into());
        }
        return Ok(None);
    };
    // So large a number is whole in this type whatever it measures.
    let always_whole = sums.largest * T::EPSILON.as_f64() >= 1.0;
    let grows = sums.variance_exponent().is_some_and(|exponent| exponent >= LEAST_EXPONENT);
    if !given && (always_whole || !grows) {
        return Ok(None);
    }
    Ok(Some(sums))
}

/// Dispersion and overdispersion of the residuals of a quick fit of largest likelihood.
fn dispersion(
    samples: &CsrSamples<'static, f32>,
    rank: usize,
    seed: u64,
    monitor: &StopMonitor<'_>,
) -> Result<(f64, f64), StageInterrupt> {
    let (n, width) = (samples.n_samples(), samples.n_features());
    let mut means = vec![0.0; width];
    let (mut all, mut squares) = (0.0, 0.0);
    read(samples, 0..n)?.for_each(|_, feature, v| {
        let v = f64::from(v);
        means[feature] += v;
        all += v;
        squares += v * v;
    });
    if all == 0.0 {
        return Ok((1.0, 0.0));
    }
    let rank = rank.min(n).max(1);
    let mut rng = generator(seed, Stream::Start);
    let chosen = rand::seq::index::sample(&mut rng, n, rank).into_vec();
    let rows = crate::samples::dense_rows(samples, &chosen)?.mapv(f64::from);
    let model = Model {
        components: filled(&rows, &means, 0.5),
        shares: ndarray::Array2::zeros((n, rank)),
        prior: Vec::new(),
        smoothed: false,
    };
    let (model, _) = likelihood_steps(samples, model, QUICK_STEPS, 1e-3, monitor)?;
    // Σ (y − μ)² = Σ y² − 2 Σ yμ + Σ μ², the last by the Gram matrix of the components.
    let gram = multiply(model.components.view(), model.components.t()).mapv(f64::from);
    let by_feature = ByFeature::new(&model.components);
    let table = by_feature.rows.as_slice().expect("row-major");
    let (mut together, mut fitted_squares) = (0.0, 0.0);
    for i in 0..n {
        let crate::samples::Block::Sparse(row) = read(samples, i..i + 1)? else { continue };
        let total: f64 = row.row(0).map(|(_, v)| f64::from(v)).sum();
        let shares: Vec<f64> = model.shares.row(i).iter().map(|&v| total * f64::from(v)).collect();
        for (feature, v) in row.row(0) {
            let of = &table[feature * by_feature.width()..][..rank];
            together += f64::from(v) * shares.iter().zip(of).map(|(x, &a)| x * f64::from(a)).sum::<f64>();
        }
        for (k, x) in shares.iter().enumerate() {
            fitted_squares += x * shares.iter().zip(gram.row(k)).map(|(y, g)| y * g).sum::<f64>();
        }
    }
    let used = width.min(means.iter().filter(|&&sum| sum > 0.0).count()) as f64;
    let values = n as f64 * used;
    let free = (values - rank as f64 * (n as f64 + used)).max(0.1 * values);
    let residual = (squares - 2.0 * together + fitted_squares).max(0.0) * values / free;
    let dispersion = residual / all;
    let over = if fitted_squares > 0.0 { ((residual - all) / fitted_squares).max(0.0) } else { 0.0 };
    Ok((dispersion, over))
}

impl CountNoise {
    /// Overdispersion times the mean of a count in a sample of one count: each count meets its own feature.
    ///
    /// A sample of total t speaks for the part 1/(1 + t·this) of its counts: with overdispersion the variance of a count is
    /// larger than its mean, as that of fewer Poisson counts is (quasi-likelihood).
    pub(crate) fn excess_per_count(&self) -> f64 {
        let CountSums { totals, features, .. } = &self.sums;
        let all: f64 = totals.iter().sum();
        self.overdispersion * features.iter().map(|sum| (sum / all).powi(2)).sum::<f64>()
    }

    /// Weights of samples and features that make the noise even: one over the variance μ + φμ² of a value of mean size in its
    /// sample or its feature. Samples without counts are ignored.
    ///
    /// # Errors
    /// If no sample has counts.
    pub(crate) fn metric(&self) -> Result<Metric, SettingError> {
        let CountSums { totals, features, .. } = &self.sums;
        let (all, excess): (f64, f64) = (totals.iter().sum(), self.excess_per_count());
        let of_sample = |&total: &f64| if total > 0.0 { 1.0 / (total * (1.0 + excess * total)) } else { 0.0 };
        let least = features.iter().copied().filter(|&sum| sum > 0.0).fold(f64::INFINITY, f64::min);
        let of_feature = |&sum: &f64| all / if sum > 0.0 { sum } else { least };
        Metric::default()
            .with_sample_weights(totals.iter().map(of_sample).collect())?
            .with_feature_weights(features.iter().map(of_feature).collect())
    }
}
