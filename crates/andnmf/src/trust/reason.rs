//! The reasons of verdicts: what each says, how much it counts, and what to do about it.
//!
//! A new reason is a variant here, an arm in [`Reason::described`], and the place that finds it.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::Verdict;
use super::words::{components, count, pairs_in_words, percent, unit_list};

/// Something that speaks for or against a result. Components are counted from 0.
///
/// As JSON a reason is an object with `code`, `severity`, `text`, `advice` and `components`, and its data beside them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self", tag = "code", rename_all = "kebab-case")]
#[non_exhaustive]
#[allow(missing_docs)] // The fields are what the texts in `described` name.
pub enum Reason {
    /// The samples span fewer dimensions than there are components.
    SurplusComponents { found: usize, components: Vec<usize> },
    /// No gap in the singular values sets the rank apart; `leaking` if negative weights ask for a larger one.
    NoSpectralGap { next_strength: f64, leaking: bool },
    /// Components that never come without a share of another.
    Inclusions { pairs: usize },
    /// More of the samples is explained by negative weights than noise would; `foreign` if components are negative, too.
    NegativeWeights { share: f64, foreign: bool },
    /// Components that are on in nearly every sample.
    AlwaysOn { components: Vec<usize> },
    /// Weights that are on at a level below the noise.
    HiddenLevel,
    /// What all components have in common.
    SharedBackground { share: f64 },
    /// AND found nothing that fits: the components are those of NMF.
    NmfInstead,
    /// Components that another start does not confirm.
    UnstableStart { components: Vec<usize>, of: usize, severity: Verdict },
    /// Components that other samples would not confirm.
    UnstableSamples { components: Vec<usize>, of: usize, severity: Verdict },
    /// Components that may hold a share of others.
    MixedComponents { components: Vec<usize>, of: usize, severity: Verdict },
    /// The limit on stages ended the run.
    OutOfStages,
    /// The run was stopped before it could judge its result.
    Stopped,
    /// Every sample is zero.
    ZeroSamples,
    /// Weight that is there in nearly every sample.
    BackgroundWeight { share: f64, components: Vec<usize>, severity: Verdict },
    /// No sample uses any component.
    NoWeights,
    /// Components that no sample uses.
    NeverUsed { components: Vec<usize> },
    /// Components that hardly any sample uses.
    RarelyUsed { components: Vec<usize>, fewest: usize },
    /// A typical component is on in most samples.
    DenseWeights { typical: f64 },
    /// Weights of some components follow from those of others.
    DependentWeights,
    /// Components that hardly ever occur without each other, with the correlation of their weights.
    Inseparable { pairs: Vec<(usize, usize, f64)> },
    /// There are fewer samples than components.
    FewerSamplesThanComponents { n_samples: usize, rank: usize },
    /// There are few samples for each component.
    FewSamples { n_samples: usize, rank: usize, wanted: usize },
    /// The samples have exactly this many directions.
    ExactRank { rank: usize },
    /// The directions of this rank stand clearly above the noise.
    AboveNoise { rank: usize, clearance: f64 },
    /// The weakest direction of this rank hardly stands above the noise.
    NearNoise { rank: usize, clearance: f64 },
    /// Many components of this rank differ between two halves of the samples.
    UnstableRank { rank: usize, share: f64 },
    /// Fewer directions stand out from noise than the lowest rank that was scored.
    RankBelowRange { rank: usize, lowest: usize },
    /// Beyond the highest rank that was scored the samples still do not look like noise.
    RankBeyondRange { highest: usize, table: bool },
    /// The rank at which held-out values are predicted best.
    BestPrediction { rank: usize },
    /// Ranks at which all components are stable.
    StableRanks { ranks: Vec<usize> },
    /// No rank is stable; the least share of components that differ.
    NoStableRank { share: f64 },
    /// A reason that another version wrote.
    #[serde(skip)]
    Unknown(Box<UnknownReason>),
}

/// A reason that another version wrote: its words without their meaning.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct UnknownReason {
    /// Its code.
    pub code: String,
    /// How much it counts.
    pub severity: Verdict,
    /// What it says.
    pub text: String,
    /// What to do about it.
    pub advice: String,
    /// The components concerned.
    pub components: Vec<usize>,
}

impl Default for UnknownReason {
    fn default() -> Self {
        Self {
            code: "unknown".into(),
            severity: Verdict::Doubtful,
            text: String::new(),
            advice: String::new(),
            components: Vec::new(),
        }
    }
}

/// Everything there is to say of a reason.
struct Described<'a> {
    code: &'a str,
    severity: Verdict,
    text: String,
    advice: &'a str,
}

impl Reason {
    /// The stable name of its kind, in kebab case.
    #[must_use]
    pub fn code(&self) -> &str {
        self.described().code
    }

    /// The best verdict that it allows.
    #[must_use]
    pub fn severity(&self) -> Verdict {
        self.described().severity
    }

    /// What it says, in plain words.
    #[must_use]
    pub fn text(&self) -> String {
        self.described().text
    }

    /// What to do about it; empty where there is nothing to do.
    #[must_use]
    pub fn advice(&self) -> &str {
        self.described().advice
    }

    /// The components concerned, where they are known.
    #[must_use]
    pub fn components(&self) -> Vec<usize> {
        match self {
            Self::SurplusComponents { components, .. }
            | Self::AlwaysOn { components }
            | Self::UnstableStart { components, .. }
            | Self::UnstableSamples { components, .. }
            | Self::MixedComponents { components, .. }
            | Self::BackgroundWeight { components, .. }
            | Self::NeverUsed { components }
            | Self::RarelyUsed { components, .. } => components.clone(),
            Self::Inseparable { pairs } => {
                let mut components: Vec<usize> = pairs.iter().flat_map(|&(a, b, _)| [a, b]).collect();
                components.sort_unstable();
                components.dedup();
                components
            }
            Self::Unknown(reason) => reason.components.clone(),
            _ => Vec::new(),
        }
    }

    fn described(&self) -> Described<'_> {
        use Verdict::{Doubtful, Good, Poor};
        let (code, severity, text, advice) = match self {
            Self::SurplusComponents { found, components } => (
                "surplus-components", Doubtful,
                format!("the samples have room for only {found} components: the other {} are zero", components.len()),
                "a rank that leaves them out gives the same",
            ),
            Self::NoSpectralGap { next_strength, leaking } => (
                "no-spectral-gap", if *leaking { Poor } else { Doubtful },
                format!(
                    "nothing in the samples sets this number of components apart (the next direction is {} as strong as \
                     the last one kept)",
                    percent(*next_strength)
                ),
                if *leaking { "try a larger rank" } else { "try another rank" },
            ),
            Self::Inclusions { pairs } => (
                "inclusions", Doubtful,
                format!(
                    "{pairs} components never come without a share of another, so mixtures may have been taken for \
                     components"
                ),
                "more samples may show them apart",
            ),
            Self::NegativeWeights { share, foreign } => (
                "negative-weights", if *foreign { Poor } else { Doubtful },
                format!(
                    "{} of the samples are explained by negative weights, more than noise would: the rank may be too \
                     small or the weights not sparse",
                    percent(*share)
                ),
                "compare HALS",
            ),
            Self::AlwaysOn { components } => (
                "always-on", Doubtful,
                format!(
                    "{} components are on in nearly every sample: weights that are never zero leave room for more than \
                     one answer",
                    components.len()
                ),
                "compare HALS",
            ),
            Self::HiddenLevel => (
                "hidden-level", Doubtful,
                "weights seem to be on at a low level in all samples, below what noise lets one see: the zeros of the \
                 components decided instead, which leaves room for more than one answer"
                    .into(),
                "compare HALS",
            ),
            Self::SharedBackground { share } => (
                "shared-background", Doubtful,
                format!(
                    "all components share a background ({} of their mean): weights that are always on would look the same",
                    percent(*share)
                ),
                "subtract a known background from the samples, or compare HALS",
            ),
            Self::NmfInstead => (
                "nmf-instead", Poor,
                "the samples do not look like sparse mixtures of this many components, so NMF was used instead: it fits \
                 them, but nothing vouches that its components are the true ones"
                    .into(),
                "try another rank, or more samples",
            ),
            Self::UnstableStart { components, of, severity } => (
                "unstable-start", *severity,
                format!("{} come out differently from another start (see component_stability)", count(components, *of)),
                "more samples or another rank may settle them",
            ),
            Self::UnstableSamples { components, of, severity } => (
                "unstable-samples", *severity,
                format!(
                    "{} would come out differently from other samples of the same kind (see component_stability)",
                    count(components, *of)
                ),
                "more samples or a smaller rank would help",
            ),
            Self::MixedComponents { components, of, severity } => (
                "mixed-components", *severity,
                format!(
                    "{} may hold a share of others, by negative values that they leave (see component_stability)",
                    count(components, *of)
                ),
                "look at them beside those of HALS, or of another rank",
            ),
            Self::OutOfStages => (
                "out-of-stages", Doubtful,
                "the components were still moving when the stages ended".into(),
                "allow more stages",
            ),
            Self::Stopped => (
                "stopped", Poor,
                "the fit was stopped before it could judge its components".into(),
                "give it more time, or resume it",
            ),
            Self::ZeroSamples => (
                "zero-samples", Poor,
                "all samples are zero: they have no components".into(),
                "look at the samples",
            ),
            Self::BackgroundWeight { share, components: always_on, severity } => (
                "background-weight", *severity,
                format!(
                    "{} of all weight is there in nearly every sample ({}): part of what is always there cannot be \
                     assigned to any one component",
                    percent(*share),
                    if always_on.is_empty() { "every component a little".into() } else { components(always_on) }
                ),
                "HALS bears it better where components must fit rather than be true, otherwise take samples without it, \
                 or take the constant part out of the samples",
            ),
            Self::NoWeights => (
                "no-weights", Poor,
                "no sample uses any component, so there is nothing to recover".into(),
                "look at the samples, or fit again",
            ),
            Self::NeverUsed { components: never } => (
                "never-used", Doubtful,
                format!("no sample uses {}", components(never)),
                "lower the rank",
            ),
            Self::RarelyUsed { components: rarely, fewest } => (
                "rarely-used", Doubtful,
                format!(
                    "fewer than {fewest} samples use {}: what is found there rests on single samples",
                    components(rarely)
                ),
                "add samples, or lower the rank",
            ),
            Self::DenseWeights { typical } => (
                "dense-weights", Doubtful,
                format!(
                    "a typical component is on in {} of the samples: hardly a sample shows what the others are like \
                     without it",
                    percent(*typical)
                ),
                "expect errors of some percent, which more samples lessen",
            ),
            Self::DependentWeights => (
                "dependent-weights", Poor,
                "the weights of some components follow from those of others, so that they cannot be told apart".into(),
                "lower the rank, or take samples in which they differ",
            ),
            Self::Inseparable { pairs } => (
                "inseparable", Doubtful,
                format!(
                    "some components hardly ever occur without each other and may be found mixed: {}",
                    pairs_in_words(pairs)
                ),
                "take samples in which they differ, or lower the rank to have them as one",
            ),
            Self::FewerSamplesThanComponents { n_samples, rank } => (
                "fewer-samples-than-components", Poor,
                format!(
                    "there are fewer samples ({n_samples}) than components ({rank}), so that no method can tell the \
                     components"
                ),
                "add samples, or lower the rank",
            ),
            Self::FewSamples { n_samples, rank, wanted } => (
                "few-samples", Doubtful,
                format!(
                    "there are {n_samples} samples for {rank} components, fewer than {wanted} for each: some components \
                     may be wrong"
                ),
                "add samples, or lower the rank",
            ),
            Self::ExactRank { rank } => (
                "exact-rank", Good,
                format!("the samples have {rank} directions and, but for rounding, no other"),
                "",
            ),
            Self::AboveNoise { rank, clearance } => (
                "above-noise", Good,
                format!(
                    "what {rank} directions leave of the samples looks like white noise, and the weakest of them is \
                     {clearance:.2} times as strong as noise can be"
                ),
                "",
            ),
            Self::NearNoise { rank, clearance } => (
                "near-noise", Doubtful,
                format!(
                    "what {rank} directions leave of the samples looks like white noise, but the weakest of them is only \
                     {clearance:.2} times as strong as noise can be: further components may be drowned in it"
                ),
                "compare this rank with higher ones; more samples would set components and noise further apart",
            ),
            Self::UnstableRank { rank, share } => (
                "unstable-rank", Good,
                format!(
                    "at rank {rank} {} of the components come out differently on two halves of the samples: the number \
                     of components may be right, and yet not each of them",
                    percent(*share)
                ),
                "more samples may help",
            ),
            Self::RankBelowRange { rank, lowest } => (
                "rank-below-range", Poor,
                format!(
                    "only {rank} directions of the samples stand out from noise, fewer than the lowest rank looked at \
                     ({lowest})"
                ),
                "look at lower ranks",
            ),
            Self::RankBeyondRange { highest, table } => (
                "rank-beyond-range", Poor,
                format!(
                    "even beyond rank {highest} the samples do not look like white noise: there are more components than \
                     that, noise of another kind, or no true rank at all"
                ),
                if *table { "look at higher ranks, or choose one from the table" } else { "look at higher ranks" },
            ),
            Self::BestPrediction { rank } => (
                "best-prediction", Good,
                format!("held-out values are predicted best at rank {rank}"),
                "",
            ),
            Self::StableRanks { ranks } => (
                "stable-ranks", Good,
                format!("all components are stable at {}", unit_list("rank", ranks)),
                "",
            ),
            Self::NoStableRank { share } => (
                "no-stable-rank", Good,
                format!(
                    "at every rank that was looked at, {} on two halves of the samples: no rank is stable",
                    if *share >= 1.0 {
                        "no component comes out the same".into()
                    } else {
                        format!("at least {} of the components come out differently", percent(*share))
                    }
                ),
                "",
            ),
            Self::Unknown(reason) => {
                (&*reason.code, reason.severity, reason.text.clone(), &*reason.advice)
            }
        };
        Described { code, severity, text, advice }
    }
}

impl fmt::Display for Reason {
    /// The text and, after a semicolon, the advice.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Described { text, advice, .. } = self.described();
        f.write_str(&text)?;
        if advice.is_empty() { Ok(()) } else { write!(f, "; {advice}") }
    }
}
