//! Endings: non-negative components, and the choice of HALS or NMF.

super::constants! {
    /// Constants of the end of a fit.
    EndConstants {
        /// Negative share of all components above which they are not what the samples are made of: NMF may be better. Set
        /// on news and conference texts and faces (decision 0018).
        foreign_share: f64 = 0.09,
        /// The same for the negative part of the weights, where no gap sets the rank apart. Set as `foreign_share`.
        foreign_part: f64 = 0.15,
        /// A component that is on in more than this share of the samples may always be. Not recorded.
        mostly_on: f64 = 0.85,
        /// Share of the smallest weights that are left out when a component is tested for being always on. Not recorded.
        low_quantile: f64 = 0.05,
        /// Share of the features, those where a component is smallest beside the mean of all, that its background leaves
        /// out. Not recorded.
        background_ignored: f64 = 0.02,
        /// Components whose negative share is below this need no sweep of HALS: rounding. Not set on data.
        rounding_share: f64 = 1e-6,
        /// With a larger negative share than this, one sweep is not enough. Set in trials at 50 components with noise,
        /// where more sweeps than needed raised the error from 3.4 to 4.4 (decision 0018).
        sweep_share: f64 = 0.05,
        /// NMF is taken unless the components found fit better by this share. Set on news and conference texts and faces:
        /// residuals tie to 3e-4 (decision 0018).
        better_fit: f64 = 0.01,
        /// The same where weights are always on. Not recorded, beyond that an exact fit must not be thrown away.
        far_better_fit: f64 = 0.8,
        /// Stages of HALS on the full samples after NMF. Set as `better_fit`.
        full_stages: usize = 3,
        /// Stages of a run of HALS that only serves an error estimate. Not recorded.
        other_stages: usize = 100,
        /// Two runs together overstate the error of a component: what counts of the root of the sum of their squared
        /// sines. Set on 1300 components of NMF with weights always on, 148 of them wrong (decision 0018).
        two_runs: f64 = 0.85,
        /// Stages of HALS from the components found after which their noise errors have settled. Set on DIR(5) at rank 100, levels
        /// from 0.3 of the noise, noise 0.001 to 0.01 (decision 0018).
        settling_stages: usize = 10,
        /// Stages that show whether components move at all. Set as `settling_stages`.
        watched_stages: usize = 20,
        /// Stages that show how far they would go. Set as `settling_stages`.
        followed_stages: usize = 70,
        /// Stages of a round in which components that drift are followed. Set as `settling_stages`.
        round_stages: usize = 100,
        /// Most such rounds. Set on persistent CTM(3) at noise 0.001 and levels at noise 0.01, rank 100, one seed
        /// (decision 0018).
        most_rounds: usize = 4,
        /// Components that still move by more than this, in multiples of what noise does to them, may drift. Set as
        /// `settling_stages`.
        moving: f64 = 0.3,
        /// Those that come further than this while they are watched drift. Set as `settling_stages`: 0.46 to 0.62 without
        /// a level, 2.5 with one.
        drifts: f64 = 0.8,
        /// Those that move by less than this in a round have come to rest. Set as `most_rounds`.
        rests: f64 = 0.3,
        /// Zeros can hold components where the median one has at least this share of them. Set on generated topics (0.06 to
        /// 0.5), the Samson scene (0), and scenes of 3 and 4 smooth spectra (0 to 0.02) (decision 0018).
        enough_zeros: f64 = 0.04,
        /// Stages of a long run of HALS. Set on PAIRED binary at 0.8, 20 components, four seeds: with 100 one fit stayed
        /// doubtful (decision 0018).
        hals_stages: usize = 200,
        /// Sweeps of a stage of HALS that has to go far. Set on counts of words made of 50 topics: with one still moving
        /// after 200 stages, with two at rest after 22 (decision 0018).
        far_sweeps: usize = 2,
        /// Runs of HALS end early where components move by less than this share. Not recorded.
        hals_tolerance: f64 = 1e-5,
    }
}
