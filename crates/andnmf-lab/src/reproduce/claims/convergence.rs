//! Section 7.1: convergence of AND, its rate, and the order of its components.

use super::super::format::{format_number, format_percent};
use super::super::plan::labels::{
    AND_AUTO, AND_PAPER, CTM, CTM_BLOCKS, CTM_FITTED, CTM_FITTED_MEANS, CTM_RELEASED, DIR, NEG, NEG_RELEASED,
};
use super::super::seed_medians::{
    final_error, r_squared, remaining_share, second_half_ratio, still_decreasing,
};
use super::super::{FigureName, RecoveryResult, median};
use super::runs::{completed_runs, require};
use super::{Claim, Finding};

/// Cases with non-negative components.
pub(super) const TOPICS: [(FigureName, &str); 6] = [
    (FigureName::Fig1a, DIR),
    (FigureName::Fig1b, CTM),
    (FigureName::Fig1b, CTM_RELEASED),
    (FigureName::Fig1d, CTM_FITTED),
    (FigureName::Fig1d, CTM_BLOCKS),
    (FigureName::Fig1d, CTM_FITTED_MEANS),
];
/// Cases with components that have negative entries.
pub(super) const SIGNED_CASES: [(FigureName, &str); 2] =
    [(FigureName::Fig1c, NEG), (FigureName::Fig1c, NEG_RELEASED)];

pub(super) fn claims() -> Vec<Claim> {
    let all = || TOPICS.into_iter().chain(SIGNED_CASES);
    let strong = TOPICS.into_iter().filter(|(figure, _)| *figure == FigureName::Fig1d);
    all().map(linear_rate).chain(all().map(same_order)).chain(strong.map(recovered_by_default)).collect()
}

fn linear_rate((figure, case): (FigureName, &'static str)) -> Claim {
    Claim {
        figure,
        subject: case.into(),
        paper: "AND converges to the truth at a linear rate.",
        rule: "Holds if at most 1e-6 of the start's error remains and a linear fit to the logarithm of the error has \
               an R² of at least 97 % over the descent (the stages until the error is within ten times its minimum). \
               Holds with a difference if at most 1e-2 remains.",
        judge: Box::new(move |results| {
            let runs = completed_runs(results, figure, case, AND_PAPER)?;
            let (remaining, (fit, descent)) = (require(remaining_share(&runs))?, require(r_squared(&runs))?);
            let stages = require(median(&runs.iter().map(|run| run.stages as f64).collect::<Vec<_>>()))?;
            let measured = format!(
                "{} of the start's error remains; R² of the linear fit {} over the first {descent:.0} of {stages:.0} \
                 stages",
                format_number(remaining),
                format_percent(fit)
            );
            let parts = [
                (remaining <= 1e-6, trend_and_spread(&runs)),
                (fit >= 0.97, format!("the R² of the linear fit is only {}", format_percent(fit))),
            ];
            Ok(Finding::of(parts, remaining <= 1e-2, measured))
        }),
    }
}

/// The paper's subject, with thresholds that the data choose.
fn recovered_by_default((figure, case): (FigureName, &'static str)) -> Claim {
    Claim {
        figure,
        subject: format!("{case}: {AND_AUTO}"),
        paper: "AND recovers the truth even if weights are strongly correlated.",
        rule: "Judged on AND with default settings, which starts from the data alone. Holds if its final error is at \
               most 1e-6 of that of the common start; holds with a difference if it is at most 1e-2 of it.",
        judge: Box::new(move |results| {
            let runs = completed_runs(results, figure, case, AND_AUTO)?;
            let share = median(&runs.iter().map(|run| run.end.total / run.start.total).collect::<Vec<_>>());
            let (share, end) = (require(share)?, require(final_error(&runs))?);
            let measured = format!(
                "final error {}, {} of that of the common start",
                format_number(end),
                format_number(share)
            );
            let part = format!("{} of the common start's error remains", format_number(share));
            Ok(Finding::of([(share <= 1e-6, part)], share <= 1e-2, measured))
        }),
    }
}

/// The trend of the error, and its distribution over components.
fn trend_and_spread(runs: &[&RecoveryResult]) -> String {
    let ratio = second_half_ratio(runs).unwrap_or(f64::NAN);
    let trend = if still_decreasing(runs) {
        format!(
            "the error is still decreasing at the last stage (the second half of the stages multiplies it by {})",
            format_number(ratio)
        )
    } else {
        format!(
            "the error has stopped decreasing (the second half of the stages multiplies it by {})",
            format_number(ratio)
        )
    };
    let spread: Vec<_> = runs.iter().filter_map(|run| run.components).collect();
    let of = |value: fn(&super::super::ComponentErrors) -> f64| {
        median(&spread.iter().map(value).collect::<Vec<_>>())
    };
    match (of(|components| components.median), of(|components| components.worst_tenth)) {
        (Some(typical), Some(worst)) => format!(
            "{trend}; the median relative error of a component is {}, and the worst tenth of the components account \
             for {} of the error",
            format_number(typical),
            format_percent(worst)
        ),
        _ => trend,
    }
}

fn same_order((figure, case): (FigureName, &'static str)) -> Claim {
    Claim {
        figure,
        subject: format!("{case}: order"),
        paper: "The components of AND correspond to the true ones without permutation.",
        rule: "Judged on runs whose error fell to a tenth of the start's or less; before that, the order is only that \
               of the start. Holds if in all of them each true component is nearest to the component with the same \
               index; holds with a difference if that is true in at least half of them.",
        judge: Box::new(move |results| {
            let runs = completed_runs(results, figure, case, AND_PAPER)?;
            let came_near: Vec<&RecoveryResult> =
                runs.iter().copied().filter(|run| run.end.total <= 0.1 * run.start_error()).collect();
            if came_near.is_empty() {
                return Err("no run reduced its error to a tenth of the start's".to_owned());
            }
            let in_order =
                |run: &&&RecoveryResult| run.components.is_some_and(|components| components.in_order);
            let (same, all) = (came_near.iter().filter(in_order).count(), came_near.len());
            let measured =
                format!("components in the true order in {same} of {all} runs that came near the truth");
            let part = format!("{} of {all} runs ended in a different order", all - same);
            Ok(Finding::of([(same == all, part)], 2 * same >= all, measured))
        }),
    }
}
