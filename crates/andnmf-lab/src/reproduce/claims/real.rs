//! Appendix B.3: topics of newsgroups and components of faces.

use andnmf::fit::StopReason;

use super::super::plan::labels::{AND_PAPER, HALS, LDA};
use super::super::plan::{AND_OWN, AND_SAFE};
use super::super::spoken::spoken;
use super::super::{CellOutcome, CellResult, FigureName, FoundPictures, FoundTopics, Results, median};
use super::{Claim, Finding};

/// A topic whose words come together hardly more often than by chance.
const INCOHERENT: f64 = 0.05;

pub(super) fn claims() -> Vec<Claim> {
    vec![topics(AND_SAFE), topics(AND_OWN), faces(AND_SAFE), faces(AND_OWN), better_than_the_others()]
}

/// The results of a method, or why there is none to judge by.
fn of_method<'a, T>(
    results: &'a Results,
    figure: FigureName,
    method: &str,
    wanted: fn(&'a CellResult) -> Option<(&'a T, usize, StopReason)>,
) -> Result<Vec<&'a T>, String> {
    let of = |result: &&CellResult| result.cell.figure == figure && result.cell.method == method;
    let cells: Vec<&CellResult> = results.results.iter().filter(of).collect();
    if cells.is_empty() {
        return Err(format!("{method} was not run"));
    }
    let mut found = Vec::new();
    for cell in cells {
        if let Some(why) = cell.outcome.trouble() {
            return Err(format!("{method} failed: {why}"));
        }
        let (one, stages, stop) = wanted(cell).ok_or_else(|| format!("{method} found nothing"))?;
        if stages == 0 || stop == StopReason::TimeLimit {
            return Err(format!(
                "time was up for {method} after {stages} stages, before its end; a larger --budget gives it more"
            ));
        }
        found.push(one);
    }
    Ok(found)
}

/// The topics of a method, one entry per seed.
fn topics_of<'a>(results: &'a Results, method: &str) -> Result<Vec<&'a FoundTopics>, String> {
    of_method(results, FigureName::Table1, method, |result| match &result.outcome {
        CellOutcome::Topics(found) => Some((found, found.stages, found.stop_reason)),
        _ => None,
    })
}

/// The mean coherence of the topics of a method, over its seeds.
fn coherence(results: &Results, method: &str) -> Result<f64, String> {
    let scores: Vec<f64> =
        topics_of(results, method)?.iter().filter_map(|found| found.mean_coherence).collect();
    median(&scores).ok_or_else(|| format!("the topics of {method} have no coherence"))
}

/// How many topics of a method hardly hang together: the median over seeds.
fn incoherent(results: &Results, method: &str) -> Result<f64, String> {
    let count = |found: &&FoundTopics| {
        let loose = |score: &&Option<f64>| score.is_none_or(|score| score < INCOHERENT);
        found.coherence.iter().filter(loose).count() as f64
    };
    let counts: Vec<f64> = topics_of(results, method)?.iter().map(count).collect();
    median(&counts).ok_or_else(|| "there are no topics".to_owned())
}

/// That the paper's own step failed on these numbers, where it did.
fn papers_step(results: &Results, figure: FigureName) -> String {
    let of = |result: &&CellResult| result.cell.figure == figure && result.cell.method == AND_PAPER;
    let why = results.results.iter().filter(of).find_map(|result| result.outcome.trouble());
    why.map_or_else(String::new, |why| format!("; {AND_PAPER} failed: {why}"))
}

fn topics(method: &'static str) -> Claim {
    Claim {
        figure: FigureName::Table1,
        about: method.into(),
        paper: "AND finds reasonable topics, of a quality comparable to NMF and LDA.",
        rule: "Holds where the mean coherence (NPMI) of its topics is at least 0.9 times that of the better of NMF and \
               LDA; with a difference where it is above half of it.",
        judge: Box::new(move |results| {
            let ours = coherence(results, method)?;
            let (nmf, lda) = (coherence(results, HALS)?, coherence(results, LDA)?);
            let best = nmf.max(lda);
            let measured = format!(
                "coherence {ours:.3}; NMF (HALS) {nmf:.3}, LDA {lda:.3}{}",
                papers_step(results, FigureName::Table1)
            );
            let part = format!(
                "{:.0} of its topics have a coherence below {INCOHERENT}, of NMF's {:.0}",
                incoherent(results, method)?,
                incoherent(results, HALS)?
            );
            Ok(Finding::of([(ours >= 0.9 * best, part)], ours >= 0.5 * best, measured))
        }),
    }
}

/// What the components of a method leave of the pictures.
fn residual(results: &Results, method: &str) -> Result<f64, String> {
    let found: Vec<&FoundPictures> =
        of_method(results, FigureName::Fig5, method, |result| match &result.outcome {
            CellOutcome::Pictures(found) => Some((found, found.stages, found.stop_reason)),
            _ => None,
        })?;
    let left: Vec<f64> = found.iter().map(|found| found.residual).collect();
    median(&left).ok_or_else(|| "the residual is no number".to_owned())
}

fn faces(method: &'static str) -> Claim {
    Claim {
        figure: FigureName::Fig5,
        about: format!("{method} and NMF"),
        paper: "AND finds meaningful component images, of a quality similar to NMF's.",
        rule: "To the eye, see the pictures; by numbers, holds where AND leaves at most 1.1 times the residual of NMF \
               (HALS), with a difference up to 1.5 times. The paper's setting is the one from random pictures with its \
               thresholds; AND (auto) stands beside it.",
        judge: Box::new(move |results| {
            let (ours, nmf) = (residual(results, method)?, residual(results, HALS)?);
            let measured = format!(
                "relative residual {ours:.3}; NMF (HALS) {nmf:.3}{}",
                papers_step(results, FigureName::Fig5)
            );
            let part = format!("AND leaves {} times what NMF leaves", spoken(ours / nmf));
            Ok(Finding::of([(ours <= 1.1 * nmf, part)], ours <= 1.5 * nmf, measured))
        }),
    }
}

/// The five others are scikit-learn's: there is nothing here to compare with.
fn better_than_the_others() -> Claim {
    Claim {
        figure: FigureName::Fig5,
        about: "five other methods".into(),
        paper: "The components of AND and NMF are generally better than those of k-means, PCA, ICA, dictionary learning \
                and sparse PCA.",
        rule: "To the eye alone, and not by this command: a residual says nothing here, as PCA has the smallest one of all \
               by its definition.",
        judge: Box::new(|_| {
            Err("the five others are scikit-learn's: bindings/python/examples/faces.py draws them beside AND"
                .to_owned())
        }),
    }
}
