//! Appendix B.3: topics of newsgroups and components of faces.

use super::super::plan::labels::{AND_PAPER, HALS, LDA};
use super::super::plan::{AND_OWN, AND_SAFE};
use super::super::{CellOutcome, FigureName, Results, median};
use super::{Claim, graded};

pub(super) fn claims() -> Vec<Claim> {
    vec![topics(AND_SAFE), topics(AND_OWN), faces()]
}

/// The mean coherence of the topics of a method, over its seeds.
fn coherence(results: &Results, method: &str) -> Option<f64> {
    let of = results.results.iter().filter(|result| result.cell.method == method);
    let scores: Vec<f64> = of
        .filter_map(|result| match &result.outcome {
            CellOutcome::Topics(found) => found.mean_coherence,
            _ => None,
        })
        .collect();
    median(&scores)
}

fn topics(method: &'static str) -> Claim {
    Claim {
        figure: FigureName::Table1,
        about: method.into(),
        paper: "AND finds reasonable topics, of a quality comparable to NMF and LDA.",
        rule: "Holds where the mean coherence (NPMI) of its topics is at least 0.9 times that of the better of NMF and \
               LDA; with a difference where it is above half of it.",
        why: Some("Random documents are a poor start: some topics never leave them."),
        judge: Box::new(move |results| {
            let ours = coherence(results, method)?;
            let (nmf, lda) = (coherence(results, HALS)?, coherence(results, LDA)?);
            let best = nmf.max(lda);
            let mut measured = format!("coherence {ours:.3}; NMF (HALS) {nmf:.3}, LDA {lda:.3}");
            if coherence(results, AND_PAPER).is_none() {
                measured.push_str("; the paper's step would diverge on these numbers and was refused");
            }
            Some((graded(ours >= 0.9 * best, ours >= 0.5 * best), measured))
        }),
    }
}

fn faces() -> Claim {
    Claim {
        figure: FigureName::Fig5,
        about: "AND and NMF".into(),
        paper: "AND finds meaningful component images, of a quality similar to NMF's.",
        rule: "To the eye, see the pictures; by numbers, holds where AND (auto) leaves at most 1.1 times the residual of \
               NMF (HALS), with a difference up to 1.5 times.",
        why: Some("Six components are few for faces: they are no sparse mixtures of six parts."),
        judge: Box::new(|results| {
            let residual = |method: &str| {
                results.results.iter().find_map(|result| match &result.outcome {
                    CellOutcome::Pictures(found) if result.cell.method == method => Some(found.residual),
                    _ => None,
                })
            };
            let (ours, nmf) = (residual(AND_OWN)?, residual(HALS)?);
            let measured = format!("relative residual {ours:.3}; NMF (HALS) {nmf:.3}");
            Some((graded(ours <= 1.1 * nmf, ours <= 1.5 * nmf), measured))
        }),
    }
}
