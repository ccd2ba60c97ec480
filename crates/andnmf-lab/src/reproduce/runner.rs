//! Runs the cells of a plan in sequence, each at most once.

use std::collections::BTreeMap;
use std::time::Instant;

use andnmf_io::FileError;

use super::execute::CellExecutor;
use super::{Cell, CellResult, CellStore, PlanResults, ReproductionPlan, RunContext};

/// Estimated share of the time limit that a cell takes before any cell of its kind has finished.
const ESTIMATED_SHARE: f64 = 0.3;
/// Estimated time of a cell without a time limit.
const ESTIMATED_SECONDS: f64 = 5.0;

/// Progress of a plan.
#[derive(Debug, Clone, Copy)]
pub struct PlanProgress<'a> {
    /// Finished cells, including those from earlier calls.
    pub done: usize,
    /// All cells of the plan.
    pub all: usize,
    /// The next cell; `None` at the end.
    pub next: Option<&'a Cell>,
    /// Estimated remaining time, from the times of finished cells.
    pub seconds_left: f64,
}

/// The error of a plan that could not continue.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// A result could not be saved.
    #[error(transparent)]
    Save(#[from] FileError),
    /// The folder for results could not be created.
    #[error("cannot create the folder for finished runs: {0}")]
    Folder(#[from] std::io::Error),
}

impl ReproductionPlan {
    /// The stored results of earlier calls; runs nothing.
    #[must_use]
    pub fn stored_results(&self, store: &CellStore) -> PlanResults {
        let stored: Vec<CellResult> = self.cells.iter().filter_map(|cell| store.load(cell)).collect();
        PlanResults { complete: stored.len() == self.cells.len(), results: stored, newly_done: 0 }
    }

    /// Runs the missing cells and saves each result immediately. Calls `on_progress` before every cell and at the end.
    /// The result of a failed cell is its error message.
    ///
    /// # Errors
    /// Returns an error if a result cannot be saved.
    pub fn run(
        &self,
        store: &CellStore,
        context: RunContext<'_>,
        on_progress: &mut dyn FnMut(&PlanProgress<'_>),
    ) -> Result<PlanResults, RunError> {
        let mut stored: Vec<Option<CellResult>> = self.cells.iter().map(|cell| store.load(cell)).collect();
        let mut estimate = TimeEstimate::default();
        stored.iter().flatten().for_each(|result| estimate.record(result));
        let mut executor = CellExecutor::new(context);
        let (all, mut newly_done) = (self.cells.len(), 0);
        for (i, cell) in self.cells.iter().enumerate() {
            if stored[i].is_some() {
                continue;
            }
            let missing = self.cells.iter().zip(&stored).filter(|(_, stored)| stored.is_none());
            let seconds_left = missing.map(|(cell, _)| estimate.expected(cell)).sum();
            let done = stored.iter().flatten().count();
            on_progress(&PlanProgress { done, all, next: Some(cell), seconds_left });
            if context.stopped() {
                break;
            }
            let started = Instant::now();
            let Some(outcome) = executor.run(cell) else { break };
            let wall_seconds = started.elapsed().as_secs_f64();
            let commit = context.commit.map(str::to_owned);
            let result = CellResult { cell: cell.clone(), wall_seconds, commit, outcome };
            store.create_folder(cell)?;
            store.save(&result)?;
            estimate.record(&result);
            stored[i] = Some(result);
            newly_done += 1;
        }
        let results: Vec<CellResult> = stored.into_iter().flatten().collect();
        on_progress(&PlanProgress { done: results.len(), all, next: None, seconds_left: 0.0 });
        Ok(PlanResults { complete: results.len() == all, results, newly_done })
    }
}

/// Estimates the time of cells from finished ones of the same figure and method.
#[derive(Debug, Default)]
struct TimeEstimate {
    /// Number of finished cells and their total time.
    seen: BTreeMap<(super::FigureName, &'static str), (usize, f64)>,
}

impl TimeEstimate {
    fn record(&mut self, result: &CellResult) {
        let (count, seconds) = self.seen.entry(Self::kind(&result.cell)).or_default();
        *count += 1;
        *seconds += result.wall_seconds;
    }

    fn expected(&self, cell: &Cell) -> f64 {
        if let Some((count, seconds)) = self.seen.get(&Self::kind(cell)) {
            return seconds / *count as f64;
        }
        match time_limit(cell) {
            Some(limit) => ESTIMATED_SHARE * limit,
            None => ESTIMATED_SECONDS,
        }
    }

    fn kind(cell: &Cell) -> (super::FigureName, &'static str) {
        (cell.figure, cell.settings().method().name())
    }
}

fn time_limit(cell: &Cell) -> Option<f64> {
    // All methods call their time limit the same.
    serde_json::to_value(cell.settings()).ok()?.get("time_limit")?.as_f64()
}
