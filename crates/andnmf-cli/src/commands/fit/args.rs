//! The options of `andnmf fit`.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use andnmf::fit::Start;
use andnmf::memory::Bytes;
use andnmf_program::{CommonArgs, DataArgs};
use clap::{Args, ValueEnum};

use super::option_types::{Init, Rank, Shape};
use crate::commands::method_args::MethodArgs;

/// Headings of the help.
const CHECKPOINTS: &str = "Checkpoints";
const REPORT: &str = "Report options";

/// Factorize samples into components and weights: samples ≈ weights · components.
///
/// Example: andnmf fit samples.npy --rank 20 --out fitted
///
/// The default method is AND; it needs no settings but the rank. Writes components.npy (rank × features), weights.npy
/// (samples × rank), model.safetensors, trace.csv and summary.json to DIR. Prints the ending (the step that produced the
/// components) and a verdict (good, doubtful or poor, with reasons). --help-all lists the settings of all methods.
///
/// Ctrl-C ends the fit after the current stage and writes the results so far, with a checkpoint for --resume; the exit
/// status is 130. A second Ctrl-C ends it at once and writes nothing.
///
/// If DATA is -, samples are read from standard input, as text (.csv) or as concatenated .npy files, in batches of
/// --batch samples that are not stored. The first batch initializes the components, each further batch updates them.
/// No weights are written; `andnmf transform` computes them.
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:
  andnmf fit samples.npy --rank 20 --out fitted
  andnmf fit counts.mtx --vocab genes.txt --rank auto --out fitted --report
  andnmf fit samples.npy --rank 20 --method hals --out hals
  andnmf fit samples.npy --rank 20 --out fitted --resume
  andnmf fit large.npy --rank 20 --precision f32 --memory 2G --out fitted
  producer | andnmf fit - --rank 20 --batch 5000 --out fitted")]
pub(crate) struct FitArgs {
    #[command(flatten)]
    pub(crate) data: DataArgs,
    /// Number of components; auto estimates it from the samples
    #[arg(long, value_name = "K|auto", display_order = 1)]
    pub(crate) rank: Rank,
    /// Output folder
    #[arg(long, value_name = "DIR", display_order = 2)]
    pub(crate) out: PathBuf,
    #[arg(long, default_value = "auto", value_name = "START|FILE", help = INIT_HELP, long_help = init_long_help())]
    pub(crate) init: Init,
    /// Memory limit, such as 512M or 2G [default: the available memory]
    ///
    /// Samples that do not fit are read from their file in blocks during the fit, with the same result. This requires
    /// a .npy file in row-major order or a .csrstore file; `andnmf convert` creates both.
    #[arg(long, value_name = "SIZE", help_heading = "Input options")]
    pub(crate) memory: Option<Bytes>,
    /// True components (rank × features) to measure the recovery error; not used in the fit
    #[arg(long, value_name = "FILE")]
    pub(crate) truth: Option<PathBuf>,
    /// Also write report.html
    #[arg(long)]
    pub(crate) report: bool,
    /// Also write components.csv and weights.csv, with the names of features and samples
    #[arg(long)]
    pub(crate) tables: bool,
    /// Plot type of the components in the report
    #[arg(long, value_enum, default_value = "auto", value_name = "KIND", help_heading = REPORT)]
    pub(crate) show: Show,
    /// Height and width in pixels if components are images, such as 28x28
    #[arg(long, value_name = "HxW", help_heading = REPORT)]
    pub(crate) shape: Option<Shape>,
    /// Resume from the checkpoint of an interrupted run in DIR; the result is the same as without the interruption
    #[arg(long)]
    pub(crate) resume: bool,
    /// Seconds between two checkpoints; 0 writes one after every stage
    #[arg(long, default_value_t = 5.0, value_name = "SECONDS", allow_negative_numbers = true, help_heading = CHECKPOINTS, hide_short_help = true, hide_long_help = true)]
    pub(crate) checkpoint_every: f64,
    /// For standard input: number of batches between two writes of the model [default: 100]
    #[arg(long, value_name = "BATCHES", help_heading = CHECKPOINTS, hide_short_help = true, hide_long_help = true)]
    pub(crate) save_every: Option<NonZeroUsize>,
    /// Replace existing results in DIR
    #[arg(long)]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) settings: MethodArgs,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

/// Plot type of components.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Show {
    /// Images with --shape, curves if feature names are sorted numbers, words if they are words, else bars
    Auto,
    /// The words with the largest values
    Words,
    /// Images; requires --shape
    Image,
    /// Curves over the features, such as spectra
    Curve,
    /// The features with the largest values
    Bars,
}

const INIT_HELP: &str = "Initialization: a name (see --help), or a file of components (rank × features)";

fn init_long_help() -> String {
    let starts =
        Start::<f64>::NAMES.map(|start| format!("- {:<15} {}", format!("{}:", start.name), start.help));
    format!(
        "Initialization of the components\n\nPossible values:\n{}\n- FILE:           components, rank × features",
        starts.join("\n")
    )
}
