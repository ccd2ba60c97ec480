//! How high each component's threshold is, and how fast it falls.
//!
//! Thresholds are relative to a component's scale, its largest decoded weight. They start high, where decoded
//! weights can be trusted even from a poor start, and fall towards a floor that the data set: no true weight is
//! negative, so the negative decoded values show how large errors are, and a weight of that size may be one.

/// First threshold: half of the largest weight.
const FIRST: f64 = 0.5;
/// A start that is given may be good: its first threshold is this many times its largest negative value.
const GIVEN_START: f64 = 4.0;
/// Every threshold falls at least by this factor per stage…
const SLOWEST_FALL: f64 = 1.1;
/// …and at most by this one…
const FASTEST_FALL: f64 = 2.0;
/// …which it does only down to this many times the largest negative value.
const CLEAR_OF_ERRORS: f64 = 2.0;
/// Where thresholds wait for the stages, they fall fast only down to this many times what the last stage moved.
const CLEAR_OF_CHANGES: f64 = 20.0;
/// Floor in root mean squares of the negative values.
const LEAK_FLOOR: f64 = 1.0;
/// Floor in standard deviations of the noise of a decoded weight.
pub(super) const NOISE_FLOOR: f64 = 2.5;
/// Some weight must always pass.
pub(super) const HIGHEST_FLOOR: f64 = 0.9;

/// Share of the floor that counts at the end…
const LAST: f64 = 0.75;
/// …growing to all of it where the floor is this share of the largest weight.
const LARGE_ERRORS: f64 = 0.2;

/// What the decoded values of one component say, relative to its scale.
#[derive(Debug, Clone, Copy)]
pub(super) struct Evidence {
    /// Root mean square of its negative values.
    pub(super) negative_rms: f64,
    /// Magnitude of its lowest value.
    pub(super) deepest: f64,
    /// Standard deviation of the noise in its values.
    pub(super) noise: f64,
}

/// The threshold below which weights of a component cannot be told from errors.
pub(super) fn floor(evidence: Evidence) -> f64 {
    (LEAK_FLOOR * evidence.negative_rms).max(NOISE_FLOOR * evidence.noise).min(HIGHEST_FLOOR)
}

/// The threshold of the first stage; `given` where the start did not come from a search.
pub(super) fn first(evidence: Evidence, given: bool) -> f64 {
    if given { FIRST.min(GIVEN_START * evidence.deepest).max(floor(evidence)) } else { FIRST }
}

/// The threshold after one of `last`.
///
/// `moved` is the largest share of the component that the stage before has put into another or taken from it, which
/// is how wrong its decoded weights were: a stage that still changes much is not to be hurried. Zero where thresholds
/// do not wait for that.
pub(super) fn next(last: f64, evidence: Evidence, moved: f64) -> f64 {
    let clear = (CLEAR_OF_ERRORS * evidence.deepest).max(CLEAR_OF_CHANGES * moved);
    let fast = (last / FASTEST_FALL).max(clear);
    (last / SLOWEST_FALL).min(fast).max(floor(evidence))
}

/// The threshold of the one stage on the full samples at the end.
///
/// Nothing builds on its errors any more, so it may keep weights that are a little less certain, unless errors are
/// large beside the weights themselves.
pub(super) fn last(evidence: Evidence) -> f64 {
    let floor = floor(evidence);
    floor * (LAST + (1.0 - LAST) * (floor / LARGE_ERRORS).min(1.0))
}

/// Whether a threshold has nowhere left to fall.
pub(super) fn at_floor(threshold: f64, evidence: Evidence) -> bool {
    threshold <= 1.0001 * floor(evidence) + 1e-15
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLEAN: Evidence = Evidence { negative_rms: 0.0, deepest: 0.0, noise: 0.0 };

    #[test]
    fn the_floor_is_set_by_negative_values_or_by_noise_and_lets_something_pass() {
        assert_eq!(floor(Evidence { negative_rms: 0.03, ..CLEAN }), 0.03);
        assert_eq!(floor(Evidence { negative_rms: 0.03, noise: 0.02, ..CLEAN }), 0.05);
        assert_eq!(floor(Evidence { noise: 3.0, ..CLEAN }), 0.9);
    }

    #[test]
    fn a_search_starts_high_and_a_given_start_as_low_as_its_errors_allow() {
        assert_eq!(first(CLEAN, false), 0.5);
        assert_eq!(first(Evidence { deepest: 0.02, ..CLEAN }, true), 0.08);
        assert_eq!(first(Evidence { deepest: 2.0, ..CLEAN }, true), 0.5);
        assert_eq!(first(Evidence { deepest: 0.01, noise: 0.1, ..CLEAN }, true), 0.25);
    }

    #[test]
    fn it_falls_fast_only_while_clear_of_errors_and_never_under_the_floor() {
        assert_eq!(next(0.4, CLEAN, 0.0), 0.2);
        assert_eq!(next(0.4, Evidence { deepest: 0.15, ..CLEAN }, 0.0), 0.3);
        assert_eq!(next(0.4, Evidence { deepest: 0.5, ..CLEAN }, 0.0), 0.4 / 1.1);
        let noisy = Evidence { deepest: 0.1, negative_rms: 0.39, ..CLEAN };
        assert_eq!(next(0.4, noisy, 0.0), 0.39);
        assert!(at_floor(next(0.4, noisy, 0.0), noisy) && !at_floor(0.4, noisy));
    }

    #[test]
    fn the_last_stage_keeps_a_little_more_where_errors_are_small() {
        let small = Evidence { negative_rms: 1e-3, ..CLEAN };
        assert!((last(small) / floor(small) - 0.751_25).abs() < 1e-9);
        let large = Evidence { negative_rms: 0.3, ..CLEAN };
        assert_eq!(last(large), floor(large));
    }

    #[test]
    fn a_component_that_still_moves_is_not_hurried_but_never_stands_still() {
        assert_eq!(next(0.4, CLEAN, 0.0), 0.2);
        assert_eq!(next(0.4, CLEAN, 0.015), 0.3);
        assert_eq!(next(0.4, CLEAN, 1.0), 0.4 / SLOWEST_FALL);
    }
}
