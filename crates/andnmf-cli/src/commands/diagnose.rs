//! `andnmf diagnose`: judges whether components can be recovered from samples or weights.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use andnmf::Real;
use andnmf::diagnose::{
    Diagnosis, OverallDiagnosis, WeightDiagnosis, diagnose_model, diagnose_samples, diagnose_weights,
};
use andnmf_io::model::{Model, stored_precision};
use andnmf_io::{read_array, read_together, settle};
use andnmf_program::format::number;
use andnmf_program::{CommonArgs, Failure, Precision, Progress, ReadArgs, json, read_failure};
use clap::Args;

use super::transform::model_file;
use crate::shared::NameDetection;

/// Judge whether the true components can be recovered from samples, weights or a fitted model.
///
/// Example: andnmf diagnose fitted
///
/// Prints a verdict with its reasons, the conditions of the paper's theorems, and the largest correlations between
/// weights. For a fitted model, judges the weights of the fit, or those of --data under the model. For samples, fits
/// --rank components first.
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:
  andnmf diagnose fitted
  andnmf diagnose samples.npy --rank 20
  andnmf diagnose --weights weights.npy
  andnmf diagnose model.safetensors --data samples.npy")]
pub(crate) struct DiagnoseArgs {
    /// Folder of a fit, a model.safetensors file, or samples
    #[arg(value_name = "DATA_OR_MODEL", required_unless_present = "weights", conflicts_with = "weights")]
    subject: Option<PathBuf>,
    /// Judge these weights (samples × components)
    #[arg(long, value_name = "FILE")]
    weights: Option<PathBuf>,
    /// Judge the model on these samples
    #[arg(long, value_name = "DATA", conflicts_with_all = ["weights", "rank"])]
    data: Option<PathBuf>,
    /// Number of components to fit, if DATA_OR_MODEL contains samples
    #[arg(long, value_name = "K", conflicts_with = "weights")]
    rank: Option<usize>,
    #[command(flatten)]
    how: ReadArgs,
    #[command(flatten)]
    common: CommonArgs,
}

pub(crate) fn run(args: &DiagnoseArgs) -> Result<(), Failure> {
    args.common.set_threads()?;
    let diagnosis = match (&args.weights, &args.subject) {
        (Some(weights), _) => OverallDiagnosis::new(of_weights(weights)?, None, None),
        (None, Some(subject)) if is_model(subject)? => {
            let model = model_file(subject);
            match stored_precision(&model).map_err(read_failure)? {
                f32::NAME => of_model::<f32>(args, subject, &model)?,
                _ => of_model::<f64>(args, subject, &model)?,
            }
        }
        (None, Some(samples)) => match args.how.precision {
            Precision::F32 => of_samples::<f32>(args, samples)?,
            Precision::F64 => of_samples::<f64>(args, samples)?,
        },
        (None, None) => return Err(Failure::Request("DATA_OR_MODEL or --weights is required".to_owned())),
    };
    if args.common.json { json::print(&diagnosis) } else { Ok(print(&diagnosis, args.common.quiet)?) }
}

/// Returns true for a model file, or a folder that contains one.
fn is_model(path: &Path) -> Result<bool, Failure> {
    if !path.is_dir() {
        return Ok(path.extension().is_some_and(|ending| ending == "safetensors"));
    }
    settle(path)?;
    Ok(path.join("model.safetensors").exists())
}

fn of_weights(path: &Path) -> Result<WeightDiagnosis, Failure> {
    let weights = read_array::<f64>(path).map_err(read_failure)?;
    diagnose_weights(weights.view()).map_err(|error| Failure::Request(format!("{}: {error}", path.display())))
}

fn of_model<T: Real>(args: &DiagnoseArgs, subject: &Path, file: &Path) -> Result<OverallDiagnosis, Failure> {
    if args.rank.is_some() {
        return Err(Failure::Request("--rank is for samples; the rank of a model is fixed".to_owned()));
    }
    if let Some(data) = &args.data {
        let model = Model::<T>::load(file)?;
        let progress = Progress::new(&args.common, format!("reading {}", data.display()));
        let samples = args.how.read::<T>(data)?;
        let detection = NameDetection::of(data, &samples, &args.how.file);
        model.check_features(samples.n_features(), samples.feature_names.as_deref())?;
        progress.set_message("computing weights");
        let diagnosis = diagnose_model(&samples, model.components().view(), &args.common.run())?;
        drop(progress);
        args.common.print_notes(&detection.notes);
        return Ok(Diagnosis { trust: model.trust().cloned(), ..diagnosis }.into());
    }
    let weights = subject.join("weights.npy");
    if !subject.is_dir() || !weights.exists() {
        return Err(Failure::Request(format!(
            "{}: a model without weights.npy cannot be judged; add --data with its samples, or give the folder of the fit",
            subject.display()
        )));
    }
    let (model, diagnosis) = read_together(subject, "summary.json", || {
        Ok::<_, Failure>((Model::<T>::load(file)?, of_weights(&weights)?))
    })?;
    Ok(OverallDiagnosis::new(diagnosis, None, model.trust().cloned()))
}

fn of_samples<T: Real>(args: &DiagnoseArgs, path: &Path) -> Result<OverallDiagnosis, Failure> {
    if args.data.is_some() {
        return Err(Failure::Request(format!(
            "--data is for models, but {} is not a model; use --rank K instead of --data",
            path.display()
        )));
    }
    let progress = Progress::new(&args.common, format!("reading {}", path.display()));
    let samples = args.how.read::<T>(path)?;
    let Some(rank) = args.rank else {
        return Err(Failure::Request(format!(
            "--rank K is required for samples; `andnmf suggest-rank {}` proposes one",
            path.display()
        )));
    };
    let detection = NameDetection::of(path, &samples, &args.how.file);
    progress.set_message(format!("fitting {rank} components"));
    let diagnosis = diagnose_samples(&samples, rank, &mut args.common.run())?.0;
    drop(progress);
    args.common.print_notes(&detection.notes);
    Ok(diagnosis.into())
}

fn print(diagnosis: &OverallDiagnosis, quiet: bool) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "verdict: {}", diagnosis.verdict)?;
    for reason in &diagnosis.reasons {
        writeln!(out, "  - {reason}")?;
    }
    if quiet {
        return Ok(());
    }
    let weights = &diagnosis.weights;
    let conditions = &weights.conditions;
    if let Some(residual) = diagnosis.residual {
        writeln!(out, "relative reconstruction error: {}", number(residual, 3))?;
    }
    writeln!(out, "conditions of the theorems (weights {}):", conditions.scaling.text())?;
    writeln!(out, "  r       {:>10.4}  largest sum of weights in a sample", conditions.r)?;
    writeln!(out, "  k       {:>10.4}  rank/2 times the largest second moment of a weight", conditions.k)?;
    writeln!(out, "  m       {:>10.4}  rank² times the largest mean product of two weights", conditions.m)?;
    writeln!(
        out,
        "  lambda  {:>10.4}  distance of the second moments from degenerate ones, 0 to 2",
        conditions.lambda
    )?;
    writeln!(
        out,
        "  q       {:>10.4}  decay order: the larger, the rarer small weights",
        conditions.decay_order
    )?;
    writeln!(out, "  {}", bound_text(weights))?;
    writeln!(out, "largest correlations between weights (components counted from 0):")?;
    for pair in weights.correlations.iter().take(5) {
        writeln!(out, "  {:>4} and {:>4}: {:+.3}", pair.first, pair.second, pair.correlation)?;
    }
    Ok(())
}

/// A smaller bound is of no practical use.
const MIN_BOUND: f64 = 1e-6;

/// The guarantee of the theorems. Their bounds are far stricter than what recovery needs in practice, so the verdict
/// does not use them.
fn bound_text(weights: &WeightDiagnosis) -> String {
    let (general, binary) = (weights.bounds.general, weights.bounds.binary);
    let bounds = format!("{} in general, {} for binary weights", number(general, 3), number(binary, 3));
    if weights.bound_met {
        format!("bound on m: {bounds}; m is within it, so the theorems guarantee recovery from a good start")
    } else if general > MIN_BOUND {
        format!(
            "bound on m: {bounds}; m exceeds it, as usual: the theorems guarantee nothing here, but recovery often \
             works nevertheless"
        )
    } else {
        "bound on m: none, since the theorems do not cover such weights; recovery often works nevertheless"
            .to_owned()
    }
}
