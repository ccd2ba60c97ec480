//! Section 7, setup: correlations of the weights, and quality of the start.

use super::super::format::format_number;
use super::super::plan::labels::{
    AND_PAPER, CTM, CTM_BLOCKS, CTM_FITTED, CTM_FITTED_MEANS, CTM_RELEASED, DIR,
};
use super::super::{FigureName, PlanResults, RecoveryResult, Series, median};
use super::runs::{require, runs_with_stages, series_of_case};
use super::{Claim, Finding};

/// Correlations of at least this size are strong.
const STRONG: f64 = 0.5;
/// Correlations of at least this size are more than chance.
const MODERATE: f64 = 0.2;
/// Components that occur together this many times as often as independent ones are strongly correlated, even if they
/// rarely occur at all. (The paper compares E[xᵢxⱼ] with E[xᵢ]·E[xⱼ].)
const OFTEN_TOGETHER: f64 = 5.0;

pub(super) fn claims() -> Vec<Claim> {
    let cases = [
        (FigureName::Fig1b, CTM),
        (FigureName::Fig1b, CTM_RELEASED),
        (FigureName::Fig1d, CTM_FITTED),
        (FigureName::Fig1d, CTM_BLOCKS),
        (FigureName::Fig1d, CTM_FITTED_MEANS),
    ];
    let mut claims: Vec<Claim> = cases.map(strong_correlations).into();
    claims.push(weak_correlations());
    claims.push(weak_start());
    claims
}

/// Medians over seeds. All methods share the samples.
struct Correlations {
    /// The largest absolute value.
    largest: f64,
    /// The largest value.
    positive: f64,
    /// The median absolute value.
    typical: f64,
    /// The largest E[xᵢxⱼ]/(E[xᵢ]·E[xⱼ]).
    together: f64,
}

fn correlations(results: &PlanResults, figure: FigureName, case: &str) -> Result<Correlations, String> {
    let series = series_of_case(results, figure, case)?;
    let runs = series.iter().map(Series::runs).find(|runs| !runs.is_empty());
    let runs = runs.ok_or_else(|| "no method gave a result".to_owned())?;
    let median_of = |value: fn(&RecoveryResult) -> f64| {
        require(median(&runs.iter().map(|run| value(run)).collect::<Vec<_>>()))
    };
    Ok(Correlations {
        largest: median_of(|run| run.weights.largest.abs())?,
        positive: median_of(|run| run.weights.most_positive)?,
        typical: median_of(|run| run.weights.typical)?,
        together: median_of(|run| run.weights.co_occurrence)?,
    })
}

fn correlations_text(measured: &Correlations) -> String {
    format!(
        "correlations between the weights of two components: largest absolute value {}, largest signed value {}, \
         median absolute value {}; E[x_i x_j] is at most {} times E[x_i] E[x_j]",
        format_number(measured.largest),
        format_number(measured.positive),
        format_number(measured.typical),
        format_number(measured.together)
    )
}

fn strong_correlations((figure, case): (FigureName, &'static str)) -> Claim {
    Claim {
        figure,
        subject: format!("{case}: weights"),
        paper: "The logistic normal weights of CTM are strongly correlated.",
        rule: "Holds if some pair of components has a correlation of at least 0.5 over the samples, or occurs together \
               at least five times as often as if independent (E[x_i x_j]/(E[x_i] E[x_j])); holds with a difference if \
               the largest correlation is at least 0.2.",
        judge: Box::new(move |results| {
            let measured = correlations(results, figure, case)?;
            let on_dir = correlations(results, FigureName::Fig1a, DIR);
            let on_dir = on_dir.map_or_else(
                |_| String::new(),
                |dir| format!("; largest absolute value on DIR {}", format_number(dir.largest)),
            );
            let part = format!(
                "the largest correlation between two weights is only {}",
                format_number(measured.positive)
            );
            let strong = measured.positive >= STRONG || measured.together >= OFTEN_TOGETHER;
            Ok(Finding::of(
                [(strong, part)],
                measured.positive >= MODERATE,
                correlations_text(&measured) + &on_dir,
            ))
        }),
    }
}

fn weak_correlations() -> Claim {
    Claim {
        figure: FigureName::Fig1a,
        subject: format!("{DIR}: weights"),
        paper: "Unlike those of CTM, the Dirichlet weights of DIR have no strong correlations.",
        rule: "Holds if all correlations between two components are below 0.2 in absolute value; holds with a \
               difference if they are below 0.5.",
        judge: Box::new(|results| {
            let measured = correlations(results, FigureName::Fig1a, DIR)?;
            let largest = measured.largest;
            let part =
                format!("two weights have a correlation of {} in absolute value", format_number(largest));
            Ok(Finding::of([(largest < MODERATE, part)], largest < STRONG, correlations_text(&measured)))
        }),
    }
}

fn weak_start() -> Claim {
    Claim {
        figure: FigureName::Fig1a,
        subject: format!("{DIR}: start"),
        paper: "The start A*(I + U) is very weak: what other components contribute to a component can have a larger \
                norm than its own part.",
        rule: "Holds if in every run the largest ratio of these norms over the components is at least 1; holds with a \
               difference if it is at least 0.5.",
        judge: Box::new(|results| {
            let runs = runs_with_stages(results, FigureName::Fig1a, DIR, AND_PAPER)?;
            let mixings: Option<Vec<_>> = runs.iter().map(|run| run.mixing).collect();
            let mixings = mixings.ok_or_else(|| "the mixing of the start was not measured".to_owned())?;
            let least = mixings.iter().map(|mixing| mixing.largest_ratio).fold(f64::INFINITY, f64::min);
            let typical =
                require(median(&mixings.iter().map(|mixing| mixing.typical_ratio).collect::<Vec<_>>()))?;
            let measured = format!(
                "norm of what is mixed in relative to a component's own part: median {}; largest ratio of a run at \
                 least {}",
                format_number(typical),
                format_number(least)
            );
            let part = format!(
                "in some run every component's own part has the larger norm (largest ratio {})",
                format_number(least)
            );
            Ok(Finding::of([(least >= 1.0, part)], least >= 0.5, measured))
        }),
    }
}
