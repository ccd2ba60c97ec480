//! What can be typed.

use std::path::PathBuf;

use andnmf_lab::reproduce::FigureName;
use andnmf_program::CommonArgs;
use clap::builder::{PossibleValuesParser, TypedValueParser};

use crate::sources::SourceArgs;

/// Every figure.
const ALL: &str = "all";

/// Make the paper's figures and tables, and judge its claims by the results.
///
/// Example: cargo run --release -p andnmf-lab -- all --quick --out reproduced
///
/// FIGURE is one or more of those below, or all. Samples are made from a truth (built in, --truth, or learned from
/// --corpus), every method runs with several seeds, and DIR gets each figure as .svg, .png and .csv, report.html with
/// everything on one page, reproduction.md, and summary.json with the verdicts.
///
/// Each run is stored in DIR/cells when it is done: after Ctrl-C the same command continues there, and finished runs
/// are not repeated. The same seeds give the same results, times apart. Another FIGURE into the same DIR adds to its
/// report; other sizes, seeds, budgets or sources there need --force.
#[derive(Debug, clap::Parser)]
#[command(
    name = "andnmf-lab",
    version,
    arg_required_else_help = true,
    after_help = "Examples:
  cargo run --release -p andnmf-lab -- all --quick --out reproduced
  cargo run --release -p andnmf-lab -- fig1a fig1b --seeds 3 --budget 5 --out figure-1
  cargo run --release -p andnmf-lab -- all --corpus docword.nips.txt.gz --vocab vocab.nips.txt --data real-data
  cargo run --release -p andnmf-lab -- --rebuild --out reproduced

Figures:
  fig1a fig1b fig1c  convergence of all methods on DIR, CTM, NEG
  fig2a fig2b        decreasing and constant thresholds on DIR, CTM
  fig2c              noise
  fig3a fig3b        starts mixed within the span of the truth, and outside it
  fig4               ever denser weights
  table1             ten topics of 20 newsgroups (needs --data)
  fig5               six components of faces (needs --data)
  phase              beyond the paper: where recovery ends"
)]
pub(crate) struct LabArgs {
    /// What to make
    #[arg(
        value_name = "FIGURE",
        required_unless_present = "rebuild",
        value_parser = figures(),
        hide_possible_values = true
    )]
    figures: Vec<Requested>,
    /// The folder for everything
    #[arg(long, value_name = "DIR", default_value = "reproduced")]
    pub(crate) out: PathBuf,
    /// Small sizes and short budgets: everything in a few minutes
    #[arg(long)]
    pub(crate) quick: bool,
    /// Seconds in the solver, per method and seed of fig1a to fig1c [default: 10; with --quick 1.5]
    ///
    /// Methods that stop by themselves (AND in fig2a to fig4, table1, fig5) may take up to six times as long; runs that
    /// need longer count as not measured. In phase, AND may take this long, and the others a tenth of it per cell.
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    pub(crate) budget: Option<f64>,
    /// Runs with different seeds [default: 5; with --quick 2]
    #[arg(long, value_name = "N")]
    pub(crate) seeds: Option<usize>,
    #[command(flatten)]
    pub(crate) sources: SourceArgs,
    /// Write into DIR although it holds something else, or figures of other sizes or sources
    #[arg(long)]
    pub(crate) force: bool,
    /// Run nothing: draw everything in DIR again from its finished runs
    #[arg(
        long,
        conflicts_with_all = ["figures", "quick", "budget", "seeds", "truth", "corpus", "data", "force"]
    )]
    pub(crate) rebuild: bool,
    /// Heading of the page that --rebuild draws
    #[arg(long, value_name = "TEXT", conflicts_with = "figures")]
    pub(crate) title: Option<String>,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

impl LabArgs {
    /// The requested figures.
    pub(crate) fn figures(&self) -> Vec<FigureName> {
        let names = self.figures.iter().flat_map(|requested| match requested {
            Requested::All => FigureName::ALL.to_vec(),
            Requested::One(figure) => vec![*figure],
        });
        names.collect()
    }
}

/// One figure, or all of them.
#[derive(Debug, Clone, Copy)]
enum Requested {
    All,
    One(FigureName),
}

/// A parser that answers a wrong name with the nearest right one.
fn figures() -> impl TypedValueParser<Value = Requested> {
    let names = FigureName::ALL.map(FigureName::name).into_iter().chain([ALL]);
    PossibleValuesParser::new(names)
        .try_map(|name| if name == ALL { Ok(Requested::All) } else { name.parse().map(Requested::One) })
}
