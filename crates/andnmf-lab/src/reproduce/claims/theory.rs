//! The stage lemma, which the proofs rest on.

use andnmf::theory::{ErrorNorms, StageCheck, StageLemmaReport};

use super::super::plan::LEMMA_CASES;
use super::super::spoken::spoken;
use super::super::{CellOutcome, Disturbance, FigureName, FollowedLemma, Results};
use super::{Claim, Finding};

/// Both norms must begin below this.
const PREMISE: f64 = 1.0 / 8.0;
/// Mixing errors at or below this are rounding: no stage can shrink them, and nothing is asked of them.
const ROUNDING: f64 = 1e-12;

pub(super) fn claims() -> Vec<Claim> {
    LEMMA_CASES.map(stage_lemma).into()
}

fn followed<'a>(results: &'a Results, case: &str) -> Result<&'a FollowedLemma, String> {
    let result = results.results.iter().find(|result| result.cell.case == case);
    match result.map(|result| &result.outcome) {
        Some(CellOutcome::StageLemma(followed)) => Ok(followed),
        Some(CellOutcome::Failed(why)) => Err(format!("the run failed: {why}")),
        _ => Err("there are no results".to_owned()),
    }
}

fn stage_lemma(case: &'static str) -> Claim {
    Claim {
        figure: FigureName::Phase,
        about: case.into(),
        paper: "Lemma 11 (stage): a stage that begins with ‖E‖ and ‖Σ − I‖ below 1/8, with enough steps and ‖R‖ of each at \
                most λ_min‖E‖/160, ends with ‖E‖ at most 1/40 of what it was and ‖Σ − I‖ grown by at most 4‖E‖.",
        rule: "Judged on stages that meet all premises and begin above rounding (1e-12); exact stages have as many steps as \
               are asked for. Holds where all of them keep both predictions; not measured where no stage meets the \
               premises.",
        judge: Box::new(move |results| {
            let FollowedLemma { norms, disturbances } = followed(results, case)?;
            let norms: Vec<ErrorNorms> = norms.iter().map(|&norms| norms.into()).collect();
            let checks = StageLemmaReport::from_norms(&norms).stages;
            let stages: Vec<(&StageCheck, &Disturbance)> = checks
                .iter()
                .zip(disturbances)
                .filter(|(check, _)| check.before.mixing_error > ROUNDING)
                .collect();
            if stages.is_empty() {
                return Err("no stage was done".to_owned());
            }
            let small_scale = |check: &StageCheck| check.before.scale_error < PREMISE;
            let small_mixing = |check: &StageCheck| check.before.mixing_error < PREMISE;
            let small_rest = |rest: &Disturbance| rest.size <= rest.allowed;
            let count = |met: &dyn Fn(&StageCheck, &Disturbance) -> bool| {
                stages.iter().filter(|(check, rest)| met(check, rest)).count()
            };
            let least = stages.iter().map(|(_, rest)| rest.size / rest.allowed).fold(f64::INFINITY, f64::min);
            let premises = format!(
                "of {} stages {} begin with ‖E‖ and {} with ‖Σ − I‖ below 1/8, and {} have a small enough ‖R‖ (at best {} times \
                 what is allowed)",
                stages.len(),
                count(&|check, _| small_mixing(check)),
                count(&|check, _| small_scale(check)),
                count(&|_, rest| small_rest(rest)),
                spoken(least)
            );
            let met: Vec<&StageCheck> = stages
                .iter()
                .filter(|(check, rest)| small_scale(check) && small_mixing(check) && small_rest(rest))
                .map(|(check, _)| *check)
                .collect();
            let from_to = match (norms.first(), norms.last()) {
                (Some(first), Some(last)) => {
                    format!("‖E‖ from {} to {}", spoken(first.mixing_error), spoken(last.mixing_error))
                }
                _ => String::new(),
            };
            if met.is_empty() {
                return Err(format!("premises not met: {premises}; {from_to}"));
            }
            let kept = met.iter().filter(|check| check.holds).count();
            let measured = format!(
                "{kept} of {} stages that meet the premises keep it; {premises}; {from_to}",
                met.len()
            );
            let part = format!("{} stages meet the premises and do not keep it", met.len() - kept);
            Ok(Finding::of([(kept == met.len(), part)], false, measured))
        }),
    }
}
