//! Error against time or stages, over several seeds.

use super::outcome::{RecoveryResult, TracePoint};
use super::quantiles::Band;

/// Number of points of a drawn curve against time.
const POINTS: usize = 90;

/// The horizontal axis of a curve.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum CurveAxis {
    /// Solver time up to a number of seconds, at equal differences.
    Seconds(f64),
    /// The same at equal ratios.
    LogSeconds(f64),
    /// Stages up to a number.
    Stages(usize),
}

impl CurveAxis {
    /// The position of the answer after a stage.
    fn position(self, point: &TracePoint) -> f64 {
        match self {
            Self::Seconds(_) | Self::LogSeconds(_) => point.seconds,
            Self::Stages(_) => (point.stage + 1) as f64,
        }
    }

    /// The position at which a run returns its answer.
    fn end(self, run: &RecoveryResult) -> f64 {
        match self {
            Self::Seconds(_) | Self::LogSeconds(_) => run.solver_seconds,
            Self::Stages(_) => run.stages as f64,
        }
    }

    fn until(self) -> f64 {
        match self {
            Self::Seconds(until) | Self::LogSeconds(until) => until,
            Self::Stages(until) => until as f64,
        }
    }

    /// The positions of the points of a curve that begins at `first`, or at the start.
    fn positions(self, first: f64, from_start: bool) -> Vec<f64> {
        let share = |i: usize| i as f64 / (POINTS - 1) as f64;
        match self {
            Self::Seconds(until) if from_start => (0..POINTS).map(|i| share(i) * until).collect(),
            Self::Seconds(until) => (0..POINTS).map(|i| first + share(i) * (until - first)).collect(),
            Self::LogSeconds(until) => (0..POINTS).map(|i| first * (until / first).powf(share(i))).collect(),
            Self::Stages(until) => {
                let from = if from_start { 0 } else { first as usize };
                (from..=until).map(|stage| stage as f64).collect()
            }
        }
    }
}

/// The paper's error at a position, over all seeds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct CurvePoint {
    /// Seconds, or stages.
    pub(super) x: f64,
    pub(super) error: Band,
}

/// The error of the runs of one method along an axis. A finished run keeps the error of the answer that it returned,
/// which is not always that of its last stage. Before the first stage, the error is that of the method's own start;
/// without one, the curve starts when all runs have done a stage. Returns no points if a run has no stage.
///
/// With `best_so_far`, for methods that try several starts in turn, the error of a run is the smallest of its stages so
/// far.
pub(super) fn curve(runs: &[&RecoveryResult], axis: CurveAxis, best_so_far: bool) -> Vec<CurvePoint> {
    if runs.iter().any(|run| run.stages == 0) {
        return Vec::new();
    }
    let from_start = runs.iter().all(|run| run.own_start.is_some());
    let firsts = runs.iter().filter_map(|run| run.trace.first()).map(|point| axis.position(point));
    let earliest = |a: f64, b: f64| if from_start { a.min(b) } else { a.max(b) };
    let Some(first) = firsts.reduce(earliest) else { return Vec::new() };
    if axis.until() < first {
        return Vec::new();
    }
    axis.positions(first, from_start)
        .into_iter()
        .filter_map(|x| {
            let errors: Option<Vec<f64>> =
                runs.iter().map(|run| error_at(run, axis, x, from_start, best_so_far)).collect();
            Some(CurvePoint { x, error: Band::of(&errors?)? })
        })
        .collect()
}

/// The error after the last stage before or at a position, or of the answer if the run has ended by then.
fn error_at(
    run: &RecoveryResult,
    axis: CurveAxis,
    x: f64,
    from_start: bool,
    best_so_far: bool,
) -> Option<f64> {
    // Rounding may place the last point just before the end of the last stage.
    let reached = x * (1.0 + 1e-9);
    if axis.end(run) <= reached {
        return Some(run.end.total);
    }
    let done = run.trace.iter().take_while(|point| axis.position(point) <= reached);
    let errors = done.map(|point| point.errors.total);
    let error = if best_so_far { errors.reduce(f64::min) } else { errors.last() };
    error.or_else(|| run.own_start.filter(|_| from_start).map(|start| start.total))
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
            weights: WeightCorrelations::default(),
            mixing: None,
            nonnegative_error_floor: None,
            conditions: None,
            aborted: None,
        }
    }

    #[test]
    fn a_curve_is_a_staircase_from_the_start_that_keeps_its_final_error() {
        let run = made_up(8.0, &[4.0, 2.0]);
        let points = curve(&[&run], CurveAxis::Seconds(10.0), false);
        for point in &points {
            let expected = match point.x {
                t if t < 1.0 => 8.0,
                t if t < 2.0 => 4.0,
                _ => 2.0,
            };
            assert_eq!(point.error.median, expected, "{}", point.x);
        }
        assert_eq!((points[0].x, points.last().unwrap().x), (0.0, 10.0));
    }

    #[test]
    fn against_stages_every_stage_is_a_point() {
        let points = curve(&[&made_up(8.0, &[4.0, 2.0])], CurveAxis::Stages(4), false);
        let drawn: Vec<(f64, f64)> = points.iter().map(|point| (point.x, point.error.median)).collect();
        assert_eq!(drawn, [(0.0, 8.0), (1.0, 4.0), (2.0, 2.0), (3.0, 2.0), (4.0, 2.0)]);
    }

    #[test]
    fn a_curve_ends_at_the_answer_and_restarts_are_drawn_as_the_best_so_far() {
        let both = |error: f64| Errors { total: error, relative: error };
        let run = RecoveryResult { end: both(0.5), own_start: None, ..made_up(8.0, &[4.0, 6.0, 1.0]) };
        let errors = |best| -> Vec<f64> {
            let points = curve(&[&run], CurveAxis::Stages(4), best);
            points.iter().map(|point| point.error.median).collect()
        };
        assert_eq!(errors(false), [4.0, 6.0, 0.5, 0.5]);
        assert_eq!(errors(true), [4.0, 4.0, 0.5, 0.5]);
    }

    #[test]
    fn bands_are_over_seeds_and_curves_without_a_start_begin_later() {
        let (mut one, mut two) = (made_up(8.0, &[4.0, 2.0]), made_up(8.0, &[6.0]));
        (one.own_start, two.own_start) = (None, None);
        let points = curve(&[&one, &two], CurveAxis::LogSeconds(4.0), false);
        assert_eq!(points[0].x, 1.0);
        let last = points.last().unwrap();
        assert!((last.x - 4.0).abs() < 1e-12 && last.error.median == 4.0);
        assert!((last.error.low - 2.4).abs() < 1e-12 && (last.error.high - 5.6).abs() < 1e-12);
        assert!(curve(&[], CurveAxis::Seconds(1.0), false).is_empty());
        let idle = [&made_up(8.0, &[4.0, 2.0]), &made_up(8.0, &[])];
        assert!(curve(&idle, CurveAxis::Seconds(4.0), false).is_empty(), "one has no stage");
        assert!(
            curve(&[&one], CurveAxis::Seconds(0.5), false).is_empty(),
            "it is over before there is anything"
        );
    }
}
