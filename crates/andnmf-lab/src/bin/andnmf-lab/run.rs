//! From the plan of the requested figures to their files.

use andnmf_io::{Overwrite, write_array};
use andnmf_lab::reproduce::{About, CellStore, Plan, PlanParams, Reproduction, Scale, Sources, Surroundings};
use andnmf_program::{Failure, OutputFolder, Progress, cancel, json, write_failure};

use crate::about::{COMMIT, about};
use crate::args::LabArgs;
use crate::folder::{PlanFile, TRUTH, earlier, joined};
use crate::messages;
use crate::sources::Taken;

/// Does what was typed.
pub(crate) fn run(args: &LabArgs) -> Result<(), Failure> {
    args.common.set_threads()?;
    if args.rebuild { rebuild(args) } else { reproduce(args) }
}

/// Runs what is missing, and writes everything.
fn reproduce(args: &LabArgs) -> Result<(), Failure> {
    let scale = if args.quick { Scale::Quick } else { Scale::Full };
    let mut params = PlanParams::new(scale);
    params.budget = args.budget.unwrap_or(params.budget);
    params.seeds = args.seeds.unwrap_or(params.seeds);
    let figures = args.figures();
    // A wrong request is refused before anything is read.
    Plan::new(&figures, &params)?;

    let folder = OutputFolder::lock(&args.out)?;
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
        write_array(&folder.file(TRUTH), truth.view(), Overwrite::Yes).map_err(write_failure)?;
    }
    let command = std::env::args().skip(1).fold("andnmf-lab".to_owned(), |line, word| line + " " + &word);
    let mut commands =
        before.filter(|before| before.params == params).map_or_else(Vec::new, |before| before.commands);
    commands.retain(|known| *known != command);
    commands.push(command);
    let file = PlanFile { figures, params, truth, learned_from, commands };
    file.write(&folder)?;

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
            progress.set_items_done(now.done, now.all, now.seconds_left, &doing);
        })
        .map_err(|error| Failure::Other(error.to_string()))?;
    if !results.complete {
        let (done, all) = (results.results.len(), plan.cells.len());
        return Err(Failure::Cancelled(format!(
            "{done} of {all} runs are done; the same command continues there"
        )));
    }
    progress.set_message("drawing");
    let reproduction = Reproduction { plan, results };
    let about = about(&file);
    write(&folder, &reproduction, &about, &sources)?;
    drop(progress);
    print(args, &reproduction, &about, &folder)
}

/// Draws everything again from the finished runs of a folder.
fn rebuild(args: &LabArgs) -> Result<(), Failure> {
    let known = PlanFile::read(&args.out)?;
    let plan = Plan::new(&known.figures, &known.params)?;
    let folder = OutputFolder::lock(&args.out)?;
    let results = plan.found(&CellStore::in_folder(folder.path()));
    if !results.complete {
        return Err(Failure::Request(format!(
            "{}: {} of {} runs are done; first do the rest: {}",
            args.out.display(),
            results.results.len(),
            plan.cells.len(),
            known.commands.last().map_or("andnmf-lab", String::as_str)
        )));
    }
    let reproduction = Reproduction { plan, results };
    let about = About { title: args.title.clone(), ..about(&known) };
    write(&folder, &reproduction, &about, &Sources::default())?;
    print(args, &reproduction, &about, &folder)
}

/// Prints the results, for programs or for people.
fn print(
    args: &LabArgs,
    reproduction: &Reproduction,
    about: &About,
    folder: &OutputFolder,
) -> Result<(), Failure> {
    if args.common.json {
        return json::print(&reproduction.summary(about));
    }
    messages::print(&args.common, reproduction, folder)
}

/// Writes all files that the results give.
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
