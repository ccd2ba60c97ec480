//! Verdicts and their reasons.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::Reason;

/// Confidence in a result, ordered from worst to best.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// Do not rely on it.
    Poor,
    /// Part of it may be wrong; check it before you rely on it.
    Doubtful,
    /// No evidence against it.
    Good,
}

impl Verdict {
    /// The name in files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Poor => "poor",
            Self::Doubtful => "doubtful",
            Self::Good => "good",
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A verdict with its reasons.
///
/// ```
/// use andnmf::trust::{Judgement, Reason, Verdict};
/// let mut judgement = Judgement::default();
/// assert_eq!(judgement.verdict, Verdict::Good);
/// judgement.add(Reason::OutOfStages);
/// assert_eq!((judgement.verdict, judgement.reasons.len()), (Verdict::Doubtful, 1));
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Judgement {
    /// The worst severity of all reasons; good without any.
    pub verdict: Verdict,
    /// The evidence against it, or for it.
    pub reasons: Vec<Reason>,
}

impl Default for Judgement {
    fn default() -> Self {
        Self { verdict: Verdict::Good, reasons: Vec::new() }
    }
}

impl Judgement {
    /// The judgement for these reasons.
    #[must_use]
    pub fn of(reasons: Vec<Reason>) -> Self {
        let verdict = reasons.iter().map(Reason::severity).min().unwrap_or(Verdict::Good);
        Self { verdict, reasons }
    }

    /// Adds a reason: the verdict can then be no better than its severity.
    pub fn add(&mut self, reason: Reason) {
        self.verdict = self.verdict.min(reason.severity());
        self.reasons.push(reason);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_reason_decides_in_whatever_order_they_come() {
        let mut judgement = Judgement::default();
        judgement.add(Reason::ZeroSamples);
        judgement.add(Reason::OutOfStages);
        judgement.add(Reason::ExactRank { rank: 3 });
        let codes: Vec<&str> = judgement.reasons.iter().map(Reason::code).collect();
        assert_eq!(
            (judgement.verdict, codes),
            (Verdict::Poor, vec!["zero-samples", "out-of-stages", "exact-rank"])
        );
        assert_eq!(Judgement::of(judgement.reasons.clone()), judgement);
    }

    #[test]
    fn files_hold_the_verdict_as_a_lower_case_word() {
        for (verdict, word) in
            [(Verdict::Good, "good"), (Verdict::Doubtful, "doubtful"), (Verdict::Poor, "poor")]
        {
            assert_eq!(serde_json::to_string(&verdict).unwrap(), format!("\"{word}\""));
            assert_eq!(verdict.to_string(), word);
        }
        let json = serde_json::to_string(&Judgement::default()).unwrap();
        assert_eq!(json, r#"{"verdict":"good","reasons":[]}"#);
    }
}
