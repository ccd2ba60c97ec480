//! The stage lemma of the proofs.

use andnmf::theory::{ErrorNorms, StageCheck, StageLemmaReport};

use super::super::format::format_number;
use super::super::plan::LEMMA_CASES;
use super::super::{CellOutcome, Disturbance, FigureName, LemmaTrace, PlanResults};
use super::{Claim, Finding};

/// The lemma's bound on both norms before a stage.
const PREMISE: f64 = 1.0 / 8.0;
/// Mixing errors at or below this are rounding errors and not judged.
const ROUNDING: f64 = 1e-12;

pub(super) fn claims() -> Vec<Claim> {
    LEMMA_CASES.map(stage_lemma).into()
}

fn lemma_trace<'a>(results: &'a PlanResults, case: &str) -> Result<&'a LemmaTrace, String> {
    let result = results.results.iter().find(|result| result.cell.case == case);
    match result.map(|result| &result.outcome) {
        Some(CellOutcome::StageLemma(lemma_trace)) => Ok(lemma_trace),
        Some(CellOutcome::Failed(why)) => Err(format!("the run failed: {why}")),
        _ => Err("no results".to_owned()),
    }
}

fn stage_lemma(case: &'static str) -> Claim {
    Claim {
        figure: FigureName::Phase,
        subject: case.into(),
        paper: "Lemma 11 (stage): a stage that starts with ‖E‖ and ‖Σ − I‖ below 1/8, has enough steps, and ‖R‖ at \
                most λ_min‖E‖/160 in each, ends with ‖E‖ at most 1/40 of its initial value and ‖Σ − I‖ increased by \
                at most 4‖E‖.",
        rule: "Judged on stages that meet all premises and start above rounding error (1e-12); exact stages have \
               enough steps. Holds if all of them meet both predictions; not measured if no stage meets the premises.",
        judge: Box::new(move |results| {
            let LemmaTrace { norms, disturbances } = lemma_trace(results, case)?;
            let norms: Vec<ErrorNorms> = norms.iter().map(|&norms| norms.into()).collect();
            let checks = StageLemmaReport::from_norms(&norms).stages;
            let stages: Vec<(&StageCheck, &Disturbance)> = checks
                .iter()
                .zip(disturbances)
                .filter(|(check, _)| check.before.mixing_error > ROUNDING)
                .collect();
            if stages.is_empty() {
                return Err("no stage was run".to_owned());
            }
            let small_scale = |check: &StageCheck| check.before.scale_error < PREMISE;
            let small_mixing = |check: &StageCheck| check.before.mixing_error < PREMISE;
            let small_rest = |rest: &Disturbance| rest.size <= rest.allowed;
            let count = |met: &dyn Fn(&StageCheck, &Disturbance) -> bool| {
                stages.iter().filter(|(check, rest)| met(check, rest)).count()
            };
            let least = stages.iter().map(|(_, rest)| rest.size / rest.allowed).fold(f64::INFINITY, f64::min);
            let premises = format!(
                "of {} stages, {} start with ‖E‖ and {} with ‖Σ − I‖ below 1/8, and {} have a small enough ‖R‖ (at \
                 best {} times the bound)",
                stages.len(),
                count(&|check, _| small_mixing(check)),
                count(&|check, _| small_scale(check)),
                count(&|_, rest| small_rest(rest)),
                format_number(least)
            );
            let met: Vec<&StageCheck> = stages
                .iter()
                .filter(|(check, rest)| small_scale(check) && small_mixing(check) && small_rest(rest))
                .map(|(check, _)| *check)
                .collect();
            let from_to = match (norms.first(), norms.last()) {
                (Some(first), Some(last)) => {
                    format!(
                        "‖E‖ from {} to {}",
                        format_number(first.mixing_error),
                        format_number(last.mixing_error)
                    )
                }
                _ => String::new(),
            };
            if met.is_empty() {
                return Err(format!("premises not met: {premises}; {from_to}"));
            }
            let confirmed = met.iter().filter(|check| check.holds).count();
            let measured = format!(
                "{confirmed} of {} stages that meet the premises meet both predictions; {premises}; {from_to}",
                met.len()
            );
            let part = format!("{} stages meet the premises but not the predictions", met.len() - confirmed);
            Ok(Finding::of([(confirmed == met.len(), part)], false, measured))
        }),
    }
}
