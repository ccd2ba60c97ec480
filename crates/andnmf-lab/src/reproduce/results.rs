//! Finished cells, grouped by series.

use andnmf::fit::StopReason;

use super::outcome::{CellOutcome, RecoveryResult};
use super::{CellResult, FigureName};

/// The results of a plan.
#[derive(Debug, Clone, PartialEq)]
pub struct PlanResults {
    /// Finished cells, in the order of the plan.
    pub results: Vec<CellResult>,
    /// True if all cells are finished.
    pub complete: bool,
    /// Number of cells that this call ran.
    pub newly_done: usize,
}

/// The same method on the same samples, with several seeds.
#[derive(Debug, Clone)]
pub struct Series<'a> {
    /// Label of the samples.
    pub case: &'a str,
    /// Label of the method or setting.
    pub method: &'a str,
    /// The values of the varied parameters.
    pub at: &'a [f64],
    /// Results of its cells, including failed ones.
    pub cells: Vec<&'a CellResult>,
}

impl<'a> Series<'a> {
    /// The runs that did not fail.
    #[must_use]
    pub fn runs(&self) -> Vec<&'a RecoveryResult> {
        let recovered = |result: &&'a CellResult| match &result.outcome {
            CellOutcome::Recovered(recovered) => Some(&**recovered),
            _ => None,
        };
        self.cells.iter().filter_map(recovered).collect()
    }

    /// A remark for figures if runs failed, had no stage, or reached the time limit before they ended. `None`
    /// otherwise.
    #[must_use]
    pub fn remark(&self) -> Option<String> {
        let runs = self.runs();
        let (mut idle, mut cut) = (0, 0);
        for run in &runs {
            idle += usize::from(run.stages == 0);
            cut += usize::from(run.stages > 0 && run.stop_reason == StopReason::TimeLimit);
        }
        let of_all = |count: usize| {
            if count == runs.len() { String::new() } else { format!(" in {count} of {} runs", runs.len()) }
        };
        match (runs.is_empty(), idle, cut) {
            (true, ..) => Some("failed".to_owned()),
            (_, 0, 0) => None,
            (_, 0, cut) => Some(format!("time limit reached{}", of_all(cut))),
            (_, idle, _) => Some(format!("no stage within the time limit{}", of_all(idle))),
        }
    }

    /// The stop reasons, with counts if they differ.
    #[must_use]
    pub fn stopped_by(&self) -> String {
        let runs = self.runs();
        let reasons = [
            (StopReason::Converged, "converged"),
            (StopReason::MaxStages, "last stage"),
            (StopReason::TimeLimit, "time"),
        ];
        let counts = reasons.into_iter().filter_map(|(reason, name)| {
            let count = runs.iter().filter(|run| run.stop_reason == reason).count();
            match count {
                0 => None,
                _ if count == runs.len() => Some(name.to_owned()),
                _ => Some(format!("{name} ({count})")),
            }
        });
        counts.collect::<Vec<_>>().join(", ")
    }

    /// The distinct reasons of failed and aborted runs.
    #[must_use]
    pub fn failures(&self) -> Vec<&'a str> {
        let mut reasons: Vec<&str> = Vec::new();
        for result in &self.cells {
            reasons.extend(result.outcome.failure().filter(|reason| !reasons.contains(reason)));
        }
        reasons
    }
}

impl PlanResults {
    /// The series of a figure, in the order of the plan.
    #[must_use]
    pub fn series(&self, figure: FigureName) -> Vec<Series<'_>> {
        let mut series: Vec<Series<'_>> = Vec::new();
        for result in self.results.iter().filter(|result| result.cell.figure == figure) {
            let cell = &result.cell;
            let same =
                |s: &&mut Series<'_>| s.case == cell.case && s.method == cell.method && s.at == cell.at;
            match series.iter_mut().find(same) {
                Some(known) => known.cells.push(result),
                None => series.push(Series {
                    case: &cell.case,
                    method: &cell.method,
                    at: &cell.at,
                    cells: vec![result],
                }),
            }
        }
        series
    }

    /// The commits of the programs that produced these results, without duplicates.
    #[must_use]
    pub fn commits(&self) -> Vec<&str> {
        let mut commits: Vec<&str> = Vec::new();
        for commit in self.results.iter().filter_map(|result| result.commit.as_deref()) {
            if !commits.contains(&commit) {
                commits.push(commit);
            }
        }
        commits
    }

    /// The rank of a figure's experiments.
    #[must_use]
    pub fn rank_of(&self, figure: FigureName) -> Option<usize> {
        let first = self.results.iter().find(|result| result.cell.figure == figure);
        first.map(|result| result.cell.settings().rank())
    }
}
