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
        /// The factor in the estimated error of the distance from a refit to simulated samples, where the stages made the
        /// components. This and the next ones were set together by `bench/trust_factors.py` on seeds 0 and 1 of
        /// `bench/trust_cases.py` (cells of seed 1 only), each family weighing the same, and judged on each family left out and
        /// on seed 2 (docs/trust.md).
        by_refit: f64 = 0.87,
        /// The same for components of least volume.
        by_refit_volume: f64 = 0.17,
        /// The same for components of HALS and NMF.
        by_refit_nmf: f64 = 1.1,
        /// The same for components of the likelihood of counts.
        by_refit_counts: f64 = 0.6,
        /// The same of the distance from other runs of an ending, on parts of the samples or of the counts.
        by_rerun: f64 = 0.47,
        /// The same of moves towards other components or away from them.
        by_moves: f64 = 0.018,
        /// The same of the distance from the components of HALS.
        by_hals: f64 = 0.03,
        /// The same of the distance from the components of least volume.
        by_volume: f64 = 0.035,
        /// The same of the distance from the components of the stages.
        by_stages: f64 = 0.08,
        /// The same of shares of other components that negative values show.
        by_mixed: f64 = 0.12,
        /// The same of moves that negative weights of other components force.
        by_forced: f64 = 0.29,
        /// The same for components of HALS and NMF, whose decoded weights have other reasons to be negative.
        by_forced_nmf: f64 = 0.07,
        /// The deviation of the logarithm of errors over estimates that are made of refits, in the order of `by_refit` and the
        /// next. Set together with them.
        deviation_refit: f64 = 0.12,
        /// See `deviation_refit`.
        deviation_refit_volume: f64 = 0.5,
        /// See `deviation_refit`.
        deviation_refit_nmf: f64 = 0.5,
        /// See `deviation_refit`.
        deviation_refit_counts: f64 = 0.47,
        /// See `deviation_refit`.
        deviation_rerun: f64 = 0.18,
        /// See `deviation_refit`.
        deviation_moves: f64 = 1.3,
        /// That of all endings that were not taken.
        deviation_ends: f64 = 0.54,
        /// See `deviation_refit`.
        deviation_mixed: f64 = 1.0,
        /// See `deviation_refit`.
        deviation_forced: f64 = 0.97,
        /// See `deviation_refit`.
        deviation_forced_nmf: f64 = 0.75,
        /// What a fit of which nothing is explained adds to the deviation. Set together with `by_refit`.
        unexplained: f64 = 0.7,
        /// What samples set aside add, if there are as many as a component has. Not set on data: two fits with a true component
        /// among the samples set aside must not be good.
        set_aside: f64 = 4.0,
        /// No deviation is smaller. Not set on data.
        least_deviation: f64 = 0.08,
        /// The interval begins this many deviations below the estimate: 3 % of the errors are lower, on the data of `by_refit`.
        below: f64 = 2.8,
        /// And ends this many above it: 8 % of the errors are higher, all families weighing the same.
        above: f64 = 1.8,
        /// Intervals without refits are this many times as wide (in deviations), on both sides. Not set on data.
        unchecked: f64 = 2.0,
        /// Fewer samples per component than this show little: with three or fewer, components can be samples. Not set on data.
        few_samples: usize = 4,
        /// The same unless the components are exact: with ten, two components that hardly ever come apart were taken for one, and
        /// nothing showed it. Set on the one such fit among those of seeds 0 to 4 of `bench/trust_cases.py`.
        few_noisy_samples: usize = 12,
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
