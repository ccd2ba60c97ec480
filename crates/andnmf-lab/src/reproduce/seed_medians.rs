//! Statistics for the claims: medians over seeds of quantities of single runs.

use super::error_summary::Milestone;
use super::outcome::RecoveryResult;
use super::quantiles::median;

/// The error still decreases if the final one is at most this many times the one after half of the stages.
const STILL_DECREASING: f64 = 0.9;

fn middle(runs: &[&RecoveryResult], value: impl Fn(&RecoveryResult) -> f64) -> Option<f64> {
    median(&runs.iter().map(|run| value(run)).collect::<Vec<_>>())
}

/// Share of the start's error that remains at the end.
pub(super) fn remaining_share(runs: &[&RecoveryResult]) -> Option<f64> {
    middle(runs, |run| run.end.total / run.start_error())
}

/// The final error.
pub(super) fn final_error(runs: &[&RecoveryResult]) -> Option<f64> {
    middle(runs, |run| run.end.total)
}

/// The smallest error of the run.
pub(super) fn smallest_error(runs: &[&RecoveryResult]) -> Option<f64> {
    middle(runs, |run| run.error_summary.smallest.min(run.end.total))
}

/// Ratio of the final error to the error after half of the stages.
pub(super) fn second_half_ratio(runs: &[&RecoveryResult]) -> Option<f64> {
    middle(runs, |run| run.end.total / run.error_summary.halfway)
}

/// True if the second half of the stages reduces the error by a tenth or more.
pub(super) fn still_decreasing(runs: &[&RecoveryResult]) -> bool {
    second_half_ratio(runs).is_some_and(|ratio| ratio <= STILL_DECREASING)
}

/// True if the second half of the stages changes the error by less than a tenth.
pub(super) fn has_settled(runs: &[&RecoveryResult]) -> bool {
    second_half_ratio(runs).is_some_and(|ratio| ratio > STILL_DECREASING && ratio < 1.0 / STILL_DECREASING)
}

/// R² of the linear fit to the descent, and the number of stages of the descent.
pub(super) fn r_squared(runs: &[&RecoveryResult]) -> Option<(f64, f64)> {
    Some((
        middle(runs, |run| run.error_summary.r_squared)?,
        middle(runs, |run| run.error_summary.descent_stages as f64)?,
    ))
}

/// Share of the stages after which the error was above its smallest value so far, and the largest ratio of the two.
pub(super) fn oscillation(runs: &[&RecoveryResult]) -> Option<(f64, f64)> {
    let share = middle(runs, |run| run.error_summary.rises as f64 / run.stages.max(1) as f64)?;
    Some((share, middle(runs, |run| run.error_summary.largest_rise)?))
}

/// The mean relative error of a component at the end.
pub(super) fn mean_relative_error(runs: &[&RecoveryResult], rank: usize) -> Option<f64> {
    middle(runs, |run| run.end.relative / rank as f64)
}

/// Seconds until a milestone; infinite if it was not reached.
pub(super) fn seconds_to(
    runs: &[&RecoveryResult],
    moment: fn(&RecoveryResult) -> Option<Milestone>,
) -> Option<f64> {
    first(runs, |run| moment(run).map(|moment| moment.seconds))
}

/// Stages until a milestone; infinite if it was not reached.
pub(super) fn stages_to(
    runs: &[&RecoveryResult],
    moment: fn(&RecoveryResult) -> Option<Milestone>,
) -> Option<f64> {
    first(runs, |run| moment(run).map(|moment| moment.stages as f64))
}

/// Stages until the error is at most a given one; infinite if it never is. Of the stages after the first forty, only
/// the stored ones (one in fifty) count.
pub(super) fn stages_to_error(runs: &[&RecoveryResult], error: f64) -> Option<f64> {
    first(runs, |run| {
        let reached = run.trace.iter().find(|point| point.errors.total <= error);
        reached.map(|point| (point.stage + 1) as f64)
    })
}

/// The error at the start.
pub(super) fn start_error(runs: &[&RecoveryResult]) -> Option<f64> {
    middle(runs, RecoveryResult::start_error)
}

fn first(runs: &[&RecoveryResult], value: impl Fn(&RecoveryResult) -> Option<f64>) -> Option<f64> {
    let mut values: Vec<f64> = runs.iter().map(|run| value(run).unwrap_or(f64::INFINITY)).collect();
    // No interpolation, since values may be infinite.
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}

/// The milestone of a hundredth of the start's error.
pub(super) fn hundredth(run: &RecoveryResult) -> Option<Milestone> {
    run.error_summary.to_a_hundredth
}

/// The milestone of a thousandth of the start's error.
pub(super) fn thousandth(run: &RecoveryResult) -> Option<Milestone> {
    run.error_summary.to_a_thousandth
}

#[cfg(test)]
mod tests {
    use super::super::curves::tests::made_up;
    use super::*;

    #[test]
    fn an_error_that_still_decreases_has_not_settled() {
        let falling = made_up(10.0, &[5.0, 4.0, 3.0, 2.0]);
        let flat = made_up(10.0, &[1.0, 1.0, 1.0, 1.0]);
        let rising = made_up(10.0, &[1.0, 1.0, 2.0, 2.0]);
        assert!(still_decreasing(&[&falling]) && !has_settled(&[&falling]));
        assert!(!still_decreasing(&[&flat]) && has_settled(&[&flat]));
        assert!(!still_decreasing(&[&rising]) && !has_settled(&[&rising]));
        assert!(!still_decreasing(&[]) && !has_settled(&[]));
    }

    #[test]
    fn shares_and_times_by_hand() {
        let (one, two) = (made_up(10.0, &[5.0, 0.1, 0.05, 2.0]), made_up(10.0, &[8.0, 6.0, 6.0, 6.0]));
        assert_eq!((remaining_share(&[&one]), smallest_error(&[&one])), (Some(0.2), Some(0.05)));
        assert_eq!((final_error(&[&one, &two]), second_half_ratio(&[&two])), (Some(4.0), Some(1.0)));
        assert_eq!((seconds_to(&[&one], hundredth), stages_to(&[&one], hundredth)), (Some(2.0), Some(2.0)));
        assert_eq!(seconds_to(&[&one, &two, &two], hundredth), Some(f64::INFINITY));
        assert_eq!(stages_to(&[&one], thousandth), Some(f64::INFINITY));
        assert_eq!(
            (remaining_share(&[]), final_error(&[]), seconds_to(&[], hundredth), r_squared(&[])),
            (None, None, None, None)
        );
        assert_eq!(stages_to_error(&[&one], 0.1), Some(2.0));
        assert_eq!(stages_to_error(&[&two], 0.1), Some(f64::INFINITY));
        assert_eq!(start_error(&[&one, &two]), Some(10.0));
        let own =
            RecoveryResult { own_start: Some(crate::reproduce::Errors { total: 4.0, relative: 4.0 }), ..one };
        assert_eq!(remaining_share(&[&own]), Some(0.5));
    }
}
