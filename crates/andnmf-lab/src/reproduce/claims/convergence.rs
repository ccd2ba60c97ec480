//! Section 7.1: AND converges, at which rate, and in which order.

use super::super::evidence::{left, second_half, still_falls, straightness};
use super::super::plan::labels::{AND_PAPER, CTM, CTM_RELEASED, DIR, NEG, NEG_RELEASED};
use super::super::spoken::{percent, spoken};
use super::super::{FigureName, Recovered, median};
use super::runs::{known, to_the_end};
use super::{Claim, Finding};

/// Samples on which components are not negative.
pub(super) const TOPICS: [(FigureName, &str); 3] =
    [(FigureName::Fig1a, DIR), (FigureName::Fig1b, CTM), (FigureName::Fig1b, CTM_RELEASED)];
/// Samples on which they are.
pub(super) const SIGNED_CASES: [(FigureName, &str); 2] =
    [(FigureName::Fig1c, NEG), (FigureName::Fig1c, NEG_RELEASED)];

pub(super) fn claims() -> Vec<Claim> {
    let all = || TOPICS.into_iter().chain(SIGNED_CASES);
    all().map(linear_rate).chain(all().map(order_is_kept)).collect()
}

fn linear_rate((figure, case): (FigureName, &'static str)) -> Claim {
    Claim {
        figure,
        about: case.into(),
        paper: "AND converges to the truth at a linear rate.",
        rule: "Holds where at most 1e-6 of the start's error is left and a straight line explains 97 % of its logarithm \
               over the stages of the way down (until the error is within ten times its smallest); with a difference \
               where at most 1e-2 is left.",
        judge: Box::new(move |results| {
            let runs = to_the_end(results, figure, case, AND_PAPER)?;
            let (left, (straight, way)) = (known(left(&runs))?, known(straightness(&runs))?);
            let stages = known(median(&runs.iter().map(|run| run.stages as f64).collect::<Vec<_>>()))?;
            let measured = format!(
                "{} of the start's error is left; straight to {} over the first {way:.0} of {stages:.0} stages",
                spoken(left),
                percent(straight)
            );
            let parts = [
                (left <= 1e-6, where_it_stays(&runs)),
                (straight >= 0.97, format!("a line explains {} of the way down", percent(straight))),
            ];
            Ok(Finding::of(parts, left <= 1e-2, measured))
        }),
    }
}

/// What keeps an error from falling, as far as the numbers tell.
fn where_it_stays(runs: &[&Recovered]) -> String {
    let ratio = second_half(runs).unwrap_or(f64::NAN);
    let fall = if still_falls(runs) {
        format!("the error still falls when the stages end (the second half leaves {} of it)", spoken(ratio))
    } else {
        format!(
            "the error has stopped falling (the second half of the stages leaves {} of it)",
            spoken(ratio)
        )
    };
    let spread: Vec<_> = runs.iter().filter_map(|run| run.components).collect();
    let of = |value: fn(&super::super::ComponentErrors) -> f64| {
        median(&spread.iter().map(value).collect::<Vec<_>>())
    };
    match (of(|components| components.median), of(|components| components.worst_tenth)) {
        (Some(middle), Some(worst)) => format!(
            "{fall}; half of the components are off by {} or less, and the worst tenth have {} of the error",
            spoken(middle),
            percent(worst)
        ),
        _ => fall,
    }
}

fn order_is_kept((figure, case): (FigureName, &'static str)) -> Claim {
    Claim {
        figure,
        about: format!("{case}: order"),
        paper: "The components of AND correspond to the true ones without permutation.",
        rule: "Judged on runs whose error fell to a tenth or less, as before that the order is only the start's. Holds \
               where in all of them each true component is nearest to the component of its own number; with a difference \
               where that is so in half of them.",
        judge: Box::new(move |results| {
            let runs = to_the_end(results, figure, case, AND_PAPER)?;
            let came_near: Vec<&Recovered> =
                runs.iter().copied().filter(|run| run.end.total <= 0.1 * run.begin()).collect();
            if came_near.is_empty() {
                return Err("no run came to a tenth of its start's error".to_owned());
            }
            let in_order = |run: &&&Recovered| run.components.is_some_and(|components| components.in_order);
            let (kept, all) = (came_near.iter().filter(in_order).count(), came_near.len());
            let measured = format!("in order in {kept} of {all} runs that came near the truth");
            let part = format!("{} of {all} runs ended in another order", all - kept);
            Ok(Finding::of([(kept == all, part)], 2 * kept >= all, measured))
        }),
    }
}
