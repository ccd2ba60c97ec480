//! What goes with fits: starts, datasets with a known truth, recovery, diagnoses.

use andnmf::diagnose::{
    Diagnosis, OverallDiagnosis, diagnose_model as of_model, diagnose_samples as of_samples,
    diagnose_weights as of_weights,
};
use andnmf::fit::{Run, Start};
use andnmf::init::{SampleSizes, sample_sizes as sizes_of};
use andnmf::metrics::{
    Recovery, coherence as coherence_of, correlation_error, reconstruction_error as error_of, residual_norms,
};
use andnmf::samples::Samples;
use andnmf::synth::{DatasetKind, DatasetSpec};
use andnmf::trust::Trust;
use numpy::{PyArray1, PyReadonlyArray2, ToPyArray};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde::Serialize;
use serde_json::Value;

use crate::call::interruptible;
use crate::failure::Failure;
use crate::samples::{Input, in_own_precision};

/// Components to start from, found in the samples by the start of this name.
#[pyfunction]
pub(crate) fn start<'py>(
    py: Python<'py>,
    samples: Input<'py>,
    name: &str,
    rank: usize,
    seed: u64,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyAny>> {
    in_own_precision!(&samples, held => {
        let view = held.view()?;
        let start = Start::by_name(name).map_err(Failure::from)?;
        let find = |samples: &dyn Samples<_>| {
            let (components, _) = start.find(samples, rank, seed)?.unwrap_or_default();
            Ok(components)
        };
        let found = interruptible(py, threads, |cancel| view.until(cancel, find))?;
        Ok(found.to_pyarray(py).into_any())
    })
}

/// What is left of samples, relative to them (Frobenius norms).
#[pyfunction]
pub(crate) fn reconstruction_error<'py>(
    py: Python<'py>,
    samples: Input<'py>,
    weights: &Bound<'py, PyAny>,
    components: &Bound<'py, PyAny>,
    threads: Option<usize>,
) -> PyResult<f64> {
    in_own_precision!(&samples, held => {
        let view = held.view()?;
        let (weights, components) = (held.like(weights)?, held.like(components)?);
        let (weights, components) = (weights.as_array(), components.as_array());
        interruptible(py, threads, |cancel| {
            view.until(cancel, |samples| Ok(error_of(samples, weights, components)?))
        })
    })
}

/// The squared Frobenius norms of what components leave of samples under the best weights, and of the samples.
#[pyfunction]
pub(crate) fn unexplained<'py>(
    py: Python<'py>,
    samples: Input<'py>,
    components: &Bound<'py, PyAny>,
    threads: Option<usize>,
) -> PyResult<(f64, f64)> {
    in_own_precision!(&samples, held => {
        let (view, components) = (held.view()?, held.like(components)?);
        let components = components.as_array();
        let sizes = interruptible(py, threads, |cancel| {
            view.until(cancel, |samples| Ok(residual_norms(samples, components)?))
        })?;
        Ok((sizes.residual, sizes.samples))
    })
}

type Sizes<'py> = (Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>, f64);

/// The sum and the length of each sample, the sum of all samples, and the lowest value or zero.
#[pyfunction]
pub(crate) fn sample_sizes<'py>(
    py: Python<'py>,
    samples: Input<'py>,
    threads: Option<usize>,
) -> PyResult<Sizes<'py>> {
    let SampleSizes { sums, lengths, total, lowest } = in_own_precision!(&samples, held => {
        let view = held.view()?;
        interruptible(py, threads, |cancel| view.until(cancel, |samples| Ok(sizes_of(samples)?)))
    })?;
    let list = |values| PyArray1::from_vec(py, values);
    Ok((list(sums), list(lengths), list(total), lowest))
}

/// How coherent lists of words are: for each list the score of its words, by the documents that hold them.
#[pyfunction]
pub(crate) fn coherence<'py>(
    py: Python<'py>,
    counts: Input<'py>,
    words: Vec<Vec<usize>>,
    threads: Option<usize>,
) -> PyResult<Vec<Option<f64>>> {
    in_own_precision!(&counts, held => {
        let view = held.view()?;
        interruptible(py, threads, |cancel| {
            view.until(cancel, |samples| Ok(coherence_of(&words, samples)?.per_topic))
        })
    })
}

/// How well components recover a truth, as JSON, and the error of each true component.
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

/// A dataset with a known truth: samples, truth, weights, init, and the recipe as JSON. `recipe` replaces what is
/// usual for the kind.
#[pyfunction]
pub(crate) fn dataset<'py>(
    py: Python<'py>,
    kind: &str,
    recipe: &str,
    truth: Option<PyReadonlyArray2<'py, f64>>,
) -> PyResult<Bound<'py, PyDict>> {
    let kind: DatasetKind = kind.parse().map_err(Failure::from)?;
    let recipe: Value = serde_json::from_str(recipe).map_err(Failure::from)?;
    let usual = DatasetSpec::new(kind);
    let rank = recipe["rank"].as_u64().map_or(usual.rank, |rank| rank as usize);
    let usual = DatasetSpec { weights: usual.weights.for_rank(rank), ..usual };
    let mut all = serde_json::to_value(usual).map_err(Failure::from)?;
    replace(&mut all, recipe);
    let spec: DatasetSpec = serde_json::from_value(all).map_err(Failure::from)?;
    let truth = truth.map(|truth| truth.as_array().to_owned());
    let data = interruptible(py, None, |_| {
        Ok(match truth {
            Some(truth) => spec.generate_with_truth(truth)?,
            None => spec.generate()?,
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

/// Puts values in the places of others, inside of objects too.
fn replace(old: &mut Value, new: Value) {
    match (old, new) {
        (Value::Object(old), Value::Object(new)) => {
            for (name, value) in new {
                replace(old.entry(name).or_insert(Value::Null), value);
            }
        }
        (old, new) => *old = new,
    }
}

/// Judges weights, samples × components: JSON.
#[pyfunction]
pub(crate) fn diagnose_weights(py: Python<'_>, weights: PyReadonlyArray2<'_, f64>) -> PyResult<String> {
    let weights = weights.as_array();
    json(&interruptible(py, None, |_| Ok(OverallDiagnosis::new(of_weights(weights)?, None, None)))?)
}

/// Judges components on samples: JSON.
#[pyfunction]
pub(crate) fn diagnose_model<'py>(
    py: Python<'py>,
    samples: Input<'py>,
    components: &Bound<'py, PyAny>,
    trust: &str,
    threads: Option<usize>,
) -> PyResult<String> {
    let trust: Option<Trust> = serde_json::from_str(trust).map_err(Failure::from)?;
    in_own_precision!(&samples, held => {
        let view = held.view()?;
        let components = held.like(components)?;
        let components = components.as_array();
        let told = interruptible(py, threads, |cancel| {
            let run = Run::new().cancel_with(cancel);
            let found = of_model(view.check()?.as_ref(), components, &run)?;
            Ok(OverallDiagnosis::from(Diagnosis { trust, ..found }))
        })?;
        json(&told)
    })
}

/// Fits samples with default settings and judges the result: JSON.
#[pyfunction]
pub(crate) fn diagnose_samples<'py>(
    py: Python<'py>,
    samples: Input<'py>,
    rank: usize,
    threads: Option<usize>,
) -> PyResult<String> {
    in_own_precision!(&samples, held => {
        let view = held.view()?;
        let told = interruptible(py, threads, |cancel| {
            let mut run = Run::new().cancel_with(cancel);
            Ok(OverallDiagnosis::from(of_samples(view.check()?.as_ref(), rank, &mut run)?.0))
        })?;
        json(&told)
    })
}

fn json(value: &impl Serialize) -> PyResult<String> {
    Ok(serde_json::to_string(value).map_err(Failure::from)?)
}
