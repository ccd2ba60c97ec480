//! Fits, and the weights of samples.

use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use andnmf::and::AndParams;
use andnmf::fit::{Fit, Run, StageRecord, StageView, Start};
use andnmf::metrics::reconstruction_error;
use andnmf::online::{Online, OnlineState};
use andnmf::rank::{RankSettings, suggest_rank as suggest};
use andnmf::samples::Samples;
use andnmf::{MethodParams, Real, nnls};
use ndarray::Array2;
use numpy::{Element, PyArray1, ToPyArray};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::call::interruptible;
use crate::failure::Failure;
use crate::samples::{Held, Input, in_own_precision};

/// Factorizes samples: a dict of what was found.
#[pyfunction]
pub(crate) fn fit<'py>(
    py: Python<'py>,
    samples: Input<'py>,
    settings: &str,
    init: &Bound<'py, PyAny>,
    threads: Option<usize>,
    tell: Option<Py<PyAny>>,
    weigh: bool,
) -> PyResult<Bound<'py, PyDict>> {
    let settings: MethodParams = serde_json::from_str(settings).map_err(Failure::from)?;
    in_own_precision!(&samples, held => fit_as(py, held, &settings, init, (threads, weigh), tell.as_ref()))
}

/// A fit with what goes beyond it.
struct Fitted<T: Real> {
    fit: Fit<T>,
    /// The weights of the samples and the relative error that they leave, where asked for.
    weighed: Option<(Array2<T>, f64)>,
}

fn fit_as<'py, T: Real + Element>(
    py: Python<'py>,
    held: &Held<'py, T>,
    settings: &MethodParams,
    init: &Bound<'py, PyAny>,
    (threads, weigh): (Option<usize>, bool),
    tell: Option<&Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let start = start_of(held, init)?;
    let view = held.view()?;
    let (fitted, seconds) = interruptible(py, threads, |cancel| {
        let begun = Instant::now();
        let solver = settings.clone().check::<T>()?;
        let samples = view.check()?;
        let mut raised = None;
        let mut watch = |stage: &StageView<'_, T>| told_stage(tell, stage, &mut raised);
        let mut run = Run::new().cancel_with(cancel).observe(&mut watch);
        let fit = solver.fit(samples.as_ref(), start, &mut run)?;
        if let Some(error) = raised {
            return Err(Failure::Python(error));
        }
        let fitted =
            if weigh { finish(samples.as_ref(), fit, cancel)? } else { Fitted { fit, weighed: None } };
        Ok((fitted, begun.elapsed().as_secs_f64()))
    })?;
    let dict = told(py, &fitted)?;
    dict.set_item("library_seconds", seconds)?;
    Ok(dict)
}

/// The weights that go with the components, and what they leave of the samples.
fn finish<T: Real>(samples: &dyn Samples<T>, fit: Fit<T>, cancel: &AtomicBool) -> Result<Fitted<T>, Failure> {
    let weights = nnls::weights(samples, fit.components.view(), &Run::new().cancel_with(cancel))?;
    let error = reconstruction_error(samples, weights.view(), fit.components.view())?;
    Ok(Fitted { fit, weighed: Some((weights, error)) })
}

/// What a run over batches is known by between two of them: components, thresholds, first threshold, batches.
type OnlineStateParts<'py> = (Bound<'py, PyAny>, Vec<f64>, Option<f64>, usize);

/// Learns from one more batch of samples: a dict of what was found, as [`fit`] gives it, with `first_threshold` and
/// `batches` for the next one.
#[pyfunction]
pub(crate) fn learn<'py>(
    py: Python<'py>,
    samples: Input<'py>,
    settings: &str,
    init: &Bound<'py, PyAny>,
    so_far: Option<OnlineStateParts<'py>>,
    threads: Option<usize>,
    tell: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let settings: MethodParams = serde_json::from_str(settings).map_err(Failure::from)?;
    let MethodParams::And(params) = settings else {
        return Err(Failure::Value("only AND learns from batches".to_owned()).into());
    };
    in_own_precision!(&samples, held => learn_as(py, held, params, init, so_far, threads, tell.as_ref()))
}

fn learn_as<'py, T: Real + Element>(
    py: Python<'py>,
    held: &Held<'py, T>,
    params: AndParams,
    init: &Bound<'py, PyAny>,
    so_far: Option<OnlineStateParts<'py>>,
    threads: Option<usize>,
    tell: Option<&Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let mut online = match so_far {
        None => Online::new(params, start_of(held, init)?),
        Some((components, thresholds, first_threshold, batches)) => {
            let components = held.like(&components)?.as_array().to_owned();
            Online::resume(params, OnlineState { components, thresholds, first_threshold, batches })
        }
    }
    .map_err(Failure::from)?;
    let view = held.view()?;
    let (online, seconds) = interruptible(py, threads, |cancel| {
        let begun = Instant::now();
        let samples = view.check()?;
        let mut raised = None;
        let mut watch = |stage: &StageView<'_, T>| told_stage(tell, stage, &mut raised);
        online.learn(samples.as_ref(), &mut Run::new().cancel_with(cancel).observe(&mut watch))?;
        match raised {
            Some(error) => Err(Failure::Python(error)),
            None => Ok((online, begun.elapsed().as_secs_f64())),
        }
    })?;
    let (Some(fit), Some(so_far)) = (online.last(), online.state()) else {
        return Err(Failure::Machine("the batch was called off".to_owned()).into());
    };
    let dict = told(py, &Fitted { fit: fit.clone(), weighed: None })?;
    dict.set_item("library_seconds", seconds)?;
    dict.set_item("first_threshold", so_far.first_threshold)?;
    dict.set_item("batches", so_far.batches)?;
    Ok(dict)
}

/// Where a fit begins: a name, or components.
fn start_of<'py, T: Real + Element>(held: &Held<'py, T>, init: &Bound<'py, PyAny>) -> PyResult<Start<T>> {
    match init.extract::<String>() {
        Ok(name) => Ok(Start::by_name(&name).map_err(Failure::from)?),
        Err(_) => Ok(Start::Given(held.like(init)?.as_array().to_owned())),
    }
}

/// Tells of a stage; whatever that raises ends the fit.
fn told_stage<T: Real>(
    tell: Option<&Py<PyAny>>,
    stage: &StageView<'_, T>,
    raised: &mut Option<PyErr>,
) -> ControlFlow<()> {
    match tell.map(|tell| call(tell, stage.record)) {
        Some(Err(error)) => {
            *raised = Some(error);
            ControlFlow::Break(())
        }
        _ => ControlFlow::Continue(()),
    }
}

fn call(tell: &Py<PyAny>, record: &StageRecord) -> PyResult<()> {
    Python::attach(|py| {
        tell.call1(py, (record.stage, record.seconds, record.active_fraction, record.change)).map(|_| ())
    })
}

/// Everything that a fit found, as Python's own types.
fn told<'py, T: Real + Element>(py: Python<'py>, fitted: &Fitted<T>) -> PyResult<Bound<'py, PyDict>> {
    let Fitted { fit, weighed } = fitted;
    let json = |value: serde_json::Result<String>| value.map_err(Failure::from);
    let dict = PyDict::new(py);
    dict.set_item("components", fit.components.as_standard_layout().to_pyarray(py))?;
    if let Some((weights, error)) = weighed {
        dict.set_item("weights", weights.to_pyarray(py))?;
        dict.set_item("relative_error", error)?;
    }
    dict.set_item("stages", fit.stages)?;
    dict.set_item("stop_reason", json(serde_json::to_string(&fit.stop))?.trim_matches('"'))?;
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

/// The trace by columns; what a method does not have is NaN.
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

/// The non-negative least-squares weights of samples under components.
#[pyfunction]
pub(crate) fn weights<'py>(
    py: Python<'py>,
    samples: Input<'py>,
    components: &Bound<'py, PyAny>,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyAny>> {
    in_own_precision!(&samples, held => weights_as(py, held, components, threads))
}

fn weights_as<'py, T: Real + Element>(
    py: Python<'py>,
    held: &Held<'py, T>,
    components: &Bound<'py, PyAny>,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyAny>> {
    let components = held.like(components)?;
    let (view, components) = (held.view()?, components.as_array());
    let weights = interruptible(py, threads, |cancel| {
        Ok(nnls::weights(view.check()?.as_ref(), components, &Run::new().cancel_with(cancel))?)
    })?;
    Ok(weights.to_pyarray(py).into_any())
}

/// Scores of the ranks from `lowest` to `highest`, and which to take, as JSON.
#[pyfunction]
#[allow(clippy::too_many_arguments)] // the parameters of the Python function
pub(crate) fn suggest_rank<'py>(
    py: Python<'py>,
    samples: Input<'py>,
    lowest: usize,
    highest: usize,
    stability: bool,
    folds: usize,
    seed: u64,
    threads: Option<usize>,
) -> PyResult<String> {
    let settings = RankSettings { stability, folds, seed };
    in_own_precision!(&samples, held => {
        let view = held.view()?;
        let found = interruptible(py, threads, |cancel| {
            let run = Run::new().cancel_with(cancel);
            Ok(suggest(view.check()?.as_ref(), lowest..=highest, &settings, &run)?)
        })?;
        Ok(serde_json::to_string(&found).map_err(Failure::from)?)
    })
}
