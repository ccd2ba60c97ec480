//! Fits to parts of the samples that estimate stability.

super::constants! {
    /// Constants of the stability of components. Set together on one seed of nine kinds of weights at rank 50 and checked
    /// on a second one (decision 0018), where a field says nothing else.
    StabilityConstants {
        /// Fits to parts of the samples.
        parts: usize = 2,
        /// The share of the samples in a part.
        part_share: f64 = 0.75,
        /// Starts of those fits: every component with up to this share of every other.
        start_off: f64 = 0.1,
        /// Most stages of such a fit. Not recorded.
        most_stages: usize = 100,
        /// Such a fit ends once all thresholds are below this. Not recorded.
        lowest_threshold: f64 = 1e-8,
        /// Such a fit ends once a stage moves no component sideways by more than this. Not recorded.
        quiet: f64 = 1e-8,
        /// Where the zeros of the components decide, the error of a component is about this many times the level at which
        /// they are zero. A guess: not set on data, and not calibrated (decision 0040).
        per_zero_level: f64 = 3.0,
        /// A fit to all samples differs from one to other samples by about √3 times as much as from one to a part, which
        /// shares most of its samples. From theory.
        part_to_new: f64 = 1.732,
        /// Mean of the positive half of noise of standard deviation 1, over all of it: 1/√(2π). From theory.
        half_noise: f64 = 0.398_942,
    }
}
