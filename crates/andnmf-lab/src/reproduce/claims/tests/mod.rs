//! Tests every rule on synthetic results, for each of its verdicts.

mod convergence;
mod generators;
mod real_data;
mod sweeps;
mod theory;

use super::super::cell::tests::tiny;
use super::super::curves::tests::made_up;
use super::super::plan::labels::*;
use super::super::plan::{AND_DEFAULT, AND_SAFE, LEMMA_CASES};
use super::super::{
    CellOutcome, CellResult, ComponentErrors, Disturbance, Errors, FigureName, ImageResult, LemmaTrace,
    Norms, PlanResults, RecoveryResult, StartMixing, TopicResult, WeightCorrelations,
};
use super::{ClaimVerdict, JudgedClaim, judge};

use andnmf::fit::StopReason;

use ClaimVerdict::{DoesNotHold, Holds, HoldsWithADifference, NotMeasured};

/// Synthetic results.
#[derive(Default, Clone)]
struct SyntheticResults(Vec<CellResult>);

impl SyntheticResults {
    fn add(mut self, figure: FigureName, case: &str, method: &str, outcome: CellOutcome) -> Self {
        let mut cell = tiny(self.0.len() as u64);
        (cell.figure, cell.case, cell.method) = (figure, case.into(), method.into());
        self.0.push(CellResult { cell, wall_seconds: 1.0, commit: None, outcome });
        self
    }

    fn run(self, figure: FigureName, case: &str, method: &str, recovered: RecoveryResult) -> Self {
        self.add(figure, case, method, CellOutcome::Recovered(Box::new(recovered)))
    }

    fn at(mut self, value: f64) -> Self {
        self.0.last_mut().unwrap().cell.at = vec![value];
        self
    }

    /// The claim about this subject of the figure whose text or rule contains the word.
    #[track_caller]
    fn judged(self, figure: FigureName, subject: &str, word: &str) -> JudgedClaim {
        let results = PlanResults { results: self.0, complete: true, newly_done: 0 };
        let fits = |claim: &JudgedClaim| {
            claim.subject == subject && (claim.paper.contains(word) || claim.rule.contains(word))
        };
        let mut found: Vec<JudgedClaim> = judge(&[figure], &results).into_iter().filter(fits).collect();
        assert_eq!(found.len(), 1, "{subject}, {word}");
        let claim = found.remove(0);
        // A claim has a reason exactly if it does not fully hold.
        let differs = matches!(claim.verdict, HoldsWithADifference | DoesNotHold);
        assert_eq!(claim.why.is_some(), differs, "{claim:?}");
        claim
    }

    #[track_caller]
    fn verdict(self, figure: FigureName, subject: &str, word: &str) -> ClaimVerdict {
        self.judged(figure, subject, word).verdict
    }
}

/// Errors that decrease by a constant factor.
fn falling(ratio: f64, stages: i32) -> RecoveryResult {
    made_up(10.0, &(1..=stages).map(|stage| 10.0 * ratio.powi(stage)).collect::<Vec<_>>())
}

/// Errors that decrease to a value and stay there.
fn stalling(at: f64, stages: i32) -> RecoveryResult {
    made_up(10.0, &(1..=stages).map(|stage| at + (10.0 - at) * 0.2_f64.powi(stage)).collect::<Vec<_>>())
}

/// The same run on a machine that is `times` times slower.
fn slower(mut run: RecoveryResult, times: f64) -> RecoveryResult {
    let error_summary = &mut run.error_summary;
    for moment in
        [&mut error_summary.to_a_tenth, &mut error_summary.to_a_hundredth, &mut error_summary.to_a_thousandth]
    {
        moment.iter_mut().for_each(|moment| moment.seconds *= times);
    }
    run.solver_seconds *= times;
    run
}

fn cut(run: RecoveryResult) -> RecoveryResult {
    RecoveryResult { stop_reason: StopReason::TimeLimit, ..run }
}

fn failed() -> CellOutcome {
    CellOutcome::Failed("the step is too long".into())
}

#[test]
fn nothing_is_judged_without_numbers() {
    let none = PlanResults { results: vec![], complete: true, newly_done: 0 };
    let judged = judge(&FigureName::ALL, &none);
    assert!(judged.len() > 45, "{}", judged.len());
    assert!(judged.is_sorted_by_key(|claim| claim.figure), "in the order of the paper");
    for claim in judged {
        assert_eq!((claim.verdict, claim.why), (NotMeasured, None), "{}", claim.subject);
        assert!(!claim.measured.is_empty());
    }
    assert!(judge(&[], &none).is_empty());
}

#[test]
fn failed_runs_and_runs_at_the_time_limit_are_not_measured_and_say_why() {
    let of = |outcome: CellOutcome| {
        SyntheticResults::default().add(FigureName::Fig1a, DIR, AND_PAPER, outcome).judged(
            FigureName::Fig1a,
            DIR,
            "linear rate",
        )
    };
    let reason_of = |claim: JudgedClaim| {
        assert_eq!(claim.verdict, NotMeasured);
        claim.measured
    };
    assert_eq!(of(CellOutcome::Recovered(Box::new(falling(0.8, 100)))).verdict, Holds);
    assert!(reason_of(of(failed())).contains("AND (paper) failed: the step is too long"));
    assert!(
        reason_of(of(CellOutcome::Recovered(Box::new(cut(made_up(10.0, &[]))))))
            .contains("did not finish a stage")
    );
    let short = reason_of(of(CellOutcome::Recovered(Box::new(cut(falling(0.8, 100))))));
    assert!(short.contains("after 100 stages") && short.contains("--budget"), "{short}");
    // One failed run is enough: judging the others would select runs.
    let some = SyntheticResults::default()
        .run(FigureName::Fig1a, DIR, AND_PAPER, falling(0.8, 100))
        .add(FigureName::Fig1a, DIR, AND_PAPER, failed())
        .judged(FigureName::Fig1a, DIR, "linear rate");
    assert!(reason_of(some).contains("in 1 of 2 runs"));
}

#[test]
fn final_errors_need_completed_runs_but_baselines_are_compared_by_time() {
    let thresholds = |run| {
        SyntheticResults::default()
            .run(FigureName::Fig2a, DIR, DECREASING, run)
            .run(FigureName::Fig2a, DIR, "constant 0.1", stalling(1.0, 100))
            .verdict(FigureName::Fig2a, DIR, "constant threshold")
    };
    assert_eq!((thresholds(falling(0.8, 100)), thresholds(cut(falling(0.8, 100)))), (Holds, NotMeasured));
    let compared = |hals| {
        SyntheticResults::default()
            .run(FigureName::Fig1a, DIR, AND_PAPER, falling(0.5, 50))
            .run(FigureName::Fig1a, DIR, HALS, hals)
            .verdict(FigureName::Fig1a, "DIR: HALS", "slower")
    };
    assert_eq!((compared(cut(falling(0.9, 100))), compared(cut(made_up(10.0, &[])))), (Holds, NotMeasured));
}
