//! The worker side of distributed fits: runs queries on a worker's samples and merges the results.

use andnmf::samples::{Reply, Samples};
use andnmf::{Real, distributed};
use numpy::Element;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::call::{interruptible, without_panic};
use crate::samples::{PySamples, SamplesArg, with_precision};

/// Runs a query on a block of samples that starts at sample `first` of the whole; returns sums and rows.
#[pyfunction]
pub(crate) fn execute<'py>(
    py: Python<'py>,
    samples: SamplesArg<'py>,
    first: usize,
    query: &str,
    arguments: &[u8],
    rows: &[u8],
    threads: Option<usize>,
) -> PyResult<(Bound<'py, PyBytes>, Bound<'py, PyBytes>)> {
    with_precision!(&samples, py_samples => execute_as(py, py_samples, first, (query, arguments, rows), threads))
}

fn execute_as<'py, T: Real + Element>(
    py: Python<'py>,
    py_samples: &PySamples<'py, T>,
    first: usize,
    (query, arguments, rows): (&str, &[u8], &[u8]),
    threads: Option<usize>,
) -> PyResult<(Bound<'py, PyBytes>, Bound<'py, PyBytes>)> {
    let view = py_samples.view()?;
    let Reply { sums, rows } = interruptible(py, threads, |cancel| {
        let run =
            |samples: &dyn Samples<T>| Ok(distributed::execute(samples, first, query, arguments, rows)?);
        view.run_cancellable(cancel, run)
    })?;
    Ok((PyBytes::new(py, &sums), PyBytes::new(py, &rows)))
}

/// Merges the sums of a query over two adjacent blocks, the earlier one first.
#[pyfunction]
pub(crate) fn merge<'py>(
    py: Python<'py>,
    query: &str,
    left: &[u8],
    right: &[u8],
) -> PyResult<Bound<'py, PyBytes>> {
    let merged = py.detach(|| without_panic(|| Ok(distributed::merge(query, left, right)?)));
    Ok(PyBytes::new(py, &merged?))
}
