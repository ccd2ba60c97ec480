//! Errors against time, over several seeds.

use super::outcome::{Recovered, WayPoint};
use super::quantiles::Band;

/// Points of a drawn curve.
const POINTS: usize = 90;

/// How the times of a curve are spread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Spacing {
    /// The same difference between neighbours.
    Even,
    /// The same ratio between neighbours.
    Geometric,
}

/// The paper's error at a time, over all seeds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct CurvePoint {
    pub(super) seconds: f64,
    pub(super) error: Band,
}

/// Error against time of the runs of one method, until `until` seconds. A run that has ended stays where it is. Before
/// the first stage the error is that of the method's own start; where it had none, the curve begins when all runs have
/// something to show. Runs without a stage have no curve.
pub(super) fn curve(runs: &[&Recovered], until: f64, spacing: Spacing) -> Vec<CurvePoint> {
    if runs.iter().any(|run| run.stages == 0) {
        return Vec::new();
    }
    let from_start = runs.iter().all(|run| run.own_start.is_some());
    let firsts = runs.iter().filter_map(|run| run.way.first()).map(|point| point.seconds);
    let begin = firsts.fold(None, |begin: Option<f64>, first| {
        Some(begin.map_or(first, |begin| if from_start { begin.min(first) } else { begin.max(first) }))
    });
    let Some(begin) = begin else { return Vec::new() };
    if until < begin {
        return Vec::new();
    }
    let times = (0..POINTS).map(|i| {
        let share = i as f64 / (POINTS - 1) as f64;
        match spacing {
            Spacing::Even if from_start => share * until,
            Spacing::Even => begin + share * (until - begin),
            Spacing::Geometric => begin * (until / begin).powf(share),
        }
    });
    times
        .filter_map(|seconds| {
            let errors: Option<Vec<f64>> =
                runs.iter().map(|run| error_at(run, seconds, from_start)).collect();
            Some(CurvePoint { seconds, error: Band::of(&errors?)? })
        })
        .collect()
}

/// The error after the last stage that was done by then.
fn error_at(run: &Recovered, seconds: f64, from_start: bool) -> Option<f64> {
    // A grid may miss the end of its own last stage by rounding.
    let by_then = |point: &&WayPoint| point.seconds <= seconds * (1.0 + 1e-9);
    match run.way.iter().take_while(by_then).last() {
        Some(point) => Some(point.errors.total),
        None => run.own_start.filter(|_| from_start).map(|start| start.total),
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::course::tests::stages;
    use super::*;
    use crate::reproduce::{ComponentErrors, Course, Errors, WeightCorrelations};
    use andnmf::fit::StopReason;

    /// A made-up run: a stage per second, with these errors.
    pub(in crate::reproduce) fn made_up(start: f64, errors: &[f64]) -> Recovered {
        let both = |error: f64| Errors { total: error, relative: error };
        let way = errors.iter().enumerate().map(|(stage, &error)| WayPoint {
            stage,
            seconds: (stage + 1) as f64,
            errors: both(error),
        });
        Recovered {
            start: both(start),
            own_start: Some(both(start)),
            way: way.collect(),
            course: Course::of(start, &stages(errors)),
            end: both(errors.last().copied().unwrap_or(start)),
            components: Some(ComponentErrors { in_order: true, median: 0.0, worst_tenth: 0.1 }),
            stages: errors.len(),
            solver_seconds: errors.len() as f64,
            stop_reason: StopReason::MaxStages,
            weights: WeightCorrelations { largest: 0.0, most_positive: 0.0, typical: 0.0 },
            mixing: None,
            least_without_negatives: None,
            conditions: None,
            broken_off: None,
        }
    }

    #[test]
    fn a_curve_is_a_staircase_that_begins_at_the_start_and_stays_at_the_end() {
        let run = made_up(8.0, &[4.0, 2.0]);
        let points = curve(&[&run], 10.0, Spacing::Even);
        for point in &points {
            let expected = match point.seconds {
                t if t < 1.0 => 8.0,
                t if t < 2.0 => 4.0,
                _ => 2.0,
            };
            assert_eq!(point.error.middle, expected, "{}", point.seconds);
        }
        assert_eq!((points[0].seconds, points.last().unwrap().seconds), (0.0, 10.0));
    }

    #[test]
    fn bands_are_over_seeds_and_a_run_without_a_start_begins_late() {
        let (mut one, mut two) = (made_up(8.0, &[4.0, 2.0]), made_up(8.0, &[6.0]));
        (one.own_start, two.own_start) = (None, None);
        let points = curve(&[&one, &two], 4.0, Spacing::Geometric);
        assert_eq!(points[0].seconds, 1.0);
        let last = points.last().unwrap();
        assert!((last.seconds - 4.0).abs() < 1e-12 && last.error.middle == 4.0);
        assert!((last.error.low - 2.4).abs() < 1e-12 && (last.error.high - 5.6).abs() < 1e-12);
        assert!(curve(&[], 1.0, Spacing::Even).is_empty());
        let idle = [&made_up(8.0, &[4.0, 2.0]), &made_up(8.0, &[])];
        assert!(curve(&idle, 4.0, Spacing::Even).is_empty(), "one has no stage");
        assert!(curve(&[&one], 0.5, Spacing::Even).is_empty(), "it is over before there is anything");
    }
}
