//! `plan.json`: how the next call continues a folder of earlier runs.

use std::fs;
use std::path::Path;

use andnmf_io::{Overwrite, write_atomically};
use andnmf_lab::reproduce::{CellStore, FigureName, KnownMatrix, Plan, PlanParams};
use andnmf_program::{Failure, OutputFolder, write_failure};
use serde::{Deserialize, Serialize};

/// A truth that was learned from a corpus.
pub(crate) const TRUTH: &str = "truth.npy";
/// What tells a reproduction's folder from others, and how to go on with it.
const PLAN: &str = "plan.json";

/// The contents of `plan.json`: from this, the plan can be made again.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct PlanFile {
    /// The figures of all calls together.
    pub(crate) figures: Vec<FigureName>,
    /// What the plan is made from.
    pub(crate) params: PlanParams,
    /// Where the truth came from, in words.
    pub(crate) truth: String,
    /// What a truth was learned from, by its fingerprint.
    #[serde(default)]
    pub(crate) learned_from: Option<String>,
    /// What was typed, each line once.
    #[serde(default)]
    pub(crate) commands: Vec<String>,
}

impl PlanFile {
    /// The plan of a folder.
    pub(crate) fn read(folder: &Path) -> Result<Self, Failure> {
        let file = folder.join(PLAN);
        let wrong = |error: &dyn std::fmt::Display| {
            Failure::Request(format!("{}: this is no plan of a reproduction: {error}", file.display()))
        };
        let text = fs::read_to_string(&file).map_err(|error| wrong(&error))?;
        serde_json::from_str(&text).map_err(|error| wrong(&error))
    }

    /// Writes it into a folder.
    pub(crate) fn write(&self, folder: &OutputFolder) -> Result<(), Failure> {
        write_atomically(&folder.file(PLAN), Overwrite::Yes, |out| {
            serde_json::to_writer_pretty(&mut *out, self).map_err(Into::into)
        })
        .map_err(write_failure)
    }
}

/// The plan of earlier calls, where there is one. A folder with anything else in it is refused unless `force` is set.
pub(crate) fn earlier(folder: &OutputFolder, force: bool) -> Result<Option<PlanFile>, Failure> {
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

/// Adds the figures of earlier calls to those requested now, where they are complete under the same sources and sizes.
/// Another setting would leave earlier figures out of the report, or mix two kinds of them: it is refused unless
/// `force` is set.
pub(crate) fn joined(
    earlier: Option<&PlanFile>,
    requested: Vec<FigureName>,
    mut params: PlanParams,
    store: &CellStore,
    force: bool,
) -> Result<(Vec<FigureName>, PlanParams), Failure> {
    let Some(earlier) = earlier else { return Ok((requested, params)) };
    let before = &earlier.params;
    let whole = |figure: FigureName, params: &PlanParams| {
        Plan::new(&[figure], params).is_ok_and(|plan| plan.left_out.is_empty() && plan.found(store).complete)
    };
    // Data that are not given this time are not needed for what was made with them.
    if params.texts.is_none() && whole(FigureName::Table1, before) {
        params.texts.clone_from(&before.texts);
    }
    if params.pictures.is_none() && whole(FigureName::Fig5, before) {
        params.pictures.clone_from(&before.pictures);
    }
    let differs = differences(before, &params, all_requested(earlier, &requested));
    if !force && !differs.is_empty() {
        return Err(Failure::Request(format!(
            "--out has figures of another kind: {}; name another folder, or add --force to begin a new report here",
            differs.join(", ")
        )));
    }
    let mut figures = requested;
    let kept = earlier.figures.iter().filter(|&&figure| !figures.contains(&figure) && whole(figure, &params));
    let kept: Vec<FigureName> = kept.copied().collect();
    figures.extend(kept);
    Ok((figures, params))
}

/// Whether all earlier figures are requested again: then more seeds are more work, and nothing is left out.
fn all_requested(earlier: &PlanFile, requested: &[FigureName]) -> bool {
    earlier.figures.iter().all(|figure| requested.contains(figure))
}

/// What differs, with both values.
fn differences(before: &PlanParams, now: &PlanParams, may_have_more_seeds: bool) -> Vec<String> {
    let mut found = Vec::new();
    let mut compare = |name: &str, same: bool, before: String, now: String| {
        if !same {
            found.push(format!("{name} was {before} and is {now}"));
        }
    };
    let scale =
        |params: &PlanParams| serde_json::to_string(&params.scale).unwrap_or_default().replace('"', "");
    compare("the scale", before.scale == now.scale, scale(before), scale(now));
    let more = may_have_more_seeds && now.seeds > before.seeds;
    let same_seeds = before.seeds == now.seeds || more;
    compare("--seeds", same_seeds, before.seeds.to_string(), now.seeds.to_string());
    compare("--budget", before.budget == now.budget, before.budget.to_string(), now.budget.to_string());
    let matrix = |known: &Option<KnownMatrix>| match known {
        Some(KnownMatrix { rows, columns, print }) => format!("{rows} × {columns} ({print})"),
        None => "built in".to_owned(),
    };
    compare("the truth", before.truth == now.truth, matrix(&before.truth), matrix(&now.truth));
    if let (Some(before), Some(now)) = (&before.texts, &now.texts) {
        compare("the texts of --data", before == now, before.clone(), now.clone());
    }
    if before.pictures.is_some() && now.pictures.is_some() {
        let same = before.pictures == now.pictures;
        compare("the faces of --data", same, matrix(&before.pictures), matrix(&now.pictures));
    }
    found
}
