//! Every rule on made-up numbers, for each of its verdicts.

mod convergence;
mod generators;
mod real;
mod sweeps;
mod theory;

use super::super::cell::tests::tiny;
use super::super::curves::tests::made_up;
use super::super::plan::labels::*;
use super::super::plan::{AND_OWN, AND_SAFE, LEMMA_CASES};
use super::super::{
    CellOutcome, CellResult, ComponentErrors, Disturbance, Errors, FigureName, FollowedLemma, FoundPictures,
    FoundTopics, Norms, Recovered, Results, StartMixing, WeightCorrelations,
};
use super::{Judged, Verdict, judge};

use andnmf::fit::StopReason;

use Verdict::{DoesNotHold, Holds, HoldsWithADifference, NotMeasured};

/// Made-up results.
#[derive(Default, Clone)]
struct Book(Vec<CellResult>);

impl Book {
    fn add(mut self, figure: FigureName, case: &str, method: &str, outcome: CellOutcome) -> Self {
        let mut cell = tiny(self.0.len() as u64);
        (cell.figure, cell.case, cell.method) = (figure, case.into(), method.into());
        self.0.push(CellResult { cell, wall_seconds: 1.0, commit: None, outcome });
        self
    }

    fn run(self, figure: FigureName, case: &str, method: &str, recovered: Recovered) -> Self {
        self.add(figure, case, method, CellOutcome::Recovered(Box::new(recovered)))
    }

    fn at(mut self, value: f64) -> Self {
        self.0.last_mut().unwrap().cell.at = vec![value];
        self
    }

    /// The claim about this part of the figure whose rule or text has the word.
    #[track_caller]
    fn judged(self, figure: FigureName, about: &str, word: &str) -> Judged {
        let results = Results { results: self.0, complete: true, newly_done: 0 };
        let fits = |claim: &Judged| {
            claim.about == about && (claim.paper.contains(word) || claim.rule.contains(word))
        };
        let mut found: Vec<Judged> = judge(&[figure], &results).into_iter().filter(fits).collect();
        assert_eq!(found.len(), 1, "{about}, {word}");
        let claim = found.remove(0);
        // A difference has a reason, and nothing else has one.
        let differs = matches!(claim.verdict, HoldsWithADifference | DoesNotHold);
        assert_eq!(claim.why.is_some(), differs, "{claim:?}");
        claim
    }

    #[track_caller]
    fn verdict(self, figure: FigureName, about: &str, word: &str) -> Verdict {
        self.judged(figure, about, word).verdict
    }
}

/// Errors that fall by a constant factor.
fn falling(ratio: f64, stages: i32) -> Recovered {
    made_up(10.0, &(1..=stages).map(|stage| 10.0 * ratio.powi(stage)).collect::<Vec<_>>())
}

/// Errors that fall to a value and stay there.
fn stalling(at: f64, stages: i32) -> Recovered {
    made_up(10.0, &(1..=stages).map(|stage| at + (10.0 - at) * 0.2_f64.powi(stage)).collect::<Vec<_>>())
}

/// The same run on a machine that is so many times slower.
fn slower(mut run: Recovered, times: f64) -> Recovered {
    let course = &mut run.course;
    for moment in [&mut course.to_a_tenth, &mut course.to_a_hundredth, &mut course.to_a_thousandth] {
        moment.iter_mut().for_each(|moment| moment.seconds *= times);
    }
    run.solver_seconds *= times;
    run
}

fn cut(run: Recovered) -> Recovered {
    Recovered { stop_reason: StopReason::TimeLimit, ..run }
}

fn failed() -> CellOutcome {
    CellOutcome::Failed("the step is too long".into())
}

#[test]
fn nothing_is_judged_without_numbers() {
    let none = Results { results: vec![], complete: true, newly_done: 0 };
    let judged = judge(&FigureName::ALL, &none);
    assert!(judged.len() > 45, "{}", judged.len());
    assert!(judged.is_sorted_by_key(|claim| claim.figure), "in the order of the paper");
    for claim in judged {
        assert_eq!((claim.verdict, claim.why), (NotMeasured, None), "{}", claim.about);
        assert!(!claim.measured.is_empty());
    }
    assert!(judge(&[], &none).is_empty());
}

#[test]
fn failed_idle_and_cut_runs_are_no_measurements_and_say_why() {
    let of = |outcome: CellOutcome| {
        Book::default().add(FigureName::Fig1a, DIR, AND_PAPER, outcome).judged(
            FigureName::Fig1a,
            DIR,
            "linear rate",
        )
    };
    let told = |claim: Judged| {
        assert_eq!(claim.verdict, NotMeasured);
        claim.measured
    };
    assert_eq!(of(CellOutcome::Recovered(Box::new(falling(0.8, 100)))).verdict, Holds);
    assert!(told(of(failed())).contains("AND (paper) failed: the step is too long"));
    assert!(
        told(of(CellOutcome::Recovered(Box::new(cut(made_up(10.0, &[]))))))
            .contains("did not finish a stage")
    );
    let short = told(of(CellOutcome::Recovered(Box::new(cut(falling(0.8, 100))))));
    assert!(short.contains("after 100 stages") && short.contains("--budget"), "{short}");
    // One of several is enough: the others would be a choice.
    let some = Book::default()
        .run(FigureName::Fig1a, DIR, AND_PAPER, falling(0.8, 100))
        .add(FigureName::Fig1a, DIR, AND_PAPER, failed())
        .judged(FigureName::Fig1a, DIR, "linear rate");
    assert!(told(some).contains("in 1 of 2 runs"));
}

#[test]
fn runs_that_ran_out_of_time_say_nothing_about_where_they_end_but_rivals_are_compared_by_time() {
    let thresholds = |run| {
        Book::default()
            .run(FigureName::Fig2a, DIR, DECREASING, run)
            .run(FigureName::Fig2a, DIR, "constant 0.1", stalling(1.0, 100))
            .verdict(FigureName::Fig2a, DIR, "constant threshold")
    };
    assert_eq!((thresholds(falling(0.8, 100)), thresholds(cut(falling(0.8, 100)))), (Holds, NotMeasured));
    let compared = |hals| {
        Book::default()
            .run(FigureName::Fig1a, DIR, AND_PAPER, falling(0.5, 50))
            .run(FigureName::Fig1a, DIR, HALS, hals)
            .verdict(FigureName::Fig1a, "DIR: HALS", "slower")
    };
    assert_eq!((compared(cut(falling(0.9, 100))), compared(cut(made_up(10.0, &[])))), (Holds, NotMeasured));
}
