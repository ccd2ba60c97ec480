//! Section 7.1: what the other methods do.

use super::super::evidence::{end, hundredth, left, rising, second_half, seconds_to, still_falls};
use super::super::plan::labels::{AND_PAPER, ANLS, CTM, CTM_RELEASED, HALS, LDA, MU, SIGNED};
use super::super::spoken::{listed, percent, seconds, spoken};
use super::super::{FigureName, Recovered, median};
use super::convergence::{SIGNED_CASES, TOPICS};
use super::runs::{by_time, known, to_the_end};
use super::{Claim, Finding};

/// An error so many times above AND's is far from where AND gets.
const FAR_ABOVE: f64 = 10.0;
/// A method that takes so many times as long as AND is very slow.
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

/// How the end of a run looks.
fn falls(runs: &[&Recovered]) -> String {
    let ratio = spoken(second_half(runs).unwrap_or(f64::NAN));
    match still_falls(runs) {
        true => format!("still falling (the second half of the stages leaves {ratio})"),
        false => format!("no longer falling (the second half of the stages leaves {ratio})"),
    }
}

fn hals_converges((figure, case): (FigureName, &'static str)) -> Claim {
    Claim {
        figure,
        about: format!("{case}: HALS"),
        paper: "HALS converges as well, at a slower rate than AND.",
        rule: "Holds where at most 1e-2 of its start's error is left and it comes to a hundredth later than AND; with a \
               difference where it is on its way: it still falls, or is at a hundredth as early as AND.",
        judge: Box::new(move |results| {
            let and = by_time(results, figure, case, AND_PAPER)?;
            let hals = by_time(results, figure, case, HALS)?;
            let left = known(left(&hals))?;
            let (ours, theirs) = (known(seconds_to(&and, hundredth))?, known(seconds_to(&hals, hundredth))?);
            let measured = format!(
                "{} of its start's error is left, {}; a hundredth: {}, by AND: {}",
                spoken(left),
                falls(&hals),
                seconds(theirs),
                seconds(ours)
            );
            let parts = [
                (left <= 1e-2, format!("HALS is {} when its time is up", falls(&hals))),
                (
                    ours < theirs,
                    format!(
                        "AND comes to a hundredth after {}, HALS after {}",
                        seconds(ours),
                        seconds(theirs)
                    ),
                ),
            ];
            Ok(Finding::of(parts, still_falls(&hals) || left <= 1e-2, measured))
        }),
    }
}

fn hals_oscillates(case: &'static str) -> Claim {
    Claim {
        figure: FigureName::Fig1b,
        about: format!("{case}: HALS, steadiness"),
        paper: "On CTM the error of HALS oscillates.",
        rule: "Holds where the error is by 5 % above its smallest value so far after a tenth of the stages or more; \
               with a difference where that happens at all.",
        judge: Box::new(move |results| {
            let (share, largest) = known(rising(&by_time(results, FigureName::Fig1b, case, HALS)?))?;
            let measured = format!(
                "by 5 % above its smallest value so far after {} of the stages, at most {} times that value",
                percent(share),
                spoken(largest)
            );
            let part = format!(
                "the error is that far above its smallest value after {} of the stages only",
                percent(share)
            );
            Ok(Finding::of([(share >= 0.1, part)], share > 0.0, measured))
        }),
    }
}

fn fails_on_neg(figure: FigureName, case: &'static str, signed: &'static str) -> Claim {
    let constrained = signed.is_empty();
    Claim {
        figure,
        about: format!("{case}: HALS and ANLS{signed}"),
        paper: if constrained {
            "HALS (and ANLS), made for components that are not negative, do not converge where they are."
        } else {
            "They do not converge there either when their constraint on the components is removed."
        },
        rule: if constrained {
            "Holds where at least a tenth of its start's error is left of both; with a difference where at least a \
             hundredth is. It could not be otherwise: components without negative entries have an error that they cannot \
             come below, which stands beside what was measured."
        } else {
            "Holds where at least a tenth of its start's error is left of both, and neither still falls; with a difference \
             where a tenth is left, or both end ten times above AND."
        },
        judge: Box::new(move |results| {
            let and = to_the_end(results, figure, case, AND_PAPER)?;
            let (mut told, mut parts, mut nearly) = (Vec::new(), Vec::new(), true);
            for method in [HALS, ANLS] {
                let runs = by_time(results, figure, case, &format!("{method}{signed}"))?;
                let (share, error) = (known(left(&runs))?, known(end(&runs))?);
                told.push(format!("{} by {method}, {}", spoken(share), falls(&runs)));
                parts.push((share >= 0.1, format!("{method} has {} left", spoken(share))));
                if constrained {
                    nearly &= share >= 0.01;
                } else {
                    parts.push((!still_falls(&runs), format!("{method} is {}", falls(&runs))));
                    nearly &= share >= 0.1 || error >= FAR_ABOVE * known(end(&and))?;
                }
            }
            let mut measured = format!("of its start's error is left: {}", listed(&told));
            let least: Vec<f64> = and.iter().filter_map(|run| run.least_without_negatives).collect();
            if let (true, Some(least)) = (constrained, median(&least)) {
                measured = format!(
                    "{measured}; components without negative entries cannot come below an error of {}",
                    spoken(least)
                );
            }
            Ok(Finding::of(parts, nearly, measured))
        }),
    }
}

fn anls_is_slow((figure, case): (FigureName, &'static str)) -> Claim {
    Claim {
        figure,
        about: format!("{case}: ANLS"),
        paper: "ANLS converges at a very slow speed, because of the least-squares problem in every iteration.",
        rule: "Holds where the error falls until the end (or to a hundredth), comes to a hundredth ten times later than \
               AND's and twice as late as that of HALS, and an iteration takes twice as long as one of HALS; with a \
               difference where it falls, but not so slowly.",
        judge: Box::new(move |results| {
            let of = |method: &str| by_time(results, figure, case, method);
            let (and, hals, anls) = (of(AND_PAPER)?, of(HALS)?, of(ANLS)?);
            let left = known(left(&anls))?;
            let until = |runs: &[&Recovered]| known(seconds_to(runs, hundredth));
            let (ours, theirs, slow) = (until(&and)?, until(&hals)?, until(&anls)?);
            let per_stage = |runs: &[&Recovered]| {
                known(median(
                    &runs.iter().map(|run| run.solver_seconds / run.stages as f64).collect::<Vec<_>>(),
                ))
            };
            let cost = per_stage(&anls)? / per_stage(&hals)?;
            let falls_on = still_falls(&anls) || left <= 1e-2;
            let measured = format!(
                "{} of its start's error is left, {}; a hundredth: {}, by HALS: {}, by AND: {}; an iteration takes {} times \
                 as long as one of HALS",
                spoken(left),
                falls(&anls),
                seconds(slow),
                seconds(theirs),
                seconds(ours),
                spoken(cost)
            );
            let parts = [
                (falls_on, format!("the error is {}", falls(&anls))),
                (
                    slow >= VERY_SLOW * ours,
                    format!("a hundredth takes {}, AND {}", seconds(slow), seconds(ours)),
                ),
                (
                    slow >= 2.0 * theirs,
                    format!("a hundredth takes {}, HALS {}", seconds(slow), seconds(theirs)),
                ),
                (
                    cost >= 2.0,
                    format!("an iteration takes only {} times as long as one of HALS", spoken(cost)),
                ),
            ];
            Ok(Finding::of(parts, falls_on, measured))
        }),
    }
}

fn does_not_converge(figure: FigureName, case: &'static str, method: &'static str) -> Claim {
    Claim {
        figure,
        about: format!("{case}: {method}"),
        paper: "The other methods do not converge to the truth.",
        rule: "Holds where the error has stopped falling (per doubling of the stages by less than a tenth) with a \
               hundredth or more of its start's error left; with a difference where it still falls, and is ten \
               times above the end of AND when its time is up.",
        judge: Box::new(move |results| {
            let and = to_the_end(results, figure, case, AND_PAPER)?;
            let runs = by_time(results, figure, case, method)?;
            let (share, above) = (known(left(&runs))?, known(end(&runs))? / known(end(&and))?);
            let measured = format!(
                "{} of its start's error is left, {}; {} times the error of AND",
                spoken(share),
                falls(&runs),
                spoken(above)
            );
            let falling = still_falls(&runs);
            let parts = [
                (!falling, format!("the error is {}: it converges, or may yet", falls(&runs))),
                (share >= 0.01, format!("only {} of the error is left", spoken(share))),
            ];
            Ok(Finding::of(parts, falling && above >= FAR_ABOVE, measured))
        }),
    }
}
