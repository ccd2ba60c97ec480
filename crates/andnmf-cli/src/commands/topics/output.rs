//! The output of `andnmf topics`: a table, JSON, and lists of names.

use std::fmt::Write as _;
use std::io::{self, Write};

use andnmf_io::printable_line;
use andnmf_program::Failure;
use serde::Serialize;

use crate::commands::fit::results::Summary;

/// The contents of `topics.json`; with the summary of the fit, the output of `--json`.
#[derive(Debug, Serialize)]
pub(crate) struct TopicList {
    pub(crate) n_documents: usize,
    pub(crate) n_words: usize,
    /// The factorized values: `tf-idf` or `counts`.
    pub(crate) values: &'static str,
    pub(crate) mean_coherence: Option<f64>,
    pub(crate) topics: Vec<Topic>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) summary: Option<Summary>,
}

#[derive(Debug, Serialize)]
pub(crate) struct Topic {
    /// Its number, from 0.
    pub(crate) topic: usize,
    /// Its contribution to all documents, as a fraction of all topics.
    pub(crate) share: f64,
    pub(crate) coherence: Option<f64>,
    /// The top words, first ones first.
    pub(crate) words: Vec<TopWord>,
}

#[derive(Debug, Serialize)]
pub(crate) struct TopWord {
    pub(crate) word: String,
    /// Its value in the component.
    pub(crate) value: f64,
    /// How many times more frequent it is in the topic than in all topics.
    pub(crate) lift: f64,
}

impl TopicList {
    /// Prints a table on standard output.
    pub(crate) fn print(&self) -> Result<(), Failure> {
        let mut out = io::stdout().lock();
        let (k, documents, words) = (self.topics.len(), self.n_documents, self.n_words);
        writeln!(out, "{k} topics of {documents} documents × {words} words ({})", self.values)?;
        if let Some(mean) = self.mean_coherence {
            writeln!(out, "mean coherence {mean:.3} (NPMI: 1 = always together, 0 = by chance, -1 = never)")?;
        }
        writeln!(out, "\ntopic  share  coherence  top words")?;
        for topic in &self.topics {
            let score = topic.coherence.map_or_else(|| "-".to_owned(), |score| format!("{score:.3}"));
            let words: Vec<&str> = topic.words.iter().map(|top| top.word.as_str()).collect();
            writeln!(
                out,
                "{:>5}  {:>4.1}%  {score:>9}  {}",
                topic.topic,
                100.0 * topic.share,
                printable_line(&words.join(" "))
            )?;
        }
        Ok(())
    }
}

/// Formats the notes and the verdict of a fit that is not written to files.
pub(crate) fn verdict_text(summary: &Summary) -> String {
    let mut text = String::new();
    for warning in &summary.warnings {
        // Writing into a string cannot fail.
        let _ = writeln!(text, "note: {warning}");
    }
    if let Some(trust) = &summary.trust {
        let _ = writeln!(text, "verdict: {}", trust.judgement.verdict);
        for reason in &trust.judgement.reasons {
            let _ = writeln!(text, "  - {reason}");
        }
    }
    text + "next: add --out DIR to write the topics, the weights of the documents and a report"
}

/// One name per line, with line breaks inside names replaced by spaces.
pub(crate) fn lines(names: &[String]) -> Vec<u8> {
    let mut text = String::new();
    for name in names {
        text.push_str(&name.replace(['\n', '\r'], " "));
        text.push('\n');
    }
    text.into_bytes()
}
