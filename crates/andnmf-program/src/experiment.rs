//! One recovery experiment and its runner.

use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;

use andnmf::fit::{Fit, Run, StageRecord, StageView, Start, StopReason, Warning};
use andnmf::metrics::{Recovery, correlation_error};
use andnmf::samples::DenseSamples;
use andnmf::synth::{Dataset, DatasetSpec};
use andnmf::theory::{MatrixError, strongest_correlations};
use andnmf::trust::Trust;
use andnmf::{FitError, MethodParams, SamplesError, SettingError, ShapeError};
use ndarray::Array2;
use serde::{Deserialize, Serialize};

/// A dataset, and the method to fit it with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Experiment {
    /// The samples, their truth and the start.
    pub dataset: DatasetSpec,
    /// The method and its settings.
    pub method: MethodParams,
    /// The initialization of the method.
    #[serde(default)]
    pub from: StartFrom,
}

/// The initialization of a method.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StartFrom {
    /// The start of the dataset: its truth with the components mixed. The same for all methods.
    #[default]
    MixedTruth,
    /// The method's own initialization, from the samples alone.
    Data,
}

/// A finished stage with its error against the truth.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct StageRow {
    /// The figures of the stage.
    #[serde(flatten)]
    pub record: StageRecord,
    /// Relative total correlation error after the stage.
    pub relative_correlation_error: f64,
    /// The same for true components at the length they have: the paper's total correlation error.
    pub correlation_error: f64,
}

/// The result of an experiment.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ExperimentOutcome {
    /// Relative total correlation error of the start near the truth, even if it was not used.
    pub start_error: f64,
    /// The same for true components at the length they have: the paper's total correlation error.
    pub start_correlation_error: f64,
    /// Largest correlation (by magnitude) between the weights of two components; 0 for a single component.
    pub largest_weight_correlation: f64,
    /// One row per stage.
    pub stages: Vec<StageRow>,
    /// Recovery at the end.
    pub recovery: Recovery,
    /// Why the solver stopped.
    pub stop_reason: StopReason,
    /// Time spent in the solver.
    pub solver_seconds: f64,
    /// Dimension of the space the stages ran in, if smaller than the number of features.
    pub compressed_to: Option<usize>,
    /// Warnings for the user.
    pub warnings: Vec<Warning>,
    /// The trust summary, if the method has one.
    pub trust: Option<Trust>,
    /// Number of passes over all samples.
    pub passes: usize,
    /// The fitted components, rank × features.
    #[serde(skip)]
    pub components: Array2<f64>,
    /// The thresholds of the last stage, one per component; empty if the method has none.
    #[serde(skip)]
    pub thresholds: Vec<f64>,
}

/// Why an experiment could not be run.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[allow(missing_docs)] // each variant is its source
#[non_exhaustive]
pub enum ExperimentError {
    #[error(transparent)]
    Setting(#[from] SettingError),
    #[error(transparent)]
    Samples(#[from] SamplesError),
    #[error(transparent)]
    Fit(#[from] FitError),
    #[error(transparent)]
    Shape(#[from] ShapeError),
    #[error(transparent)]
    Matrix(#[from] MatrixError),
}

impl Experiment {
    /// Checks all settings.
    ///
    /// # Errors
    /// The first setting out of its range.
    pub fn check(&self) -> Result<(), SettingError> {
        self.dataset.check()?;
        self.method.clone().check::<f64>().map(|_| ())
    }

    /// Generates the data, fits them and measures every stage; `observer` receives each row and can cancel the run.
    ///
    /// # Errors
    /// If a setting is out of range, or the fit fails.
    pub fn run(
        &self,
        threads: Option<usize>,
        observer: &mut dyn FnMut(&StageRow) -> ControlFlow<()>,
    ) -> Result<ExperimentOutcome, ExperimentError> {
        self.check()?;
        self.run_on(&self.dataset.generate()?, threads, observer)
    }

    /// [`run`](Self::run) on existing data, so that several methods can share them.
    ///
    /// # Errors
    /// If a setting is out of range, or the fit fails.
    pub fn run_on(
        &self,
        data: &Dataset,
        threads: Option<usize>,
        observer: &mut dyn FnMut(&StageRow) -> ControlFlow<()>,
    ) -> Result<ExperimentOutcome, ExperimentError> {
        self.run_cancellable(data, threads, None, observer)
    }

    /// [`run_on`](Self::run_on) with a flag that cancels it, also in the middle of a stage.
    ///
    /// # Errors
    /// If a setting is out of range, the fit fails, or it is cancelled before there is a result.
    pub fn run_cancellable(
        &self,
        data: &Dataset,
        threads: Option<usize>,
        stop: Option<&AtomicBool>,
        observer: &mut dyn FnMut(&StageRow) -> ControlFlow<()>,
    ) -> Result<ExperimentOutcome, ExperimentError> {
        let solver = self.method.clone().check()?;
        let samples = DenseSamples::new(data.samples.view())?;
        let start_error = correlation_error(data.init.view(), data.truth.view())?;
        let mut rows = Vec::new();
        let mut measure = |view: &StageView<'_, f64>| {
            let error = correlation_error(view.components().view(), data.truth.view());
            let (relative_correlation_error, correlation_error) =
                error.map_or((f64::NAN, f64::NAN), |e| (e.relative_total(), e.total()));
            let row = StageRow { record: *view.record, relative_correlation_error, correlation_error };
            rows.push(row);
            observer(&row)
        };
        let mut run = Run::new().observe(&mut measure);
        if let Some(threads) = threads {
            run = run.threads(threads);
        }
        if let Some(stop) = stop {
            run = run.cancel_with(stop);
        }
        // Anchor words computes its own start, the anchors, and accepts no other.
        let start = match self.from {
            StartFrom::MixedTruth if self.method.method().info().takes_start => {
                Start::Given(data.init.clone())
            }
            StartFrom::MixedTruth | StartFrom::Data => Start::Auto,
        };
        let fit: Fit<f64> = solver.fit(&samples, start, &mut run)?;
        let strongest = strongest_correlations(data.weights.view(), 1)?;
        Ok(ExperimentOutcome {
            start_error: start_error.relative_total(),
            start_correlation_error: start_error.total(),
            largest_weight_correlation: strongest.first().map_or(0.0, |&(_, _, correlation)| correlation),
            stages: rows,
            recovery: Recovery::measure(fit.components.view(), data.truth.view())?,
            stop_reason: fit.stop,
            solver_seconds: fit.seconds,
            compressed_to: fit.compressed_to,
            warnings: fit.warnings,
            trust: fit.trust,
            passes: fit.passes,
            components: fit.components,
            thresholds: fit.thresholds,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use andnmf::Method;
    use andnmf::and::{AndParams, Schedule};
    use andnmf::synth::{DatasetKind, Weights};

    fn small() -> Experiment {
        let weights = Weights::Paired { sparsity: 3.0, co_occurrence: 0.8, decay_order: None };
        let dataset = DatasetSpec {
            n_features: 200,
            rank: 10,
            n_samples: 800,
            weights,
            ..DatasetSpec::new(DatasetKind::Paired)
        };
        let and = AndParams { threshold: Schedule::Constant(0.25).into(), ..AndParams::new(10) };
        Experiment { dataset, method: MethodParams::And(and), from: StartFrom::MixedTruth }
    }

    #[test]
    fn correlated_pairs_are_recovered_and_every_stage_is_measured() {
        let mut seen = 0;
        let outcome = small()
            .run(Some(1), &mut |_| {
                seen += 1;
                ControlFlow::Continue(())
            })
            .unwrap();
        assert_eq!((outcome.stop_reason, outcome.stages.len()), (StopReason::Converged, seen));
        assert!(outcome.start_error > 1.0 && outcome.largest_weight_correlation > 0.7);
        let last = outcome.stages.last().unwrap().relative_correlation_error;
        assert!(last < 1e-9 && last == outcome.recovery.relative_total_correlation_error, "{last:e}");
        let last = outcome.stages.last().unwrap().correlation_error;
        assert_eq!(last, outcome.recovery.total_correlation_error);
        // Topics sum to 1: they are shorter than that.
        assert!(outcome.start_correlation_error < outcome.start_error);
    }

    #[test]
    fn a_flag_cancels_it_before_the_first_stage() {
        let experiment = small();
        let data = experiment.dataset.generate().unwrap();
        let mut seen = 0;
        let outcome = experiment.run_cancellable(&data, None, Some(&AtomicBool::new(true)), &mut |_| {
            seen += 1;
            ControlFlow::Continue(())
        });
        let outcome = outcome.unwrap();
        assert_eq!((outcome.stop_reason, outcome.stages.len(), seen), (StopReason::Cancelled, 0, 0));
    }

    #[test]
    fn every_method_runs_on_the_same_data_and_and_beats_those_from_the_same_start() {
        let and = small();
        let data = and.dataset.generate().unwrap();
        let error = |method: MethodParams| {
            let experiment = Experiment { method, ..and.clone() };
            let outcome = experiment.run_on(&data, None, &mut |_| ControlFlow::Continue(())).unwrap();
            assert!(!outcome.stages.is_empty());
            outcome.recovery.relative_total_correlation_error
        };
        let reached = error(and.method.clone());
        for method in Method::ALL.into_iter().filter(|&method| method != Method::And) {
            let rival = error(MethodParams::new(method, 10).with_max_stages(20));
            // These topics happen to have anchor words, and anchor words looks for nothing else.
            let beaten = method == Method::AnchorWords || reached < 1e-3 * rival;
            assert!(rival.is_finite() && beaten, "{method}: {rival:e}");
        }
    }

    #[test]
    fn an_observer_can_cancel_it() {
        let outcome = small().run(None, &mut |_| ControlFlow::Break(())).unwrap();
        assert_eq!((outcome.stop_reason, outcome.stages.len()), (StopReason::Cancelled, 1));
    }

    #[test]
    fn wrong_settings_are_refused_by_name() {
        let mut experiment = small();
        experiment.dataset.n_samples = 0;
        let error = experiment.run(None, &mut |_| ControlFlow::Continue(())).unwrap_err();
        assert!(error.to_string().contains("n_samples is 0"), "{error}");
    }

    #[test]
    fn experiments_are_data() {
        let text = serde_json::to_string(&small()).unwrap();
        assert_eq!(serde_json::from_str::<Experiment>(&text).unwrap(), small());
    }
}
