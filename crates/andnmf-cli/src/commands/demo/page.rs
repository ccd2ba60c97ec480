//! The demo's report page and summary.

use std::time::Instant;

use andnmf::metrics::reconstruction_error;
use andnmf::nnls;
use andnmf::samples::DenseSamples;
use andnmf::synth::Dataset;
use andnmf_program::{CommonArgs, Failure, OutputFolder};
use andnmf_report::{ComponentThresholds, FitView, MethodRow, Report, Trace};
use serde_json::{Value, json};

use super::{MethodRun, PAGE, SUMMARY, table};
use crate::commands::fit::message::stop_text;

/// Writes both, and returns the summary: that of the fit with AND, plus one entry per method.
pub(super) fn write(
    folder: &OutputFolder,
    data: &Dataset,
    runs: &[MethodRun],
    common: &CommonArgs,
    started: Instant,
) -> Result<Value, Failure> {
    let MethodRun { experiment, outcome } = &runs[0];
    let samples = DenseSamples::new(data.samples.view())?;
    let weights = nnls::weights(&samples, outcome.components.view(), &common.run())?;
    let warnings: Vec<String> = outcome.warnings.iter().map(ToString::to_string).collect();
    let summary = json!({
        "method": experiment.method.method().name(),
        "rank": data.spec.rank,
        "n_samples": data.spec.n_samples,
        "n_features": data.spec.n_features,
        "stages": outcome.stages.len(),
        "stop_reason": outcome.stop_reason,
        "solver_seconds": outcome.solver_seconds,
        "seconds": started.elapsed().as_secs_f64(),
        "reconstruction_error": reconstruction_error(&samples, weights.view(), outcome.components.view())?,
        "passes": outcome.passes,
        "trust": outcome.trust,
        "warnings": warnings,
        "settings": experiment.method,
        "dataset": data.spec,
        "recovery": outcome.recovery,
        "methods": runs.iter().map(method_summary).collect::<Vec<_>>(),
    });
    let records: Vec<_> = outcome.stages.iter().map(|row| row.record).collect();
    let errors = outcome.stages.iter().map(|row| row.relative_correlation_error).collect();
    let view = FitView {
        weights: Some(weights.view()),
        // Automatic thresholds are fractions of the largest weight.
        thresholds: ComponentThresholds::Shares(&outcome.thresholds),
        ..FitView::new(outcome.components.view())
    };
    let report = Report::new("Demo: topics that come in pairs", summary.clone())
        .with_trace(Trace::of(&records).with_errors(errors))
        .with_fit(&view)
        .map_err(|error| Failure::Other(format!("cannot build the report: {error}")))?
        .with_methods(runs.iter().map(method_row).collect());
    let mut staged = folder.stage()?;
    staged.write_text(PAGE, &report.to_html())?;
    staged.write_text(SUMMARY, &format!("{}\n", serde_json::to_string_pretty(&summary)?))?;
    staged.finish()?;
    Ok(summary)
}

fn method_summary(run: &MethodRun) -> Value {
    json!({
        "method": run.experiment.method.method().name(),
        "relative_total_correlation_error": run.outcome.recovery.relative_total_correlation_error,
        "solver_seconds": run.outcome.solver_seconds,
        "stages": run.outcome.stages.len(),
        "stop_reason": run.outcome.stop_reason,
    })
}

fn method_row(run: &MethodRun) -> MethodRow {
    let stages = &run.outcome.stages;
    MethodRow {
        name: table::name(run.experiment.method.method()),
        error: Some(run.outcome.recovery.relative_total_correlation_error),
        seconds: Some(run.outcome.solver_seconds),
        note: stop_text(run.outcome.stop_reason).to_owned(),
        curve: stages.iter().map(|row| (row.record.seconds, row.relative_correlation_error)).collect(),
    }
}
