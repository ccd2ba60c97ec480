//! Figures 1 to 4: error against time, or against stages.

use crate::figure::{Axis, AxisScale, Chart, Marks, Panel, PlotLine, Point};

use super::super::curves::{CurveAxis, CurvePoint, curve};
use super::super::format::format_number;
use super::super::plan::labels::{
    AND_AUTO, AND_PAPER, AS_RELEASED, DECREASING, DIR, DIR_AUTO, EUCLIDEAN, FEWER_STEPS, FLOORED, SIGNED,
    THEORY,
};
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
    /// The horizontal axis.
    pub(in crate::reproduce) axis: CurveAxis,
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
        let mut panel = |title: Option<String>, axis: CurveAxis| {
            curves.extend(of.iter().map(|one| {
                let (shown, method) = shown(figure, one);
                // AND (auto) tries several starts in turn.
                let best_so_far = one.method == AND_AUTO || one.case == DIR_AUTO;
                Curve {
                    case: one.case.to_owned(),
                    panel: title.clone().unwrap_or(shown),
                    method,
                    axis,
                    points: curve(&one.runs(), axis, best_so_far),
                }
            }));
        };
        if compares_methods(figure) {
            let (all, and) = (longest(&|_| true), longest(&|one| one.method == AND_PAPER));
            let near = if and > 0.0 { (BESIDE_AND * and).min(all) } else { all };
            panel(Some(format!("{case}: the first {} s", format_number(near))), CurveAxis::Seconds(near));
            panel(Some(format!("{case}: full time")), CurveAxis::LogSeconds(all));
        } else {
            let stages = of.iter().flat_map(|one| one.runs()).map(|run| run.stages).max().unwrap_or(0);
            panel(None, CurveAxis::Stages(stages));
        }
    }
    curves
}

/// Figure 1 compares methods whose stages differ in cost: it is drawn against time. A linear axis shows the rates, a
/// logarithmic one shows all methods. The others vary a parameter of AND: they are drawn against stages, which do not
/// depend on the machine.
fn compares_methods(figure: FigureName) -> bool {
    matches!(figure, FigureName::Fig1a | FigureName::Fig1b | FigureName::Fig1c | FigureName::Fig1d)
}

/// The figure: one panel per case, or two if methods are compared.
pub(super) fn chart(figure: FigureName, results: &PlanResults) -> Chart {
    let mut panels: Vec<Panel> = Vec::new();
    for Curve { panel: title, method, axis, points, .. } in curves(figure, results) {
        let points = points.iter().map(|point| Point {
            x: point.x,
            y: point.error.median,
            low: point.error.low,
            high: point.error.high,
        });
        let dashed = [SIGNED, AS_RELEASED, FEWER_STEPS].iter().any(|suffix| method.ends_with(suffix));
        let line = PlotLine { points: points.collect(), dashed, name: method };
        if !panels.iter().any(|panel| panel.title == title) {
            let (label, scale) = match axis {
                CurveAxis::Seconds(_) => ("solver time (s)", AxisScale::Linear),
                CurveAxis::LogSeconds(_) => ("solver time (s)", AxisScale::Log10),
                CurveAxis::Stages(_) => ("stages", AxisScale::Linear),
            };
            panels.push(Panel {
                title: title.clone(),
                x: Axis { label: label.into(), scale },
                y: Axis { label: "total correlation error ε(A, A*)".into(), scale: AxisScale::Log10 },
                marks: Marks::Lines(Vec::new()),
            });
        }
        let mut panel = panels.iter_mut().filter(|panel| panel.title == title);
        if let Some(Panel { marks: Marks::Lines(lines), .. }) = panel.next() {
            lines.push(line);
        }
    }
    Chart { title: figure.title().into(), panels, shared_y: true, note: note(results, figure) }
}

/// Title of the panel and legend name of a series. Settings that differ in more than the varied value have their own
/// panels, with the same colour for the same value.
fn shown(figure: FigureName, series: &Series<'_>) -> (String, String) {
    let Series { case, method, .. } = series;
    match figure {
        FigureName::Fig2a | FigureName::Fig2b => {
            let name = match method.strip_prefix("constant ") {
                Some(value) => format!("constant threshold {value}"),
                None if *method == THEORY => "threshold of the theory".to_owned(),
                None if *method == DECREASING => "decreasing threshold 0.1/1.1ʲ".to_owned(),
                None => (*method).to_owned(),
            };
            ((*case).to_owned(), name)
        }
        FigureName::Fig2c => match method.strip_suffix(FLOORED) {
            Some(level) => (format!("{case}: floored thresholds"), level.to_owned()),
            None => (format!("{case}: the paper's thresholds"), (*method).to_owned()),
        },
        FigureName::Fig3b => match method.strip_suffix(EUCLIDEAN) {
            Some(share) => (format!("{case}: Euclidean norm"), share.to_owned()),
            None => (format!("{case}: L1 norm"), (*method).to_owned()),
        },
        FigureName::Fig4 if *case == DIR => (format!("{case}, {AND_PAPER}"), (*method).to_owned()),
        _ => ((*case).to_owned(), (*method).to_owned()),
    }
}

/// The runs without a curve or with an early end, with reasons.
fn note(results: &PlanResults, figure: FigureName) -> Option<String> {
    let mut notes: Vec<String> = Vec::new();
    for series in results.series(figure) {
        let reasons = series.failures();
        // The reason of a failure makes the remark redundant.
        let remark = series.remark().filter(|_| reasons.is_empty());
        for reason in remark.into_iter().chain(reasons.into_iter().map(str::to_owned)) {
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
