//! `andnmf demo`: recovers built-in components with AND, and compares it with the other methods.

mod page;
mod table;

use std::fs;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Instant;

use andnmf::synth::{Dataset, DatasetKind, DatasetSpec, Weights, topics};
use andnmf::{Method, MethodParams};
use andnmf_io::is_unfinished;
use andnmf_program::{
    CommonArgs, Experiment, ExperimentOutcome, Failure, OutputFolder, Progress, StartFrom, cancel, json,
};
use serde::Serialize;
use serde_json::Value;

/// Components active per sample, on average.
const SPARSITY: f64 = 5.0;
/// Words that a topic brings into a document.
const WORDS_PER_TOPIC: f64 = 100.0;
/// AND first, then the methods it is compared with.
const METHODS: [Method; 5] = [Method::And, Method::Hals, Method::Anls, Method::Mu, Method::OnlineLda];
/// Heading of the options for the generated data in the help.
const DATA: &str = "Generated data";
const DEFAULT_OUT: &str = "andnmf-demo";
const PAGE: &str = "report.html";
const SUMMARY: &str = "summary.json";

/// Recover known components from strongly correlated samples, and compare AND with four other methods.
///
/// Example: andnmf demo
///
/// The samples are mixtures of built-in topics that occur in pairs: if one is present, so is the other with probability
/// --co-occurrence. Each method (AND, HALS, ANLS, multiplicative updates, online LDA) receives only the samples and
/// uses its default settings; all but AND are limited to --budget seconds. The true topics serve only to measure the
/// error. Prints a table and writes an HTML report.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  andnmf demo
  andnmf demo --co-occurrence 0.9 --seed 7 --out demo-7
  andnmf demo --json > demo.json")]
pub(crate) struct DemoArgs {
    /// Output folder for report.html and summary.json [default: andnmf-demo]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Number of features (words)
    #[arg(long, help_heading = DATA, default_value_t = 500, value_name = "W")]
    features: usize,
    /// Number of components (topics)
    #[arg(long, help_heading = DATA, default_value_t = 30, value_name = "K")]
    rank: usize,
    /// Number of samples (documents)
    #[arg(long, help_heading = DATA, default_value_t = 2500, value_name = "N")]
    samples: usize,
    /// Probability that the second component of a pair is present if the first is, 0 to 1
    #[arg(long, help_heading = DATA, default_value_t = 0.8, value_name = "C", allow_negative_numbers = true)]
    co_occurrence: f64,
    /// Random seed of the data and of the fits
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Time limit in seconds for each method but AND
    #[arg(long, default_value_t = 8.0, value_name = "SECONDS", allow_negative_numbers = true)]
    budget: f64,
    /// Replace existing results in DIR
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    common: CommonArgs,
}

/// A method and its result.
struct MethodRun {
    experiment: Experiment,
    outcome: ExperimentOutcome,
}

pub(crate) fn run(args: &DemoArgs) -> Result<(), Failure> {
    let started = Instant::now();
    let experiments = plan(args)?;
    let folder = open_folder(args)?;
    args.common.set_threads()?;
    let progress = Progress::new(&args.common, "generating samples");
    let data = documents(&experiments[0].dataset)?;
    drop(progress);
    table::head(&args.common, &data)?;
    let mut runs = Vec::new();
    for experiment in experiments {
        let outcome = run_method(args, &experiment, &data)?;
        table::row(&args.common, experiment.method.method(), &outcome)?;
        runs.push(MethodRun { experiment, outcome });
    }
    let summary = page::write(&folder, &data, &runs, &args.common, started)?;
    let report = folder.file(PAGE);
    if args.common.json {
        return print_json(&runs, &report, &summary);
    }
    table::verdict(&args.common, &runs, &report)
}

/// The experiments, one per method.
fn plan(args: &DemoArgs) -> Result<Vec<Experiment>, Failure> {
    let weights = Weights::Paired {
        // Small demos cannot have as many active components.
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
            "--budget is {}, but it must be a positive number of seconds",
            args.budget
        )));
    }
    let experiments: Vec<Experiment> = METHODS
        .into_iter()
        .map(|method| {
            // AND converges; the others would run for hours.
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

/// The samples, scaled like word counts of documents. Only LDA depends on the scale: it would treat fractions of a word
/// as almost no evidence.
fn documents(spec: &DatasetSpec) -> Result<Dataset, Failure> {
    Ok(spec.generate_with_truth(topics(spec.rank, spec.n_features, spec.seed)? * WORDS_PER_TOPIC)?)
}

/// The folder of `--out`, or the default one, in which only the files of an earlier demo are replaced.
fn open_folder(args: &DemoArgs) -> Result<OutputFolder, Failure> {
    let Some(out) = &args.out else {
        let default = PathBuf::from(DEFAULT_OUT);
        let entries = fs::read_dir(&default).into_iter().flatten().flatten();
        let only_demo_files = entries.into_iter().all(|entry| {
            let name = entry.file_name();
            name == PAGE || name == SUMMARY || is_unfinished(&name.to_string_lossy())
        });
        return OutputFolder::open(&default, args.force || only_demo_files);
    };
    OutputFolder::open(out, args.force)
}

fn run_method(
    args: &DemoArgs,
    experiment: &Experiment,
    data: &Dataset,
) -> Result<ExperimentOutcome, Failure> {
    let name = table::name(experiment.method.method());
    let mut progress = Progress::new(&args.common, name.clone());
    // Install the handler of Ctrl-C.
    cancel::flag();
    let outcome = experiment.run_on(data, args.common.threads.map(NonZeroUsize::get), &mut |row| {
        progress.stage(&row.record, None, Some(args.budget));
        if cancel::requested() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    if cancel::requested() {
        return Err(Failure::Cancelled(format!("interrupted during {name}; nothing was written")));
    }
    Ok(outcome)
}

fn print_json(runs: &[MethodRun], report: &Path, summary: &Value) -> Result<(), Failure> {
    #[derive(Serialize)]
    struct DemoOutput<'a> {
        settings: &'a Experiment,
        #[serde(flatten)]
        outcome: &'a ExperimentOutcome,
        methods: &'a Value,
        report: &'a Path,
    }
    let MethodRun { experiment, outcome } = &runs[0];
    json::print(&DemoOutput { settings: experiment, outcome, methods: &summary["methods"], report })
}
