//! The fit within a command that puts its samples together itself: no schedules, no truth, no checkpoints.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Instant;

use andnmf::fit::{Fit, Observer, StageView, Start, StopReason};
use andnmf::samples::Samples;
use andnmf::{MethodParams, Real};
use andnmf_io::model::Model;
use andnmf_program::{Common, Failure, OutputFolder, Precision, Progress};
use andnmf_report::FeatureKind;
use clap::Args;
use ndarray::Array2;
use serde_json::Value;

use super::fit::page;
use super::fit::results::{Results, Summary};
use super::fit::survey::Survey;
use super::method_args::MethodArgs;

/// What such a fit can be told.
#[derive(Debug, Clone, Args)]
pub(crate) struct PlainFitArgs {
    #[command(flatten)]
    pub(crate) settings: MethodArgs,
    /// Precision of the numbers
    #[arg(long, value_enum, default_value = "f64")]
    pub(crate) precision: Precision,
}

/// What was found.
pub(crate) struct PlainFit<T: Real> {
    pub(crate) fit: Fit<T>,
    pub(crate) model: Model<T>,
    pub(crate) weights: Array2<T>,
    pub(crate) summary: Summary,
    begun: Instant,
}

impl<T: Real> PlainFit<T> {
    /// Fits samples. `beside` are settings of the command that the method does not know.
    pub(crate) fn of(
        samples: &dyn Samples<T>,
        names: Option<Vec<String>>,
        settings: &MethodParams,
        beside: Value,
        common: &Common,
        (progress, begun): (&mut Progress, Instant),
    ) -> Result<Self, Failure> {
        progress.doing(format!("looking for {} components", settings.rank()));
        let mut watch = Watch { progress, most_stages: settings.stage_limit() };
        let solver = settings.clone().check::<T>()?;
        let fit = solver.fit(samples, Start::Auto, &mut common.run().observe(&mut watch))?;
        if fit.stop == StopReason::Cancelled {
            return Err(Failure::Stopped("nothing was written".to_owned()));
        }
        progress.doing("weights of the samples");
        let model = Model::from_fit(&fit, settings, names)?;
        let weights = model.weights(samples, None, &common.unstoppable())?;
        let negatives = Survey::of(samples)?.negatives;
        let summary = Summary::of(&fit, settings, (samples, &weights), &negatives, ("auto", beside), begun)?;
        Ok(Self { fit, model, weights, summary, begun })
    }

    /// Writes the files of a fit, the page, and the others given; says which.
    pub(crate) fn write(
        &mut self,
        folder: &OutputFolder,
        title: &Path,
        kind: FeatureKind,
        others: Vec<(&'static str, Vec<u8>)>,
    ) -> Result<Vec<&'static str>, Failure> {
        let title = title.file_name().unwrap_or_default().to_string_lossy();
        let told = serde_json::to_value(&self.summary)?;
        let page = page::html(&title, told, (&self.fit.trace, None), &self.model, self.weights.view(), kind)?;
        self.summary.seconds = self.begun.elapsed().as_secs_f64();
        let results = Results {
            model: &self.model,
            weights: &self.weights,
            trace: &self.fit.trace,
            errors: None,
            page: Some(page),
            others,
            summary: &self.summary,
        };
        results.write(folder)
    }
}

/// Shows how far the fit is.
struct Watch<'a> {
    progress: &'a mut Progress,
    most_stages: usize,
}

impl<T: Real> Observer<T> for Watch<'_> {
    fn stage(&mut self, view: &StageView<'_, T>) -> ControlFlow<()> {
        self.progress.stage(view.record, self.most_stages, None);
        ControlFlow::Continue(())
    }
}

/// A folder for results: which, and whether what is in it may be replaced.
#[derive(Debug, Clone, Args)]
pub(crate) struct ForceArgs {
    /// Replace the results that are in DIR already
    #[arg(long, requires = "out")]
    pub(crate) force: bool,
}

impl ForceArgs {
    /// The folder, where one was named.
    pub(crate) fn open(&self, out: Option<&PathBuf>) -> Result<Option<OutputFolder>, Failure> {
        out.map(|out| OutputFolder::open(out, self.force)).transpose()
    }
}
