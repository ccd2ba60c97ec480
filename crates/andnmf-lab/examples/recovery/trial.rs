//! One trial: data with a known truth, a start, and a default fit.

use std::error::Error;
use std::str::FromStr;

use andnmf::fit::{Fit, Run, Start};
use andnmf::init::successive_projection;
use andnmf::metrics::{RecoveryObserver, correlation_error};
use andnmf::samples::{DenseSamples, Samples};
use andnmf::synth::{Dataset, DatasetSpec};
use andnmf::{FitError, Method, MethodParams, SettingError};
use andnmf_lab::{Norm, with_out_of_span_share};
use ndarray::Array2;
use serde::Deserialize;
use serde_json::{Value, json};

/// Data with a known truth, and the start of the fit.
#[derive(Debug, Deserialize)]
pub(crate) struct Trial {
    /// The data.
    dataset: DatasetSpec,
    /// True if the fit starts near the truth, false if it starts from the data alone.
    #[serde(default)]
    near_truth: bool,
    /// Norm of the part of the start outside the span of the truth, relative to the components. Replaces the absolute
    /// scale of the dataset.
    #[serde(default)]
    out_of_span_share: f64,
    /// True to measure every stage. This takes longer than a stage, but is not part of the solver time.
    #[serde(default)]
    every_stage: bool,
}

impl Trial {
    /// The data of the trial.
    pub(crate) fn data(&self) -> Result<Dataset, SettingError> {
        let data = self.dataset.generate()?;
        if self.out_of_span_share == 0.0 {
            return Ok(data);
        }
        with_out_of_span_share(data, Norm::Euclidean, self.out_of_span_share)
    }

    /// Generates the data, fits, and measures.
    pub(crate) fn run(&self, contender: Contender) -> Result<Value, Box<dyn Error>> {
        let data = self.data()?;
        let samples = DenseSamples::new(data.samples.view())?;
        let start = if self.near_truth { Start::Given(data.init) } else { Start::Auto };
        let mut observer = RecoveryObserver::new(data.truth.clone());
        let mut run = Run::new();
        if self.every_stage {
            run = run.observe(&mut observer);
        }
        let fit = contender.fit(&samples, data.spec.rank, 0, start, &mut run)?;
        let error = correlation_error(fit.components.view(), data.truth.view())?;
        let mut output = report(&fit);
        output["error"] = json!(error.relative_total());
        output["wrong"] = json!(error.relative.iter().filter(|&&error| error > 0.1).count());
        output["errors"] = json!(observer.errors);
        Ok(output)
    }
}

/// A method with default settings, or successive projection alone.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Contender {
    Method(Method),
    SuccessiveProjection,
}

/// The components of a fit, and the fit itself if a method ran.
pub(crate) struct TrialFit {
    pub(crate) components: Array2<f64>,
    fit: Option<Fit<f64>>,
}

impl Contender {
    pub(crate) fn fit(
        self,
        samples: &dyn Samples<f64>,
        rank: usize,
        seed: u64,
        start: Start<f64>,
        run: &mut Run<'_, f64>,
    ) -> Result<TrialFit, FitError> {
        match self {
            Self::SuccessiveProjection => {
                Ok(TrialFit { components: successive_projection(samples, rank)?, fit: None })
            }
            Self::Method(method) => {
                let params = MethodParams::new(method, rank).with_seed(seed);
                let fit = params.check()?.fit(samples, start, run)?;
                Ok(TrialFit { components: fit.components.clone(), fit: Some(fit) })
            }
        }
    }
}

impl FromStr for Contender {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        if name == "spa" {
            return Ok(Self::SuccessiveProjection);
        }
        let method = Method::ALL.into_iter().find(|method| method.name() == name);
        method.map(Self::Method).ok_or_else(|| format!("there is no method {name:?}"))
    }
}

/// Time, stop reason, warnings and trust of a fit.
pub(crate) fn report(result: &TrialFit) -> Value {
    let Some(fit) = &result.fit else { return json!({}) };
    let warnings: Vec<String> = fit.warnings.iter().map(ToString::to_string).collect();
    json!({
        "seconds": fit.seconds,
        "stages": fit.stages,
        "passes": fit.passes,
        "stop": fit.stop,
        "warnings": warnings,
        "ending": fit.ending(),
        "trust": fit.trust,
    })
}
