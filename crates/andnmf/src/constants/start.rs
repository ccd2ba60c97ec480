//! Starts from the data alone.

super::constants! {
    /// Constants of averaged successive projection and of starts from heavy tails.
    StartConstants {
        /// Most samples that are averaged into one component. Not recorded.
        most_averaged: f64 = 20.0,
        /// Samples averaged, as a share of n/rank: about so many have the component as their strongest. Not recorded.
        averaged_share: f64 = 1.0 / 2.5,
        /// Samples that are farther by less than this share are equally far: rounding must not decide. Not set on data.
        equally_far: f64 = 1e-6,
        /// Most turns of the directions with heavy tails. Not recorded.
        most_turns: usize = 40,
        /// Directions that turn by less than this (1 − cosine) have settled: descents do the rest better. Not recorded.
        settled_turn: f64 = 1e-4,
        /// A row is a difference of two components if its lesser side has more than this share of the fourth powers of
        /// the other. The start from pairs was set on PAIRED binary at 0.8 and 0.95, 100 components, ten seeds
        /// (decision 0016); this value on its own is not recorded.
        two_sided: f64 = 0.03,
        /// Values of at least this share of the largest of their side belong to that side. As `two_sided`.
        strong_side: f64 = 0.5,
        /// Sweeps over the differences: each cleans the rows by which the next one is judged. As `two_sided`.
        pair_sweeps: usize = 3,
        /// The sum of a pair has at least this share of its usual strong value at both sides of the difference. As
        /// `two_sided`.
        least_presence: f64 = 0.3,
        /// Or else, where other components hide that, at least this one on average, free of what it shares with the
        /// difference. As `two_sided`.
        least_evenness: f64 = 0.4,
    }
}
