//! Questions that claims ask of runs: medians over seeds of what each run kept of all its stages.

use super::course::Moment;
use super::outcome::Recovered;
use super::quantiles::median;

/// An error that ends by so much below where it was at half of the stages still falls.
const STILL_FALLS: f64 = 0.9;

fn middle(runs: &[&Recovered], value: impl Fn(&Recovered) -> f64) -> Option<f64> {
    median(&runs.iter().map(|run| value(run)).collect::<Vec<_>>())
}

/// What is left at the end of the error that a method began with, as a share.
pub(super) fn left(runs: &[&Recovered]) -> Option<f64> {
    middle(runs, |run| run.end.total / run.begin())
}

/// The error at the end.
pub(super) fn end(runs: &[&Recovered]) -> Option<f64> {
    middle(runs, |run| run.end.total)
}

/// The smallest error on the way.
pub(super) fn smallest(runs: &[&Recovered]) -> Option<f64> {
    middle(runs, |run| run.course.smallest.min(run.end.total))
}

/// What the second half of the stages leaves of the error that the first half came to.
pub(super) fn second_half(runs: &[&Recovered]) -> Option<f64> {
    middle(runs, |run| run.end.total / run.course.halfway)
}

/// Whether the error still falls when it ends: per doubling of the stages by a tenth or more.
pub(super) fn still_falls(runs: &[&Recovered]) -> bool {
    second_half(runs).is_some_and(|ratio| ratio <= STILL_FALLS)
}

/// Whether the error neither falls nor rises any more.
pub(super) fn has_settled(runs: &[&Recovered]) -> bool {
    second_half(runs).is_some_and(|ratio| ratio > STILL_FALLS && ratio < 1.0 / STILL_FALLS)
}

/// How straight the way down is, and how many stages it has.
pub(super) fn straightness(runs: &[&Recovered]) -> Option<(f64, f64)> {
    Some((middle(runs, |run| run.course.straightness)?, middle(runs, |run| run.course.way_down as f64)?))
}

/// The share of stages at which the error was above its smallest so far, and the most by which it was.
pub(super) fn rising(runs: &[&Recovered]) -> Option<(f64, f64)> {
    let share = middle(runs, |run| run.course.rises as f64 / run.stages.max(1) as f64)?;
    Some((share, middle(runs, |run| run.course.largest_rise)?))
}

/// The mean relative error of a component at the end.
pub(super) fn per_component(runs: &[&Recovered], rank: usize) -> Option<f64> {
    middle(runs, |run| run.end.relative / rank as f64)
}

/// Seconds and stages until a moment: infinite for runs that never came to it.
pub(super) fn seconds_to(runs: &[&Recovered], moment: fn(&Recovered) -> Option<Moment>) -> Option<f64> {
    first(runs, |run| moment(run).map(|moment| moment.seconds))
}

/// The same in stages.
pub(super) fn stages_to(runs: &[&Recovered], moment: fn(&Recovered) -> Option<Moment>) -> Option<f64> {
    first(runs, |run| moment(run).map(|moment| moment.stages as f64))
}

fn first(runs: &[&Recovered], value: impl Fn(&Recovered) -> Option<f64>) -> Option<f64> {
    let mut values: Vec<f64> = runs.iter().map(|run| value(run).unwrap_or(f64::INFINITY)).collect();
    // Without interpolation: there is nothing between a number and infinity.
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}

/// A hundredth of the error that a method began with.
pub(super) fn hundredth(run: &Recovered) -> Option<Moment> {
    run.course.to_a_hundredth
}

/// A thousandth of it.
pub(super) fn thousandth(run: &Recovered) -> Option<Moment> {
    run.course.to_a_thousandth
}

#[cfg(test)]
mod tests {
    use super::super::curves::tests::made_up;
    use super::*;

    #[test]
    fn what_still_falls_is_not_settled() {
        let falling = made_up(10.0, &[5.0, 4.0, 3.0, 2.0]);
        let flat = made_up(10.0, &[1.0, 1.0, 1.0, 1.0]);
        let rising = made_up(10.0, &[1.0, 1.0, 2.0, 2.0]);
        assert!(still_falls(&[&falling]) && !has_settled(&[&falling]));
        assert!(!still_falls(&[&flat]) && has_settled(&[&flat]));
        assert!(!still_falls(&[&rising]) && !has_settled(&[&rising]));
        assert!(!still_falls(&[]) && !has_settled(&[]));
    }

    #[test]
    fn shares_and_times_by_hand() {
        let (one, two) = (made_up(10.0, &[5.0, 0.1, 0.05, 2.0]), made_up(10.0, &[8.0, 6.0, 6.0, 6.0]));
        assert_eq!((left(&[&one]), smallest(&[&one])), (Some(0.2), Some(0.05)));
        assert_eq!((end(&[&one, &two]), second_half(&[&two])), (Some(4.0), Some(1.0)));
        assert_eq!((seconds_to(&[&one], hundredth), stages_to(&[&one], hundredth)), (Some(2.0), Some(2.0)));
        assert_eq!(seconds_to(&[&one, &two, &two], hundredth), Some(f64::INFINITY));
        assert_eq!(stages_to(&[&one], thousandth), Some(f64::INFINITY));
        assert_eq!(
            (left(&[]), end(&[]), seconds_to(&[], hundredth), straightness(&[])),
            (None, None, None, None)
        );
        let own =
            Recovered { own_start: Some(crate::reproduce::Errors { total: 4.0, relative: 4.0 }), ..one };
        assert_eq!(left(&[&own]), Some(0.5));
    }
}
