//! The paper's claims about its figures, and verdicts on them.
//!
//! A verdict is computed from the results by the rule given with the claim. A claim is not measured if a run failed,
//! had no stage, or reached the time limit before the end that the claim is about; the reason is then given instead.

mod baselines;
mod convergence;
mod generators;
mod noise;
mod real_data;
mod runs;
mod starts;
mod sweeps;
mod theory;

use std::fmt;

use serde::Serialize;

use super::{FigureName, PlanResults};

/// The verdict on a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ClaimVerdict {
    /// The claim holds as stated.
    Holds,
    /// The claim holds in the main, but not in every part.
    HoldsWithADifference,
    /// The results contradict the claim.
    DoesNotHold,
    /// The results do not allow a verdict.
    NotMeasured,
}

impl ClaimVerdict {
    /// All verdicts, best first.
    pub const ALL: [Self; 4] =
        [Self::Holds, Self::HoldsWithADifference, Self::DoesNotHold, Self::NotMeasured];
}

impl fmt::Display for ClaimVerdict {
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
pub struct JudgedClaim {
    /// The figure of the claim.
    pub figure: FigureName,
    /// Case and method of the claim.
    #[serde(rename = "about")]
    pub subject: String,
    /// The claim of the paper, paraphrased.
    pub paper: &'static str,
    /// The measurements, or the reason that there are none.
    pub measured: String,
    /// The verdict.
    pub verdict: ClaimVerdict,
    /// The rule that gives the verdict.
    pub rule: &'static str,
    /// The parts of the claim that do not hold, if any, with numbers.
    pub why: Option<String>,
}

/// A claim without its verdict.
struct Claim {
    figure: FigureName,
    subject: String,
    paper: &'static str,
    rule: &'static str,
    judge: Judge,
}

/// Computes a finding from results, or the reason that there is none.
type Judge = Box<dyn Fn(&PlanResults) -> Result<Finding, String>>;

/// A verdict with the measurements behind it.
struct Finding {
    verdict: ClaimVerdict,
    measured: String,
    why: Option<String>,
}

impl Finding {
    /// Holds if all parts are true. Otherwise the false parts give the reason, and it holds with a difference if
    /// `nearly`.
    fn of(parts: impl IntoIterator<Item = (bool, String)>, nearly: bool, measured: String) -> Self {
        let violated: Vec<String> =
            parts.into_iter().filter(|(holds, _)| !holds).map(|(_, why)| why).collect();
        let verdict = match (violated.is_empty(), nearly) {
            (true, _) => ClaimVerdict::Holds,
            (false, true) => ClaimVerdict::HoldsWithADifference,
            (false, false) => ClaimVerdict::DoesNotHold,
        };
        let why = (!violated.is_empty()).then(|| sentence(&violated.join("; ")));
        Self { verdict, measured, why }
    }
}

/// Capitalizes the text and adds a full stop.
fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| format!("{}{}.", first.to_uppercase(), letters.as_str()))
}

impl Claim {
    fn judged(self, results: &PlanResults) -> JudgedClaim {
        let (verdict, measured, why) = match (self.judge)(results) {
            Ok(Finding { verdict, measured, why }) => (verdict, measured, why),
            Err(reason) => (ClaimVerdict::NotMeasured, reason, None),
        };
        JudgedClaim {
            figure: self.figure,
            subject: self.subject,
            paper: self.paper,
            measured,
            verdict,
            rule: self.rule,
            why,
        }
    }
}

/// The claims about some figures with their verdicts, in the order of the paper.
#[must_use]
pub fn judge(figures: &[FigureName], results: &PlanResults) -> Vec<JudgedClaim> {
    let mut claims = generators::claims();
    claims.extend(convergence::claims());
    claims.extend(baselines::claims());
    claims.extend(sweeps::claims());
    claims.extend(noise::claims());
    claims.extend(starts::claims());
    claims.extend(real_data::claims());
    claims.extend(theory::claims());
    claims.sort_by_key(|claim| claim.figure);
    let selected = claims.into_iter().filter(|claim| figures.contains(&claim.figure));
    selected.map(|claim| claim.judged(results)).collect()
}

#[cfg(test)]
mod tests;
