//! How many components there are: what the samples themselves say about the rank.
//!
//! Three views of it, for every rank of a range:
//!
//! * **The edge of the noise.** Directions beyond the true rank hold nothing but noise, and white noise has no
//!   singular value much above a known edge. Where the values sink under it inside the range, that is the rank.
//! * **The held-out error.** Bi-cross-validation: how well the leading directions of a part of the samples and
//!   features predict the rest. Of very large samples a random part is used (at most 2048 samples, 2²² values).
//! * **Stability.** The share of components that AND finds differently on two random halves of the samples.
//!
//! Only the first makes a claim: on data with a known truth it was right far more often than the other two. It
//! knows white noise alone. Where noise is of another kind, or there is no truth of low rank, the values go on
//! standing out, and there is no suggestion but the table.
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
//! let found = suggest_rank(&samples, 2..=8, &RankSettings::default(), &Run::new())?;
//! assert_eq!(found.rank, Some(4), "{}", found.reason());
//! assert_eq!(found.scores.len(), 7);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod held_out;
mod spectrum;
mod stability;
mod suggestion;

use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};

use crate::fit::{Run, is_cancelled};
use crate::samples::{CancellableSamples, Samples};
use crate::trust::Judgement;
use crate::{FitError, Real, SamplesError, SettingError, entry_point};
use spectrum::Spectrum;

/// Ranks whose stability is looked at, each for the price of three fits.
const MOST_STABILITY_RANKS: usize = 9;
/// More folds than this would only take time.
const MOST_FOLDS: usize = 1000;

/// How the ranks are scored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RankSettings {
    /// Whether to fit the samples and two halves of them at up to nine ranks of the range: by far the longest part.
    pub stability: bool,
    /// How often a random quarter of the values is held out and predicted; 0 for no held-out error.
    pub folds: usize,
    /// Seed of everything random.
    pub seed: u64,
}

impl Default for RankSettings {
    fn default() -> Self {
        Self { stability: true, folds: 4, seed: 0 }
    }
}

/// What speaks for and against one rank.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RankScore {
    /// The rank.
    pub rank: usize,
    /// The weakest singular value that this rank keeps, as a share of the largest.
    pub last_kept: f64,
    /// The strongest singular value that it leaves out, as a share of the largest.
    pub first_left_out: f64,
    /// How large that one could be if all that is left out were white noise; missing where nothing is left out.
    pub noise_edge: Option<f64>,
    /// Error of the prediction of held-out values, relative to their size; missing where there was none.
    pub held_out_error: Option<f64>,
    /// Share of components that two halves of the samples do not agree on (sine above 0.1); missing where it was
    /// not looked at: for ranks beyond half the samples, and for most ranks of a range of more than nine.
    pub unstable_share: Option<f64>,
}

/// What the samples say about the number of components.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RankSuggestion {
    /// The rank to use, where the samples have a clear answer.
    pub rank: Option<usize>,
    /// How far to believe it, and why: poor where there is no answer.
    #[serde(flatten)]
    pub judgement: Judgement,
    /// The rank at which the singular values sink into noise, be it inside the range or below.
    pub noise_rank: Option<usize>,
    /// All ranks of the range that the samples can have at all, in ascending order.
    pub scores: Vec<RankScore>,
}

impl RankSuggestion {
    /// Why, and what to do, in one line.
    #[must_use]
    pub fn reason(&self) -> String {
        let reasons: Vec<String> = self.judgement.reasons.iter().map(ToString::to_string).collect();
        reasons.join("; ")
    }
}

entry_point! {
    /// Scores every rank of the range, and suggests one where the singular values of the samples sink into white noise
    /// inside it. Ranks above the number of samples or features do not exist and are left out.
    ///
    /// Reads the samples some eight times, and for the stability a few times more for each of up to nine ranks. Of
    /// `run`, the threads and the cancel flag count; cancelling ends in [`SamplesError::Cancelled`].
    ///
    /// # Errors
    /// Where the range is empty, holds no rank that the samples can have, or the samples cannot be read or leave the
    /// range of the type.
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
    let (lowest, highest) = existing(&ranks, n_samples.min(n_features))?;
    if settings.folds > MOST_FOLDS {
        return Err(SettingError::new("folds", settings.folds, "it must be at most 1000").into());
    }
    let cancel = run.cancel_flag();
    let stop = || is_cancelled(cancel);
    let watched = CancellableSamples { samples, stop: &stop };
    let seed = settings.seed;
    let (spectrum, held_out) = run.workers()?.run(|| {
        let spectrum = Spectrum::of(&watched, highest, seed)?;
        let held_out = if settings.folds == 0 {
            Vec::new()
        } else {
            let part = held_out::part_of(&watched, seed)?;
            held_out::held_out_errors(part.view(), highest, settings.folds, seed, &stop)?
        };
        Ok::<_, SamplesError>((spectrum, held_out))
    })?;
    let noise_rank = spectrum.rank_above_noise(highest);
    let mut scores: Vec<RankScore> = (lowest..=highest)
        .map(|rank| RankScore {
            rank,
            last_kept: spectrum.value(rank - 1),
            first_left_out: spectrum.value(rank),
            noise_edge: spectrum.noise_edge(rank),
            held_out_error: held_out.get(rank - 1).copied(),
            unstable_share: None,
        })
        .collect();
    // Samples of nothing but zeros have no components that could be stable.
    if settings.stability && !spectrum.values.is_empty() {
        for rank in stability::spread(lowest, highest, MOST_STABILITY_RANKS, noise_rank) {
            scores[rank - lowest].unstable_share = stability::unstable_share(samples, rank, seed, run)?;
        }
    }
    Ok(suggestion::suggestion(&spectrum, noise_rank, scores))
}

/// The ends of the range as far as the samples have such ranks.
fn existing(ranks: &RangeInclusive<usize>, most: usize) -> Result<(usize, usize), SettingError> {
    let (lowest, highest) = (*ranks.start(), *ranks.end());
    let refused =
        |expected: String| Err(SettingError::new("ranks", format!("{lowest} to {highest}"), expected));
    if lowest == 0 {
        return refused("the lowest must be at least 1".into());
    }
    if ranks.is_empty() {
        return refused("the highest must not be below the lowest".into());
    }
    if lowest > most {
        return refused(format!("the samples have {most} directions at most"));
    }
    Ok((lowest, highest.min(most)))
}

#[cfg(test)]
mod tests;
