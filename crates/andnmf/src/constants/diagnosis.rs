//! The limits from which weights count as unfit for recovery.

super::constants! {
    /// Constants of the diagnosis of weights. Set on fits of data with a known truth, 30 to 100 components and 50 samples
    /// for each, by the sines between true and found components (decision 0019).
    DiagnosisConstants {
        /// A component is active (on) if its weight is at least this share of its largest: weights of a Dirichlet distribution
        /// are never exactly zero. Not recorded.
        on: f64 = 0.01,
        /// The floor of a component may be undercut in this share of the samples: one zero proves no absence of
        /// background. Not recorded.
        floor_quantile: f64 = 0.01,
        /// A component whose floor is at least this is always on. Sparse and Dirichlet weights stay at or below a
        /// thousandth; with one component at two hundredths all were off, by sines from 0.003 on.
        always_on_floor: f64 = 0.01,
        /// From this background on components were visibly off, by a sine of about 0.01 each; without one they were exact.
        some_background: f64 = 0.02,
        /// From this background on 4 to all 30 components were wrong in 11 of 13 trials.
        much_background: f64 = 0.1,
        /// A component that fewer samples have than this rests on single samples. Not recorded.
        rare: usize = 10,
        /// Where a typical component is on in more of the samples than this, errors no longer vanish: Dirichlet weights of
        /// concentration 40 for 100 components (0.63) were recovered to 0.4 in all, of 80 (0.86) to 3.
        dense: f64 = 0.75,
        /// Correlation from which pairs are hard to tell apart: up to 0.92 they were recovered from the data alone; at 0.99
        /// the start failed.
        hard_to_tell_apart: f64 = 0.97,
        /// A smallest eigenvalue of the second moments this far below the largest diagonal is rounding. Not set on data.
        dependent: f64 = 1e-9,
        /// Fewest samples per component: with five a few components came out wrong; twice that, to be on the safe side.
        samples_per_component: usize = 10,
        /// Pairs of components that a diagnosis names. Not set on data.
        correlations_shown: usize = 10,
    }
}
