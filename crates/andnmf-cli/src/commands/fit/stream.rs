//! `andnmf fit -`: samples from standard input, in batches that are not stored.

use std::io::BufReader;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

use andnmf::and::Batch;
use andnmf::fit::StopReason;
use andnmf::metrics::{Recovery, reconstruction_norms};
use andnmf::online::Online;
use andnmf::samples::DenseSamples;
use andnmf::{Method, MethodParams, Real};
use andnmf_io::model::{Model, ModelParts};
use andnmf_io::{FileError, Overwrite, Problem, SampleStream, write_array};
use andnmf_program::format::number;
use andnmf_program::{Failure, OutputFolder, Progress, cancel, json as print_json, write_failure};
use ndarray::Array2;
use serde_json::Value;

use super::args::FitArgs;
use super::option_types::{Init, Rank};
use super::results::{FILES_OF_A_FIT, Summary, trace_csv};
use super::{command_options, plan, read_truth};

/// The value of DATA that stands for standard input.
pub(super) const STDIN: &str = "-";
const INPUT_NAME: &str = "standard input";
/// Default number of batches between two writes of the model.
const DEFAULT_SAVE_EVERY: usize = 100;
/// Time between two checks for cancellation while waiting for a batch.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Messages of the reader thread.
enum StreamEvent<T> {
    Batch(Array2<T>, Option<Vec<String>>),
    End,
    Error(FileError),
}

pub(super) fn run<T: Real>(args: &FitArgs) -> Result<(), Failure> {
    let started = Instant::now();
    let (rank, size) = check_options(args)?;
    let (settings, time_limit) = settings(args, rank)?;
    let MethodParams::And(and) = &settings else {
        return Err(Failure::Request("samples from standard input require --method and".to_owned()));
    };
    let mut online = Online::<T>::new(and.clone(), plan::start(args)?)?;
    let folder = OutputFolder::open(&args.out, args.force)?;
    let progress = Progress::new(&args.common, "waiting for samples");
    let events = spawn_reader::<T>(args, size);
    let save_every = args.save_every.map_or(DEFAULT_SAVE_EVERY, |every| every.get());

    let mut state = StreamState { batch_size: size, names: None, n_samples: 0, last: None };
    let stop = loop {
        let out_of_time = time_limit.is_some_and(|limit| started.elapsed().as_secs_f64() >= limit);
        if out_of_time {
            break StopReason::TimeLimit;
        }
        if cancel::flag().load(std::sync::atomic::Ordering::Relaxed) {
            break StopReason::Cancelled;
        }
        let (batch, names) = match events.recv_timeout(POLL_INTERVAL) {
            Err(RecvTimeoutError::Timeout) => continue,
            Ok(StreamEvent::Batch(batch, names)) => (batch, names),
            Ok(StreamEvent::End) | Err(RecvTimeoutError::Disconnected) => break StopReason::MaxStages,
            Ok(StreamEvent::Error(error)) => {
                // Keep the result of the batches before the error.
                if online.components().is_some() {
                    save(&folder, &online, &settings, &state)?;
                }
                return Err(stream_failure(&error));
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
        progress.set_message(format!("{} samples in {} batches", state.n_samples, online.batches()));
        if online.batches().is_multiple_of(save_every) {
            save(&folder, &online, &settings, &state)?;
        }
    };
    progress.set_message("writing");
    finish(args, (&folder, &online, &settings, &state), stop, started)
}

/// The state of the run besides the components.
struct StreamState<T: Real> {
    batch_size: usize,
    names: Option<Vec<String>>,
    n_samples: usize,
    /// The last batch.
    last: Option<DenseSamples<'static, T>>,
}

/// Refuses options that standard input does not support; returns rank and batch size.
fn check_options(args: &FitArgs) -> Result<(usize, usize), Failure> {
    let how = &args.data.how.file;
    let is_given = |setting| args.settings.given(setting).is_some();
    let unsupported = [
        (args.resume, "--resume (use --init with components.npy of an earlier run)"),
        (how.transpose, "--transpose"),
        (how.layer.is_some(), "--layer"),
        (is_given("max_stages"), "--stages"),
        (is_given("compress"), "--compress"),
        (is_given("tolerance"), "--tolerance"),
        (args.report, "--report"),
        (args.memory.is_some(), "--memory (only one batch is in memory)"),
        (args.settings.method != Method::And, "a --method other than and"),
    ];
    if let Some((_, option)) = unsupported.iter().find(|(given, _)| *given) {
        return Err(Failure::Request(format!("samples from {INPUT_NAME} do not support {option}")));
    }
    let Rank::Of(rank) = args.rank else {
        return Err(Failure::Request(format!("--rank must be a number for samples from {INPUT_NAME}")));
    };
    match args.settings.given("batch").map(str::parse).transpose()? {
        Some(Batch::Size(size)) if size > 0 => Ok((rank, size)),
        _ => Err(Failure::Request(format!(
            "--batch N is required for samples from {INPUT_NAME}; the first batch must be large enough to initialize \
             {rank} components"
        ))),
    }
}

/// The settings of all stages, and the time limit of the whole run. `--batch` is the number of samples per read here,
/// not per gradient step.
fn settings(args: &FitArgs, rank: usize) -> Result<(MethodParams, Option<f64>), Failure> {
    let without_batch = FitArgs { settings: args.settings.without(&["batch"]), ..args.clone() };
    let settings = plan::settings(&without_batch, rank)?;
    let time_limit = settings.time_limit();
    Ok((settings.with_time_limit(None), time_limit))
}

/// Reads batches in a separate thread, so that Ctrl-C works while waiting for input; at most one batch is queued.
fn spawn_reader<T: Real>(args: &FitArgs, size: usize) -> Receiver<StreamEvent<T>> {
    let (sender, events) = sync_channel(0);
    let options = args.data.how.file.options();
    std::thread::spawn(move || {
        let input = BufReader::with_capacity(1 << 17, std::io::stdin());
        let mut stream = match SampleStream::<T>::new(input, INPUT_NAME, &options) {
            Ok(stream) => stream,
            Err(error) => return drop(sender.send(StreamEvent::Error(error))),
        };
        loop {
            let next = match stream.next_batch(size) {
                Ok(Some(batch)) => StreamEvent::Batch(batch, stream.feature_names()),
                Ok(None) => StreamEvent::End,
                Err(error) => StreamEvent::Error(error),
            };
            let last = !matches!(next, StreamEvent::Batch(..));
            if sender.send(next).is_err() || last {
                return;
            }
        }
    });
    events
}

/// The failure for an error of the stream: a wrong request, unless the system failed to read it.
fn stream_failure(error: &FileError) -> Failure {
    match error.problem {
        Problem::Io(_) => Failure::Other(error.to_string()),
        _ => Failure::Request(error.to_string()),
    }
}

/// Refuses a truth with another number of features, before the first update.
fn check_truth<T: Real>(args: &FitArgs, batch: &Array2<T>) -> Result<(), Failure> {
    read_truth::<T>(args, batch.ncols()).map(|_| ())
}

fn model<T: Real>(
    online: &Online<T>,
    settings: &MethodParams,
    state: &StreamState<T>,
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

/// Writes the current model.
fn save<T: Real>(
    folder: &OutputFolder,
    online: &Online<T>,
    settings: &MethodParams,
    state: &StreamState<T>,
) -> Result<(), Failure> {
    let Some(model) = model(online, settings, state)? else { return Ok(()) };
    model.save(&folder.file("model.safetensors"), Overwrite::Yes).map_err(write_failure)
}

/// Writes all results and prints the summary.
fn finish<T: Real>(
    args: &FitArgs,
    (folder, online, settings, state): (&OutputFolder, &Online<T>, &MethodParams, &StreamState<T>),
    stop: StopReason,
    started: Instant,
) -> Result<(), Failure> {
    let (Some(model), Some(last)) = (model(online, settings, state)?, &state.last) else {
        return Err(match stop {
            StopReason::Cancelled => Failure::Cancelled("nothing was written".to_owned()),
            _ => Failure::Request(format!("{INPUT_NAME} ended before the first batch was complete")),
        });
    };
    let weights = model.weights(last, None, &args.common.uncancellable_run())?;
    let norms = reconstruction_norms(last, weights.view(), model.components().view())?;
    let mut all_settings = serde_json::to_value(settings)?;
    if let (Value::Object(all), Value::Object(options)) = (&mut all_settings, command_options(args)) {
        all.extend(options);
        all.insert("batch".to_owned(), serde_json::to_value(Batch::Size(state.batch_size))?);
    }
    let mut summary = Summary {
        // Batches know no other.
        noise: "gaussian",
        set_aside: Vec::new(),
        counts: None,
        method: settings.method().name(),
        rank: settings.rank(),
        n_samples: state.n_samples,
        n_features: model.components().ncols(),
        stages: online.batches(),
        search_stages: 0,
        stop_reason: stop,
        solver_seconds: online.seconds(),
        seconds: 0.0,
        reconstruction_error: norms.relative_error(),
        residual_norm: norms.residual.sqrt(),
        passes: 1,
        start: match &args.init {
            Init::Named("auto") => settings.default_start(false).to_owned(),
            given => given.to_string(),
        },
        ending: settings.method().name().to_owned(),
        trust: online.trust().cloned(),
        warnings: vec!["the reconstruction error is that of the last batch only".to_owned()],
        settings: all_settings,
        out_of_core: true,
        recovery: None,
    };
    if let Some(truth) = read_truth::<T>(args, summary.n_features)? {
        summary.recovery = Some(Recovery::measure(model.components().view(), truth.view())?);
    }
    summary.seconds = started.elapsed().as_secs_f64();
    let mut staged = folder.stage()?.replacing(&FILES_OF_A_FIT);
    let components = staged.file("components.npy")?;
    write_array(&components, model.components().view(), Overwrite::Yes).map_err(write_failure)?;
    model.save(&staged.file("model.safetensors")?, Overwrite::Yes).map_err(write_failure)?;
    staged.write_text("trace.csv", &trace_csv(online.trace(), None))?;
    staged.write_text("summary.json", &(serde_json::to_string_pretty(&summary)? + "\n"))?;
    staged.finish()?;
    if args.common.json {
        print_json::print(&summary)?;
    } else {
        args.common.print(format!(
            "{} components of {} samples × {} features from {INPUT_NAME}, in {} batches; relative reconstruction error \
             of the last batch {}\nwritten to {}: components.npy, model.safetensors, trace.csv, summary.json",
            summary.rank,
            summary.n_samples,
            summary.n_features,
            summary.stages,
            number(norms.relative_error(), 3),
            folder.path().display()
        ))?;
    }
    if stop == StopReason::Cancelled {
        return Err(Failure::Cancelled(format!("{} contains the results so far", folder.path().display())));
    }
    Ok(())
}
