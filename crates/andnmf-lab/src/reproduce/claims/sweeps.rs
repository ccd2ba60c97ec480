//! Section 7.2 and appendix B.2: thresholds, and dense weights.

use super::super::format::{format_number, format_percent, join_list};
use super::super::plan::labels::{CTM, CTM_RELEASED, DECAY, DECREASING, DIR, THEORY};
use super::super::seed_medians::{
    final_error, has_settled, mean_relative_error, r_squared, remaining_share, second_half_ratio,
    still_decreasing,
};
use super::super::{FigureName, RecoveryResult};
use super::runs::{completed, completed_at, require, series_of_case, varied_value};
use super::{Claim, Finding};

pub(super) fn claims() -> Vec<Claim> {
    let thresholds = [(FigureName::Fig2a, DIR), (FigureName::Fig2b, CTM), (FigureName::Fig2b, CTM_RELEASED)];
    let mut claims: Vec<Claim> = thresholds.map(constant_thresholds_stall).into();
    claims.extend([theory_thresholds(), sparse_up_to_twenty(), dense_weights()]);
    claims
}

fn constant_thresholds_stall((figure, case): (FigureName, &'static str)) -> Claim {
    Claim {
        figure,
        subject: case.into(),
        paper: "With a constant threshold the error decreases in the first few steps and then stops; with decreasing \
                thresholds it keeps decreasing.",
        rule: "Holds if with every constant threshold the error falls below 0.9 of the start's and then stops \
               decreasing (by less than a tenth in the second half of the stages), and decreasing thresholds end at \
               no more than a thousandth of the best of them; holds with a difference if decreasing thresholds end \
               lowest.",
        judge: Box::new(move |results| {
            let (mut never_falling, mut still_falling) = (Vec::new(), Vec::new());
            let (mut best, mut decreasing) = (f64::INFINITY, None);
            for series in series_of_case(results, figure, case)? {
                if series.method == THEORY {
                    continue;
                }
                let runs = completed(&series)?;
                let error = require(final_error(&runs))?;
                if series.method == DECREASING {
                    decreasing = Some(error);
                    continue;
                }
                best = best.min(error);
                if still_decreasing(&runs) {
                    let ratio = second_half_ratio(&runs).unwrap_or(f64::NAN);
                    still_falling.push(format!(
                        "{} (by a factor of {} in the second half of the stages)",
                        series.method,
                        format_number(ratio)
                    ));
                }
                if runs.iter().any(|run| run.error_summary.smallest >= 0.9 * run.start_error()) {
                    never_falling.push(series.method.to_owned());
                }
            }
            let decreasing = decreasing.ok_or("decreasing thresholds were not run")?;
            let stall = if still_falling.is_empty() {
                "with all constant thresholds the error has stopped decreasing"
            } else {
                "with some constant thresholds the error is still decreasing"
            };
            let measured = format!(
                "final error {} with decreasing thresholds, {} with the best constant one; {stall}",
                format_number(decreasing),
                format_number(best)
            );
            let parts = [
                (
                    still_falling.is_empty(),
                    format!("the error is still decreasing with {}", join_list(&still_falling)),
                ),
                (
                    never_falling.is_empty(),
                    format!(
                        "the error does not fall below 0.9 of the start's with {}",
                        join_list(&never_falling)
                    ),
                ),
                (
                    decreasing <= 1e-3 * best,
                    format!(
                        "the error ends at {} with decreasing thresholds, at {} with the best constant one",
                        format_number(decreasing),
                        format_number(best)
                    ),
                ),
            ];
            Ok(Finding::of(parts, decreasing < best, measured))
        }),
    }
}

/// On weights whose decay order the theory covers.
fn theory_thresholds() -> Claim {
    const FIGURE: FigureName = FigureName::Fig2a;
    Claim {
        figure: FIGURE,
        subject: format!("{DECAY}: thresholds of the theory"),
        paper: "The threshold should be α = (λ‖E‖/r)^(2/(q+1)): as the error decreases exponentially, so should the \
                thresholds. This is crucial for recovery.",
        rule: "Judged on weights with decay order 2, where the theorem applies. Holds if with these thresholds, ‖E‖ \
               estimated from the last stage, at most 1e-6 of the start's error remains, and no more than with the \
               decreasing thresholds of the experiments; holds with a difference if at most 1e-2 remains.",
        judge: Box::new(move |results| {
            let series = series_of_case(results, FIGURE, DECAY)?;
            let of = |method: &str| {
                let found = series.iter().find(|series| series.method == method);
                completed(found.ok_or_else(|| format!("{method} thresholds were not run"))?)
            };
            let (theory, decreasing) = (of(THEORY)?, of(DECREASING)?);
            let remaining = require(remaining_share(&theory))?;
            let (ours, theirs) = (require(final_error(&theory))?, require(final_error(&decreasing))?);
            let measured = format!(
                "{} of the start's error remains; final error {}, with decreasing thresholds {}",
                format_number(remaining),
                format_number(ours),
                format_number(theirs)
            );
            let parts = [
                (remaining <= 1e-6, format!("{} of the start's error remains", format_number(remaining))),
                (
                    ours <= theirs,
                    format!(
                        "the error ends at {}, with decreasing thresholds at {}",
                        format_number(ours),
                        format_number(theirs)
                    ),
                ),
            ];
            Ok(Finding::of(parts, remaining <= 1e-2, measured))
        }),
    }
}

/// The result at a concentration, as text.
fn result_text(alpha: f64, runs: &[&RecoveryResult], remaining: f64) -> String {
    let trend = match (still_decreasing(runs), has_settled(runs)) {
        (true, _) => "still decreasing",
        (_, true) => "no longer decreasing",
        _ => "increasing",
    };
    format!("at α = {alpha}, {} of the start's error remains, {trend}", format_number(remaining))
}

fn sparse_up_to_twenty() -> Claim {
    const FIGURE: FigureName = FigureName::Fig4;
    Claim {
        figure: FIGURE,
        subject: "α up to 20".into(),
        paper: "For α as large as 20 the error converges to zero at an exponential rate.",
        rule: "Holds if for every α up to 20 at most 1e-3 of the start's error remains and a linear fit to the \
               logarithm of the error has an R² of at least 90 % over the descent; holds with a difference if at most \
               0.1 remains.",
        judge: Box::new(move |results| {
            let (mut worst, mut smallest_fit, mut parts) = (0.0_f64, 1.0_f64, Vec::new());
            for series in
                series_of_case(results, FIGURE, DIR)?.iter().filter(|series| varied_value(series) <= 20.0)
            {
                let runs = completed(series)?;
                let (remaining, (fit, _)) = (require(remaining_share(&runs))?, require(r_squared(&runs))?);
                (worst, smallest_fit) = (worst.max(remaining), smallest_fit.min(fit));
                parts.push((remaining <= 1e-3, result_text(varied_value(series), &runs, remaining)));
                let line = format!(
                    "at α = {}, the R² of the linear fit is only {}",
                    varied_value(series),
                    format_percent(fit)
                );
                parts.push((fit >= 0.9, line));
            }
            if parts.is_empty() {
                return Err("no runs with α up to 20".into());
            }
            let measured = format!(
                "at most {} of the start's error remains; R² of the linear fit at least {}",
                format_number(worst),
                format_percent(smallest_fit)
            );
            Ok(Finding::of(parts, worst <= 0.1, measured))
        }),
    }
}

fn dense_weights() -> Claim {
    const FIGURE: FigureName = FigureName::Fig4;
    Claim {
        figure: FIGURE,
        subject: "α = 80".into(),
        paper: "At α = 80, with almost full support, the error settles at a small relative value.",
        rule: "Holds if the mean relative error of a component ends at 0.1 or less and changes by less than a tenth \
               in the second half of the stages; holds with a difference if at most half of the start's error \
               remains.",
        judge: Box::new(move |results| {
            let runs = completed_at(&series_of_case(results, FIGURE, DIR)?, 80.0)?;
            let rank = require(results.rank_of(FIGURE))?;
            let (mean, remaining) =
                (require(mean_relative_error(&runs, rank))?, require(remaining_share(&runs))?);
            let ratio = require(second_half_ratio(&runs))?;
            let measured = format!(
                "mean relative error of a component {}; {} of the start's error remains; the second half of the \
                 stages multiplies the error by {}",
                format_number(mean),
                format_number(remaining),
                format_number(ratio)
            );
            let parts = [
                (mean <= 0.1, format!("the mean relative error of a component is {}", format_number(mean))),
                (
                    has_settled(&runs),
                    format!(
                        "the error has not settled: the second half of the stages multiplies it by {}",
                        format_number(ratio)
                    ),
                ),
            ];
            Ok(Finding::of(parts, remaining <= 0.5, measured))
        }),
    }
}
