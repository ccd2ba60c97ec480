//! Fits, online fits, weights of samples, and rank suggestions.

use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use andnmf::and::AndParams;
use andnmf::baselines::LdaTopics;
use andnmf::fit::{Fit, Observer, Run, StageRecord, StageView, Start};
use andnmf::metrics::reconstruction_error;
use andnmf::online::{Online, OnlineState};
use andnmf::rank::{RankSettings, suggest_rank as library_suggest_rank};
use andnmf::samples::Samples;
use andnmf::{MethodParams, Real, nnls};
use ndarray::Array2;
use numpy::{Element, PyArray1, ToPyArray};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::call::interruptible;
use crate::error::CallError;
use crate::samples::{PySamples, SamplesArg, with_precision};

/// Factorizes samples and returns a dict with the result.
#[pyfunction]
pub(crate) fn fit<'py>(
    py: Python<'py>,
    samples: SamplesArg<'py>,
    settings: &str,
    init: &Bound<'py, PyAny>,
    threads: Option<usize>,
    on_stage: Option<Py<PyAny>>,
    with_weights: bool,
) -> PyResult<Bound<'py, PyDict>> {
    let settings: MethodParams = serde_json::from_str(settings).map_err(CallError::from)?;
    with_precision!(&samples, py_samples => {
        fit_as(py, py_samples, &settings, init, (threads, with_weights), on_stage.as_ref())
    })
}

/// A fit and, if requested, the weights of its samples.
struct FitWithWeights<T: Real> {
    fit: Fit<T>,
    /// The weights and the relative reconstruction error.
    weights: Option<(Array2<T>, f64)>,
}

fn fit_as<'py, T: Real + Element>(
    py: Python<'py>,
    py_samples: &PySamples<'py, T>,
    settings: &MethodParams,
    init: &Bound<'py, PyAny>,
    (threads, with_weights): (Option<usize>, bool),
    on_stage: Option<&Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let start = start_of(py_samples, init)?;
    let view = py_samples.view()?;
    let (fitted, seconds) = interruptible(py, threads, |cancel| {
        let started = Instant::now();
        let solver = settings.clone().check::<T>()?;
        let samples = view.check()?;
        let mut callback = Callback::new(on_stage);
        let fit = solver.fit(
            samples.as_ref(),
            start,
            &mut Run::new().cancel_with(cancel).observe(&mut callback),
        )?;
        if let Some(error) = callback.raised {
            return Err(CallError::Python(error));
        }
        let fitted = if with_weights {
            let resolved = settings.clone().resolved(&fit);
            add_weights(samples.as_ref(), (fit, &resolved), cancel)?
        } else {
            FitWithWeights { fit, weights: None }
        };
        Ok((fitted, started.elapsed().as_secs_f64()))
    })?;
    let dict = fit_to_dict(py, &fitted)?;
    dict.set_item("library_seconds", seconds)?;
    Ok(dict)
}

/// Adds the weights of the samples and the relative reconstruction error to a fit.
fn add_weights<T: Real>(
    samples: &dyn Samples<T>,
    (fit, settings): (Fit<T>, &MethodParams),
    cancel: &AtomicBool,
) -> Result<FitWithWeights<T>, CallError> {
    let totals = LdaTopics::totals_of(&fit);
    let run = Run::new().cancel_with(cancel);
    let weights = settings.weights(samples, fit.components.view(), totals.as_deref(), &run)?;
    let error = reconstruction_error(samples, weights.view(), fit.components.view())?;
    Ok(FitWithWeights { fit, weights: Some((weights, error)) })
}

/// State of an online fit between two batches: components, thresholds, first threshold, number of batches.
type OnlineStateParts<'py> = (Bound<'py, PyAny>, Vec<f64>, Option<f64>, usize);

/// Updates an online fit with a batch of samples: the dict of [`fit`], plus `first_threshold` and `batches` for the
/// next call.
#[pyfunction]
pub(crate) fn partial_fit<'py>(
    py: Python<'py>,
    samples: SamplesArg<'py>,
    settings: &str,
    init: &Bound<'py, PyAny>,
    state: Option<OnlineStateParts<'py>>,
    threads: Option<usize>,
    on_stage: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let settings: MethodParams = serde_json::from_str(settings).map_err(CallError::from)?;
    let MethodParams::And(params) = settings else {
        return Err(CallError::Value(
            "method must be and: the other methods cannot be fitted in batches".to_owned(),
        )
        .into());
    };
    with_precision!(&samples, py_samples => {
        partial_fit_as(py, py_samples, params, init, state, threads, on_stage.as_ref())
    })
}

fn partial_fit_as<'py, T: Real + Element>(
    py: Python<'py>,
    py_samples: &PySamples<'py, T>,
    params: AndParams,
    init: &Bound<'py, PyAny>,
    state: Option<OnlineStateParts<'py>>,
    threads: Option<usize>,
    on_stage: Option<&Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let mut online = match state {
        None => Online::new(params, start_of(py_samples, init)?),
        Some((components, thresholds, first_threshold, batches)) => {
            let components = py_samples.matching_matrix(&components)?.as_array().to_owned();
            Online::resume(params, OnlineState { components, thresholds, first_threshold, batches })
        }
    }
    .map_err(CallError::from)?;
    let view = py_samples.view()?;
    let (online, seconds) = interruptible(py, threads, |cancel| {
        let started = Instant::now();
        let samples = view.check()?;
        let mut callback = Callback::new(on_stage);
        online.learn(samples.as_ref(), &mut Run::new().cancel_with(cancel).observe(&mut callback))?;
        match callback.raised {
            Some(error) => Err(CallError::Python(error)),
            None => Ok((online, started.elapsed().as_secs_f64())),
        }
    })?;
    let (Some(fit), Some(so_far)) = (online.last(), online.state()) else {
        return Err(CallError::Runtime("the batch was cancelled".to_owned()).into());
    };
    let dict = fit_to_dict(py, &FitWithWeights { fit: fit.clone(), weights: None })?;
    dict.set_item("library_seconds", seconds)?;
    dict.set_item("first_threshold", so_far.first_threshold)?;
    dict.set_item("batches", so_far.batches)?;
    Ok(dict)
}

/// The start of a fit: a name, or components.
fn start_of<'py, T: Real + Element>(
    py_samples: &PySamples<'py, T>,
    init: &Bound<'py, PyAny>,
) -> PyResult<Start<T>> {
    match init.extract::<String>() {
        Ok(name) => Ok(Start::by_name(&name).map_err(CallError::from)?),
        Err(_) => Ok(Start::Given(py_samples.matching_matrix(init)?.as_array().to_owned())),
    }
}

/// Passes stages to the user's callback. The fit ends if the callback returns true, or raises an exception.
struct Callback<'c> {
    on_stage: Option<&'c Py<PyAny>>,
    raised: Option<PyErr>,
}

impl<'c> Callback<'c> {
    fn new(on_stage: Option<&'c Py<PyAny>>) -> Self {
        Self { on_stage, raised: None }
    }

    /// A stage of the fit itself, or of the refit that checks it.
    fn call(&mut self, record: &StageRecord, refit: bool) -> ControlFlow<()> {
        match self.on_stage.map(|on_stage| call_on_stage(on_stage, record, refit)) {
            Some(Err(error)) => {
                self.raised = Some(error);
                ControlFlow::Break(())
            }
            Some(Ok(true)) => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        }
    }
}

impl<T: Real> Observer<T> for Callback<'_> {
    fn stage(&mut self, view: &StageView<'_, T>) -> ControlFlow<()> {
        self.call(view.record, false)
    }

    fn refit_stage(&mut self, record: &StageRecord) -> ControlFlow<()> {
        self.call(record, true)
    }
}

/// Calls the callback with the stage, the columns of the trace, in their order, and whether it is one of the refit; NaN for what
/// the method does not have.
fn call_on_stage(on_stage: &Py<PyAny>, record: &StageRecord, refit: bool) -> PyResult<bool> {
    let columns = StageRecord::COLUMNS.map(|(_, column)| column(record).unwrap_or(f64::NAN));
    Python::attach(|py| {
        let columns = PyTuple::new(py, columns)?;
        on_stage.call1(py, (record.stage, columns, refit))?.bind(py).is_truthy()
    })
}

/// The result of a fit as a dict of Python types.
fn fit_to_dict<'py, T: Real + Element>(
    py: Python<'py>,
    fitted: &FitWithWeights<T>,
) -> PyResult<Bound<'py, PyDict>> {
    let FitWithWeights { fit, weights } = fitted;
    let json = |value: serde_json::Result<String>| value.map_err(CallError::from);
    let dict = PyDict::new(py);
    dict.set_item("components", fit.components.as_standard_layout().to_pyarray(py))?;
    if let Some((weights, error)) = weights {
        dict.set_item("weights", weights.to_pyarray(py))?;
        dict.set_item("relative_error", error)?;
    }
    dict.set_item("stages", fit.final_stages())?;
    dict.set_item("search_stages", fit.search_stages)?;
    dict.set_item("stop_reason", json(serde_json::to_string(&fit.stop))?.trim_matches('"'))?;
    dict.set_item("ending", fit.ending())?;
    dict.set_item("poisson", fit.of_counts())?;
    dict.set_item("topic_totals", LdaTopics::totals_of(fit))?;
    dict.set_item("thresholds", PyArray1::from_slice(py, &fit.thresholds))?;
    dict.set_item("trace", trace(py, &fit.trace)?)?;
    dict.set_item("warnings", fit.warnings.iter().map(ToString::to_string).collect::<Vec<_>>())?;
    dict.set_item("trust", json(serde_json::to_string(&fit.trust))?)?;
    dict.set_item("report", json(serde_json::to_string(&fit.report))?)?;
    dict.set_item("scale", fit.scale())?;
    dict.set_item("passes", fit.passes)?;
    dict.set_item("solver_seconds", fit.seconds)?;
    Ok(dict)
}

/// The trace by columns; NaN for values that the method does not have.
fn trace<'py>(py: Python<'py>, records: &[StageRecord]) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    let stages: Vec<i64> = records.iter().map(|record| record.stage as i64).collect();
    dict.set_item("stage", PyArray1::from_vec(py, stages))?;
    for (name, column) in StageRecord::COLUMNS {
        let values = records.iter().map(|record| column(record).unwrap_or(f64::NAN)).collect();
        dict.set_item(name, PyArray1::from_vec(py, values))?;
    }
    Ok(dict)
}

/// The weights of samples under components: those of the method whose settings (JSON) are given, or of least squares.
#[pyfunction]
#[pyo3(signature = (samples, components, threads, settings=None, topic_totals=None))]
pub(crate) fn weights<'py>(
    py: Python<'py>,
    samples: SamplesArg<'py>,
    components: &Bound<'py, PyAny>,
    threads: Option<usize>,
    settings: Option<&str>,
    topic_totals: Option<Vec<f64>>,
) -> PyResult<Bound<'py, PyAny>> {
    let settings: Option<MethodParams> =
        settings.map(serde_json::from_str).transpose().map_err(CallError::from)?;
    let rule = (settings, topic_totals);
    with_precision!(&samples, py_samples => weights_as(py, py_samples, components, threads, &rule))
}

fn weights_as<'py, T: Real + Element>(
    py: Python<'py>,
    py_samples: &PySamples<'py, T>,
    components: &Bound<'py, PyAny>,
    threads: Option<usize>,
    (settings, topic_totals): &(Option<MethodParams>, Option<Vec<f64>>),
) -> PyResult<Bound<'py, PyAny>> {
    let components = py_samples.matching_matrix(components)?;
    let (view, components) = (py_samples.view()?, components.as_array());
    let weights = interruptible(py, threads, |cancel| {
        let (samples, run) = (view.check()?, Run::new().cancel_with(cancel));
        Ok(match settings {
            Some(settings) => {
                settings.weights(samples.as_ref(), components, topic_totals.as_deref(), &run)?
            }
            None => nnls::weights(samples.as_ref(), components, &run)?,
        })
    })?;
    Ok(weights.to_pyarray(py).into_any())
}

/// Scores the ranks from `lowest` to `highest` and suggests one, as JSON.
#[pyfunction]
#[allow(clippy::too_many_arguments)] // the parameters of the Python function
pub(crate) fn suggest_rank<'py>(
    py: Python<'py>,
    samples: SamplesArg<'py>,
    lowest: usize,
    highest: usize,
    stability: bool,
    folds: usize,
    seed: u64,
    noise: &str,
    threads: Option<usize>,
) -> PyResult<String> {
    let noise = noise.parse().map_err(CallError::from)?;
    let settings = RankSettings { stability, folds, seed, noise };
    with_precision!(&samples, py_samples => {
        let view = py_samples.view()?;
        let suggestion = interruptible(py, threads, |cancel| {
            let run = Run::new().cancel_with(cancel);
            Ok(library_suggest_rank(view.check()?.as_ref(), lowest..=highest, &settings, &run)?)
        })?;
        Ok(serde_json::to_string(&suggestion).map_err(CallError::from)?)
    })
}
