//! Every rule on made-up numbers, for each of its verdicts.

use super::super::cell::tests::tiny;
use super::super::curves::tests::made_up;
use super::super::plan::labels::*;
use super::super::plan::{AND_OWN, AND_SAFE, LEMMA_CASES};
use super::super::{
    CellOutcome, CellResult, FigureName, FoundPictures, FoundTopics, Norms, Recovered, Results,
};
use super::{Judged, Verdict, judge};

use andnmf::fit::StopReason;

use Verdict::{DoesNotHold, Holds, HoldsWithADifference, NotMeasured};

/// Made-up results.
#[derive(Default)]
struct Book(Vec<CellResult>);

impl Book {
    fn add(mut self, figure: FigureName, case: &str, method: &str, outcome: CellOutcome) -> Self {
        let mut cell = tiny(self.0.len() as u64);
        (cell.figure, cell.case, cell.method) = (figure, case.into(), method.into());
        self.0.push(CellResult { cell, wall_seconds: 1.0, outcome });
        self
    }

    fn run(self, figure: FigureName, case: &str, method: &str, recovered: Recovered) -> Self {
        self.add(figure, case, method, CellOutcome::Recovered(recovered))
    }

    fn at(mut self, value: f64) -> Self {
        self.0.last_mut().unwrap().cell.at = vec![value];
        self
    }

    /// The verdict on the claim about this part of the figure whose rule or text has the word.
    #[track_caller]
    fn verdict(self, figure: FigureName, about: &str, word: &str) -> Verdict {
        let results = Results { results: self.0, complete: true, newly_done: 0 };
        let judged = judge(&[figure], &results);
        let fits = |claim: &&Judged| {
            claim.about == about && (claim.paper.contains(word) || claim.rule.contains(word))
        };
        let found: Vec<&Judged> = judged.iter().filter(fits).collect();
        assert_eq!(found.len(), 1, "{about}, {word}");
        assert!(found[0].why.is_none() || found[0].verdict != Holds);
        found[0].verdict
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

#[test]
fn nothing_is_judged_without_numbers() {
    let none = Results { results: vec![], complete: true, newly_done: 0 };
    let judged = judge(&FigureName::ALL, &none);
    assert!(judged.len() > 30, "{}", judged.len());
    for claim in judged {
        assert_eq!((claim.verdict, claim.why), (NotMeasured, None), "{}", claim.about);
    }
    assert!(judge(&[], &none).is_empty());
}

#[test]
fn a_linear_rate_is_a_straight_line_to_nothing() {
    let verdict = |run| {
        Book::default().run(FigureName::Fig1a, DIR, AND_PAPER, run).verdict(
            FigureName::Fig1a,
            DIR,
            "linear rate",
        )
    };
    assert_eq!(verdict(falling(0.8, 100)), Holds);
    assert_eq!(verdict(stalling(0.05, 100)), HoldsWithADifference);
    assert_eq!(verdict(stalling(1.0, 100)), DoesNotHold);
    // All of the way in the last stage is no rate.
    let mut late = vec![10.0; 99];
    late.push(1e-8);
    assert_eq!(verdict(made_up(10.0, &late)), HoldsWithADifference);
}

#[test]
fn hals_has_to_converge_and_to_be_slower() {
    let verdict = |and, hals| {
        Book::default()
            .run(FigureName::Fig1a, DIR, AND_PAPER, and)
            .run(FigureName::Fig1a, DIR, HALS, hals)
            .verdict(FigureName::Fig1a, "DIR: HALS", "slower")
    };
    assert_eq!(verdict(falling(0.5, 50), falling(0.9, 100)), Holds);
    assert_eq!(verdict(falling(0.5, 50), falling(0.98, 100)), HoldsWithADifference);
    assert_eq!(verdict(falling(0.9, 100), falling(0.5, 50)), DoesNotHold);
    assert_eq!(verdict(falling(0.5, 50), stalling(8.0, 50)), DoesNotHold);
}

#[test]
fn oscillation_is_counted_in_stages_above_the_smallest_error() {
    let verdict = |rises| {
        let run = Recovered { rises, ..falling(0.9, 100) };
        Book::default().run(FigureName::Fig1b, CTM, HALS, run).verdict(
            FigureName::Fig1b,
            "CTM, one covariance: HALS, steadiness",
            "oscillates",
        )
    };
    assert_eq!((verdict(20), verdict(3), verdict(0)), (Holds, HoldsWithADifference, DoesNotHold));
}

#[test]
fn rivals_must_fail_on_negative_components_with_and_without_their_constraint() {
    for (signed, word) in [("", "made for"), (SIGNED, "removed")] {
        let verdict = |hals: f64, anls: f64| {
            Book::default()
                .run(FigureName::Fig1c, NEG, &format!("{HALS}{signed}"), stalling(hals, 40))
                .run(FigureName::Fig1c, NEG, &format!("{ANLS}{signed}"), stalling(anls, 40))
                .verdict(FigureName::Fig1c, &format!("{NEG}: HALS and ANLS{signed}"), word)
        };
        assert_eq!(verdict(5.0, 3.0), Holds);
        assert_eq!(verdict(5.0, 0.3), HoldsWithADifference);
        assert_eq!(verdict(0.01, 5.0), DoesNotHold);
    }
}

#[test]
fn anls_falls_but_behind_hals() {
    let verdict = |anls, hals| {
        Book::default()
            .run(FigureName::Fig1a, DIR, ANLS, anls)
            .run(FigureName::Fig1a, DIR, HALS, hals)
            .verdict(FigureName::Fig1a, "DIR: ANLS", "very slowly")
    };
    assert_eq!(verdict(falling(0.97, 60), falling(0.9, 60)), Holds);
    assert_eq!(verdict(falling(0.9, 60), falling(0.97, 60)), HoldsWithADifference);
    assert_eq!(verdict(stalling(7.0, 60), falling(0.9, 60)), DoesNotHold);
}

#[test]
fn all_the_others_must_stay_away_from_the_truth() {
    let verdict = |mu: f64, lda: f64| {
        Book::default()
            .run(FigureName::Fig1a, DIR, MU, stalling(mu, 40))
            .run(FigureName::Fig1a, DIR, LDA, stalling(lda, 40))
            .verdict(FigureName::Fig1a, "DIR: MU and LDA", "other methods")
    };
    assert_eq!(
        (verdict(4.0, 3.0), verdict(0.5, 3.0), verdict(4.0, 0.01)),
        (Holds, HoldsWithADifference, DoesNotHold)
    );
}

#[test]
fn the_order_is_that_of_the_start() {
    let verdict = |orders: &[bool]| {
        let book = orders.iter().fold(Book::default(), |book, &in_order| {
            book.run(FigureName::Fig1a, DIR, AND_PAPER, Recovered { in_order, ..falling(0.8, 50) })
        });
        book.verdict(FigureName::Fig1a, "DIR: order", "permutation")
    };
    assert_eq!(verdict(&[true, true]), Holds);
    assert_eq!(verdict(&[true, false]), HoldsWithADifference);
    assert_eq!(verdict(&[false, false, true]), DoesNotHold);
}

#[test]
fn constant_thresholds_stall_and_the_decreasing_one_does_not() {
    let verdict = |decreasing, constant| {
        Book::default()
            .run(FigureName::Fig2a, DIR, DECREASING, decreasing)
            .run(FigureName::Fig2a, DIR, "constant 0.1", constant)
            .verdict(FigureName::Fig2a, DIR, "constant threshold")
    };
    assert_eq!(verdict(falling(0.8, 100), stalling(1.0, 100)), Holds);
    assert_eq!(verdict(falling(0.8, 100), falling(0.95, 100)), HoldsWithADifference);
    assert_eq!(verdict(stalling(1.0, 100), stalling(0.5, 100)), DoesNotHold);
}

#[test]
fn noise_settles_at_its_own_level_or_with_a_floor_only() {
    let rising = || made_up(10.0, &[1.0, 0.5, 0.4, 2.0, 6.0]);
    let verdict = |plain: [Recovered; 2], floored: [f64; 2]| {
        let mut book = Book::default();
        for ((level, plain), floored) in [0.01, 0.1].into_iter().zip(plain).zip(floored) {
            book = book.run(FigureName::Fig2c, NOISE, &format!("γ = {level}"), plain).at(level);
            let name = format!("γ = {level}{FLOORED}");
            book = book.run(FigureName::Fig2c, NOISE, &name, stalling(floored, 40)).at(level);
        }
        book.verdict(FigureName::Fig2c, NOISE, "noise level")
    };
    assert_eq!(verdict([stalling(0.1, 40), stalling(1.0, 40)], [0.1, 1.0]), Holds);
    assert_eq!(verdict([stalling(0.1, 40), rising()], [0.1, 1.0]), HoldsWithADifference);
    let broken = Recovered { broken_off: Some("too large".into()), ..stalling(1.0, 40) };
    assert_eq!(verdict([stalling(0.1, 40), broken], [0.1, 1.0]), HoldsWithADifference);
    // More noise that ends lower does not go with the noise.
    assert_eq!(verdict([rising(), rising()], [1.0, 0.1]), DoesNotHold);
}

#[test]
fn runs_that_ran_out_of_time_say_nothing_about_where_they_end() {
    let verdict = |stop_reason| {
        let run = Recovered { stop_reason, ..falling(0.8, 100) };
        Book::default()
            .run(FigureName::Fig2a, DIR, DECREASING, run)
            .run(FigureName::Fig2a, DIR, "constant 0.1", stalling(1.0, 100))
            .verdict(FigureName::Fig2a, DIR, "constant threshold")
    };
    assert_eq!(verdict(StopReason::MaxStages), Holds);
    assert_eq!(verdict(StopReason::TimeLimit), NotMeasured);
    // Rivals in a comparison by time always run out of it.
    let run = Recovered { stop_reason: StopReason::TimeLimit, ..falling(0.8, 100) };
    let compared = Book::default().run(FigureName::Fig1a, DIR, AND_PAPER, run);
    assert_eq!(compared.verdict(FigureName::Fig1a, DIR, "linear rate"), Holds);
}

#[test]
fn a_start_mixed_twice_as_much_takes_longer_and_arrives() {
    let verdict = |one, two| {
        Book::default()
            .run(FigureName::Fig3a, DIR, "r_l = 1", one)
            .at(1.0)
            .run(FigureName::Fig3a, DIR, "r_l = 2", two)
            .at(2.0)
            .verdict(FigureName::Fig3a, DIR, "r_l = 2")
    };
    assert_eq!(verdict(falling(0.7, 80), falling(0.8, 80)), Holds);
    assert_eq!(verdict(falling(0.7, 80), stalling(0.5, 80)), HoldsWithADifference);
    assert_eq!(verdict(falling(0.7, 80), stalling(5.0, 80)), DoesNotHold);
}

#[test]
fn starts_off_the_span_are_judged_at_the_length_of_the_components() {
    let verdict = |half, whole| {
        Book::default()
            .run(FigureName::Fig3b, DIR, "noise/signal = 0.5", half)
            .at(0.5)
            .run(FigureName::Fig3b, DIR, "noise/signal = 1", whole)
            .at(1.0)
            .verdict(FigureName::Fig3b, DIR, "hardly affects")
    };
    assert_eq!(verdict(falling(0.7, 80), falling(0.8, 80)), Holds);
    assert_eq!(verdict(falling(0.7, 80), stalling(5.0, 80)), HoldsWithADifference);
    assert_eq!(verdict(stalling(5.0, 80), stalling(5.0, 80)), DoesNotHold);
}

#[test]
fn dense_weights_are_judged_up_to_twenty_and_at_eighty() {
    let book = |twenty, eighty| {
        Book::default()
            .run(FigureName::Fig4, DIR, "α = 5", falling(0.8, 60))
            .at(5.0)
            .run(FigureName::Fig4, DIR, "α = 20", twenty)
            .at(20.0)
            .run(FigureName::Fig4, DIR, "α = 80", eighty)
            .at(80.0)
    };
    let twenty = |run| book(run, falling(0.8, 9)).verdict(FigureName::Fig4, "α up to 20", "exponential");
    assert_eq!(twenty(falling(0.85, 60)), Holds);
    assert_eq!(twenty(stalling(0.5, 60)), HoldsWithADifference);
    assert_eq!(twenty(stalling(5.0, 60)), DoesNotHold);
    // The made-up cells have four components.
    let eighty = |run| book(falling(0.8, 60), run).verdict(FigureName::Fig4, "α = 80", "small relative");
    assert_eq!(eighty(stalling(0.3, 60)), Holds);
    assert_eq!(eighty(stalling(3.0, 60)), HoldsWithADifference);
    assert_eq!(eighty(stalling(8.0, 60)), DoesNotHold);
}

#[test]
fn topics_are_judged_by_coherence_and_faces_by_what_is_left() {
    let topics = |mean: f64| {
        CellOutcome::Topics(FoundTopics {
            topics: vec![],
            coherence: vec![],
            mean_coherence: Some(mean),
            size: (1, 1),
            solver_seconds: 1.0,
        })
    };
    let coherent = |ours: f64| {
        Book::default()
            .add(FigureName::Table1, "", HALS, topics(0.2))
            .add(FigureName::Table1, "", LDA, topics(0.1))
            .add(FigureName::Table1, "", AND_SAFE, topics(ours))
            .verdict(FigureName::Table1, AND_SAFE, "comparable")
    };
    assert_eq!((coherent(0.19), coherent(0.15), coherent(0.05)), (Holds, HoldsWithADifference, DoesNotHold));
    let pictures = |residual: f64| {
        let components = ndarray::Array2::zeros((1, 4));
        CellOutcome::Pictures(FoundPictures { components, residual, zeros: 0.0, solver_seconds: 1.0 })
    };
    let faces = |ours: f64| {
        Book::default()
            .add(FigureName::Fig5, "", HALS, pictures(0.1))
            .add(FigureName::Fig5, "", AND_OWN, pictures(ours))
            .verdict(FigureName::Fig5, "AND and NMF", "meaningful")
    };
    assert_eq!((faces(0.105), faces(0.14), faces(0.2)), (Holds, HoldsWithADifference, DoesNotHold));
}

#[test]
fn the_stage_lemma_is_judged_stage_by_stage() {
    let verdict = |mixing: &[f64]| {
        let norms = mixing.iter().map(|&mixing| Norms { scale: 0.01, mixing, outside: 0.0 }).collect();
        Book::default()
            .add(FigureName::Phase, LEMMA_CASES[0], AND_THRESHOLDS, CellOutcome::StageLemma(norms))
            .verdict(FigureName::Phase, LEMMA_CASES[0], "1/40")
    };
    assert_eq!(verdict(&[0.1, 2e-3, 4e-5]), Holds);
    assert_eq!(verdict(&[0.1, 0.05, 1e-3]), HoldsWithADifference);
    assert_eq!(verdict(&[0.1, 0.09, 0.08]), DoesNotHold);
}
