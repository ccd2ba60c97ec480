//! Figure 1: every method from the same start, error against time.

use andnmf::synth::{DatasetKind, Weights};

use super::labels::{CTM, CTM_RELEASED, DIR, NEG, NEG_RELEASED};
use super::methods::{alternating, ours, topic_models};
use super::{Line, PlanParams};
use crate::reproduce::{Cell, FigureName};

/// The cells of one of the three parts.
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
        // The rivals' sign constraint is tried on and off; topic models cannot take negative samples at all.
        FigureName::Fig1c => alternating(rank, true),
        _ => topic_models(rank),
    });
    let mut cells = Vec::new();
    for &(case, kind, weights) in cases {
        for seed in 0..params.seeds as u64 {
            for (method, settings, from) in contenders.clone() {
                let (dataset, truth) = params.samples(kind, weights, seed);
                let line = Line {
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
