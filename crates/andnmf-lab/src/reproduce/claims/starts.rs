//! Appendix B.1: starts mixed within the span of the truth, and outside it.

use super::super::evidence::{left, stages_to, straightness, thousandth};
use super::super::plan::labels::{CTM, CTM_RELEASED, DIR};
use super::super::spoken::{listed, percent, spoken};
use super::super::{FigureName, Recovered, median};
use super::runs::{at, ended, known, of_case, value};
use super::{Claim, Finding};

/// What the stage lemma asks of the start's ‖E‖.
const ASSUMED: f64 = 1.0 / 8.0;
/// More stages than so many times those of a clean start are more than hardly any.
const HARDLY: f64 = 1.25;

pub(super) fn claims() -> Vec<Claim> {
    let cases = [DIR, CTM, CTM_RELEASED];
    let mut claims: Vec<Claim> = vec![beyond_the_assumptions()];
    claims.extend(cases.map(mixed_start));
    claims.extend(cases.map(start_off_span));
    claims
}

/// Stages until a thousandth is left, in words.
fn stages(count: f64) -> String {
    if count.is_finite() { format!("after {count:.0} stages") } else { "never".to_owned() }
}

fn beyond_the_assumptions() -> Claim {
    const FIGURE: FigureName = FigureName::Fig3a;
    Claim {
        figure: FIGURE,
        about: format!("{DIR}: r_l = 1"),
        paper: "At r_l = 1 the mixing of the start is already beyond the assumptions of the analysis.",
        rule: "Holds where ‖E‖ of the start at r_l = 1 is 1/8 or more, which the stage lemma asks it to be below; with a \
               difference where that is so at r_l = 2.",
        judge: Box::new(|results| {
            let series = of_case(results, FIGURE, DIR)?;
            let norm = |r_l: f64| {
                let norms: Vec<f64> =
                    at(&series, r_l)?.iter().filter_map(|run| run.mixing).map(|mixing| mixing.norm).collect();
                median(&norms).ok_or_else(|| "the start was not measured".to_owned())
            };
            let (one, two) = (norm(1.0)?, norm(2.0)?);
            let measured =
                format!("‖E‖ of the start is {} at r_l = 1, {} at r_l = 2", spoken(one), spoken(two));
            let part = format!("‖E‖ is {} at r_l = 1, below 1/8", spoken(one));
            Ok(Finding::of([(one >= ASSUMED, part)], two >= ASSUMED, measured))
        }),
    }
}

fn mixed_start(case: &'static str) -> Claim {
    const FIGURE: FigureName = FigureName::Fig3a;
    Claim {
        figure: FIGURE,
        about: case.into(),
        paper: "Even at r_l = 2 the truth is recovered, more slowly but at an exponential rate.",
        rule: "Holds where at r_l = 2 at most 1e-3 of the start's error is left, on a way down that is straight to 90 %, \
               and a thousandth takes more stages than at r_l = 1; with a difference where at most 0.1 is left.",
        judge: Box::new(move |results| {
            let series = of_case(results, FIGURE, case)?;
            let (one, two) = (at(&series, 1.0)?, at(&series, 2.0)?);
            let (rest, (straight, _)) = (known(left(&two))?, known(straightness(&two))?);
            let until = |runs: &[&Recovered]| known(stages_to(runs, thousandth));
            let (once, twice) = (until(&one)?, until(&two)?);
            let measured = format!(
                "{} of the start's error is left at r_l = 2, straight to {}; a thousandth {}, at r_l = 1 {}",
                spoken(rest),
                percent(straight),
                stages(twice),
                stages(once)
            );
            let parts = [
                (
                    rest <= 1e-3,
                    format!(
                        "{} of the error is left from r_l = 2, {} from r_l = 1",
                        spoken(rest),
                        spoken(known(left(&one))?)
                    ),
                ),
                (straight >= 0.9, format!("a line explains {} of the way down", percent(straight))),
                (
                    twice > once,
                    format!("a thousandth is reached {}, from r_l = 1 {}", stages(twice), stages(once)),
                ),
            ];
            Ok(Finding::of(parts, rest <= 0.1, measured))
        }),
    }
}

fn start_off_span(case: &'static str) -> Claim {
    const FIGURE: FigureName = FigureName::Fig3b;
    Claim {
        figure: FIGURE,
        about: case.into(),
        paper: "Noise in the start that is as long as the components, or longer, hardly affects the convergence.",
        rule: "Holds where with noise as long as the components and longer at most 1e-3 of the start's error is left, after \
               at most 1.25 times the stages that it takes without noise; with a difference where at most 1e-3 is left with \
               noise of half that length.",
        judge: Box::new(move |results| {
            let series = of_case(results, FIGURE, case)?;
            let clean = known(stages_to(&at(&series, 0.0)?, thousandth))?;
            let (mut parts, mut reached, mut half) = (Vec::new(), Vec::new(), false);
            for one in &series {
                let runs = ended(one)?;
                let (share, rest, count) =
                    (value(one), known(left(&runs))?, known(stages_to(&runs, thousandth))?);
                if rest <= 1e-3 {
                    reached.push(format!("{share} ({count:.0} stages)"));
                }
                half |= share == 0.5 && rest <= 1e-3;
                if share >= 1.0 {
                    parts.push((
                        rest <= 1e-3,
                        format!(
                            "with noise of {share} times the length {} of the error is left",
                            spoken(rest)
                        ),
                    ));
                    let slow = format!(
                        "with noise of {share} times the length a thousandth is reached {}, without {}",
                        stages(count),
                        stages(clean)
                    );
                    parts.push((rest > 1e-3 || count <= HARDLY * clean, slow));
                }
            }
            if parts.is_empty() {
                return Err("there are no starts with so much noise".into());
            }
            let measured = match reached.is_empty() {
                true => "a thousandth of the start's error is reached at no length".to_owned(),
                false => format!(
                    "a thousandth of the start's error is reached with noise of {} times the length",
                    listed(&reached)
                ),
            };
            Ok(Finding::of(parts, half, measured))
        }),
    }
}
