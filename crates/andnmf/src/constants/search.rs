//! The choice of descents, and the limits of good, certain and lost results.

super::constants! {
    /// Constants of the search.
    SearchConstants {
        /// A negative part from here on means that a descent diverged from anything useful. Not recorded.
        lost: f64 = 0.5,
        /// A candidate without inclusions and with a negative part below this, and `good_noise` times that of the noise,
        /// needs no rival. Not recorded.
        good: f64 = 0.01,
        /// Multiple of the noise's negative part that a good candidate may have in addition to `good`. Not recorded.
        good_noise: f64 = 2.0,
        /// Negative parts below this are rounding: the result may be certain. Set on persistent CTM(5), ten seeds: with
        /// 1e-9 two kept a wrong answer (errors 0.051 and 0.0045), with 1e-8 none (decision 0017).
        certain: f64 = 1e-8,
        /// With this many times as many samples on each facet as components, nothing is left to doubt. From geometry: a
        /// tight wrong cone touches rank − 1 samples per facet; checked on the kinds of decision 0017.
        certain_contacts: usize = 2,
        /// Most repairs per start. Not recorded.
        most_repairs: usize = 5,
        /// Most stages of a short descent. Not recorded.
        short_stages: usize = 60,
        /// A short descent ends once all thresholds are below this. Not recorded.
        short_lowest_threshold: f64 = 1e-4,
        /// A short descent ends once a stage moves no component sideways by more than this. Not recorded.
        short_quiet: f64 = 1e-8,
        /// A repaired given start may have this many times the negative part that it had before. Not recorded.
        repair_leak: f64 = 2.0,
        /// Ratios of decoded weights above this, on the scales of both components, are inclusions. Not recorded.
        inclusion: f64 = 0.05,
        /// The same where weights are zero beyond doubt, in multiples of what counts as zero. Set on PAIRED binary at 0.95
        /// from starts near the truth, three seeds (decision 0016).
        inclusion_zeros: f64 = 10.0,
        /// Samples with at least this share of a component's largest weight decide about its inclusions. Not recorded.
        strong: f64 = 0.5,
        /// At least this many samples decide about inclusions. Not recorded.
        fewest_strong: usize = 100,
        /// Where weights are zero beyond doubt, all samples with this share of the largest weight decide. Set as
        /// `inclusion_zeros`.
        on: f64 = 0.01,
        /// Fewer strong samples than this say nothing. Not recorded.
        too_few_strong: usize = 3,
        /// The long descent ends once all thresholds are below this share of the largest weight: nothing is left to
        /// threshold in double precision. Not set on data.
        lowest_threshold: f64 = 1e-12,
        /// The long descent ends once a stage moves no component sideways by more than this. Not recorded.
        quiet: f64 = 1e-8,
        /// Stages in a row below `quiet` that end a descent. Not recorded.
        quiet_stages: usize = 2,
        /// The features' side can decide only with this many times as many features as components. Not recorded.
        features_per_component: usize = 3,
        /// With noise, the features' side is tried where nearly all weights of a component exceed this share of its largest.
        /// Set on 12 generated topics with a background topic, one seed; looked at on 30 news-wire topics (decision 0040).
        background_level: f64 = 0.01,
        /// Negative part that noise may cause on the features' side, where weak features are mostly noise: 0.02 to 0.13 with
        /// noise of 1e-4 to 1e-2. Set as `background_level`.
        noisy_negative: f64 = 0.2,
        /// The features' side decides where its zeros are clearer than those of the weights by this factor. Not
        /// swept: on the same topics the levels differ by five times and more.
        clearer: f64 = 0.3,
        /// Weights that come nearer to zero than this determine all facets but that of a background, however near the features'
        /// side comes. On 30 news-wire topics and a background topic, smoothed by 1e-7, the errors are 5e-6 and 4e-4.
        clear_level: f64 = 1e-4,
        /// Most stages from the components of HALS: a start that leads anywhere has nearly converged after these. Set on PAIRED
        /// binary at 0.8, 20 components, noise 0.001 to 0.05, four seeds (decision 0018).
        retry_stages: usize = 100,
    }
}
