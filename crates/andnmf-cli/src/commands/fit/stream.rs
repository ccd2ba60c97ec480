//! `andnmf fit -`: samples from standard input, in batches that are not kept.

use std::io::BufReader;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

use andnmf::and::Batch;
use andnmf::fit::StopReason;
use andnmf::metrics::{Recovery, reconstruction_error};
use andnmf::online::Online;
use andnmf::samples::DenseSamples;
use andnmf::{Method, MethodParams, Real};
use andnmf_io::model::{Model, ModelParts};
use andnmf_io::{FileError, Overwrite, Problem, SampleStream, write_array};
use andnmf_program::{Failure, OutputFolder, Progress, cancel, json as print_json, writing};
use ndarray::Array2;
use serde_json::Value;

use super::args::FitArgs;
use super::results::{Summary, trace_csv};
use super::typed::{Init, Rank};
use super::{beside, plan, read_truth};

/// What DATA is called where it is a stream.
pub(super) const NAME: &str = "-";
const IN_WORDS: &str = "standard input";
/// Batches between two times that the model is written.
const SAVE_EVERY: usize = 100;
/// How long a batch is waited for before somebody is asked whether to wait on.
const PATIENCE: Duration = Duration::from_millis(50);

/// What comes from the thread that reads.
enum Came<T> {
    Batch(Array2<T>, Option<Vec<String>>),
    End,
    Wrong(FileError),
}

pub(super) fn run<T: Real>(args: &FitArgs) -> Result<(), Failure> {
    let begun = Instant::now();
    let (rank, size) = refuse_what_streams_have_not(args)?;
    let (settings, time_limit) = settings(args, rank)?;
    let MethodParams::And(and) = &settings else {
        return Err(Failure::Request("standard input is for the method and".to_owned()));
    };
    let mut online = Online::<T>::new(and.clone(), plan::start(args)?)?;
    let folder = OutputFolder::open(&args.out, args.force)?;
    let progress = Progress::new(&args.common, "waiting for samples");
    let came = read_aside::<T>(args, size);
    let save_every = args.save_every.map_or(SAVE_EVERY, |every| every.get());

    let mut state = State { batch_size: size, names: None, n_samples: 0, last: None };
    let stop = loop {
        let out_of_time = time_limit.is_some_and(|limit| begun.elapsed().as_secs_f64() >= limit);
        if out_of_time {
            break StopReason::TimeLimit;
        }
        if cancel::flag().load(std::sync::atomic::Ordering::Relaxed) {
            break StopReason::Cancelled;
        }
        let (batch, names) = match came.recv_timeout(PATIENCE) {
            Err(RecvTimeoutError::Timeout) => continue,
            Ok(Came::Batch(batch, names)) => (batch, names),
            Ok(Came::End) | Err(RecvTimeoutError::Disconnected) => break StopReason::MaxStages,
            Ok(Came::Wrong(error)) => {
                // What the batches before have taught is not lost.
                if online.components().is_some() {
                    save(&folder, &online, &settings, &state)?;
                }
                return Err(wrong_stream(&error));
            }
        };
        if state.n_samples == 0 {
            check_truth(args, &batch)?;
            state.names = args.data.how.file.names_for(&args.data.data, 0, batch.ncols())?.or(names);
        }
        let rows = batch.nrows();
        let samples = DenseSamples::new(batch)?;
        if !online.learn(&samples, &mut args.common.run())? {
            break StopReason::Cancelled;
        }
        state.n_samples += rows;
        state.last = Some(samples);
        progress.doing(format!("{} samples in {} batches", state.n_samples, online.batches()));
        if online.batches().is_multiple_of(save_every) {
            save(&folder, &online, &settings, &state)?;
        }
    };
    progress.doing("writing");
    end(args, (&folder, &online, &settings, &state), stop, begun)
}

/// What is known beside the components.
struct State<T: Real> {
    batch_size: usize,
    names: Option<Vec<String>>,
    n_samples: usize,
    /// The last batch.
    last: Option<DenseSamples<'static, T>>,
}

/// Options that need the samples more than once, or other methods.
fn refuse_what_streams_have_not(args: &FitArgs) -> Result<(usize, usize), Failure> {
    let how = &args.data.how.file;
    let typed = |setting| args.settings.typed(setting).is_some();
    let given = [
        (args.resume, "--resume (--init components.npy of an earlier run goes on from there)"),
        (how.transpose, "--transpose"),
        (how.layer.is_some(), "--layer"),
        (typed("max_stages"), "--stages"),
        (typed("compress"), "--compress"),
        (typed("tolerance"), "--tolerance"),
        (args.report, "--report"),
        (args.memory.is_some(), "--memory: a batch is all that is held"),
        (args.settings.method != Method::And, "another --method than and"),
    ];
    if let Some((_, option)) = given.iter().find(|(given, _)| *given) {
        return Err(Failure::Request(format!("samples from {IN_WORDS} have no {option}")));
    }
    let Rank::Of(rank) = args.rank else {
        return Err(Failure::Request(format!("samples from {IN_WORDS} need a number as --rank")));
    };
    match args.settings.typed("batch").map(str::parse).transpose()? {
        Some(Batch::Size(size)) if size > 0 => Ok((rank, size)),
        _ => Err(Failure::Request(format!(
            "samples from {IN_WORDS} come in batches: add --batch N, the first of which must be large enough to find \
             {rank} components in"
        ))),
    }
}

/// The settings of all stages, and the time limit of the whole run. Of a batch that was read, few samples make a
/// gradient step.
fn settings(args: &FitArgs, rank: usize) -> Result<(MethodParams, Option<f64>), Failure> {
    let without_batch = FitArgs { settings: args.settings.without(&["batch"]), ..args.clone() };
    let settings = plan::settings(&without_batch, rank)?;
    let time_limit = settings.time_limit();
    Ok((settings.with_time_limit(None), time_limit))
}

/// Reads batches in a thread of its own, so that Ctrl-C is heard while nothing comes; one batch waits at most.
fn read_aside<T: Real>(args: &FitArgs, size: usize) -> Receiver<Came<T>> {
    let (hand_over, came) = sync_channel(0);
    let options = args.data.how.file.options();
    std::thread::spawn(move || {
        let input = BufReader::with_capacity(1 << 17, std::io::stdin());
        let mut stream = match SampleStream::<T>::new(input, IN_WORDS, &options) {
            Ok(stream) => stream,
            Err(error) => return drop(hand_over.send(Came::Wrong(error))),
        };
        loop {
            let next = match stream.next_batch(size) {
                Ok(Some(batch)) => Came::Batch(batch, stream.feature_names()),
                Ok(None) => Came::End,
                Err(error) => Came::Wrong(error),
            };
            let last = !matches!(next, Came::Batch(..));
            if hand_over.send(next).is_err() || last {
                return;
            }
        }
    });
    came
}

/// What is wrong with the stream; that it could not be read at all is nobody's request.
fn wrong_stream(error: &FileError) -> Failure {
    match error.problem {
        Problem::Io(_) => Failure::Other(error.to_string()),
        _ => Failure::Request(error.to_string()),
    }
}

/// Refuses a truth of another width before anything is learned.
fn check_truth<T: Real>(args: &FitArgs, batch: &Array2<T>) -> Result<(), Failure> {
    read_truth::<T>(args, batch.ncols()).map(|_| ())
}

fn model<T: Real>(
    online: &Online<T>,
    settings: &MethodParams,
    state: &State<T>,
) -> Result<Option<Model<T>>, Failure> {
    let Some(components) = online.components() else { return Ok(None) };
    let parts = ModelParts {
        components: components.clone(),
        thresholds: online.thresholds().to_vec(),
        settings: settings.clone(),
        feature_names: state.names.clone(),
        trust: online.trust().cloned(),
        scale: online.scale(),
    };
    Ok(Some(Model::from_parts(parts)?))
}

/// Writes the model as it is now.
fn save<T: Real>(
    folder: &OutputFolder,
    online: &Online<T>,
    settings: &MethodParams,
    state: &State<T>,
) -> Result<(), Failure> {
    let Some(model) = model(online, settings, state)? else { return Ok(()) };
    model.save(&folder.file("model.safetensors"), Overwrite::Yes).map_err(writing)
}

/// Writes everything that there is, and says so.
fn end<T: Real>(
    args: &FitArgs,
    (folder, online, settings, state): (&OutputFolder, &Online<T>, &MethodParams, &State<T>),
    stop: StopReason,
    begun: Instant,
) -> Result<(), Failure> {
    let (Some(model), Some(last)) = (model(online, settings, state)?, &state.last) else {
        return Err(match stop {
            StopReason::Cancelled => Failure::Stopped("nothing was written".to_owned()),
            _ => Failure::Request(format!("{IN_WORDS} ended before there was a batch to learn from")),
        });
    };
    let weights = model.weights(last, None, &args.common.unstoppable())?;
    let error = reconstruction_error(last, weights.view(), model.components().view())?;
    let mut all_settings = serde_json::to_value(settings)?;
    if let (Value::Object(all), Value::Object(beside)) = (&mut all_settings, beside(args)) {
        all.extend(beside);
        all.insert("batch".to_owned(), serde_json::to_value(Batch::Size(state.batch_size))?);
    }
    let mut summary = Summary {
        method: settings.method().name(),
        rank: settings.rank(),
        n_samples: state.n_samples,
        n_features: model.components().ncols(),
        stages: online.batches(),
        stop_reason: stop,
        solver_seconds: online.seconds(),
        seconds: 0.0,
        reconstruction_error: error,
        passes: 1,
        start: match &args.init {
            Init::Named("auto") => settings.default_start(false).to_owned(),
            given => given.to_string(),
        },
        trust: online.trust().cloned(),
        warnings: vec!["the reconstruction error is that of the last batch".to_owned()],
        settings: all_settings,
        out_of_core: true,
        recovery: None,
    };
    if let Some(truth) = read_truth::<T>(args, summary.n_features)? {
        summary.recovery = Some(Recovery::measure(model.components().view(), truth.view())?);
    }
    summary.seconds = begun.elapsed().as_secs_f64();
    let mut staged = folder.stage()?;
    let components = staged.file("components.npy")?;
    write_array(&components, model.components().view(), Overwrite::Yes).map_err(writing)?;
    model.save(&staged.file("model.safetensors")?, Overwrite::Yes).map_err(writing)?;
    staged.write_text("trace.csv", &trace_csv(online.trace(), None))?;
    staged.write_text("summary.json", &(serde_json::to_string_pretty(&summary)? + "\n"))?;
    staged.finish()?;
    if args.common.json {
        print_json::print(&summary)?;
    } else {
        args.common.say(format!(
            "{} components of {} samples × {} features from {IN_WORDS}, in {} batches; relative error of the last one \
             {error:.3e}\nwritten to {}: components.npy, model.safetensors, trace.csv, summary.json",
            summary.rank,
            summary.n_samples,
            summary.n_features,
            summary.stages,
            folder.path().display()
        ))?;
    }
    if stop == StopReason::Cancelled {
        return Err(Failure::Stopped(format!("{} has what was found so far", folder.path().display())));
    }
    Ok(())
}
