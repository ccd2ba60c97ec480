//! The rank of counts: their singular values above the noise, once they are scaled so that it is white.

use ndarray::Array2;
use serde::Serialize;

use super::spectrum::Spectrum;
use super::white::{Scales, with_enough};
use crate::FitError;
use crate::counts::rows::{copied, thinned};
use crate::linalg::coordinates::project;
use crate::linalg::randomized_svd::{SvdRequest, randomized_svd};
use crate::linalg::subspace_iteration::squared_norm;
use crate::samples::{CancellableSamples, CsrSamples, Samples};

/// Stored values in memory, at most: more samples than that are represented by a random part.
pub(super) const MOST_VALUES: usize = 1 << 23;
/// Stored values on which overdispersion is estimated, at most…
const OVERDISPERSION_VALUES: usize = 1 << 18;
/// …and those on which held-out counts are predicted.
const HELD_OUT_VALUES: usize = 1 << 20;
/// Directions that overdispersion is not to explain, at least, also if the range of ranks is narrower.
const LEAST_DIRECTIONS: usize = 50;
/// Noise within this factor of that of Poisson counts shows no overdispersion.
const POISSON: f64 = 1.01;
/// The first overdispersion tried; it grows by a factor of four up to the last.
const FIRST_OVERDISPERSION: f64 = 1e-3;
const LAST_OVERDISPERSION: f64 = 64.0;
/// Bisections between two of them.
const BISECTIONS: usize = 7;
/// Whole numbers with less than this part of the noise of counts are no counts, as for fits.
const LEAST_NOISE: f64 = 0.5;
/// Passes for the directions that predict held-out counts.
const HELD_OUT_PASSES: usize = 7;

/// How counts were scaled to find their rank.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct CountScaling {
    /// The overdispersion φ: the variance of a count of mean μ is μ + φμ².
    pub overdispersion: f64,
    /// Number of samples used: those with enough counts, and a random part of very many.
    pub n_samples: usize,
    /// Number of features used: those with enough counts.
    pub n_features: usize,
}

/// Counts in memory and their spectrum in a scale in which their noise is white.
pub(super) struct WhiteCounts {
    pub(super) counts: CsrSamples<'static, f32>,
    pub(super) scaling: CountScaling,
    pub(super) spectrum: Spectrum,
}

impl WhiteCounts {
    /// `None` if too few are left to find `highest` directions.
    pub(super) fn of(
        counts: &CsrSamples<'static, f32>,
        highest: usize,
        seed: u64,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<Option<Self>, FitError> {
        let Some(counts) = with_enough(counts)? else { return Ok(None) };
        let (n_samples, n_features) = (counts.n_samples(), counts.n_features());
        let overdispersion = overdispersion(&counts, highest, seed, stop)?;
        let spectrum = spectrum(&counts, overdispersion, highest, seed, stop)?;
        let scaling = CountScaling { overdispersion, n_samples, n_features };
        Ok(Some(Self { counts, scaling, spectrum }))
    }

    /// Returns true if the noise is about that of counts, and not much less.
    pub(super) fn is_noisy(&self, highest: usize) -> bool {
        let rank = self.spectrum.rank_above_noise(highest).unwrap_or(highest);
        self.spectrum.variance_left(rank).is_none_or(|left| left >= LEAST_NOISE)
    }

    /// The relative error of predicting half of the counts from the other half by each number of directions up to
    /// `highest`, averaged over some random halves. Each direction is shrunk by what noise adds to it.
    pub(super) fn held_out_errors(
        &self,
        highest: usize,
        folds: usize,
        seed: u64,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<Vec<f64>, FitError> {
        let (part, _) = copied(&self.counts, HELD_OUT_VALUES, seed)?;
        let Some(part) = with_enough(&part)? else { return Ok(Vec::new()) };
        let scales = Scales::of(&part, self.scaling.overdispersion)?;
        let mut mean = vec![0.0; highest];
        for fold in 0..folds {
            let (one, other) = thinned(&part, 0.5, seed.wrapping_add(fold as u64))?;
            let errors =
                prediction_errors(&scales.applied(&one)?, &scales.applied(&other)?, highest, seed, stop)?;
            mean.iter_mut().zip(errors).for_each(|(mean, error)| *mean += error / folds as f64);
        }
        Ok(mean)
    }
}

fn spectrum(
    counts: &CsrSamples<'static, f32>,
    overdispersion: f64,
    highest: usize,
    seed: u64,
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<Spectrum, FitError> {
    let white = Scales::of(counts, overdispersion)?.applied(counts)?;
    let watched = CancellableSamples { samples: &white, stop };
    Ok(Spectrum::of(&watched, highest, seed)?.with_least_noise(1.0))
}

/// The overdispersion of the noise: under it, what the directions above the noise leave has variance one.
fn overdispersion(
    counts: &CsrSamples<'static, f32>,
    highest: usize,
    seed: u64,
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<f64, FitError> {
    let (part, _) = copied(counts, OVERDISPERSION_VALUES, seed)?;
    let Some(part) = with_enough(&part)? else { return Ok(0.0) };
    let most = part.n_samples().min(part.n_features()) / 2;
    let highest = highest.max(LEAST_DIRECTIONS).min(most).max(1);
    let left = |overdispersion: f64| -> Result<f64, FitError> {
        let spectrum = spectrum(&part, overdispersion, highest, seed, stop)?;
        let rank = spectrum.rank_above_noise(highest).unwrap_or(highest);
        Ok(spectrum.variance_left(rank).unwrap_or(0.0))
    };
    if left(0.0)? <= POISSON {
        return Ok(0.0);
    }
    let mut above = FIRST_OVERDISPERSION;
    while left(above)? > 1.0 {
        above *= 4.0;
        if above > LAST_OVERDISPERSION {
            return Ok(LAST_OVERDISPERSION);
        }
    }
    let mut below = above / 4.0;
    for _ in 0..BISECTIONS {
        let middle = (below * above).sqrt();
        if left(middle)? > 1.0 { below = middle } else { above = middle }
    }
    Ok((below * above).sqrt())
}

/// The relative error of predicting one half of scaled counts by directions of the other half. Noise has variance ½ in each.
fn prediction_errors(
    one: &CsrSamples<'static, f32>,
    other: &CsrSamples<'static, f32>,
    highest: usize,
    seed: u64,
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<Vec<f64>, FitError> {
    let watched = CancellableSamples { samples: one, stop };
    let request = SvdRequest { size: highest, converged: highest, max_passes: HELD_OUT_PASSES };
    let svd = randomized_svd(&watched, request, seed)?;
    let (mut of_one, of_other): (Array2<f32>, _) =
        (project(one, svd.vectors.view())?, project(other, svd.vectors.view())?);
    of_one *= &of_other;
    let (n, width) = (one.n_samples() as f64, one.n_features() as f64);
    let size = squared_norm(other, 1.0)?;
    let mut left = size;
    let gains = svd.values.iter().zip(of_one.columns()).map(|(&value, products)| {
        let agreement: f64 = products.iter().map(|&v| f64::from(v)).sum();
        // The singular value that the means of the counts have, if it has this one with their noise.
        let squared = 2.0 * value * value;
        let noiseless = ((squared - n - width).powi(2) - 4.0 * n * width).max(0.0).sqrt();
        let above = squared > (n.sqrt() + width.sqrt()).powi(2);
        let shrunk = if above { noiseless / squared * value } else { 0.0 };
        2.0 * shrunk * agreement / value.max(f64::MIN_POSITIVE) - shrunk * shrunk
    });
    let gains: Vec<f64> = gains.collect();
    Ok((0..highest)
        .map(|k| {
            left -= gains.get(k).copied().unwrap_or(0.0);
            if size > 0.0 { (left.max(0.0) / size).sqrt() } else { 0.0 }
        })
        .collect())
}
