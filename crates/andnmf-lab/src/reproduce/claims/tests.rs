//! Every rule on made-up numbers, for each of its verdicts.

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

#[test]
fn weights_are_correlated_where_a_pair_comes_together_often() {
    let run = |positive: f64, largest: f64| {
        let weights = WeightCorrelations { largest, most_positive: positive, typical: 0.01 };
        Recovered { weights, ..falling(0.8, 20) }
    };
    let ctm = |positive: f64| {
        Book::default().run(FigureName::Fig1b, CTM, AND_PAPER, run(positive, -0.9)).verdict(
            FigureName::Fig1b,
            "CTM, one covariance: weights",
            "strongly correlated",
        )
    };
    assert_eq!((ctm(0.7), ctm(0.3), ctm(0.1)), (Holds, HoldsWithADifference, DoesNotHold));
    let dir = |largest: f64| {
        Book::default().run(FigureName::Fig1a, DIR, AND_PAPER, run(0.0, largest)).verdict(
            FigureName::Fig1a,
            "DIR: weights",
            "have none",
        )
    };
    assert_eq!((dir(-0.05), dir(-0.3), dir(0.6)), (Holds, HoldsWithADifference, DoesNotHold));
}

fn mixed(norm: f64, largest_ratio: f64) -> Recovered {
    Recovered { mixing: Some(StartMixing { norm, typical_ratio: 0.1, largest_ratio }), ..falling(0.8, 80) }
}

#[test]
fn a_weak_start_has_more_mixed_in_than_of_its_own() {
    let verdict = |ratios: [f64; 2]| {
        let book = ratios.into_iter().fold(Book::default(), |book, ratio| {
            book.run(FigureName::Fig1a, DIR, AND_PAPER, mixed(0.5, ratio))
        });
        book.verdict(FigureName::Fig1a, "DIR: start", "very weak")
    };
    assert_eq!(
        (verdict([1.4, 1.2]), verdict([1.4, 0.8]), verdict([1.4, 0.2])),
        (Holds, HoldsWithADifference, DoesNotHold)
    );
}

#[test]
fn the_assumptions_are_those_on_the_norm_of_the_mixing() {
    let verdict = |one: f64, two: f64| {
        Book::default()
            .run(FigureName::Fig3a, DIR, "r_l = 1", mixed(one, 1.0))
            .at(1.0)
            .run(FigureName::Fig3a, DIR, "r_l = 2", mixed(two, 2.0))
            .at(2.0)
            .verdict(FigureName::Fig3a, "DIR: r_l = 1", "assumptions")
    };
    assert_eq!(
        (verdict(0.5, 1.0), verdict(0.1, 0.2), verdict(0.05, 0.1)),
        (Holds, HoldsWithADifference, DoesNotHold)
    );
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
fn reasons_say_what_the_numbers_say() {
    let why = |run| {
        let book = Book::default().run(FigureName::Fig1a, DIR, AND_PAPER, run);
        book.judged(FigureName::Fig1a, DIR, "linear rate").why.unwrap()
    };
    let components = Some(ComponentErrors { in_order: true, median: 2e-5, worst_tenth: 0.876 });
    let stalled = why(Recovered { components, ..stalling(0.05, 100) });
    assert!(
        stalled.contains("stopped falling") && stalled.contains("2.0e-5") && stalled.contains("87.6 %"),
        "{stalled}"
    );
    assert!(why(falling(0.9, 60)).contains("still falls"));
    // Straight enough is no reason.
    assert!(!why(falling(0.9, 60)).contains("line"));
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
    assert_eq!(verdict(falling(0.9, 100), falling(0.5, 50)), HoldsWithADifference);
    assert_eq!(verdict(falling(0.5, 50), stalling(8.0, 50)), DoesNotHold);
}

#[test]
fn oscillation_is_counted_in_stages_above_the_smallest_error() {
    let verdict = |rises| {
        let mut run = falling(0.9, 100);
        run.course.rises = rises;
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
    let judged = |signed: &str, word: &str, hals: Recovered, anls: Recovered| {
        let and = Recovered { least_without_negatives: Some(3.25), ..falling(0.8, 100) };
        Book::default()
            .run(FigureName::Fig1c, NEG, AND_PAPER, and)
            .run(FigureName::Fig1c, NEG, &format!("{HALS}{signed}"), hals)
            .run(FigureName::Fig1c, NEG, &format!("{ANLS}{signed}"), anls)
            .judged(FigureName::Fig1c, &format!("{NEG}: HALS and ANLS{signed}"), word)
    };
    let constrained = |hals: f64, anls: f64| judged("", "made for", stalling(hals, 40), stalling(anls, 40));
    assert_eq!(constrained(5.0, 3.0).verdict, Holds);
    assert_eq!(constrained(5.0, 0.3).verdict, HoldsWithADifference);
    assert_eq!(constrained(0.01, 5.0).verdict, DoesNotHold);
    assert!(
        constrained(5.0, 3.0).measured.contains("cannot come below an error of 3.2"),
        "{:?}",
        constrained(5.0, 3.0)
    );
    let free = |hals, anls| judged(SIGNED, "removed", hals, anls).verdict;
    assert_eq!(free(stalling(5.0, 40), stalling(3.0, 40)), Holds);
    assert_eq!(free(stalling(5.0, 40), falling(0.95, 40)), HoldsWithADifference);
    assert_eq!(free(stalling(5.0, 40), falling(0.8, 100)), DoesNotHold);
}

#[test]
fn what_is_left_is_a_share_of_the_own_start() {
    let own = Errors { total: 2.0, relative: 2.0 };
    let clipped = Recovered { own_start: Some(own), ..stalling(0.15, 40) };
    let verdict = |run: Recovered| {
        Book::default()
            .run(FigureName::Fig1c, NEG, AND_PAPER, falling(0.8, 100))
            .run(FigureName::Fig1c, NEG, HALS, run.clone())
            .run(FigureName::Fig1c, NEG, ANLS, run)
            .verdict(FigureName::Fig1c, &format!("{NEG}: HALS and ANLS"), "made for")
    };
    assert_eq!(
        (
            verdict(stalling(0.15, 40)),
            verdict(Recovered { own_start: Some(Errors { total: 1.0, ..own }), ..clipped })
        ),
        (HoldsWithADifference, Holds)
    );
}

#[test]
fn anls_falls_very_slowly() {
    let judged = |anls: Recovered, hals: Recovered| {
        Book::default()
            .run(FigureName::Fig1a, DIR, AND_PAPER, falling(0.2, 60))
            .run(FigureName::Fig1a, DIR, ANLS, anls)
            .run(FigureName::Fig1a, DIR, HALS, hals)
            .judged(FigureName::Fig1a, "DIR: ANLS", "very slow")
    };
    let hals = || falling(0.7, 60);
    assert_eq!(judged(slower(falling(0.9, 60), 3.0), hals()).verdict, Holds);
    // Behind HALS by a little is not slow.
    let little = judged(falling(0.68, 60), hals());
    assert_eq!(little.verdict, HoldsWithADifference);
    assert!(little.why.unwrap().contains("an iteration takes only 1.0 times"));
    assert_eq!(judged(stalling(7.0, 60), hals()).verdict, DoesNotHold);
}

#[test]
fn whether_others_converge_does_not_follow_their_time() {
    let judged = |mu: Recovered| {
        Book::default()
            .run(FigureName::Fig1a, DIR, AND_PAPER, falling(0.8, 100))
            .run(FigureName::Fig1a, DIR, MU, cut(mu))
            .judged(FigureName::Fig1a, "DIR: MU", "other methods")
    };
    assert_eq!(judged(stalling(3.0, 40)).verdict, Holds);
    // The same slow fall, with less and with more time.
    for stages in [60, 200, 400] {
        let claim = judged(falling(0.98, stages));
        assert_eq!(claim.verdict, HoldsWithADifference, "{stages}");
        assert!(claim.measured.contains("still falling"), "{}", claim.measured);
    }
    assert_eq!(judged(falling(0.8, 95)).verdict, DoesNotHold);
    assert_eq!(judged(stalling(1e-3, 40)).verdict, DoesNotHold);
}

#[test]
fn the_order_is_that_of_the_start_where_the_run_came_near() {
    let run = |in_order: bool| {
        let components = Some(ComponentErrors { in_order, median: 0.0, worst_tenth: 0.1 });
        Recovered { components, ..falling(0.8, 50) }
    };
    let verdict = |runs: &[Recovered]| {
        let book = runs
            .iter()
            .fold(Book::default(), |book, one| book.run(FigureName::Fig1a, DIR, AND_PAPER, one.clone()));
        book.verdict(FigureName::Fig1a, "DIR: order", "permutation")
    };
    assert_eq!(verdict(&[run(true), run(true)]), Holds);
    assert_eq!(verdict(&[run(true), run(false)]), HoldsWithADifference);
    assert_eq!(verdict(&[run(false), run(false), run(true)]), DoesNotHold);
    // A run that stays at its start keeps its order for no reason of its own.
    assert_eq!(verdict(&[stalling(9.0, 20)]), NotMeasured);
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
    assert_eq!(verdict(falling(0.8, 100), made_up(10.0, &[10.0; 20])), HoldsWithADifference);
    assert_eq!(verdict(stalling(1.0, 100), stalling(0.5, 100)), DoesNotHold);
}

/// Noise at two levels, with plain thresholds and with floored ones.
fn noise(plain: [Recovered; 2], floored: [Recovered; 2]) -> Book {
    let mut book = Book::default();
    for ((level, plain), floored) in [0.01, 0.1].into_iter().zip(plain).zip(floored) {
        book = book.run(FigureName::Fig2c, NOISE, &format!("γ = {level}"), plain).at(level);
        let name = format!("γ = {level}{FLOORED}");
        book = book.run(FigureName::Fig2c, NOISE, &name, floored).at(level);
    }
    book
}

#[test]
fn noise_settles_at_its_own_level_or_with_a_floor_only() {
    let rising = || made_up(10.0, &[1.0, 0.2, 0.1, 0.2, 0.3]);
    let good = || [stalling(0.1, 40), stalling(0.3, 40)];
    let judged = |plain, floored| noise(plain, floored).judged(FigureName::Fig2c, NOISE, "noise level");
    // The made-up cells have four components: 0.4 is a tenth of each.
    assert_eq!(judged(good(), good()).verdict, Holds);
    let risen = judged([stalling(0.1, 40), rising()], good());
    assert_eq!(risen.verdict, HoldsWithADifference);
    assert!(risen.why.unwrap().contains("At γ = 0.1 the error rises again, to 3.0 times"));
    let broken = Recovered { broken_off: Some("too large".into()), ..stalling(0.3, 40) };
    assert_eq!(judged([stalling(0.1, 40), broken], good()).verdict, HoldsWithADifference);
    // No fall, no good accuracy, and an end that does not go with the noise.
    let inaccurate = [stalling(0.1, 40), stalling(1.0, 40)];
    assert_eq!(judged(inaccurate.clone(), inaccurate).verdict, DoesNotHold);
    let flat = || [made_up(0.3, &[0.29; 20]), made_up(0.35, &[0.34; 20])];
    assert_eq!(judged(flat(), flat()).verdict, DoesNotHold);
    let upside_down = || [stalling(0.3, 40), stalling(0.1, 40)];
    assert_eq!(judged(upside_down(), upside_down()).verdict, DoesNotHold);
}

#[test]
fn runs_that_could_not_be_done_are_no_result_under_noise() {
    let mut book = noise([stalling(0.1, 40), stalling(0.3, 40)], [stalling(0.1, 40), stalling(0.3, 40)]);
    book.0[2].outcome = failed();
    let claim = book.judged(FigureName::Fig2c, NOISE, "noise level");
    assert_eq!(claim.verdict, NotMeasured);
    assert!(claim.measured.contains("γ = 0.1 failed: the step is too long"), "{}", claim.measured);
}

#[test]
fn more_steps_have_to_lead_lower_and_to_end_lower() {
    let verdict = |fewer: Recovered| {
        noise([stalling(0.1, 40), stalling(0.3, 40)], [stalling(0.1, 40), stalling(0.3, 40)])
            .run(FigureName::Fig2c, NOISE, &format!("γ = 0.1{FEWER_STEPS}"), fewer)
            .at(0.1)
            .verdict(FigureName::Fig2c, &format!("{NOISE}: T = 100"), "T = 100")
    };
    assert_eq!(verdict(stalling(0.5, 40)), Holds);
    assert_eq!(verdict(made_up(10.0, &[1.0, 0.1, 0.5])), HoldsWithADifference);
    assert_eq!(verdict(stalling(0.2, 40)), DoesNotHold);
    assert_eq!(verdict(stalling(0.301, 40)), DoesNotHold, "no difference to speak of");
}

#[test]
fn a_start_mixed_twice_as_much_takes_longer_and_arrives_at_a_rate() {
    let judged = |one, two| {
        Book::default()
            .run(FigureName::Fig3a, DIR, "r_l = 1", one)
            .at(1.0)
            .run(FigureName::Fig3a, DIR, "r_l = 2", two)
            .at(2.0)
            .judged(FigureName::Fig3a, DIR, "at r_l = 2 at most")
    };
    let verdict = |one, two| judged(one, two).verdict;
    assert_eq!(verdict(falling(0.7, 80), falling(0.8, 80)), Holds);
    assert_eq!(verdict(falling(0.7, 80), stalling(0.5, 80)), HoldsWithADifference);
    assert_eq!(verdict(falling(0.7, 80), stalling(5.0, 80)), DoesNotHold);
    let same = judged(falling(0.7, 80), falling(0.7, 80));
    assert_eq!(same.verdict, HoldsWithADifference);
    assert!(same.why.unwrap().contains("after 20 stages, from r_l = 1 after 20 stages"));
    // Nothing for long, and then everything at once, is no rate.
    let mut late = vec![9.0; 60];
    late.extend([1e-3, 1e-5]);
    assert_eq!(verdict(falling(0.7, 80), made_up(10.0, &late)), HoldsWithADifference);
}

#[test]
fn starts_off_the_span_are_judged_at_the_length_of_the_components_and_by_their_speed() {
    let book = |half: CellOutcome, whole: CellOutcome| {
        Book::default()
            .run(FigureName::Fig3b, DIR, "noise/signal = 0", falling(0.7, 80))
            .at(0.0)
            .add(FigureName::Fig3b, DIR, "noise/signal = 0.5", half)
            .at(0.5)
            .add(FigureName::Fig3b, DIR, "noise/signal = 1", whole)
            .at(1.0)
            .judged(FigureName::Fig3b, DIR, "hardly affects")
    };
    let verdict = |half, whole| {
        book(CellOutcome::Recovered(Box::new(half)), CellOutcome::Recovered(Box::new(whole))).verdict
    };
    assert_eq!(verdict(falling(0.7, 80), falling(0.72, 80)), Holds);
    assert_eq!(verdict(falling(0.7, 80), falling(0.8, 80)), HoldsWithADifference);
    assert_eq!(verdict(falling(0.7, 80), stalling(5.0, 80)), HoldsWithADifference);
    assert_eq!(verdict(stalling(5.0, 80), stalling(5.0, 80)), DoesNotHold);
    let claim = book(failed(), CellOutcome::Recovered(Box::new(falling(0.7, 80))));
    assert_eq!(claim.verdict, NotMeasured);
    assert!(claim.measured.contains("noise/signal = 0.5 failed"), "{}", claim.measured);
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
    let twenty = |run| book(run, falling(0.8, 9)).judged(FigureName::Fig4, "α up to 20", "exponential");
    assert_eq!(twenty(falling(0.85, 60)).verdict, Holds);
    let flat = twenty(stalling(0.5, 60));
    assert_eq!(flat.verdict, HoldsWithADifference);
    assert!(flat.why.unwrap().contains("At α = 20 0.05 of the start's error is left and no longer falls"));
    assert_eq!(twenty(stalling(5.0, 60)).verdict, DoesNotHold);
    // The made-up cells have four components.
    let eighty = |run| book(falling(0.8, 60), run).verdict(FigureName::Fig4, "α = 80", "small relative");
    assert_eq!(eighty(stalling(0.3, 60)), Holds);
    assert_eq!(eighty(falling(0.8, 60)), HoldsWithADifference, "it has not settled");
    assert_eq!(eighty(stalling(3.0, 60)), HoldsWithADifference);
    assert_eq!(eighty(stalling(8.0, 60)), DoesNotHold);
}

fn topics(mean: f64, stop_reason: StopReason) -> CellOutcome {
    CellOutcome::Topics(FoundTopics {
        topics: vec![],
        coherence: vec![Some(mean), Some(0.01), None],
        mean_coherence: Some(mean),
        size: (1, 1),
        stages: 5,
        stop_reason,
        solver_seconds: 1.0,
    })
}

#[test]
fn topics_are_judged_by_coherence() {
    let coherent = |ours: CellOutcome| {
        Book::default()
            .add(FigureName::Table1, "", HALS, topics(0.2, StopReason::Converged))
            .add(FigureName::Table1, "", LDA, topics(0.1, StopReason::MaxStages))
            .add(FigureName::Table1, "", AND_SAFE, ours)
            .judged(FigureName::Table1, AND_SAFE, "comparable")
    };
    let verdict = |mean| coherent(topics(mean, StopReason::MaxStages)).verdict;
    assert_eq!((verdict(0.19), verdict(0.15), verdict(0.05)), (Holds, HoldsWithADifference, DoesNotHold));
    let why = coherent(topics(0.05, StopReason::MaxStages)).why.unwrap();
    assert!(why.contains("2 of its topics") && why.contains("below 0.05"), "{why}");
    assert_eq!(coherent(topics(0.19, StopReason::TimeLimit)).verdict, NotMeasured);
}

#[test]
fn faces_are_judged_in_the_papers_setting_and_beside_it() {
    let pictures = |residual: f64, stages: usize| {
        let components = ndarray::Array2::zeros((1, 4));
        let stop_reason = if stages == 0 { StopReason::TimeLimit } else { StopReason::Converged };
        CellOutcome::Pictures(FoundPictures {
            components,
            residual,
            zeros: 0.0,
            stages,
            stop_reason,
            solver_seconds: 1.0,
        })
    };
    for method in [AND_SAFE, AND_OWN] {
        let book = |ours: CellOutcome, nmf: CellOutcome| {
            Book::default()
                .add(FigureName::Fig5, "", HALS, nmf)
                .add(FigureName::Fig5, "", AND_PAPER, failed())
                .add(FigureName::Fig5, "", method, ours)
                .judged(FigureName::Fig5, &format!("{method} and NMF"), "meaningful")
        };
        let faces = |ours: f64| book(pictures(ours, 9), pictures(0.1, 9));
        let verdicts = [0.105, 0.14, 0.2].map(|ours| faces(ours).verdict);
        assert_eq!(verdicts, [Holds, HoldsWithADifference, DoesNotHold]);
        let measured = faces(0.105).measured;
        assert!(measured.contains("AND (paper) failed: the step is too long"), "{measured}");
        // A start is no result, whoever has it.
        assert_eq!(book(pictures(0.1, 0), pictures(0.1, 9)).verdict, NotMeasured);
        assert_eq!(book(pictures(0.1, 9), pictures(0.1, 0)).verdict, NotMeasured);
    }
}

#[test]
fn the_stage_lemma_is_judged_where_its_premises_are_met() {
    let judged = |mixing: &[f64], size: f64| {
        let norms: Vec<Norms> =
            mixing.iter().map(|&mixing| Norms { scale: 0.01, mixing, outside: 0.0 }).collect();
        let disturbances = vec![Disturbance { size, allowed: 1e-3 }; mixing.len() - 1];
        let followed = CellOutcome::StageLemma(FollowedLemma { norms, disturbances });
        Book::default().add(FigureName::Phase, LEMMA_CASES[0], AND_THRESHOLDS, followed).judged(
            FigureName::Phase,
            LEMMA_CASES[0],
            "1/40",
        )
    };
    assert_eq!(judged(&[0.1, 2e-3, 4e-5], 1e-3).verdict, Holds);
    assert_eq!(judged(&[0.1, 0.05, 1e-3], 1e-3).verdict, DoesNotHold);
    // The second stage is the only one that begins near enough.
    assert_eq!(judged(&[0.2, 0.1, 1e-3], 1e-3).verdict, Holds);
    let disturbed = judged(&[0.1, 2e-3, 4e-5], 2e-3);
    assert_eq!(disturbed.verdict, NotMeasured);
    assert!(
        disturbed.measured.contains("premises not met") && disturbed.measured.contains("2.0 times"),
        "{disturbed:?}"
    );
    assert_eq!(judged(&[0.2, 1e-3], 1e-3).verdict, NotMeasured);
}
