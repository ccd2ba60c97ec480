//! Figures from results.

mod curves;
mod maps;
mod real;

pub(super) use curves::{Curve, curves};
pub(super) use maps::{bound_table, lemma_table};

use super::{FigureName, Plan, Results, Sources};

/// A drawn figure, or a part of one.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Drawing {
    /// The figure it belongs to.
    pub(super) figure: FigureName,
    /// Its name in files.
    pub(super) name: String,
    /// What was drawn.
    pub(super) svg: String,
}

/// Every figure of a plan that has anything to show.
pub(super) fn drawings(plan: &Plan, results: &Results, sources: &Sources) -> Vec<Drawing> {
    let mut drawings = Vec::new();
    for &figure in &plan.figures {
        if !results.results.iter().any(|result| result.cell.figure == figure) {
            continue;
        }
        let mut draw =
            |name: &str, svg: String| drawings.push(Drawing { figure, name: name.to_owned(), svg });
        match figure {
            FigureName::Table1 => draw(figure.name(), real::topics(results).svg()),
            FigureName::Fig5 => draw(figure.name(), real::pictures(results, sources).svg()),
            FigureName::Phase => {
                maps::charts(results).iter().for_each(|(name, chart)| draw(name, chart.svg()));
            }
            _ => draw(figure.name(), curves::chart(figure, results).svg()),
        }
    }
    drawings
}
