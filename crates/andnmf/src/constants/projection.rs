//! Leading directions, noise and signs of the samples.

super::constants! {
    /// Constants of the space in which the stages run.
    ProjectionConstants {
        /// Directions kept beside those of the components, for the runs of HALS, for which the discarded part
        /// is not only noise. Set on news and conference texts and faces: with no spare directions the coherence of topics fell
        /// to 0.89 of scikit-learn's (decision 0018).
        spare_directions: usize = 10,
        /// Most passes over the samples for the directions. Bounds a fit at ten passes in all; not set on data.
        most_passes: usize = 6,
        /// A first discarded singular value below this share of the largest is rounding, not noise. Not recorded.
        noiseless: f64 = 1e-6,
        /// Samples whose lengths differ by more than this factor (longest over median) are brought to equal length. Not
        /// recorded.
        uneven: f64 = 10.0,
        /// Where no more than this share of the samples is that long, only those are shortened: one bright sample must not
        /// change how all are measured. Set on Samson with one pixel 10 to 100 times as bright (decision 0049).
        few_long: f64 = 0.01,
        /// Where lengths are evened out, a sample's length is taken together with this many times its noise, so that
        /// those that are mostly noise stay short. Not recorded.
        noise_share: f64 = 4.0,
        /// Samples shorter than this share of the longest are nothing but rounding. Not recorded.
        nothing: f64 = 1e-9,
        /// The lowest value that noise explains, in standard deviations below zero: of 1e9 normal values none is lower. From the
        /// normal distribution, checked on DIR(5) at rank 50 with noise 0.01 (decision 0018).
        noise_reach: f64 = 6.0,
        /// Share of the other sign (of the norm) that noise may put into what has one sign. Not recorded, beyond that
        /// centred tables must count as signed (decision 0018).
        other_sign: f64 = 0.05,
    }
}
