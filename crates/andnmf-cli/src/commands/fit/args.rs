//! What can be typed after `andnmf fit`.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use andnmf::fit::Start;
use andnmf_program::{Common, DataArgs};
use clap::{Args, ValueEnum};

use super::typed::{Init, Rank, Shape};
use crate::commands::method_args::MethodArgs;
use crate::shared::Bytes;

/// Factorize samples: find their components and how much of each every sample has.
///
/// Example: andnmf fit samples.npy --rank 20 --out fitted
///
/// Without further options the method is AND, and everything but the rank comes from the data. DIR gets
/// components.npy (rank × features), weights.npy (samples × rank), model.safetensors, trace.csv and summary.json.
///
/// With DATA being -, samples come from standard input, as text (.csv) or as .npy files one after another, and are not
/// kept: each --batch of them moves the components on, the first one gives the start, and model.safetensors is written
/// every --save-every batches. There are no weights then; andnmf transform gives them.
///
/// Ctrl-C stops the fit after the stage at hand: what was found so far is written, marked as cancelled, with a
/// checkpoint for --resume, and the exit status is 130. A second Ctrl-C ends at once and writes nothing.
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:
  andnmf fit samples.npy --rank 20 --out fitted
  andnmf fit counts.mtx --vocab genes.txt --rank auto --out fitted --report
  andnmf fit samples.npy --rank 20 --method hals --out hals
  andnmf fit samples.npy --rank 20 --out fitted --resume
  andnmf fit huge.npy --rank 20 --precision f32 --memory 2G --out fitted
  producer | andnmf fit - --rank 20 --batch 5000 --out fitted")]
pub(crate) struct FitArgs {
    #[command(flatten)]
    pub(crate) data: DataArgs,
    /// Number of components, or auto: as many as stand out of the noise
    #[arg(long, value_name = "K|auto")]
    pub(crate) rank: Rank,
    /// Folder for the results
    #[arg(long, value_name = "DIR")]
    pub(crate) out: PathBuf,
    #[arg(long, default_value = "auto", value_name = "START|FILE", help = init_help())]
    pub(crate) init: Init,
    /// Memory that the fit may take, such as 2G or 512M [default: what the system can spare]
    ///
    /// Where the samples do not fit, they are read from their file as the fit goes, with the same result. That takes a
    /// .npy file in row order or a .csrstore file: andnmf convert makes them from the others.
    #[arg(long, value_name = "SIZE")]
    pub(crate) memory: Option<Bytes>,
    /// True components (rank × features), to measure against; the fit does not see them
    #[arg(long, value_name = "FILE")]
    pub(crate) truth: Option<PathBuf>,
    /// With DATA being -, write the model after so many batches [default: 100]
    #[arg(long, value_name = "BATCHES")]
    pub(crate) save_every: Option<NonZeroUsize>,
    /// Also write report.html, a page for the browser
    #[arg(long)]
    pub(crate) report: bool,
    /// How the report draws components
    #[arg(long, value_enum, default_value = "auto", value_name = "KIND")]
    pub(crate) show: Show,
    /// Height and width of components that are pictures, such as 28x28
    #[arg(long, value_name = "HxW")]
    pub(crate) shape: Option<Shape>,
    /// Go on from the checkpoint that a stopped or killed run left in DIR, to the same result as without the stop
    #[arg(long)]
    pub(crate) resume: bool,
    /// Seconds between two checkpoints; 0 for one after every stage
    #[arg(long, default_value_t = 5.0, value_name = "SECONDS", allow_negative_numbers = true)]
    pub(crate) checkpoint_every: f64,
    /// Replace the results that are in DIR already
    #[arg(long)]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) settings: MethodArgs,
    #[command(flatten)]
    pub(crate) common: Common,
}

/// How components are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Show {
    /// Pictures with --shape, curves where names are rising numbers, words where they are words, else bars
    Auto,
    /// The strongest words
    Words,
    /// Pictures; needs --shape
    Image,
    /// Curves over the features, such as spectra
    Curve,
    /// The strongest features
    Bars,
}

fn init_help() -> String {
    let starts = Start::<f64>::NAMES.map(|start| format!("{} ({})", start.name, start.help));
    format!("Where to start: {}, or a file with rank × features values", starts.join(", "))
}
