//! `andnmf suggest-rank`: how many components the samples have.

use std::io::{self, Write};
use std::ops::RangeInclusive;

use andnmf::Real;
use andnmf::rank::{RankSettings, RankSuggestion, suggest_rank};
use andnmf_program::{Common, DataArgs, Failure, Precision, Progress, json};
use clap::Args;

use crate::shared::Layout;

/// What the columns of the table are.
const LEGEND: &str = "\
last kept   the weakest direction that this rank keeps, as a share of the strongest one
first out   the strongest that it leaves out; where that is below the noise edge, the rest looks like noise
noise edge  the strongest that noise as large as all that is left out could make
held out    error of the prediction of values that were hidden, as a share of their size: lower is better
unstable    share of components on which two halves of the samples disagree: 0 is best, - was not looked at
";

/// Score numbers of components by noise, held-out fit and stability, and say which to take and why.
///
/// Example: andnmf suggest-rank samples.npy --ranks 2..30
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
    /// Leave out the stability, which takes the longest
    #[arg(long)]
    fast: bool,
    /// Seed of everything random
    #[arg(long, default_value_t = 0)]
    seed: u64,
    #[command(flatten)]
    common: Common,
}

fn range(text: &str) -> Result<RangeInclusive<usize>, String> {
    let ends = text.split_once("..").and_then(|(lowest, highest)| {
        let highest = highest.strip_prefix('=').unwrap_or(highest);
        Some((lowest.trim().parse().ok()?, highest.trim().parse().ok()?))
    });
    ends.map(|(lowest, highest)| lowest..=highest)
        .ok_or_else(|| "two whole numbers with dots between them are needed, such as 2..30".to_owned())
}

pub(crate) fn run(args: &SuggestRankArgs) -> Result<(), Failure> {
    args.common.set_threads()?;
    let found = match args.data.how.precision {
        Precision::F32 => suggestion::<f32>(args),
        Precision::F64 => suggestion::<f64>(args),
    }?;
    if args.common.json { json::print(&found) } else { Ok(print(&found, args)?) }
}

fn suggestion<T: Real>(args: &SuggestRankArgs) -> Result<RankSuggestion, Failure> {
    let progress = Progress::new(&args.common, format!("reading {}", args.data.data.display()));
    let samples = args.data.read::<T>()?;
    let layout = Layout::of(&args.data.data, &samples, &args.data.how.file);
    progress.doing("scoring ranks");
    let settings = RankSettings { stability: !args.fast, seed: args.seed, ..RankSettings::default() };
    let found = suggest_rank(&samples, args.ranks.clone(), &settings, &args.common.run())?;
    drop(progress);
    args.common.note(&layout.doubts);
    Ok(found)
}

fn print(found: &RankSuggestion, args: &SuggestRankArgs) -> io::Result<()> {
    let mut out = io::stdout().lock();
    if args.common.talks() {
        writeln!(out, "  rank  last kept  first out  noise edge  held out  unstable")?;
        for score in &found.scores {
            let mark = if found.rank == Some(score.rank) { '>' } else { ' ' };
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
    match found.rank {
        Some(rank) => {
            writeln!(out, "rank {rank} ({}): {}", found.judgement.verdict, found.reason())?;
            if args.common.talks() {
                writeln!(out, "next: andnmf fit {} --rank {rank} --out fitted", args.data.data.display())?;
            }
            Ok(())
        }
        None => writeln!(out, "no clear answer: {}", found.reason()),
    }
}
