//! Appendix B.1: starts mixed within the span of the truth, and starts outside it.

use super::super::format::{format_number, format_percent, join_list};
use super::super::plan::labels::{CTM, CTM_RELEASED, DIR, EUCLIDEAN};
use super::super::seed_medians::{
    final_error, r_squared, remaining_share, stages_to, stages_to_error, start_error, thousandth,
};
use super::super::{FigureName, RecoveryResult, median};
use super::runs::{completed, completed_at, require, series_of_case, varied_value};
use super::{Claim, Finding};

/// The stage lemma requires ‖E‖ of the start below this.
const MIXING_BOUND: f64 = 1.0 / 8.0;
/// Convergence is hardly affected up to this many times the stages of a start without noise.
const MAX_SLOWDOWN: f64 = 1.25;

pub(super) fn claims() -> Vec<Claim> {
    let cases = [DIR, CTM, CTM_RELEASED];
    let mut claims: Vec<Claim> = vec![beyond_the_assumptions()];
    claims.extend(cases.map(mixed_start));
    claims.extend(cases.map(start_off_span));
    claims
}

/// The number of stages as text.
fn stages(count: f64) -> String {
    if count.is_finite() { format!("after {count:.0} stages") } else { "never".to_owned() }
}

fn beyond_the_assumptions() -> Claim {
    const FIGURE: FigureName = FigureName::Fig3a;
    Claim {
        figure: FIGURE,
        subject: format!("{DIR}: r_l = 1"),
        paper: "At r_l = 1 the mixing of the start is already beyond the assumptions of the analysis.",
        rule: "Holds if ‖E‖ of the start at r_l = 1 is at least 1/8 (the stage lemma requires less than 1/8); holds \
               with a difference if that is true at r_l = 2.",
        judge: Box::new(|results| {
            let series = series_of_case(results, FIGURE, DIR)?;
            let norm = |r_l: f64| {
                let norms: Vec<f64> = completed_at(&series, r_l)?
                    .iter()
                    .filter_map(|run| run.mixing)
                    .map(|mixing| mixing.norm)
                    .collect();
                median(&norms).ok_or_else(|| "the mixing of the start was not measured".to_owned())
            };
            let (one, two) = (norm(1.0)?, norm(2.0)?);
            let measured = format!(
                "‖E‖ of the start is {} at r_l = 1, {} at r_l = 2",
                format_number(one),
                format_number(two)
            );
            let part = format!("‖E‖ is {} at r_l = 1, below 1/8", format_number(one));
            Ok(Finding::of([(one >= MIXING_BOUND, part)], two >= MIXING_BOUND, measured))
        }),
    }
}

fn mixed_start(case: &'static str) -> Claim {
    const FIGURE: FigureName = FigureName::Fig3a;
    Claim {
        figure: FIGURE,
        subject: case.into(),
        paper: "Even at r_l = 2 the truth is recovered, more slowly but at an exponential rate.",
        rule: "Errors are compared with that of the start at r_l = 1, since the start at r_l = 2 is farther from the \
               truth. Holds if at r_l = 2 the error falls to a thousandth of it, a linear fit to the logarithm of the \
               error has an R² of at least 90 % over the descent, and reaching the thousandth takes more stages than at \
               r_l = 1; holds with a difference if it falls to a tenth.",
        judge: Box::new(move |results| {
            let series = series_of_case(results, FIGURE, case)?;
            let (one, two) = (completed_at(&series, 1.0)?, completed_at(&series, 2.0)?);
            let common = require(start_error(&one))?;
            let share = |runs: &[&RecoveryResult]| Ok::<_, String>(require(final_error(runs))? / common);
            let (remaining, (fit, _)) = (share(&two)?, require(r_squared(&two))?);
            let until = |runs: &[&RecoveryResult]| require(stages_to_error(runs, 1e-3 * common));
            let (once, twice) = (until(&one)?, until(&two)?);
            let measured = format!(
                "{} of the error of the start at r_l = 1 remains at r_l = 2, R² of the linear fit {}; a thousandth is \
                 reached {}, at r_l = 1 {}",
                format_number(remaining),
                format_percent(fit),
                stages(twice),
                stages(once)
            );
            let parts = [
                (
                    remaining <= 1e-3,
                    format!(
                        "{} of that error remains at r_l = 2, {} at r_l = 1",
                        format_number(remaining),
                        format_number(share(&one)?)
                    ),
                ),
                (fit >= 0.9, format!("the R² of the linear fit is only {}", format_percent(fit))),
                (
                    twice > once,
                    format!("a thousandth is reached {}, at r_l = 1 {}", stages(twice), stages(once)),
                ),
            ];
            Ok(Finding::of(parts, remaining <= 0.1, measured))
        }),
    }
}

fn start_off_span(case: &'static str) -> Claim {
    const FIGURE: FigureName = FigureName::Fig3b;
    Claim {
        figure: FIGURE,
        subject: case.into(),
        paper: "Noise in the start with the norm of the components, or a larger one, hardly affects convergence.",
        rule: "Norms are sums of absolute values, as in the released program. Holds if, with noise of at least the norm of the components, at most 1e-3 of the start's error remains \
               and is reached after at most 1.25 times the stages needed without noise; holds with a difference if at \
               most 1e-3 remains with noise of half that norm.",
        judge: Box::new(move |results| {
            let series: Vec<_> = series_of_case(results, FIGURE, case)?
                .into_iter()
                .filter(|series| !series.method.ends_with(EUCLIDEAN))
                .collect();
            let clean = require(stages_to(&completed_at(&series, 0.0)?, thousandth))?;
            let (mut parts, mut reached, mut half) = (Vec::new(), Vec::new(), false);
            for one in &series {
                let runs = completed(one)?;
                let (share, remaining, count) = (
                    varied_value(one),
                    require(remaining_share(&runs))?,
                    require(stages_to(&runs, thousandth))?,
                );
                if remaining <= 1e-3 {
                    reached.push(format!("{share} ({count:.0} stages)"));
                }
                half |= share == 0.5 && remaining <= 1e-3;
                if share >= 1.0 {
                    parts.push((
                        remaining <= 1e-3,
                        format!(
                            "with noise of {share} times the norm, {} of the start's error remains",
                            format_number(remaining)
                        ),
                    ));
                    let slow = format!(
                        "with noise of {share} times the norm, a thousandth is reached {}, without noise {}",
                        stages(count),
                        stages(clean)
                    );
                    parts.push((remaining > 1e-3 || count <= MAX_SLOWDOWN * clean, slow));
                }
            }
            if parts.is_empty() {
                return Err("no start has noise of at least the norm of the components".into());
            }
            let measured = match reached.is_empty() {
                true => "no start reaches a thousandth of its error".to_owned(),
                false => format!(
                    "a thousandth of the start's error is reached with noise of {} times the norm of the components",
                    join_list(&reached)
                ),
            };
            Ok(Finding::of(parts, half, measured))
        }),
    }
}
