//! `andnmf convert`: converts matrices between file formats.

use std::path::PathBuf;
use std::sync::atomic::Ordering;

use andnmf::Real;
use andnmf::memory::Bytes;
use andnmf::samples::Samples;
use andnmf_io as io;
use andnmf_io::{FileError, Format, Problem, ReadOptions, SampleTable, StreamingOptions};
use andnmf_program::{
    CommonArgs, Failure, Precision, ReadArgs, cancel, json, overwrite, read_failure, write_failure,
};
use serde::Serialize;

use crate::shared::NameDetection;

/// Reading a whole file takes about this many times its length in memory.
const MEMORY_FACTOR: u64 = 4;
/// Memory limit if none is given.
const DEFAULT_MEMORY: u64 = 256_000_000;
/// Memory of the program itself and its buffers.
const PROGRAM: u64 = 13_000_000;

/// Convert a matrix from one file format to another.
///
/// Example: andnmf convert counts.mtx.gz counts.npz
///
/// The file names determine the formats. Sparse matrices stay sparse if the output format supports it. Names of samples
/// and features are kept if it supports them; a note reports names that are lost.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  andnmf convert counts.mtx.gz counts.npz
  andnmf convert table.csv samples.npy --transpose
  andnmf convert cells.h5ad counts.npz --layer counts
  andnmf convert huge.mtx.gz huge.csrstore --precision f32

Input formats:  .npy .npz .csrstore .mtx .csv .tsv .svmlight docword*.txt (text also as .gz), 10x folders,
                folders of images, .h5ad and .parquet if built in
Output formats: .npy .npz .csrstore .mtx .csv .tsv .svmlight docword*.txt (text also as .gz)

Files larger than memory: .npy, sparse .npz, .mtx in coordinate format, .csv, .tsv, .svmlight and docword can be
converted row by row to .csrstore or .npy. `andnmf fit --memory` then reads these in blocks.")]
pub(crate) struct ConvertArgs {
    /// File or folder to read
    #[arg(value_name = "IN")]
    from: PathBuf,
    /// File to write
    #[arg(value_name = "OUT")]
    to: PathBuf,
    #[command(flatten)]
    how: ReadArgs,
    /// Memory limit, such as 512M or 2G; larger files are converted row by row if OUT is .npy or .csrstore [default: 256M
    /// if they can be]
    #[arg(long, value_name = "SIZE")]
    memory: Option<Bytes>,
    /// Replace OUT if it exists
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    common: CommonArgs,
}

/// The output of `--json`.
#[derive(Serialize)]
struct ConversionSummary<'a> {
    file: &'a PathBuf,
    n_samples: usize,
    n_features: usize,
    stored_values: usize,
    sparse: bool,
    /// The names that the output format does not support.
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
        // Fail now rather than after a long read.
        return Err(Failure::Request(format!(
            "{} exists; use --force to replace it, or choose another file",
            args.to.display()
        )));
    }
    // Fail before reading if the format is unknown or cannot be written.
    let format = Format::of_output(&args.to).map_err(write_failure)?;
    let by_rows = || -> Result<bool, Failure> {
        let Some(summary) = convert_by_rows::<T>(args)? else { return Ok(false) };
        print_summary(args, &summary, NameDetection::default()).map(|()| true)
    };
    if looks_large(args) && by_rows()? {
        return Ok(());
    }
    let limit = args.memory().saturating_sub(PROGRAM);
    let mut table: SampleTable<T> = match args.how.file.read_within(&args.from, Some(limit))? {
        Ok(table) => table,
        Err(FileError { problem: Problem::Memory { needed, .. }, .. }) => {
            // The length of a packed file says little about its contents.
            if by_rows()? {
                return Ok(());
            }
            if let Some(memory) = args.memory {
                return Err(Failure::Request(format!(
                    "{}: it must be converted as a whole, which takes at least {} of memory, but --memory is {memory}; \
                     raise --memory, or convert it to .csrstore or .npy",
                    args.from.display(),
                    Bytes(needed.saturating_add(PROGRAM)),
                )));
            }
            args.how.read(&args.from)?
        }
        Err(error) => return Err(read_failure(error)),
    };
    let detection = NameDetection::of(&args.from, &table, &args.how.file);
    let lost = lost_names(&mut table, format);
    io::write(&args.to, &table, overwrite(args.force)).map_err(write_failure)?;
    let summary = ConversionSummary {
        file: &args.to,
        n_samples: table.n_samples(),
        n_features: table.n_features(),
        stored_values: table.stored_values(),
        sparse: table.is_sparse(),
        lost,
    };
    print_summary(args, &summary, detection)
}

impl ConvertArgs {
    /// The memory limit in bytes.
    fn memory(&self) -> u64 {
        self.memory.map_or(DEFAULT_MEMORY, |Bytes(bytes)| bytes)
    }
}

/// Returns true for a file that probably does not fit into `--memory`, by its length.
fn looks_large(args: &ConvertArgs) -> bool {
    let length = std::fs::metadata(&args.from).map_or(0, |metadata| metadata.len());
    let packed =
        args.from.extension().is_some_and(|ending| ["gz", "npz"].iter().any(|known| ending == *known));
    // Text takes a few times its length in memory while it is read, compressed files a few times that.
    length.saturating_mul(if packed { 8 * MEMORY_FACTOR } else { MEMORY_FACTOR }) > args.memory()
}

/// Converts a file row by row; `None` if the formats do not allow it.
fn convert_by_rows<T: Real>(args: &ConvertArgs) -> Result<Option<ConversionSummary<'_>>, Failure> {
    let how = &args.how.file;
    let cancel = cancel::flag();
    let options = ReadOptions { memory: Some(args.memory()), ..how.options() };
    let streaming = StreamingOptions {
        memory: args.memory(),
        stop: &|| cancel.load(Ordering::Relaxed),
        feature_names: how
            .name_file
            .as_ref()
            .map(|file| io::read_names(file).map_err(read_failure))
            .transpose()?,
        overwrite: overwrite(args.force),
    };
    let done = io::convert_by_rows::<T>(&args.from, &args.to, &options, streaming);
    let done = done.map_err(|error| match error.problem {
        Problem::Cancelled => Failure::Cancelled("nothing was written".to_owned()),
        _ if error.file == args.to => write_failure(error),
        _ => read_failure(error),
    })?;
    let lost = |done: &io::ConversionSummary| {
        let samples = done.lost_sample_names.then(|| format!("the names of {} samples", done.n_samples));
        let features = done.lost_feature_names.then(|| format!("the names of {} features", done.n_features));
        samples.into_iter().chain(features).collect()
    };
    Ok(done.map(|done| ConversionSummary {
        file: &args.to,
        n_samples: done.n_samples,
        n_features: done.n_features,
        stored_values: done.stored_values,
        sparse: Format::of_output(&args.to).is_ok_and(|format| format == Format::CsrStore),
        lost: lost(&done),
    }))
}

fn print_summary(
    args: &ConvertArgs,
    summary: &ConversionSummary<'_>,
    detection: NameDetection,
) -> Result<(), Failure> {
    if args.common.json {
        return json::print(summary);
    }
    if let Some(description) = detection.description {
        args.common.print(description)?;
    }
    args.common.print(format!(
        "{}: {} samples of {} features",
        args.to.display(),
        summary.n_samples,
        summary.n_features
    ))?;
    args.common.print_notes(&detection.notes);
    let lost = summary.lost.iter().map(|names| {
        let to = args.to.display();
        format!("{names} are lost: the format of {to} does not support them; use .csv or .tsv to keep them")
    });
    args.common.print_notes(&lost.collect::<Vec<_>>());
    Ok(())
}

/// Removes the names that a format does not support, and returns a description of each.
fn lost_names<T: Real>(table: &mut SampleTable<T>, format: Format) -> Vec<String> {
    if matches!(format, Format::Csv | Format::Tsv) {
        return Vec::new();
    }
    let has_features = format == Format::CsrStore;
    let samples = table.sample_names.take().map(|names| format!("the names of {} samples", names.len()));
    let features = if has_features { None } else { table.feature_names.take() };
    let features = features.map(|names| format!("the names of {} features", names.len()));
    samples.into_iter().chain(features).collect()
}
