//! The text output of the demo.

use std::io::{self, Write};
use std::path::Path;

use andnmf::Method;
use andnmf::synth::Dataset;
use andnmf_program::format::number;
use andnmf_program::{CommonArgs, ExperimentOutcome, Failure};

use super::MethodRun;
use crate::commands::fit::message::stop_text;

/// The method as it is usually written: HALS.
pub(super) fn name(method: Method) -> String {
    method.name().to_uppercase()
}

pub(super) fn head(common: &CommonArgs, data: &Dataset) -> Result<(), Failure> {
    let (n_samples, n_features) = data.samples.dim();
    let rank = data.truth.nrows();
    common.print(format!(
        "{n_samples} samples of {n_features} features, mixtures of {rank} components in correlated pairs.\n\
         Every method receives only the samples.\n\n\
         method     error  seconds  stages"
    ))
}

pub(super) fn row(common: &CommonArgs, method: Method, outcome: &ExperimentOutcome) -> Result<(), Failure> {
    common.print(format!(
        "{:<6}  {:>8}  {:>7.2}  {:>6}  {}",
        name(method),
        number(outcome.recovery.relative_total_correlation_error, 2),
        outcome.solver_seconds,
        outcome.stages.len(),
        stop_text(outcome.stop_reason),
    ))
}

pub(super) fn verdict(common: &CommonArgs, runs: &[MethodRun], report: &Path) -> Result<(), Failure> {
    let and = &runs[0].outcome;
    common.print(format!(
        "\nerror: sum over all true components of the relative distance to the nearest recovered one; at most {}",
        and.components.nrows()
    ))?;
    common.print(format!(
        "largest correlation between the weights of two components: {:.2}",
        and.largest_weight_correlation
    ))?;
    for warning in &and.warnings {
        common.print(format!("note: {warning}"))?;
    }
    if let Some(trust) = &and.trust {
        common.print(format!("verdict of AND, computed without the truth: {}", trust.judgement.verdict))?;
        for reason in &trust.judgement.reasons {
            common.print(format!("  {reason}"))?;
        }
    }
    if common.quiet {
        return Ok(writeln!(io::stdout(), "{}", report.display())?);
    }
    common.print(format!("\nreport: {} (open it in a browser)", report.display()))?;
    common.print("next: andnmf fit DATA --rank K --out DIR --report, with your own data")
}
