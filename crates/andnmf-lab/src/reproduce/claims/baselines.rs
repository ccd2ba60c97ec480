//! Section 7.1: convergence of the other methods.

use super::super::format::{format_number, format_percent, format_seconds, join_list};
use super::super::plan::labels::{AND_PAPER, ANLS, CTM, CTM_RELEASED, HALS, HALS_RELEASED, LDA, MU, SIGNED};
use super::super::seed_medians::{
    final_error, hundredth, oscillation, remaining_share, second_half_ratio, seconds_to, still_decreasing,
};
use super::super::{FigureName, RecoveryResult, median};
use super::convergence::{SIGNED_CASES, TOPICS};
use super::runs::{completed_runs, require, runs_with_stages};
use super::{Claim, Finding};

/// An error at least this many times AND's is far above it.
const FAR_ABOVE: f64 = 10.0;
/// A method that takes at least this many times as long as AND is very slow.
const VERY_SLOW: f64 = 10.0;

pub(super) fn claims() -> Vec<Claim> {
    let mut claims: Vec<Claim> = TOPICS.map(hals_converges).into();
    claims.extend([CTM, CTM_RELEASED].map(hals_oscillates));
    claims.extend(SIGNED_CASES.map(|(figure, case)| fails_on_neg(figure, case, "")));
    claims.extend(SIGNED_CASES.map(|(figure, case)| fails_on_neg(figure, case, SIGNED)));
    claims.extend(TOPICS.map(anls_is_slow));
    for (figure, case) in TOPICS {
        claims.extend([MU, LDA].map(|method| does_not_converge(figure, case, method)));
    }
    claims.extend(SIGNED_CASES.map(|(figure, case)| does_not_converge(figure, case, MU)));
    claims
}

/// The trend of the error at the end of the runs.
fn trend(runs: &[&RecoveryResult]) -> String {
    let ratio = format_number(second_half_ratio(runs).unwrap_or(f64::NAN));
    match still_decreasing(runs) {
        true => format!("still decreasing (the second half of the stages multiplies the error by {ratio})"),
        false => {
            format!("no longer decreasing (the second half of the stages multiplies the error by {ratio})")
        }
    }
}

fn hals_converges((figure, case): (FigureName, &'static str)) -> Claim {
    Claim {
        figure,
        subject: format!("{case}: HALS"),
        paper: "HALS converges as well, at a slower rate than AND.",
        rule: "Holds if at most 1e-2 of its start's error remains and it reaches a hundredth later than AND; holds \
               with a difference if its error is still decreasing, or if it reaches a hundredth no later than AND.",
        judge: Box::new(move |results| {
            let and = runs_with_stages(results, figure, case, AND_PAPER)?;
            let hals = runs_with_stages(results, figure, case, HALS)?;
            let remaining = require(remaining_share(&hals))?;
            let (ours, theirs) =
                (require(seconds_to(&and, hundredth))?, require(seconds_to(&hals, hundredth))?);
            let measured = format!(
                "{} of its start's error remains, {}; time to a hundredth: {}, AND: {}",
                format_number(remaining),
                trend(&hals),
                format_seconds(theirs),
                format_seconds(ours)
            );
            let parts = [
                (remaining <= 1e-2, format!("HALS is {} at its last stage", trend(&hals))),
                (
                    ours < theirs,
                    format!(
                        "time to a hundredth: AND {}, HALS {}",
                        format_seconds(ours),
                        format_seconds(theirs)
                    ),
                ),
            ];
            Ok(Finding::of(parts, still_decreasing(&hals) || remaining <= 1e-2, measured))
        }),
    }
}

fn hals_oscillates(case: &'static str) -> Claim {
    Claim {
        figure: FigureName::Fig1b,
        subject: format!("{case}: HALS, oscillation"),
        paper: "On CTM the error of HALS oscillates.",
        rule: "Judged on HALS as the released program runs it, which replaces a component and its weights at once. Holds \
               if the error is more than 5 % above its smallest value so far after at least a tenth of the stages; \
               holds with a difference if that happens at all.",
        judge: Box::new(move |results| {
            let (share, largest) =
                require(oscillation(&runs_with_stages(results, FigureName::Fig1b, case, HALS_RELEASED)?))?;
            let measured = format!(
                "more than 5 % above its smallest value so far after {} of the stages; at most {} times that value",
                format_percent(share),
                format_number(largest)
            );
            let part = format!(
                "the error is that far above its smallest value after only {} of the stages",
                format_percent(share)
            );
            Ok(Finding::of([(share >= 0.1, part)], share > 0.0, measured))
        }),
    }
}

fn fails_on_neg(figure: FigureName, case: &'static str, signed: &'static str) -> Claim {
    let constrained = signed.is_empty();
    Claim {
        figure,
        subject: format!("{case}: HALS and ANLS{signed}"),
        paper: if constrained {
            "HALS and ANLS, made for non-negative components, do not converge if components have negative entries."
        } else {
            "They do not converge there either if their sign constraint on the components is removed."
        },
        rule: if constrained {
            "Holds if with both methods at least a tenth of the start's error remains; holds with a difference if at \
             least a hundredth remains. Non-negative components cannot recover this truth: the smallest error that \
             they can reach is given with the measurement."
        } else {
            "Holds if with both methods at least a tenth of the start's error remains and the error is no longer \
             decreasing; holds with a difference if with each at least a tenth remains, or the error is at least ten \
             times that of AND."
        },
        judge: Box::new(move |results| {
            let and = completed_runs(results, figure, case, AND_PAPER)?;
            let (mut shares, mut parts, mut nearly) = (Vec::new(), Vec::new(), true);
            for method in [HALS, ANLS] {
                let runs = runs_with_stages(results, figure, case, &format!("{method}{signed}"))?;
                let (share, error) = (require(remaining_share(&runs))?, require(final_error(&runs))?);
                shares.push(format!("{method} {}, {}", format_number(share), trend(&runs)));
                parts.push((
                    share >= 0.1,
                    format!("with {method} only {} of the start's error remains", format_number(share)),
                ));
                if constrained {
                    nearly &= share >= 0.01;
                } else {
                    parts.push((!still_decreasing(&runs), format!("{method} is {}", trend(&runs))));
                    nearly &= share >= 0.1 || error >= FAR_ABOVE * require(final_error(&and))?;
                }
            }
            let mut measured = format!("remaining share of the start's error: {}", join_list(&shares));
            let least: Vec<f64> = and.iter().filter_map(|run| run.nonnegative_error_floor).collect();
            if let (true, Some(least)) = (constrained, median(&least)) {
                measured = format!(
                    "{measured}; non-negative components cannot reach an error below {}",
                    format_number(least)
                );
            }
            Ok(Finding::of(parts, nearly, measured))
        }),
    }
}

fn anls_is_slow((figure, case): (FigureName, &'static str)) -> Claim {
    Claim {
        figure,
        subject: format!("{case}: ANLS"),
        paper: "ANLS converges very slowly, because every iteration solves a least-squares problem.",
        rule: "Holds if the error decreases until the end (or to a hundredth), takes at least ten times as long as \
               AND and twice as long as HALS to reach a hundredth, and an iteration takes at least twice as long as \
               one of HALS; holds with a difference if the error decreases, but not that slowly.",
        judge: Box::new(move |results| {
            let of = |method: &str| runs_with_stages(results, figure, case, method);
            let (and, hals, anls) = (of(AND_PAPER)?, of(HALS)?, of(ANLS)?);
            let remaining = require(remaining_share(&anls))?;
            let until = |runs: &[&RecoveryResult]| require(seconds_to(runs, hundredth));
            let (ours, theirs, slow) = (until(&and)?, until(&hals)?, until(&anls)?);
            let per_stage = |runs: &[&RecoveryResult]| {
                require(median(
                    &runs.iter().map(|run| run.solver_seconds / run.stages as f64).collect::<Vec<_>>(),
                ))
            };
            let cost = per_stage(&anls)? / per_stage(&hals)?;
            let converging = still_decreasing(&anls) || remaining <= 1e-2;
            let measured = format!(
                "{} of its start's error remains, {}; time to a hundredth: {}, HALS: {}, AND: {}; an iteration takes \
                 {} times as long as one of HALS",
                format_number(remaining),
                trend(&anls),
                format_seconds(slow),
                format_seconds(theirs),
                format_seconds(ours),
                format_number(cost)
            );
            let parts = [
                (converging, format!("the error is {}", trend(&anls))),
                (
                    slow >= VERY_SLOW * ours,
                    format!(
                        "time to a hundredth: ANLS {}, AND {}",
                        format_seconds(slow),
                        format_seconds(ours)
                    ),
                ),
                (
                    slow >= 2.0 * theirs,
                    format!(
                        "time to a hundredth: ANLS {}, HALS {}",
                        format_seconds(slow),
                        format_seconds(theirs)
                    ),
                ),
                (
                    cost >= 2.0,
                    format!("an iteration takes only {} times as long as one of HALS", format_number(cost)),
                ),
            ];
            Ok(Finding::of(parts, converging, measured))
        }),
    }
}

fn does_not_converge(figure: FigureName, case: &'static str, method: &'static str) -> Claim {
    Claim {
        figure,
        subject: format!("{case}: {method}"),
        paper: "The other methods do not converge to the truth.",
        rule: "Holds if the error has stopped decreasing (by less than a tenth in the second half of the stages) and \
               at least a hundredth of its start's error remains; holds with a difference if it is still decreasing \
               and, at the last stage, at least ten times the final error of AND.",
        judge: Box::new(move |results| {
            let and = completed_runs(results, figure, case, AND_PAPER)?;
            let runs = runs_with_stages(results, figure, case, method)?;
            let (share, above) = (
                require(remaining_share(&runs))?,
                require(final_error(&runs))? / require(final_error(&and))?,
            );
            let measured = format!(
                "{} of its start's error remains, {}; {} times the error of AND",
                format_number(share),
                trend(&runs),
                format_number(above)
            );
            let falling = still_decreasing(&runs);
            let parts = [
                (
                    !falling,
                    format!(
                        "the error is {}: the method converges, or may do so with more time",
                        trend(&runs)
                    ),
                ),
                (share >= 0.01, format!("only {} of the start's error remains", format_number(share))),
            ];
            Ok(Finding::of(parts, falling && above >= FAR_ABOVE, measured))
        }),
    }
}
