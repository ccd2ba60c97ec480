//! What the paper says of its figures, and whether it came out so.
//!
//! A verdict is computed from the numbers by the rule that stands beside the claim. Where there are no numbers to judge
//! by (a run failed, had no stage, or was cut by time before the end that the claim is about) there is none, and the
//! reason stands in its place.

mod convergence;
mod generators;
mod noise;
mod real;
mod rivals;
mod runs;
mod starts;
mod sweeps;
mod theory;

use std::fmt;

use serde::Serialize;

use super::{FigureName, Results};

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

impl Verdict {
    /// All of them, best first.
    pub const ALL: [Self; 4] =
        [Self::Holds, Self::HoldsWithADifference, Self::DoesNotHold, Self::NotMeasured];
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
    /// What was measured, or why nothing was.
    pub measured: String,
    /// Whether it holds.
    pub verdict: Verdict,
    /// How the verdict comes from the numbers.
    pub rule: &'static str,
    /// What makes the difference, by the numbers, where there is one.
    pub why: Option<String>,
}

/// A claim before it is judged.
struct Claim {
    figure: FigureName,
    about: String,
    paper: &'static str,
    rule: &'static str,
    judge: Judge,
}

/// A verdict with the numbers behind it, or why there is none.
type Judge = Box<dyn Fn(&Results) -> Result<Finding, String>>;

/// What a rule finds.
struct Finding {
    verdict: Verdict,
    measured: String,
    why: Option<String>,
}

impl Finding {
    /// Holds where all parts of the claim are true; otherwise the parts that are not say why, and it holds with a
    /// difference where `nearly`.
    fn of(parts: impl IntoIterator<Item = (bool, String)>, nearly: bool, measured: String) -> Self {
        let wrong: Vec<String> = parts.into_iter().filter(|(true_, _)| !true_).map(|(_, why)| why).collect();
        let verdict = match (wrong.is_empty(), nearly) {
            (true, _) => Verdict::Holds,
            (false, true) => Verdict::HoldsWithADifference,
            (false, false) => Verdict::DoesNotHold,
        };
        let why = (!wrong.is_empty()).then(|| sentence(&wrong.join("; ")));
        Self { verdict, measured, why }
    }
}

/// With a capital and a full stop.
fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| format!("{}{}.", first.to_uppercase(), letters.as_str()))
}

impl Claim {
    fn judged(self, results: &Results) -> Judged {
        let (verdict, measured, why) = match (self.judge)(results) {
            Ok(Finding { verdict, measured, why }) => (verdict, measured, why),
            Err(reason) => (Verdict::NotMeasured, reason, None),
        };
        Judged {
            figure: self.figure,
            about: self.about,
            paper: self.paper,
            measured,
            verdict,
            rule: self.rule,
            why,
        }
    }
}

/// The claims about some figures, judged, in the order of the paper.
#[must_use]
pub fn judge(figures: &[FigureName], results: &Results) -> Vec<Judged> {
    let mut claims = generators::claims();
    claims.extend(convergence::claims());
    claims.extend(rivals::claims());
    claims.extend(sweeps::claims());
    claims.extend(noise::claims());
    claims.extend(starts::claims());
    claims.extend(real::claims());
    claims.extend(theory::claims());
    claims.sort_by_key(|claim| claim.figure);
    let wanted = claims.into_iter().filter(|claim| figures.contains(&claim.figure));
    wanted.map(|claim| claim.judged(results)).collect()
}

#[cfg(test)]
mod tests;
