//! The one place for words: what each reason is called, how much it counts, what it says, and what to do about it.

use super::Verdict;
use super::reason::Reason;
use super::words::{components, count, pairs_in_words, percent, unit_list};

/// Everything there is to say of a reason.
pub(super) struct Described<'a> {
    pub(super) code: &'a str,
    pub(super) severity: Verdict,
    pub(super) text: String,
    pub(super) advice: &'a str,
}

impl Reason {
    pub(super) fn described(&self) -> Described<'_> {
        use Verdict::{Doubtful, Good, Poor};
        let (code, severity, text, advice) = match self {
            Self::SurplusComponents { found, components } => (
                "surplus-components",
                Doubtful,
                format!(
                    "the samples have room for only {found} components: the other {} \
                     are zero",
                    components.len()
                ),
                "a rank that leaves them out gives the same",
            ),
            Self::NoSpectralGap { next_strength, leaking } => (
                "no-spectral-gap",
                if *leaking { Poor } else { Doubtful },
                format!(
                    "nothing in the samples sets this number of components apart (the next \
                     direction is {} as strong as the last one kept)",
                    percent(*next_strength)
                ),
                if *leaking { "try a larger rank" } else { "try another rank" },
            ),
            Self::Inclusions { pairs } => (
                "inclusions",
                Doubtful,
                format!(
                    "{pairs} components never come without a share of another, so mixtures may \
                     have been taken for components"
                ),
                "more samples may show them apart",
            ),
            Self::NegativeWeights { share, foreign } => (
                "negative-weights",
                if *foreign { Poor } else { Doubtful },
                format!(
                    "{} of the samples are explained by negative weights, more than noise would: \
                     the rank may be too small or the weights not sparse",
                    percent(*share)
                ),
                "compare HALS",
            ),
            Self::AlwaysOn { components } => (
                "always-on",
                Doubtful,
                format!(
                    "{} components are on in nearly every sample: weights that are never zero \
                     leave room for more than one answer",
                    components.len()
                ),
                "compare HALS",
            ),
            Self::HiddenLevel => (
                "hidden-level",
                Doubtful,
                "weights seem to be on at a low level in all samples, below what noise lets one \
                 see: the zeros of the components decided instead, which leaves room for more \
                 than one answer"
                    .into(),
                "compare HALS",
            ),
            Self::SharedBackground { share } => (
                "shared-background",
                Doubtful,
                format!(
                    "all components share a background ({} of their mean): weights that are \
                     always on would look the same",
                    percent(*share)
                ),
                "subtract a known background from the samples, or compare HALS",
            ),
            Self::NmfInstead => (
                "nmf-instead",
                Poor,
                "the samples do not look like sparse mixtures of this many components, so NMF was \
                 used instead: it fits them, but nothing vouches that its components are the true \
                 ones"
                    .into(),
                "try another rank, or more samples",
            ),
            Self::UnstableStart { components, of, severity } => (
                "unstable-start",
                *severity,
                format!(
                    "{} come out differently from another start (see \
                     component_stability)",
                    count(components, *of)
                ),
                "more samples or another rank may settle them",
            ),
            Self::UnstableSamples { components, of, severity } => (
                "unstable-samples",
                *severity,
                format!(
                    "{} would come out differently from other samples of the same kind (see \
                     component_stability)",
                    count(components, *of)
                ),
                "more samples or a smaller rank would help",
            ),
            Self::MixedComponents { components, of, severity } => (
                "mixed-components",
                *severity,
                format!(
                    "{} may hold a share of others, by negative values that they leave (see \
                     component_stability)",
                    count(components, *of)
                ),
                "look at them beside those of HALS, or of another rank",
            ),
            Self::OutOfStages => (
                "out-of-stages",
                Doubtful,
                "the components were still moving when the stages ended".into(),
                "allow more stages",
            ),
            Self::Stopped => (
                "stopped",
                Poor,
                "the fit was stopped before it could judge its components".into(),
                "give it more time, or resume it",
            ),
            Self::ZeroSamples => (
                "zero-samples",
                Poor,
                "all samples are zero: they have no components".into(),
                "look at the samples",
            ),
            Self::BackgroundWeight { share, components: always_on, severity } => (
                "background-weight",
                *severity,
                format!(
                    "{} of all weight is there in nearly every sample ({}): part of what is \
                     always there cannot be assigned to any one component",
                    percent(*share),
                    if always_on.is_empty() {
                        "every component a little".into()
                    } else {
                        components(always_on)
                    }
                ),
                "HALS bears it better where components must fit rather than be true, otherwise \
                 take samples without it, or take the constant part out of the samples",
            ),
            Self::NoWeights => (
                "no-weights",
                Poor,
                "no sample uses any component, so there is nothing to recover".into(),
                "look at the samples, or fit again",
            ),
            Self::NeverUsed { components: never } => {
                ("never-used", Doubtful, format!("no sample uses {}", components(never)), "lower the rank")
            }
            Self::RarelyUsed { components: rarely, fewest } => (
                "rarely-used",
                Doubtful,
                format!(
                    "fewer than {fewest} samples use {}: what is found there rests on single samples",
                    components(rarely)
                ),
                "add samples, or lower the rank",
            ),
            Self::DenseWeights { typical } => (
                "dense-weights",
                Doubtful,
                format!(
                    "a typical component is on in {} of the samples: hardly a sample shows what \
                     the others are like without it",
                    percent(*typical)
                ),
                "expect errors of some percent, which more samples lessen",
            ),
            Self::DependentWeights => (
                "dependent-weights",
                Poor,
                "the weights of some components follow from those of others, so that they cannot \
                 be told apart"
                    .into(),
                "lower the rank, or take samples in which they differ",
            ),
            Self::Inseparable { pairs } => (
                "inseparable",
                Doubtful,
                format!(
                    "some components hardly ever occur without each other and may be found mixed: {}",
                    pairs_in_words(pairs)
                ),
                "take samples in which they differ, or lower the rank to have them as one",
            ),
            Self::FewerSamplesThanComponents { n_samples, rank } => (
                "fewer-samples-than-components",
                Poor,
                format!(
                    "there are fewer samples ({n_samples}) than components ({rank}), so that no \
                     method can tell the components"
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
                format!("the samples have {rank} directions and, but for rounding, no other"),
                "",
            ),
            Self::AboveNoise { rank, clearance } => (
                "above-noise",
                Good,
                format!(
                    "what {rank} directions leave of the samples looks like white noise, and the \
                     weakest of them is {clearance:.2} times as strong as noise can be"
                ),
                "",
            ),
            Self::NearNoise { rank, clearance } => (
                "near-noise",
                Doubtful,
                format!(
                    "what {rank} directions leave of the samples looks like white noise, but the \
                     weakest of them is only {clearance:.2} times as strong as noise can be: \
                     further components may be drowned in it"
                ),
                "compare this rank with higher ones; more samples would set components and noise \
                 further apart",
            ),
            Self::UnstableRank { rank, share } => (
                "unstable-rank",
                Good,
                format!(
                    "at rank {rank} {} of the components come out differently on two halves of \
                     the samples: the number of components may be right, and yet not each of them",
                    percent(*share)
                ),
                "more samples may help",
            ),
            Self::RankBelowRange { rank, lowest } => (
                "rank-below-range",
                Poor,
                format!(
                    "only {rank} directions of the samples stand out from noise, fewer than the \
                     lowest rank looked at ({lowest})"
                ),
                "look at lower ranks",
            ),
            Self::RankBeyondRange { highest, table } => (
                "rank-beyond-range",
                Poor,
                format!(
                    "even beyond rank {highest} the samples do not look like white noise: there \
                     are more components than that, noise of another kind, or no true rank at all"
                ),
                if *table {
                    "look at higher ranks, or choose one from the table"
                } else {
                    "look at higher ranks"
                },
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
                    "at every rank that was looked at, {} on two halves of the samples: no rank \
                     is stable",
                    if *share >= 1.0 {
                        "no component comes out the same".into()
                    } else {
                        format!("at least {} of the components come out differently", percent(*share))
                    }
                ),
                "",
            ),
            Self::Unknown(reason) => (&*reason.code, reason.severity, reason.text.clone(), &*reason.advice),
        };
        Described { code, severity, text, advice }
    }
}
