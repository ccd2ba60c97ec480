//! Section 7.2 and appendix B.2: thresholds, and ever denser weights.

use super::super::evidence::{end, has_settled, left, per_component, second_half, still_falls, straightness};
use super::super::plan::labels::{CTM, CTM_RELEASED, DECREASING, DIR};
use super::super::spoken::{listed, percent, spoken};
use super::super::{FigureName, Recovered};
use super::runs::{at, ended, known, of_case, value};
use super::{Claim, Finding};

pub(super) fn claims() -> Vec<Claim> {
    let thresholds = [(FigureName::Fig2a, DIR), (FigureName::Fig2b, CTM), (FigureName::Fig2b, CTM_RELEASED)];
    let mut claims: Vec<Claim> = thresholds.map(constant_thresholds_stall).into();
    claims.extend([sparse_up_to_twenty(), dense_weights()]);
    claims
}

fn constant_thresholds_stall((figure, case): (FigureName, &'static str)) -> Claim {
    Claim {
        figure,
        about: case.into(),
        paper: "With a constant threshold the error falls in the first few steps and then no longer; with decreasing \
                thresholds it goes on falling.",
        rule: "Holds where with every constant threshold the error is below the start's at some time and no longer falls \
               in the second half of its stages (by less than a tenth), and the decreasing one ends below a thousandth of \
               the best of them; with a difference where the decreasing one ends lowest.",
        judge: Box::new(move |results| {
            let (mut rising, mut falling) = (Vec::new(), Vec::new());
            let (mut best, mut decreasing) = (f64::INFINITY, None);
            for series in of_case(results, figure, case)? {
                let runs = ended(&series)?;
                let error = known(end(&runs))?;
                if series.method == DECREASING {
                    decreasing = Some(error);
                    continue;
                }
                best = best.min(error);
                if still_falls(&runs) {
                    let ratio = second_half(&runs).unwrap_or(f64::NAN);
                    falling.push(format!("{} (to {} in the second half)", series.method, spoken(ratio)));
                }
                if runs.iter().any(|run| run.course.smallest >= 0.9 * run.begin()) {
                    rising.push(series.method.to_owned());
                }
            }
            let decreasing = decreasing.ok_or("decreasing thresholds were not run")?;
            let stall = if falling.is_empty() {
                "all constant ones have stopped"
            } else {
                "not all constant ones stop"
            };
            let measured =
                format!("decreasing {}, best constant {}; {stall}", spoken(decreasing), spoken(best));
            let parts = [
                (falling.is_empty(), format!("the error still falls with {}", listed(&falling))),
                (rising.is_empty(), format!("it never falls with {}", listed(&rising))),
                (
                    decreasing <= 1e-3 * best,
                    format!(
                        "the decreasing thresholds end at {}, the best constant one at {}",
                        spoken(decreasing),
                        spoken(best)
                    ),
                ),
            ];
            Ok(Finding::of(parts, decreasing < best, measured))
        }),
    }
}

/// How a run at some concentration ended.
fn how(alpha: f64, runs: &[&Recovered], left: f64) -> String {
    let fall = match (still_falls(runs), has_settled(runs)) {
        (true, _) => "and still falls",
        (_, true) => "and no longer falls",
        _ => "and rises",
    };
    format!("at α = {alpha} {} of the start's error is left {fall}", spoken(left))
}

fn sparse_up_to_twenty() -> Claim {
    const FIGURE: FigureName = FigureName::Fig4;
    Claim {
        figure: FIGURE,
        about: "α up to 20".into(),
        paper: "For α as large as 20 the error converges to zero at an exponential rate.",
        rule: "Holds where for every α up to 20 at most 1e-3 of the start's error is left, on a way down that is straight \
               to 90 %; with a difference where at most 0.1 is left.",
        judge: Box::new(move |results| {
            let (mut worst, mut crooked, mut parts) = (0.0_f64, 1.0_f64, Vec::new());
            for series in of_case(results, FIGURE, DIR)?.iter().filter(|series| value(series) <= 20.0) {
                let runs = ended(series)?;
                let (left, (straight, _)) = (known(left(&runs))?, known(straightness(&runs))?);
                (worst, crooked) = (worst.max(left), crooked.min(straight));
                parts.push((left <= 1e-3, how(value(series), &runs, left)));
                let line =
                    format!("at α = {} a line explains {} of the way down", value(series), percent(straight));
                parts.push((straight >= 0.9, line));
            }
            if parts.is_empty() {
                return Err("there are no runs up to 20".into());
            }
            let measured = format!(
                "at most {} of the start's error is left, straight to {} or more",
                spoken(worst),
                percent(crooked)
            );
            Ok(Finding::of(parts, worst <= 0.1, measured))
        }),
    }
}

fn dense_weights() -> Claim {
    const FIGURE: FigureName = FigureName::Fig4;
    Claim {
        figure: FIGURE,
        about: "α = 80".into(),
        paper: "At α = 80, with almost full support, the error settles at a small relative value.",
        rule: "Holds where the mean relative error of a component ends at 0.1 or less and neither falls nor rises by a \
               tenth in the second half of the stages; with a difference where half of the start's error is gone.",
        judge: Box::new(move |results| {
            let runs = at(&of_case(results, FIGURE, DIR)?, 80.0)?;
            let rank = known(results.rank_of(FIGURE))?;
            let (mean, left) = (known(per_component(&runs, rank))?, known(left(&runs))?);
            let ratio = known(second_half(&runs))?;
            let measured = format!(
                "{} per component; {} of the start's error is left, and the second half of the stages leaves {} of what the \
                 first came to",
                spoken(mean),
                spoken(left),
                spoken(ratio)
            );
            let parts = [
                (mean <= 0.1, format!("a component is off by {} of its length", spoken(mean))),
                (
                    has_settled(&runs),
                    format!("the error has not settled: the second half leaves {} of it", spoken(ratio)),
                ),
            ];
            Ok(Finding::of(parts, left <= 0.5, measured))
        }),
    }
}
