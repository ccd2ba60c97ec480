//! `andnmf convert`: a matrix from one format into another.

use std::path::PathBuf;
use std::sync::atomic::Ordering;

use andnmf::Real;
use andnmf::samples::Samples;
use andnmf_io as io;
use andnmf_io::{Format, SampleTable, StreamingOptions};
use andnmf_program::{Common, Failure, Precision, ReadArgs, cancel, json, overwrite, reading, writing};
use serde::Serialize;

use crate::shared::{Bytes, Layout};

/// A file takes about so many times its length while it is read as a whole.
const IN_MEMORY: u64 = 4;

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
  andnmf convert huge.mtx.gz huge.csrstore --precision f32

Read:    .npy .npz .csrstore .mtx .csv .tsv .svmlight docword*.txt (text also as .gz), 10x folders, folders of
         pictures, .h5ad and .parquet where built in
Written: .npy .npz .csrstore .mtx .csv .tsv .svmlight docword*.txt (text also as .gz)

Larger than memory: .npy in any order, .npz with a sparse matrix, .mtx with entries, .csv, .tsv, .svmlight and docword
into .csrstore or .npy, which andnmf fit --memory reads piece by piece.")]
pub(crate) struct ConvertArgs {
    /// The file or folder to read
    #[arg(value_name = "IN")]
    from: PathBuf,
    /// The file to write
    #[arg(value_name = "OUT")]
    to: PathBuf,
    #[command(flatten)]
    how: ReadArgs,
    /// Memory that it may take; larger files go through it row by row where OUT is .npy or .csrstore
    #[arg(long, value_name = "SIZE", default_value = "256M")]
    memory: Bytes,
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
    if let Some(done) = by_rows::<T>(args)? {
        return tell(args, &done, Layout::default());
    }
    let mut table: SampleTable<T> = args.how.read(&args.from)?;
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
    tell(args, &converted, layout)
}

/// Files that are large for the memory allowed go through it row by row, where their formats let them.
fn by_rows<T: Real>(args: &ConvertArgs) -> Result<Option<Converted<'_>>, Failure> {
    let Ok(length) = std::fs::metadata(&args.from).map(|metadata| metadata.len()) else { return Ok(None) };
    let packed =
        args.from.extension().is_some_and(|ending| ["gz", "npz"].iter().any(|known| ending == *known));
    // Text takes a few times its length in memory while it is read, and what is packed a few times that.
    let taken = length.saturating_mul(if packed { 8 * IN_MEMORY } else { IN_MEMORY });
    if taken <= args.memory.0 {
        return Ok(None);
    }
    let how = &args.how.file;
    let cancel = cancel::flag();
    let streaming = StreamingOptions {
        memory: args.memory.0,
        stop: &|| cancel.load(Ordering::Relaxed),
        feature_names: how
            .name_file
            .as_ref()
            .map(|file| io::read_names(file).map_err(reading))
            .transpose()?,
        overwrite: overwrite(args.force),
    };
    let done = io::convert_by_rows::<T>(&args.from, &args.to, &how.options(), streaming);
    let done = done.map_err(|error| match error.problem {
        io::Problem::Cancelled => Failure::Stopped("nothing was written".to_owned()),
        _ if error.file == args.to => writing(error),
        _ => reading(error),
    })?;
    let lost = |done: &io::ConversionSummary| {
        let samples = done.lost_sample_names.then(|| format!("the names of {} samples", done.n_samples));
        let features = done.lost_feature_names.then(|| format!("the names of {} features", done.n_features));
        samples.into_iter().chain(features).collect()
    };
    Ok(done.map(|done| Converted {
        file: &args.to,
        n_samples: done.n_samples,
        n_features: done.n_features,
        stored_values: done.stored_values,
        sparse: Format::of_output(&args.to).is_ok_and(|format| format == Format::CsrStore),
        lost: lost(&done),
    }))
}

fn tell(args: &ConvertArgs, converted: &Converted<'_>, layout: Layout) -> Result<(), Failure> {
    if args.common.json {
        return json::print(converted);
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
