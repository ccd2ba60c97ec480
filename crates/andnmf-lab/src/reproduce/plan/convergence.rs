//! Figure 1: every method from the same start, error against time.

use andnmf::synth::{DatasetKind, Weights};

use super::labels::{CTM, CTM_RELEASED, DIR, NEG, NEG_RELEASED};
use super::methods::{alternating, ours, topic_models};
use super::{PlanParams, RecoverySpec};
use crate::reproduce::{Cell, FigureName};

/// The cells of Figure 1a, 1b or 1c.
pub(super) fn cells(figure: FigureName, params: &PlanParams) -> Vec<Cell> {
    let ctm = DatasetKind::Ctm.default_weights();
    let cases: &[(&str, DatasetKind, Weights)] = &match figure {
        FigureName::Fig1a => vec![(DIR, DatasetKind::Dir, params.dirichlet())],
        FigureName::Fig1b => vec![
            (CTM, DatasetKind::Ctm, ctm),
            (CTM_RELEASED, DatasetKind::CtmReleased, Weights::LogisticNormalReleased),
        ],
        _ => vec![
            (NEG, DatasetKind::Neg, ctm),
            (NEG_RELEASED, DatasetKind::Neg, Weights::LogisticNormalReleased),
        ],
    };
    let rank = params.truth_size().0;
    let mut contenders = ours(rank);
    contenders.extend(alternating(rank, false));
    contenders.extend(match figure {
        // The baselines run with and without their sign constraint; topic models do not accept negative samples.
        FigureName::Fig1c => alternating(rank, true),
        _ => topic_models(rank),
    });
    let mut cells = Vec::new();
    for &(case, kind, weights) in cases {
        for seed in 0..params.seeds as u64 {
            for (method, settings, from) in contenders.clone() {
                let (dataset, truth) = params.samples(kind, weights, seed);
                let line = RecoverySpec {
                    case,
                    method,
                    at: vec![],
                    dataset,
                    truth,
                    settings,
                    from,
                    out_of_span_share: None,
                };
                cells.push(line.cell(figure, params.budget));
            }
        }
    }
    cells
}
