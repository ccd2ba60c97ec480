//! The report page of a reproduction.

use andnmf_report::{Figure, Report, Section};
use serde_json::{Value, json};

use super::claims::Judged;
use super::drawing::Drawing;
use super::markdown::{About, caption, facts, tally};
use super::numbers::table;
use super::{FigureName, Reproduction};

/// The page, as one document that needs nothing but a browser.
pub(super) fn html(
    reproduction: &Reproduction,
    claims: &[Judged],
    drawings: &[Drawing],
    about: &About,
) -> String {
    let mut report = Report::new(about.title(), Value::Null).with_section(Section {
        title: "Claims".into(),
        // On a page, what was typed needs no marks around it.
        text: format!("{}\n\n{}", tally(claims), facts(reproduction, about).join("\n\n").replace('`', "")),
        figures: vec![overview(claims)],
    });
    for &figure in &reproduction.plan.figures {
        report = report.with_section(section(figure, reproduction, claims, drawings));
    }
    report.to_html()
}

fn section(
    figure: FigureName,
    reproduction: &Reproduction,
    claims: &[Judged],
    drawings: &[Drawing],
) -> Section {
    let title = figure.title().to_owned();
    if let Some((_, why)) = reproduction.plan.left_out.iter().find(|(name, _)| *name == figure) {
        return Section { title, text: format!("Not run: {why}."), figures: vec![] };
    }
    let drawn = drawings.iter().filter(|drawing| drawing.figure == figure);
    let mut figures: Vec<Figure> = drawn.map(|drawing| Figure::Svg(drawing.svg.clone())).collect();
    let of: Vec<&Judged> = claims.iter().filter(|claim| claim.figure == figure).collect();
    if !of.is_empty() {
        figures.push(judged(&of));
    }
    // A map has hundreds of rows, and its file has them all.
    if figure != FigureName::Phase {
        let numbers = table(figure, &reproduction.results);
        figures.push(Figure::table(numbers.header, numbers.rows));
    }
    Section { title, text: caption(figure).into(), figures }
}

/// All claims at a glance.
fn overview(claims: &[Judged]) -> Figure {
    let header = ["figure", "about", "the paper says", "verdict"];
    let rows = claims.iter().map(|claim| {
        vec![
            json!(claim.figure.name()),
            json!(claim.about),
            json!(claim.paper),
            json!(claim.verdict.to_string()),
        ]
    });
    Figure::table(header.map(String::from).to_vec(), rows.collect())
}

/// The claims of one figure with everything behind them.
fn judged(claims: &[&Judged]) -> Figure {
    let header = ["about", "the paper says", "measured", "verdict", "rule", "why"];
    let rows = claims.iter().map(|claim| {
        vec![
            json!(claim.about),
            json!(claim.paper),
            json!(claim.measured),
            json!(claim.verdict.to_string()),
            json!(claim.rule),
            json!(claim.why),
        ]
    });
    Figure::table(header.map(String::from).to_vec(), rows.collect())
}
