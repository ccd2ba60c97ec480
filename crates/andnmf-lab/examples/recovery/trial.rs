//! One trial: data with a known truth, a start, and a default fit.

use std::error::Error;
use std::str::FromStr;

use andnmf::fit::{Fit, Run, Start};
use andnmf::init::successive_projection;
use andnmf::metrics::{RecoveryObserver, correlation_error};
use andnmf::samples::{DenseSamples, Samples};
use andnmf::synth::{Dataset, DatasetSpec};
use andnmf::{FitError, Method, MethodParams, SettingError};
use andnmf_lab::with_out_of_span_share;
use ndarray::Array2;
use serde::Deserialize;
use serde_json::{Value, json};

/// Data with a known truth and what a fit is told about it.
#[derive(Debug, Deserialize)]
pub(crate) struct Trial {
    /// The data.
    dataset: DatasetSpec,
    /// Whether the fit begins near the truth, or with the data alone.
    #[serde(default)]
    near_truth: bool,
    /// Size of what the start has outside the span of the truth, relative to the components; in place of the
    /// scale in the recipe, which knows nothing of their size.
    #[serde(default)]
    out_of_span_share: f64,
    /// Whether to measure every stage. That takes longer than the stage, though it is off the solver's clock.
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
        with_out_of_span_share(data, self.out_of_span_share)
    }

    /// Makes the data, fits them, and measures.
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
        let mut said = report(&fit);
        said["error"] = json!(error.relative_total());
        said["wrong"] = json!(error.relative.iter().filter(|&&error| error > 0.1).count());
        said["errors"] = json!(observer.errors);
        Ok(said)
    }
}

/// What is measured: a method with its default settings, or successive projection alone.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Contender {
    Method(Method),
    SuccessiveProjection,
}

/// What a contender found, and what it took.
pub(crate) struct Found {
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
    ) -> Result<Found, FitError> {
        match self {
            Self::SuccessiveProjection => {
                Ok(Found { components: successive_projection(samples, rank)?, fit: None })
            }
            Self::Method(method) => {
                let params = MethodParams::new(method, rank).with_seed(seed);
                let fit = params.check()?.fit(samples, start, run)?;
                Ok(Found { components: fit.components.clone(), fit: Some(fit) })
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

/// What a fit took and what it says about itself.
pub(crate) fn report(found: &Found) -> Value {
    let Some(fit) = &found.fit else { return json!({}) };
    let warnings: Vec<String> = fit.warnings.iter().map(ToString::to_string).collect();
    json!({
        "seconds": fit.seconds,
        "stages": fit.stages,
        "passes": fit.passes,
        "stop": fit.stop,
        "warnings": warnings,
        "trust": fit.trust,
    })
}
