//! What the demo prints for people.

use std::io::{self, Write};
use std::path::Path;

use andnmf::Method;
use andnmf::fit::StopReason;
use andnmf::synth::Dataset;
use andnmf_program::{Common, Failure, Outcome};

use super::Run;

/// The method as people write it.
pub(super) fn name(method: Method) -> String {
    method.name().to_uppercase()
}

/// Why a method stopped, in words.
pub(super) fn stopped(reason: StopReason) -> &'static str {
    match reason {
        StopReason::Converged => "converged",
        StopReason::MaxStages => "all stages done",
        StopReason::TimeLimit => "time is up",
        StopReason::Cancelled => "cancelled",
    }
}

pub(super) fn head(common: &Common, data: &Dataset) -> Result<(), Failure> {
    let (n_samples, n_features) = data.samples.dim();
    let rank = data.truth.nrows();
    common.say(format!(
        "{n_samples} samples of {n_features} features, mixed from {rank} components in correlated pairs.\n\
         Every method gets the samples alone.\n\n\
         method     error  seconds  stages"
    ))
}

pub(super) fn row(common: &Common, method: Method, outcome: &Outcome) -> Result<(), Failure> {
    common.say(format!(
        "{:<6}  {:>8.1e}  {:>7.2}  {:>6}  {}",
        name(method),
        outcome.recovery.relative_total_correlation_error,
        outcome.solver_seconds,
        outcome.stages.len(),
        stopped(outcome.stop_reason),
    ))
}

pub(super) fn verdict(common: &Common, runs: &[Run], report: &Path) -> Result<(), Failure> {
    let and = &runs[0].outcome;
    common.say(format!(
        "\nerror: sum over all components of the relative distance to the truth; {} would be the worst",
        and.components.nrows()
    ))?;
    common.say(format!(
        "largest correlation between the weights of two components: {:.2}",
        and.largest_weight_correlation
    ))?;
    for warning in &and.warnings {
        common.say(format!("note: {warning}"))?;
    }
    if let Some(trust) = &and.trust {
        common.say(format!(
            "what AND thinks of its result, without knowing the truth: {}",
            trust.judgement.verdict
        ))?;
        for reason in &trust.judgement.reasons {
            common.say(format!("  {reason}"))?;
        }
    }
    if common.quiet {
        return Ok(writeln!(io::stdout(), "{}", report.display())?);
    }
    common.say(format!("\nthe report is {}; open it in a browser", report.display()))?;
    common.say("next, your own matrix: andnmf fit DATA --rank K --out DIR --report")
}
