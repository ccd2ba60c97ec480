//! `andnmf fit`: samples in, components, weights and a verdict out.

mod args;
pub(crate) mod page;
pub(crate) mod plan;
pub(crate) mod results;
mod saved;
mod source;
mod stream;
pub(crate) mod survey;
pub(crate) mod typed;
mod watch;
pub(crate) mod words;

use std::path::Path;
use std::time::{Duration, Instant};

use andnmf::fit::{Fit, Start, StopReason};
use andnmf::metrics::Recovery;
use andnmf::rank::{RankSettings, suggest_rank};
use andnmf::samples::Samples;
use andnmf::{Real, SamplesError};
use andnmf_io as io;
use andnmf_io::model::Model;
use andnmf_program::{Failure, OutputFolder, Precision, Progress, json as print_json, reading};
use ndarray::Array2;
use serde_json::{Value, json};

pub(crate) use args::{FitArgs, Show};
use results::{Results, Summary};
use saved::{CHECKPOINT, Identity, Keeper, Saved};
use source::Source;
use survey::Survey;
use typed::Rank;
pub(crate) use typed::Shape;
use watch::Watch;

use crate::shared::Layout;

/// `--rank auto` looks at no more components than this.
const MOST_AUTO_RANK: usize = 50;

pub(crate) fn run(args: &FitArgs) -> Result<(), Failure> {
    args.common.set_threads()?;
    let from_stream = args.data.data == Path::new(stream::NAME);
    match (args.data.how.precision, from_stream) {
        (Precision::F32, false) => fit::<f32>(args),
        (Precision::F64, false) => fit::<f64>(args),
        (Precision::F32, true) => stream::run::<f32>(args),
        (Precision::F64, true) => stream::run::<f64>(args),
    }
}

fn fit<T: Real>(args: &FitArgs) -> Result<(), Failure> {
    let begun = Instant::now();
    if args.save_every.is_some() {
        return Err(Failure::Request(
            "--save-every is for samples from standard input, DATA being -".to_owned(),
        ));
    }
    // Everything that can be wrong without a look at the data is told at once.
    let rank_or_one = if let Rank::Of(rank) = args.rank { rank } else { 1 };
    let settings = plan::settings(args, rank_or_one)?;
    let every = checkpoint_pause(args.checkpoint_every)?;
    let folder = open_folder(args)?;

    let mut progress = Progress::new(&args.common, format!("reading {}", args.data.data.display()));
    // Nobody knows yet how many components auto will find: it looks at no more than this.
    let room_for =
        if args.rank == Rank::Auto { plan::settings(args, MOST_AUTO_RANK)? } else { settings.clone() };
    let source = Source::<T>::open(args, &room_for)?;
    let samples = source.samples();
    let layout = match &source {
        Source::Memory(table) => Layout::of(&args.data.data, table, &args.data.how.file),
        Source::Disk { .. } => Layout::default(),
    };
    if source.on_disk() {
        args.common
            .note(&["the samples stay in their file, and are read from it as the fit goes".to_owned()]);
    }
    let names = source.feature_names().map(<[String]>::to_vec);
    let kind = page::kind(args.show, args.shape, names.as_deref(), samples.n_features())?;
    let truth = read_truth::<T>(args, samples.n_features())?;
    progress.doing("looking through the samples");
    let survey = Survey::of(samples).map_err(|error| in_file(args, error))?;
    let rank = rank(args, samples, settings.seed(), &progress)?;
    let settings = plan::settings(args, rank)?;
    let init = args.init.to_string();
    let identity = Identity::of(samples, survey.fingerprint, &settings, init.clone());

    let (start, errors) = if args.resume {
        let saved = Saved::<T>::load(folder.path(), &identity)?;
        (Start::Resume(Box::new(saved.checkpoint)), saved.errors)
    } else {
        (plan::start(args)?, std::collections::BTreeMap::new())
    };
    progress.doing(format!("looking for {rank} components"));
    let keeper = Keeper { path: folder.file(CHECKPOINT), identity };
    let limits = (settings.stage_limit(), settings.time_limit());
    let mut watch = Watch::new(&mut progress, limits, truth.as_ref(), &keeper, every);
    watch.errors = errors;
    let solver = settings.clone().check::<T>()?;
    let fit = solver.fit(samples, start, &mut args.common.run().observe(&mut watch))?;
    let (errors, failed) = (watch.errors, watch.failed);
    if let Some(failure) = failed {
        return Err(failure);
    }

    progress.doing("weights of the samples");
    if matches!(fit.stop, StopReason::Cancelled | StopReason::TimeLimit) {
        keeper.save(fit.checkpoint(), &errors)?;
    }
    let model = Model::from_fit(&fit, &settings, names)?;
    // Ctrl-C was for the stages: what they found is written all the same.
    let weights = model.weights(samples, None, &args.common.unstoppable())?;
    let mut summary =
        Summary::of(&fit, &settings, (samples, &weights), &survey.negatives, (&init, beside(args)), begun)?;
    summary.out_of_core = source.on_disk();
    summary.warnings.splice(0..0, layout.doubts);
    if let Some(truth) = &truth {
        summary.recovery = Some(Recovery::measure(fit.components.view(), truth.view())?);
    }
    let errors = truth.is_some().then_some(&errors);
    let page = if args.report {
        progress.doing("report");
        let title = args.data.data.file_name().unwrap_or_default().to_string_lossy();
        let told = serde_json::to_value(&summary)?;
        Some(page::html(&title, told, (&fit.trace, errors), &model, weights.view(), kind)?)
    } else {
        None
    };
    progress.doing("writing");
    summary.seconds = begun.elapsed().as_secs_f64();
    let results = Results {
        model: &model,
        weights: &weights,
        trace: &fit.trace,
        errors,
        page,
        others: vec![],
        summary: &summary,
    };
    let files = results.write(&folder)?;
    drop(progress);
    if let Some(told) = layout.told {
        args.common.say(told)?;
    }
    end(args, &fit, &summary, &folder, &keeper, &files)
}

/// Says what was done. The checkpoint goes where it is of no more use.
fn end<T: Real>(
    args: &FitArgs,
    fit: &Fit<T>,
    summary: &Summary,
    folder: &OutputFolder,
    keeper: &Keeper,
    files: &[&str],
) -> Result<(), Failure> {
    let unfinished = matches!(fit.stop, StopReason::Cancelled | StopReason::TimeLimit);
    if !unfinished {
        keeper.discard();
    }
    if args.common.json {
        print_json::print(summary)?;
    } else {
        args.common.say(words::told(summary, folder.path(), files, true))?;
    }
    if fit.stop == StopReason::Cancelled {
        return Err(Failure::Stopped(format!(
            "{} has what was found so far; the same command with --resume goes on from there",
            folder.path().display()
        )));
    }
    Ok(())
}

fn checkpoint_pause(seconds: f64) -> Result<Duration, Failure> {
    Duration::try_from_secs_f64(seconds).map_err(|_| {
        Failure::Request(format!("--checkpoint-every is {seconds}, but it must be zero or more seconds"))
    })
}

fn open_folder(args: &FitArgs) -> Result<OutputFolder, Failure> {
    if args.resume {
        // Says whether there is anything to go on with, before the samples are read.
        saved::identity(&args.out)?;
    }
    let folder = OutputFolder::claim(&args.out)?;
    if args.resume || args.force {
        return Ok(folder);
    }
    if folder.file(CHECKPOINT).exists() {
        return Err(Failure::Request(format!(
            "--out {} has the checkpoint of a fit that did not come to its end; go on with --resume, or start over with --force",
            args.out.display()
        )));
    }
    folder.refuse_unless_empty()?;
    Ok(folder)
}

fn read_truth<T: Real>(args: &FitArgs, n_features: usize) -> Result<Option<Array2<T>>, Failure> {
    let Some(path) = &args.truth else { return Ok(None) };
    let truth = io::read_array::<T>(path).map_err(reading)?;
    if truth.ncols() != n_features {
        return Err(Failure::Request(wrong_width(path, truth.dim(), n_features)));
    }
    Ok(Some(truth))
}

fn wrong_width(path: &Path, (rows, columns): (usize, usize), n_features: usize) -> String {
    let turned = if rows == n_features { "; it looks turned round" } else { "" };
    format!(
        "{}: components are needed, one per row with {n_features} values, but this is {rows} × {columns}{turned}",
        path.display()
    )
}

/// How many components to look for.
fn rank<T: Real>(
    args: &FitArgs,
    samples: &dyn Samples<T>,
    seed: u64,
    progress: &Progress,
) -> Result<usize, Failure> {
    if let Rank::Of(rank) = args.rank {
        return Ok(rank);
    }
    if args.resume {
        return Ok(saved::identity(&args.out)?.settings.rank());
    }
    progress.doing("looking for the number of components");
    // The other scores of ranks are for people to look at.
    let quick = RankSettings { stability: false, folds: 0, seed };
    let found = suggest_rank(samples, 1..=MOST_AUTO_RANK, &quick, &args.common.run())?;
    let Some(rank) = found.rank else {
        return Err(Failure::Request(format!(
            "--rank auto found no clear answer: {}. See `andnmf suggest-rank {}`, then give --rank a number",
            found.reason().trim_end_matches('.'),
            args.data.data.display()
        )));
    };
    args.common.say(format!("rank {rank}: {}", found.reason()))?;
    Ok(rank)
}

/// What is wrong with a value of the samples, with the name of their file.
fn in_file(args: &FitArgs, error: SamplesError) -> Failure {
    match Failure::from(error) {
        Failure::Request(message) if !message.starts_with(&args.data.data.display().to_string()) => {
            Failure::Request(format!("{}: {message}", args.data.data.display()))
        }
        other => other,
    }
}

/// What the fit was told beyond the settings of its method.
fn beside(args: &FitArgs) -> Value {
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
