//! Claims about samples and starts.

use super::*;

#[test]
fn weights_are_correlated_if_a_pair_often_occurs_together() {
    let run = |positive: f64, largest: f64, co_occurrence: f64| {
        let weights = WeightCorrelations {
            largest,
            most_positive: positive,
            typical: 0.01,
            co_occurrence,
            ..WeightCorrelations::default()
        };
        RecoveryResult { weights, ..falling(0.8, 20) }
    };
    let ctm = |positive: f64, together: f64| {
        let of = run(positive, -0.9, together);
        SyntheticResults::default().run(FigureName::Fig1b, CTM, AND_PAPER, of).verdict(
            FigureName::Fig1b,
            "CTM, one covariance: weights",
            "strongly correlated",
        )
    };
    assert_eq!((ctm(0.7, 1.0), ctm(0.3, 1.0), ctm(0.1, 1.0)), (Holds, HoldsWithADifference, DoesNotHold));
    assert_eq!(ctm(0.1, 6.0), Holds, "together six times as often as if independent");
    let dir =
        |largest: f64| {
            SyntheticResults::default()
                .run(FigureName::Fig1a, DIR, AND_PAPER, run(0.0, largest, 1.0))
                .verdict(FigureName::Fig1a, "DIR: weights", "no strong correlations")
        };
    assert_eq!((dir(-0.05), dir(-0.3), dir(0.6)), (Holds, HoldsWithADifference, DoesNotHold));
}

fn mixed(norm: f64, largest_ratio: f64) -> RecoveryResult {
    RecoveryResult {
        mixing: Some(StartMixing { norm, typical_ratio: 0.1, largest_ratio }),
        ..falling(0.8, 80)
    }
}

#[test]
fn a_weak_start_has_more_mixed_in_than_its_own_part() {
    let verdict = |ratios: [f64; 2]| {
        let book = ratios.into_iter().fold(SyntheticResults::default(), |book, ratio| {
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
        SyntheticResults::default()
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
