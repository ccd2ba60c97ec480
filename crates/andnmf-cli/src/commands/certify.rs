//! `andnmf certify`: the premises and predictions of the paper's theorems, beside what happens.

use std::io::{self, Write};
use std::path::PathBuf;

use andnmf::diagnose::{Certificate, Known, certify};
use andnmf_io::read_array;
use andnmf_program::format::number;
use andnmf_program::{CommonArgs, Failure, Progress, ReadArgs, json, read_failure};
use clap::Args;

/// Compare samples and components with the paper's theorems: their premises, thresholds and predicted error.
///
/// Example: andnmf certify data/samples.npy --components data/init.npy --truth data/truth.npy
///
/// Prints r, k, m, λ and q of the weights with the bound on m, the distance of the components from the truth, the theorem
/// that fits, and the thresholds and the error that it predicts. With --truth, AND runs from the components with these
/// thresholds, and the errors of every stage are compared with the prediction. The constants that the paper does not state
/// are set to 1.
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:
  andnmf generate decay --rank 20 --sparsity 1 --decay-order 4 --in-span 0.3 --out data
  andnmf certify data/samples.npy --components data/init.npy --truth data/truth.npy --weights data/weights.npy
  andnmf certify samples.npy --components fitted/components.npy --json")]
pub(crate) struct CertifyArgs {
    /// Samples
    #[arg(value_name = "DATA")]
    data: PathBuf,
    /// Components, one per row: a start, or those of a fit
    #[arg(long, value_name = "FILE")]
    components: PathBuf,
    /// True components, one per row
    #[arg(long, value_name = "FILE")]
    truth: Option<PathBuf>,
    /// True weights (samples × rank) [default: those of least squares without negative values]
    #[arg(long, value_name = "FILE")]
    weights: Option<PathBuf>,
    #[command(flatten)]
    how: ReadArgs,
    #[command(flatten)]
    common: CommonArgs,
}

pub(crate) fn run(args: &CertifyArgs) -> Result<(), Failure> {
    args.common.set_threads()?;
    let progress = Progress::new(&args.common, format!("reading {}", args.data.display()));
    let samples = args.how.read::<f64>(&args.data)?;
    let read = |file: &PathBuf| read_array::<f64>(file).map_err(read_failure);
    let components = read(&args.components)?;
    let truth = args.truth.as_ref().map(read).transpose()?;
    let weights = args.weights.as_ref().map(read).transpose()?;
    progress.set_message("computing weights");
    let known = Known {
        truth: truth.as_ref().map(|truth| truth.view()),
        weights: weights.as_ref().map(|weights| weights.view()),
    };
    let certificate = certify(&samples, components.view(), known, &args.common.run())?;
    drop(progress);
    if args.common.json { json::print(&certificate) } else { Ok(print(&certificate)?) }
}

fn print(certificate: &Certificate) -> io::Result<()> {
    let mut out = io::stdout().lock();
    let (report, conditions) = (&certificate.weights, &certificate.weights.conditions);
    let short = |value: f64| number(value, 3);
    writeln!(
        out,
        "weights ({}): r = {}, k = {}, m = {}, λ = {}, q = {}",
        conditions.scaling.text(),
        short(conditions.r),
        short(conditions.k),
        short(conditions.m),
        short(conditions.lambda),
        short(conditions.decay_order)
    )?;
    if let (Some(correlation), Some(together)) = (report.largest_correlation, report.largest_co_occurrence) {
        writeln!(
            out,
            "largest correlation {}; E[x_i x_j] at most {} times E[x_i] E[x_j]",
            short(correlation.value),
            short(together.value)
        )?;
    }
    let (largest, smallest) = certificate.singular_values;
    writeln!(out, "singular values of the components: {} to {}", short(smallest), short(largest))?;
    writeln!(out, "noise of a sample: {}", short(certificate.noise))?;
    writeln!(out, "theorem: {}", certificate.theorem.text())?;
    for premise in &certificate.premises {
        let verdict = if premise.met { "met" } else { "not met" };
        writeln!(
            out,
            "  {:<12} {:>10}  at most {:>10}  {verdict}",
            premise.name,
            short(premise.value),
            short(premise.limit)
        )?;
    }
    if certificate.thresholds.is_empty() {
        return Ok(());
    }
    writeln!(
        out,
        "prediction: {} stages to ‖E‖ = 1e-10, ‖A − A*Σ‖ at the end {}; thresholds {}",
        certificate.thresholds.len(),
        short(certificate.predicted_error),
        certificate.thresholds.iter().map(|&threshold| short(threshold)).collect::<Vec<_>>().join(", ")
    )?;
    if let Some(run) = &certificate.run {
        let stages = run.stages_needed.map_or_else(
            || format!("not reached in {} stages", run.stages.len()),
            |stages| format!("reached after {stages} stages"),
        );
        writeln!(out, "what happens: ‖E‖ = 1e-10 {stages}, ‖A − A*Σ‖ at the end {}", short(run.error))?;
        for (stage, norms) in run.stages.iter().enumerate() {
            writeln!(
                out,
                "  stage {:<3} ‖E‖ {:>10}  ‖Σ − I‖ {:>10}  ‖N‖ {:>10}",
                stage + 1,
                short(norms.mixing_error),
                short(norms.scale_error),
                short(norms.outside_error)
            )?;
        }
    }
    Ok(())
}
