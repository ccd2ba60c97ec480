//! What came out as a Markdown document, for the project's own pages.

use std::fmt::Write;

use super::claims::{Judged, Verdict};
use super::spoken::spoken;
use super::{FigureName, Reproduction, Scale};

/// Where and how a reproduction was made.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct About {
    /// The program and its version.
    pub program: String,
    /// The heading of the page and the document; the usual one where there is none.
    pub title: Option<String>,
    /// The machine, in words.
    pub machine: String,
    /// What was typed, in the order in which it was.
    pub commands: Vec<String>,
    /// Where the truth came from, in words.
    pub truth: String,
}

impl About {
    /// The heading.
    pub(super) fn title(&self) -> &str {
        self.title.as_deref().unwrap_or("The paper's figures, reproduced")
    }
}

/// The document.
pub(super) fn document(reproduction: &Reproduction, claims: &[Judged], about: &About) -> String {
    let mut text = format!("# {}\n\n", about.title());
    for line in facts(reproduction, about) {
        let _ = writeln!(text, "- {line}");
    }
    let _ = writeln!(text, "\n## What the paper says, and what came out\n");
    let _ = writeln!(text, "{}\n", tally(claims));
    for figure in &reproduction.plan.figures {
        let of: Vec<&Judged> = claims.iter().filter(|claim| claim.figure == *figure).collect();
        let _ = writeln!(text, "### {}\n", figure.title());
        if let Some((_, why)) = reproduction.plan.left_out.iter().find(|(name, _)| name == figure) {
            let _ = writeln!(text, "Not run: {why}.\n");
            continue;
        }
        if !of.is_empty() {
            let _ = writeln!(text, "| about | the paper says | measured | verdict |\n|---|---|---|---|");
        }
        for claim in &of {
            let _ = writeln!(
                text,
                "| {} | {} | {} | **{}** |",
                in_cell(&claim.about),
                in_cell(claim.paper),
                in_cell(&claim.measured),
                claim.verdict
            );
        }
        list(&mut text, "Rules", of.iter().map(|claim| claim.rule));
        let differences: Vec<String> =
            of.iter().filter_map(|claim| Some(format!("{}: {}", claim.about, claim.why.as_ref()?))).collect();
        list(&mut text, "Where it differs", differences.iter().map(String::as_str));
        let _ = writeln!(text);
    }
    text.trim_end().to_owned() + "\n"
}

/// Sentences, each of them once, where there are any.
fn list<'a>(text: &mut String, heading: &str, sentences: impl Iterator<Item = &'a str>) {
    let mut said: Vec<&str> = Vec::new();
    for sentence in sentences {
        if said.is_empty() {
            let _ = writeln!(text, "\n{heading}:\n");
        }
        if !said.contains(&sentence) {
            let _ = writeln!(text, "- {sentence}");
            said.push(sentence);
        }
    }
}

/// What has to be known about the numbers.
pub(super) fn facts(reproduction: &Reproduction, about: &About) -> Vec<String> {
    let params = &reproduction.plan.params;
    let (rank, n_features) = params.truth_size();
    let results = &reproduction.results;
    let commits = match results.commits()[..] {
        [] => String::new(),
        [one] => format!(", commit {one}"),
        ref several => format!(", commits {}", several.join(", ")),
    };
    let commands: Vec<String> = about.commands.iter().map(|command| format!("`{command}`")).collect();
    let minutes = results.results.iter().map(|result| result.wall_seconds).sum::<f64>().abs() / 60.0;
    let size = match params.scale {
        Scale::Full => "The paper's sizes",
        Scale::Quick => "A quick look at small sizes, which says little about the paper's",
    };
    vec![
        format!("Made by {}{commits}: {}.", about.program, commands.join(", ")),
        format!("Machine: {}.", about.machine),
        format!(
            "{size}: {} samples, {n_features} features, {rank} components; {}.",
            params.n_samples(),
            about.truth
        ),
        format!(
            "{} (median, 10 to 90 %), {} s per method and seed in the solver; measuring is off the clock.",
            if params.seeds == 1 { "1 seed".to_owned() } else { format!("{} seeds", params.seeds) },
            params.budget
        ),
        match results.results.len() {
            0 => "Nothing was run.".to_owned(),
            count => format!("{count} cells in {} minutes of work.", spoken(minutes)),
        },
    ]
}

/// How many claims came out how.
#[must_use]
pub fn tally(claims: &[Judged]) -> String {
    let count = |verdict| claims.iter().filter(|claim| claim.verdict == verdict).count();
    let told: Vec<String> = Verdict::ALL
        .into_iter()
        .filter(|&verdict| count(verdict) > 0)
        .map(|verdict| format!("{verdict}: {}", count(verdict)))
        .collect();
    format!("Of {} claims: {}.", claims.len(), told.join(", "))
}

fn in_cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}

/// What a figure shows, as the line below its heading.
pub(super) fn caption(figure: FigureName) -> &'static str {
    match figure {
        FigureName::Fig1a | FigureName::Fig1b => {
            "The paper's total correlation error against time in the solver: on an even axis for as long as AND (paper) takes, \
             where a linear rate is a straight line, and on a logarithmic one for all of the time. All methods begin with the \
             start A*(I + U), except AND (auto) and anchor words, which begin with the data alone. Methods that have no place \
             for negative entries begin with that start clipped at zero, which changes its error: each line begins at its \
             method's own start, and what is left of an error is a share of that one. Lines are medians over seeds, bands 10 \
             to 90 %. \
             CTM is read in two ways: one covariance for all samples, as the paper says, and a fresh one for every sample, \
             as its released program draws them. AND (auto) tries several starts one after the other, and its line shows all of them. A truth \
             that was learned by anchor words has anchors by construction: on such a truth that method is at home."
        }
        FigureName::Fig1c => {
            "The same on components with negative entries. Rivals run with their sign constraint on the components (then from \
             the start clipped at zero), and without it (signed); weights are never negative. Topic models cannot take negative \
             samples."
        }
        FigureName::Fig2a | FigureName::Fig2b => {
            "AND with the paper's decreasing thresholds 0.1/1.1^j and with constant ones, 200 stages of 50 steps."
        }
        FigureName::Fig2c => {
            "AND under noise, T = 100, with the paper's thresholds and with thresholds that stop at twice the root mean square \
             of the negative decoded weights (floored); at one level also with T = 50."
        }
        FigureName::Fig3a => {
            "Starts A*(I + U) with the entries of U uniform on [-0.05, 0.05)·r_l, on DIR and on both readings of CTM."
        }
        FigureName::Fig3b => {
            "Starts A*(I + U) + N. The length of N's rows is given as a share of the mean length of the true components; the \
             scale r_n of the paper follows from it and from the truth."
        }
        FigureName::Fig4 => {
            "Dirichlet weights with total concentration α: from one component per sample to almost all of them. Beside the \
             paper's settings, AND auto, which begins with the data alone."
        }
        FigureName::Table1 => {
            "Ten topics by NMF (HALS) on tf-idf, LDA on counts, AND with the paper's settings from ten random documents, and \
             AND auto. Coherence is the mean NPMI of a topic's ten top words."
        }
        FigureName::Fig5 => {
            "Six components of the faces by AND with the paper's settings from six random pictures, AND auto, and NMF by three \
             methods. A method that failed has a row without pictures, and the table says why. The other five methods of the paper's figure are those of scikit-learn: bindings/python/examples/faces.py \
             draws them beside AND."
        }
        FigureName::Phase => {
            "How well components that come in pairs are recovered, by how often a pair comes together and something else: the \
             mean relative error of a component. AND auto begins with the data alone, except where the start is what is varied; \
             all others begin at A*(I + U). Lines follow the theorem's bound: along a line, the m of the weights is that many \
             times the bound with its constant taken as 1 (phase-bound.csv has it for every place). The built-in truth is used \
             here, whatever else was asked for. The last figure follows the errors of the theory from stage to stage \
             (phase-lemma.csv)."
        }
    }
}
