//! Section 7.3: noise.

use super::super::evidence::{end, per_component, smallest};
use super::super::plan::labels::{FEWER_STEPS, FLOORED, NOISE, NOISE_RELEASED};
use super::super::spoken::spoken;
use super::super::{FigureName, Recovered, Results, Series};
use super::runs::{ended, known, of_case, value};
use super::{Claim, Finding};

const FIGURE: FigureName = FigureName::Fig2c;
/// Less of a difference than this cannot be seen.
const BETTER: f64 = 0.99;

pub(super) fn claims() -> Vec<Claim> {
    [NOISE, NOISE_RELEASED].into_iter().flat_map(|case| [settles(case), more_steps(case)]).collect()
}

/// What happened at the levels of noise, in their order.
struct Levels {
    /// What is wrong, and where.
    wrong: Vec<String>,
    /// From the smallest error to the end, at the worst level.
    worst_rise: f64,
    /// The mean relative error of a component, at the worst level.
    worst_error: f64,
}

impl Levels {
    fn of(series: &[&Series<'_>], rank: usize) -> Result<Self, String> {
        let mut found = Self { wrong: vec![], worst_rise: 1.0, worst_error: 0.0 };
        let mut before = 0.0;
        for one in series {
            let runs = ended(one)?;
            let (end, least) = (known(end(&runs))?, known(smallest(&runs))?);
            let error = known(per_component(&runs, rank))?;
            let begin = runs.iter().map(|run| run.begin()).fold(f64::INFINITY, f64::min);
            let level = value(one);
            let mut ask = |true_: bool, otherwise: String| {
                if !true_ {
                    found.wrong.push(format!("at γ = {level} {otherwise}"));
                }
            };
            ask(
                least <= 0.5 * begin,
                format!("the error falls only to {} of the start's", spoken(least / begin)),
            );
            ask(one.failures().is_empty(), format!("a run broke off ({})", one.failures().join("; ")));
            ask(
                end <= 1.5 * least,
                format!("the error rises again, to {} times its smallest value", spoken(end / least)),
            );
            ask(end > before, "it ends lower than with less noise".to_owned());
            ask(error <= 0.1, format!("a component is off by {} of its length", spoken(error)));
            found.worst_rise = found.worst_rise.max(end / least);
            found.worst_error = found.worst_error.max(error);
            before = end;
        }
        Ok(found)
    }
}

fn settles(case: &'static str) -> Claim {
    Claim {
        figure: FIGURE,
        about: case.into(),
        paper: "Under noise the error falls in the first few steps and then stays around a constant that goes with the \
                noise level: the truth is recovered to good accuracy even under significant noise.",
        rule: "Holds where with the paper's thresholds, at every level, the error falls to half of the start's or less and \
               ends within 1.5 times its smallest value, the mean relative error of a component is at most 0.1, and more \
               noise ends higher; with a difference where that is so with floored thresholds only.",
        judge: Box::new(move |results| {
            let all = of_case(results, FIGURE, case)?;
            let rank = known(results.rank_of(FIGURE))?;
            let levels = |floored: bool| {
                let mut of: Vec<&Series<'_>> = all
                    .iter()
                    .filter(|one| {
                        one.method.ends_with(FLOORED) == floored && !one.method.ends_with(FEWER_STEPS)
                    })
                    .collect();
                of.sort_by(|a, b| value(a).total_cmp(&value(b)));
                if of.is_empty() { Err("there are no results".to_owned()) } else { Levels::of(&of, rank) }
            };
            let (plain, floored) = (levels(false)?, levels(true)?);
            let told = |levels: &Levels| {
                format!("×{} and {} per component", spoken(levels.worst_rise), spoken(levels.worst_error))
            };
            let measured = format!(
                "from the smallest error to the end, and the end, each at the worst level: {} with the paper's thresholds, \
                 {} with floored ones",
                told(&plain),
                told(&floored)
            );
            let nearly = floored.wrong.is_empty();
            Ok(Finding::of(plain.wrong.into_iter().map(|why| (false, why)), nearly, measured))
        }),
    }
}

/// The runs with a stage of fewer steps, and those with the same noise and more steps.
fn compared<'a>(
    results: &'a Results,
    case: &str,
) -> Result<(f64, Vec<&'a Recovered>, Vec<&'a Recovered>), String> {
    let all = of_case(results, FIGURE, case)?;
    let fewer = all.iter().find(|one| one.method.ends_with(FEWER_STEPS)).ok_or("T = 50 was not run")?;
    let plain = |one: &&Series<'_>| !one.method.ends_with(FEWER_STEPS) && !one.method.ends_with(FLOORED);
    let more =
        all.iter().filter(plain).find(|one| value(one) == value(fewer)).ok_or("T = 100 was not run")?;
    Ok((value(fewer), ended(fewer)?, ended(more)?))
}

fn more_steps(case: &'static str) -> Claim {
    Claim {
        figure: FIGURE,
        about: format!("{case}: T = 100"),
        paper: "Under noise T = 100 steps in a stage lead to better performance than the 50 used elsewhere.",
        rule: "Holds where with 100 steps both the smallest error on the way and the error at the end are below those with \
               50 by a hundredth or more; with a difference where one of them is.",
        judge: Box::new(move |results| {
            let (level, fewer, more) = compared(results, case)?;
            let pair = |value: fn(&[&Recovered]) -> Option<f64>| {
                Ok::<_, String>((known(value(&more))?, known(value(&fewer))?))
            };
            let (ends, least) = (pair(end)?, pair(smallest)?);
            let measured = format!(
                "at γ = {level}: smallest error {:.3} with 100 steps, {:.3} with 50; at the end {:.3} and {:.3}",
                least.0, least.1, ends.0, ends.1
            );
            let (better_way, better_end) = (least.0 < BETTER * least.1, ends.0 < BETTER * ends.1);
            let ratio = |(more, fewer): (f64, f64)| format!("{:.3} times that with 50", more / fewer);
            let parts = [
                (better_way, format!("with 100 steps the smallest error is {}", ratio(least))),
                (better_end, format!("with 100 steps the error at the end is {}", ratio(ends))),
            ];
            Ok(Finding::of(parts, better_way || better_end, measured))
        }),
    }
}
