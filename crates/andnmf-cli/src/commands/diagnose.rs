//! `andnmf diagnose`: whether components can be recovered from such samples or weights.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use andnmf::Real;
use andnmf::diagnose::{
    Diagnosis, OverallDiagnosis, WeightDiagnosis, diagnose_model, diagnose_samples, diagnose_weights,
};
use andnmf_io::model::{Model, stored_precision};
use andnmf_io::read_array;
use andnmf_program::{Common, Failure, Precision, Progress, ReadArgs, json, reading};
use clap::Args;

use super::transform::model_file;
use crate::shared::Layout;

/// Judge whether the true components can be recovered: the conditions of the theorems, the largest correlations, a verdict in words.
///
/// Example: andnmf diagnose fitted
///
/// Of a fitted model its own weights are judged, or those of --data. Of samples, --rank components are fitted first.
/// Of --weights, those.
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:
  andnmf diagnose fitted
  andnmf diagnose samples.npy --rank 20
  andnmf diagnose --weights weights.npy
  andnmf diagnose model.safetensors --data samples.npy")]
pub(crate) struct DiagnoseArgs {
    /// The folder of a fit, a model.safetensors, or samples
    #[arg(value_name = "DATA_OR_MODEL", required_unless_present = "weights", conflicts_with = "weights")]
    subject: Option<PathBuf>,
    /// Weights (samples × components) to judge
    #[arg(long, value_name = "FILE")]
    weights: Option<PathBuf>,
    /// Samples on which to judge a model
    #[arg(long, value_name = "DATA", conflicts_with_all = ["weights", "rank"])]
    data: Option<PathBuf>,
    /// Number of components to fit to samples
    #[arg(long, value_name = "K", conflicts_with = "weights")]
    rank: Option<usize>,
    #[command(flatten)]
    how: ReadArgs,
    #[command(flatten)]
    common: Common,
}

pub(crate) fn run(args: &DiagnoseArgs) -> Result<(), Failure> {
    args.common.set_threads()?;
    let told = match (&args.weights, &args.subject) {
        (Some(weights), _) => OverallDiagnosis::new(of_weights(weights)?, None, None),
        (None, Some(subject)) if is_model(subject) => {
            let model = model_file(subject);
            match stored_precision(&model).map_err(reading)? {
                f32::NAME => of_model::<f32>(args, subject, &model)?,
                _ => of_model::<f64>(args, subject, &model)?,
            }
        }
        (None, Some(samples)) => match args.how.precision {
            Precision::F32 => of_samples::<f32>(args, samples)?,
            Precision::F64 => of_samples::<f64>(args, samples)?,
        },
        (None, None) => return Err(Failure::Request("DATA_OR_MODEL or --weights is needed".to_owned())),
    };
    if args.common.json { json::print(&told) } else { Ok(print(&told, args.common.quiet)?) }
}

/// The folder of a fit has a model in it; samples have other endings.
fn is_model(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "safetensors")
        || (path.is_dir() && path.join("model.safetensors").exists())
}

fn of_weights(path: &Path) -> Result<WeightDiagnosis, Failure> {
    let weights = read_array::<f64>(path).map_err(reading)?;
    diagnose_weights(weights.view()).map_err(|error| Failure::Request(format!("{}: {error}", path.display())))
}

fn of_model<T: Real>(args: &DiagnoseArgs, subject: &Path, file: &Path) -> Result<OverallDiagnosis, Failure> {
    if args.rank.is_some() {
        return Err(Failure::Request("--rank is for samples: a model has one already".to_owned()));
    }
    let model = Model::<T>::load(file).map_err(reading)?;
    if let Some(data) = &args.data {
        let progress = Progress::new(&args.common, format!("reading {}", data.display()));
        let samples = args.how.read::<T>(data)?;
        let layout = Layout::of(data, &samples, &args.how.file);
        model.check_features(samples.n_features(), samples.feature_names.as_deref())?;
        progress.doing("weights of the samples");
        let told = diagnose_model(&samples, model.components().view(), &args.common.run())?;
        drop(progress);
        args.common.note(&layout.doubts);
        return Ok(Diagnosis { trust: model.trust().cloned(), ..told }.into());
    }
    let weights = subject.join("weights.npy");
    if !subject.is_dir() || !weights.exists() {
        return Err(Failure::Request(format!(
            "{}: a model alone has no weights to judge; add --data with its samples, or name the folder of the fit",
            subject.display()
        )));
    }
    Ok(OverallDiagnosis::new(of_weights(&weights)?, None, model.trust().cloned()))
}

fn of_samples<T: Real>(args: &DiagnoseArgs, path: &Path) -> Result<OverallDiagnosis, Failure> {
    if args.data.is_some() {
        return Err(Failure::Request(format!(
            "--data is for models, but {} is none; leave out --data, and give --rank K",
            path.display()
        )));
    }
    let progress = Progress::new(&args.common, format!("reading {}", path.display()));
    let samples = args.how.read::<T>(path)?;
    let Some(rank) = args.rank else {
        return Err(Failure::Request(format!(
            "samples need --rank K: how many components to fit; `andnmf suggest-rank {}` has a proposal",
            path.display()
        )));
    };
    let layout = Layout::of(path, &samples, &args.how.file);
    progress.doing(format!("looking for {rank} components"));
    let told = diagnose_samples(&samples, rank, &mut args.common.run())?.0;
    drop(progress);
    args.common.note(&layout.doubts);
    Ok(told.into())
}

fn print(told: &OverallDiagnosis, quiet: bool) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "verdict: {}", told.verdict)?;
    for reason in &told.reasons {
        writeln!(out, "  - {reason}")?;
    }
    if quiet {
        return Ok(());
    }
    let weights = &told.weights;
    let conditions = &weights.conditions;
    if let Some(residual) = told.residual {
        writeln!(out, "relative error of the reconstruction: {residual:.3e}")?;
    }
    writeln!(out, "conditions of the theorems, each component in units of its largest weight:")?;
    writeln!(out, "  r       {:>10.4}  largest sum of the weights of a sample", conditions.r)?;
    writeln!(out, "  k       {:>10.4}  rank/2 times the largest second moment of a weight", conditions.k)?;
    writeln!(out, "  m       {:>10.4}  rank² times the largest mean product of two weights", conditions.m)?;
    writeln!(
        out,
        "  lambda  {:>10.4}  how far the second moments are from degenerate, 0 to 2",
        conditions.lambda
    )?;
    writeln!(out, "  q       {:>10.4}  decay order: how rare small weights are", conditions.decay_order)?;
    writeln!(out, "  {}", bound_in_words(weights))?;
    writeln!(out, "largest correlations between weights (components counted from 0):")?;
    for pair in weights.correlations.iter().take(5) {
        writeln!(out, "  {:>4} and {:>4}: {:+.3}", pair.first, pair.second, pair.correlation)?;
    }
    Ok(())
}

/// A bound below this is as good as none.
const NO_BOUND: f64 = 1e-6;

/// What the theorems promise. Where they promise nothing, that says nothing, either: their bounds are far below what
/// recovery needs, and the verdict does not rest on them.
fn bound_in_words(weights: &WeightDiagnosis) -> String {
    let (general, binary) = (weights.bounds.general, weights.bounds.binary);
    let bounds = format!("{general:.3e} in general, {binary:.3e} for weights of zero and one");
    if weights.bound_met {
        format!("bound on m: {bounds}; m is within it, so the theorems promise recovery from a good start")
    } else if general > NO_BOUND {
        format!(
            "bound on m: {bounds}; m is beyond it, as usual: the theorems promise nothing here, and recovery often \
             works all the same"
        )
    } else {
        "bound on m: none, as the theorems do not reach such weights; recovery often works all the same"
            .to_owned()
    }
}
