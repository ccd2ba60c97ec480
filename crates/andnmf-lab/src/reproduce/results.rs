//! Finished cells, sorted for those who ask.

use andnmf::fit::StopReason;

use super::outcome::{CellOutcome, Recovered};
use super::{CellResult, FigureName};

/// What a plan came to.
#[derive(Debug, Clone, PartialEq)]
pub struct Results {
    /// Finished cells, in the order of the plan.
    pub results: Vec<CellResult>,
    /// Whether all of the plan is done.
    pub complete: bool,
    /// How many of them were not there before.
    pub newly_done: usize,
}

/// The same method on the same samples, with several seeds.
#[derive(Debug, Clone)]
pub struct Series<'a> {
    /// The samples, as the figure calls them.
    pub case: &'a str,
    /// The method or setting, as the figure calls it.
    pub method: &'a str,
    /// The values that the figure varies.
    pub at: &'a [f64],
    /// What its cells came to, failed ones too.
    pub cells: Vec<&'a CellResult>,
}

impl<'a> Series<'a> {
    /// The runs that were not in vain.
    #[must_use]
    pub fn runs(&self) -> Vec<&'a Recovered> {
        let recovered = |result: &&'a CellResult| match &result.outcome {
            CellOutcome::Recovered(recovered) => Some(&**recovered),
            _ => None,
        };
        self.cells.iter().filter_map(recovered).collect()
    }

    /// What a reader of a drawing has to know of the runs: that they have no stage, or that time ended them before
    /// their own end would have come.
    #[must_use]
    pub fn remark(&self) -> Option<String> {
        let runs = self.runs();
        let ends_by_itself = self.cells.iter().all(|result| result.cell.ends_by_itself());
        let (mut idle, mut cut) = (0, 0);
        for run in &runs {
            idle += usize::from(run.stages == 0);
            cut += usize::from(ends_by_itself && run.stages > 0 && run.stop_reason == StopReason::TimeLimit);
        }
        let of_all = |count: usize| {
            if count == runs.len() { String::new() } else { format!(" in {count} of {} runs", runs.len()) }
        };
        match (runs.is_empty(), idle, cut) {
            (true, ..) => Some("failed".to_owned()),
            (_, 0, 0) => None,
            (_, 0, cut) => Some(format!("cut by time{}", of_all(cut))),
            (_, idle, _) => Some(format!("no stage in time{}", of_all(idle))),
        }
    }

    /// Why runs stopped, and how many did so for each reason.
    #[must_use]
    pub fn stopped_by(&self) -> String {
        let runs = self.runs();
        let reasons = [
            (StopReason::Converged, "converged"),
            (StopReason::MaxStages, "last stage"),
            (StopReason::TimeLimit, "time"),
        ];
        let told = reasons.into_iter().filter_map(|(reason, name)| {
            let count = runs.iter().filter(|run| run.stop_reason == reason).count();
            match count {
                0 => None,
                _ if count == runs.len() => Some(name.to_owned()),
                _ => Some(format!("{name} ({count})")),
            }
        });
        told.collect::<Vec<_>>().join(", ")
    }

    /// Why cells failed or broke off, each reason once.
    #[must_use]
    pub fn failures(&self) -> Vec<&'a str> {
        let mut reasons: Vec<&str> = Vec::new();
        for result in &self.cells {
            reasons.extend(result.outcome.trouble().filter(|reason| !reasons.contains(reason)));
        }
        reasons
    }
}

impl Results {
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

    /// The states of the source that made these results, in the order in which they first occur.
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

    /// The number of components that a figure is about.
    #[must_use]
    pub fn rank_of(&self, figure: FigureName) -> Option<usize> {
        let first = self.results.iter().find(|result| result.cell.figure == figure);
        first.map(|result| result.cell.settings().rank())
    }
}
