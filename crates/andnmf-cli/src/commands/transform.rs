//! `andnmf transform`: the weights of new samples under a fitted model.

use std::path::{Path, PathBuf};

use andnmf::Real;
use andnmf::metrics::reconstruction_error;
use andnmf_io as io;
use andnmf_io::model::{Model, stored_precision};
use andnmf_io::write_array;
use andnmf_program::{Common, Failure, FileArgs, Progress, json, overwrite, reading, writing};
use clap::Args;
use serde::Serialize;

use crate::shared::Layout;

/// Find how much of each component of a fitted model new samples have.
///
/// Example: andnmf transform fitted new.npy --out weights.npy
///
/// FILE.npy gets one row of non-negative weights per sample. Computed in the precision of the model.
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:
  andnmf transform fitted new.npy --out weights.npy
  andnmf transform fitted/model.safetensors new.csv --out weights.npy --force")]
pub(crate) struct TransformArgs {
    /// A model.safetensors, or the folder of a fit
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    /// The new samples, one per row, with the features of the model in the same order
    #[arg(value_name = "DATA")]
    data: PathBuf,
    /// Where the weights go
    #[arg(long, value_name = "FILE.npy")]
    out: PathBuf,
    #[command(flatten)]
    how: FileArgs,
    /// Replace the file if it is there already
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    common: Common,
}

#[derive(Serialize)]
struct Told {
    n_samples: usize,
    rank: usize,
    reconstruction_error: f64,
    out: PathBuf,
}

pub(crate) fn run(args: &TransformArgs) -> Result<(), Failure> {
    args.common.set_threads()?;
    if args.out.extension().is_none_or(|ending| !ending.eq_ignore_ascii_case("npy")) {
        return Err(Failure::Request(format!("--out {} must end in .npy", args.out.display())));
    }
    if !args.force && args.out.exists() {
        let error = io::FileError {
            file: args.out.clone(),
            location: io::Location::Whole,
            problem: io::Problem::Exists,
        };
        return Err(writing(error));
    }
    let model = model_file(&args.model);
    match stored_precision(&model).map_err(reading)? {
        f32::NAME => transform::<f32>(args, &model),
        _ => transform::<f64>(args, &model),
    }
}

/// The model that a file or the folder of a fit stands for.
pub(crate) fn model_file(path: &Path) -> PathBuf {
    if path.is_dir() { path.join("model.safetensors") } else { path.to_owned() }
}

fn transform<T: Real>(args: &TransformArgs, model: &Path) -> Result<(), Failure> {
    let progress = Progress::new(&args.common, format!("reading {}", args.data.display()));
    let model = Model::<T>::load(model).map_err(reading)?;
    let samples = args.how.read::<T>(&args.data)?;
    let layout = Layout::of(&args.data, &samples, &args.how);
    progress.doing("weights of the samples");
    let in_file = |failure: Failure| match failure {
        Failure::Request(message) => Failure::Request(format!("{}: {message}", args.data.display())),
        other => other,
    };
    let names = samples.feature_names.as_deref();
    let weights =
        model.weights(&samples, names, &args.common.run()).map_err(|error| in_file(error.into()))?;
    let error = reconstruction_error(&samples, weights.view(), model.components().view())?;
    write_array(&args.out, weights.view(), overwrite(args.force)).map_err(writing)?;
    drop(progress);
    args.common.note(&layout.doubts);
    let (n_samples, rank) = weights.dim();
    if args.common.json {
        return json::print(&Told { n_samples, rank, reconstruction_error: error, out: args.out.clone() });
    }
    args.common.say(format!(
        "{n_samples} samples × {rank} weights written to {}; relative error of the reconstruction {error:.3e}",
        args.out.display()
    ))
}
