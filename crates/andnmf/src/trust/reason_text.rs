//! Code, severity, text and advice of every reason: the only place with texts of verdicts.

use super::Verdict;
use super::format::{components, components_are, format_pairs, fraction_of, percent, unit_list};
use super::reason::Reason;

/// Code, severity and texts of a reason.
pub(super) struct ReasonText<'a> {
    pub(super) code: &'a str,
    pub(super) severity: Verdict,
    pub(super) text: String,
    pub(super) advice: &'a str,
}

impl Reason {
    pub(super) fn described(&self) -> ReasonText<'_> {
        use Verdict::{Doubtful, Good, Poor};
        let (code, severity, text, advice) = match self {
            Self::SurplusComponents { found, components } => (
                "surplus-components",
                Doubtful,
                format!(
                    "the samples determine only {found} components (they span {found} dimensions): \
                     the other {} are zero",
                    components.len()
                ),
                "lower the rank by the number of zero components; the others stay the same",
            ),
            Self::NoSpectralGap { next_strength, leaking } => (
                "no-spectral-gap",
                if *leaking { Poor } else { Doubtful },
                format!(
                    "the singular values have no gap at this rank: the first one discarded is {} \
                     of the last one kept",
                    percent(*next_strength)
                ),
                if *leaking { "try a larger rank" } else { "try another rank" },
            ),
            Self::Inclusions { pairs } => (
                "inclusions",
                Doubtful,
                format!(
                    "{pairs} pair{} of components in which one never occurs without part of the \
                     other: it may be a mixture",
                    if *pairs == 1 { "" } else { "s" }
                ),
                "add samples in which they occur separately",
            ),
            Self::NegativeWeights { share, foreign } => (
                "negative-weights",
                if *foreign { Poor } else { Doubtful },
                format!(
                    "negative weights explain {} of the samples, more than noise would: the rank \
                     may be too small, or the weights may not be sparse",
                    percent(*share)
                ),
                "try a larger rank, or compare with HALS",
            ),
            Self::AlwaysOn { components } => (
                "always-on",
                Doubtful,
                format!(
                    "{} active in nearly every sample: without zero weights, more than one answer \
                     can fit",
                    components_are(components)
                ),
                "compare with HALS",
            ),
            Self::HiddenLevel => (
                "hidden-level",
                Doubtful,
                "weights seem to be nonzero at a low level in all samples, hidden by noise: the zeros \
                 of the components decided instead, so more than one answer can fit"
                    .into(),
                "compare with HALS",
            ),
            Self::SharedBackground { share } => (
                "shared-background",
                Doubtful,
                format!(
                    "all components share a background ({} of their mean): weights that are nonzero \
                     in every sample would look the same",
                    percent(*share)
                ),
                "subtract a known background from the samples, or compare with HALS",
            ),
            Self::NmfInstead => (
                "nmf-instead",
                Poor,
                "the samples do not look like sparse mixtures of this many components, so NMF was \
                 used instead: it fits the samples, but its components need not be the true ones"
                    .into(),
                "try another rank, or add samples",
            ),
            Self::UnstableStart { components, of, severity } => (
                "unstable-start",
                *severity,
                format!(
                    "{} change with another start (see component_stability)",
                    fraction_of(components, *of)
                ),
                "add samples, or try another rank",
            ),
            Self::UnstableCounts { components, of, severity } => (
                "unstable-counts",
                *severity,
                format!(
                    "{} would change with other counts of the same samples (see component_stability)",
                    fraction_of(components, *of)
                ),
                "add samples with more counts, or try a smaller rank",
            ),
            Self::UnstableSamples { components, of, severity } => (
                "unstable-samples",
                *severity,
                format!(
                    "{} would change with other samples of the same kind (see component_stability)",
                    fraction_of(components, *of)
                ),
                "add samples, or lower the rank",
            ),
            Self::MixedComponents { components, of, severity } => (
                "mixed-components",
                *severity,
                format!(
                    "{} may contain part of other components, as negative values indicate (see \
                     component_stability)",
                    fraction_of(components, *of)
                ),
                "compare them with the components of HALS or of another rank",
            ),
            Self::OutOfStages => (
                "out-of-stages",
                Doubtful,
                "the components were still changing at the last stage allowed".into(),
                "allow more stages",
            ),
            Self::Stopped => (
                "stopped",
                Poor,
                "the fit was stopped before it could check its components".into(),
                "allow more time, or resume the fit",
            ),
            Self::ZeroSamples => (
                "zero-samples",
                Poor,
                "all samples are zero: they have no components".into(),
                "check the input",
            ),
            Self::BackgroundWeight { share, components: always_on, severity } => (
                "background-weight",
                *severity,
                format!(
                    "{} of all weight is present in nearly every sample ({}): a constant part cannot \
                     be assigned to a single component",
                    percent(*share),
                    if always_on.is_empty() {
                        "spread over all components".into()
                    } else {
                        components(always_on)
                    }
                ),
                "add samples without it, or subtract the constant part from the samples; if a good fit \
                 is enough, use HALS",
            ),
            Self::NoWeights => (
                "no-weights",
                Poor,
                "no sample uses any component: nothing can be recovered".into(),
                "check the samples, or fit again",
            ),
            Self::NeverUsed { components: never } => {
                ("never-used", Doubtful, format!("no sample uses {}", components(never)), "lower the rank")
            }
            Self::RarelyUsed { components: rarely, fewest } => (
                "rarely-used",
                Doubtful,
                format!(
                    "fewer than {fewest} samples use {}: too few for a reliable result",
                    components(rarely)
                ),
                "add samples, or lower the rank",
            ),
            Self::DenseWeights { typical } => (
                "dense-weights",
                Doubtful,
                format!(
                    "a typical component is active in {} of the samples: hardly any sample shows the \
                     others without it",
                    percent(*typical)
                ),
                "expect errors of a few percent; more samples reduce them",
            ),
            Self::DependentWeights => (
                "dependent-weights",
                Poor,
                "the weights of some components are linear combinations of those of others, so these \
                 components cannot be separated"
                    .into(),
                "lower the rank, or add samples in which the weights differ",
            ),
            Self::Inseparable { pairs } => (
                "inseparable",
                Doubtful,
                format!(
                    "some components hardly ever occur without each other and may be mixed up \
                     (correlation in parentheses): {}",
                    format_pairs(pairs)
                ),
                "add samples in which they differ, or lower the rank to merge them",
            ),
            Self::FewerSamplesThanComponents { n_samples, rank } => (
                "fewer-samples-than-components",
                Poor,
                format!(
                    "there are fewer samples ({n_samples}) than components ({rank}): no method can \
                     determine them"
                ),
                "add samples, or lower the rank",
            ),
            Self::FewSamples { n_samples, rank, wanted } => (
                "few-samples",
                Doubtful,
                format!(
                    "there are {n_samples} samples for {rank} components, fewer than {wanted} for \
                     each: some components may be wrong"
                ),
                "add samples, or lower the rank",
            ),
            Self::ExactRank { rank } => (
                "exact-rank",
                Good,
                format!("the samples span exactly {rank} dimensions, up to rounding"),
                "",
            ),
            Self::AboveNoise { rank, clearance } => (
                "above-noise",
                Good,
                format!(
                    "the residual of {rank} directions looks like white noise, and the weakest of \
                     these directions is {clearance:.2} times as strong as noise can be"
                ),
                "",
            ),
            Self::NearNoise { rank, clearance } => (
                "near-noise",
                Doubtful,
                format!(
                    "the residual of {rank} directions looks like white noise, but the weakest of \
                     these directions is only {clearance:.2} times as strong as noise can be: noise \
                     may hide further components"
                ),
                "compare with higher ranks; more samples would separate components from noise",
            ),
            Self::UnstableRank { rank, share } => (
                "unstable-rank",
                Good,
                format!(
                    "at rank {rank}, {} of the components differ between two halves of the samples: \
                     the rank may be right although some components are wrong",
                    percent(*share)
                ),
                "more samples may help",
            ),
            Self::RankBelowRange { rank, lowest } => (
                "rank-below-range",
                Poor,
                format!(
                    "only {rank} directions of the samples stand out from noise, fewer than the \
                     lowest rank tested ({lowest})"
                ),
                "test lower ranks",
            ),
            Self::RankBeyondRange { highest, table } => (
                "rank-beyond-range",
                Poor,
                format!(
                    "even beyond rank {highest} the samples do not look like white noise: there \
                     are more components, the noise is not white, or no true rank exists"
                ),
                if *table { "test higher ranks, or choose one from the table" } else { "test higher ranks" },
            ),
            Self::BestPrediction { rank } => {
                ("best-prediction", Good, format!("held-out values are predicted best at rank {rank}"), "")
            }
            Self::StableRanks { ranks } => (
                "stable-ranks",
                Good,
                format!("all components are stable at {}", unit_list("rank", ranks)),
                "",
            ),
            Self::NoStableRank { share } => (
                "no-stable-rank",
                Good,
                format!(
                    "at every rank tested, {} differ between two halves of the samples: no rank is \
                     stable",
                    if *share >= 1.0 {
                        "all components".into()
                    } else {
                        format!("at least {} of the components", percent(*share))
                    }
                ),
                "",
            ),
            Self::Unknown(reason) => (&*reason.code, reason.severity, reason.text.clone(), &*reason.advice),
        };
        ReasonText { code, severity, text, advice }
    }
}
