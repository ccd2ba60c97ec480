//! The phase maps and the stage lemma.

use andnmf::theory::{ErrorNorms, StageLemmaReport};
use ndarray::Array2;
use serde_json::json;

use crate::figure::{Axis, AxisScale, Chart, Heatmap, Marks, Panel, PlotLine, Point};

use super::super::plan::{LEMMA_CASES, MAPS, PhaseMap};
use super::super::tables::{DataTable, json_number};
use super::super::{CellOutcome, FigureName, LemmaTrace, PlanResults, Series, median};

/// Mixing errors at or below this are rounding errors.
const ROUNDING: f64 = 1e-12;
/// The largest number of contour lines of the bound.
const MOST_LEVELS: usize = 3;

/// The charts with their file names.
pub(super) fn charts(results: &PlanResults) -> Vec<(&'static str, Chart)> {
    let mut charts: Vec<(&'static str, Chart)> =
        MAPS.iter().filter_map(|map| Some((map.name, map_chart(map, results)?))).collect();
    charts.extend(lemma_chart(results).map(|chart| ("phase-lemma", chart)));
    charts
}

/// The distinct values of a coordinate, sorted.
fn values_at(series: &[&Series<'_>], side: usize) -> Vec<f64> {
    let mut values: Vec<f64> = series.iter().filter_map(|series| series.at.get(side).copied()).collect();
    values.sort_by(f64::total_cmp);
    values.dedup();
    values
}

/// The coordinates of a map, and at each point log10 of m over the theorem's bound.
struct MapGrid<'a> {
    series: Vec<&'a Series<'a>>,
    x: Vec<f64>,
    y: Vec<f64>,
    log_ratio: Array2<f64>,
}

impl<'a> MapGrid<'a> {
    fn of(map: &PhaseMap, all: &'a [Series<'a>]) -> Self {
        let series: Vec<&Series<'_>> = all.iter().filter(|series| series.case == map.case).collect();
        let (x, y) = (values_at(&series, 0), values_at(&series, 1));
        let log_ratio = Array2::from_elem((y.len(), x.len()), f64::NAN);
        let mut grid = Self { series, x, y, log_ratio };
        for i in 0..grid.series.len() {
            let one = grid.series[i];
            let ratios: Vec<f64> = one
                .runs()
                .iter()
                .filter_map(|run| run.conditions)
                .map(|conditions| (conditions.m / conditions.bound).log10())
                .collect();
            if let (Some(index), Some(ratio)) = (grid.index_of(one.at), median(&ratios)) {
                grid.log_ratio[index] = ratio;
            }
        }
        grid
    }

    fn index_of(&self, at: &[f64]) -> Option<[usize; 2]> {
        let column = self.x.iter().position(|value| at.first() == Some(value))?;
        let row = self.y.iter().position(|value| at.get(1) == Some(value))?;
        Some([row, column])
    }

    /// Contour lines along which m is a power of ten times the bound.
    fn lines(&self) -> Vec<(i32, Vec<Point>)> {
        let lines = levels(&self.log_ratio).into_iter();
        lines
            .map(|level| (level, contour(&self.log_ratio, level, &self.x, &self.y)))
            .filter(|(_, points)| points.len() > 1)
            .collect()
    }
}

/// The contour lines of m over the bound, and its value at every point.
pub(in crate::reproduce) fn bound_table(results: &PlanResults) -> DataTable {
    let all = results.series(FigureName::Phase);
    let mut table =
        DataTable::new(&["map", "what", "co-occurrence", "other side", "log10 of m over the bound"]);
    for map in &MAPS {
        let grid = MapGrid::of(map, &all);
        for ((row, column), &value) in grid.log_ratio.indexed_iter() {
            let row_values = [grid.x[column], grid.y[row], value].map(|value| json_number(Some(value)));
            table.rows.push([vec![json!(map.case), json!("place")], row_values.to_vec()].concat());
        }
        for (level, points) in grid.lines() {
            for point in points {
                let row_values = [point.x, point.y, f64::from(level)].map(|value| json_number(Some(value)));
                table.rows.push([vec![json!(map.case), json!("line")], row_values.to_vec()].concat());
            }
        }
    }
    table
}

fn map_chart(map: &PhaseMap, results: &PlanResults) -> Option<Chart> {
    let all = results.series(FigureName::Phase);
    let grid = MapGrid::of(map, &all);
    let rank = results.rank_of(FigureName::Phase)? as f64;
    let overlay: Vec<PlotLine> = grid
        .lines()
        .into_iter()
        .map(|(level, points)| {
            let name = format!("m = 10{} × the theorem's bound", raised(level));
            PlotLine { name, points, dashed: true }
        })
        .collect();
    let MapGrid { series, x, y, .. } = &grid;
    let mut methods: Vec<&str> = Vec::new();
    series.iter().for_each(|one| {
        if !methods.contains(&one.method) {
            methods.push(one.method);
        }
    });
    let panels = methods.into_iter().map(|method| {
        let mut values = Array2::from_elem((y.len(), x.len()), f64::NAN);
        for one in series.iter().filter(|one| one.method == method) {
            let ends: Vec<f64> = one.runs().iter().map(|run| run.end.relative / rank).collect();
            if let (Some(index), Some(end)) = (grid.index_of(one.at), median(&ends)) {
                values[index] = end;
            }
        }
        Panel {
            title: method.into(),
            x: Axis { label: "co-occurrence in a pair".into(), scale: AxisScale::Linear },
            y: Axis {
                label: map.y_label.into(),
                scale: if map.log { AxisScale::Log10 } else { AxisScale::Linear },
            },
            marks: Marks::Heatmap(Heatmap {
                x_values: x.clone(),
                y_values: y.clone(),
                values,
                value_label: "relative error per component".into(),
                overlay: overlay.clone(),
            }),
        }
    });
    let note = bound_note(&grid.log_ratio);
    (!series.is_empty()).then(|| Chart {
        title: format!("Recovery: {}", map.case),
        panels: panels.collect(),
        shared_y: false,
        note,
    })
}

/// An integer in superscript digits.
fn raised(number: i32) -> String {
    let digit = |c: char| match c {
        '-' => '⁻',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        '0' => '⁰',
        other => char::from_u32(0x2070 + other.to_digit(10).unwrap_or(0)).unwrap_or(other),
    };
    number.to_string().chars().map(digit).collect()
}

fn bound_note(log_ratio: &Array2<f64>) -> Option<String> {
    let finite = || log_ratio.iter().copied().filter(|value| value.is_finite());
    let (least, most) = (finite().reduce(f64::min)?, finite().reduce(f64::max)?);
    let (least, most) = (raised(least.round() as i32), raised(most.round() as i32));
    Some(format!(
        "The m of the weights is about 10{least} to 10{most} times the theorem's bound, with its constant set to 1."
    ))
}

/// A few integer powers of ten between the smallest and the largest value.
fn levels(values: &Array2<f64>) -> Vec<i32> {
    let finite = || values.iter().copied().filter(|value| value.is_finite());
    let (Some(least), Some(most)) = (finite().reduce(f64::min), finite().reduce(f64::max)) else {
        return Vec::new();
    };
    let all: Vec<i32> = (least.ceil() as i32..=most.floor() as i32).collect();
    let apart = all.len().div_ceil(MOST_LEVELS).max(1);
    all.into_iter().skip(apart / 2).step_by(apart).collect()
}

/// The points at which a map crosses a level, along rows or along columns, whichever gives more points.
fn contour(values: &Array2<f64>, level: i32, x: &[f64], y: &[f64]) -> Vec<Point> {
    let level = f64::from(level);
    let between = |ends: (f64, f64), positions: (f64, f64)| {
        let crossed = (ends.0 - level) * (ends.1 - level) <= 0.0 && ends.0 != ends.1;
        crossed.then(|| positions.0 + (level - ends.0) / (ends.1 - ends.0) * (positions.1 - positions.0))
    };
    let in_rows = values.outer_iter().zip(y).filter_map(|(row, &y)| {
        let crossing = (1..row.len()).find_map(|j| between((row[j - 1], row[j]), (x[j - 1], x[j])))?;
        Some(Point::exact(crossing, y))
    });
    let in_columns = values.columns().into_iter().zip(x).filter_map(|(column, &x)| {
        let crossing =
            (1..column.len()).find_map(|i| between((column[i - 1], column[i]), (y[i - 1], y[i])))?;
        Some(Point::exact(x, crossing))
    });
    let (in_rows, in_columns): (Vec<Point>, Vec<Point>) = (in_rows.collect(), in_columns.collect());
    if in_rows.len() >= in_columns.len() { in_rows } else { in_columns }
}

fn lemma_chart(results: &PlanResults) -> Option<Chart> {
    let panels: Vec<Panel> = LEMMA_CASES.iter().filter_map(|case| lemma_panel(case, results)).collect();
    let note =
        "Dashed: the values that the stage lemma predicts for the end of a stage. They are guaranteed only \
                where ‖R‖, the decoding error of the steps, is within its bound (a ratio of at most 1)."
            .to_owned();
    (!panels.is_empty()).then(|| Chart {
        title: "Errors of the theory, stage by stage".into(),
        panels,
        shared_y: false,
        note: Some(note),
    })
}

fn lemma_trace<'a>(case: &str, results: &'a PlanResults) -> Option<&'a LemmaTrace> {
    results.results.iter().find_map(|result| match &result.outcome {
        CellOutcome::StageLemma(trace) if result.cell.case == case => Some(trace),
        _ => None,
    })
}

/// The errors of the theory with the premises and predictions of the lemma, stage by stage.
pub(in crate::reproduce) fn lemma_table(results: &PlanResults) -> DataTable {
    let mut table = DataTable::new(&[
        "samples",
        "stages done",
        "‖E‖",
        "‖Σ − I‖",
        "‖N‖",
        "‖E‖ predicted",
        "‖Σ − I‖ predicted",
        "‖R‖ in the stage",
        "‖R‖ allowed",
    ]);
    for case in LEMMA_CASES {
        let Some(trace) = lemma_trace(case, results) else { continue };
        let errors: Vec<ErrorNorms> = trace.norms.iter().map(|&norms| norms.into()).collect();
        let checks = StageLemmaReport::from_norms(&errors).stages;
        for (stage, norms) in trace.norms.iter().enumerate() {
            // There is no prediction for the start.
            let before = stage.checked_sub(1);
            let check = before.and_then(|before| checks.get(before));
            let disturbance = before.and_then(|before| trace.disturbances.get(before));
            let values = [
                Some(norms.mixing),
                Some(norms.scale),
                Some(norms.outside),
                check.map(|check| check.predicted_mixing_error),
                check.map(|check| check.predicted_scale_error),
                disturbance.map(|disturbance| disturbance.size),
                disturbance.map(|disturbance| disturbance.allowed),
            ];
            table.rows.push([vec![json!(case), json!(stage)], values.map(json_number).to_vec()].concat());
        }
    }
    table
}

fn lemma_panel(case: &str, results: &PlanResults) -> Option<Panel> {
    let LemmaTrace { norms, disturbances } = lemma_trace(case, results)?;
    let line = |name: &str, dashed: bool, values: Vec<(usize, f64)>| {
        let points = values.into_iter().map(|(stage, value)| Point::exact(stage as f64, value)).collect();
        PlotLine { name: name.into(), points, dashed }
    };
    let measured = |value: fn(&super::super::Norms) -> f64| norms.iter().map(value).enumerate().collect();
    let errors: Vec<ErrorNorms> = norms.iter().map(|&norms| norms.into()).collect();
    let predicted = StageLemmaReport::from_norms(&errors);
    let predictions = |value: fn(&andnmf::theory::StageCheck) -> f64| {
        predicted.stages.iter().enumerate().map(|(stage, check)| (stage + 1, value(check))).collect()
    };
    // Below rounding error the ratio has no meaning.
    let above_rounding = norms.iter().map(|before| before.mixing > ROUNDING);
    let excess = disturbances.iter().zip(above_rounding).enumerate().filter(|(_, (_, above))| *above);
    let excess = excess.map(|(stage, (rest, _))| (stage + 1, rest.size / rest.allowed)).collect();
    let lines = vec![
        line("‖E‖, mixing", false, measured(|norms| norms.mixing)),
        line("‖Σ − I‖, scale", false, measured(|norms| norms.scale)),
        line("‖N‖, outside", false, measured(|norms| norms.outside)),
        line("‖E‖ predicted", true, predictions(|check| check.predicted_mixing_error)),
        line("‖Σ − I‖ predicted", true, predictions(|check| check.predicted_scale_error)),
        line("‖R‖ / its bound", false, excess),
    ];
    let title = case.strip_prefix("stage lemma: ").unwrap_or(case).to_owned();
    Some(Panel {
        title,
        x: Axis { label: "stages done".into(), scale: AxisScale::Linear },
        y: Axis { label: "spectral norm".into(), scale: AxisScale::Log10 },
        marks: Marks::Lines(lines),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn a_contour_lies_where_the_level_is_crossed() {
        let (x, y) = ([0.0, 1.0, 2.0], [10.0, 20.0]);
        let across = array![[0.0, 2.0, 4.0], [1.0, 3.0, 5.0]];
        let points = contour(&across, 3, &x, &y);
        assert_eq!(points, [Point::exact(1.5, 10.0), Point::exact(1.0, 20.0)]);
        let along = array![[0.0, 0.5, 0.0], [4.0, 4.5, 4.0]];
        let points = contour(&along, 2, &x, &y);
        assert_eq!(points.len(), 3);
        assert_eq!(points[0], Point::exact(0.0, 15.0));
        assert!(contour(&across, 9, &x, &y).is_empty());
    }

    #[test]
    fn exponents_are_raised_digit_by_digit() {
        assert_eq!((raised(-12), raised(3045)), ("⁻¹²".to_owned(), "³⁰⁴⁵".to_owned()));
    }

    #[test]
    fn levels_are_whole_few_and_within() {
        assert_eq!(levels(&array![[0.2, 3.9]]), [1, 2, 3]);
        let many = levels(&array![[0.0, 11.0], [f64::NAN, 2.0]]);
        assert!(many.len() <= 3 && many.iter().all(|level| (0..=11).contains(level)), "{many:?}");
        assert!(levels(&array![[0.2, 0.9]]).is_empty() && levels(&array![[f64::NAN]]).is_empty());
    }
}
