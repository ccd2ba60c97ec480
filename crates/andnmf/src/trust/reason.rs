//! The reasons of verdicts, one entry each: its data, code, severity, text and advice.
//!
//! To add one: an entry here, and the code that detects it. The values after `=` are examples for tests.

use super::Verdict::{self, Doubtful, Good, Poor};
use super::declare_reason::declare_reasons;
use super::format::{components_are, format_pairs, fraction_of, in_pairs, list, percent, trading, unit_list};

declare_reasons! {
    /// The samples span fewer dimensions than there are components.
    SurplusComponents { found: usize = 2, components: Vec<usize> = vec![1, 3] } => {
        code: "surplus-components", severity: Doubtful,
        components: components.clone(),
        text: ("the samples determine only {found} components (they span {found} dimensions): the other {} are \
                zero", components.len()),
        advice: "lower the rank by the number of zero components; the others stay the same",
    }
    /// The singular values have no gap at the rank; `leaking` if negative weights suggest a larger rank.
    NoSpectralGap { next_strength: f64 = 0.9, leaking: bool = false } => {
        code: "no-spectral-gap", severity: Doubtful,
        text: ("the samples do not single out this rank: the next direction is {} as strong as the last one kept (no \
                gap in the singular values)", percent(*next_strength)),
        advice: if *leaking { "try a larger rank" } else { "try another rank" },
    }
    /// Components that never occur without part of another.
    Inclusions { pairs: usize = 2 } => {
        code: "inclusions", severity: Doubtful,
        text: ("{pairs} pair{} of components in which one never occurs without part of the other: it may be a \
                mixture", if *pairs == 1 { "" } else { "s" }),
        advice: "add samples in which they occur separately",
    }
    /// Negative weights explain more of the samples than noise would; `foreign` if components are negative, too.
    NegativeWeights { share: f64 = 0.25, foreign: bool = false } => {
        code: "negative-weights", severity: Doubtful,
        text: ("negative weights explain {} of the samples, more than noise would: the rank may be too small, or \
                the weights may not be sparse", percent(*share)),
        advice: "try a larger rank",
    }
    /// Components that are active in nearly every sample.
    AlwaysOn { components: Vec<usize> = vec![1, 3] } => {
        code: "always-on", severity: Good,
        components: components.clone(),
        text: ("{} active in nearly every sample: without zero weights, more than one answer can fit",
               components_are(components)),
        advice: "add samples without them",
    }
    /// Weights that are never zero, at a level below the noise.
    HiddenLevel => {
        code: "hidden-level", severity: Good,
        text: ("noise seems to hide weights that are small but never zero: the components were chosen by their own \
                zeros instead, and more than one answer can fit"),
        advice: "subtract a known constant part from the samples, or add samples with less noise",
    }
    /// A background that all components share.
    SharedBackground { share: f64 = 0.25 } => {
        code: "shared-background", severity: Good,
        text: ("all components share a background ({} of their mean): weights that are nonzero in every sample \
                would look the same", percent(*share)),
        advice: "subtract a known background from the samples",
    }
    /// AND found nothing that fits: the components are those of NMF.
    NmfInstead => {
        code: "nmf-instead", severity: Doubtful,
        text: ("the samples do not look like sparse mixtures of this many components, so NMF was used instead: it \
                fits the samples, but its components need not be the true ones"),
        advice: "try another rank, or add samples",
    }
    /// Components that another start does not confirm.
    UnstableStart { components: Vec<usize> = vec![1, 3], of: usize = 5, severity: Verdict = Doubtful } => {
        code: "unstable-start", severity: *severity,
        components: components.clone(),
        text: ("{} change with another start (see component_error)", fraction_of(components, *of)),
        advice: "add samples, or try another rank",
    }
    /// Components that other counts of the same samples would not confirm.
    UnstableCounts { components: Vec<usize> = vec![1, 3], of: usize = 5, severity: Verdict = Doubtful } => {
        code: "unstable-counts", severity: *severity,
        components: components.clone(),
        text: ("{} would change with other counts of the same samples (see component_error)",
               fraction_of(components, *of)),
        advice: "add samples with more counts, or try a smaller rank",
    }
    /// Components that other samples would not confirm.
    UnstableSamples { components: Vec<usize> = vec![1, 3], of: usize = 5, severity: Verdict = Doubtful } => {
        code: "unstable-samples", severity: *severity,
        components: components.clone(),
        text: ("{} would change with other samples of the same kind (see component_error)",
               fraction_of(components, *of)),
        advice: "add samples, or lower the rank",
    }
    /// Components that may contain part of others.
    MixedComponents { components: Vec<usize> = vec![1, 3], of: usize = 5, severity: Verdict = Doubtful } => {
        code: "mixed-components", severity: *severity,
        components: components.clone(),
        text: ("{} may contain part of other components, as negative values indicate (see component_error)",
               fraction_of(components, *of)),
        advice: "compare them with the components of another rank",
    }
    /// Components of which other versions fit as well, with the pairs that trade with each other.
    Ambiguous {
        components: Vec<usize> = vec![1, 3],
        of: usize = 5,
        trades: Vec<[usize; 2]> = vec![[1, 3]],
        severity: Verdict = Doubtful,
    } => {
        code: "ambiguous", severity: *severity,
        components: components.clone(),
        text: ("{} have other versions that fit as well{} (see component_error)", fraction_of(components, *of),
               trading(trades)),
        advice: "add samples in which these components occur without each other",
    }
    /// The components leave more of the samples than noise explains.
    Misfit { components: Vec<usize> = vec![1, 3], of: usize = 5, severity: Verdict = Doubtful } => {
        code: "misfit", severity: *severity,
        components: components.clone(),
        text: ("{} leave more of the samples than noise explains: non-negative weights of them do not fit",
               fraction_of(components, *of)),
        advice: "try another rank",
    }
    /// Nothing was refitted: no time was left, or the samples are distributed.
    Unchecked => {
        code: "unchecked", severity: Doubtful,
        text: ("no refit has checked the errors of the components: they are estimates from the fit alone"),
        advice: "allow more time, or fit a part of the samples in one process",
    }
    /// Samples that take no part in the fit.
    OutliersSetAside { samples: Vec<usize> = vec![1, 3], of: usize = 400 } => {
        code: "outliers-set-aside", severity: Good,
        text: ("{} of {of} set aside: the components of the others do not explain {} (junk, saturated or spiked values)",
               unit_list("sample", samples), if samples.len() == 1 { "it" } else { "them" }),
        advice: "check them; if they are right, they may need one component more",
    }
    /// The limit on stages ended the run.
    OutOfStages => {
        code: "out-of-stages", severity: Doubtful,
        text: ("the components were still changing at the last stage allowed"),
        advice: "allow more stages",
    }
    /// The run was stopped before it could check its result.
    Stopped => {
        code: "stopped", severity: Poor,
        text: ("the fit was stopped before it could check its components"),
        advice: "allow more time, or resume the fit",
    }
    /// Every sample is zero.
    ZeroSamples => {
        code: "zero-samples", severity: Poor,
        text: ("all samples are zero: they have no components"),
        advice: "check the input",
    }
    /// Weight that is present in nearly every sample.
    BackgroundWeight {
        share: f64 = 0.25,
        components: Vec<usize> = vec![1, 3],
        severity: Verdict = Doubtful,
    } => {
        code: "background-weight", severity: *severity,
        components: components.clone(),
        text: ("{} of all weight is present in nearly every sample ({}): a constant part cannot be assigned to a \
                single component",
               percent(*share),
               if components.is_empty() { "spread over all components".into() } else { list(components) }),
        advice: "add samples without it, or subtract the constant part from the samples",
    }
    /// No sample uses any component.
    NoWeights => {
        code: "no-weights", severity: Poor,
        text: ("no sample uses any component: nothing can be recovered"),
        advice: "check the samples, or fit again",
    }
    /// Components that no sample uses.
    NeverUsed { components: Vec<usize> = vec![1, 3] } => {
        code: "never-used", severity: Doubtful,
        components: components.clone(),
        text: ("no sample uses {}", list(components)),
        advice: "lower the rank",
    }
    /// Components that hardly any sample uses.
    RarelyUsed { components: Vec<usize> = vec![1, 3], fewest: usize = 10 } => {
        code: "rarely-used", severity: Doubtful,
        components: components.clone(),
        text: ("fewer than {fewest} samples use {}: too few for a reliable result", list(components)),
        advice: "add samples, or lower the rank",
    }
    /// A typical component is active in most samples.
    DenseWeights { typical: f64 = 0.8 } => {
        code: "dense-weights", severity: Doubtful,
        text: ("a typical component is active in {} of the samples: hardly any sample shows the others without it",
               percent(*typical)),
        advice: "expect errors of a few percent; more samples reduce them",
    }
    /// Weights of some components are linear combinations of those of others.
    DependentWeights => {
        code: "dependent-weights", severity: Poor,
        text: ("the weights of some components are linear combinations of those of others, so these components \
                cannot be separated"),
        advice: "lower the rank, or add samples in which the weights differ",
    }
    /// Components that hardly ever occur without each other, with the correlation of their weights.
    Inseparable { pairs: Vec<(usize, usize, f64)> = vec![(0, 2, 0.99)] } => {
        code: "inseparable", severity: Doubtful,
        components: in_pairs(pairs),
        text: ("some components hardly ever occur without each other and may be mixed up (correlation in \
                parentheses): {}", format_pairs(pairs)),
        advice: "add samples in which they differ, or lower the rank to merge them",
    }
    /// There are fewer samples than components.
    FewerSamplesThanComponents { n_samples: usize = 2, rank: usize = 3 } => {
        code: "fewer-samples-than-components", severity: Poor,
        text: ("there are fewer samples ({n_samples}) than components ({rank}): no method can determine them"),
        advice: "add samples, or lower the rank",
    }
    /// There are few samples for each component.
    FewSamples { n_samples: usize = 20, rank: usize = 3, wanted: usize = 10 } => {
        code: "few-samples", severity: Doubtful,
        text: ("there are {n_samples} samples for {rank} components, fewer than {wanted} for each: some \
                components may be wrong"),
        advice: "add samples, or lower the rank",
    }
    /// The samples span exactly this many dimensions.
    ExactRank { rank: usize = 3 } => {
        code: "exact-rank", severity: Good,
        text: ("the samples span exactly {rank} dimensions, up to rounding"),
        advice: "",
    }
    /// The directions of this rank stand clearly above the noise.
    AboveNoise { rank: usize = 3, clearance: f64 = 2.0 } => {
        code: "above-noise", severity: Good,
        text: ("the residual of {rank} directions looks like white noise, and the weakest of these directions is \
                {clearance:.2} times as strong as noise can be"),
        advice: "",
    }
    /// The weakest direction of this rank hardly stands above the noise.
    NearNoise { rank: usize = 3, clearance: f64 = 1.05 } => {
        code: "near-noise", severity: Doubtful,
        text: ("the residual of {rank} directions looks like white noise, but the weakest of these directions is \
                only {clearance:.2} times as strong as noise can be: noise may hide further components"),
        advice: "compare with higher ranks; more samples would separate components from noise",
    }
    /// The samples are counts, and were scaled before their directions were counted.
    CountsScaled { overdispersion: f64 = 0.02, n_samples: usize = 400, n_features: usize = 90 } => {
        code: "counts-scaled", severity: Good,
        text: ("the samples are counts: {n_samples} samples and {n_features} features with enough of them were scaled so \
                that their noise is white{}",
               if *overdispersion > 0.0 { format!(" (overdispersion {overdispersion:.2})") } else { String::new() }),
        advice: "",
    }
    /// Many components of this rank differ between two halves of the samples.
    UnstableRank { rank: usize = 3, share: f64 = 0.25 } => {
        code: "unstable-rank", severity: Good,
        text: ("at rank {rank}, {} of the components differ between two halves of the samples: the rank may be \
                right although some components are wrong", percent(*share)),
        advice: "more samples may help",
    }
    /// Fewer directions stand out from noise than the lowest rank that was scored.
    RankBelowRange { rank: usize = 3, lowest: usize = 5 } => {
        code: "rank-below-range", severity: Poor,
        text: ("only {rank} directions of the samples stand out from noise, fewer than the lowest rank tested \
                ({lowest})"),
        advice: "test lower ranks",
    }
    /// Beyond the highest rank that was scored the samples still do not look like noise.
    RankBeyondRange { highest: usize = 9, table: bool = true } => {
        code: "rank-beyond-range", severity: Poor,
        text: ("even beyond rank {highest} the samples do not look like white noise: there are more components, \
                the noise is not white, or no true rank exists"),
        advice: if *table { "test higher ranks, or choose one from the table" } else { "test higher ranks" },
    }
    /// The rank at which held-out values are predicted best.
    BestPrediction { rank: usize = 3 } => {
        code: "best-prediction", severity: Good,
        text: ("held-out values are predicted best at rank {rank}"),
        advice: "",
    }
    /// Ranks at which all components are stable.
    StableRanks { ranks: Vec<usize> = vec![2, 3] } => {
        code: "stable-ranks", severity: Good,
        text: ("all components are stable at {}", unit_list("rank", ranks)),
        advice: "",
    }
    /// No rank is stable; the least share of components that differ.
    NoStableRank { share: f64 = 0.25 } => {
        code: "no-stable-rank", severity: Good,
        text: ("at every rank tested, {} differ between two halves of the samples: no rank is stable",
               if *share < 1.0 { format!("at least {} of the components", percent(*share)) } else { "all components".into() }),
        advice: "",
    }
}
