//! All methods from the same start.

use super::*;

#[test]
fn a_linear_rate_is_a_straight_line_down_to_zero() {
    let verdict = |run| {
        SyntheticResults::default().run(FigureName::Fig1a, DIR, AND_PAPER, run).verdict(
            FigureName::Fig1a,
            DIR,
            "linear rate",
        )
    };
    assert_eq!(verdict(falling(0.8, 100)), Holds);
    assert_eq!(verdict(stalling(0.05, 100)), HoldsWithADifference);
    assert_eq!(verdict(stalling(1.0, 100)), DoesNotHold);
    // A sudden drop in the last stage is not a linear rate.
    let mut late = vec![10.0; 99];
    late.push(1e-8);
    assert_eq!(verdict(made_up(10.0, &late)), HoldsWithADifference);
}

#[test]
fn reasons_agree_with_the_results() {
    let why = |run| {
        let book = SyntheticResults::default().run(FigureName::Fig1a, DIR, AND_PAPER, run);
        book.judged(FigureName::Fig1a, DIR, "linear rate").why.unwrap()
    };
    let components = Some(ComponentErrors { in_order: true, median: 2e-5, worst_tenth: 0.876 });
    let stalled = why(RecoveryResult { components, ..stalling(0.05, 100) });
    assert!(
        stalled.contains("stopped decreasing") && stalled.contains("2.0e-5") && stalled.contains("87.6 %"),
        "{stalled}"
    );
    assert!(why(falling(0.9, 60)).contains("still decreasing"));
    // A good linear fit is not listed as a reason.
    assert!(!why(falling(0.9, 60)).contains("linear fit"));
}

#[test]
fn hals_has_to_converge_and_to_be_slower() {
    let verdict = |and, hals| {
        SyntheticResults::default()
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
        run.error_summary.rises = rises;
        SyntheticResults::default().run(FigureName::Fig1b, CTM, HALS_RELEASED, run).verdict(
            FigureName::Fig1b,
            "CTM, one covariance: HALS, oscillation",
            "oscillates",
        )
    };
    assert_eq!((verdict(20), verdict(3), verdict(0)), (Holds, HoldsWithADifference, DoesNotHold));
}

#[test]
fn baselines_must_fail_on_negative_components_with_and_without_their_constraint() {
    let judged = |signed: &str, word: &str, hals: RecoveryResult, anls: RecoveryResult| {
        let and = RecoveryResult { nonnegative_error_floor: Some(3.25), ..falling(0.8, 100) };
        SyntheticResults::default()
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
        constrained(5.0, 3.0).measured.contains("cannot reach an error below 3.2"),
        "{:?}",
        constrained(5.0, 3.0)
    );
    let free = |hals, anls| judged(SIGNED, "removed", hals, anls).verdict;
    assert_eq!(free(stalling(5.0, 40), stalling(3.0, 40)), Holds);
    assert_eq!(free(stalling(5.0, 40), falling(0.95, 40)), HoldsWithADifference);
    assert_eq!(free(stalling(5.0, 40), falling(0.8, 100)), DoesNotHold);
}

#[test]
fn the_remaining_share_is_relative_to_the_methods_own_start() {
    let own = Errors { total: 2.0, relative: 2.0 };
    let clipped = RecoveryResult { own_start: Some(own), ..stalling(0.15, 40) };
    let verdict = |run: RecoveryResult| {
        SyntheticResults::default()
            .run(FigureName::Fig1c, NEG, AND_PAPER, falling(0.8, 100))
            .run(FigureName::Fig1c, NEG, HALS, run.clone())
            .run(FigureName::Fig1c, NEG, ANLS, run)
            .verdict(FigureName::Fig1c, &format!("{NEG}: HALS and ANLS"), "made for")
    };
    assert_eq!(
        (
            verdict(stalling(0.15, 40)),
            verdict(RecoveryResult { own_start: Some(Errors { total: 1.0, ..own }), ..clipped })
        ),
        (HoldsWithADifference, Holds)
    );
}

#[test]
fn anls_falls_very_slowly() {
    let judged = |anls: RecoveryResult, hals: RecoveryResult| {
        SyntheticResults::default()
            .run(FigureName::Fig1a, DIR, AND_PAPER, falling(0.2, 60))
            .run(FigureName::Fig1a, DIR, ANLS, anls)
            .run(FigureName::Fig1a, DIR, HALS, hals)
            .judged(FigureName::Fig1a, "DIR: ANLS", "very slow")
    };
    let hals = || falling(0.7, 60);
    assert_eq!(judged(slower(falling(0.9, 60), 3.0), hals()).verdict, Holds);
    // Slightly slower than HALS is not slow.
    let little = judged(falling(0.68, 60), hals());
    assert_eq!(little.verdict, HoldsWithADifference);
    assert!(little.why.unwrap().contains("an iteration takes only 1.0 times"));
    assert_eq!(judged(stalling(7.0, 60), hals()).verdict, DoesNotHold);
}

#[test]
fn the_verdict_on_convergence_does_not_depend_on_the_time_limit() {
    let judged = |mu: RecoveryResult| {
        SyntheticResults::default()
            .run(FigureName::Fig1a, DIR, AND_PAPER, falling(0.8, 100))
            .run(FigureName::Fig1a, DIR, MU, cut(mu))
            .judged(FigureName::Fig1a, "DIR: MU", "other methods")
    };
    assert_eq!(judged(stalling(3.0, 40)).verdict, Holds);
    // The same slow descent, with less and with more time.
    for stages in [60, 200, 400] {
        let claim = judged(falling(0.98, stages));
        assert_eq!(claim.verdict, HoldsWithADifference, "{stages}");
        assert!(claim.measured.contains("still decreasing"), "{}", claim.measured);
    }
    assert_eq!(judged(falling(0.8, 95)).verdict, DoesNotHold);
    assert_eq!(judged(stalling(1e-3, 40)).verdict, DoesNotHold);
}

#[test]
fn default_fits_are_judged_by_the_answer_that_they_return() {
    let verdict = |end: f64| {
        let end = Errors { total: end, relative: end };
        let run = RecoveryResult { end, own_start: None, ..stalling(5.0, 40) };
        SyntheticResults::default().run(FigureName::Fig1d, CTM_BLOCKS, AND_AUTO, run).verdict(
            FigureName::Fig1d,
            &format!("{CTM_BLOCKS}: {AND_AUTO}"),
            "default settings",
        )
    };
    assert_eq!((verdict(1e-8), verdict(1e-3), verdict(1.0)), (Holds, HoldsWithADifference, DoesNotHold));
}

#[test]
fn order_is_judged_only_on_runs_that_came_near_the_truth() {
    let run = |in_order: bool| {
        let components = Some(ComponentErrors { in_order, median: 0.0, worst_tenth: 0.1 });
        RecoveryResult { components, ..falling(0.8, 50) }
    };
    let verdict = |runs: &[RecoveryResult]| {
        let book = runs.iter().fold(SyntheticResults::default(), |book, one| {
            book.run(FigureName::Fig1a, DIR, AND_PAPER, one.clone())
        });
        book.verdict(FigureName::Fig1a, "DIR: order", "permutation")
    };
    assert_eq!(verdict(&[run(true), run(true)]), Holds);
    assert_eq!(verdict(&[run(true), run(false)]), HoldsWithADifference);
    assert_eq!(verdict(&[run(false), run(false), run(true)]), DoesNotHold);
    // A run that stays at its start keeps the order trivially.
    assert_eq!(verdict(&[stalling(9.0, 20)]), NotMeasured);
}
