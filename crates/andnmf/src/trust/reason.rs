//! The reasons of verdicts.
//!
//! To add one: a variant here, its texts in `reason_text.rs`, and the code that detects it.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::Verdict;
use super::reason_text::ReasonText;

/// A piece of evidence for or against a result. Components are counted from 0.
///
/// As JSON, a reason is an object with `code`, `severity`, `text`, `advice`, `components`, and its own data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self", tag = "code", rename_all = "kebab-case")]
#[non_exhaustive]
#[allow(missing_docs)] // The texts in `reason_text.rs` explain the fields.
pub enum Reason {
    /// The samples span fewer dimensions than there are components.
    SurplusComponents { found: usize, components: Vec<usize> },
    /// The singular values have no gap at the rank; `leaking` if negative weights suggest a larger rank.
    NoSpectralGap { next_strength: f64, leaking: bool },
    /// Components that never occur without part of another.
    Inclusions { pairs: usize },
    /// Negative weights explain more of the samples than noise would; `foreign` if components are negative, too.
    NegativeWeights { share: f64, foreign: bool },
    /// Components that are active in nearly every sample.
    AlwaysOn { components: Vec<usize> },
    /// Weights that are never zero, at a level below the noise.
    HiddenLevel,
    /// A background that all components share.
    SharedBackground { share: f64 },
    /// AND found nothing that fits: the components are those of NMF.
    NmfInstead,
    /// Components that another start does not confirm.
    UnstableStart { components: Vec<usize>, of: usize, severity: Verdict },
    /// Components that other counts of the same samples would not confirm.
    UnstableCounts { components: Vec<usize>, of: usize, severity: Verdict },
    /// Components that other samples would not confirm.
    UnstableSamples { components: Vec<usize>, of: usize, severity: Verdict },
    /// Components that may contain part of others.
    MixedComponents { components: Vec<usize>, of: usize, severity: Verdict },
    /// The limit on stages ended the run.
    OutOfStages,
    /// The run was stopped before it could check its result.
    Stopped,
    /// Every sample is zero.
    ZeroSamples,
    /// Weight that is present in nearly every sample.
    BackgroundWeight { share: f64, components: Vec<usize>, severity: Verdict },
    /// No sample uses any component.
    NoWeights,
    /// Components that no sample uses.
    NeverUsed { components: Vec<usize> },
    /// Components that hardly any sample uses.
    RarelyUsed { components: Vec<usize>, fewest: usize },
    /// A typical component is active in most samples.
    DenseWeights { typical: f64 },
    /// Weights of some components are linear combinations of those of others.
    DependentWeights,
    /// Components that hardly ever occur without each other, with the correlation of their weights.
    Inseparable { pairs: Vec<(usize, usize, f64)> },
    /// There are fewer samples than components.
    FewerSamplesThanComponents { n_samples: usize, rank: usize },
    /// There are few samples for each component.
    FewSamples { n_samples: usize, rank: usize, wanted: usize },
    /// The samples span exactly this many dimensions.
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

/// A reason that another version wrote: its texts only.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct UnknownReason {
    /// Its code.
    pub code: String,
    /// The best verdict that it allows.
    pub severity: Verdict,
    /// The observation.
    pub text: String,
    /// The recommended action.
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

    /// The observation, in plain English.
    #[must_use]
    pub fn text(&self) -> String {
        self.described().text
    }

    /// The recommended action; empty if there is none.
    #[must_use]
    pub fn advice(&self) -> &str {
        self.described().advice
    }

    /// The components concerned, if known.
    #[must_use]
    pub fn components(&self) -> Vec<usize> {
        match self {
            Self::SurplusComponents { components, .. }
            | Self::AlwaysOn { components }
            | Self::UnstableStart { components, .. }
            | Self::UnstableCounts { components, .. }
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
            Self::NoSpectralGap { .. }
            | Self::Inclusions { .. }
            | Self::NegativeWeights { .. }
            | Self::HiddenLevel
            | Self::SharedBackground { .. }
            | Self::NmfInstead
            | Self::OutOfStages
            | Self::Stopped
            | Self::ZeroSamples
            | Self::NoWeights
            | Self::DenseWeights { .. }
            | Self::DependentWeights
            | Self::FewerSamplesThanComponents { .. }
            | Self::FewSamples { .. }
            | Self::ExactRank { .. }
            | Self::AboveNoise { .. }
            | Self::NearNoise { .. }
            | Self::UnstableRank { .. }
            | Self::RankBelowRange { .. }
            | Self::RankBeyondRange { .. }
            | Self::BestPrediction { .. }
            | Self::StableRanks { .. }
            | Self::NoStableRank { .. } => Vec::new(),
        }
    }
}

impl fmt::Display for Reason {
    /// The text and, after a semicolon, the advice.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ReasonText { text, advice, .. } = self.described();
        f.write_str(&text)?;
        if advice.is_empty() { Ok(()) } else { write!(f, "; {advice}") }
    }
}
