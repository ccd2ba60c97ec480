//! The checks of a finished fit that estimate the error of each component.

super::constants! {
    /// Constants of the errors of components: what is checked, and how what was found becomes an interval.
    ErrorConstants {
        /// Up to this many values all samples are simulated; of more, a share that falls as the root of this number over
        /// theirs. Bounds the time of the refit, not set on data.
        all_values: usize = 1 << 19,
        /// Most values of simulated samples that are not counts: they are dense. Bounds the memory, not set on data.
        most_values: usize = 1 << 21,
        /// Simulated samples per component, at least, where there are as many. Not set on data.
        samples_per_component: usize = 30,
        /// Up to this many components another ending is tried, to compare. Bounds the time, not set on data.
        compared: usize = 12,
        /// A weight counts as on from this share of the largest. Not set on data.
        on: f64 = 0.1,
        /// Weights within this many times their noise are not on. Not set on data.
        above_noise: f64 = 3.0,
        /// The share of weights, and of features, that may be below what a move of a component leaves. Not set on data.
        below: f64 = 0.02,
        /// The share of weights that must lie near zero for the boundary there to be certain. Not set on data.
        near_zero: f64 = 0.1,
        /// The share of weights that must be negative before they force a component to move. Not set on data.
        missing: f64 = 0.05,
        /// A residual beyond the noise counts at most this many times its part of the samples. Not set on data.
        misfit_amplified: f64 = 100.0,
        /// A trade between two components is named from this sine. Not set on data.
        named_trade: f64 = 0.05,
    }
}
