//! Error against time, over several seeds.

use super::outcome::{RecoveryResult, TracePoint};
use super::quantiles::Band;

/// Number of points of a drawn curve.
const POINTS: usize = 90;

/// Spacing of the time points of a curve.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Spacing {
    /// Equal differences.
    Even,
    /// Equal ratios.
    Geometric,
}

/// The paper's error at a time, over all seeds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct CurvePoint {
    pub(super) seconds: f64,
    pub(super) error: Band,
}

/// Error against time for the runs of one method, up to `until` seconds. A finished run keeps its final error. Before
/// the first stage, the error is that of the method's own start; without one, the curve starts when all runs have done
/// a stage. Returns no points if a run has no stage.
pub(super) fn curve(runs: &[&RecoveryResult], until: f64, spacing: Spacing) -> Vec<CurvePoint> {
    if runs.iter().any(|run| run.stages == 0) {
        return Vec::new();
    }
    let from_start = runs.iter().all(|run| run.own_start.is_some());
    let firsts = runs.iter().filter_map(|run| run.trace.first()).map(|point| point.seconds);
    let first_time = firsts.fold(None, |first_time: Option<f64>, first| {
        Some(first_time.map_or(
            first,
            |first_time| if from_start { first_time.min(first) } else { first_time.max(first) },
        ))
    });
    let Some(first_time) = first_time else { return Vec::new() };
    if until < first_time {
        return Vec::new();
    }
    let times = (0..POINTS).map(|i| {
        let share = i as f64 / (POINTS - 1) as f64;
        match spacing {
            Spacing::Even if from_start => share * until,
            Spacing::Even => first_time + share * (until - first_time),
            Spacing::Geometric => first_time * (until / first_time).powf(share),
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

/// The error after the last stage finished by that time.
fn error_at(run: &RecoveryResult, seconds: f64, from_start: bool) -> Option<f64> {
    // Rounding may place the last time point just before the end of the last stage.
    let by_then = |point: &&TracePoint| point.seconds <= seconds * (1.0 + 1e-9);
    match run.trace.iter().take_while(by_then).last() {
        Some(point) => Some(point.errors.total),
        None => run.own_start.filter(|_| from_start).map(|start| start.total),
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::error_summary::tests::stages;
    use super::*;
    use crate::reproduce::{ComponentErrors, ErrorSummary, Errors, WeightCorrelations};
    use andnmf::fit::StopReason;

    /// A synthetic run with one stage per second and these errors.
    pub(in crate::reproduce) fn made_up(start: f64, errors: &[f64]) -> RecoveryResult {
        let both = |error: f64| Errors { total: error, relative: error };
        let trace = errors.iter().enumerate().map(|(stage, &error)| TracePoint {
            stage,
            seconds: (stage + 1) as f64,
            errors: both(error),
        });
        RecoveryResult {
            start: both(start),
            own_start: Some(both(start)),
            trace: trace.collect(),
            error_summary: ErrorSummary::of(start, &stages(errors)),
            end: both(errors.last().copied().unwrap_or(start)),
            components: Some(ComponentErrors { in_order: true, median: 0.0, worst_tenth: 0.1 }),
            stages: errors.len(),
            solver_seconds: errors.len() as f64,
            stop_reason: StopReason::MaxStages,
            weights: WeightCorrelations { largest: 0.0, most_positive: 0.0, typical: 0.0 },
            mixing: None,
            nonnegative_error_floor: None,
            conditions: None,
            aborted: None,
        }
    }

    #[test]
    fn a_curve_is_a_staircase_from_the_start_that_keeps_its_final_error() {
        let run = made_up(8.0, &[4.0, 2.0]);
        let points = curve(&[&run], 10.0, Spacing::Even);
        for point in &points {
            let expected = match point.seconds {
                t if t < 1.0 => 8.0,
                t if t < 2.0 => 4.0,
                _ => 2.0,
            };
            assert_eq!(point.error.median, expected, "{}", point.seconds);
        }
        assert_eq!((points[0].seconds, points.last().unwrap().seconds), (0.0, 10.0));
    }

    #[test]
    fn bands_are_over_seeds_and_curves_without_a_start_begin_later() {
        let (mut one, mut two) = (made_up(8.0, &[4.0, 2.0]), made_up(8.0, &[6.0]));
        (one.own_start, two.own_start) = (None, None);
        let points = curve(&[&one, &two], 4.0, Spacing::Geometric);
        assert_eq!(points[0].seconds, 1.0);
        let last = points.last().unwrap();
        assert!((last.seconds - 4.0).abs() < 1e-12 && last.error.median == 4.0);
        assert!((last.error.low - 2.4).abs() < 1e-12 && (last.error.high - 5.6).abs() < 1e-12);
        assert!(curve(&[], 1.0, Spacing::Even).is_empty());
        let idle = [&made_up(8.0, &[4.0, 2.0]), &made_up(8.0, &[])];
        assert!(curve(&idle, 4.0, Spacing::Even).is_empty(), "one has no stage");
        assert!(curve(&[&one], 0.5, Spacing::Even).is_empty(), "it is over before there is anything");
    }
}
