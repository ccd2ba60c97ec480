//! Initializations, synthetic datasets, metrics and diagnoses.

use andnmf::diagnose::{
    Diagnosis, Known, OverallDiagnosis, certify as certified, diagnose_model as of_model,
    diagnose_samples as of_samples, diagnose_weights as of_weights,
};
use andnmf::fit::{Run, Start};
use andnmf::init::{SampleSizes, sample_sizes as sizes_of};
use andnmf::metrics::{
    Recovery, coherence as coherence_of, correlation_error, reconstruction_error as error_of, residual_norms,
};
use andnmf::samples::{DenseSamples, Samples};
use andnmf::synth::{DatasetKind, DatasetSpec, LogisticNormal};
use andnmf::trust::Trust;
use numpy::{PyArray1, PyReadonlyArray1, PyReadonlyArray2, ToPyArray};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde::Serialize;
use serde_json::Value;

use crate::call::interruptible;
use crate::error::CallError;
use crate::samples::{SamplesArg, with_precision};

/// Initial components computed from the samples by the named start.
#[pyfunction]
pub(crate) fn start<'py>(
    py: Python<'py>,
    samples: SamplesArg<'py>,
    name: &str,
    rank: usize,
    seed: u64,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyAny>> {
    with_precision!(&samples, py_samples => {
        let view = py_samples.view()?;
        let start = Start::by_name(name).map_err(CallError::from)?;
        let initialize = |samples: &dyn Samples<_>| {
            let (components, _) = start.find(samples, rank, seed)?.unwrap_or_default();
            Ok(components)
        };
        let components = interruptible(py, threads, |cancel| view.run_cancellable(cancel, initialize))?;
        Ok(components.to_pyarray(py).into_any())
    })
}

/// The relative reconstruction error (Frobenius norms).
#[pyfunction]
pub(crate) fn reconstruction_error<'py>(
    py: Python<'py>,
    samples: SamplesArg<'py>,
    weights: &Bound<'py, PyAny>,
    components: &Bound<'py, PyAny>,
    threads: Option<usize>,
) -> PyResult<f64> {
    with_precision!(&samples, py_samples => {
        let view = py_samples.view()?;
        let weights = py_samples.matching_matrix(weights)?;
        let components = py_samples.matching_matrix(components)?;
        let (weights, components) = (weights.as_array(), components.as_array());
        interruptible(py, threads, |cancel| {
            view.run_cancellable(cancel, |samples| Ok(error_of(samples, weights, components)?))
        })
    })
}

/// The squared Frobenius norms of the residual under non-negative least-squares weights, and of the samples.
#[pyfunction]
pub(crate) fn squared_residual<'py>(
    py: Python<'py>,
    samples: SamplesArg<'py>,
    components: &Bound<'py, PyAny>,
    threads: Option<usize>,
) -> PyResult<(f64, f64)> {
    with_precision!(&samples, py_samples => {
        let (view, components) = (py_samples.view()?, py_samples.matching_matrix(components)?);
        let components = components.as_array();
        let sizes = interruptible(py, threads, |cancel| {
            view.run_cancellable(cancel, |samples| Ok(residual_norms(samples, components)?))
        })?;
        Ok((sizes.residual, sizes.samples))
    })
}

type SampleSizeArrays<'py> =
    (Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>, f64);

/// The sum and the Euclidean norm of each sample, the sum of all samples, and the lowest value or zero.
#[pyfunction]
pub(crate) fn sample_sizes<'py>(
    py: Python<'py>,
    samples: SamplesArg<'py>,
    threads: Option<usize>,
) -> PyResult<SampleSizeArrays<'py>> {
    let SampleSizes { sums, lengths, total, lowest } = with_precision!(&samples, py_samples => {
        let view = py_samples.view()?;
        interruptible(py, threads, |cancel| view.run_cancellable(cancel, |samples| Ok(sizes_of(samples)?)))
    })?;
    let list = |values| PyArray1::from_vec(py, values);
    Ok((list(sums), list(lengths), list(total), lowest))
}

/// Coherence of each list of words by their co-occurrence in documents (NPMI).
#[pyfunction]
pub(crate) fn coherence<'py>(
    py: Python<'py>,
    counts: SamplesArg<'py>,
    words: Vec<Vec<usize>>,
    threads: Option<usize>,
) -> PyResult<Vec<Option<f64>>> {
    with_precision!(&counts, py_samples => {
        let view = py_samples.view()?;
        interruptible(py, threads, |cancel| {
            view.run_cancellable(cancel, |samples| Ok(coherence_of(&words, samples)?.per_topic))
        })
    })
}

/// Recovery of a truth by components: the metrics as JSON, and the error of each true component.
#[pyfunction]
pub(crate) fn recovery<'py>(
    py: Python<'py>,
    components: PyReadonlyArray2<'py, f64>,
    truth: PyReadonlyArray2<'py, f64>,
) -> PyResult<(String, Bound<'py, PyArray1<f64>>)> {
    let (components, truth) = (components.as_array(), truth.as_array());
    let (recovery, each) = interruptible(py, Some(1), |_| {
        Ok((Recovery::measure(components, truth)?, correlation_error(components, truth)?.relative))
    })?;
    Ok((json(&recovery)?, PyArray1::from_vec(py, each)))
}

/// A synthetic dataset: samples, truth, weights, init, and the recipe (all settings) as JSON. `recipe` overrides the
/// defaults of the kind. `logits` are mean and covariance of the logits of the weights, in place of those of the kind.
#[pyfunction]
pub(crate) fn dataset<'py>(
    py: Python<'py>,
    kind: &str,
    recipe: &str,
    truth: Option<PyReadonlyArray2<'py, f64>>,
    logits: Option<(PyReadonlyArray1<'py, f64>, PyReadonlyArray2<'py, f64>)>,
) -> PyResult<Bound<'py, PyDict>> {
    let kind: DatasetKind = kind.parse().map_err(CallError::from)?;
    let recipe: Value = serde_json::from_str(recipe).map_err(CallError::from)?;
    let defaults = DatasetSpec::new(kind);
    let rank = recipe["rank"].as_u64().map_or(defaults.rank, |rank| rank as usize);
    let defaults = DatasetSpec { weights: defaults.weights.for_rank(rank), ..defaults };
    let mut spec = serde_json::to_value(defaults).map_err(CallError::from)?;
    override_json(&mut spec, recipe);
    let spec: DatasetSpec = serde_json::from_value(spec).map_err(CallError::from)?;
    let truth = truth.map(|truth| truth.as_array().to_owned());
    let law = logits
        .map(|(mean, covariance)| LogisticNormal::new(mean.as_array(), covariance.as_array()))
        .transpose()
        .map_err(CallError::from)?;
    let data = interruptible(py, None, |_| {
        Ok(match (law, truth) {
            (Some(law), truth) => spec.generate_with_weights(truth, law.draw(spec.n_samples, spec.seed)?)?,
            (None, Some(truth)) => spec.generate_with_truth(truth)?,
            (None, None) => spec.generate()?,
        })
    })?;
    let dict = PyDict::new(py);
    let arrays = [
        ("samples", &data.samples),
        ("truth", &data.truth),
        ("weights", &data.weights),
        ("init", &data.init),
    ];
    for (name, array) in arrays {
        dict.set_item(name, array.to_pyarray(py))?;
    }
    dict.set_item("recipe", json(&data.spec)?)?;
    Ok(dict)
}

/// Overrides JSON values, recursively within objects.
fn override_json(old: &mut Value, new: Value) {
    match (old, new) {
        (Value::Object(old), Value::Object(new)) => {
            for (name, value) in new {
                override_json(old.entry(name).or_insert(Value::Null), value);
            }
        }
        (old, new) => *old = new,
    }
}

/// Diagnoses weights, samples × components, as JSON.
#[pyfunction]
pub(crate) fn diagnose_weights(py: Python<'_>, weights: PyReadonlyArray2<'_, f64>) -> PyResult<String> {
    let weights = weights.as_array();
    json(&interruptible(py, None, |_| Ok(OverallDiagnosis::new(of_weights(weights)?, None, None)))?)
}

/// Diagnoses components on samples, as JSON.
#[pyfunction]
pub(crate) fn diagnose_model<'py>(
    py: Python<'py>,
    samples: SamplesArg<'py>,
    components: &Bound<'py, PyAny>,
    trust: &str,
    threads: Option<usize>,
) -> PyResult<String> {
    let trust: Option<Trust> = serde_json::from_str(trust).map_err(CallError::from)?;
    with_precision!(&samples, py_samples => {
        let view = py_samples.view()?;
        let components = py_samples.matching_matrix(components)?;
        let components = components.as_array();
        let overall = interruptible(py, threads, |cancel| {
            let run = Run::new().cancel_with(cancel);
            let diagnosis = of_model(view.check()?.as_ref(), components, &run)?;
            Ok(OverallDiagnosis::from(Diagnosis { trust, ..diagnosis }))
        })?;
        json(&overall)
    })
}

/// Fits samples with default settings and diagnoses the result, as JSON.
#[pyfunction]
pub(crate) fn diagnose_samples<'py>(
    py: Python<'py>,
    samples: SamplesArg<'py>,
    rank: usize,
    threads: Option<usize>,
) -> PyResult<String> {
    with_precision!(&samples, py_samples => {
        let view = py_samples.view()?;
        let overall = interruptible(py, threads, |cancel| {
            let mut run = Run::new().cancel_with(cancel);
            Ok(OverallDiagnosis::from(of_samples(view.check()?.as_ref(), rank, &mut run)?.0))
        })?;
        json(&overall)
    })
}

/// Compares samples and components with the paper's theorems, as JSON.
#[pyfunction]
pub(crate) fn certify<'py>(
    py: Python<'py>,
    samples: PyReadonlyArray2<'py, f64>,
    components: PyReadonlyArray2<'py, f64>,
    truth: Option<PyReadonlyArray2<'py, f64>>,
    weights: Option<PyReadonlyArray2<'py, f64>>,
    threads: Option<usize>,
) -> PyResult<String> {
    let (samples, components) = (samples.as_array(), components.as_array());
    let known = Known {
        truth: truth.as_ref().map(|truth| truth.as_array()),
        weights: weights.as_ref().map(|weights| weights.as_array()),
    };
    let certificate = interruptible(py, threads, |cancel| {
        let samples = DenseSamples::new(samples)?;
        Ok(certified(&samples, components, known, &Run::new().cancel_with(cancel))?)
    })?;
    json(&certificate)
}

fn json(value: &impl Serialize) -> PyResult<String> {
    Ok(serde_json::to_string(value).map_err(CallError::from)?)
}
