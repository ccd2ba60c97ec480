//! All output files of a reproduction, by name.

use serde_json::{Value, json};

use super::claims::{JudgedClaim, judge};
use super::drawing::{bound_table, curves, drawings, lemma_table};
use super::markdown::{Provenance, document};
use super::tables::{DataTable, curve_table, table};
use super::{FigureName, PlanResults, ReproductionPlan, Sources, html};
use crate::figure::{FigureError, png};

/// Pixels per unit of a drawing.
const PIXELS_PER_UNIT: f32 = 2.0;

/// A plan and its results.
#[derive(Debug, Clone, PartialEq)]
pub struct Reproduction {
    /// The requested figures and runs.
    pub plan: ReproductionPlan,
    /// The finished runs.
    pub results: PlanResults,
}

impl Reproduction {
    /// The claims about the figures, with their verdicts.
    #[must_use]
    pub fn claims(&self) -> Vec<JudgedClaim> {
        judge(&self.plan.figures, &self.results)
    }

    /// The contents of summary.json.
    #[must_use]
    pub fn summary(&self, provenance: &Provenance) -> Value {
        let failed = self.results.results.iter().filter_map(|result| {
            Some(json!({
                "figure": result.cell.figure,
                "case": result.cell.case,
                "method": result.cell.method,
                "seed": result.cell.seed,
                "reason": result.outcome.failure()?,
            }))
        });
        let skipped: Vec<Value> =
            self.plan.skipped.iter().map(|(figure, why)| json!({"figure": figure, "reason": why})).collect();
        json!({
            "figures": self.plan.figures,
            "settings": self.plan.params,
            "program": provenance.program,
            "commits": self.results.commits(),
            "machine": provenance.machine,
            "truth": provenance.truth,
            "cells": self.plan.cells.len(),
            "cells_done_now": self.results.newly_done,
            "claims": self.claims(),
            "failed_cells": failed.collect::<Vec<Value>>(),
            "left_out": skipped,
        })
    }

    /// Names and contents of all files: drawings as SVG and PNG, tables as CSV, the page, the document, and the summary
    /// last.
    ///
    /// # Errors
    /// Returns an error if a drawing cannot be converted to PNG.
    pub fn files(
        &self,
        provenance: &Provenance,
        sources: &Sources,
    ) -> Result<Vec<(String, Vec<u8>)>, FigureError> {
        let claims = self.claims();
        let drawings = drawings(&self.plan, &self.results, sources);
        let mut files: Vec<(String, Vec<u8>)> = Vec::new();
        for drawing in &drawings {
            files.push((format!("{}.svg", drawing.name), drawing.svg.clone().into_bytes()));
            files.push((format!("{}.png", drawing.name), png(&drawing.svg, PIXELS_PER_UNIT)?));
        }
        for &figure in &self.plan.figures {
            if !self.results.results.iter().any(|result| result.cell.figure == figure) {
                continue;
            }
            files.push((format!("{figure}.csv"), table(figure, &self.results).csv().into_bytes()));
            let mut more = |name: String, table: DataTable| files.push((name, table.csv().into_bytes()));
            match figure {
                FigureName::Table1 | FigureName::Fig5 => {}
                FigureName::Phase => {
                    more("phase-lemma.csv".into(), lemma_table(&self.results));
                    more("phase-bound.csv".into(), bound_table(&self.results));
                }
                _ => more(format!("{figure}-curves.csv"), curve_table(&curves(figure, &self.results))),
            }
        }
        files.push(("report.html".into(), html::render(self, &claims, &drawings, provenance).into_bytes()));
        files.push(("reproduction.md".into(), document(self, &claims, provenance).into_bytes()));
        let summary = serde_json::to_string_pretty(&self.summary(provenance)).unwrap_or_default();
        files.push(("summary.json".into(), (summary + "\n").into_bytes()));
        Ok(files)
    }
}
