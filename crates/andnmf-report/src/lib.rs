//! A finished fit, or a comparison of methods, as one page that needs nothing but a browser.
//!
//! A [`Report`] is everything the page draws, as data; [`Report::to_html`] puts style, script and data into one
//! text. Nothing here reads or writes files.
//!
//! ```
//! use andnmf_report::{FitView, Report};
//! use serde_json::json;
//!
//! let components = ndarray::array![[0.0, 1.0, 1.0], [1.0, 0.0, 1.0]];
//! let summary = json!({"method": "and", "rank": 2, "trust": {"verdict": "good", "reasons": []}});
//! let report = Report::new("Two components", summary).with_fit(&FitView::new(components.view()))?;
//! assert!(report.to_html().contains("Two components"));
//! # Ok::<(), andnmf_report::ReportError>(())
//! ```

mod activity;
mod base64;
mod cluster;
mod comparison;
mod components;
mod correlations;
mod error;
mod fit_view;
mod page;
mod pictures;
mod rounding;
mod trace;

use andnmf::Real;
use serde::Serialize;
use serde_json::Value;

pub use activity::Activity;
pub use base64::base64;
pub use comparison::{Figure, MethodRow, Section};
pub use components::{Component, Components};
pub use correlations::{Correlations, Pair};
pub use error::ReportError;
pub use fit_view::{FitView, Kind, Thresholds};
pub use pictures::Picture;
pub use trace::Trace;

/// Everything that a page shows. Parts that are missing are left out of the page.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// What was fitted, as the heading of the page.
    pub title: String,
    /// The program and its version.
    pub made_by: String,
    /// The figures of the fit as in `summary.json`; null where the page is not about one fit.
    pub summary: Value,
    /// One entry per stage.
    pub trace: Option<Trace>,
    /// What was found.
    pub components: Option<Components>,
    /// How the weights of the components go together.
    pub correlations: Option<Correlations>,
    /// Several methods on the same samples.
    pub methods: Vec<MethodRow>,
    /// What else there is to say.
    pub sections: Vec<Section>,
}

impl Report {
    /// A report with a summary and nothing else. Of the summary the page understands the fields of
    /// `summary.json`, each of which may be missing.
    #[must_use]
    pub fn new(title: impl Into<String>, summary: Value) -> Self {
        Self {
            title: title.into(),
            made_by: concat!("andnmf ", env!("CARGO_PKG_VERSION")).into(),
            summary,
            trace: None,
            components: None,
            correlations: None,
            methods: Vec::new(),
            sections: Vec::new(),
        }
    }

    /// Adds the stages of the fit.
    #[must_use]
    pub fn with_trace(mut self, trace: Trace) -> Self {
        self.trace = Some(trace.rounded());
        self
    }

    /// Adds components and, where there are weights, how they are used and go together. How stable each component
    /// is comes from the summary.
    ///
    /// # Errors
    /// Where the parts do not fit together, or a number is not finite.
    pub fn with_fit<T: Real>(mut self, fit: &FitView<'_, T>) -> Result<Self, ReportError> {
        fit.check()?;
        let stability = self.summary.pointer("/trust/component_stability").and_then(Value::as_array);
        let stability: Vec<Option<f64>> = stability.into_iter().flatten().map(Value::as_f64).collect();
        let components = Components::of(fit, &stability);
        if let Some(weights) = fit.weights {
            let shares: Vec<f64> = components.items.iter().map(|item| item.share.unwrap_or(0.0)).collect();
            self.correlations = Correlations::of(weights, &shares)?;
        }
        self.components = Some(components);
        Ok(self)
    }

    /// Adds a comparison of methods.
    #[must_use]
    pub fn with_methods(mut self, methods: Vec<MethodRow>) -> Self {
        self.methods = methods.into_iter().map(MethodRow::rounded).collect();
        self
    }

    /// Adds a section at the end of the page.
    #[must_use]
    pub fn with_section(mut self, section: Section) -> Self {
        self.sections.push(section);
        self
    }

    /// The page: one HTML document that loads nothing.
    #[must_use]
    pub fn to_html(&self) -> String {
        let data = serde_json::to_string(self).expect("a report has nothing that JSON cannot hold");
        page::html(&self.title, &data)
    }
}

#[cfg(test)]
mod tests;
