//! The numbers of a figure as a table: for the page, for CSV, for Markdown.

use serde_json::{Value, json};

use super::curves::CurvePoint;
use super::evidence::seconds_to;
use super::outcome::{CellOutcome, Recovered};
use super::quantiles::Band;
use super::{FigureName, Results, Series};

/// A table of text and numbers.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Table {
    pub(super) header: Vec<String>,
    pub(super) rows: Vec<Vec<Value>>,
}

impl Table {
    fn new(header: &[&str]) -> Self {
        Self { header: header.iter().map(|&name| name.to_owned()).collect(), rows: Vec::new() }
    }

    /// The table as comma-separated values. Numbers keep all their digits.
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
pub(super) fn table(figure: FigureName, results: &Results) -> Table {
    match figure {
        FigureName::Table1 => topics(results),
        FigureName::Fig5 => pictures(results),
        _ => recoveries(&results.series(figure)),
    }
}

/// A number that JSON can hold, or nothing.
fn number(value: Option<f64>) -> Value {
    value.filter(|value| value.is_finite()).map_or(Value::Null, |value| json!(value))
}

fn recoveries(series: &[Series<'_>]) -> Table {
    let mut table = Table::new(&[
        "samples",
        "method",
        "at",
        "seeds",
        "start",
        "end (median)",
        "end (10 %)",
        "end (90 %)",
        "end, relative",
        "seconds to 1 %",
        "seconds",
        "stages",
        "largest correlation of weights",
        "remark",
    ]);
    for one in series {
        // The stage lemma has its own drawing and no error to list.
        if one.cells.iter().any(|result| matches!(result.outcome, CellOutcome::StageLemma(_))) {
            continue;
        }
        let runs = one.runs();
        let over = |value: &dyn Fn(&Recovered) -> f64| {
            Band::of(&runs.iter().map(|run| value(run)).collect::<Vec<_>>())
        };
        let middle = |value: &dyn Fn(&Recovered) -> f64| number(over(value).map(|band| band.middle));
        let end = over(&|run| run.end.total);
        let at: Vec<String> = one.at.iter().map(ToString::to_string).collect();
        table.rows.push(vec![
            json!(one.case),
            json!(one.method),
            if at.is_empty() { Value::Null } else { json!(at.join(" × ")) },
            json!(runs.len()),
            middle(&|run| run.start.total),
            number(end.map(|band| band.middle)),
            number(end.map(|band| band.low)),
            number(end.map(|band| band.high)),
            middle(&|run| run.end.relative),
            number(seconds_to(&runs, 0.01)),
            middle(&|run| run.solver_seconds),
            middle(&|run| run.stages as f64),
            middle(&|run| run.largest_weight_correlation),
            json!(one.failures().join("; ")),
        ]);
    }
    table
}

fn topics(results: &Results) -> Table {
    let mut table = Table::new(&["method", "seed", "topic", "coherence", "top words"]);
    for result in results.results.iter().filter(|result| result.cell.figure == FigureName::Table1) {
        let cell = &result.cell;
        match &result.outcome {
            CellOutcome::Topics(found) => {
                for (topic, (words, score)) in found.topics.iter().zip(&found.coherence).enumerate() {
                    let words = words.join(" ");
                    table.rows.push(vec![
                        json!(cell.method),
                        json!(cell.seed),
                        json!(topic),
                        number(*score),
                        json!(words),
                    ]);
                }
            }
            CellOutcome::Failed(why) => {
                table.rows.push(vec![
                    json!(cell.method),
                    json!(cell.seed),
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

fn pictures(results: &Results) -> Table {
    let mut table = Table::new(&["method", "relative residual", "share of zeros", "seconds", "remark"]);
    for result in results.results.iter().filter(|result| result.cell.figure == FigureName::Fig5) {
        let method = json!(result.cell.method);
        match &result.outcome {
            CellOutcome::Pictures(found) => {
                let numbers = [found.residual, found.zeros, found.solver_seconds].map(|v| number(Some(v)));
                let mut row = vec![method];
                row.extend(numbers);
                row.push(json!(""));
                table.rows.push(row);
            }
            CellOutcome::Failed(why) => {
                table.rows.push(vec![method, Value::Null, Value::Null, Value::Null, json!(why)]);
            }
            _ => {}
        }
    }
    table
}

/// The drawn points of curves, in the order of the drawing.
pub(super) fn curve_table(curves: &[(String, String, Vec<CurvePoint>)]) -> Table {
    let mut table =
        Table::new(&["samples", "method", "seconds", "error (median)", "error (10 %)", "error (90 %)"]);
    for (case, method, points) in curves {
        for point in points {
            let Band { middle, low, high } = point.error;
            let mut row = vec![json!(case), json!(method)];
            row.extend([point.seconds, middle, low, high].map(|value| number(Some(value))));
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
        let mut table = Table::new(&["a", "b, c"]);
        table.rows.push(vec![json!("he said \"x\""), json!(0.1)]);
        table.rows.push(vec![Value::Null, json!(3)]);
        assert_eq!(table.csv(), "a,\"b, c\"\n\"he said \"\"x\"\"\",0.1\n,3\n");
    }
}
