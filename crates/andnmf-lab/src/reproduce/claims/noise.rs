//! Section 7.3: noise.

use super::super::format::format_number;
use super::super::plan::labels::{FEWER_STEPS, FLOORED, NOISE, NOISE_RELEASED};
use super::super::seed_medians::{final_error, mean_relative_error, smallest_error};
use super::super::{FigureName, PlanResults, RecoveryResult, Series};
use super::runs::{completed, require, series_of_case, varied_value};
use super::{Claim, Finding};

const FIGURE: FigureName = FigureName::Fig2c;
/// A ratio of at least this is no visible improvement.
const IMPROVEMENT: f64 = 0.99;

pub(super) fn claims() -> Vec<Claim> {
    [NOISE, NOISE_RELEASED].into_iter().flat_map(|case| [settles(case), more_steps(case)]).collect()
}

/// Results over all noise levels, in increasing order.
struct Levels {
    /// The violated conditions, with their noise level.
    violations: Vec<String>,
    /// The largest ratio of the final error to the smallest one.
    worst_rise: f64,
    /// The largest mean relative error of a component.
    worst_error: f64,
}

impl Levels {
    fn of(series: &[&Series<'_>], rank: usize) -> Result<Self, String> {
        let mut levels = Self { violations: vec![], worst_rise: 1.0, worst_error: 0.0 };
        let mut before = 0.0;
        for one in series {
            let runs = completed(one)?;
            let (end, least) = (require(final_error(&runs))?, require(smallest_error(&runs))?);
            let error = require(mean_relative_error(&runs, rank))?;
            let start = runs.iter().map(|run| run.start_error()).fold(f64::INFINITY, f64::min);
            let level = varied_value(one);
            let mut expect = |condition: bool, violation: String| {
                if !condition {
                    levels.violations.push(format!("at γ = {level}, {violation}"));
                }
            };
            expect(
                least <= 0.5 * start,
                format!("the error falls only to {} of the start's", format_number(least / start)),
            );
            expect(one.failures().is_empty(), format!("a run was aborted ({})", one.failures().join("; ")));
            expect(
                end <= 1.5 * least,
                format!("the error rises again, to {} times its smallest value", format_number(end / least)),
            );
            expect(end > before, "the final error is lower than with less noise".to_owned());
            expect(
                error <= 0.1,
                format!("the mean relative error of a component is {}", format_number(error)),
            );
            levels.worst_rise = levels.worst_rise.max(end / least);
            levels.worst_error = levels.worst_error.max(error);
            before = end;
        }
        Ok(levels)
    }
}

fn settles(case: &'static str) -> Claim {
    Claim {
        figure: FIGURE,
        subject: case.into(),
        paper: "Under noise the error decreases in the first few steps and then stays around a constant that depends \
                on the noise level: the truth is recovered to good accuracy even under significant noise.",
        rule: "Holds if, with the paper's thresholds and at every noise level, the error falls to at most half of the \
               start's and ends within 1.5 times its minimum, the mean relative error of a component is at most 0.1, \
               and more noise gives a larger final error; holds with a difference if this is true with floored \
               thresholds only.",
        judge: Box::new(move |results| {
            let all = series_of_case(results, FIGURE, case)?;
            let rank = require(results.rank_of(FIGURE))?;
            let levels = |floored: bool| {
                let mut of: Vec<&Series<'_>> = all
                    .iter()
                    .filter(|one| {
                        one.method.ends_with(FLOORED) == floored && !one.method.ends_with(FEWER_STEPS)
                    })
                    .collect();
                of.sort_by(|a, b| varied_value(a).total_cmp(&varied_value(b)));
                if of.is_empty() { Err("no results".to_owned()) } else { Levels::of(&of, rank) }
            };
            let (plain, floored) = (levels(false)?, levels(true)?);
            let levels_text = |levels: &Levels| {
                format!("×{} and {}", format_number(levels.worst_rise), format_number(levels.worst_error))
            };
            let measured = format!(
                "final error relative to its minimum, and mean relative error of a component, both at the worst noise \
                 level: {} with the paper's thresholds, {} with floored thresholds",
                levels_text(&plain),
                levels_text(&floored)
            );
            let nearly = floored.violations.is_empty();
            Ok(Finding::of(plain.violations.into_iter().map(|why| (false, why)), nearly, measured))
        }),
    }
}

/// The noise level, the runs with 50 steps per stage, and those with 100.
fn runs_to_compare<'a>(
    results: &'a PlanResults,
    case: &str,
) -> Result<(f64, Vec<&'a RecoveryResult>, Vec<&'a RecoveryResult>), String> {
    let all = series_of_case(results, FIGURE, case)?;
    let fewer = all.iter().find(|one| one.method.ends_with(FEWER_STEPS)).ok_or("T = 50 was not run")?;
    let plain = |one: &&Series<'_>| !one.method.ends_with(FEWER_STEPS) && !one.method.ends_with(FLOORED);
    let more = all
        .iter()
        .filter(plain)
        .find(|one| varied_value(one) == varied_value(fewer))
        .ok_or("T = 100 was not run")?;
    Ok((varied_value(fewer), completed(fewer)?, completed(more)?))
}

fn more_steps(case: &'static str) -> Claim {
    Claim {
        figure: FIGURE,
        subject: format!("{case}: T = 100"),
        paper: "Under noise, T = 100 steps per stage perform better than the 50 used elsewhere.",
        rule: "Holds if with 100 steps both the smallest and the final error are at least 1 % below those with 50 \
               steps; holds with a difference if one of them is.",
        judge: Box::new(move |results| {
            let (level, fewer, more) = runs_to_compare(results, case)?;
            let pair = |value: fn(&[&RecoveryResult]) -> Option<f64>| {
                Ok::<_, String>((require(value(&more))?, require(value(&fewer))?))
            };
            let (ends, least) = (pair(final_error)?, pair(smallest_error)?);
            let measured = format!(
                "at γ = {level}: smallest error {:.3} with 100 steps, {:.3} with 50; final error {:.3} and {:.3}",
                least.0, least.1, ends.0, ends.1
            );
            let (better_minimum, better_end) =
                (least.0 < IMPROVEMENT * least.1, ends.0 < IMPROVEMENT * ends.1);
            let ratio = |(more, fewer): (f64, f64)| format!("{:.3} times that with 50", more / fewer);
            let parts = [
                (better_minimum, format!("with 100 steps the smallest error is {}", ratio(least))),
                (better_end, format!("with 100 steps the final error is {}", ratio(ends))),
            ];
            Ok(Finding::of(parts, better_minimum || better_end, measured))
        }),
    }
}
