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
        /// Shares of other components that negative values show understate the error by about this factor. Set as
        /// `unstable`.
        mixed: f64 = 10.0,
        /// Negative shares of a component below this say nothing. Set as `unstable`.
        small_share: f64 = 0.05,
        /// Larger negative shares count this many times. Set as `unstable`.
        negative: f64 = 2.0,
        /// Share of unstable components that makes a fit doubtful. Not recorded.
        some_unstable: f64 = 0.05,
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
