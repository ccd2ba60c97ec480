//! The runs that a claim is about, or why there are none to judge by.

use andnmf::fit::StopReason;

use super::super::spoken::spoken;
use super::super::{FigureName, Recovered, Results, Series, median};

/// The runs of one method on one kind of samples, each of which has done at least one stage: enough for what is
/// compared by time.
pub(super) fn by_time<'a>(
    results: &'a Results,
    figure: FigureName,
    case: &str,
    method: &str,
) -> Result<Vec<&'a Recovered>, String> {
    let series = results.series(figure).into_iter();
    let found = series.into_iter().find(|series| series.case == case && series.method == method);
    with_stages(&found.ok_or_else(|| format!("{method} was not run"))?)
}

/// The same, each of which came to its own end.
pub(super) fn to_the_end<'a>(
    results: &'a Results,
    figure: FigureName,
    case: &str,
    method: &str,
) -> Result<Vec<&'a Recovered>, String> {
    uncut(by_time(results, figure, case, method)?, method)
}

/// All series of one kind of samples, those without runs too.
pub(super) fn of_case<'a>(
    results: &'a Results,
    figure: FigureName,
    case: &str,
) -> Result<Vec<Series<'a>>, String> {
    let series = results.series(figure).into_iter();
    let of: Vec<Series<'a>> = series.filter(|series| series.case == case).collect();
    if of.is_empty() { Err("there are no results".into()) } else { Ok(of) }
}

/// The runs of a series, each of which came to its own end.
pub(super) fn ended<'a>(series: &Series<'a>) -> Result<Vec<&'a Recovered>, String> {
    uncut(with_stages(series)?, series.method)
}

/// The value that a series stands for.
pub(super) fn value(series: &Series<'_>) -> f64 {
    series.at.first().copied().unwrap_or(0.0)
}

/// The ended runs of the series that stands for a value.
pub(super) fn at<'a>(series: &[Series<'a>], wanted: f64) -> Result<Vec<&'a Recovered>, String> {
    let found = series.iter().find(|series| value(series) == wanted);
    ended(found.ok_or_else(|| format!("there is no run at {wanted}"))?)
}

fn with_stages<'a>(series: &Series<'a>) -> Result<Vec<&'a Recovered>, String> {
    let (runs, all, method) = (series.runs(), series.cells.len(), series.method);
    if runs.len() < all {
        let failed = all - runs.len();
        let of = if all == 1 { String::new() } else { format!(" in {failed} of {all} runs") };
        return Err(format!("{method} failed{of}: {}", series.failures().join("; ")));
    }
    let idle: Vec<f64> = runs.iter().filter(|run| run.stages == 0).map(|run| run.solver_seconds).collect();
    match median(&idle) {
        Some(seconds) => Err(format!(
            "{method} did not finish a stage in its {} s; a larger --budget gives it more",
            spoken(seconds)
        )),
        None => Ok(runs),
    }
}

fn uncut<'a>(runs: Vec<&'a Recovered>, method: &str) -> Result<Vec<&'a Recovered>, String> {
    match runs.iter().find(|run| run.stop_reason == StopReason::TimeLimit) {
        Some(cut) => Err(format!(
            "time was up for {method} after {} stages, before its end; a larger --budget gives it more",
            cut.stages
        )),
        None => Ok(runs),
    }
}

/// What every question has an answer to, as there are runs.
pub(super) fn known<T>(answer: Option<T>) -> Result<T, String> {
    answer.ok_or_else(|| "the errors are no numbers".to_owned())
}
