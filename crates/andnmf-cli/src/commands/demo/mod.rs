//! `andnmf demo`: the main job on built-in data, with the other methods beside it.

mod page;
mod table;

use std::fs;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Instant;

use andnmf::synth::{Dataset, DatasetKind, DatasetSpec, Weights, topics};
use andnmf::{Method, MethodParams};
use andnmf_program::{Common, Experiment, Failure, Outcome, OutputFolder, Progress, StartFrom, cancel, json};
use serde::Serialize;
use serde_json::Value;

/// Components active per sample, on average.
const SPARSITY: f64 = 5.0;
/// Words that a topic brings into a document.
const WORDS_PER_TOPIC: f64 = 100.0;
/// AND first, then those whose place it takes.
const METHODS: [Method; 5] = [Method::And, Method::Hals, Method::Anls, Method::Mu, Method::OnlineLda];
/// What progress assumes; time is up before.
const MOST_STAGES: usize = 10_000;
const DEFAULT_OUT: &str = "andnmf-demo";
const PAGE: &str = "report.html";
const SUMMARY: &str = "summary.json";

/// Recover a known truth from strongly correlated samples, with the usual methods beside it.
///
/// Example: andnmf demo
///
/// Samples are mixed from built-in topics that come in pairs: when one is present, its partner is too with probability
/// --co-occurrence. Every method gets the samples alone and no settings: AND, and then HALS, ANLS, multiplicative
/// updates and online LDA, each of these for at most --budget seconds. The truth is used to measure the error, never to fit.
/// Prints a table and writes a report page.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  andnmf demo
  andnmf demo --co-occurrence 0.9 --seed 7 --out demo-7
  andnmf demo --json > demo.json")]
pub(crate) struct DemoArgs {
    /// The folder for report.html and summary.json [default: andnmf-demo]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Number of features (words)
    #[arg(long, default_value_t = 500, value_name = "W")]
    features: usize,
    /// Number of components (topics)
    #[arg(long, default_value_t = 30, value_name = "K")]
    rank: usize,
    /// Number of samples (documents)
    #[arg(long, default_value_t = 2500, value_name = "N")]
    samples: usize,
    /// Probability that the two components of a pair occur together, 0 to 1
    #[arg(long, default_value_t = 0.8, value_name = "C", allow_negative_numbers = true)]
    co_occurrence: f64,
    /// Seed of the data and of everything random in the fits
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Most seconds for each of the other methods
    #[arg(long, default_value_t = 8.0, value_name = "SECONDS", allow_negative_numbers = true)]
    budget: f64,
    /// Replace what DIR holds
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    common: Common,
}

/// A method and what it came to.
struct Run {
    experiment: Experiment,
    outcome: Outcome,
}

pub(crate) fn run(args: &DemoArgs) -> Result<(), Failure> {
    let begun = Instant::now();
    let experiments = plan(args)?;
    let folder = open_folder(args)?;
    args.common.set_threads()?;
    let progress = Progress::new(&args.common, "making samples");
    let data = documents(&experiments[0].dataset)?;
    drop(progress);
    table::head(&args.common, &data)?;
    let mut runs = Vec::new();
    for experiment in experiments {
        let outcome = compete(args, &experiment, &data)?;
        table::row(&args.common, experiment.method.method(), &outcome)?;
        runs.push(Run { experiment, outcome });
    }
    let summary = page::write(&folder, &data, &runs, &args.common, begun)?;
    let report = folder.file(PAGE);
    if args.common.json {
        return print_json(&runs, &report, &summary);
    }
    table::verdict(&args.common, &runs, &report)
}

/// What was typed, as experiments.
fn plan(args: &DemoArgs) -> Result<Vec<Experiment>, Failure> {
    let weights = Weights::Paired {
        // Small demos cannot have as many active components as the usual one.
        sparsity: SPARSITY.min(args.rank as f64 / 4.0),
        co_occurrence: args.co_occurrence,
        decay_order: None,
    };
    let dataset = DatasetSpec {
        n_features: args.features,
        rank: args.rank,
        n_samples: args.samples,
        seed: args.seed,
        weights,
        ..DatasetSpec::new(DatasetKind::Paired)
    };
    if !(args.budget > 0.0 && args.budget.is_finite()) {
        return Err(Failure::Request(format!(
            "--budget is {}, but it must be a number of seconds above 0",
            args.budget
        )));
    }
    let experiments: Vec<Experiment> = METHODS
        .into_iter()
        .map(|method| {
            // AND comes to its end; the others would go on for hours.
            let limit = (method != Method::And).then_some(args.budget);
            let method = MethodParams::new(method, args.rank).with_seed(args.seed).with_time_limit(limit);
            Experiment { dataset: dataset.clone(), method, from: StartFrom::Data }
        })
        .collect();
    for experiment in &experiments {
        experiment.check()?;
    }
    Ok(experiments)
}

/// The samples, as counts of words in documents: only LDA minds the scale, and would take fractions of a word for
/// hardly any evidence.
fn documents(spec: &DatasetSpec) -> Result<Dataset, Failure> {
    Ok(spec.generate_with_truth(topics(spec.rank, spec.n_features, spec.seed)? * WORDS_PER_TOPIC)?)
}

/// The folder asked for; or the demo's own, in which nothing but an earlier demo is replaced.
fn open_folder(args: &DemoArgs) -> Result<OutputFolder, Failure> {
    let Some(out) = &args.out else {
        let own = PathBuf::from(DEFAULT_OUT);
        let entries = fs::read_dir(&own).into_iter().flatten().flatten();
        let only_ours =
            entries.into_iter().all(|entry| entry.file_name() == PAGE || entry.file_name() == SUMMARY);
        return OutputFolder::open(&own, args.force || only_ours);
    };
    OutputFolder::open(out, args.force)
}

fn compete(args: &DemoArgs, experiment: &Experiment, data: &Dataset) -> Result<Outcome, Failure> {
    let name = table::name(experiment.method.method());
    let mut progress = Progress::new(&args.common, name.clone());
    // From here on Ctrl-C is noticed.
    cancel::flag();
    let outcome = experiment.run_on(data, args.common.threads.map(NonZeroUsize::get), &mut |row| {
        progress.stage(&row.record, MOST_STAGES, Some(args.budget));
        if cancel::requested() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    if cancel::requested() {
        return Err(Failure::Stopped(format!("while {name} was at work; nothing was written")));
    }
    Ok(outcome)
}

fn print_json(runs: &[Run], report: &Path, summary: &Value) -> Result<(), Failure> {
    #[derive(Serialize)]
    struct Printed<'a> {
        settings: &'a Experiment,
        #[serde(flatten)]
        outcome: &'a Outcome,
        methods: &'a Value,
        report: &'a Path,
    }
    let Run { experiment, outcome } = &runs[0];
    json::print(&Printed { settings: experiment, outcome, methods: &summary["methods"], report })
}
