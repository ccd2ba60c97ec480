//! The results of a figure as a table, for the page and for CSV files.

use serde_json::{Value, json};

use super::curves::CurveAxis;
use super::drawing::Curve;
use super::outcome::{CellOutcome, RecoveryResult};
use super::quantiles::Band;
use super::seed_medians::{hundredth, seconds_to};
use super::{FigureName, PlanResults, Series};

/// A table of text and numbers.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct DataTable {
    pub(super) header: Vec<String>,
    pub(super) rows: Vec<Vec<Value>>,
}

impl DataTable {
    pub(super) fn new(header: &[&str]) -> Self {
        Self { header: header.iter().map(|&name| name.to_owned()).collect(), rows: Vec::new() }
    }

    /// The table as CSV, with all digits of numbers.
    pub(super) fn csv(&self) -> String {
        let cell = |value: &Value| match value {
            Value::Null => String::new(),
            Value::String(text) if text.contains([',', '"', '\n']) => {
                format!("\"{}\"", text.replace('"', "\"\""))
            }
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        let header: Vec<Value> = self.header.iter().map(|name| json!(name)).collect();
        let lines = std::iter::once(&header).chain(&self.rows);
        lines.map(|row| row.iter().map(cell).collect::<Vec<_>>().join(",") + "\n").collect()
    }
}

/// The table of a figure.
pub(super) fn table(figure: FigureName, results: &PlanResults) -> DataTable {
    match figure {
        FigureName::Table1 => topics(results),
        FigureName::Fig5 => images(results),
        _ => recoveries(&results.series(figure)),
    }
}

/// A JSON number; null if the value is missing or not finite.
pub(super) fn json_number(value: Option<f64>) -> Value {
    value.filter(|value| value.is_finite()).map_or(Value::Null, |value| json!(value))
}

fn recoveries(series: &[Series<'_>]) -> DataTable {
    let mut table = DataTable::new(&[
        "samples",
        "method",
        "at",
        "seeds",
        "common start",
        "own start",
        "end (median)",
        "end (10 %)",
        "end (90 %)",
        "relative error per component (end)",
        "seconds to 1 %",
        "seconds",
        "stages",
        "stopped by",
        "largest correlation of weights",
        "typical correlation of weights",
        "largest E[xi xj]/(E[xi] E[xj])",
        "r",
        "k",
        "m",
        "lambda",
        "q",
        "bound on m",
        "remark",
    ]);
    for one in series {
        // The stage lemma has its own table.
        if one.cells.iter().any(|result| matches!(result.outcome, CellOutcome::StageLemma(_))) {
            continue;
        }
        let runs = one.runs();
        let over = |value: &dyn Fn(&RecoveryResult) -> f64| {
            Band::of(&runs.iter().map(|run| value(run)).collect::<Vec<_>>())
        };
        let middle =
            |value: &dyn Fn(&RecoveryResult) -> f64| json_number(over(value).map(|band| band.median));
        let end = over(&|run| run.end.total);
        let rank = one.cells.first().map_or(1, |result| result.cell.settings().rank()) as f64;
        // A failure message makes the remark redundant.
        let remark = one.remark().filter(|_| !runs.is_empty());
        let remarks: Vec<String> =
            remark.into_iter().chain(one.failures().into_iter().map(str::to_owned)).collect();
        let at: Vec<String> = one.at.iter().map(ToString::to_string).collect();
        table.rows.push(vec![
            json!(one.case),
            json!(one.method),
            if at.is_empty() { Value::Null } else { json!(at.join(" × ")) },
            json!(runs.len()),
            middle(&|run| run.start.total),
            json_number(own_start(&runs)),
            json_number(end.map(|band| band.median)),
            json_number(end.map(|band| band.low)),
            json_number(end.map(|band| band.high)),
            middle(&|run| run.end.relative / rank),
            json_number(seconds_to(&runs, hundredth)),
            middle(&|run| run.solver_seconds),
            middle(&|run| run.stages as f64),
            json!(one.stopped_by()),
            middle(&|run| run.weights.largest),
            middle(&|run| run.weights.typical),
            middle(&|run| run.weights.co_occurrence),
            middle(&|run| run.weights.conditions.r),
            middle(&|run| run.weights.conditions.k),
            middle(&|run| run.weights.conditions.m),
            middle(&|run| run.weights.conditions.lambda),
            middle(&|run| run.weights.conditions.decay_order.unwrap_or(f64::INFINITY)),
            middle(&|run| run.weights.conditions.bound),
            json!(remarks.join("; ")),
        ]);
    }
    table
}

/// Median error of the methods' own starts; `None` if a run had no start.
fn own_start(runs: &[&RecoveryResult]) -> Option<f64> {
    let starts: Option<Vec<f64>> = runs.iter().map(|run| run.own_start.map(|start| start.total)).collect();
    Band::of(&starts?).map(|band| band.median)
}

fn topics(results: &PlanResults) -> DataTable {
    let mut table = DataTable::new(&[
        "samples",
        "method",
        "seed",
        "stages",
        "stopped by",
        "topic",
        "coherence",
        "top words",
    ]);
    for result in results.results.iter().filter(|result| result.cell.figure == FigureName::Table1) {
        let cell = &result.cell;
        match &result.outcome {
            CellOutcome::Topics(fit) => {
                for (topic, (words, score)) in fit.topics.iter().zip(&fit.coherence).enumerate() {
                    let words = words.join(" ");
                    table.rows.push(vec![
                        json!(cell.case),
                        json!(cell.method),
                        json!(cell.seed),
                        json!(fit.stages),
                        json!(fit.stop_reason),
                        json!(topic),
                        json_number(*score),
                        json!(words),
                    ]);
                }
            }
            CellOutcome::Failed(why) => {
                table.rows.push(vec![
                    json!(cell.case),
                    json!(cell.method),
                    json!(cell.seed),
                    Value::Null,
                    Value::Null,
                    Value::Null,
                    Value::Null,
                    json!(why),
                ]);
            }
            _ => {}
        }
    }
    table
}

fn images(results: &PlanResults) -> DataTable {
    let mut table = DataTable::new(&[
        "method",
        "relative residual",
        "share of zeros",
        "seconds",
        "stages",
        "stopped by",
        "remark",
    ]);
    for result in results.results.iter().filter(|result| result.cell.figure == FigureName::Fig5) {
        let method = json!(result.cell.method);
        match &result.outcome {
            CellOutcome::Images(fit) => {
                let numbers = [fit.residual, fit.zeros, fit.solver_seconds].map(|v| json_number(Some(v)));
                let mut row = vec![method];
                row.extend(numbers);
                row.extend([json!(fit.stages), json!(fit.stop_reason), json!("")]);
                table.rows.push(row);
            }
            CellOutcome::Failed(why) => {
                let mut row = vec![method];
                row.extend(vec![Value::Null; 5]);
                row.push(json!(why));
                table.rows.push(row);
            }
            _ => {}
        }
    }
    table
}

/// The points of the drawn curves, in drawing order.
pub(super) fn curve_table(curves: &[Curve]) -> DataTable {
    let mut table = DataTable::new(&[
        "samples",
        "panel",
        "method",
        "axis",
        "at",
        "error (median)",
        "error (10 %)",
        "error (90 %)",
    ]);
    for curve in curves {
        for point in &curve.points {
            let Band { median, low, high } = point.error;
            let axis = if matches!(curve.axis, CurveAxis::Stages(_)) { "stages" } else { "seconds" };
            let mut row = vec![json!(curve.case), json!(curve.panel), json!(curve.method), json!(axis)];
            row.extend([point.x, median, low, high].map(|value| json_number(Some(value))));
            table.rows.push(row);
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_with_commas_and_quotes_are_one_cell_of_csv() {
        let mut table = DataTable::new(&["a", "b, c"]);
        table.rows.push(vec![json!("he said \"x\""), json!(0.1)]);
        table.rows.push(vec![Value::Null, json!(3)]);
        assert_eq!(table.csv(), "a,\"b, c\"\n\"he said \"\"x\"\"\",0.1\n,3\n");
    }
}
