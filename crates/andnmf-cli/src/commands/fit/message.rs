//! The text printed at the end of a fit.

use std::fmt::Write as _;
use std::path::Path;

use andnmf::fit::StopReason;
use andnmf::trust::{ComponentError, UNSTABLE};
use serde_json::Value;

use super::results::Summary;
use andnmf_program::format::number;

/// Formats why a fit stopped.
pub(crate) fn stop_text(reason: StopReason) -> &'static str {
    match reason {
        StopReason::Converged => "converged",
        StopReason::MaxStages => "maximum number of stages reached",
        StopReason::TimeLimit => "time limit reached",
        StopReason::Cancelled => "cancelled",
    }
}

/// Formats the result of a fit, its verdict, the files, and the next command.
pub(crate) fn fit_text(summary: &Summary, folder: &Path, files: &[&str], resumable: bool) -> String {
    let Summary { rank, n_samples, n_features, stages, search_stages, .. } = summary;
    let folder = folder.display();
    // Writing into a string cannot fail.
    let mut text = format!(
        "{rank} components of {n_samples} samples × {n_features} features, by {}\n",
        made_by(summary)
    );
    let _ = writeln!(
        text,
        "{} after {stages} stages{} in {:.2} s; relative reconstruction error {}",
        stop_text(summary.stop_reason),
        if *search_stages > 0 {
            format!(" and {search_stages} of the search for a start")
        } else {
            String::new()
        },
        summary.solver_seconds,
        number(summary.reconstruction_error, 3)
    );
    if let Some(recovery) = &summary.recovery {
        let _ = writeln!(
            text,
            "error against the truth: relative total correlation error {}, mean matched cosine {:.6}",
            number(recovery.relative_total_correlation_error, 3),
            recovery.mean_matched_cosine
        );
    }
    if let Some(counts) = &summary.counts {
        let _ = writeln!(
            text,
            "the samples are counts, fitted with Poisson noise; dispersion {} (1: no more than Poisson noise)",
            number(counts.dispersion, 3)
        );
    }
    for warning in &summary.warnings {
        let _ = writeln!(text, "note: {warning}");
    }
    match &summary.trust {
        Some(trust) => {
            let verdict = trust.judgement.verdict;
            let _ = writeln!(text, "verdict: {verdict} ({})", errors_text(&trust.component_error));
            for reason in &trust.judgement.reasons {
                let _ = writeln!(text, "  - {reason}");
            }
        }
        None if summary.settings.get("trust").and_then(Value::as_str) == Some("off") => {
            let _ = writeln!(text, "no verdict: --trust off omits it");
        }
        None => {
            let _ = writeln!(
                text,
                "no verdict: only AND with --threshold auto has one; judge the result by: andnmf diagnose {folder}"
            );
        }
    }
    let _ = writeln!(text, "written to {folder}: {}", files.join(", "));
    let next = match summary.stop_reason {
        StopReason::TimeLimit | StopReason::Cancelled if resumable => {
            "the same command with --resume".to_owned()
        }
        StopReason::TimeLimit => "the same command with a longer --time-limit and --force".to_owned(),
        _ if !files.contains(&"report.html") => format!("andnmf report {folder}"),
        _ => format!("open {folder}/report.html in a browser"),
    };
    let _ = write!(text, "next: {next}");
    text
}

/// The largest errors: those of components that may be wrong, if there are any.
fn errors_text(errors: &[ComponentError]) -> String {
    let uncertain = errors.iter().filter(|error| error.high > UNSTABLE).count();
    let largest = errors.iter().copied().max_by(|a, b| a.high.total_cmp(&b.high));
    let Some(largest) = largest else { return "no components".into() };
    let ComponentError { low, estimate, high } = largest;
    let interval = [low, estimate, high].map(|sine| number(sine, 2));
    let [low, estimate, high] = interval;
    let largest = format!(
        "largest error (sine of the angle to the true component): {estimate}, between {low} and {high}"
    );
    match uncertain {
        0 => format!("all errors below {UNSTABLE}; {largest}"),
        _ => format!(
            "{uncertain} of {} components may be off by more than {UNSTABLE}; {largest}",
            errors.len()
        ),
    }
}

/// The method that produced the components, and the ending if it was not the method's own.
fn made_by(summary: &Summary) -> String {
    match summary.ending.as_str() {
        "nmf" if summary.method == "and" => "NMF, since AND found no reliable components".to_owned(),
        "and" => "AND".to_owned(),
        "and+hals" => "AND, refined by HALS".to_owned(),
        "min-volume" if summary.method == "and" => {
            "minimum volume, started from the result of AND, since weights are rarely zero".to_owned()
        }
        "likelihood" => "AND, refined by the likelihood of the counts".to_owned(),
        "priors" => "AND, refined by the likelihood of the counts with learned priors".to_owned(),
        "profiles" => {
            "AND, refined by the likelihood of the counts with learned profiles of shares".to_owned()
        }
        _ => summary.method.to_owned(),
    }
}
