//! Table 1 and Figure 5: real texts and images, if available.

use andnmf::and::{AndParams, Step};
use andnmf::baselines::OnlineLdaParams;
use andnmf::{Method, MethodParams};

use super::labels::{AND_PAPER, ANLS, FACES, HALS, LDA, MU, NEWSGROUPS, NEWSGROUPS_PAPER};
use super::{PlanParams, ReproductionPlan};
use crate::reproduce::cell::{RealStart, Task, TextPart, TextValues};
use crate::reproduce::{Cell, FigureName};

/// Number of topics in the paper's table.
const TOPICS: usize = 10;
/// The size of the paper's table, which is that of scikit-learn's example.
const PAPER_PART: TextPart = TextPart { documents: 2000, words: 1000 };
/// Number of components in the paper's figure.
const COMPONENTS: usize = 6;
/// AND with the paper's thresholds from random samples, with the safe step.
pub(in crate::reproduce) const AND_SAFE: &str = "AND (paper, safe step)";
/// AND with its default settings.
pub(in crate::reproduce) const AND_DEFAULT: &str = "AND (auto)";
/// Documents are short, so LDA needs many passes.
const LDA_PASSES: usize = 30;

/// AND with the paper's thresholds from random samples, with the paper's step and with a safe one, and AND by default.
fn ours(rank: usize) -> [(&'static str, MethodParams, RealStart); 3] {
    let paper = AndParams::paper(rank);
    let safe = AndParams { step: Step::Safe, ..paper.clone() };
    [
        (AND_PAPER, MethodParams::And(paper), RealStart::RandomSamples),
        (AND_SAFE, MethodParams::And(safe), RealStart::RandomSamples),
        (AND_DEFAULT, MethodParams::And(AndParams::new(rank)), RealStart::MethodDefault),
    ]
}

fn cell(
    (figure, case): (FigureName, &str),
    params: &PlanParams,
    (method, settings, seed): (&str, MethodParams, u64),
    task: impl FnOnce(MethodParams) -> Task,
) -> Cell {
    // Fits of real data take longer than fits of synthetic data of the same size.
    let settings = settings.with_seed(seed).with_time_limit(Some(6.0 * params.budget));
    Cell { figure, case: case.into(), method: method.into(), at: vec![], seed, task: task(settings) }
}

/// The cells of Table 1.
pub(super) fn topics(plan: &mut ReproductionPlan) {
    let params = &plan.params;
    let Some(texts) = params.texts.clone() else {
        let why = "needs the texts of 20 newsgroups: --data DIR with newsgroups/20news-bydate.tar.gz";
        return plan.skipped.push((FigureName::Table1, why.into()));
    };
    let lda = OnlineLdaParams { max_stages: LDA_PASSES, ..OnlineLdaParams::new(TOPICS) };
    let baselines = [
        (HALS, MethodParams::new(Method::Hals, TOPICS), RealStart::MethodDefault),
        (LDA, MethodParams::OnlineLda(lda), RealStart::MethodDefault),
    ];
    for (case, part) in [(NEWSGROUPS_PAPER, Some(PAPER_PART)), (NEWSGROUPS, None)] {
        for seed in 0..params.seeds as u64 {
            for (method, settings, from) in baselines.clone().into_iter().chain(ours(TOPICS)) {
                // HALS and AND (auto) have one start; LDA and random documents have one per seed.
                if seed > 0 && from == RealStart::MethodDefault && method != LDA {
                    continue;
                }
                let values = if method == LDA { TextValues::Counts } else { TextValues::TfIdf };
                let task = |method| Task::Topics { texts: texts.clone(), method, from, values, part };
                plan.cells.push(cell((FigureName::Table1, case), params, (method, settings, seed), task));
            }
        }
    }
}

/// The cells of Figure 5.
pub(super) fn faces(plan: &mut ReproductionPlan) {
    let params = &plan.params;
    let Some(images) = params.images.as_ref().map(|images| images.fingerprint.clone()) else {
        let why = "needs the Olivetti faces: --data DIR with olivetti/faces.npy";
        return plan.skipped.push((FigureName::Fig5, why.into()));
    };
    let baselines = [
        (HALS, MethodParams::new(Method::Hals, COMPONENTS), RealStart::MethodDefault),
        (ANLS, MethodParams::new(Method::Anls, COMPONENTS), RealStart::MethodDefault),
        (MU, MethodParams::new(Method::Mu, COMPONENTS), RealStart::MethodDefault),
    ];
    for (method, settings, from) in ours(COMPONENTS).into_iter().chain(baselines) {
        let task = |method| Task::Images { images: images.clone(), method, from };
        plan.cells.push(cell((FigureName::Fig5, FACES), params, (method, settings, 0), task));
    }
}
