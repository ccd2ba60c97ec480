//! Draws figures from results.

mod curves;
mod maps;
mod real_data;

pub(super) use curves::{Curve, curves};
pub(super) use maps::{bound_table, lemma_table};

use super::plan::labels::{NEWSGROUPS, NEWSGROUPS_PAPER};
use super::{FigureName, PlanResults, ReproductionPlan, Sources};

/// A drawn figure, or a part of one.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Drawing {
    /// The figure it belongs to.
    pub(super) figure: FigureName,
    /// Its file name, without extension.
    pub(super) name: String,
    /// The drawing as SVG.
    pub(super) svg: String,
}

/// Draws every figure of a plan that has results.
pub(super) fn drawings(plan: &ReproductionPlan, results: &PlanResults, sources: &Sources) -> Vec<Drawing> {
    let mut drawings = Vec::new();
    for &figure in &plan.figures {
        if !results.results.iter().any(|result| result.cell.figure == figure) {
            continue;
        }
        let mut draw =
            |name: &str, svg: String| drawings.push(Drawing { figure, name: name.to_owned(), svg });
        match figure {
            FigureName::Table1 => {
                draw(figure.name(), real_data::topics(results, NEWSGROUPS_PAPER).svg());
                draw("table1-all-posts", real_data::topics(results, NEWSGROUPS).svg());
            }
            FigureName::Fig5 => draw(figure.name(), real_data::images(results, sources).svg()),
            FigureName::Phase => {
                maps::charts(results).iter().for_each(|(name, chart)| draw(name, chart.svg()));
            }
            _ => draw(figure.name(), curves::chart(figure, results).svg()),
        }
    }
    drawings
}
