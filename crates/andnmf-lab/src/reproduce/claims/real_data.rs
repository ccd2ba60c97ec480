//! Appendix B.3: topics of newsgroups and components of faces.

use andnmf::fit::StopReason;

use super::super::format::format_number;
use super::super::plan::labels::{AND_PAPER, FACES, HALS, LDA, NEWSGROUPS, NEWSGROUPS_PAPER};
use super::super::plan::{AND_DEFAULT, AND_SAFE};
use super::super::{CellOutcome, CellResult, FigureName, ImageResult, PlanResults, TopicResult, median};
use super::{Claim, Finding};

/// A topic with a coherence below this is hardly more than chance.
const COHERENCE_FLOOR: f64 = 0.05;

pub(super) fn claims() -> Vec<Claim> {
    let mut claims: Vec<Claim> =
        [AND_PAPER, AND_SAFE, AND_DEFAULT].map(|method| topics(NEWSGROUPS_PAPER, method)).into();
    claims.extend([AND_SAFE, AND_DEFAULT].map(|method| topics(NEWSGROUPS, method)));
    claims.extend([faces(AND_SAFE), faces(AND_DEFAULT), better_than_the_others()]);
    claims
}

/// The results of a method, or the reason that there is none to judge.
fn of_method<'a, T>(
    results: &'a PlanResults,
    (figure, case): (FigureName, &str),
    method: &str,
    extract: fn(&'a CellResult) -> Option<(&'a T, usize, StopReason)>,
) -> Result<Vec<&'a T>, String> {
    let of = |result: &&CellResult| {
        let cell = &result.cell;
        cell.figure == figure && cell.case == case && cell.method == method
    };
    let cells: Vec<&CellResult> = results.results.iter().filter(of).collect();
    if cells.is_empty() {
        return Err(format!("{method} was not run"));
    }
    let mut selected = Vec::new();
    for cell in cells {
        if let Some(why) = cell.outcome.failure() {
            return Err(format!("{method} failed: {why}"));
        }
        let (one, stages, stop) = extract(cell).ok_or_else(|| format!("{method} gave no result"))?;
        if stages == 0 || stop == StopReason::TimeLimit {
            return Err(format!(
                "{method} reached its time limit after {stages} stages, before it ended; use a larger --budget"
            ));
        }
        selected.push(one);
    }
    Ok(selected)
}

/// The topics of a method, one entry per seed.
fn topics_of<'a>(results: &'a PlanResults, case: &str, method: &str) -> Result<Vec<&'a TopicResult>, String> {
    of_method(results, (FigureName::Table1, case), method, |result| match &result.outcome {
        CellOutcome::Topics(fit) => Some((fit, fit.stages, fit.stop_reason)),
        _ => None,
    })
}

/// The median over seeds of the mean coherence of a method's topics.
fn coherence(results: &PlanResults, case: &str, method: &str) -> Result<f64, String> {
    let scores: Vec<f64> =
        topics_of(results, case, method)?.iter().filter_map(|fit| fit.mean_coherence).collect();
    median(&scores).ok_or_else(|| format!("the topics of {method} have no coherence score"))
}

/// The number of incoherent topics of a method: the median over seeds.
fn incoherent(results: &PlanResults, case: &str, method: &str) -> Result<f64, String> {
    let count = |fit: &&TopicResult| {
        let incoherent_topic = |score: &&Option<f64>| score.is_none_or(|score| score < COHERENCE_FLOOR);
        fit.coherence.iter().filter(incoherent_topic).count() as f64
    };
    let counts: Vec<f64> = topics_of(results, case, method)?.iter().map(count).collect();
    median(&counts).ok_or_else(|| "no topics".to_owned())
}

/// A note if the run with the paper's step failed.
fn papers_step_note(results: &PlanResults, figure: FigureName, case: &str) -> String {
    let of = |result: &&CellResult| {
        let cell = &result.cell;
        cell.figure == figure && cell.case == case && cell.method == AND_PAPER
    };
    let why = results.results.iter().filter(of).find_map(|result| result.outcome.failure());
    why.map_or_else(String::new, |why| format!("; {AND_PAPER} failed: {why}"))
}

fn topics(case: &'static str, method: &'static str) -> Claim {
    Claim {
        figure: FigureName::Table1,
        subject: format!("{case}: {method}"),
        paper: "AND finds reasonable topics, of a quality comparable to NMF and LDA.",
        rule: "Holds if the mean coherence (NPMI) of its topics is at least 0.9 times that of the better of NMF and \
               LDA; holds with a difference if it is at least half of that.",
        judge: Box::new(move |results| {
            let ours = coherence(results, case, method)?;
            let (nmf, lda) = (coherence(results, case, HALS)?, coherence(results, case, LDA)?);
            let best = nmf.max(lda);
            let measured = format!(
                "coherence {ours:.3}; NMF (HALS) {nmf:.3}, LDA {lda:.3}{}",
                papers_step_note(results, FigureName::Table1, case)
            );
            let part = format!(
                "{:.0} of its topics have a coherence below {COHERENCE_FLOOR}, compared with {:.0} of NMF's",
                incoherent(results, case, method)?,
                incoherent(results, case, HALS)?
            );
            Ok(Finding::of([(ours >= 0.9 * best, part)], ours >= 0.5 * best, measured))
        }),
    }
}

/// The relative residual of a method on the images.
fn residual(results: &PlanResults, method: &str) -> Result<f64, String> {
    let results: Vec<&ImageResult> =
        of_method(results, (FigureName::Fig5, FACES), method, |result| match &result.outcome {
            CellOutcome::Images(fit) => Some((fit, fit.stages, fit.stop_reason)),
            _ => None,
        })?;
    let residuals: Vec<f64> = results.iter().map(|fit| fit.residual).collect();
    median(&residuals).ok_or_else(|| "the residual is not a number".to_owned())
}

fn faces(method: &'static str) -> Claim {
    Claim {
        figure: FigureName::Fig5,
        subject: format!("{method} and NMF"),
        paper: "AND finds meaningful component images, of a quality similar to NMF's.",
        rule: "The images can be judged by eye. By numbers, holds if the residual of AND is at most 1.1 times that of \
               NMF (HALS); holds with a difference up to 1.5 times. The paper's setting starts at random images with \
               the paper's thresholds; AND (auto) is judged as well.",
        judge: Box::new(move |results| {
            let (ours, nmf) = (residual(results, method)?, residual(results, HALS)?);
            let measured = format!(
                "relative residual {ours:.3}; NMF (HALS) {nmf:.3}{}",
                papers_step_note(results, FigureName::Fig5, FACES)
            );
            let part = format!("the residual of AND is {} times that of NMF", format_number(ours / nmf));
            Ok(Finding::of([(ours <= 1.1 * nmf, part)], ours <= 1.5 * nmf, measured))
        }),
    }
}

/// The five other methods are scikit-learn's and not available here.
fn better_than_the_others() -> Claim {
    Claim {
        figure: FigureName::Fig5,
        subject: "five other methods".into(),
        paper: "The components of AND and NMF are generally better than those of k-means, PCA, ICA, dictionary learning \
                and sparse PCA.",
        rule: "To be judged by eye, not by this program: the residual is no criterion, since that of PCA is the \
               smallest by definition.",
        judge: Box::new(|_| {
            Err("the five other methods are those of scikit-learn; bindings/python/examples/faces.py draws them next \
                 to AND"
                .to_owned())
        }),
    }
}
