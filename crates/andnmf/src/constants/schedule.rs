//! The decrease of thresholds within a descent.

super::constants! {
    /// Constants of thresholds, relative to a component's largest decoded weight, and of over-relaxation.
    ScheduleConstants {
        /// First threshold. Not recorded; decision 0016 has trials of what surrounds it.
        first: f64 = 0.5,
        /// A given start may be good: its first threshold is this many times its largest negative value. Not recorded.
        given_start: f64 = 4.0,
        /// Every threshold falls at least by this factor per stage. Set on 5000 samples of 100 components of PAIRED: 1.02
        /// and 1.05 took more stages without a clear gain (decision 0016).
        slowest_fall: f64 = 1.1,
        /// Every threshold falls at most by this factor per stage. Not recorded.
        fastest_fall: f64 = 2.0,
        /// Thresholds fall fast only down to this many times the largest negative value. Not recorded.
        clear_of_errors: f64 = 2.0,
        /// Where thresholds wait for the stages, they fall fast only down to this many times what the last stage moved.
        /// Set on PAIRED binary at 0.95 after starts from heavy tails, ten seeds: without it 2.5e-4 of a partner stays
        /// locked in (decision 0016).
        clear_of_changes: f64 = 20.0,
        /// Floor in root mean squares of the negative values. The form was set on PAIRED binary at 0.8 (decision 0016);
        /// the factor is not recorded.
        leak_floor: f64 = 1.0,
        /// Floor in standard deviations of the noise of a decoded weight. Not recorded.
        noise_floor: f64 = 2.5,
        /// No floor is higher than this: some weight must always pass. Not set on data.
        highest_floor: f64 = 0.9,
        /// Share of the floor that counts in the one stage on the full samples. Not recorded.
        last: f64 = 0.75,
        /// That share grows to all of it where the floor is this share of the largest weight. Not recorded.
        large_errors: f64 = 0.2,
        /// Over-relaxation begins at this stage: early ones change direction as thresholds fall. Not recorded.
        relax_from: usize = 10,
        /// Two changes go the same way if the cosine between them is above this. Not recorded.
        same_way: f64 = 0.5,
        /// Growth of the factor of over-relaxation while changes go the same way. Not recorded.
        faster: f64 = 1.3,
        /// Its reduction if they do not. Not recorded.
        slower: f64 = 0.5,
        /// Largest factor of over-relaxation, one for all components. Set on PAIRED q=1 at 0.8, 100 components: with one
        /// for each, up to 4 or 8, the error went from 6e-12 to 3e-5 (decision 0016).
        largest_relaxation: f64 = 2.0,
    }
}
