//! Table 1 and Figure 5.

use andnmf::fit::StopReason;
use ndarray::{Array2, ArrayView2};

use crate::figure::{ImageGrid, WordTable};

use super::super::{CellOutcome, FigureName, PlanResults, Sources};

/// Distance between the sample images shown; the usual file has ten images of each person.
const EXAMPLES_APART: usize = 67;
const EXAMPLES: usize = 6;

/// The topics of the first seed of every method in one case, one column each.
pub(super) fn topics(results: &PlanResults, case: &str) -> WordTable {
    let mut columns: Vec<(String, Vec<String>)> = Vec::new();
    let mut size = None;
    for result in &results.results {
        let cell = &result.cell;
        if cell.figure != FigureName::Table1 || cell.case != case || cell.seed != 0 {
            continue;
        }
        match &result.outcome {
            CellOutcome::Topics(fit) => {
                size = Some(fit.size);
                let score =
                    fit.mean_coherence.map_or_else(String::new, |mean| format!(": coherence {mean:.3}"));
                let topics = fit.topics.iter().map(|words| words.join(" ")).collect();
                columns.push((format!("{}{score}", cell.method), topics));
            }
            CellOutcome::Failed(why) => columns.push((cell.method.clone(), vec![format!("failed: {why}")])),
            _ => {}
        }
    }
    let foot = size.map(|(documents, words)| {
        format!(
            "{documents} documents, {words} words. The order of topics has no meaning; the CSV file has all \
                 seeds."
        )
    });
    WordTable { title: format!("{} ({case})", FigureName::Table1.title()), columns, foot }
}

/// The components of every method, one row each, below some of the images if they are available.
pub(super) fn images(results: &PlanResults, sources: &Sources) -> ImageGrid {
    let mut rows = Vec::new();
    if let Some(images) = &sources.images {
        let some = (0..images.nrows()).step_by(EXAMPLES_APART).take(EXAMPLES);
        rows.push(("sample images".to_owned(), some.map(|i| square(images.view(), i)).collect()));
    }
    for result in results.results.iter().filter(|result| result.cell.figure == FigureName::Fig5) {
        let method = &result.cell.method;
        match &result.outcome {
            CellOutcome::Images(fit) => {
                let components = fit.components.mapv(f64::from);
                let drawn = (0..components.nrows()).map(|i| square(components.view(), i)).collect();
                let name = match (fit.stages, fit.stop_reason) {
                    (0, _) => format!("{method} (no stage within the time limit)"),
                    (_, StopReason::TimeLimit) => format!("{method} (time limit reached)"),
                    _ => method.clone(),
                };
                rows.push((name, drawn));
            }
            CellOutcome::Failed(_) => rows.push((format!("{method} (failed)"), vec![])),
            _ => {}
        }
    }
    ImageGrid { title: FigureName::Fig5.title().into(), rows }
}

/// A row of pixels as a square image; as one row if its length is not a square number.
fn square(rows: ArrayView2<'_, f64>, row: usize) -> Array2<f64> {
    let pixels = rows.row(row);
    let side = pixels.len().isqrt();
    let shape = if side * side == pixels.len() { (side, side) } else { (1, pixels.len()) };
    Array2::from_shape_fn(shape, |(i, j)| pixels[i * shape.1 + j])
}
