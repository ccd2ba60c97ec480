//! `andnmf evaluate`: components against a truth.

use std::path::PathBuf;

use andnmf::io::read_array;
use andnmf::metrics::Recovery;
use clap::Args;

use crate::failure::Failure;
use crate::shared::{Common, json, reading};

/// Measure how well components recover a known truth.
///
/// Example: andnmf evaluate --components fitted/components.npy --truth truth.npy
///
/// Order, scale and sign of components do not count. The total correlation error is the sum over all true
/// components of their distance from the line through the nearest component found.
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:
  andnmf evaluate --components fitted/components.npy --truth truth.npy
  andnmf evaluate --components fitted/components.npy --truth truth.npy --json")]
pub(crate) struct EvaluateArgs {
    /// The components found, one per row
    #[arg(long, value_name = "FILE")]
    components: PathBuf,
    /// The true components, one per row
    #[arg(long, value_name = "FILE")]
    truth: PathBuf,
    #[command(flatten)]
    common: Common,
}

pub(crate) fn run(args: &EvaluateArgs) -> Result<(), Failure> {
    args.common.set_threads()?;
    let components = read_array::<f64>(&args.components).map_err(reading)?;
    let truth = read_array::<f64>(&args.truth).map_err(reading)?;
    let (found, wanted) = (components.dim(), truth.dim());
    if found.1 != wanted.1 {
        return Err(Failure::Request(format!(
            "{} is {} × {}, but {} is {} × {}: both need one component per row, with the same number of features",
            args.components.display(),
            found.0,
            found.1,
            args.truth.display(),
            wanted.0,
            wanted.1
        )));
    }
    let recovery = Recovery::measure(components.view(), truth.view())?;
    if args.common.json {
        return json::print(&recovery);
    }
    // With --quiet too: this is what was asked for.
    let plain = Common { quiet: false, ..args.common.clone() };
    plain.say(format!("total correlation error           {:.6e}", recovery.total_correlation_error))?;
    plain.say(format!(
        "  relative                        {:.6e}",
        recovery.relative_total_correlation_error
    ))?;
    let squared = recovery.squared_relative_total_correlation_error;
    plain.say(format!("  relative, squared               {squared:.6e}"))?;
    plain.say(format!("mean cosine of matched components {:.9}", recovery.mean_matched_cosine))?;
    let worst = recovery.matched_cosines.iter().enumerate().min_by(|a, b| a.1.total_cmp(b.1));
    if let Some((component, cosine)) = worst {
        plain.say(format!("worst: true component {component} (counted from 0), cosine {cosine:.6}"))?;
    }
    Ok(())
}
