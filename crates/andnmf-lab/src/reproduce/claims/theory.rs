//! The stage lemma, which the proofs rest on.

use andnmf::theory::{ErrorNorms, StageLemmaReport};

use super::super::plan::LEMMA_CASES;
use super::super::{CellOutcome, FigureName};
use super::{Claim, graded};

pub(super) fn claims() -> Vec<Claim> {
    LEMMA_CASES.map(stage_lemma).into()
}

fn stage_lemma(case: &'static str) -> Claim {
    Claim {
        figure: FigureName::Phase,
        about: case.into(),
        paper: "Lemma 9: a stage that begins with ‖E‖ and ‖Σ − I‖ below 1/8 ends with ‖E‖ at most 1/40 of what it was.",
        rule: "Holds where every stage that meets the premises keeps both predictions (or has come to rounding); with a \
               difference where ‖E‖ falls on the whole.",
        why: Some(
            "The lemma asks for decoding errors far below the mixing error, and so for correlations far weaker than these \
             (the bound on m); where the threshold falls by 1.1 a stage, that sets the pace as well.",
        ),
        judge: Box::new(move |results| {
            let norms = results.results.iter().find_map(|result| match &result.outcome {
                CellOutcome::StageLemma(norms) if result.cell.case == case => Some(norms),
                _ => None,
            })?;
            let norms: Vec<ErrorNorms> = norms.iter().map(|&norms| norms.into()).collect();
            let report = StageLemmaReport::over(&norms);
            let (first, last) = (norms.first()?.mixing_error, norms.last()?.mixing_error);
            let held = (report.predictions_held, report.premises_held);
            let measured =
                format!("{} of {} stages keep it; ‖E‖ from {first:.1e} to {last:.1e}", held.0, held.1);
            Some((graded(held.1 > 0 && report.holds(), last < 0.1 * first), measured))
        }),
    }
}
