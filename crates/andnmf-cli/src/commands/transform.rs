//! `andnmf transform`: the weights of new samples under a fitted model.

use std::path::{Path, PathBuf};

use andnmf::Real;
use andnmf::metrics::reconstruction_error;
use andnmf_io as io;
use andnmf_io::model::{Model, stored_precision};
use andnmf_program::format::number;
use andnmf_program::{CommonArgs, Failure, FileArgs, Progress, json, overwrite, read_failure, write_failure};
use clap::Args;
use serde::Serialize;

use crate::shared::{NameDetection, weights_table};

/// Compute the weights of new samples under a fitted model.
///
/// Example: andnmf transform fitted new.npy --out weights.npy
///
/// Writes one row of non-negative weights per sample (samples × rank), computed in the precision of the model. A .csv or .tsv
/// file has the names of the samples. If model and DATA have names of features, they are matched by name: DATA may have them
/// in another order, and more of them.
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:
  andnmf transform fitted new.npy --out weights.npy
  andnmf transform fitted new.csv --out weights.csv
  andnmf transform fitted/model.safetensors new.csv --out weights.npy --force")]
pub(crate) struct TransformArgs {
    /// Folder of a fit, or a model.safetensors file
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    /// New samples, one per row, with the features of the model
    #[arg(value_name = "DATA")]
    data: PathBuf,
    /// Output file (samples × rank): .npy, .csv, .tsv or another format that is written, see `andnmf convert --help`
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    #[command(flatten)]
    how: FileArgs,
    /// Replace FILE if it exists
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    common: CommonArgs,
}

/// The output of `--json`.
#[derive(Serialize)]
struct TransformSummary {
    n_samples: usize,
    rank: usize,
    reconstruction_error: f64,
    out: PathBuf,
}

pub(crate) fn run(args: &TransformArgs) -> Result<(), Failure> {
    args.common.set_threads()?;
    io::Format::of_output(&args.out).map_err(write_failure)?;
    if !args.force && args.out.exists() {
        let error = io::FileError {
            file: args.out.clone(),
            location: io::Location::Whole,
            problem: io::Problem::Exists,
        };
        return Err(write_failure(error));
    }
    let model = model_file(&args.model);
    match stored_precision(&model).map_err(read_failure)? {
        f32::NAME => transform::<f32>(args, &model),
        _ => transform::<f64>(args, &model),
    }
}

/// The model file: the path itself, or that in the folder of a fit.
pub(crate) fn model_file(path: &Path) -> PathBuf {
    if path.is_dir() { path.join("model.safetensors") } else { path.to_owned() }
}

fn transform<T: Real>(args: &TransformArgs, model: &Path) -> Result<(), Failure> {
    let progress = Progress::new(&args.common, format!("reading {}", args.data.display()));
    let model = Model::<T>::load(model).map_err(read_failure)?;
    let samples = args.how.read::<T>(&args.data)?;
    let detection = NameDetection::of(&args.data, &samples, &args.how);
    progress.set_message("computing weights");
    let in_file = |failure: Failure| match failure {
        Failure::Request(message) => Failure::Request(format!("{}: {message}", args.data.display())),
        other => other,
    };
    let columns = samples.feature_names.as_deref().map(|names| model.match_features(names)).transpose();
    let mut notes = detection.notes;
    let samples = match columns.map_err(|error| in_file(error.into()))?.flatten() {
        None => samples,
        Some(columns) => {
            let more = samples.n_features() - columns.len();
            notes.push(format!("features are matched by name; {more} others are ignored"));
            samples.select_columns(&columns)?
        }
    };
    let names = samples.feature_names.as_deref();
    let weights =
        model.weights(&samples, names, &args.common.run()).map_err(|error| in_file(error.into()))?;
    let error = reconstruction_error(&samples, weights.view(), model.components().view())?;
    let table = weights_table(weights.view(), samples.sample_names.as_deref())?;
    io::write(&args.out, &table, overwrite(args.force)).map_err(write_failure)?;
    drop(progress);
    args.common.print_notes(&notes);
    let (n_samples, rank) = weights.dim();
    if args.common.json {
        return json::print(&TransformSummary {
            n_samples,
            rank,
            reconstruction_error: error,
            out: args.out.clone(),
        });
    }
    args.common.print(format!(
        "{n_samples} samples × {rank} weights written to {}; relative reconstruction error {}",
        args.out.display(),
        number(error, 3)
    ))
}
