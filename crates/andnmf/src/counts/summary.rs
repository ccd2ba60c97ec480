//! Whether samples are counts, and the sums that say how noisy they are.

use crate::samples::fold::{FoldPlan, fold};
use crate::samples::{Samples, read};
use crate::{FitError, Real, SamplesError};

/// Samples that are looked at before a whole pass: most data that are no counts show it there.
const FIRST_LOOK: usize = 64;
/// Fewer samples, features or counts say too little about their noise.
const FEWEST_SAMPLES: usize = 32;
const FEWEST_FEATURES: usize = 8;
const FEWEST_COUNTS: f64 = 1000.0;
/// A feature with fewer counts says nothing about its variance.
const FEWEST_OF_A_FEATURE: f64 = 10.0;

/// Sums over samples that are counts.
#[derive(Debug, Clone)]
pub(crate) struct CountSums {
    /// Σ over the features of each sample.
    pub(crate) totals: Vec<f64>,
    /// Σ over the samples of each feature.
    pub(crate) features: Vec<f64>,
    /// Σ of squares over the samples of each feature.
    pub(crate) squares: Vec<f64>,
    pub(crate) largest: f64,
}

/// Why samples are no counts, or an error.
enum Refused {
    NoCount,
    Error(SamplesError),
}

impl From<SamplesError> for Refused {
    fn from(error: SamplesError) -> Self {
        Self::Error(error)
    }
}

/// The sums, or `None` if a value is negative or no whole number. One pass, unless the first samples are no counts.
///
/// # Errors
/// If the samples cannot be read.
pub(crate) fn count_sums<T: Real>(samples: &dyn Samples<T>) -> Result<Option<CountSums>, FitError> {
    let (n, n_features) = (samples.n_samples(), samples.n_features());
    let mut counts = true;
    read(samples, 0..n.min(FIRST_LOOK))?.for_each(|_, _, v| counts &= is_count(v.as_f64()));
    if !counts {
        return Ok(None);
    }
    let empty = || CountSums {
        totals: Vec::new(),
        features: vec![0.0; n_features],
        squares: vec![0.0; n_features],
        largest: 0.0,
    };
    let sums = fold(
        samples,
        &FoldPlan::new(samples, 2 * n_features),
        &empty,
        &|sums: &mut CountSums, _, block| {
            let begin = sums.totals.len();
            sums.totals.resize(begin + block.n_samples(), 0.0);
            let mut counts = true;
            block.for_each(|i, feature, v| {
                let v = v.as_f64();
                counts &= is_count(v);
                sums.totals[begin + i] += v;
                sums.features[feature] += v;
                sums.squares[feature] += v * v;
                sums.largest = sums.largest.max(v);
            });
            if counts { Ok(()) } else { Err(Refused::NoCount) }
        },
        &|into, other| {
            into.totals.extend(other.totals);
            into.features.iter_mut().zip(other.features).for_each(|(a, b)| *a += b);
            into.squares.iter_mut().zip(other.squares).for_each(|(a, b)| *a += b);
            into.largest = into.largest.max(other.largest);
        },
    );
    match sums {
        Ok(sums) => Ok(Some(sums)),
        Err(Refused::NoCount) => Ok(None),
        Err(Refused::Error(error)) => Err(error.into()),
    }
}

fn is_count(value: f64) -> bool {
    value >= 0.0 && value == value.trunc()
}

/// Σ over the features of each sample.
///
/// # Errors
/// If the samples cannot be read.
pub(crate) fn count_totals<T: Real>(samples: &dyn Samples<T>) -> Result<Vec<f64>, FitError> {
    fold(
        samples,
        &FoldPlan::new(samples, 1),
        &Vec::new,
        &|totals: &mut Vec<f64>, _, block| {
            let begin = totals.len();
            totals.resize(begin + block.n_samples(), 0.0);
            block.for_each(|i, _, v| totals[begin + i] += v.as_f64());
            Ok(())
        },
        &|into, other| into.extend(other),
    )
}

/// Σ c·ln c over all values.
///
/// # Errors
/// If the samples cannot be read.
pub(crate) fn entropy<T: Real>(samples: &dyn Samples<T>) -> Result<f64, FitError> {
    fold(
        samples,
        &FoldPlan::new(samples, 1),
        &|| 0.0,
        &|sum: &mut f64, _, block| {
            block.for_each(|_, _, v| {
                if v.as_f64() > 0.0 {
                    *sum += v.as_f64() * v.as_f64().ln();
                }
            });
            Ok(())
        },
        &|into, other| *into += other,
    )
}

impl CountSums {
    /// The exponent of the mean in the variance of a feature: about 1 for counts of one rate, up to 2 and more where rates
    /// differ between samples, and negative for pixels of pictures. `None` if there is too little to say.
    pub(crate) fn variance_exponent(&self) -> Option<f64> {
        let n = self.totals.len() as f64;
        let all: f64 = self.totals.iter().sum();
        // Values of zero and one only are the presence of features, not their counts.
        if self.totals.len() < FEWEST_SAMPLES || all < FEWEST_COUNTS || self.largest <= 1.0 {
            return None;
        }
        let points: Vec<(f64, f64)> = (self.features.iter().zip(&self.squares))
            .filter(|(sum, _)| **sum >= FEWEST_OF_A_FEATURE)
            .map(|(sum, squares)| (sum / n, squares / n - (sum / n).powi(2)))
            .filter(|(_, variance)| *variance > 0.0)
            .map(|(mean, variance)| (mean.ln(), variance.ln()))
            .collect();
        if points.len() < FEWEST_FEATURES {
            return None;
        }
        let count = points.len() as f64;
        let (x, y) = points.iter().fold((0.0, 0.0), |(x, y), p| (x + p.0 / count, y + p.1 / count));
        let spread: f64 = points.iter().map(|p| (p.0 - x).powi(2)).sum();
        let together: f64 = points.iter().map(|p| (p.0 - x) * (p.1 - y)).sum();
        (spread > 0.0).then(|| together / spread)
    }
}
