//! The report page of a reproduction.

use andnmf_report::{Figure, Report, Section};
use serde_json::{Value, json};

use super::claims::JudgedClaim;
use super::drawing::Drawing;
use super::markdown::{Provenance, caption, facts, tally};
use super::tables::table;
use super::{FigureName, Reproduction};

/// The page as one self-contained HTML document.
pub(super) fn render(
    reproduction: &Reproduction,
    claims: &[JudgedClaim],
    drawings: &[Drawing],
    provenance: &Provenance,
) -> String {
    let mut report = Report::new(provenance.title(), Value::Null).with_section(Section {
        title: "Claims".into(),
        // The backticks are Markdown.
        text: format!(
            "{}\n\n{}",
            tally(claims),
            facts(reproduction, provenance).join("\n\n").replace('`', "")
        ),
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
    claims: &[JudgedClaim],
    drawings: &[Drawing],
) -> Section {
    let title = figure.title().to_owned();
    if let Some((_, why)) = reproduction.plan.skipped.iter().find(|(name, _)| *name == figure) {
        return Section { title, text: format!("Not run: {why}."), figures: vec![] };
    }
    let drawn = drawings.iter().filter(|drawing| drawing.figure == figure);
    let mut figures: Vec<Figure> = drawn.map(|drawing| Figure::Svg(drawing.svg.clone())).collect();
    let of: Vec<&JudgedClaim> = claims.iter().filter(|claim| claim.figure == figure).collect();
    if !of.is_empty() {
        figures.push(judged(&of));
    }
    // A map has hundreds of rows; they are in its CSV file.
    if figure != FigureName::Phase {
        let numbers = table(figure, &reproduction.results);
        figures.push(Figure::table(numbers.header, numbers.rows));
    }
    Section { title, text: caption(figure).into(), figures }
}

/// An overview of all claims.
fn overview(claims: &[JudgedClaim]) -> Figure {
    let header = ["figure", "subject", "claim of the paper", "verdict"];
    let rows = claims.iter().map(|claim| {
        vec![
            json!(claim.figure.name()),
            json!(claim.subject),
            json!(claim.paper),
            json!(claim.verdict.to_string()),
        ]
    });
    Figure::table(header.map(String::from).to_vec(), rows.collect())
}

/// The claims of one figure with all details.
fn judged(claims: &[&JudgedClaim]) -> Figure {
    let header = ["subject", "claim of the paper", "measured", "verdict", "rule", "why"];
    let rows = claims.iter().map(|claim| {
        vec![
            json!(claim.subject),
            json!(claim.paper),
            json!(claim.measured),
            json!(claim.verdict.to_string()),
            json!(claim.rule),
            json!(claim.why),
        ]
    });
    Figure::table(header.map(String::from).to_vec(), rows.collect())
}
