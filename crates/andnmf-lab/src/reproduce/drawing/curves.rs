//! Figures 1 to 4: error against time.

use crate::figure::{Axis, AxisScale, Chart, Marks, Panel, PlotLine, Point};

use super::super::curves::{CurvePoint, Spacing, curve};
use super::super::format::format_number;
use super::super::plan::labels::{AND_PAPER, DIR, FEWER_STEPS, FLOORED, SIGNED};
use super::super::{FigureName, PlanResults, Series};

/// A curve of a figure.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::reproduce) struct Curve {
    /// The case (kind of samples).
    pub(in crate::reproduce) case: String,
    /// Title of its panel.
    pub(in crate::reproduce) panel: String,
    /// Name of the method in the legend.
    pub(in crate::reproduce) method: String,
    /// True if the time axis is logarithmic.
    pub(in crate::reproduce) log_time: bool,
    pub(in crate::reproduce) points: Vec<CurvePoint>,
}

/// Time range of the panels that focus on AND, in multiples of the time of AND.
const BESIDE_AND: f64 = 1.3;

/// The curves of a figure, panel by panel.
pub(in crate::reproduce) fn curves(figure: FigureName, results: &PlanResults) -> Vec<Curve> {
    let series = results.series(figure);
    let mut cases: Vec<&str> = Vec::new();
    for one in &series {
        if !cases.contains(&one.case) {
            cases.push(one.case);
        }
    }
    let mut curves = Vec::new();
    for case in cases {
        let of: Vec<&Series<'_>> = series.iter().filter(|one| one.case == case).collect();
        let longest = |selected: &dyn Fn(&Series<'_>) -> bool| {
            let runs = of.iter().filter(|one| selected(one)).flat_map(|one| one.runs());
            runs.map(|run| run.solver_seconds).fold(0.0, f64::max)
        };
        let all = longest(&|_| true);
        let mut panel = |title: Option<String>, until: f64, log_time: bool| {
            let spacing = if log_time { Spacing::Geometric } else { Spacing::Even };
            curves.extend(of.iter().map(|one| {
                let (shown, method) = shown(figure, one);
                Curve {
                    case: one.case.to_owned(),
                    panel: title.clone().unwrap_or(shown),
                    method,
                    log_time,
                    points: curve(&one.runs(), until, spacing),
                }
            }));
        };
        if compares_methods(figure) {
            let and = longest(&|one| one.method == AND_PAPER);
            let near = if and > 0.0 { (BESIDE_AND * and).min(all) } else { all };
            panel(Some(format!("{case}: the first {} s", format_number(near))), near, false);
            panel(Some(format!("{case}: full time")), all, true);
        } else {
            panel(None, all, false);
        }
    }
    curves
}

/// Figure 1 compares methods of very different speed: a linear axis shows the rates, a logarithmic one shows all
/// methods.
fn compares_methods(figure: FigureName) -> bool {
    matches!(figure, FigureName::Fig1a | FigureName::Fig1b | FigureName::Fig1c)
}

/// The figure: one panel per case, or two if methods are compared.
pub(super) fn chart(figure: FigureName, results: &PlanResults) -> Chart {
    let mut panels: Vec<Panel> = Vec::new();
    for Curve { panel: title, method, log_time, points, .. } in curves(figure, results) {
        let points = points.iter().map(|point| Point {
            x: point.seconds,
            y: point.error.median,
            low: point.error.low,
            high: point.error.high,
        });
        let dashed = figure == FigureName::Fig1c && method.contains(SIGNED);
        let line = PlotLine { points: points.collect(), dashed, name: method };
        if !panels.iter().any(|panel| panel.title == title) {
            let scale = if log_time { AxisScale::Log10 } else { AxisScale::Linear };
            panels.push(Panel {
                title: title.clone(),
                x: Axis { label: "solver time (s)".into(), scale },
                y: Axis { label: "total correlation error".into(), scale: AxisScale::Log10 },
                marks: Marks::Lines(Vec::new()),
            });
        }
        let mut panel = panels.iter_mut().filter(|panel| panel.title == title);
        if let Some(Panel { marks: Marks::Lines(lines), .. }) = panel.next() {
            lines.push(line);
        }
    }
    Chart { title: figure.title().into(), panels, note: note(results, figure) }
}

/// Title of the panel and legend name of a series. Settings that differ in more than the varied value have their own
/// panels, with the same colour for the same value. The name includes a remark if runs are incomplete.
fn shown(figure: FigureName, series: &Series<'_>) -> (String, String) {
    let Series { case, method, .. } = series;
    let (panel, name) = match figure {
        FigureName::Fig2c => match (method.strip_suffix(FLOORED), method.strip_suffix(FEWER_STEPS)) {
            (Some(level), _) => (format!("{case}: floored"), level),
            (_, Some(level)) => (format!("{case}: T = 50"), level),
            _ => (format!("{case}: paper"), *method),
        },
        FigureName::Fig4 if *case == DIR => (format!("{case}, {AND_PAPER}"), *method),
        _ => ((*case).to_owned(), *method),
    };
    match series.remark() {
        Some(remark) => (panel, format!("{name} ({remark})")),
        None => (panel, name.to_owned()),
    }
}

/// The runs without a curve or with an early end, with reasons.
fn note(results: &PlanResults, figure: FigureName) -> Option<String> {
    let mut notes: Vec<String> = Vec::new();
    for series in results.series(figure) {
        for reason in series.failures() {
            notes.push(format!("{}, {}: {reason}", series.case, series.method));
        }
    }
    let more = notes.len().saturating_sub(3);
    notes.truncate(3);
    if more > 0 {
        notes.push(format!("{more} more in the table"));
    }
    (!notes.is_empty()).then(|| notes.join(". ") + ".")
}
