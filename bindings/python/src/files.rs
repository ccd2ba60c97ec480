//! Matrix files in the formats of the command `andnmf`.

use std::path::{Path, PathBuf};

use andnmf::Real;
use andnmf::samples::{CsrSamples, Samples};
use andnmf_io::{Overwrite, ReadOptions, SampleTable, TableValues};
use numpy::{Element, PyArray1, ToPyArray};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::call::interruptible;
use crate::error::CallError;
use crate::samples::{IndexView, PySamples, SamplesArg, SamplesView, with_precision};

/// Reads a matrix into a dict: `values` (a dense array) or the parts of a CSR matrix, and the names of rows and columns.
#[pyfunction]
#[pyo3(signature = (path, *, transpose, layer, header, row_names, single))]
pub(crate) fn read_table(
    py: Python<'_>,
    path: PathBuf,
    transpose: bool,
    layer: Option<String>,
    header: Option<bool>,
    row_names: Option<bool>,
    single: bool,
) -> PyResult<Bound<'_, PyDict>> {
    let options = ReadOptions { transpose, layer, header, row_names, ..ReadOptions::default() };
    if single { read_as::<f32>(py, &path, &options) } else { read_as::<f64>(py, &path, &options) }
}

fn read_as<'py, T: Real + Element>(
    py: Python<'py>,
    path: &Path,
    options: &ReadOptions,
) -> PyResult<Bound<'py, PyDict>> {
    let table = interruptible(py, Some(1), |_| Ok(andnmf_io::read::<T>(path, options)?))?;
    let dict = PyDict::new(py);
    match &table.values {
        TableValues::Dense(samples) => dict.set_item("values", samples.view().to_pyarray(py))?,
        TableValues::Sparse(samples) => csr_to_dict(&dict, samples)?,
    }
    dict.set_item("sample_names", table.sample_names)?;
    dict.set_item("feature_names", table.feature_names)?;
    Ok(dict)
}

/// Adds the parts of a CSR matrix to a dict.
pub(crate) fn csr_to_dict<T: Real + Element>(
    dict: &Bound<'_, PyDict>,
    samples: &CsrSamples<'_, T>,
) -> PyResult<()> {
    let py = dict.py();
    let mut pointers = vec![0_i64; samples.n_samples() + 1];
    let (mut indices, mut values) = (Vec::new(), Vec::new());
    let block = samples.block(0..samples.n_samples()).map_err(CallError::from)?;
    block.for_each(|row, column, value| {
        pointers[row + 1] += 1;
        indices.push(column as i64);
        values.push(value);
    });
    for row in 0..samples.n_samples() {
        pointers[row + 1] += pointers[row];
    }
    dict.set_item("shape", (samples.n_samples(), samples.n_features()))?;
    dict.set_item("pointers", PyArray1::from_vec(py, pointers))?;
    dict.set_item("indices", PyArray1::from_vec(py, indices))?;
    dict.set_item("stored", PyArray1::from_vec(py, values))
}

/// Writes a matrix with the names of its rows and columns; the name of the file determines the format.
#[pyfunction]
pub(crate) fn write_table(
    py: Python<'_>,
    path: PathBuf,
    samples: SamplesArg<'_>,
    sample_names: Option<Vec<String>>,
    feature_names: Option<Vec<String>>,
    overwrite: bool,
) -> PyResult<()> {
    let overwrite = if overwrite { Overwrite::Yes } else { Overwrite::No };
    with_precision!(&samples, py_samples => {
        let table = SampleTable { sample_names, feature_names, ..owned_table(py_samples)? };
        interruptible(py, Some(1), |_| Ok(andnmf_io::write(&path, &table, overwrite)?))
    })
}

/// A copy of the samples that no Python code can change.
fn owned_table<T: Real + Element>(py_samples: &PySamples<'_, T>) -> PyResult<SampleTable<T>> {
    let table = match py_samples.view()? {
        SamplesView::Remote(_) => {
            return Err(PyTypeError::new_err("distributed samples cannot be written; compute them first"));
        }
        SamplesView::Dense(rows) => SampleTable::try_from(rows.to_owned()),
        SamplesView::Sparse { n_features, pointers, indices, values } => {
            let wide = |view: IndexView<'_>| -> Vec<i64> {
                match view {
                    IndexView::I32(narrow) => narrow.iter().map(|&index| i64::from(index)).collect(),
                    IndexView::I64(wide) => wide.to_vec(),
                }
            };
            CsrSamples::new(n_features, &wide(pointers), wide(indices), values.to_vec())
                .map(SampleTable::from)
        }
    };
    Ok(table.map_err(CallError::from)?)
}
