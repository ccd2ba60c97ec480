//! `andnmf suggest-rank`: estimates the number of components.

use std::io::{self, Write};
use std::ops::RangeInclusive;

use andnmf::Real;
use andnmf::counts::Noise;
use andnmf::rank::{RankSettings, RankSuggestion, suggest_rank};
use andnmf_io::printable_line;
use andnmf_program::{CommonArgs, DataArgs, Failure, Precision, Progress, json};
use clap::Args;

use crate::shared::NameDetection;

/// The meaning of the table's columns.
const LEGEND: &str = "\
last kept   smallest singular value kept at this rank, relative to the largest one
first out   largest singular value omitted at this rank; if it is below the noise edge, the rest looks like noise
noise edge  largest singular value of pure noise with the norm of all that is omitted
held out    relative error of predicting held-out values (cross-validation), of counts one half from the other; lower is better
unstable    fraction of components that differ between fits to two halves of the samples, or of counts; 0 is best, - is not computed
";

/// Suggest the number of components, by noise level, held-out error and stability.
///
/// Example: andnmf suggest-rank samples.npy --ranks 2..30
///
/// Prints the scores of every rank in the range, the suggested rank and the reason. Counts (whole numbers whose variance
/// grows with their mean) are scaled so that their noise is white.
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:
  andnmf suggest-rank samples.npy --ranks 2..30
  andnmf suggest-rank counts.mtx --ranks 5..50 --fast --json")]
pub(crate) struct SuggestRankArgs {
    #[command(flatten)]
    data: DataArgs,
    /// Lowest and highest rank to score
    #[arg(long, default_value = "1..20", value_name = "A..B", value_parser = range)]
    ranks: RangeInclusive<usize>,
    /// Skip the stability score, which takes the longest
    #[arg(long)]
    fast: bool,
    /// The noise of the samples: auto (Poisson for counts), gaussian (of equal variance) or poisson
    #[arg(long, default_value = "auto", value_name = "NOISE")]
    noise: Noise,
    /// Random seed
    #[arg(long, default_value_t = 0)]
    seed: u64,
    #[command(flatten)]
    common: CommonArgs,
}

fn range(text: &str) -> Result<RangeInclusive<usize>, String> {
    let ends = text.split_once("..").and_then(|(lowest, highest)| {
        let highest = highest.strip_prefix('=').unwrap_or(highest);
        Some((lowest.trim().parse().ok()?, highest.trim().parse().ok()?))
    });
    ends.map(|(lowest, highest)| lowest..=highest)
        .ok_or_else(|| "expected two whole numbers separated by .., such as 2..30".to_owned())
}

pub(crate) fn run(args: &SuggestRankArgs) -> Result<(), Failure> {
    args.common.set_threads()?;
    let suggestion = match args.data.how.precision {
        Precision::F32 => score_ranks::<f32>(args),
        Precision::F64 => score_ranks::<f64>(args),
    }?;
    if args.common.json { json::print(&suggestion) } else { Ok(print(&suggestion, args)?) }
}

fn score_ranks<T: Real>(args: &SuggestRankArgs) -> Result<RankSuggestion, Failure> {
    let progress = Progress::new(&args.common, format!("reading {}", args.data.data.display()));
    let samples = args.data.read::<T>()?;
    let detection = NameDetection::of(&args.data.data, &samples, &args.data.how.file);
    progress.set_message("scoring ranks");
    let settings =
        RankSettings { stability: !args.fast, seed: args.seed, noise: args.noise, ..RankSettings::default() };
    let suggestion = suggest_rank(&samples, args.ranks.clone(), &settings, &args.common.run())?;
    drop(progress);
    args.common.print_notes(&detection.notes);
    Ok(suggestion)
}

fn print(suggestion: &RankSuggestion, args: &SuggestRankArgs) -> io::Result<()> {
    let mut out = io::stdout().lock();
    if args.common.verbose() {
        writeln!(out, "  rank  last kept  first out  noise edge  held out  unstable")?;
        for score in &suggestion.scores {
            let mark = if suggestion.rank == Some(score.rank) { '>' } else { ' ' };
            let or_dash = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), |v| format!("{v:.4}"));
            writeln!(
                out,
                "{mark} {:>4}  {:>9.4}  {:>9.4}  {:>10}  {:>8}  {:>8}",
                score.rank,
                score.last_kept,
                score.first_omitted,
                or_dash(score.noise_edge),
                or_dash(score.held_out_error),
                or_dash(score.unstable_share),
            )?;
        }
        writeln!(out, "\n{LEGEND}")?;
    }
    match suggestion.rank {
        Some(rank) => {
            writeln!(out, "rank {rank} ({}): {}", suggestion.judgement.verdict, suggestion.reason())?;
            if args.common.verbose() {
                let data = args.data.data.display().to_string();
                writeln!(out, "next: andnmf fit {} --rank {rank} --out fitted", printable_line(&data))?;
            }
            Ok(())
        }
        None => writeln!(out, "no clear answer: {}", suggestion.reason()),
    }
}
