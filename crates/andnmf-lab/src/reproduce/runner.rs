//! Does the cells of a plan, one after the other, and none twice.

use std::collections::BTreeMap;
use std::time::Instant;

use andnmf_io::FileError;

use super::execute::Executor;
use super::{Cell, CellResult, CellStore, Plan, Results, Surroundings};

/// Where no cell of a kind has been done yet, it is taken to need this share of its time limit.
const GUESSED_SHARE: f64 = 0.3;
/// What is assumed of a cell without a time limit.
const GUESSED_SECONDS: f64 = 5.0;

/// How far a plan is.
#[derive(Debug, Clone, Copy)]
pub struct Progress<'a> {
    /// Cells that are finished, found or done.
    pub done: usize,
    /// Cells of the plan.
    pub all: usize,
    /// What is done next; nothing at the end.
    pub next: Option<&'a Cell>,
    /// Time that the rest will take, by what finished cells took.
    pub seconds_left: f64,
}

/// Why a plan could not go on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// A result could not be kept.
    #[error(transparent)]
    Keep(#[from] FileError),
    /// The folder for results could not be made.
    #[error("the folder for finished cells cannot be made: {0}")]
    Folder(#[from] std::io::Error),
}

impl Plan {
    /// The results that are there already, and nothing else.
    #[must_use]
    pub fn found(&self, store: &CellStore) -> Results {
        let found: Vec<CellResult> = self.cells.iter().filter_map(|cell| store.find(cell)).collect();
        Results { complete: found.len() == self.cells.len(), results: found, newly_done: 0 }
    }

    /// Does what is not done yet, and keeps every result as soon as it is there. `watch` is told before every cell and
    /// at the end. A cell that fails is a result too: it says why.
    ///
    /// # Errors
    /// Where results cannot be kept.
    pub fn run(
        &self,
        store: &CellStore,
        around: Surroundings<'_>,
        watch: &mut dyn FnMut(&Progress<'_>),
    ) -> Result<Results, RunError> {
        let mut found: Vec<Option<CellResult>> = self.cells.iter().map(|cell| store.find(cell)).collect();
        let mut pace = Pace::default();
        found.iter().flatten().for_each(|result| pace.learn(result));
        let mut executor = Executor::new(around);
        let (all, mut newly_done) = (self.cells.len(), 0);
        for (i, cell) in self.cells.iter().enumerate() {
            if found[i].is_some() {
                continue;
            }
            let missing = self.cells.iter().zip(&found).filter(|(_, found)| found.is_none());
            let seconds_left = missing.map(|(cell, _)| pace.expected(cell)).sum();
            let done = found.iter().flatten().count();
            watch(&Progress { done, all, next: Some(cell), seconds_left });
            if around.stopped() {
                break;
            }
            let begun = Instant::now();
            let Some(outcome) = executor.run(cell) else { break };
            let wall_seconds = begun.elapsed().as_secs_f64();
            let commit = around.commit.map(str::to_owned);
            let result = CellResult { cell: cell.clone(), wall_seconds, commit, outcome };
            store.make_room(cell)?;
            store.keep(&result)?;
            pace.learn(&result);
            found[i] = Some(result);
            newly_done += 1;
        }
        let results: Vec<CellResult> = found.into_iter().flatten().collect();
        watch(&Progress { done: results.len(), all, next: None, seconds_left: 0.0 });
        Ok(Results { complete: results.len() == all, results, newly_done })
    }
}

/// How long cells of a kind take.
#[derive(Debug, Default)]
struct Pace {
    /// Cells done and their time in all.
    seen: BTreeMap<(super::FigureName, &'static str), (usize, f64)>,
}

impl Pace {
    fn learn(&mut self, result: &CellResult) {
        let (count, seconds) = self.seen.entry(Self::kind(&result.cell)).or_default();
        *count += 1;
        *seconds += result.wall_seconds;
    }

    fn expected(&self, cell: &Cell) -> f64 {
        if let Some((count, seconds)) = self.seen.get(&Self::kind(cell)) {
            return seconds / *count as f64;
        }
        match time_limit(cell) {
            Some(limit) if !cell.ends_by_itself() => limit,
            Some(limit) => GUESSED_SHARE * limit,
            None => GUESSED_SECONDS,
        }
    }

    fn kind(cell: &Cell) -> (super::FigureName, &'static str) {
        (cell.figure, cell.settings().method().name())
    }
}

fn time_limit(cell: &Cell) -> Option<f64> {
    // Every kind of settings has the limit under the same name.
    serde_json::to_value(cell.settings()).ok()?.get("time_limit")?.as_f64()
}
