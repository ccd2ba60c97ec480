//! `andnmf generate`: samples with known components and weights.

mod plan;

use std::path::PathBuf;

use andnmf::synth::{Dataset, DatasetKind, DatasetSpec, NoiseKind};
use andnmf::theory::WeightReport;
use andnmf_io::{Overwrite, read_array, write_array};
use andnmf_program::format::number;
use andnmf_program::{CommonArgs, Failure, OutputFolder, json, read_failure, write_failure};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use serde::Serialize;

/// Headings of the help.
const KIND: &str = "Options of a KIND";
const START: &str = "Options of init.npy";

/// Generate samples with known components and weights.
///
/// Example: andnmf generate paired --rank 20 --features 400 --samples 2000 --out data
///
/// Writes samples.npy (samples × features), truth.npy (rank × features), weights.npy (samples × rank), init.npy (a
/// start near the truth, rank × features) and meta.json (all settings) to DIR. samples = weights · truth + noise. The
/// same settings always give the same files.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  andnmf generate dir --out data
  andnmf generate ctm --noise 0.01 --correlation 0.8 --seed 3 --out data
  andnmf generate paired --rank 20 --features 400 --samples 2000 --co-occurrence 0.9 --out data
  andnmf generate binary --truth topics.npy --out data
  andnmf generate ctm --logit-covariance covariance.npy --out data

Kinds:
  dir           Dirichlet weights (--concentration)
  ctm           correlated topic model: logistic-normal weights with one covariance (--scale, --correlation)
  ctm-fitted    ctm with the mean and covariance of the topics of the NIPS papers (--mean-share)
  ctm-blocks    ctm with the logits in strongly correlated pairs (--scale, --correlation)
  ctm-released  ctm as in the paper's released code: nearly one component per sample
  neg           components with negative entries
  noise         ctm with --noise 0.01
  binary        a fixed number of weights is 1, the others are 0 (--sparsity)
  decay         sparse weights, small ones rare (--sparsity, --decay-order)
  paired        components in pairs that occur together (--sparsity, --co-occurrence, --decay-order)")]
pub(crate) struct GenerateArgs {
    /// Distribution of the weights (see the list below)
    #[arg(value_name = "KIND", value_parser = kinds(), hide_possible_values = true)]
    kind: DatasetKind,
    /// Output folder
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Number of features [default: 2940]
    #[arg(long, value_name = "W")]
    features: Option<usize>,
    /// Number of components [default: 100]
    #[arg(long, value_name = "K")]
    rank: Option<usize>,
    /// Number of samples [default: 5000]
    #[arg(long, value_name = "N")]
    samples: Option<usize>,
    /// Random seed
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Approximate norm of the noise added to each sample [default: 0; kind noise: 0.01]
    #[arg(long, value_name = "GAMMA", allow_negative_numbers = true)]
    noise: Option<f64>,
    /// Distribution of the noise: gaussian, directional (one direction), bounded (norm GAMMA), heavy-tailed, or counts
    #[arg(long, value_name = "KIND", default_value = "gaussian", hide_possible_values = true, value_parser = noise_kinds())]
    noise_kind: NoiseKind,
    /// File of true components (rank × features), in any input format [default: built-in topics]
    #[arg(long, value_name = "FILE")]
    truth: Option<PathBuf>,
    /// Mixing of the true components with each other in init.npy, the paper's r_l [default: 1]
    #[arg(long, help_heading = START, value_name = "R_L", allow_negative_numbers = true)]
    in_span: Option<f64>,
    /// Perturbation out of the span of the true components in init.npy, the paper's r_n [default: 0]
    #[arg(long, help_heading = START, value_name = "R_N", allow_negative_numbers = true)]
    out_of_span: Option<f64>,
    /// dir: sum of the Dirichlet parameters; smaller is sparser [default: 5]
    #[arg(long, help_heading = KIND, value_name = "SUM", allow_negative_numbers = true)]
    concentration: Option<f64>,
    /// binary, decay, paired: number of non-zero weights per sample [default: 5, at most half the rank]
    #[arg(long, help_heading = KIND, value_name = "S", allow_negative_numbers = true)]
    sparsity: Option<f64>,
    /// decay, paired: decay order; 1 is uniform, larger makes small weights rarer [default: 2; paired: all weights
    /// are 1]
    #[arg(long, help_heading = KIND, value_name = "Q", allow_negative_numbers = true)]
    decay_order: Option<f64>,
    /// paired: probability that both components of a pair are present if one is [default: 0.8]
    #[arg(long, help_heading = KIND, value_name = "C", allow_negative_numbers = true)]
    co_occurrence: Option<f64>,
    /// ctm, ctm-blocks: standard deviation of the logits; larger is sparser [default: 3]
    #[arg(long, help_heading = KIND, value_name = "SD", allow_negative_numbers = true)]
    scale: Option<f64>,
    /// ctm: fraction of the logits' variance that the components share, 0 to 1; ctm-blocks: correlation of the logits
    /// of a pair [default: 0.5; ctm-blocks: 0.9]
    #[arg(long, help_heading = KIND, value_name = "SHARE", allow_negative_numbers = true)]
    correlation: Option<f64>,
    /// ctm-fitted: factor of the mean of the logits; with 0, no topic is rarer than others [default: 1]
    #[arg(long, help_heading = KIND, value_name = "SHARE", allow_negative_numbers = true)]
    mean_share: Option<f64>,
    /// ctm: file of the covariance of the logits (rank × rank), in place of --scale and --correlation
    #[arg(long, help_heading = KIND, value_name = "FILE", conflicts_with_all = ["scale", "correlation"])]
    logit_covariance: Option<PathBuf>,
    /// ctm: file of the mean of the logits (1 × rank) [default: zeros]
    #[arg(long, help_heading = KIND, value_name = "FILE", requires = "logit_covariance")]
    logit_mean: Option<PathBuf>,
    /// Replace existing results in DIR
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    common: CommonArgs,
}

/// Parses the name of a kind; clap suggests the nearest one.
fn kinds() -> impl TypedValueParser<Value = DatasetKind> {
    PossibleValuesParser::new(DatasetKind::ALL.map(DatasetKind::name))
        .try_map(|name| name.parse::<DatasetKind>())
}

/// Parses the name of a kind of noise.
fn noise_kinds() -> impl TypedValueParser<Value = NoiseKind> {
    PossibleValuesParser::new(NoiseKind::ALL.map(NoiseKind::name)).try_map(|name| name.parse::<NoiseKind>())
}

/// The contents of `meta.json`.
#[derive(Serialize)]
struct Meta<'a> {
    #[serde(flatten)]
    spec: &'a DatasetSpec,
    /// The file of `--truth`; `None` for built-in topics.
    truth: Option<&'a PathBuf>,
    /// The files of mean and covariance of the logits, if given.
    #[serde(skip_serializing_if = "Option::is_none")]
    logit_mean: Option<&'a PathBuf>,
    #[serde(skip_serializing_if = "Option::is_none")]
    logit_covariance: Option<&'a PathBuf>,
    /// How strongly the weights are correlated.
    correlations: &'a WeightReport,
    version: &'static str,
}

pub(crate) fn run(args: &GenerateArgs) -> Result<(), Failure> {
    let truth = args.truth.as_ref().map(|file| read_array::<f64>(file).map_err(read_failure)).transpose()?;
    let logits = plan::logits(args)?;
    let spec = plan::dataset_spec(args, truth.as_ref().map(|truth| truth.dim()))?;
    let folder = OutputFolder::open(&args.out, args.force)?;
    args.common.set_threads()?;
    let data = match (logits, truth) {
        (Some(logits), truth) => {
            spec.generate_with_weights(truth, logits.draw(spec.n_samples, spec.seed)?)?
        }
        (None, Some(truth)) => spec.generate_with_truth(truth)?,
        (None, None) => spec.generate()?,
    };
    let correlations = WeightReport::of(data.weights.view())
        .map_err(|error| Failure::Other(format!("the weights cannot be measured: {error}")))?;
    let meta = Meta {
        spec: &data.spec,
        truth: args.truth.as_ref(),
        logit_mean: args.logit_mean.as_ref(),
        logit_covariance: args.logit_covariance.as_ref(),
        correlations: &correlations,
        version: env!("CARGO_PKG_VERSION"),
    };
    write(&folder, &data, &meta)?;
    if args.common.json {
        return json::print(&meta);
    }
    print_summary(args, &data.spec, &correlations)
}

fn write(folder: &OutputFolder, data: &Dataset, meta: &Meta<'_>) -> Result<(), Failure> {
    let mut staged = folder.stage()?;
    let arrays = [
        ("samples.npy", &data.samples),
        ("truth.npy", &data.truth),
        ("weights.npy", &data.weights),
        ("init.npy", &data.init),
    ];
    for (name, array) in arrays {
        write_array(&staged.file(name)?, array.view(), Overwrite::Yes).map_err(write_failure)?;
    }
    staged.write_text("meta.json", &format!("{}\n", serde_json::to_string_pretty(meta)?))?;
    staged.finish()
}

fn print_summary(args: &GenerateArgs, spec: &DatasetSpec, weights: &WeightReport) -> Result<(), Failure> {
    let DatasetSpec { n_samples, n_features, rank, .. } = spec;
    let out = args.out.display();
    args.common.print(format!(
        "{n_samples} samples of {n_features} features from {rank} components written to {out}: samples.npy, truth.npy, \
         weights.npy, init.npy, meta.json"
    ))?;
    if let (Some(correlation), Some(together)) = (weights.largest_correlation, weights.largest_co_occurrence)
    {
        args.common.print(format!(
            "weights: largest correlation {} (components {} and {}); E[x_i x_j] at most {} times E[x_i] E[x_j]",
            number(correlation.value, 3),
            correlation.first,
            correlation.second,
            number(together.value, 3)
        ))?;
    }
    let conditions = &weights.conditions;
    args.common.print(format!(
        "conditions of the theorems (weights {}): r = {}, k = {}, lambda = {}, q = {}, m = {}; bound on m: {}",
        conditions.scaling.text(),
        number(conditions.r, 3),
        number(conditions.k, 3),
        number(conditions.lambda, 3),
        number(conditions.decay_order, 3),
        number(conditions.m, 3),
        number(weights.bounds.general, 3)
    ))?;
    let signed = if spec.kind == DatasetKind::Neg { " --signed" } else { "" };
    args.common.print(format!(
        "next: andnmf fit {out}/samples.npy --rank {rank}{signed} --truth {out}/truth.npy --out {out}-fit"
    ))
}
