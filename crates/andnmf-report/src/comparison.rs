//! A comparison of methods, and additional sections of text, tables and drawings.

use serde::Serialize;
use serde_json::Value;

use crate::rounding::{rounded, rounded_json};

/// One method of a comparison on the same samples.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct MethodRow {
    /// The name of the method.
    pub name: String,
    /// The final error against the truth, if there is a truth.
    pub error: Option<f64>,
    /// Solver time in seconds.
    pub seconds: Option<f64>,
    /// A remark.
    pub note: String,
    /// The error over time as (seconds, error), in order of time; empty if unknown.
    pub curve: Vec<(f64, f64)>,
}

impl MethodRow {
    pub(crate) fn rounded(mut self) -> Self {
        self.error = self.error.map(rounded);
        self.seconds = self.seconds.map(rounded);
        for (seconds, error) in &mut self.curve {
            (*seconds, *error) = (rounded(*seconds), rounded(*error));
        }
        self
    }
}

/// An additional section of the page.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Section {
    /// The heading.
    pub title: String,
    /// Paragraphs, separated by empty lines.
    pub text: String,
    /// Tables and drawings below the text.
    pub figures: Vec<Figure>,
}

/// A table or drawing of a [`Section`].
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Figure {
    /// A drawing. `currentColor` follows the theme; scripts and external references are removed.
    Svg(String),
    /// A table of text and numbers.
    Table {
        /// Headings of the columns.
        header: Vec<String>,
        /// Rows, with one cell per heading.
        rows: Vec<Vec<Value>>,
    },
}

impl Figure {
    /// A table with fractions rounded to four digits.
    #[must_use]
    pub fn table(header: Vec<String>, rows: Vec<Vec<Value>>) -> Self {
        let rows = rows.into_iter().map(|row| row.into_iter().map(rounded_json).collect()).collect();
        Self::Table { header, rows }
    }
}
