//! `andnmf convert`: a matrix from one format into another.

use std::path::PathBuf;

use andnmf::Real;
use andnmf::io::{self, Format, Table};
use andnmf::samples::Samples;
use serde::Serialize;

use crate::failure::Failure;
use crate::shared::{Common, Layout, Precision, ReadArgs, json, overwrite, writing};

/// Turn a matrix from one file format into another.
///
/// Example: andnmf convert counts.mtx.gz counts.npz
///
/// Both formats are told by the names. Sparse matrices stay sparse where the format knows such; names of samples and
/// features stay where it has a place for them, and you are told where it has none.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  andnmf convert counts.mtx.gz counts.npz
  andnmf convert table.csv samples.npy --transpose
  andnmf convert cells.h5ad counts.npz --layer counts

Read:    .npy .npz .mtx .csv .tsv .svmlight docword*.txt (text also as .gz), 10x folders, folders of pictures,
         .h5ad and .parquet where built in
Written: .npy .npz .mtx .csv .tsv .svmlight docword*.txt (text also as .gz)")]
pub(crate) struct ConvertArgs {
    /// The file or folder to read
    #[arg(value_name = "IN")]
    from: PathBuf,
    /// The file to write
    #[arg(value_name = "OUT")]
    to: PathBuf,
    #[command(flatten)]
    how: ReadArgs,
    /// Replace OUT if it is there
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    common: Common,
}

/// What was written.
#[derive(Serialize)]
struct Converted<'a> {
    file: &'a PathBuf,
    n_samples: usize,
    n_features: usize,
    stored_values: usize,
    sparse: bool,
    /// Which names the new format has no place for.
    lost: Vec<String>,
}

pub(crate) fn run(args: &ConvertArgs) -> Result<(), Failure> {
    args.common.set_threads()?;
    match args.how.precision {
        Precision::F32 => convert::<f32>(args),
        Precision::F64 => convert::<f64>(args),
    }
}

fn convert<T: Real>(args: &ConvertArgs) -> Result<(), Failure> {
    if !args.force && args.to.exists() {
        // Better now than after a long read.
        return Err(Failure::Request(format!(
            "{} is there already; name another file, or add --force to replace it",
            args.to.display()
        )));
    }
    // A name that tells no format, or one that is only read, is noticed before anything is read.
    let format = Format::of_output(&args.to).map_err(writing)?;
    let mut table: Table<T> = args.how.read(&args.from)?;
    let layout = Layout::of(&args.from, &table, &args.how.file);
    let lost = lost_names(&mut table, format);
    io::write(&args.to, &table, overwrite(args.force)).map_err(writing)?;
    let converted = Converted {
        file: &args.to,
        n_samples: table.n_samples(),
        n_features: table.n_features(),
        stored_values: table.stored_values(),
        sparse: table.is_sparse(),
        lost,
    };
    if args.common.json {
        return json::print(&converted);
    }
    if let Some(told) = layout.told {
        args.common.say(told)?;
    }
    args.common.say(format!(
        "{}: {} samples of {} features",
        args.to.display(),
        converted.n_samples,
        converted.n_features
    ))?;
    args.common.note(&layout.doubts);
    if args.common.talks() {
        for names in &converted.lost {
            eprintln!(
                "note: {names} are lost: {} has no place for them; .csv and .tsv have",
                args.to.display()
            );
        }
    }
    Ok(())
}

/// Takes away the names that a format has no place for, and says which they were.
fn lost_names<T: Real>(table: &mut Table<T>, format: Format) -> Vec<String> {
    if matches!(format, Format::Csv | Format::Tsv) {
        return Vec::new();
    }
    let samples = table.sample_names.take().map(|names| format!("the names of {} samples", names.len()));
    let features = table.feature_names.take().map(|names| format!("the names of {} features", names.len()));
    samples.into_iter().chain(features).collect()
}
