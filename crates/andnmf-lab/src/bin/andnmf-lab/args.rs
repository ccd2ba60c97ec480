//! The command-line options.

use std::path::PathBuf;

use andnmf_lab::reproduce::FigureName;
use andnmf_program::CommonArgs;
use clap::builder::{PossibleValuesParser, TypedValueParser};

use crate::sources::SourceArgs;

/// The name that stands for every figure.
const ALL: &str = "all";
const SIZE_AND_TIME: &str = "Size and time";
const OUTPUT: &str = "Output";

/// Reproduce the paper's figures and tables, and check its claims against the results.
///
/// Generates samples from a truth (built in, --truth, or learned from --corpus) and runs every method with several
/// seeds. DIR then contains each figure as .svg, .png and .csv, report.html with everything on one page,
/// reproduction.md, and summary.json with the verdicts.
///
/// Every finished run is stored in DIR/cells. After Ctrl-C, the same command continues with the missing runs. The same
/// seeds give the same results, except for times. Another FIGURE with the same DIR is added to its report; other
/// sizes, seeds, budgets or sources require --force.
#[derive(Debug, clap::Parser)]
#[command(
    name = "andnmf-lab",
    version,
    arg_required_else_help = true,
    after_help = "Figures:
  all                all of the following
  fig1a fig1b fig1c  convergence of all methods on DIR, CTM, NEG
  fig1d              convergence under strong correlations
  fig2a fig2b        decreasing and constant thresholds on DIR, CTM
  fig2c              noise
  fig3a fig3b        starts mixed within the span of the truth, and outside it
  fig4               increasingly dense weights
  table1             ten topics of 20 newsgroups (needs --data)
  fig5               six components of faces (needs --data)
  phase              beyond the paper: limits of recovery

Examples:
  cargo run --release -p andnmf-lab -- all --quick --out reproduced
  cargo run --release -p andnmf-lab -- all --corpus docword.nips.txt.gz --vocab vocab.nips.txt --data real-data"
)]
pub(crate) struct LabArgs {
    /// Figures to make: one or more of those below, or all
    #[arg(
        value_name = "FIGURE",
        required_unless_present = "rebuild",
        value_parser = figures(),
        hide_possible_values = true
    )]
    figures: Vec<Requested>,
    /// Folder for all results
    #[arg(long, value_name = "DIR", default_value = "reproduced", help_heading = OUTPUT)]
    pub(crate) out: PathBuf,
    /// Small sizes and short time limits: all figures in a few minutes
    #[arg(long, help_heading = SIZE_AND_TIME)]
    pub(crate) quick: bool,
    /// Solver time per method and seed of fig1a to fig1c, in seconds [default: 10; with --quick 1.5]
    ///
    /// Methods that stop by themselves (AND in fig2a to fig4, table1, fig5) may take up to six times as long; runs that
    /// need longer count as not measured. In phase, AND may take this long, and the other methods a tenth of it per
    /// run.
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true, help_heading = SIZE_AND_TIME)]
    pub(crate) budget: Option<f64>,
    /// Number of runs with different seeds [default: 5; with --quick 2]
    #[arg(long, value_name = "N", help_heading = SIZE_AND_TIME)]
    pub(crate) seeds: Option<usize>,
    /// In fig1a, fig1b and fig1d, also run MU, ANLS and LDA as the authors' released program does
    #[arg(long)]
    pub(crate) released: bool,
    #[command(flatten)]
    pub(crate) sources: SourceArgs,
    /// Write to DIR even if it contains other files, or figures with other sizes or sources
    #[arg(long, help_heading = OUTPUT)]
    pub(crate) force: bool,
    /// Run nothing; draw all figures of DIR again from its finished runs
    #[arg(
        long,
        conflicts_with_all = ["figures", "quick", "budget", "seeds", "released", "truth", "corpus", "data", "force"],
        help_heading = OUTPUT
    )]
    pub(crate) rebuild: bool,
    /// Title of the page that --rebuild draws
    #[arg(long, value_name = "TEXT", conflicts_with = "figures", help_heading = OUTPUT)]
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

/// One figure, or all figures.
#[derive(Debug, Clone, Copy)]
enum Requested {
    All,
    One(FigureName),
}

/// A parser that suggests the nearest valid name for an unknown one.
fn figures() -> impl TypedValueParser<Value = Requested> {
    let names = FigureName::ALL.map(FigureName::name).into_iter().chain([ALL]);
    PossibleValuesParser::new(names)
        .try_map(|name| if name == ALL { Ok(Requested::All) } else { name.parse().map(Requested::One) })
}
