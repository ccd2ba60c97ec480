//! The threshold of each component, and its decrease from stage to stage.
//!
//! Thresholds are relative to a component's scale, its largest decoded weight. They start high, where decoded
//! weights can be trusted even from a poor start, and fall towards a floor that the data set: no true weight is
//! negative, so the negative decoded values show how large errors are, and a weight of that size may be one.

use crate::constants::ScheduleConstants;

/// Error levels from the decoded values of one component, relative to its scale.
#[derive(Debug, Clone, Copy)]
pub(super) struct ThresholdEvidence {
    /// Root mean square of its negative values.
    pub(super) negative_rms: f64,
    /// Magnitude of its lowest value.
    pub(super) deepest: f64,
    /// Standard deviation of the noise in its values.
    pub(super) noise: f64,
}

/// The rules by which thresholds start, fall and end.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rules<'a>(pub(super) &'a ScheduleConstants);

impl Rules<'_> {
    /// The threshold below which weights of a component cannot be distinguished from errors.
    pub(super) fn floor(self, evidence: ThresholdEvidence) -> f64 {
        let ScheduleConstants { leak_floor, noise_floor, highest_floor, .. } = *self.0;
        (leak_floor * evidence.negative_rms).max(noise_floor * evidence.noise).min(highest_floor)
    }

    /// The threshold of the first stage; `given` where the start did not come from a search.
    pub(super) fn first(self, evidence: ThresholdEvidence, given: bool) -> f64 {
        let ScheduleConstants { first, given_start, .. } = *self.0;
        if given { first.min(given_start * evidence.deepest).max(self.floor(evidence)) } else { first }
    }

    /// The threshold after one of `last`.
    ///
    /// `moved` is the largest share of the component that the stage before has put into another or taken from it, which
    /// is how wrong its decoded weights were: a stage that still changes much is not to be hurried. Zero where thresholds
    /// do not wait for that.
    pub(super) fn next(self, last: f64, evidence: ThresholdEvidence, moved: f64) -> f64 {
        let constants = self.0;
        let clear = (constants.clear_of_errors * evidence.deepest).max(constants.clear_of_changes * moved);
        let fast = (last / constants.fastest_fall).max(clear);
        (last / constants.slowest_fall).min(fast).max(self.floor(evidence))
    }

    /// The threshold of the one stage on the full samples at the end.
    ///
    /// Nothing builds on its errors any more, so it may keep weights that are a little less certain, unless errors are
    /// large beside the weights themselves.
    pub(super) fn last(self, evidence: ThresholdEvidence) -> f64 {
        let ScheduleConstants { last, large_errors, .. } = *self.0;
        let floor = self.floor(evidence);
        floor * (last + (1.0 - last) * (floor / large_errors).min(1.0))
    }

    /// Returns true if a threshold has reached its floor.
    pub(super) fn at_floor(self, threshold: f64, evidence: ThresholdEvidence) -> bool {
        threshold <= 1.0001 * self.floor(evidence) + 1e-15
    }
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use super::*;

    fn rules() -> Rules<'static> {
        static CONSTANTS: LazyLock<ScheduleConstants> = LazyLock::new(ScheduleConstants::default);
        Rules(&CONSTANTS)
    }

    const CLEAN: ThresholdEvidence = ThresholdEvidence { negative_rms: 0.0, deepest: 0.0, noise: 0.0 };

    #[test]
    fn the_floor_is_set_by_negative_values_or_by_noise_and_lets_something_pass() {
        assert_eq!(rules().floor(ThresholdEvidence { negative_rms: 0.03, ..CLEAN }), 0.03);
        assert_eq!(rules().floor(ThresholdEvidence { negative_rms: 0.03, noise: 0.02, ..CLEAN }), 0.05);
        assert_eq!(rules().floor(ThresholdEvidence { noise: 3.0, ..CLEAN }), 0.9);
    }

    #[test]
    fn a_search_starts_high_and_a_given_start_as_low_as_its_errors_allow() {
        assert_eq!(rules().first(CLEAN, false), 0.5);
        assert_eq!(rules().first(ThresholdEvidence { deepest: 0.02, ..CLEAN }, true), 0.08);
        assert_eq!(rules().first(ThresholdEvidence { deepest: 2.0, ..CLEAN }, true), 0.5);
        assert_eq!(rules().first(ThresholdEvidence { deepest: 0.01, noise: 0.1, ..CLEAN }, true), 0.25);
    }

    #[test]
    fn it_falls_fast_only_while_clear_of_errors_and_never_under_the_floor() {
        assert_eq!(rules().next(0.4, CLEAN, 0.0), 0.2);
        assert_eq!(rules().next(0.4, ThresholdEvidence { deepest: 0.15, ..CLEAN }, 0.0), 0.3);
        assert_eq!(rules().next(0.4, ThresholdEvidence { deepest: 0.5, ..CLEAN }, 0.0), 0.4 / 1.1);
        let noisy = ThresholdEvidence { deepest: 0.1, negative_rms: 0.39, ..CLEAN };
        assert_eq!(rules().next(0.4, noisy, 0.0), 0.39);
        assert!(rules().at_floor(rules().next(0.4, noisy, 0.0), noisy) && !rules().at_floor(0.4, noisy));
    }

    #[test]
    fn the_last_stage_keeps_a_little_more_where_errors_are_small() {
        let small = ThresholdEvidence { negative_rms: 1e-3, ..CLEAN };
        assert!((rules().last(small) / rules().floor(small) - 0.751_25).abs() < 1e-9);
        let large = ThresholdEvidence { negative_rms: 0.3, ..CLEAN };
        assert_eq!(rules().last(large), rules().floor(large));
    }

    #[test]
    fn a_component_that_still_moves_is_not_hurried_but_never_stands_still() {
        assert_eq!(rules().next(0.4, CLEAN, 0.0), 0.2);
        assert_eq!(rules().next(0.4, CLEAN, 0.015), 0.3);
        assert_eq!(rules().next(0.4, CLEAN, 1.0), 0.4 / 1.1);
    }
}
