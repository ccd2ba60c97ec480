//! The limits from which evidence counts against a fit.

/// Components with a higher score are unreliable.
pub const UNSTABLE: f64 = 0.1;

super::constants! {
    /// Constants of the judgement of fits, and limits that a fit goes by as well.
    TrustConstants {
        /// Components with a higher score are unreliable. Set on one seed of nine kinds of weights at rank 50 (rank
        /// right and 10 % too large; 5, 10 and 50 samples per component; noise 0, 0.003, 0.01) and checked on a second
        /// one: 90.5 % of wrong components above it, 5.5 % of right ones (decision 0018).
        unstable: f64 = UNSTABLE,
        /// The weight in the estimated error of the distance from refits to simulated samples. This and the next ones were set
        /// together by `bench/trust_factors.py` on seed 0 of `bench/trust_cases.py` (without cells), each family weighing the
        /// same, and judged on each family left out and on seed 1 (docs/trust.md).
        by_refit: f64 = 0.85,
        /// The same of the distance from other runs of an ending, on parts of the samples or of the counts.
        by_rerun: f64 = 0.85,
        /// The same of what other samples and noise do to the components of the stages.
        by_samples: f64 = 0.4,
        /// The same of moves towards other components.
        by_towards: f64 = 0.25,
        /// The same of moves away from other components.
        by_away: f64 = 0.12,
        /// The same of the distance from the components of HALS.
        by_hals: f64 = 0.22,
        /// The same of the distance from the components of least volume.
        by_volume: f64 = 0.12,
        /// The same of the distance from the components of the stages.
        by_stages: f64 = 0.1,
        /// The same of what the answer leaves of the samples beyond their noise.
        by_misfit: f64 = 0.07,
        /// The same of what the step to non-negative components moved.
        by_moved: f64 = 0.16,
        /// The same of shares of other components that negative values show.
        mixed: f64 = 0.2,
        /// Negative shares of a component below this say nothing. Set as `unstable`.
        small_share: f64 = 0.05,
        /// The weight of what is beyond.
        negative: f64 = 0.3,
        /// The upper end of an interval over the estimate. On the data of `by_refit`, 91 % of the errors are within the
        /// interval; a factor of 3.3 holds 95 % but leaves fewer verdicts good.
        above_estimate: f64 = 2.7,
        /// The estimate over the lower end: 3 % of the errors are below it, on the data of `by_refit`.
        below_estimate: f64 = 7.0,
        /// Intervals without refits are this many times as wide, on both sides. Not set on data.
        unchecked: f64 = 2.0,
        /// Fewer samples per component than this show little: with three or fewer, components can be samples. Not set on data.
        few_samples: usize = 4,
        /// Share of unstable components that makes it poor. Not recorded.
        many_unstable: f64 = 0.3,
        /// Without this factor between the last singular value kept and the first discarded nothing speaks for the rank.
        /// Set on news and conference texts and faces, together with when NMF takes over (decision 0018).
        no_gap: f64 = 1.15,
        /// A negative part of the weights may be this many times what noise makes of it. Not recorded.
        leak_factor: f64 = 4.0,
        /// And this much more. Not recorded.
        leak_offset: f64 = 0.02,
        /// Components with a larger negative share than this are not what non-negative samples are made of. Not recorded.
        foreign: f64 = 0.1,
        /// A common share of all components above this may mean weights that are never zero. Not recorded.
        shared_background: f64 = 0.02,
        /// Fewer components than this (the spectra of three materials, say) can be alike by nature. Not recorded.
        many_components: usize = 8,
    }
}
