//! The combined verdict on weights and fit.

use serde::Serialize;

use super::{Diagnosis, WeightDiagnosis};
use crate::trust::{Judgement, Reason, Trust, Verdict};

/// A diagnosis with its combined verdict. The field names are keys of the command's JSON output.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OverallDiagnosis {
    /// The worst of the verdicts on weights and fit.
    pub verdict: Verdict,
    /// The reasons against recovery, without duplicates.
    pub reasons: Vec<Reason>,
    /// The diagnosis of the weights.
    pub weights: WeightDiagnosis,
    /// The relative reconstruction error; `None` without samples.
    pub residual: Option<f64>,
    /// The trust in the fit; `None` without a fit.
    pub trust: Option<Trust>,
}

impl OverallDiagnosis {
    /// Combines the judgements on weights and fit.
    #[must_use]
    pub fn new(weights: WeightDiagnosis, residual: Option<f64>, trust: Option<Trust>) -> Self {
        let mut all = Judgement::default();
        for judgement in trust.iter().map(|trust| &trust.judgement).chain([&weights.judgement]) {
            all.verdict = all.verdict.min(judgement.verdict);
            for reason in &judgement.reasons {
                if !all.reasons.contains(reason) {
                    all.add(reason.clone());
                }
            }
        }
        Self { verdict: all.verdict, reasons: all.reasons, weights, residual, trust }
    }
}

impl From<Diagnosis> for OverallDiagnosis {
    fn from(diagnosis: Diagnosis) -> Self {
        Self::new(diagnosis.weights, Some(diagnosis.residual), diagnosis.trust)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::diagnose_weights;
    use ndarray::Array2;

    #[test]
    fn the_worst_verdict_counts_and_no_reason_is_repeated() {
        let weights = diagnose_weights(Array2::<f64>::eye(6).view()).unwrap();
        let own = weights.judgement.clone();
        let mut judgement = own.clone();
        judgement.add(Reason::Stopped);
        let trust = Trust { judgement, component_stability: vec![0.0; 6], ..Trust::default() };
        let overall = OverallDiagnosis::new(weights, Some(0.5), Some(trust));
        assert_eq!(overall.verdict, Verdict::Poor);
        assert_eq!(overall.reasons.len(), own.reasons.len() + 1);
    }
}
