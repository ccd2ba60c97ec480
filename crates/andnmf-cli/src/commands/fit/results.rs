//! The result files of a fit.

use std::collections::BTreeMap;
use std::time::Instant;

use andnmf::auto::{CountReport, Ending};
use andnmf::fit::{Fit, StageRecord, StopReason};
use andnmf::metrics::{Recovery, reconstruction_norms};
use andnmf::samples::Samples;
use andnmf::trust::Trust;
use andnmf::{MethodParams, Real};
use andnmf_io::model::Model;
use andnmf_io::{Overwrite, write, write_array};
use andnmf_program::format::number;
use andnmf_program::{Failure, OutputFolder, write_failure};
use ndarray::Array2;
use serde::Serialize;
use serde_json::Value;

use super::scan::Negatives;
use crate::shared::{components_table, weights_table};

/// `summary.json`: its keys must not change.
#[derive(Debug, Serialize)]
pub(crate) struct Summary {
    pub(crate) method: &'static str,
    pub(crate) rank: usize,
    pub(crate) n_samples: usize,
    pub(crate) n_features: usize,
    pub(crate) stages: usize,
    /// Of the search before them, to which the limit on stages does not apply.
    pub(crate) search_stages: usize,
    pub(crate) stop_reason: StopReason,
    /// The algorithm alone.
    pub(crate) solver_seconds: f64,
    /// The whole command.
    pub(crate) seconds: f64,
    pub(crate) reconstruction_error: f64,
    /// The Frobenius norm of the residual, to which the relative error belongs.
    pub(crate) residual_norm: f64,
    pub(crate) passes: usize,
    /// The initialization of the components.
    pub(crate) start: String,
    /// The step that produced the components.
    pub(crate) ending: String,
    /// The noise that the fit expected.
    pub(crate) noise: &'static str,
    /// The numbers of the samples that the fit set aside as outliers, counted from 0: they took no part in it.
    pub(crate) set_aside: Vec<usize>,
    /// What the fit found about counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) counts: Option<CountReport>,
    /// `None` (null) exactly for methods without a verdict; a cancelled run has the verdict poor.
    pub(crate) trust: Option<Trust>,
    pub(crate) warnings: Vec<String>,
    pub(crate) settings: Value,
    /// True if the samples were read from their file in blocks.
    pub(crate) out_of_core: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) recovery: Option<Recovery>,
}

impl Summary {
    /// Summarizes a fit from the start `init`. `options` are those of the command beyond the settings of the method.
    pub(crate) fn of<T: Real>(
        fit: &Fit<T>,
        settings: &MethodParams,
        (samples, weights): (&dyn Samples<T>, &Array2<T>),
        negatives: &Negatives,
        (init, options): (&str, Value),
        started: Instant,
    ) -> Result<Self, Failure> {
        let mut all_settings = serde_json::to_value(settings.clone().resolved(fit))?;
        if let (Value::Object(all), Value::Object(options)) = (&mut all_settings, options) {
            all.extend(options);
        }
        let mut warnings: Vec<String> = fit.warnings.iter().map(ToString::to_string).collect();
        warnings.splice(0..0, negatives.warning(fit));
        let norms = reconstruction_norms(samples, weights.view(), fit.components.view())?;
        Ok(Self {
            method: settings.method().name(),
            rank: settings.rank(),
            n_samples: samples.n_samples(),
            n_features: samples.n_features(),
            stages: fit.final_stages(),
            search_stages: fit.search_stages,
            stop_reason: fit.stop,
            solver_seconds: fit.seconds,
            seconds: started.elapsed().as_secs_f64(),
            reconstruction_error: norms.relative_error(),
            residual_norm: norms.residual.sqrt(),
            passes: fit.passes,
            start: start_of(fit, init, settings, negatives),
            ending: fit.ending().to_owned(),
            noise: if settings.clone().resolved(fit).weighs_counts() { "poisson" } else { "gaussian" },
            set_aside: fit.report.as_ref().map_or_else(Vec::new, |report| report.set_aside.clone()),
            counts: fit.report.as_ref().and_then(|report| report.counts.clone()),
            trust: fit.trust.clone(),
            warnings,
            settings: all_settings,
            out_of_core: false,
            recovery: None,
        })
    }
}

/// The name of the start: the one that AND selected, or the given one.
fn start_of<T: Real>(fit: &Fit<T>, init: &str, settings: &MethodParams, negatives: &Negatives) -> String {
    if let Some(report) = &fit.report
        && let Ok(Value::String(origin)) = serde_json::to_value(report.origin)
    {
        return origin;
    }
    if init != "auto" {
        return init.to_owned();
    }
    settings.default_start(negatives.count > 0).to_owned()
}

impl Negatives {
    /// The warning about negative samples, if there are any.
    fn warning<T: Real>(&self, fit: &Fit<T>) -> Option<String> {
        let &Self { count, all, lowest } = self;
        let unsigned = fit.report.as_ref().filter(|report| report.ending != Ending::Signed);
        let meaning = if unsigned.is_some_and(|report| !report.set_aside.is_empty()) {
            "they are within the noise or in samples that were set aside, so the components are non-negative"
        } else if unsigned.is_some() {
            "they are within the noise, so the components are non-negative"
        } else if fit.components.iter().any(|value| value.as_f64() < 0.0) {
            "the components may be negative too, and some are; if negative values are unexpected, check the samples"
        } else {
            "the components are non-negative nevertheless"
        };
        let are = if count == 1 { "is" } else { "are" };
        (count > 0).then(|| {
            format!("{count} of {all} values {are} negative, the lowest {}: {meaning}", number(lowest, 3))
        })
    }
}

/// All files that a fit may write, besides the summary and checkpoints. Those of an earlier fit would contradict the new
/// summary.
pub(crate) const FILES_OF_A_FIT: [&str; 11] = [
    "components.npy",
    "weights.npy",
    "model.safetensors",
    "trace.csv",
    "report.html",
    "components.png",
    "topics.json",
    "documents.txt",
    "words.csv",
    "components.csv",
    "weights.csv",
];

/// The contents of all result files of a fit.
pub(crate) struct ResultFiles<'a, T: Real> {
    pub(crate) model: &'a Model<T>,
    pub(crate) weights: &'a Array2<T>,
    pub(crate) trace: &'a [StageRecord],
    /// Error against the truth after each stage; `None` without a truth.
    pub(crate) errors: Option<&'a BTreeMap<usize, f64>>,
    pub(crate) page: Option<String>,
    /// The names of the samples, if tables with names are wanted; the inner `None` numbers them.
    pub(crate) tables: Option<Option<&'a [String]>>,
    /// Further files, by name.
    pub(crate) others: Vec<(&'static str, Vec<u8>)>,
    pub(crate) summary: &'a Summary,
}

impl<T: Real> ResultFiles<'_, T> {
    /// Writes all files, the summary last, and returns their names.
    pub(crate) fn write(&self, folder: &OutputFolder) -> Result<Vec<&'static str>, Failure> {
        let mut staged = folder.stage()?.replacing(&FILES_OF_A_FIT);
        let mut names = vec!["components.npy", "weights.npy", "model.safetensors", "trace.csv"];
        let components = staged.file(names[0])?;
        write_array(&components, self.model.components().view(), Overwrite::Yes).map_err(write_failure)?;
        write_array(&staged.file(names[1])?, self.weights.view(), Overwrite::Yes).map_err(write_failure)?;
        self.model.save(&staged.file(names[2])?, Overwrite::Yes).map_err(write_failure)?;
        staged.write_text(names[3], &trace_csv(self.trace, self.errors))?;
        if let Some(page) = &self.page {
            names.push("report.html");
            staged.write_text("report.html", page)?;
        }
        if let Some(sample_names) = self.tables {
            let components = components_table(self.model.components().view(), self.model.feature_names())?;
            let weights = weights_table(self.weights.view(), sample_names)?;
            for (name, table) in [("components.csv", components), ("weights.csv", weights)] {
                names.push(name);
                write(&staged.file(name)?, &table, Overwrite::Yes).map_err(write_failure)?;
            }
        }
        for (name, contents) in &self.others {
            names.push(name);
            staged.write_bytes(name, contents)?;
        }
        names.push("summary.json");
        staged.write_text("summary.json", &(serde_json::to_string_pretty(self.summary)? + "\n"))?;
        staged.finish()?;
        Ok(names)
    }
}

/// The text of `trace.csv`; values that a method does not have stay empty.
pub(crate) fn trace_csv(trace: &[StageRecord], errors: Option<&BTreeMap<usize, f64>>) -> String {
    let mut text = String::from("stage");
    for (name, _) in StageRecord::COLUMNS {
        text.push(',');
        text.push_str(name);
    }
    text.push_str(if errors.is_some() { ",relative_correlation_error\n" } else { "\n" });
    let or_empty = |value: Option<f64>| value.map_or_else(String::new, |value| format!("{value:?}"));
    for record in trace {
        text.push_str(&record.stage.to_string());
        let error = errors.map(|errors| errors.get(&record.stage).copied());
        for value in StageRecord::COLUMNS.iter().map(|(_, value)| value(record)).chain(error) {
            text.push(',');
            text.push_str(&or_empty(value));
        }
        text.push('\n');
    }
    text
}
