//! Table 1 and Figure 5: real texts and pictures, where there are any.

use andnmf::and::{AndParams, Step};
use andnmf::baselines::OnlineLdaParams;
use andnmf::{Method, MethodParams};

use super::labels::{AND_PAPER, ANLS, HALS, LDA, MU};
use super::{Plan, PlanParams};
use crate::reproduce::cell::{RealStart, Task, TextValues};
use crate::reproduce::{Cell, FigureName};

/// Topics of the paper's table.
const TOPICS: usize = 10;
/// Components of the paper's figure.
const COMPONENTS: usize = 6;
/// AND from random samples with steps that cannot diverge.
pub(in crate::reproduce) const AND_SAFE: &str = "AND (paper, safe step)";
/// AND with nothing to set.
pub(in crate::reproduce) const AND_OWN: &str = "AND (auto)";
/// Documents are short: few passes are not enough.
const LDA_PASSES: usize = 30;

/// AND with the paper's thresholds from random samples, with its step and with a safe one, and AND by itself.
fn ours(rank: usize) -> [(&'static str, MethodParams, RealStart); 3] {
    let paper = AndParams::paper(rank);
    let safe = AndParams { step: Step::Safe, ..paper.clone() };
    [
        (AND_PAPER, MethodParams::And(paper), RealStart::RandomSamples),
        (AND_SAFE, MethodParams::And(safe), RealStart::RandomSamples),
        (AND_OWN, MethodParams::And(AndParams::new(rank)), RealStart::Own),
    ]
}

fn cell(
    figure: FigureName,
    params: &PlanParams,
    (method, settings, seed): (&str, MethodParams, u64),
    task: impl FnOnce(MethodParams) -> Task,
) -> Cell {
    let case = if figure == FigureName::Table1 { "20 newsgroups" } else { "faces" };
    // One fit of real data takes longer than one of the same size that was made.
    let settings = settings.with_seed(seed).with_time_limit(Some(6.0 * params.budget));
    Cell { figure, case: case.into(), method: method.into(), at: vec![], seed, task: task(settings) }
}

/// The cells of Table 1.
pub(super) fn topics(plan: &mut Plan) {
    let params = &plan.params;
    let Some(texts) = params.texts.clone() else {
        let why = "the texts of 20 newsgroups are not here: --data DIR with newsgroups/20news-bydate.tar.gz";
        return plan.left_out.push((FigureName::Table1, why.into()));
    };
    let lda = OnlineLdaParams { max_stages: LDA_PASSES, ..OnlineLdaParams::new(TOPICS) };
    let rivals = [
        (HALS, MethodParams::new(Method::Hals, TOPICS), RealStart::Own),
        (LDA, MethodParams::OnlineLda(lda), RealStart::Own),
    ];
    for seed in 0..params.seeds as u64 {
        for (method, settings, from) in rivals.clone().into_iter().chain(ours(TOPICS)) {
            // HALS and AND auto have one start, LDA and random documents one per seed.
            if seed > 0 && from == RealStart::Own && method != LDA {
                continue;
            }
            let values = if method == LDA { TextValues::Counts } else { TextValues::TfIdf };
            let task = |method| Task::Topics { texts: texts.clone(), method, from, values };
            plan.cells.push(cell(FigureName::Table1, params, (method, settings, seed), task));
        }
    }
}

/// The cells of Figure 5.
pub(super) fn faces(plan: &mut Plan) {
    let params = &plan.params;
    let Some(pictures) = params.pictures.as_ref().map(|pictures| pictures.print.clone()) else {
        let why = "the Olivetti faces are not here: --data DIR with olivetti/faces.npy";
        return plan.left_out.push((FigureName::Fig5, why.into()));
    };
    let rivals = [
        (HALS, MethodParams::new(Method::Hals, COMPONENTS), RealStart::Own),
        (ANLS, MethodParams::new(Method::Anls, COMPONENTS), RealStart::Own),
        (MU, MethodParams::new(Method::Mu, COMPONENTS), RealStart::Own),
    ];
    for (method, settings, from) in ours(COMPONENTS).into_iter().chain(rivals) {
        let task = |method| Task::Pictures { pictures: pictures.clone(), method, from };
        plan.cells.push(cell(FigureName::Fig5, params, (method, settings, 0), task));
    }
}
