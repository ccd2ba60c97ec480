//! The fit of commands that assemble their own samples (`topics`, `images`): no truth, no checkpoints.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Instant;

use andnmf::fit::{Fit, Observer, StageRecord, StageView, Start, StopReason};
use andnmf::samples::Samples;
use andnmf::{MethodParams, Real};
use andnmf_io::model::Model;
use andnmf_program::{CommonArgs, Failure, OutputFolder, Precision, Progress};
use andnmf_report::FeatureKind;
use clap::Args;
use ndarray::Array2;
use serde_json::Value;

use super::fit::observer::total_stage_limit;
use super::fit::page;
use super::fit::results::{ResultFiles, Summary};
use super::fit::scan::SampleScan;
use super::method_args::MethodArgs;

/// The options of such a fit.
#[derive(Debug, Clone, Args)]
pub(crate) struct SimpleFitArgs {
    #[command(flatten)]
    pub(crate) settings: MethodArgs,
    /// Also write components.csv and weights.csv, with the names of features and samples
    #[arg(long)]
    pub(crate) tables: bool,
    /// Floating-point precision
    #[arg(long, value_enum, default_value = "f64", help_heading = "Input options")]
    pub(crate) precision: Precision,
}

/// The result of such a fit.
pub(crate) struct SimpleFit<T: Real> {
    pub(crate) fit: Fit<T>,
    pub(crate) model: Model<T>,
    pub(crate) weights: Array2<T>,
    pub(crate) summary: Summary,
    /// The names of the samples, for tables.
    pub(crate) sample_names: Option<Vec<String>>,
    tables: bool,
    started: Instant,
}

impl<T: Real> SimpleFit<T> {
    /// Fits samples. `options` are those of the command beyond the settings of the method.
    pub(crate) fn of(
        samples: &dyn Samples<T>,
        names: Option<Vec<String>>,
        (settings, tables): (&MethodParams, bool),
        options: Value,
        common: &CommonArgs,
        (progress, started): (&mut Progress, Instant),
    ) -> Result<Self, Failure> {
        progress.set_message(format!("fitting {} components", settings.rank()));
        let mut observer = ProgressObserver { progress, max_stages: total_stage_limit(settings) };
        let solver = settings.clone().check::<T>()?;
        let fit = solver.fit(samples, Start::Auto, &mut common.run().observe(&mut observer))?;
        if fit.stop == StopReason::Cancelled {
            return Err(Failure::Cancelled("nothing was written".to_owned()));
        }
        progress.set_message("computing weights");
        let model = Model::from_fit(&fit, settings, names)?;
        let weights = model.weights(samples, None, &common.uncancellable_run())?;
        let negatives = SampleScan::of(samples)?.negatives;
        let summary =
            Summary::of(&fit, settings, (samples, &weights), &negatives, ("auto", options), started)?;
        Ok(Self { fit, model, weights, summary, sample_names: None, tables, started })
    }

    /// Writes the files of a fit, the report and the other files, and returns their names.
    pub(crate) fn write(
        &mut self,
        folder: &OutputFolder,
        title: &Path,
        kind: FeatureKind,
        others: Vec<(&'static str, Vec<u8>)>,
    ) -> Result<Vec<&'static str>, Failure> {
        let title = title.file_name().unwrap_or_default().to_string_lossy();
        let json = serde_json::to_value(&self.summary)?;
        let page =
            page::html(&title, json, (&self.fit.trace, None), &self.model, Some(self.weights.view()), kind)?;
        self.summary.seconds = self.started.elapsed().as_secs_f64();
        let results = ResultFiles {
            model: &self.model,
            weights: &self.weights,
            trace: &self.fit.trace,
            errors: None,
            page: Some(page),
            tables: self.tables.then_some(self.sample_names.as_deref()),
            others,
            summary: &self.summary,
        };
        results.write(folder)
    }
}

/// Shows the progress of the fit.
struct ProgressObserver<'a> {
    progress: &'a mut Progress,
    max_stages: Option<usize>,
}

impl<T: Real> Observer<T> for ProgressObserver<'_> {
    fn stage(&mut self, view: &StageView<'_, T>) -> ControlFlow<()> {
        self.progress.stage(view.record, self.max_stages, None);
        ControlFlow::Continue(())
    }

    fn refit_stage(&mut self, record: &StageRecord) -> ControlFlow<()> {
        self.progress.refit_stage(record);
        ControlFlow::Continue(())
    }
}

/// `--force` for an optional output folder.
#[derive(Debug, Clone, Args)]
pub(crate) struct ForceArgs {
    /// Replace existing results in DIR
    #[arg(long, requires = "out")]
    pub(crate) force: bool,
}

impl ForceArgs {
    /// Opens the output folder, if one was given.
    pub(crate) fn open(&self, out: Option<&PathBuf>) -> Result<Option<OutputFolder>, Failure> {
        out.map(|out| OutputFolder::open(out, self.force)).transpose()
    }
}
