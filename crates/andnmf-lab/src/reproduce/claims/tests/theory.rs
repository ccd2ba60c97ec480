//! The stage lemma.

use super::*;

#[test]
fn the_stage_lemma_is_judged_where_its_premises_are_met() {
    let judged = |mixing: &[f64], size: f64| {
        let norms: Vec<Norms> =
            mixing.iter().map(|&mixing| Norms { scale: 0.01, mixing, outside: 0.0 }).collect();
        let disturbances = vec![Disturbance { size, allowed: 1e-3 }; mixing.len() - 1];
        let lemma_trace = CellOutcome::StageLemma(LemmaTrace { norms, disturbances });
        SyntheticResults::default()
            .add(FigureName::Phase, LEMMA_CASES[0], AND_THRESHOLDS, lemma_trace)
            .judged(FigureName::Phase, LEMMA_CASES[0], "1/40")
    };
    assert_eq!(judged(&[0.1, 2e-3, 4e-5], 1e-3).verdict, Holds);
    assert_eq!(judged(&[0.1, 0.05, 1e-3], 1e-3).verdict, DoesNotHold);
    // Only the second stage meets the premises.
    assert_eq!(judged(&[0.2, 0.1, 1e-3], 1e-3).verdict, Holds);
    let disturbed = judged(&[0.1, 2e-3, 4e-5], 2e-3);
    assert_eq!(disturbed.verdict, NotMeasured);
    assert!(
        disturbed.measured.contains("premises not met") && disturbed.measured.contains("2.0 times"),
        "{disturbed:?}"
    );
    assert_eq!(judged(&[0.2, 1e-3], 1e-3).verdict, NotMeasured);
}
