//! Samples that are set aside.

super::constants! {
    /// Constants of the samples that a fit sets aside. Set on the Samson, Jasper, Moffett and Apex scenes, scenes of 3 and 6
    /// materials, AP topics, generated mixtures and catalogues of mutations, with and without junk (decision 0049).
    OutlierConstants {
        /// The share of the samples, those of the smallest residuals, that says what residuals are usual.
        usual: f64 = 0.9,
        /// Residuals up to this many times the usual ones are no outliers: without junk at most 1.3 under white noise.
        least_ratio: f64 = 2.0,
        /// Nor are those up to this many times the distance between median and usual ones above the median: without junk up to
        /// 7.3 (a scene, overdispersed counts), of junk rows mostly 15 to 600.
        spread: f64 = 10.0,
        /// A sample with more than this share of all that lies in some direction is tested without its own pull, and so are
        /// those with smaller shares where a component should occur in more samples.
        alone: f64 = 0.5,
        /// But never those with less than this: more samples than three agree hardly by chance.
        by_chance: f64 = 0.25,
        /// A component should occur in more than one sample in so many per component. Not set on data.
        samples_per_outlier: f64 = 100.0,
        /// Groups of up to this share of the samples that have a direction of their own are tested, too. From the least share of
        /// samples in which a component should be found.
        group: f64 = 0.005,
        /// With more outliers than this share, what sets them apart is a property of the data. Not set on data.
        most: f64 = 0.05,
        /// Few samples that are much longer than the median hide all others if they have this share of all squares.
        hiding: f64 = 0.5,
        /// Most rounds of setting aside and testing again. Bounds the passes; one or two are usual.
        rounds: usize = 8,
        /// Outliers that agree with each other are no component if the singular values of the other samples have a gap of
        /// this factor at the rank.
        clear_gap: f64 = 1.5,
    }
}
