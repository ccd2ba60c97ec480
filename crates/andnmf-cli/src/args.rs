//! What can be typed.

use std::num::NonZeroUsize;

use clap::{Parser, Subcommand};

/// Recover the true components behind non-negative mixtures, even when their weights are strongly correlated.
#[derive(Debug, Parser)]
#[command(version, arg_required_else_help = true, after_help = "Example:\n  andnmf demo")]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Demo(DemoArgs),
}

/// Recover a known truth from strongly correlated samples and show the error stage by stage.
///
/// Samples are mixed from built-in topics that come in pairs: when one is present, its partner is too with
/// probability --co-occurrence. AND finds the topics from the samples alone, without settings, and says whether it
/// believes the result. The truth is used to measure the error, never to fit.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  andnmf demo\n  andnmf demo --co-occurrence 0.9 --seed 7\n  andnmf demo --json > demo.json"
)]
pub(crate) struct DemoArgs {
    /// Number of features (words)
    #[arg(long, default_value_t = 2000, value_name = "W")]
    pub(crate) features: usize,
    /// Number of components (topics)
    #[arg(long, default_value_t = 100, value_name = "K")]
    pub(crate) rank: usize,
    /// Number of samples (documents)
    #[arg(long, default_value_t = 5000, value_name = "N")]
    pub(crate) samples: usize,
    /// Probability that the two components of a pair occur together, 0 to 1
    #[arg(long, default_value_t = 0.8, value_name = "C")]
    pub(crate) co_occurrence: f64,
    /// Seed of the data and of everything random in the fit
    #[arg(long, default_value_t = 0)]
    pub(crate) seed: u64,
    /// Threads to use; the result is the same for any number [default: all]
    #[arg(long, value_name = "N")]
    pub(crate) threads: Option<NonZeroUsize>,
    /// Print one JSON object instead of a table
    #[arg(long)]
    pub(crate) json: bool,
    /// Print only the last line
    #[arg(long, short, conflicts_with = "json")]
    pub(crate) quiet: bool,
}
