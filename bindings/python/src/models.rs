//! Model files, shared with the command `andnmf`.

use std::path::{Path, PathBuf};

use andnmf::trust::Trust;
use andnmf::{MethodParams, Real};
use andnmf_io::Overwrite;
use andnmf_io::model::{Model, ModelParts, stored_precision};
use numpy::{Element, PyArray1, PyArray2, PyArrayMethods, ToPyArray};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::call::without_panic;
use crate::error::CallError;

/// Writes a model; `trust` and `settings` are JSON.
#[pyfunction]
#[allow(clippy::too_many_arguments)] // keyword arguments in Python
#[pyo3(signature = (path, *, components, thresholds, settings, feature_names, trust, scale, topic_totals, overwrite))]
pub(crate) fn save_model(
    path: PathBuf,
    components: &Bound<'_, PyAny>,
    thresholds: Vec<f64>,
    settings: &str,
    feature_names: Option<Vec<String>>,
    trust: &str,
    scale: Option<f64>,
    topic_totals: Option<Vec<f64>>,
    overwrite: bool,
) -> PyResult<()> {
    let settings: MethodParams = serde_json::from_str(settings).map_err(CallError::from)?;
    let trust: Option<Trust> = serde_json::from_str(trust).map_err(CallError::from)?;
    if let Ok(narrow) = components.cast::<PyArray2<f32>>() {
        let components = narrow.try_readonly()?.as_array().to_owned();
        let parts =
            ModelParts { components, thresholds, settings, feature_names, trust, scale, topic_totals };
        return save(parts, &path, overwrite);
    }
    let Ok(wide) = components.cast::<PyArray2<f64>>() else {
        return Err(PyTypeError::new_err("components must be a 2-D array of float32 or float64"));
    };
    let components = wide.try_readonly()?.as_array().to_owned();
    let parts = ModelParts { components, thresholds, settings, feature_names, trust, scale, topic_totals };
    save(parts, &path, overwrite)
}

fn save<T: Real>(parts: ModelParts<T>, path: &Path, overwrite: bool) -> PyResult<()> {
    let overwrite = if overwrite { Overwrite::Yes } else { Overwrite::No };
    Ok(without_panic(|| Ok(Model::from_parts(parts)?.save(path, overwrite)?))?)
}

/// Reads a model file into a dict, in the file's precision.
#[pyfunction]
pub(crate) fn load_model(py: Python<'_>, path: PathBuf) -> PyResult<Bound<'_, PyDict>> {
    match without_panic(|| Ok(stored_precision(&path)?))? {
        f32::NAME => model_to_dict(py, &without_panic(|| Ok(Model::<f32>::load(&path)?))?),
        _ => model_to_dict(py, &without_panic(|| Ok(Model::<f64>::load(&path)?))?),
    }
}

fn model_to_dict<'py, T: Real + Element>(py: Python<'py>, model: &Model<T>) -> PyResult<Bound<'py, PyDict>> {
    let json = |value: serde_json::Result<String>| value.map_err(CallError::from);
    let dict = PyDict::new(py);
    dict.set_item("method", model.method().name())?;
    dict.set_item("components", model.components().to_pyarray(py))?;
    dict.set_item("thresholds", PyArray1::from_slice(py, model.thresholds()))?;
    dict.set_item("settings", json(serde_json::to_string(model.settings()))?)?;
    dict.set_item("feature_names", model.feature_names())?;
    dict.set_item("trust", json(serde_json::to_string(&model.trust()))?)?;
    dict.set_item("scale", model.scale())?;
    dict.set_item("topic_totals", model.topic_totals())?;
    dict.set_item("version", model.library_version())?;
    Ok(dict)
}
