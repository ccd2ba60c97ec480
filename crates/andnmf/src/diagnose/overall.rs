//! Everything that was judged, under one verdict.

use serde::Serialize;

use super::{Diagnosis, WeightDiagnosis};
use crate::trust::{Judgement, Reason, Trust, Verdict};

/// A diagnosis with the verdict over all of it. The field names are those of the command's JSON.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Overall {
    /// The worst of all that was judged.
    pub verdict: Verdict,
    /// What speaks against recovery, each reason once.
    pub reasons: Vec<Reason>,
    /// What the weights are like.
    pub weights: WeightDiagnosis,
    /// What is left of the samples, relative to them, where there were samples.
    pub residual: Option<f64>,
    /// Whether the fit that found the components is to be believed, where there was one.
    pub trust: Option<Trust>,
}

impl Overall {
    /// Puts the judgements on weights and fit together.
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

impl From<Diagnosis> for Overall {
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
    fn the_worst_verdict_counts_and_no_reason_is_told_twice() {
        let weights = diagnose_weights(Array2::<f64>::eye(6).view()).unwrap();
        let own = weights.judgement.clone();
        let mut judgement = own.clone();
        judgement.add(Reason::Stopped);
        let trust = Trust { judgement, component_stability: vec![0.0; 6] };
        let overall = Overall::new(weights, Some(0.5), Some(trust));
        assert_eq!(overall.verdict, Verdict::Poor);
        assert_eq!(overall.reasons.len(), own.reasons.len() + 1);
    }
}
