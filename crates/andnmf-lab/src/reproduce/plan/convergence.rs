//! Figure 1: every method from the same start, error against time.

use andnmf::synth::{DatasetKind, Weights};

use super::labels::{CTM, CTM_BLOCKS, CTM_FITTED, CTM_FITTED_MEANS, CTM_RELEASED, DIR, NEG, NEG_RELEASED};
use super::methods::{alternating, ours, released, released_hals, topic_models};
use super::{PlanParams, RecoverySpec};
use crate::reproduce::{Cell, FigureName};

/// The time limit of methods with a fixed number of stages, in budgets; it is for busy machines.
const TIME_LIMIT_FACTOR: f64 = 3.0;

/// The cells of Figure 1a, 1b, 1c or 1d.
pub(super) fn cells(figure: FigureName, params: &PlanParams) -> Vec<Cell> {
    let ctm = DatasetKind::Ctm.default_weights();
    let of_kind = |case, kind: DatasetKind| (case, kind, kind.default_weights());
    let cases: &[(&str, DatasetKind, Weights)] = &match figure {
        FigureName::Fig1a => vec![(DIR, DatasetKind::Dir, params.dirichlet())],
        FigureName::Fig1b => vec![
            (CTM, DatasetKind::Ctm, ctm),
            (CTM_RELEASED, DatasetKind::CtmReleased, Weights::LogisticNormalReleased),
        ],
        FigureName::Fig1d => {
            let equal_means = Weights::LogisticNormalOfPapers { mean_share: 0.0 };
            vec![
                (CTM_FITTED, DatasetKind::CtmFitted, equal_means),
                of_kind(CTM_BLOCKS, DatasetKind::CtmBlocks),
                of_kind(CTM_FITTED_MEANS, DatasetKind::CtmFitted),
            ]
        }
        _ => vec![
            (NEG, DatasetKind::Neg, ctm),
            (NEG_RELEASED, DatasetKind::Neg, Weights::LogisticNormalReleased),
        ],
    };
    let rank = params.truth_size().0;
    let mut contenders = ours(rank);
    contenders.extend(alternating(rank, false));
    // The baselines run with and without their sign constraint on NEG; topic models do not accept negative samples.
    if figure == FigureName::Fig1c {
        contenders.extend(alternating(rank, true));
    } else {
        contenders.extend(topic_models(rank));
        contenders.push(released_hals(rank));
        if params.released {
            contenders.extend(released(rank));
        }
    }
    let mut cells = Vec::new();
    for &(case, kind, weights) in cases {
        for seed in 0..params.seeds as u64 {
            for contender in &contenders {
                let (dataset, truth) = params.samples(kind, weights, seed);
                let line = RecoverySpec {
                    case,
                    method: contender.name.clone(),
                    at: vec![],
                    dataset,
                    truth,
                    settings: contender.settings.clone(),
                    from: contender.from,
                    out_of_span: None,
                    released: contender.released,
                };
                cells.push(line.cell(figure, TIME_LIMIT_FACTOR * params.budget));
            }
        }
    }
    cells
}
