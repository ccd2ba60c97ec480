//! `andnmf reproduce`: the paper's figures and tables, and the map beyond them.

mod about;
mod folder;
mod sources;
mod told;

use std::path::{Path, PathBuf};

use andnmf::io::{Overwrite, write_array, write_aside};
use andnmf_lab::reproduce::{
    About, CellStore, FigureName, Plan, PlanParams, Reproduction, Scale, Sources, Surroundings,
};
use clap::builder::{PossibleValuesParser, TypedValueParser};

use crate::failure::Failure;
use crate::shared::{Common, OutputFolder, Progress, cancel, json, writing};
use about::{COMMIT, about};
pub(super) use folder::PLAN;
use folder::{PlanFile, earlier, joined};
use sources::{SourceArgs, Taken};

/// A truth that was learned from a corpus.
const TRUTH: &str = "truth.npy";
/// Every figure.
const ALL: &str = "all";

/// Make the paper's figures and tables, and judge its claims by what came out.
///
/// Example: andnmf reproduce all --quick --out reproduced
///
/// FIGURE is one or more of those below, or all. Samples are made from a truth (built in, --truth, or learned from
/// --corpus), every method runs with several seeds, and DIR gets each figure as .svg, .png and .csv, report.html with
/// everything on one page, reproduction.md, and summary.json with the verdicts.
///
/// Every run within a figure is kept in DIR/cells as soon as it is done: after Ctrl-C the same command goes on where it
/// was, and runs that are there already are not done again. The same seeds give the same results, times apart. Another
/// FIGURE into the same DIR adds to its report; other sizes, seeds, budgets or sources there need --force.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  andnmf reproduce all --quick --out reproduced
  andnmf reproduce fig1a fig1b --seeds 3 --budget 5 --out figure-1
  andnmf reproduce all --corpus docword.nips.txt.gz --vocab vocab.nips.txt --data real-data --out reproduced

Figures:
  fig1a fig1b fig1c  convergence of all methods on DIR, CTM, NEG
  fig2a fig2b        decreasing and constant thresholds on DIR, CTM
  fig2c              noise
  fig3a fig3b        starts mixed within the span of the truth, and outside it
  fig4               ever denser weights
  table1             ten topics of 20 newsgroups (needs --data)
  fig5               six components of faces (needs --data)
  phase              beyond the paper: where recovery ends")]
pub(crate) struct ReproduceArgs {
    /// What to make
    #[arg(value_name = "FIGURE", required = true, value_parser = figures(), hide_possible_values = true)]
    figures: Vec<Asked>,
    /// The folder for everything
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Small sizes and short budgets: everything in a few minutes
    #[arg(long)]
    quick: bool,
    /// Seconds in the solver, per method and seed of fig1a to fig1c [default: 10; with --quick 1.5]
    ///
    /// What ends by itself (AND in fig2a to fig4, table1, fig5) may take up to six times as long, and runs that need
    /// longer count as not measured. In phase, AND may take this long, and the others a tenth of it at each place.
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    budget: Option<f64>,
    /// Runs with different seeds [default: 5; with --quick 2]
    #[arg(long, value_name = "N")]
    seeds: Option<usize>,
    #[command(flatten)]
    sources: SourceArgs,
    /// Write into DIR although it holds something else, or figures of other sizes or sources
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    common: Common,
}

/// One figure, or all of them.
#[derive(Debug, Clone, Copy)]
enum Asked {
    All,
    One(FigureName),
}

/// Names, so that a wrong one is told the nearest.
fn figures() -> impl TypedValueParser<Value = Asked> {
    let names = FigureName::ALL.map(FigureName::name).into_iter().chain([ALL]);
    PossibleValuesParser::new(names)
        .try_map(|name| if name == ALL { Ok(Asked::All) } else { name.parse().map(Asked::One) })
}

pub(crate) fn run(args: &ReproduceArgs) -> Result<(), Failure> {
    args.common.set_threads()?;
    let scale = if args.quick { Scale::Quick } else { Scale::Full };
    let mut params = PlanParams::new(scale);
    params.budget = args.budget.unwrap_or(params.budget);
    params.seeds = args.seeds.unwrap_or(params.seeds);
    let figures = asked(&args.figures);
    // What is wrong with the request is said before anything is read.
    Plan::new(&figures, &params)?;

    let folder = OutputFolder::claim(&args.out)?;
    let before = earlier(&folder, args.force)?;
    let progress = Progress::new(&args.common, "reading");
    let Taken { sources, truth, learned_from } =
        args.sources.read(scale, &folder, before.as_ref(), &args.common)?;
    let params = params
        .with_sources(&sources)
        .map_err(|error| Failure::Request(format!("the texts of --data cannot be read: {error}")))?;
    let store = CellStore::in_folder(folder.path());
    let (figures, params) = joined(before.as_ref(), figures, params, &store, args.force)?;
    let plan = Plan::new(&figures, &params)?;
    if let (Some(truth), Some(_)) = (&sources.truth, &learned_from) {
        write_array(&folder.file(TRUTH), truth.view(), Overwrite::Yes).map_err(writing)?;
    }
    let command = std::env::args().skip(1).fold("andnmf".to_owned(), |line, word| line + " " + &word);
    let mut commands =
        before.filter(|before| before.params == params).map_or_else(Vec::new, |before| before.commands);
    commands.retain(|known| *known != command);
    commands.push(command);
    let file = PlanFile { figures, params, truth, learned_from, commands };
    write_aside(&folder.file(PLAN), Overwrite::Yes, |out| {
        serde_json::to_writer_pretty(&mut *out, &file).map_err(Into::into)
    })
    .map_err(writing)?;

    let around = Surroundings {
        sources: &sources,
        threads: args.common.threads.map(std::num::NonZeroUsize::get),
        stop: Some(cancel::flag()),
        commit: COMMIT,
    };
    let results = plan
        .run(&store, around, &mut |now| {
            let doing = now.next.map_or_else(String::new, |cell| {
                format!("{}: {}, {}, seed {}", cell.figure, cell.case, cell.method, cell.seed)
            });
            progress.pieces(now.done, now.all, now.seconds_left, &doing);
        })
        .map_err(|error| Failure::Other(error.to_string()))?;
    if !results.complete {
        let (done, all) = (results.results.len(), plan.cells.len());
        return Err(Failure::Stopped(format!(
            "{done} of {all} runs are done; the same command goes on from there"
        )));
    }
    progress.doing("drawing");
    let reproduction = Reproduction { plan, results };
    let about = about(&file);
    write(&folder, &reproduction, &about, &sources)?;
    drop(progress);
    if args.common.json {
        return json::print(&reproduction.summary(&about));
    }
    told::told(&args.common, &reproduction, &folder)
}

/// Makes everything again from the runs that a folder holds; says where the page is.
pub(super) fn rebuild(path: &Path, title: Option<&str>) -> Result<PathBuf, Failure> {
    let known = PlanFile::read(path)?;
    let plan = Plan::new(&known.figures, &known.params)?;
    let folder = OutputFolder::claim(path)?;
    let results = plan.found(&CellStore::in_folder(folder.path()));
    if !results.complete {
        return Err(Failure::Request(format!(
            "{}: {} of {} runs are done; the rest first: {}",
            path.display(),
            results.results.len(),
            plan.cells.len(),
            known.commands.last().map_or("andnmf reproduce", String::as_str)
        )));
    }
    let reproduction = Reproduction { plan, results };
    let about = About { title: title.map(str::to_owned), ..about(&known) };
    write(&folder, &reproduction, &about, &Sources::default())?;
    Ok(folder.file("report.html"))
}

fn asked(figures: &[Asked]) -> Vec<FigureName> {
    figures
        .iter()
        .flat_map(|asked| match asked {
            Asked::All => FigureName::ALL.to_vec(),
            Asked::One(figure) => vec![*figure],
        })
        .collect()
}

/// Writes everything that is made of the results.
fn write(
    folder: &OutputFolder,
    reproduction: &Reproduction,
    about: &About,
    sources: &Sources,
) -> Result<(), Failure> {
    let files = reproduction
        .files(about, sources)
        .map_err(|error| Failure::Other(format!("the figures cannot be drawn: {error}")))?;
    let mut staged = folder.stage()?;
    for (name, bytes) in files {
        staged.write_bytes(&name, &bytes)?;
    }
    staged.finish()
}
