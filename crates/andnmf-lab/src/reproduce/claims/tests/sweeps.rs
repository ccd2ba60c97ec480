//! Thresholds, noise, starts and dense weights.

use super::*;

#[test]
fn constant_thresholds_stall_and_the_decreasing_one_does_not() {
    let verdict = |decreasing, constant| {
        SyntheticResults::default()
            .run(FigureName::Fig2a, DIR, DECREASING, decreasing)
            .run(FigureName::Fig2a, DIR, "constant 0.1", constant)
            .verdict(FigureName::Fig2a, DIR, "constant threshold")
    };
    assert_eq!(verdict(falling(0.8, 100), stalling(1.0, 100)), Holds);
    assert_eq!(verdict(falling(0.8, 100), falling(0.95, 100)), HoldsWithADifference);
    assert_eq!(verdict(falling(0.8, 100), made_up(10.0, &[10.0; 20])), HoldsWithADifference);
    assert_eq!(verdict(stalling(1.0, 100), stalling(0.5, 100)), DoesNotHold);
}

#[test]
fn thresholds_of_the_theory_are_compared_with_those_of_the_experiments() {
    let verdict = |theory, decreasing| {
        SyntheticResults::default()
            .run(FigureName::Fig2a, DECAY, THEORY, theory)
            .run(FigureName::Fig2a, DECAY, DECREASING, decreasing)
            .verdict(FigureName::Fig2a, &format!("{DECAY}: thresholds of the theory"), "crucial")
    };
    assert_eq!(verdict(falling(0.7, 80), falling(0.8, 80)), Holds);
    assert_eq!(verdict(falling(0.8, 80), falling(0.7, 80)), HoldsWithADifference);
    assert_eq!(verdict(stalling(1.0, 80), falling(0.7, 80)), DoesNotHold);
}

/// Runs at two noise levels, with the paper's thresholds and with floored ones.
fn noise(plain: [RecoveryResult; 2], floored: [RecoveryResult; 2]) -> SyntheticResults {
    let mut book = SyntheticResults::default();
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
    // The synthetic cells have rank 4, so a total error of 0.4 is 0.1 per component.
    assert_eq!(judged(good(), good()).verdict, Holds);
    let risen = judged([stalling(0.1, 40), rising()], good());
    assert_eq!(risen.verdict, HoldsWithADifference);
    assert!(risen.why.unwrap().contains("At γ = 0.1, the error rises again, to 3.0 times"));
    let broken = RecoveryResult { aborted: Some("too large".into()), ..stalling(0.3, 40) };
    assert_eq!(judged([stalling(0.1, 40), broken], good()).verdict, HoldsWithADifference);
    // No descent, low accuracy, and a final error that does not increase with the noise.
    let inaccurate = [stalling(0.1, 40), stalling(1.0, 40)];
    assert_eq!(judged(inaccurate.clone(), inaccurate).verdict, DoesNotHold);
    let flat = || [made_up(0.3, &[0.29; 20]), made_up(0.35, &[0.34; 20])];
    assert_eq!(judged(flat(), flat()).verdict, DoesNotHold);
    let upside_down = || [stalling(0.3, 40), stalling(0.1, 40)];
    assert_eq!(judged(upside_down(), upside_down()).verdict, DoesNotHold);
}

#[test]
fn failed_runs_under_noise_are_not_measured() {
    let mut book = noise([stalling(0.1, 40), stalling(0.3, 40)], [stalling(0.1, 40), stalling(0.3, 40)]);
    book.0[2].outcome = failed();
    let claim = book.judged(FigureName::Fig2c, NOISE, "noise level");
    assert_eq!(claim.verdict, NotMeasured);
    assert!(claim.measured.contains("γ = 0.1 failed: the step is too long"), "{}", claim.measured);
}

#[test]
fn more_steps_must_give_a_smaller_minimum_and_final_error() {
    let verdict = |fewer: RecoveryResult| {
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
fn a_start_with_twice_the_mixing_takes_longer_and_converges_at_a_rate() {
    let judged = |one, two| {
        SyntheticResults::default()
            .run(FigureName::Fig3a, DIR, "r_l = 1", one)
            .at(1.0)
            .run(FigureName::Fig3a, DIR, "r_l = 2", two)
            .at(2.0)
            .judged(FigureName::Fig3a, DIR, "at r_l = 2 the error falls")
    };
    let verdict = |one, two| judged(one, two).verdict;
    assert_eq!(verdict(falling(0.7, 80), falling(0.8, 80)), Holds);
    assert_eq!(verdict(falling(0.7, 80), stalling(0.5, 80)), HoldsWithADifference);
    assert_eq!(verdict(falling(0.7, 80), stalling(5.0, 80)), DoesNotHold);
    let same = judged(falling(0.7, 80), falling(0.7, 80));
    assert_eq!(same.verdict, HoldsWithADifference);
    assert!(same.why.unwrap().contains("after 20 stages, at r_l = 1 after 20 stages"));
    // From a start twice as far away, the same error is a smaller share.
    let farther = made_up(20.0, &(1..=80).map(|stage| 20.0 * 0.7_f64.powi(stage)).collect::<Vec<_>>());
    assert_eq!(verdict(falling(0.7, 80), farther), Holds);
    let nearer = made_up(20.0, &(1..=80).map(|stage| 20.0 * 0.6_f64.powi(stage)).collect::<Vec<_>>());
    assert_eq!(verdict(falling(0.7, 80), nearer), HoldsWithADifference, "reached earlier");
    // A late, sudden drop is not an exponential rate.
    let mut late = vec![9.0; 60];
    late.extend([1e-3, 1e-5]);
    assert_eq!(verdict(falling(0.7, 80), made_up(10.0, &late)), HoldsWithADifference);
}

#[test]
fn starts_off_the_span_are_judged_at_the_norm_of_the_components_and_by_speed() {
    let book = |half: CellOutcome, whole: CellOutcome| {
        SyntheticResults::default()
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
    let euclidean = SyntheticResults::default()
        .run(FigureName::Fig3b, DIR, "noise/signal = 0", falling(0.7, 80))
        .at(0.0)
        .run(FigureName::Fig3b, DIR, "noise/signal = 1", falling(0.7, 80))
        .at(1.0)
        .run(FigureName::Fig3b, DIR, &format!("noise/signal = 1{EUCLIDEAN}"), stalling(5.0, 80))
        .at(1.0);
    assert_eq!(euclidean.verdict(FigureName::Fig3b, DIR, "hardly affects"), Holds, "another norm");
    let claim = book(failed(), CellOutcome::Recovered(Box::new(falling(0.7, 80))));
    assert_eq!(claim.verdict, NotMeasured);
    assert!(claim.measured.contains("noise/signal = 0.5 failed"), "{}", claim.measured);
}

#[test]
fn dense_weights_are_judged_up_to_twenty_and_at_eighty() {
    let book = |twenty, eighty| {
        SyntheticResults::default()
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
    assert!(flat.why.unwrap().contains("At α = 20, 0.05 of the start's error remains, no longer decreasing"));
    assert_eq!(twenty(stalling(5.0, 60)).verdict, DoesNotHold);
    // The synthetic cells have rank 4.
    let eighty = |run| book(falling(0.8, 60), run).verdict(FigureName::Fig4, "α = 80", "small relative");
    assert_eq!(eighty(stalling(0.3, 60)), Holds);
    assert_eq!(eighty(falling(0.8, 60)), HoldsWithADifference, "it has not settled");
    assert_eq!(eighty(stalling(3.0, 60)), HoldsWithADifference);
    assert_eq!(eighty(stalling(8.0, 60)), DoesNotHold);
}
