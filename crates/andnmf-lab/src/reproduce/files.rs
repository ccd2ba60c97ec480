//! Everything that a reproduction leaves behind, as files by name.

use serde_json::{Value, json};

use super::claims::{Judged, judge};
use super::drawing::{bound_table, curves, drawings, lemma_table};
use super::markdown::{About, document};
use super::numbers::{Table, curve_table, table};
use super::{FigureName, Plan, Results, Sources, page};
use crate::figure::{FigureError, png};

/// Pixels per unit of a drawing.
const SHARPNESS: f32 = 2.0;

/// A plan and what it came to.
#[derive(Debug, Clone, PartialEq)]
pub struct Reproduction {
    /// What was asked for.
    pub plan: Plan,
    /// What came out.
    pub results: Results,
}

impl Reproduction {
    /// The claims about the figures, judged.
    #[must_use]
    pub fn claims(&self) -> Vec<Judged> {
        judge(&self.plan.figures, &self.results)
    }

    /// The claims and what has to be known about them, for programs.
    #[must_use]
    pub fn summary(&self, about: &About) -> Value {
        let failed = self.results.results.iter().filter_map(|result| {
            Some(json!({
                "figure": result.cell.figure,
                "case": result.cell.case,
                "method": result.cell.method,
                "seed": result.cell.seed,
                "reason": result.outcome.trouble()?,
            }))
        });
        let left_out: Vec<Value> =
            self.plan.left_out.iter().map(|(figure, why)| json!({"figure": figure, "reason": why})).collect();
        json!({
            "figures": self.plan.figures,
            "settings": self.plan.params,
            "program": about.program,
            "commits": self.results.commits(),
            "machine": about.machine,
            "truth": about.truth,
            "cells": self.plan.cells.len(),
            "cells_done_now": self.results.newly_done,
            "claims": self.claims(),
            "failed_cells": failed.collect::<Vec<Value>>(),
            "left_out": left_out,
        })
    }

    /// Name and contents of every file: drawings as SVG and PNG, numbers as CSV, the page, the document, and last the
    /// summary.
    ///
    /// # Errors
    /// Where a drawing cannot be made into pixels.
    pub fn files(&self, about: &About, sources: &Sources) -> Result<Vec<(String, Vec<u8>)>, FigureError> {
        let claims = self.claims();
        let drawings = drawings(&self.plan, &self.results, sources);
        let mut files: Vec<(String, Vec<u8>)> = Vec::new();
        for drawing in &drawings {
            files.push((format!("{}.svg", drawing.name), drawing.svg.clone().into_bytes()));
            files.push((format!("{}.png", drawing.name), png(&drawing.svg, SHARPNESS)?));
        }
        for &figure in &self.plan.figures {
            if !self.results.results.iter().any(|result| result.cell.figure == figure) {
                continue;
            }
            files.push((format!("{figure}.csv"), table(figure, &self.results).csv().into_bytes()));
            let mut more = |name: String, table: Table| files.push((name, table.csv().into_bytes()));
            match figure {
                FigureName::Table1 | FigureName::Fig5 => {}
                FigureName::Phase => {
                    more("phase-lemma.csv".into(), lemma_table(&self.results));
                    more("phase-bound.csv".into(), bound_table(&self.results));
                }
                _ => more(format!("{figure}-curves.csv"), curve_table(&curves(figure, &self.results))),
            }
        }
        files.push(("report.html".into(), page::html(self, &claims, &drawings, about).into_bytes()));
        files.push(("reproduction.md".into(), document(self, &claims, about).into_bytes()));
        let summary = serde_json::to_string_pretty(&self.summary(about)).unwrap_or_default();
        files.push(("summary.json".into(), (summary + "\n").into_bytes()));
        Ok(files)
    }
}
