//! Figures 1 to 4: error against time.

use crate::StartFrom;
use crate::figure::{Axis, Chart, Line, Marks, Panel, Point, Scale};

use super::super::cell::Task;
use super::super::curves::{CurvePoint, Spacing, curve};
use super::super::plan::labels::{FLOORED, SIGNED};
use super::super::{FigureName, Results, Series};

/// The curves of a figure: samples, method, points.
pub(in crate::reproduce) fn curves(
    figure: FigureName,
    results: &Results,
) -> Vec<(String, String, Vec<CurvePoint>)> {
    let series = results.series(figure);
    let spacing = if compares_methods(figure) { Spacing::Geometric } else { Spacing::Even };
    series
        .iter()
        .map(|one| {
            let same_case = series.iter().filter(|other| other.case == one.case);
            let until =
                same_case.flat_map(|series| series.runs()).map(|run| run.solver_seconds).fold(0.0, f64::max);
            let points = curve(&one.runs(), begins_at_start(one), until, spacing);
            (one.case.to_owned(), one.method.to_owned(), points)
        })
        .collect()
}

/// Figure 1 has methods of very different speed: its times are drawn by their logarithms.
fn compares_methods(figure: FigureName) -> bool {
    matches!(figure, FigureName::Fig1a | FigureName::Fig1b | FigureName::Fig1c)
}

fn begins_at_start(series: &Series<'_>) -> bool {
    series.cells.iter().all(|result| match &result.cell.task {
        Task::Recovery(recovery) => recovery.experiment.from == StartFrom::MixedTruth,
        _ => false,
    })
}

/// The figure: a panel for each kind of samples.
pub(super) fn chart(figure: FigureName, results: &Results) -> Chart {
    let mut panels: Vec<Panel> = Vec::new();
    let x_scale = if compares_methods(figure) { Scale::Log10 } else { Scale::Linear };
    for (case, method, points) in curves(figure, results) {
        let (case, method) = shown(figure, case, method);
        let points = points.iter().map(|point| Point {
            x: point.seconds,
            middle: point.error.middle,
            low: point.error.low,
            high: point.error.high,
        });
        let dashed = figure == FigureName::Fig1c && method.ends_with(SIGNED);
        let line = Line { points: points.collect(), dashed, name: method };
        if !panels.iter().any(|panel| panel.title == case) {
            panels.push(Panel {
                title: case.clone(),
                x: Axis { label: "time in the solver (s)".into(), scale: x_scale },
                y: Axis { label: "total correlation error".into(), scale: Scale::Log10 },
                marks: Marks::Lines(Vec::new()),
            });
        }
        let mut panel = panels.iter_mut().filter(|panel| panel.title == case);
        if let Some(Panel { marks: Marks::Lines(lines), .. }) = panel.next() {
            lines.push(line);
        }
    }
    Chart { title: figure.title().into(), panels, note: note(results, figure) }
}

/// Under which title and name a line is drawn: thresholds with a floor have a panel of their own, in which each level of
/// noise looks as it does without.
fn shown(figure: FigureName, case: String, method: String) -> (String, String) {
    match (figure, method.strip_suffix(FLOORED)) {
        (FigureName::Fig2c, Some(level)) => (format!("{case}: floored"), level.to_owned()),
        (FigureName::Fig2c, None) => (format!("{case}: paper"), method),
        _ => (case, method),
    }
}

/// Which runs have no curve, or end before their time, and why.
fn note(results: &Results, figure: FigureName) -> Option<String> {
    let mut said: Vec<String> = Vec::new();
    for series in results.series(figure) {
        for reason in series.failures() {
            said.push(format!("{}, {}: {reason}", series.case, series.method));
        }
    }
    let more = said.len().saturating_sub(3);
    said.truncate(3);
    if more > 0 {
        said.push(format!("{more} more in the table"));
    }
    (!said.is_empty()).then(|| said.join(". ") + ".")
}
