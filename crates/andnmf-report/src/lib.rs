//! The report of a fit, or of a comparison of methods, as one self-contained HTML page.
//!
//! A [`Report`] has the data that the page shows; [`Report::to_html`] combines style, script and data in one string.
//! This crate reads and writes no files.
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
mod features;
mod fit_view;
mod page;
mod pictures;
mod positions;
mod rounding;
mod top_samples;
mod trace;
mod trust;

use andnmf::Real;
use serde::Serialize;
use serde_json::Value;

pub use activity::Activity;
pub use base64::base64;
pub use comparison::{Figure, MethodRow, Section};
pub use components::{Component, Components};
pub use correlations::{Correlations, Pair};
pub use error::ReportError;
pub use features::Feature;
pub use fit_view::{ComponentThresholds, FeatureKind, FitView};
pub use pictures::Picture;
pub use positions::Positions;
pub use top_samples::{ListedSamples, TopSample, listed_samples};
pub use trace::Trace;
pub use trust::ComponentError;
use trust::Judged;

/// The data of a report page. The page omits the parts that are missing.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// The heading of the page.
    pub title: String,
    /// The program and its version.
    pub made_by: String,
    /// The content of `summary.json`; null if the page is not about a single fit.
    pub summary: Value,
    /// The trace of the fit, with one entry per stage.
    pub trace: Option<Trace>,
    /// The components.
    pub components: Option<Components>,
    /// The correlations between the weights of components.
    pub correlations: Option<Correlations>,
    /// A comparison of methods on the same samples.
    pub methods: Vec<MethodRow>,
    /// Additional sections.
    pub sections: Vec<Section>,
}

impl Report {
    /// A report with only a summary. The page shows the fields of `summary.json`, each of which may be missing.
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

    /// Adds the trace of the fit.
    #[must_use]
    pub fn with_trace(mut self, trace: Trace) -> Self {
        self.trace = Some(trace.rounded());
        self
    }

    /// Adds components and, if there are weights, their activity, top samples and correlations. The errors of components
    /// come from the summary.
    ///
    /// # Errors
    /// If the parts do not match, or a number is not finite.
    pub fn with_fit<T: Real>(mut self, fit: &FitView<'_, T>) -> Result<Self, ReportError> {
        fit.check()?;
        let components = Components::of(fit, &Judged::of(&self.summary));
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
    ///
    /// ```
    /// use andnmf_report::{Figure, Report, Section};
    /// use serde_json::{Value, json};
    ///
    /// let table = Figure::table(vec!["method".into(), "error".into()], vec![vec![json!("AND"), json!(0.25)]]);
    /// let section = Section { title: "Errors".into(), text: "One row per method.".into(), figures: vec![table] };
    /// let page = Report::new("Comparison", Value::Null).with_section(section).to_html();
    /// assert!(page.contains("One row per method."));
    /// ```
    #[must_use]
    pub fn with_section(mut self, section: Section) -> Self {
        self.sections.push(section);
        self
    }

    /// The page as one HTML document that loads nothing else.
    #[must_use]
    pub fn to_html(&self) -> String {
        let data = serde_json::to_string(self).expect("a report has nothing that JSON cannot hold");
        page::html(&self.title, &data)
    }
}

#[cfg(test)]
mod tests;
