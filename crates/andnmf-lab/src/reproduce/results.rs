//! Finished cells, sorted for those who ask.

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
            CellOutcome::Recovered(recovered) => Some(recovered),
            _ => None,
        };
        self.cells.iter().filter_map(recovered).collect()
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

    /// The number of components that a figure is about.
    #[must_use]
    pub fn rank_of(&self, figure: FigureName) -> Option<usize> {
        let first = self.results.iter().find(|result| result.cell.figure == figure);
        first.map(|result| result.cell.settings().rank())
    }

    /// The runs of one method on one kind of samples.
    #[must_use]
    pub fn runs(&self, figure: FigureName, case: &str, method: &str) -> Vec<&Recovered> {
        let series = self.series(figure).into_iter();
        series.filter(|s| s.case == case && s.method == method).flat_map(|s| s.runs()).collect()
    }
}
