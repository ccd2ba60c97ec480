//! Figures 1 to 4: error against time.

use crate::figure::{Axis, Chart, Line, Marks, Panel, Point, Scale};

use super::super::curves::{CurvePoint, Spacing, curve};
use super::super::plan::labels::{AND_PAPER, DIR, FEWER_STEPS, FLOORED, SIGNED};
use super::super::spoken::spoken;
use super::super::{FigureName, Results, Series};

/// A line of a figure.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::reproduce) struct Curve {
    /// The samples.
    pub(in crate::reproduce) case: String,
    /// The title of its panel.
    pub(in crate::reproduce) panel: String,
    /// The method, as the legend has it.
    pub(in crate::reproduce) method: String,
    /// Whether times are drawn by their logarithms.
    pub(in crate::reproduce) log_time: bool,
    pub(in crate::reproduce) points: Vec<CurvePoint>,
}

/// How much of the time is shown in the panels in which AND can be seen: so many times what AND took.
const BESIDE_AND: f64 = 1.3;

/// The curves of a figure, panel by panel.
pub(in crate::reproduce) fn curves(figure: FigureName, results: &Results) -> Vec<Curve> {
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
        let longest = |wanted: &dyn Fn(&Series<'_>) -> bool| {
            let runs = of.iter().filter(|one| wanted(one)).flat_map(|one| one.runs());
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
            panel(Some(format!("{case}: the first {} s", spoken(near))), near, false);
            panel(Some(format!("{case}: all of the time")), all, true);
        } else {
            panel(None, all, false);
        }
    }
    curves
}

/// Figure 1 has methods of very different speed: an even axis shows what is straight, a logarithmic one shows them all.
fn compares_methods(figure: FigureName) -> bool {
    matches!(figure, FigureName::Fig1a | FigureName::Fig1b | FigureName::Fig1c)
}

/// The figure: a panel for each kind of samples, and two where methods are compared.
pub(super) fn chart(figure: FigureName, results: &Results) -> Chart {
    let mut panels: Vec<Panel> = Vec::new();
    for Curve { panel: title, method, log_time, points, .. } in curves(figure, results) {
        let points = points.iter().map(|point| Point {
            x: point.seconds,
            middle: point.error.middle,
            low: point.error.low,
            high: point.error.high,
        });
        let dashed = figure == FigureName::Fig1c && method.contains(SIGNED);
        let line = Line { points: points.collect(), dashed, name: method };
        if !panels.iter().any(|panel| panel.title == title) {
            let scale = if log_time { Scale::Log10 } else { Scale::Linear };
            panels.push(Panel {
                title: title.clone(),
                x: Axis { label: "time in the solver (s)".into(), scale },
                y: Axis { label: "total correlation error".into(), scale: Scale::Log10 },
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

/// Under which title and name a line is drawn: settings that differ in more than what is varied have panels of their
/// own, in which each value looks as it does in the others. The name says where there is less to see than there should.
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
