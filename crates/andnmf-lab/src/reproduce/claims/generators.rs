//! Section 7, setup: how strongly weights are correlated, and how weak the start is.

use super::super::plan::labels::{AND_PAPER, CTM, CTM_RELEASED, DIR};
use super::super::spoken::spoken;
use super::super::{FigureName, Recovered, Results, Series, median};
use super::runs::{by_time, known, of_case};
use super::{Claim, Finding};

/// Correlations that nobody would call weak.
const STRONG: f64 = 0.5;
/// Correlations that are more than chance and less than strong.
const SOME: f64 = 0.2;

pub(super) fn claims() -> Vec<Claim> {
    let mut claims: Vec<Claim> = [CTM, CTM_RELEASED].map(strong_correlations).into();
    claims.push(weak_correlations());
    claims.push(weak_start());
    claims
}

/// Largest, most positive and typical correlation: medians over seeds. All methods have the same samples.
fn correlations(results: &Results, figure: FigureName, case: &str) -> Result<(f64, f64, f64), String> {
    let series = of_case(results, figure, case)?;
    let runs = series.iter().map(Series::runs).find(|runs| !runs.is_empty());
    let runs = runs.ok_or_else(|| "no method gave a result".to_owned())?;
    let middle =
        |value: fn(&Recovered) -> f64| known(median(&runs.iter().map(|run| value(run)).collect::<Vec<_>>()));
    Ok((
        middle(|run| run.weights.largest.abs())?,
        middle(|run| run.weights.most_positive)?,
        middle(|run| run.weights.typical)?,
    ))
}

fn told((largest, positive, typical): (f64, f64, f64)) -> String {
    format!(
        "correlations between two weights: at most {} by size, the most positive {}, typically {}",
        spoken(largest),
        spoken(positive),
        spoken(typical)
    )
}

fn strong_correlations(case: &'static str) -> Claim {
    Claim {
        figure: FigureName::Fig1b,
        about: format!("{case}: weights"),
        paper: "The logistic normal weights of CTM are strongly correlated.",
        rule: "Holds where some pair of components has a positive correlation of 0.5 or more over the samples; with a \
               difference where one has 0.2 or more.",
        judge: Box::new(move |results| {
            let found = correlations(results, FigureName::Fig1b, case)?;
            let beside = correlations(results, FigureName::Fig1a, DIR);
            let beside =
                beside.map_or_else(|_| String::new(), |dir| format!("; DIR has at most {}", spoken(dir.0)));
            let part =
                format!("no two weights come together more often than a correlation of {}", spoken(found.1));
            Ok(Finding::of([(found.1 >= STRONG, part)], found.1 >= SOME, told(found) + &beside))
        }),
    }
}

fn weak_correlations() -> Claim {
    Claim {
        figure: FigureName::Fig1a,
        about: format!("{DIR}: weights"),
        paper: "Strong correlations are what CTM is there for: the Dirichlet weights of DIR have none.",
        rule: "Holds where no pair of components has a correlation of 0.2 or more by size; with a difference below 0.5.",
        judge: Box::new(|results| {
            let found = correlations(results, FigureName::Fig1a, DIR)?;
            let part = format!("two weights have a correlation of {}", spoken(found.0));
            Ok(Finding::of([(found.0 < SOME, part)], found.0 < STRONG, told(found)))
        }),
    }
}

fn weak_start() -> Claim {
    Claim {
        figure: FigureName::Fig1a,
        about: format!("{DIR}: start"),
        paper: "The start A*(I + U) is very weak: what is mixed into a component can be longer than its own part.",
        rule: "Holds where that is so for some component in every run; with a difference where what is mixed in comes to \
               at least half of the own part.",
        judge: Box::new(|results| {
            let runs = by_time(results, FigureName::Fig1a, DIR, AND_PAPER)?;
            let mixings: Option<Vec<_>> = runs.iter().map(|run| run.mixing).collect();
            let mixings = mixings.ok_or_else(|| "the start was not measured".to_owned())?;
            let least = mixings.iter().map(|mixing| mixing.largest_ratio).fold(f64::INFINITY, f64::min);
            let typical =
                known(median(&mixings.iter().map(|mixing| mixing.typical_ratio).collect::<Vec<_>>()))?;
            let measured = format!(
                "what is mixed in is {} times as long as the own part of a component, typically; of the worst component \
                 of a run at least {} times",
                spoken(typical),
                spoken(least)
            );
            let part = format!(
                "the own part is longer in every component of a run (at most {} is mixed in)",
                spoken(least)
            );
            Ok(Finding::of([(least >= 1.0, part)], least >= 0.5, measured))
        }),
    }
}
