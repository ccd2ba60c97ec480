//! `andnmf generate`: samples whose truth is known.

mod plan;

use std::path::PathBuf;

use andnmf::synth::{Dataset, DatasetKind, DatasetSpec};
use andnmf_io::{Overwrite, read_array, write_array};
use andnmf_program::{Common, Failure, OutputFolder, json, reading, writing};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use serde::Serialize;

/// Make samples whose true components and weights are known.
///
/// Example: andnmf generate paired --rank 20 --features 400 --samples 2000 --out data
///
/// DIR gets samples.npy (samples × features), truth.npy (rank × features), weights.npy (samples × rank), init.npy (a
/// start near the truth, rank × features) and meta.json (all settings). samples = weights · truth, plus noise where
/// asked for. The same settings give the same bits.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  andnmf generate dir --out data
  andnmf generate ctm --noise 0.01 --correlation 0.8 --seed 3 --out data
  andnmf generate paired --rank 20 --features 400 --samples 2000 --co-occurrence 0.9 --out data
  andnmf generate binary --truth topics.npy --out data

Kinds:
  dir           Dirichlet weights (--concentration)
  ctm           correlated topic model: logistic-normal weights with one covariance (--scale, --correlation)
  ctm-released  what the paper's released code draws for it: nearly one component per sample
  neg           components with negative entries
  noise         ctm with --noise 0.01
  binary        a fixed number of weights is 1, the others are 0 (--sparsity)
  decay         sparse weights, small ones rare (--sparsity, --decay-order)
  paired        components in pairs that occur together (--sparsity, --co-occurrence, --decay-order)")]
pub(crate) struct GenerateArgs {
    /// What the weights are like: see below
    #[arg(value_name = "KIND", value_parser = kinds(), hide_possible_values = true)]
    kind: DatasetKind,
    /// The folder to write to
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Number of features, the paper's W [default: 2940]
    #[arg(long, value_name = "W")]
    features: Option<usize>,
    /// Number of components [default: 100]
    #[arg(long, value_name = "K")]
    rank: Option<usize>,
    /// Number of samples [default: 5000]
    #[arg(long, value_name = "N")]
    samples: Option<usize>,
    /// Where all chance comes from
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Noise: about the norm of what is added to one sample [default: 0; for noise 0.01]
    #[arg(long, value_name = "GAMMA", allow_negative_numbers = true)]
    noise: Option<f64>,
    /// True components (rank × features) to build on, in any format that is read [default: built in]
    #[arg(long, value_name = "FILE")]
    truth: Option<PathBuf>,
    /// How much init.npy mixes the true components with each other [default: 1]
    #[arg(long, value_name = "R_L", allow_negative_numbers = true)]
    in_span: Option<f64>,
    /// How far init.npy leaves the span of the true components [default: 0]
    #[arg(long, value_name = "R_N", allow_negative_numbers = true)]
    out_of_span: Option<f64>,
    /// dir: sum of the Dirichlet parameters; the smaller, the sparser [default: 5]
    #[arg(long, value_name = "SUM", allow_negative_numbers = true)]
    concentration: Option<f64>,
    /// binary, decay, paired: weights that are on in a sample [default: 5, but at most half the rank]
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    sparsity: Option<f64>,
    /// decay, paired: how rare small weights are; 1 is uniform [default: 2; for paired, weights are 1]
    #[arg(long, value_name = "Q", allow_negative_numbers = true)]
    decay_order: Option<f64>,
    /// paired: probability that both components of a pair occur, where one does [default: 0.8]
    #[arg(long, value_name = "C", allow_negative_numbers = true)]
    co_occurrence: Option<f64>,
    /// ctm: standard deviation of the logits; the larger, the sparser [default: 3]
    #[arg(long, value_name = "SD", allow_negative_numbers = true)]
    scale: Option<f64>,
    /// ctm: share of the logits' variance that components share, 0 to 1 [default: 0.5]
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true)]
    correlation: Option<f64>,
    /// Replace what DIR holds
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    common: Common,
}

/// Names, so that a wrong one is told the nearest.
fn kinds() -> impl TypedValueParser<Value = DatasetKind> {
    PossibleValuesParser::new(DatasetKind::ALL.map(DatasetKind::name))
        .try_map(|name| name.parse::<DatasetKind>())
}

/// The contents of `meta.json`.
#[derive(Serialize)]
struct Meta<'a> {
    #[serde(flatten)]
    spec: &'a DatasetSpec,
    /// The file that the truth came from; none where it is built in.
    truth: Option<&'a PathBuf>,
    version: &'static str,
}

pub(crate) fn run(args: &GenerateArgs) -> Result<(), Failure> {
    let truth = args.truth.as_ref().map(|file| read_array::<f64>(file).map_err(reading)).transpose()?;
    let spec = plan::recipe(args, truth.as_ref().map(|truth| truth.dim()))?;
    let folder = OutputFolder::open(&args.out, args.force)?;
    args.common.set_threads()?;
    let data = match truth {
        Some(truth) => spec.generate_with_truth(truth)?,
        None => spec.generate()?,
    };
    let meta = Meta { spec: &data.spec, truth: args.truth.as_ref(), version: env!("CARGO_PKG_VERSION") };
    write(&folder, &data, &meta)?;
    if args.common.json {
        return json::print(&meta);
    }
    say(args, &data.spec)
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
        write_array(&staged.file(name)?, array.view(), Overwrite::Yes).map_err(writing)?;
    }
    staged.write_text("meta.json", &format!("{}\n", serde_json::to_string_pretty(meta)?))?;
    staged.finish()
}

fn say(args: &GenerateArgs, spec: &DatasetSpec) -> Result<(), Failure> {
    let DatasetSpec { n_samples, n_features, rank, .. } = spec;
    let out = args.out.display();
    args.common.say(format!(
        "{n_samples} samples of {n_features} features from {rank} components are in {out}: samples.npy, truth.npy, \
         weights.npy, init.npy, meta.json"
    ))?;
    let signed = if spec.kind == DatasetKind::Neg { " --signed" } else { "" };
    args.common.say(format!(
        "next: andnmf fit {out}/samples.npy --rank {rank}{signed} --truth {out}/truth.npy --out {out}-fit"
    ))
}
