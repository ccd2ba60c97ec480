//! `plan.json`: lets later calls continue the runs of a folder.

use std::fs;
use std::path::Path;

use andnmf_io::{Overwrite, write_atomically};
use andnmf_lab::reproduce::{CellStore, FigureName, MatrixFingerprint, PlanParams, ReproductionPlan};
use andnmf_program::{Failure, OutputFolder, write_failure};
use serde::{Deserialize, Serialize};

/// The file of a truth that was learned from a corpus.
pub(crate) const TRUTH: &str = "truth.npy";
/// The file that identifies the folder of a reproduction.
const PLAN: &str = "plan.json";

/// The contents of `plan.json`, from which the plan can be rebuilt.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct PlanFile {
    /// The figures of all calls.
    pub(crate) figures: Vec<FigureName>,
    /// The parameters of the plan.
    pub(crate) params: PlanParams,
    /// Description of the truth.
    pub(crate) truth: String,
    /// Fingerprint of the corpus that the truth was learned from.
    #[serde(default)]
    pub(crate) learned_from: Option<String>,
    /// The distinct command lines of all calls.
    #[serde(default)]
    pub(crate) commands: Vec<String>,
}

impl PlanFile {
    /// Reads the plan of a folder.
    pub(crate) fn read(folder: &Path) -> Result<Self, Failure> {
        let file = folder.join(PLAN);
        let wrong = |error: &dyn std::fmt::Display| {
            Failure::Request(format!("{}: not a reproduction plan: {error}", file.display()))
        };
        let text = fs::read_to_string(&file).map_err(|error| wrong(&error))?;
        serde_json::from_str(&text).map_err(|error| wrong(&error))
    }

    /// Writes the plan to a folder.
    pub(crate) fn write(&self, folder: &OutputFolder) -> Result<(), Failure> {
        write_atomically(&folder.file(PLAN), Overwrite::Yes, |out| {
            serde_json::to_writer_pretty(&mut *out, self).map_err(Into::into)
        })
        .map_err(write_failure)
    }
}

/// The plan of earlier calls, if any. Refuses a folder with other contents unless `force` is set.
pub(crate) fn earlier_plan(folder: &OutputFolder, force: bool) -> Result<Option<PlanFile>, Failure> {
    if folder.file(PLAN).exists() {
        return match PlanFile::read(folder.path()) {
            Ok(plan) => Ok(Some(plan)),
            Err(_) if force => Ok(None),
            Err(refused) => Err(refused),
        };
    }
    if !force {
        folder.check_empty()?;
    }
    Ok(None)
}

/// Adds the figures of earlier calls to the requested ones, if they are complete with the same sources and sizes.
/// Refuses other settings, which would drop earlier figures from the report or mix two kinds, unless `force` is set.
pub(crate) fn merged_with_earlier(
    earlier: Option<&PlanFile>,
    requested: Vec<FigureName>,
    mut params: PlanParams,
    store: &CellStore,
    force: bool,
) -> Result<(Vec<FigureName>, PlanParams), Failure> {
    let Some(earlier) = earlier else { return Ok((requested, params)) };
    let before = &earlier.params;
    let is_complete = |figure: FigureName, params: &PlanParams| {
        ReproductionPlan::new(&[figure], params)
            .is_ok_and(|plan| plan.skipped.is_empty() && plan.stored_results(store).complete)
    };
    // Finished figures do not need their data again.
    if params.texts.is_none() && is_complete(FigureName::Table1, before) {
        params.texts.clone_from(&before.texts);
    }
    if params.images.is_none() && is_complete(FigureName::Fig5, before) {
        params.images.clone_from(&before.images);
    }
    let differs = differences(before, &params, all_requested(earlier, &requested));
    if !force && !differs.is_empty() {
        return Err(Failure::Request(format!(
            "--out has figures made with other settings: {}; choose another folder, or use --force to start a new \
             report",
            differs.join(", ")
        )));
    }
    let mut figures = requested;
    let stored =
        earlier.figures.iter().filter(|&&figure| !figures.contains(&figure) && is_complete(figure, &params));
    let stored: Vec<FigureName> = stored.copied().collect();
    figures.extend(stored);
    Ok((figures, params))
}

/// True if all earlier figures are requested again; more seeds then only add runs.
fn all_requested(earlier: &PlanFile, requested: &[FigureName]) -> bool {
    earlier.figures.iter().all(|figure| requested.contains(figure))
}

/// The parameters that differ, with both values.
fn differences(before: &PlanParams, now: &PlanParams, may_have_more_seeds: bool) -> Vec<String> {
    let mut differences = Vec::new();
    let mut compare = |name: &str, same: bool, before: String, now: String| {
        if !same {
            differences.push(format!("{name} was {before} and is {now}"));
        }
    };
    let scale =
        |params: &PlanParams| serde_json::to_string(&params.scale).unwrap_or_default().replace('"', "");
    compare("the size", before.scale == now.scale, scale(before), scale(now));
    let more = may_have_more_seeds && now.seeds > before.seeds;
    let same_seeds = before.seeds == now.seeds || more;
    compare("--seeds", same_seeds, before.seeds.to_string(), now.seeds.to_string());
    compare("--budget", before.budget == now.budget, before.budget.to_string(), now.budget.to_string());
    compare(
        "--released",
        before.released == now.released,
        before.released.to_string(),
        now.released.to_string(),
    );
    let matrix = |known: &Option<MatrixFingerprint>| match known {
        Some(MatrixFingerprint { rows, columns, fingerprint }) => {
            format!("{rows} × {columns} ({fingerprint})")
        }
        None => "built in".to_owned(),
    };
    compare("the truth", before.truth == now.truth, matrix(&before.truth), matrix(&now.truth));
    if let (Some(before), Some(now)) = (&before.texts, &now.texts) {
        compare("the texts of --data", before == now, before.clone(), now.clone());
    }
    if before.images.is_some() && now.images.is_some() {
        let same = before.images == now.images;
        compare("the faces of --data", same, matrix(&before.images), matrix(&now.images));
    }
    differences
}
