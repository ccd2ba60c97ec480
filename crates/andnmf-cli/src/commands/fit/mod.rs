//! `andnmf fit`: factorizes samples into components and weights, with a verdict on the result.

mod args;
mod checkpoint_file;
pub(crate) mod message;
pub(crate) mod observer;
pub(crate) mod option_types;
pub(crate) mod page;
pub(crate) mod plan;
pub(crate) mod results;
pub(crate) mod scan;
mod source;
mod stream;

use std::path::Path;
use std::time::{Duration, Instant};

use andnmf::fit::{Fit, Start, StopReason};
use andnmf::metrics::Recovery;
use andnmf::rank::{RankSettings, suggest_rank};
use andnmf::samples::Samples;
use andnmf::{MethodParams, Real, SamplesError};
use andnmf_io as io;
use andnmf_io::model::Model;
use andnmf_program::{Failure, OutputFolder, Precision, Progress, json as print_json, read_failure};
use ndarray::Array2;
use serde_json::{Value, json};

pub(crate) use args::{FitArgs, Show};
use checkpoint_file::{CHECKPOINT, CheckpointFile, CheckpointWriter, Identity};
use observer::FitObserver;
use option_types::Rank;
pub(crate) use option_types::Shape;
use results::{ResultFiles, Summary};
use scan::SampleScan;
use source::SampleSource;

use crate::shared::NameDetection;

/// The largest rank that `--rank auto` considers.
const MAX_AUTO_RANK: usize = 50;

pub(crate) fn run(args: &FitArgs) -> Result<(), Failure> {
    args.common.set_threads()?;
    let from_stream = args.data.data == Path::new(stream::STDIN);
    match (args.data.how.precision, from_stream) {
        (Precision::F32, false) => fit::<f32>(args),
        (Precision::F64, false) => fit::<f64>(args),
        (Precision::F32, true) => stream::run::<f32>(args),
        (Precision::F64, true) => stream::run::<f64>(args),
    }
}

fn fit<T: Real>(args: &FitArgs) -> Result<(), Failure> {
    let started = Instant::now();
    if args.save_every.is_some() {
        return Err(Failure::Request(
            "--save-every is only for samples from standard input (DATA is -)".to_owned(),
        ));
    }
    // Check everything that does not depend on the data first.
    let rank_or_one = if let Rank::Of(rank) = args.rank { rank } else { 1 };
    let settings = plan::settings(args, rank_or_one)?;
    let every = checkpoint_interval(args.checkpoint_every)?;
    let folder = open_folder(args)?;

    let mut progress = Progress::new(&args.common, format!("reading {}", args.data.data.display()));
    // With --rank auto the rank is not known yet: plan the memory for the largest one.
    let memory_settings =
        if args.rank == Rank::Auto { plan::settings(args, MAX_AUTO_RANK)? } else { settings.clone() };
    let source = SampleSource::<T>::open(args, &memory_settings)?;
    let samples = source.samples();
    let detection = match &source {
        SampleSource::Memory(table) => NameDetection::of(&args.data.data, table, &args.data.how.file),
        SampleSource::Disk { .. } => NameDetection::default(),
    };
    if source.on_disk() {
        args.common.print_notes(&[
            "the samples do not fit into memory and are read from their file in blocks".to_owned(),
        ]);
    }
    let names = source.feature_names().map(<[String]>::to_vec);
    let kind = page::kind(args.show, args.shape, names.as_deref(), samples.n_features())?;
    let truth = read_truth::<T>(args, samples.n_features())?;
    progress.set_message("scanning the samples");
    let scan = SampleScan::of(samples).map_err(|error| in_file(args, error))?;
    let rank = rank(args, samples, &settings, &progress)?;
    let settings = plan::settings(args, rank)?;
    let init = args.init.to_string();
    let identity = Identity::of(samples, scan.fingerprint, &settings, init.clone());

    let (start, errors) = if args.resume {
        let saved = CheckpointFile::<T>::load(folder.path(), &identity)?;
        (Start::Resume(Box::new(saved.checkpoint)), saved.errors)
    } else {
        (plan::start(args)?, std::collections::BTreeMap::new())
    };
    progress.set_message(format!("fitting {rank} components"));
    let checkpoints = CheckpointWriter { path: folder.file(CHECKPOINT), identity };
    let mut observer = FitObserver::new(&mut progress, &settings, truth.as_ref(), &checkpoints, every);
    observer.errors = errors;
    let solver = settings.clone().check::<T>()?;
    let fit = solver.fit(samples, start, &mut args.common.run().observe(&mut observer))?;
    let (errors, mut failed) = (observer.errors, observer.failed);

    progress.set_message("computing weights");
    if matches!(fit.stop, StopReason::Cancelled | StopReason::TimeLimit) {
        // The last checkpoint makes up for earlier ones that could not be written.
        failed = checkpoints.save(fit.checkpoint(), &errors).err();
    }
    let model = Model::from_fit(&fit, &settings, names)?;
    // Ctrl-C only ends the stages: their result is still written.
    let weights = model.weights(samples, None, &args.common.uncancellable_run())?;
    let mut summary = Summary::of(
        &fit,
        &settings,
        (samples, &weights),
        &scan.negatives,
        (&init, command_options(args)),
        started,
    )?;
    summary.out_of_core = source.on_disk();
    if let Some(failure) = &failed {
        let warning = format!("checkpoints could not be written ({failure}); the fit continued without them");
        summary.warnings.push(warning);
    }
    summary.warnings.splice(0..0, detection.notes);
    if let Some(truth) = &truth {
        summary.recovery = Some(Recovery::measure(fit.components.view(), truth.view())?);
    }
    let errors = truth.is_some().then_some(&errors);
    let page = if args.report {
        progress.set_message("building the report");
        let title = args.data.data.file_name().unwrap_or_default().to_string_lossy();
        let json = serde_json::to_value(&summary)?;
        Some(page::html(&title, json, (&fit.trace, errors), &model, Some(weights.view()), kind)?)
    } else {
        None
    };
    progress.set_message("writing");
    summary.seconds = started.elapsed().as_secs_f64();
    let results = ResultFiles {
        model: &model,
        weights: &weights,
        trace: &fit.trace,
        errors,
        page,
        tables: args.tables.then(|| source.sample_names()),
        others: vec![],
        summary: &summary,
    };
    let files = results.write(&folder)?;
    drop(progress);
    if let Some(description) = detection.description {
        args.common.print(description)?;
    }
    finish(args, &fit, &summary, &folder, &checkpoints, &files)
}

/// Prints the summary, and removes the checkpoint of a finished fit.
fn finish<T: Real>(
    args: &FitArgs,
    fit: &Fit<T>,
    summary: &Summary,
    folder: &OutputFolder,
    checkpoints: &CheckpointWriter,
    files: &[&str],
) -> Result<(), Failure> {
    let unfinished = matches!(fit.stop, StopReason::Cancelled | StopReason::TimeLimit);
    if !unfinished {
        checkpoints.discard();
    }
    if args.common.json {
        print_json::print(summary)?;
    } else {
        args.common.print(message::fit_text(summary, folder.path(), files, true))?;
    }
    if fit.stop == StopReason::Cancelled {
        let next = if folder.file(CHECKPOINT).exists() {
            "run the same command with --resume to continue"
        } else {
            "there is no checkpoint to continue from"
        };
        return Err(Failure::Cancelled(format!(
            "{} contains the results so far; {next}",
            folder.path().display()
        )));
    }
    Ok(())
}

fn checkpoint_interval(seconds: f64) -> Result<Duration, Failure> {
    Duration::try_from_secs_f64(seconds).map_err(|_| {
        Failure::Request(format!(
            "--checkpoint-every is {seconds}, but it must be a number of seconds, 0 or more"
        ))
    })
}

fn open_folder(args: &FitArgs) -> Result<OutputFolder, Failure> {
    if args.resume {
        // Fail before reading the samples if there is no checkpoint.
        checkpoint_file::identity(&args.out)?;
    }
    let folder = OutputFolder::lock(&args.out)?;
    if args.resume || args.force {
        return Ok(folder);
    }
    if folder.file(CHECKPOINT).exists() {
        return Err(Failure::Request(format!(
            "--out {} contains the checkpoint of an unfinished fit; use --resume to continue it, or --force to start over",
            args.out.display()
        )));
    }
    folder.check_empty()?;
    Ok(folder)
}

fn read_truth<T: Real>(args: &FitArgs, n_features: usize) -> Result<Option<Array2<T>>, Failure> {
    let Some(path) = &args.truth else { return Ok(None) };
    let truth = io::read_array::<T>(path).map_err(read_failure)?;
    if truth.ncols() != n_features {
        return Err(Failure::Request(wrong_width(path, truth.dim(), n_features)));
    }
    Ok(Some(truth))
}

fn wrong_width(path: &Path, (rows, columns): (usize, usize), n_features: usize) -> String {
    let hint = if rows == n_features { "; it seems to be transposed" } else { "" };
    format!(
        "{}: expected one component per row with {n_features} values, but the matrix is {rows} × {columns}{hint}",
        path.display()
    )
}

/// The rank: as given, that of the checkpoint, or estimated from the samples.
fn rank<T: Real>(
    args: &FitArgs,
    samples: &dyn Samples<T>,
    settings: &MethodParams,
    progress: &Progress,
) -> Result<usize, Failure> {
    if let Rank::Of(rank) = args.rank {
        return Ok(rank);
    }
    if args.resume {
        return Ok(checkpoint_file::identity(&args.out)?.settings.rank());
    }
    progress.set_message("estimating the rank");
    // Stability and held-out error are not needed here.
    let quick = RankSettings { stability: false, folds: 0, seed: settings.seed(), noise: settings.noise() };
    let found = suggest_rank(samples, 1..=MAX_AUTO_RANK, &quick, &args.common.run())?;
    let Some(rank) = found.rank else {
        return Err(Failure::Request(format!(
            "--rank auto found no clear answer ({}); choose a number with `andnmf suggest-rank {}`",
            found.reason().trim_end_matches('.'),
            args.data.data.display()
        )));
    };
    args.common.print(format!("rank {rank}: {}", found.reason()))?;
    Ok(rank)
}

/// Adds the name of the file to a failure about the samples.
fn in_file(args: &FitArgs, error: SamplesError) -> Failure {
    match Failure::from(error) {
        Failure::Request(message) if !message.starts_with(&args.data.data.display().to_string()) => {
            Failure::Request(format!("{}: {message}", args.data.data.display()))
        }
        other => other,
    }
}

/// The options of the command beyond the settings of its method.
fn command_options(args: &FitArgs) -> Value {
    let how = &args.data.how.file;
    json!({
        "data": args.data.data,
        "transpose": how.transpose,
        "header": how.header,
        "row_names": how.row_names,
        "layer": how.layer,
        "name_file": how.name_file,
        "precision": args.data.how.precision,
        "init": args.init.to_string(),
        "truth": args.truth,
    })
}
