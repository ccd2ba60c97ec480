//! What a person is told at the end of a fit.

use std::fmt::Write as _;
use std::path::Path;

use andnmf::fit::StopReason;
use andnmf::trust::UNSTABLE;

use super::results::Summary;

/// A few lines: what was found, how far to believe it, where it is, what to try next.
pub(crate) fn told(summary: &Summary, folder: &Path, files: &[&str], resumable: bool) -> String {
    let Summary { rank, n_samples, n_features, stages, .. } = summary;
    let stopped = match summary.stop_reason {
        StopReason::Converged => "converged",
        StopReason::MaxStages => "all stages done",
        StopReason::TimeLimit => "time is up",
        StopReason::Cancelled => "stopped",
    };
    let folder = folder.display();
    // Writing into text cannot fail.
    let mut text = format!(
        "{rank} components of {n_samples} samples × {n_features} features, by {}\n",
        made_by(summary)
    );
    let _ = writeln!(
        text,
        "{stopped} after {stages} stages, {:.2} s; relative error of the reconstruction {:.3e}",
        summary.solver_seconds, summary.reconstruction_error
    );
    if let Some(recovery) = &summary.recovery {
        let _ = writeln!(
            text,
            "against the truth: total relative correlation error {:.3e}, mean cosine {:.6}",
            recovery.relative_total_correlation_error, recovery.mean_matched_cosine
        );
    }
    for warning in &summary.warnings {
        let _ = writeln!(text, "note: {warning}");
    }
    match &summary.trust {
        Some(trust) => {
            let stable = trust.component_stability.iter().filter(|score| **score <= UNSTABLE).count();
            let verdict = trust.judgement.verdict;
            let _ = writeln!(text, "verdict: {verdict} ({stable} of {rank} components are stable)");
            for reason in &trust.judgement.reasons {
                let _ = writeln!(text, "  - {reason}");
            }
        }
        None => {
            let _ = writeln!(text, "no verdict on a fit of this kind; try: andnmf diagnose {folder}");
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

/// What made the components: where AND found none that the samples bear out, it was not AND.
fn made_by(summary: &Summary) -> String {
    match (summary.method, summary.start.as_str()) {
        ("and", "nmf") => "NMF, as AND found none that can be relied on".to_owned(),
        (method, _) => method.to_owned(),
    }
}
