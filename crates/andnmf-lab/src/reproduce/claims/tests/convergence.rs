//! All methods from the same start.

use super::*;

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
