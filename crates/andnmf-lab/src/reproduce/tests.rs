//! Tests of the runner: running, reusing and storing cells.

use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};

use super::cell::tests::tiny;
use super::*;

fn plan(cells: Vec<Cell>) -> ReproductionPlan {
    let params = PlanParams::new(ExperimentScale::Quick);
    ReproductionPlan { figures: vec![FigureName::Fig1a], params, cells, skipped: vec![] }
}

fn run(plan: &ReproductionPlan, store: &CellStore) -> PlanResults {
    let sources = Sources::default();
    let context = RunContext { sources: &sources, threads: Some(1), stop: None, commit: Some("abc") };
    plan.run(store, context, &mut |_| ()).unwrap()
}

/// A result without its times.
fn timeless(mut result: CellResult) -> CellResult {
    result.wall_seconds = 0.0;
    if let CellOutcome::Recovered(recovered) = &mut result.outcome {
        recovered.solver_seconds = 0.0;
        recovered.trace.iter_mut().for_each(|point| point.seconds = 0.0);
        let ErrorSummary { to_a_tenth, to_a_hundredth, to_a_thousandth, .. } = &mut recovered.error_summary;
        for moment in [to_a_tenth, to_a_hundredth, to_a_thousandth] {
            moment.iter_mut().for_each(|moment| moment.seconds = 0.0);
        }
    }
    result
}

#[test]
fn finished_cells_do_not_run_again_and_give_the_same_results() {
    let folder = tempfile::tempdir().unwrap();
    let store = CellStore::in_folder(folder.path());
    let plan = plan(vec![tiny(0), tiny(1)]);
    let first = run(&plan, &store);
    assert_eq!((first.newly_done, first.complete), (2, true));
    let again = run(&plan, &store);
    assert_eq!((again.newly_done, &again.results), (0, &first.results));
    assert_eq!(plan.stored_results(&store).results, first.results);
    assert_eq!(again.commits(), ["abc"]);

    let elsewhere = tempfile::tempdir().unwrap();
    let other = run(&plan, &CellStore::in_folder(elsewhere.path()));
    for (ours, theirs) in first.results.into_iter().zip(other.results) {
        assert_eq!(timeless(ours), timeless(theirs));
    }
}

#[test]
fn cells_with_a_damaged_file_or_a_changed_specification_run_again() {
    let folder = tempfile::tempdir().unwrap();
    let store = CellStore::in_folder(folder.path());
    let before = plan(vec![tiny(0), tiny(1)]);
    run(&before, &store);
    let damaged = store.path(&before.cells[0]);
    let contents = fs::read(&damaged).unwrap();
    fs::write(&damaged, &contents[..contents.len() / 2]).unwrap();
    assert_eq!(before.stored_results(&store).results.len(), 1);
    assert_eq!(run(&before, &store).newly_done, 1);
    assert!(before.stored_results(&store).complete);

    // A file with the result of another cell is ignored.
    fs::copy(store.path(&before.cells[1]), &damaged).unwrap();
    assert_eq!(run(&before, &store).newly_done, 1);

    let mut changed = before.cells.clone();
    let Task::Recovery(recovery) = &mut changed[1].task else { unreachable!() };
    recovery.experiment.dataset.n_samples += 1;
    assert_eq!(run(&plan(changed), &store).newly_done, 1);
    assert!(before.stored_results(&store).complete, "the earlier result stays");
}

#[test]
fn a_cancelled_plan_keeps_finished_cells_and_can_be_resumed() {
    let folder = tempfile::tempdir().unwrap();
    let store = CellStore::in_folder(folder.path());
    let plan = plan(vec![tiny(0), tiny(1), tiny(2)]);
    let (stop, sources) = (AtomicBool::new(false), Sources::default());
    let context = RunContext { sources: &sources, threads: Some(1), stop: Some(&stop), commit: None };
    let mut reported = Vec::new();
    let results = plan
        .run(&store, context, &mut |progress| {
            reported.push((progress.done, progress.all, progress.next.map(|cell| cell.seed)));
            stop.store(progress.done == 1, Ordering::Relaxed);
        })
        .unwrap();
    assert_eq!((results.results.len(), results.complete), (1, false));
    assert_eq!(reported, [(0, 3, Some(0)), (1, 3, Some(1)), (1, 3, None)]);
    let rest = run(&plan, &store);
    assert_eq!((rest.newly_done, rest.complete), (2, true));
}

#[test]
fn a_failed_cell_gives_its_reason_and_the_others_continue() {
    let folder = tempfile::tempdir().unwrap();
    let store = CellStore::in_folder(folder.path());
    let mut wrong = tiny(0);
    let Task::Recovery(recovery) = &mut wrong.task else { unreachable!() };
    recovery.truth = Truth::Given("of somebody else".into());
    let results = run(&plan(vec![wrong, tiny(1)]), &store);
    assert!(results.complete && results.newly_done == 2);
    let series = results.series(FigureName::Fig1a);
    assert_eq!((series.len(), series[0].cells.len(), series[0].runs().len()), (1, 2, 1));
    assert!(series[0].failures()[0].contains("truth"), "{:?}", series[0].failures());
}

#[test]
fn the_remaining_time_is_estimated_from_finished_cells() {
    let folder = tempfile::tempdir().unwrap();
    let store = CellStore::in_folder(folder.path());
    let cells: Vec<Cell> = (0..4).map(tiny).collect();
    let done = CellResult {
        cell: cells[0].clone(),
        wall_seconds: 7.0,
        commit: None,
        outcome: CellOutcome::Failed("made up".into()),
    };
    store.create_folder(&cells[0]).unwrap();
    store.save(&done).unwrap();
    let stop = AtomicBool::new(true);
    let sources = Sources::default();
    let context = RunContext { sources: &sources, threads: None, stop: Some(&stop), commit: None };
    let mut remaining = Vec::new();
    plan(cells).run(&store, context, &mut |progress| remaining.push(progress.seconds_left)).unwrap();
    assert_eq!(remaining, [21.0, 0.0]);
}
