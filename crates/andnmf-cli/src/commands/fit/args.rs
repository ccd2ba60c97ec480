//! What can be typed after `andnmf fit`.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use andnmf::and::{Batch, Compress, Inner, Step};
use andnmf::fit::Method;
use andnmf_program::{Common, DataArgs};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};

use super::typed::{self, Init, Rank, Shape, ThresholdArg};
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
    /// How to factorize
    #[arg(long, default_value = "and", value_parser = methods())]
    pub(crate) method: Method,
    /// Where to start: auto, spa, random-samples, nndsvd, or a file with rank × features values
    #[arg(long, default_value = "auto", value_name = "START|FILE")]
    pub(crate) init: Init,
    /// Thresholds of AND: auto, constant:C, geometric:START:RATIO[:FLOOR], theory:LAMBDA:R:Q or list:A,B,...
    ///
    /// With auto they come from the data, and so does everything else. All others are the paper's Algorithm 1 to the
    /// letter; stage j = 0, 1, ... of geometric uses START/RATIO^j.
    #[arg(long, default_value = "auto", value_name = "SCHEDULE")]
    pub(crate) threshold: ThresholdArg,
    /// Most stages (sweeps, passes) [default: that of the method]
    #[arg(long, value_name = "N")]
    pub(crate) stages: Option<usize>,
    /// Gradient steps per stage of AND: a number, or exact for their limit [default: exact]
    #[arg(long, value_name = "N|exact", value_parser = typed::inner)]
    pub(crate) inner: Option<Inner>,
    /// Length of a gradient step of AND: safe, paper (0.5/rank), or a value that multiplies sums over samples [default: safe]
    #[arg(long, value_name = "safe|paper|VALUE", value_parser = typed::step)]
    pub(crate) step: Option<Step>,
    /// Samples per gradient step: all, or a number [default: that of the method]; with DATA being -, samples per batch
    #[arg(long, value_name = "N|all", value_parser = typed::batch)]
    pub(crate) batch: Option<Batch>,
    /// Work in a smaller space: auto, off, lossless, or the number of leading directions to keep [default: auto]
    #[arg(long, value_name = "auto|off|lossless|RANK", value_parser = typed::compress)]
    pub(crate) compress: Option<Compress>,
    /// Components may be negative although the samples are not
    #[arg(long)]
    pub(crate) signed: bool,
    /// Stop when a stage changes the components by no more than this, relative to their size
    #[arg(long, value_name = "CHANGE", allow_negative_numbers = true)]
    pub(crate) tolerance: Option<f64>,
    /// Stop after so many seconds of stages, with what was found by then; with --resume they count anew
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    pub(crate) time_limit: Option<f64>,
    /// Memory that the fit may take, such as 2G or 512M [default: what the system can spare]
    ///
    /// Where the samples do not fit, they are read from their file as the fit goes, with the same result. That takes a
    /// .npy file in row order or a .csrstore file: andnmf convert makes them from the others.
    #[arg(long, value_name = "SIZE")]
    pub(crate) memory: Option<Bytes>,
    /// Seed of everything random
    #[arg(long, default_value_t = 0)]
    pub(crate) seed: u64,
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

pub(crate) fn methods() -> impl TypedValueParser<Value = Method> {
    PossibleValuesParser::new(Method::ALL.map(Method::name))
        .map(|name| Method::ALL.into_iter().find(|method| method.name() == name).unwrap_or(Method::And))
}
