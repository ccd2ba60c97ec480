//! Estimates the number of components (the rank) from the samples.
//!
//! Three scores for every rank of a range:
//!
//! * **Noise edge.** Directions beyond the true rank contain only noise, and white noise has no singular value far
//!   above a known edge. The rank is where the singular values fall below that edge.
//! * **Cross-validation** (`held_out_error`). Bi-cross-validation: the leading directions of one part of the samples
//!   and features predict the rest. Very large data are subsampled (at most 2048 samples and 2²² values).
//! * **Stability.** The share of components that AND finds differently on two random halves of the samples.
//!
//! Counts (see [`Noise`]) are first scaled so that their Poisson noise, or overdispersed noise, is white; their
//! cross-validation predicts half of the counts of every value from the other half, and stability compares halves of the
//! counts instead of halves of the samples.
//!
//! Only the noise edge leads to a suggestion: on data with a known truth it was right far more often than the other
//! two. It assumes white noise. With other noise, or without a true low rank, the singular values may never fall below
//! the edge; then there is no suggestion, only the table of scores.
//!
//! ```
//! use andnmf::fit::Run;
//! use andnmf::rank::{RankSettings, suggest_rank};
//! use andnmf::samples::DenseSamples;
//! use andnmf::synth::{DatasetKind, DatasetSpec};
//!
//! let sizes = DatasetSpec { n_features: 50, rank: 4, n_samples: 200, ..DatasetSpec::new(DatasetKind::Dir) };
//! let data = DatasetSpec { noise: 0.01, ..sizes }.generate()?;
//! let samples = DenseSamples::new(data.samples.view())?;
//! let suggestion = suggest_rank(&samples, 2..=8, &RankSettings::default(), &Run::new())?;
//! assert_eq!(suggestion.rank, Some(4), "{}", suggestion.reason());
//! assert_eq!(suggestion.scores.len(), 7);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod counts;
mod cross_validation;
mod spectrum;
mod stability;
mod suggestion;
mod white;

use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};

use crate::counts::rows::copied;
use crate::counts::{Noise, sums_of_counts};
use crate::fit::{Run, is_cancelled};
use crate::memory::{self, product};
use crate::samples::{CancellableSamples, Samples};
use crate::trust::Judgement;
use crate::{FitError, Real, SamplesError, SettingError, entry_point};
pub use counts::CountScaling;
use counts::{MOST_VALUES, WhiteCounts};
use spectrum::Spectrum;

/// Maximum number of ranks tested for stability; each costs three fits.
const MAX_STABILITY_RANKS: usize = 9;
/// Maximum number of cross-validation folds.
const MAX_FOLDS: usize = 1000;

/// Settings of [`suggest_rank`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RankSettings {
    /// Test stability by fits to all samples and to two halves, at up to nine ranks of the range. This takes by far the
    /// most time.
    pub stability: bool,
    /// Number of cross-validation folds: how often a random quarter of the values is held out and predicted; 0 for
    /// none.
    pub folds: usize,
    /// Random seed.
    pub seed: u64,
    /// The noise of the samples: counts are recognised, or it is said what they are.
    pub noise: Noise,
}

impl Default for RankSettings {
    fn default() -> Self {
        Self { stability: true, folds: 4, seed: 0, noise: Noise::Auto }
    }
}

/// The scores of one rank.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RankScore {
    /// The rank.
    pub rank: usize,
    /// The smallest singular value that this rank keeps, as a share of the largest.
    pub last_kept: f64,
    /// The largest singular value that this rank omits, as a share of the largest.
    #[serde(rename = "first_left_out")]
    pub first_omitted: f64,
    /// The upper limit of `first_omitted` if everything omitted were white noise; `None` if nothing is omitted.
    pub noise_edge: Option<f64>,
    /// Cross-validation error: the relative error of predicting held-out values; `None` if not computed.
    pub held_out_error: Option<f64>,
    /// The share of components that differ between two halves of the samples (sine above 0.1); `None` if not tested:
    /// for ranks above half the number of samples, and for most ranks of a range of more than nine.
    pub unstable_share: Option<f64>,
}

/// The suggested number of components, with the scores of all ranks.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RankSuggestion {
    /// The suggested rank; `None` without a clear answer.
    pub rank: Option<usize>,
    /// The verdict on the suggestion, with reasons; poor without a suggestion.
    #[serde(flatten)]
    pub judgement: Judgement,
    /// The rank at which the singular values fall into the noise, inside the range or below it.
    pub noise_rank: Option<usize>,
    /// How counts were scaled to make their noise white; `None` if the samples were not taken for counts.
    pub counts: Option<CountScaling>,
    /// The ranks of the range that are possible for these samples, in ascending order.
    pub scores: Vec<RankScore>,
}

impl RankSuggestion {
    /// The reasons and advice in one line.
    #[must_use]
    pub fn reason(&self) -> String {
        let reasons: Vec<String> = self.judgement.reasons.iter().map(ToString::to_string).collect();
        reasons.join("; ")
    }
}

entry_point! {
    /// Scores every rank of the range, and suggests the one at which the singular values of the samples fall into white
    /// noise. Ranks above the number of samples or features are impossible and are skipped.
    ///
    /// Reads the samples about eight times, and a few more times for each of up to nine ranks tested for stability. Of
    /// `run`, only the threads and the cancel flag are used; cancelling returns [`SamplesError::Cancelled`].
    ///
    /// # Errors
    /// If the range is empty or has no possible rank, or if the samples cannot be read or overflow.
    pub fn suggest_rank<'a, 'r: 'a; T>(samples: &'a dyn Samples<T>, ranks: RangeInclusive<usize>, settings: &'a RankSettings, run: &'a Run<'r, T>) -> Result<RankSuggestion, FitError> = score_ranks;
}

fn score_ranks<T: Real>(
    samples: &dyn Samples<T>,
    ranks: RangeInclusive<usize>,
    settings: &RankSettings,
    run: &Run<'_, T>,
) -> Result<RankSuggestion, FitError> {
    let (n_samples, n_features) = (samples.n_samples(), samples.n_features());
    if n_samples == 0 || n_features == 0 {
        return Err(SamplesError::Empty { n_samples, n_features }.into());
    }
    let (lowest, highest) = possible_ranks(&ranks, n_samples.min(n_features))?;
    let bytes = product(&[highest, n_samples.saturating_add(n_features), size_of::<T>()]);
    memory::check("ranks", format!("{lowest} to {highest}"), "the leading directions", bytes)?;
    if settings.folds > MAX_FOLDS {
        return Err(SettingError::new("folds", settings.folds, "it must be at most 1000").into());
    }
    let cancel = run.cancel_flag();
    let stop = || is_cancelled(cancel);
    let watched = CancellableSamples { samples, stop: &stop };
    let RankSettings { seed, stability, .. } = *settings;
    let (evidence, white) = run.workers()?.run(|| {
        let white = white_counts(&watched, highest, settings, &stop)?;
        let evidence = match &white {
            Some(white) if white.is_noisy(highest) || settings.noise == Noise::Poisson => {
                Evidence::of_counts(white, highest, settings, &stop)?
            }
            _ => {
                let plain = Evidence::of_samples(&watched, highest, settings, &stop)?;
                // Whole numbers with less noise than counts have may still be rounded.
                match &white {
                    Some(white) if plain.spectrum.rank_above_noise(highest).is_none() => {
                        Evidence::of_counts(white, highest, settings, &stop)?
                    }
                    _ => plain,
                }
            }
        };
        Ok::<_, FitError>((evidence, white))
    })?;
    let Evidence { spectrum, held_out, scaling } = evidence;
    let noise_rank = spectrum.rank_above_noise(highest);
    let mut scores: Vec<RankScore> = (lowest..=highest)
        .map(|rank| RankScore {
            rank,
            last_kept: spectrum.value(rank - 1),
            first_omitted: spectrum.value(rank),
            noise_edge: spectrum.noise_edge(rank),
            held_out_error: held_out.get(rank - 1).copied(),
            unstable_share: None,
        })
        .collect();
    // All-zero samples have no components to test.
    if stability && !spectrum.values.is_empty() {
        for rank in stability::spread_ranks(lowest, highest, MAX_STABILITY_RANKS, noise_rank) {
            scores[rank - lowest].unstable_share = match white.as_ref().filter(|_| scaling.is_some()) {
                Some(white) => stability::unstable_share_of_counts(&white.counts, rank, seed, run)?,
                None => stability::unstable_share(samples, rank, settings, run)?,
            };
        }
    }
    Ok(suggestion::suggestion(&spectrum, noise_rank, scores, scaling))
}

/// What speaks for a rank, without fits.
struct Evidence {
    spectrum: Spectrum,
    /// Cross-validation errors of the ranks from 1 on; empty if not computed.
    held_out: Vec<f64>,
    /// How counts were scaled; `None` for other samples.
    scaling: Option<CountScaling>,
}

impl Evidence {
    fn of_samples<T: Real>(
        samples: &dyn Samples<T>,
        highest: usize,
        settings: &RankSettings,
        stop: &(impl Fn() -> bool + Sync),
    ) -> Result<Self, FitError> {
        let RankSettings { folds, seed, .. } = *settings;
        let spectrum = Spectrum::of(samples, highest, seed)?;
        let held_out = if folds == 0 {
            Vec::new()
        } else {
            let data = cross_validation::subsample(samples, seed)?;
            cross_validation::cross_validation_errors(data.view(), highest, folds, seed, stop)?
        };
        Ok(Self { spectrum, held_out, scaling: None })
    }

    fn of_counts(
        white: &WhiteCounts,
        highest: usize,
        settings: &RankSettings,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<Self, FitError> {
        let RankSettings { folds, seed, .. } = *settings;
        let held_out =
            if folds == 0 { Vec::new() } else { white.held_out_errors(highest, folds, seed, stop)? };
        Ok(Self { spectrum: white.spectrum.clone(), held_out, scaling: Some(white.scaling) })
    }
}

/// The samples as counts whose noise is white; `None` if they are no counts, or too few.
fn white_counts<T: Real>(
    samples: &dyn Samples<T>,
    highest: usize,
    settings: &RankSettings,
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<Option<WhiteCounts>, FitError> {
    if sums_of_counts(samples, settings.noise)?.is_none() {
        return Ok(None);
    }
    let (counts, _) = copied(samples, MOST_VALUES, settings.seed)?;
    WhiteCounts::of(&counts, highest, settings.seed, stop)
}

/// The lowest and highest rank of the range that are possible for the samples.
fn possible_ranks(ranks: &RangeInclusive<usize>, max_rank: usize) -> Result<(usize, usize), SettingError> {
    let (lowest, highest) = (*ranks.start(), *ranks.end());
    let refused =
        |expected: String| Err(SettingError::new("ranks", format!("{lowest} to {highest}"), expected));
    if lowest == 0 {
        return refused("the lowest must be at least 1".into());
    }
    if ranks.is_empty() {
        return refused("the highest must not be below the lowest".into());
    }
    if lowest > max_rank {
        return refused(format!("the samples have rank {max_rank} at most"));
    }
    Ok((lowest, highest.min(max_rank)))
}

#[cfg(test)]
mod count_tests;
#[cfg(test)]
mod tests;
