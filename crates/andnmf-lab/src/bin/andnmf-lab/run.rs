//! Runs a plan and writes its files.

use andnmf_io::{Overwrite, write_array};
use andnmf_lab::reproduce::{
    CellStore, ExperimentScale, PlanParams, Provenance, Reproduction, ReproductionPlan, RunContext, Sources,
};
use andnmf_program::{Failure, OutputFolder, Progress, cancel, json, write_failure};

use crate::args::LabArgs;
use crate::messages;
use crate::plan_file::{PlanFile, TRUTH, earlier_plan, merged_with_earlier};
use crate::provenance::{COMMIT, provenance};
use crate::sources::LoadedSources;

/// Runs the program with parsed options.
pub(crate) fn run(args: &LabArgs) -> Result<(), Failure> {
    args.common.set_threads()?;
    if args.rebuild { rebuild(args) } else { reproduce(args) }
}

/// Runs the missing cells and writes all files.
fn reproduce(args: &LabArgs) -> Result<(), Failure> {
    let scale = if args.quick { ExperimentScale::Quick } else { ExperimentScale::Full };
    let mut params = PlanParams::new(scale);
    params.budget = args.budget.unwrap_or(params.budget);
    params.seeds = args.seeds.unwrap_or(params.seeds);
    params.released = args.released;
    let figures = args.figures();
    // Refuse invalid options before reading any data.
    ReproductionPlan::new(&figures, &params)?;

    let folder = OutputFolder::lock(&args.out)?;
    let before = earlier_plan(&folder, args.force)?;
    let progress = Progress::new(&args.common, "reading");
    let LoadedSources { sources, truth, learned_from } =
        args.sources.read(scale, &folder, before.as_ref(), &args.common)?;
    let params = params
        .with_sources(&sources)
        .map_err(|error| Failure::Request(format!("--data: cannot read the texts: {error}")))?;
    let store = CellStore::in_folder(folder.path());
    let (figures, params) = merged_with_earlier(before.as_ref(), figures, params, &store, args.force)?;
    let plan = ReproductionPlan::new(&figures, &params)?;
    if let (Some(truth), Some(_)) = (&sources.truth, &learned_from) {
        write_array(&folder.file(TRUTH), truth.view(), Overwrite::Yes).map_err(write_failure)?;
    }
    let command = std::env::args().skip(1).fold("andnmf-lab".to_owned(), |line, word| line + " " + &word);
    let mut commands =
        before.filter(|before| before.params == params).map_or_else(Vec::new, |before| before.commands);
    commands.retain(|known| *known != command);
    commands.push(command);
    let file = PlanFile { figures, params, truth, learned_from, commands };
    file.write(&folder)?;

    let context = RunContext {
        sources: &sources,
        threads: args.common.threads.map(std::num::NonZeroUsize::get),
        stop: Some(cancel::flag()),
        commit: COMMIT,
    };
    let results = plan
        .run(&store, context, &mut |now| {
            let doing = now.next.map_or_else(String::new, |cell| {
                format!("{}: {}, {}, seed {}", cell.figure, cell.case, cell.method, cell.seed)
            });
            progress.set_items_done(now.done, now.all, now.seconds_left, &doing);
        })
        .map_err(|error| Failure::Other(error.to_string()))?;
    if !results.complete {
        let (done, all) = (results.results.len(), plan.cells.len());
        return Err(Failure::Cancelled(format!(
            "{done} of {all} runs are done; run the same command again to continue"
        )));
    }
    progress.set_message("drawing");
    let reproduction = Reproduction { plan, results };
    let provenance = provenance(&file);
    write(&folder, &reproduction, &provenance, &sources)?;
    drop(progress);
    print(args, &reproduction, &provenance, &folder)
}

/// Draws all figures again from the finished runs of a folder.
fn rebuild(args: &LabArgs) -> Result<(), Failure> {
    let known = PlanFile::read(&args.out)?;
    let plan = ReproductionPlan::new(&known.figures, &known.params)?;
    let folder = OutputFolder::lock(&args.out)?;
    let results = plan.stored_results(&CellStore::in_folder(folder.path()));
    if !results.complete {
        return Err(Failure::Request(format!(
            "{}: only {} of {} runs are done; finish them first: {}",
            args.out.display(),
            results.results.len(),
            plan.cells.len(),
            known.commands.last().map_or("andnmf-lab", String::as_str)
        )));
    }
    let reproduction = Reproduction { plan, results };
    let provenance = Provenance { title: args.title.clone(), ..provenance(&known) };
    write(&folder, &reproduction, &provenance, &Sources::default())?;
    print(args, &reproduction, &provenance, &folder)
}

/// Prints the results, as JSON or as text.
fn print(
    args: &LabArgs,
    reproduction: &Reproduction,
    provenance: &Provenance,
    folder: &OutputFolder,
) -> Result<(), Failure> {
    if args.common.json {
        return json::print(&reproduction.summary(provenance));
    }
    messages::print(&args.common, reproduction, folder)
}

/// Writes all output files.
fn write(
    folder: &OutputFolder,
    reproduction: &Reproduction,
    provenance: &Provenance,
    sources: &Sources,
) -> Result<(), Failure> {
    let files = reproduction
        .files(provenance, sources)
        .map_err(|error| Failure::Other(format!("cannot draw the figures: {error}")))?;
    let mut staged = folder.stage()?;
    for (name, bytes) in files {
        staged.write_bytes(&name, &bytes)?;
    }
    staged.finish()
}
