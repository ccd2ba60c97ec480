//! What a page may show beside or instead of one fit.

use serde::Serialize;
use serde_json::Value;

use crate::rounding::{rounded, rounded_json};

/// One method among several on the same samples.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct MethodRow {
    /// The method as users call it.
    pub name: String,
    /// Distance from the truth at the end, where there is one.
    pub error: Option<f64>,
    /// Time in the solver.
    pub seconds: Option<f64>,
    /// What else there is to say of it.
    pub note: String,
    /// Its way there: (seconds, error) in the order of time; empty where it is not known.
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

/// A part of the page that the caller brings along.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Section {
    /// The heading.
    pub title: String,
    /// Paragraphs, separated by empty lines.
    pub text: String,
    /// What is shown below the text, one after the other.
    pub figures: Vec<Figure>,
}

/// What a [`Section`] shows.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Figure {
    /// A drawing. `currentColor` follows the theme; scripts and whatever it would load are removed.
    Svg(String),
    /// A table of text and numbers.
    Table {
        /// Headings of the columns.
        header: Vec<String>,
        /// Rows with as many cells.
        rows: Vec<Vec<Value>>,
    },
}

impl Figure {
    /// A table whose fractions are rounded to what the page shows.
    #[must_use]
    pub fn table(header: Vec<String>, rows: Vec<Vec<Value>>) -> Self {
        let rows = rows.into_iter().map(|row| row.into_iter().map(rounded_json).collect()).collect();
        Self::Table { header, rows }
    }
}
