//! Selects the runs that a claim is about, or gives the reason that there are none.

use andnmf::fit::StopReason;

use super::super::format::format_number;
use super::super::{FigureName, PlanResults, RecoveryResult, Series, median};

/// The runs of one method on one case, each with at least one stage: enough for comparisons by time.
pub(super) fn runs_with_stages<'a>(
    results: &'a PlanResults,
    figure: FigureName,
    case: &str,
    method: &str,
) -> Result<Vec<&'a RecoveryResult>, String> {
    let series = results.series(figure).into_iter();
    let found = series.into_iter().find(|series| series.case == case && series.method == method);
    with_stages(&found.ok_or_else(|| format!("{method} was not run"))?)
}

/// The same, if no run reached its time limit.
pub(super) fn completed_runs<'a>(
    results: &'a PlanResults,
    figure: FigureName,
    case: &str,
    method: &str,
) -> Result<Vec<&'a RecoveryResult>, String> {
    require_completed(runs_with_stages(results, figure, case, method)?, method)
}

/// All series of one case, including those without runs.
pub(super) fn series_of_case<'a>(
    results: &'a PlanResults,
    figure: FigureName,
    case: &str,
) -> Result<Vec<Series<'a>>, String> {
    let series = results.series(figure).into_iter();
    let of: Vec<Series<'a>> = series.filter(|series| series.case == case).collect();
    if of.is_empty() { Err("no results".into()) } else { Ok(of) }
}

/// The runs of a series, if none reached its time limit.
pub(super) fn completed<'a>(series: &Series<'a>) -> Result<Vec<&'a RecoveryResult>, String> {
    require_completed(with_stages(series)?, series.method)
}

/// The value of the varied parameter.
pub(super) fn varied_value(series: &Series<'_>) -> f64 {
    series.at.first().copied().unwrap_or(0.0)
}

/// The completed runs at a value of the varied parameter.
pub(super) fn completed_at<'a>(series: &[Series<'a>], value: f64) -> Result<Vec<&'a RecoveryResult>, String> {
    let found = series.iter().find(|series| varied_value(series) == value);
    completed(found.ok_or_else(|| format!("no run at {value}"))?)
}

fn with_stages<'a>(series: &Series<'a>) -> Result<Vec<&'a RecoveryResult>, String> {
    let (runs, all, method) = (series.runs(), series.cells.len(), series.method);
    if runs.len() < all {
        let failed = all - runs.len();
        let of = if all == 1 { String::new() } else { format!(" in {failed} of {all} runs") };
        return Err(format!("{method} failed{of}: {}", series.failures().join("; ")));
    }
    let idle: Vec<f64> = runs.iter().filter(|run| run.stages == 0).map(|run| run.solver_seconds).collect();
    match median(&idle) {
        Some(seconds) => Err(format!(
            "{method} did not finish a stage in its {} s; use a larger --budget",
            format_number(seconds)
        )),
        None => Ok(runs),
    }
}

fn require_completed<'a>(
    runs: Vec<&'a RecoveryResult>,
    method: &str,
) -> Result<Vec<&'a RecoveryResult>, String> {
    match runs.iter().find(|run| run.stop_reason == StopReason::TimeLimit) {
        Some(cut) => Err(format!(
            "{method} reached its time limit after {} stages, before it ended; use a larger --budget",
            cut.stages
        )),
        None => Ok(runs),
    }
}

/// Turns a missing statistic into an error message.
pub(super) fn require<T>(answer: Option<T>) -> Result<T, String> {
    answer.ok_or_else(|| "the errors are not numbers".to_owned())
}
