//! Questions that claims ask of runs.

use super::outcome::Recovered;
use super::quantiles::median;

/// What is left of the start's error at the end, as a share: the median over seeds.
pub(super) fn left(runs: &[&Recovered]) -> Option<f64> {
    median(&runs.iter().map(|run| run.end.total / run.start.total).collect::<Vec<_>>())
}

/// The error at the end: the median over seeds.
pub(super) fn end(runs: &[&Recovered]) -> Option<f64> {
    median(&runs.iter().map(|run| run.end.total).collect::<Vec<_>>())
}

/// The smallest error on the way: the median over seeds.
pub(super) fn smallest(runs: &[&Recovered]) -> Option<f64> {
    let smallest =
        |run: &&Recovered| run.way.iter().map(|point| point.errors.total).fold(run.end.total, f64::min);
    median(&runs.iter().map(smallest).collect::<Vec<_>>())
}

/// The error when half of the stages were done: the median over seeds.
pub(super) fn halfway(runs: &[&Recovered]) -> Option<f64> {
    let half = |run: &&Recovered| {
        let by_then = run.way.iter().take_while(|point| 2 * (point.stage + 1) <= run.stages).last();
        by_then.map_or(run.start.total, |point| point.errors.total)
    };
    median(&runs.iter().map(half).collect::<Vec<_>>())
}

/// Seconds until the error is this share of the start's: the median over seeds, infinite for those that never get
/// there.
pub(super) fn seconds_to(runs: &[&Recovered], share: f64) -> Option<f64> {
    first_below(runs, share, |run, i| run.way[i].seconds)
}

/// Stages until the error is this share of the start's, in the same way.
pub(super) fn stages_to(runs: &[&Recovered], share: f64) -> Option<f64> {
    first_below(runs, share, |run, i| (run.way[i].stage + 1) as f64)
}

fn first_below(runs: &[&Recovered], share: f64, value: impl Fn(&Recovered, usize) -> f64) -> Option<f64> {
    let first = |run: &&Recovered| {
        let below = run.way.iter().position(|point| point.errors.total <= share * run.start.total);
        below.map_or(f64::INFINITY, |i| value(run, i))
    };
    let mut values: Vec<f64> = runs.iter().map(first).collect();
    // Without interpolation: there is nothing between a number and infinity.
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}

/// Whether the error still falls: it ends by a tenth below where it was at half of the time.
pub(super) fn still_falls(runs: &[&Recovered]) -> bool {
    let ratio = |run: &&Recovered| {
        let by_then = |point: &&super::WayPoint| 2.0 * point.seconds <= run.solver_seconds;
        let half = run.way.iter().take_while(by_then).last();
        run.end.total / half.map_or(run.start.total, |point| point.errors.total)
    };
    median(&runs.iter().map(ratio).collect::<Vec<_>>()).is_some_and(|ratio| ratio <= 0.9)
}

/// How straight the way down is on a logarithmic axis: the share of the variation of the error's logarithm that a line
/// over the stages explains, from the start until the error is within ten times its smallest. The median over seeds.
pub(super) fn straightness(runs: &[&Recovered]) -> Option<f64> {
    median(&runs.iter().map(|run| straightness_of(run)).collect::<Vec<_>>())
}

fn straightness_of(run: &Recovered) -> f64 {
    let smallest = run.way.iter().map(|point| point.errors.total).fold(f64::INFINITY, f64::min);
    let mut points = vec![(0.0, run.start.total.ln())];
    for point in &run.way {
        points.push(((point.stage + 1) as f64, point.errors.total.max(f64::MIN_POSITIVE).ln()));
        if point.errors.total <= 10.0 * smallest {
            break;
        }
    }
    let count = points.len() as f64;
    let (x, y) = points.iter().fold((0.0, 0.0), |(x, y), point| (x + point.0 / count, y + point.1 / count));
    let (mut xx, mut xy, mut yy) = (0.0, 0.0, 0.0);
    for (stage, log) in points {
        xx += (stage - x) * (stage - x);
        xy += (stage - x) * (log - y);
        yy += (log - y) * (log - y);
    }
    if xx * yy > 0.0 { xy * xy / (xx * yy) } else { 0.0 }
}

/// The share of stages at which the error rose above its smallest so far: the median over seeds.
pub(super) fn rising_share(runs: &[&Recovered]) -> Option<f64> {
    median(&runs.iter().map(|run| run.rises as f64 / run.stages.max(1) as f64).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::super::curves::tests::made_up;
    use super::*;

    #[test]
    fn a_geometric_fall_is_straight_and_a_bent_one_is_not() {
        let falling: Vec<f64> = (1..60).map(|stage| 10.0 * 0.7_f64.powi(stage)).collect();
        // Five times smaller with each stage, and then hardly any.
        let fall = |stage: i32| 10.0 * 0.2_f64.powi(stage.min(6)) * 0.95_f64.powi((stage - 6).max(0));
        let bent: Vec<f64> = (1..120).map(fall).collect();
        let (falling, bent) = (made_up(10.0, &falling), made_up(10.0, &bent));
        assert!(straightness(&[&falling]).unwrap() > 0.9999);
        assert!(straightness(&[&bent]).unwrap() < 0.9);
        assert!(still_falls(&[&falling]) && !still_falls(&[&made_up(10.0, &[1.0, 1.0, 1.0, 1.0])]));
    }

    #[test]
    fn shares_and_times_by_hand() {
        let (one, two) = (made_up(10.0, &[5.0, 1.0, 0.5, 2.0]), made_up(10.0, &[8.0, 6.0, 6.0, 6.0]));
        assert_eq!(left(&[&one]), Some(0.2));
        assert_eq!((end(&[&one, &two]), smallest(&[&one])), (Some(4.0), Some(0.5)));
        assert_eq!(halfway(&[&one]), Some(1.0));
        assert_eq!((seconds_to(&[&one], 0.1), stages_to(&[&one], 0.1)), (Some(2.0), Some(2.0)));
        assert_eq!(seconds_to(&[&one, &two, &two], 0.1), Some(f64::INFINITY));
        assert_eq!((left(&[]), end(&[]), seconds_to(&[], 0.5), straightness(&[])), (None, None, None, None));
    }
}
