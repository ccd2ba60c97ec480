//! What the paper says of its figures, and whether it came out so.
//!
//! A verdict is computed from the numbers by the rule that stands beside the claim.

mod convergence;
mod real;
mod sweeps;
mod theory;

use std::fmt;

use andnmf::fit::StopReason;
use serde::Serialize;

use super::plan::labels::DIR;
use super::{CellOutcome, FigureName, Results};

/// Whether a claim holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// As the paper says.
    Holds,
    /// In the main, but not in all that the paper says.
    HoldsWithADifference,
    /// It came out otherwise.
    DoesNotHold,
    /// There are no numbers to judge by.
    NotMeasured,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Holds => "holds",
            Self::HoldsWithADifference => "holds with a difference",
            Self::DoesNotHold => "does not hold",
            Self::NotMeasured => "not measured",
        })
    }
}

/// A claim with its verdict.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Judged {
    /// The figure it is about.
    pub figure: FigureName,
    /// The part of it, where it has several.
    pub about: String,
    /// What the paper says, in our words.
    pub paper: &'static str,
    /// What was measured.
    pub measured: String,
    /// Whether it holds.
    pub verdict: Verdict,
    /// How the verdict comes from the numbers.
    pub rule: &'static str,
    /// What the difference comes from, where there is one.
    pub why: Option<&'static str>,
}

/// A claim before it is judged.
struct Claim {
    figure: FigureName,
    about: String,
    paper: &'static str,
    rule: &'static str,
    /// What to say where it does not hold as it stands.
    why: Option<&'static str>,
    judge: Judge,
}

/// A verdict and the numbers behind it; nothing where there are no numbers.
type Judge = Box<dyn Fn(&Results) -> Option<(Verdict, String)>>;

impl Claim {
    fn judged(self, results: &Results) -> Judged {
        let nothing = || {
            let of = results.results.iter().filter(|result| result.cell.figure == self.figure);
            let reason = of.filter_map(|result| result.outcome.trouble()).next();
            let told = reason.map_or_else(String::new, |reason| format!(", as {reason}"));
            (Verdict::NotMeasured, format!("there are no results{told}"))
        };
        let (mut verdict, mut measured) = (self.judge)(results).unwrap_or_else(nothing);
        if self.is_cut_short(results) {
            verdict = Verdict::NotMeasured;
            measured = format!("time was up before all stages were done; so far: {measured}");
        }
        let differs = matches!(verdict, Verdict::HoldsWithADifference | Verdict::DoesNotHold);
        Judged {
            figure: self.figure,
            about: self.about,
            paper: self.paper,
            measured,
            verdict,
            rule: self.rule,
            why: self.why.filter(|_| differs),
        }
    }
}

impl Claim {
    /// Whether runs with a set number of stages came to their limit of time instead: where they would have ended is not
    /// known.
    fn is_cut_short(&self, results: &Results) -> bool {
        let of_stages = FigureName::Fig2a..=FigureName::Fig4;
        results.results.iter().any(|result| match &result.outcome {
            CellOutcome::Recovered(run) => {
                let case = &result.cell.case;
                let same = *case == self.about || (self.figure == FigureName::Fig4 && case == DIR);
                same && result.cell.figure == self.figure
                    && of_stages.contains(&self.figure)
                    && run.stop_reason == StopReason::TimeLimit
            }
            _ => false,
        })
    }
}

/// The claims about some figures, judged, in the order of the paper.
#[must_use]
pub fn judge(figures: &[FigureName], results: &Results) -> Vec<Judged> {
    let mut claims = convergence::claims();
    claims.extend(sweeps::claims());
    claims.extend(real::claims());
    claims.extend(theory::claims());
    let wanted = claims.into_iter().filter(|claim| figures.contains(&claim.figure));
    wanted.map(|claim| claim.judged(results)).collect()
}

/// The better verdict where both are true, the middle one where only one is.
fn graded(holds: bool, nearly: bool) -> Verdict {
    match (holds, nearly) {
        (true, _) => Verdict::Holds,
        (false, true) => Verdict::HoldsWithADifference,
        (false, false) => Verdict::DoesNotHold,
    }
}

#[cfg(test)]
mod tests;
