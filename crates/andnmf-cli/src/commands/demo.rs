//! `andnmf demo`: correlated data in, recovery error per stage out.

use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::ops::ControlFlow;

use andnmf::MethodParams;
use andnmf::and::AndParams;
use andnmf::fit::StopReason;
use andnmf::synth::{DatasetKind, DatasetSpec, Weights};
use andnmf_lab::{Experiment, Outcome, StageRow, StartFrom};
use serde::Serialize;

use crate::args::DemoArgs;
use crate::failure::Failure;

/// Components active per sample, on average.
const SPARSITY: f64 = 5.0;
/// Stages between two printed rows.
const PRINT_EVERY: usize = 5;

pub(crate) fn run(args: &DemoArgs) -> Result<(), Failure> {
    let experiment = plan(args);
    experiment.check()?;
    let threads = args.threads.map(NonZeroUsize::get);
    let mut out = io::stdout().lock();
    if args.json {
        let outcome = experiment.run(threads, &mut |_| ControlFlow::Continue(()))?;
        return print_json(&mut out, &experiment, &outcome);
    }
    if args.quiet {
        let outcome = experiment.run(threads, &mut |_| ControlFlow::Continue(()))?;
        return Ok(writeln!(out, "{}", summary(&outcome))?);
    }
    print_head(&mut out, &experiment)?;
    let mut table = Table { out: &mut out, printed: Ok(()), last: None };
    let outcome = experiment.run(threads, &mut |row| table.row(row))?;
    table.finish()?;
    print_verdict(&mut out, &outcome)?;
    Ok(())
}

/// What was typed, as an experiment.
fn plan(args: &DemoArgs) -> Experiment {
    let weights = Weights::Paired {
        // Small demos cannot have as many active components as the usual one.
        sparsity: SPARSITY.min(args.rank as f64 / 4.0),
        co_occurrence: args.co_occurrence,
        decay_order: None,
    };
    let dataset = DatasetSpec {
        n_features: args.features,
        rank: args.rank,
        n_samples: args.samples,
        seed: args.seed,
        weights,
        ..DatasetSpec::new(DatasetKind::Paired)
    };
    let and = AndParams { seed: args.seed, ..AndParams::new(args.rank) };
    Experiment { dataset, method: MethodParams::And(and), from: StartFrom::Data }
}

/// The table as far as it is printed. A write that fails ends the run; the failure is told at its end.
struct Table<'a, W: Write> {
    out: &'a mut W,
    printed: io::Result<()>,
    /// The newest row, while it is not printed.
    last: Option<StageRow>,
}

impl<W: Write> Table<'_, W> {
    fn row(&mut self, row: &StageRow) -> ControlFlow<()> {
        if !row.record.stage.is_multiple_of(PRINT_EVERY) {
            self.last = Some(*row);
            return ControlFlow::Continue(());
        }
        self.last = None;
        self.printed = print_row(self.out, row);
        if self.printed.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }

    /// Prints the last stage if it was not among those printed.
    fn finish(self) -> io::Result<()> {
        self.printed?;
        self.last.map_or(Ok(()), |row| print_row(self.out, &row))
    }
}

fn print_head(out: &mut impl Write, experiment: &Experiment) -> io::Result<()> {
    let DatasetSpec { n_samples, n_features, rank, .. } = experiment.dataset;
    writeln!(
        out,
        "{n_samples} samples of {n_features} features, mixed from {rank} components in correlated pairs"
    )?;
    writeln!(out)?;
    writeln!(out, "stage  threshold  active    change     error  seconds")
}

fn print_row(out: &mut impl Write, row: &StageRow) -> io::Result<()> {
    let record = &row.record;
    writeln!(
        out,
        "{:>5}  {:>9.4}  {:>5.1}%  {:>8.1e}  {:>8.1e}  {:>7.2}",
        record.stage,
        record.threshold_median.unwrap_or_default(),
        100.0 * record.active_fraction,
        record.change,
        row.relative_correlation_error,
        record.seconds,
    )
}

fn print_verdict(out: &mut impl Write, outcome: &Outcome) -> io::Result<()> {
    let stopped = match outcome.stop_reason {
        StopReason::Converged => "converged",
        StopReason::MaxStages => "all stages done",
        StopReason::TimeLimit => "time is up",
        StopReason::Cancelled => "cancelled",
    };
    for warning in &outcome.warnings {
        writeln!(out, "note: {warning}")?;
    }
    writeln!(out)?;
    writeln!(out, "{stopped}: {}", summary(outcome))?;
    if let Some(trust) = &outcome.trust {
        writeln!(out, "verdict without knowing the truth: {}", trust.judgement.verdict)?;
        for reason in &trust.judgement.reasons {
            writeln!(out, "  {reason}")?;
        }
    }
    writeln!(out, "error: sum over all components of the relative distance to the truth")?;
    writeln!(
        out,
        "largest correlation between the weights of two components: {:.2}",
        outcome.largest_weight_correlation
    )
}

fn summary(outcome: &Outcome) -> String {
    format!(
        "error {:.1e}, from the data alone, after {} stages in {:.2} s",
        outcome.recovery.relative_total_correlation_error,
        outcome.stages.len(),
        outcome.solver_seconds,
    )
}

fn print_json(out: &mut impl Write, experiment: &Experiment, outcome: &Outcome) -> Result<(), Failure> {
    #[derive(Serialize)]
    struct Report<'a> {
        settings: &'a Experiment,
        #[serde(flatten)]
        outcome: &'a Outcome,
    }
    serde_json::to_writer_pretty(&mut *out, &Report { settings: experiment, outcome })?;
    writeln!(out)?;
    Ok(())
}
