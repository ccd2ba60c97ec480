//! The side of the workers: queries on the samples that a worker holds, and merging of their results.

use andnmf::samples::{Reply, Samples};
use andnmf::{Real, distributed};
use numpy::Element;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::call::interruptible;
use crate::failure::Failure;
use crate::samples::{Held, Input, in_own_precision};

/// Runs a query on some samples, the first of which is number `first` of all; returns sums and rows.
#[pyfunction]
pub(crate) fn execute<'py>(
    py: Python<'py>,
    samples: Input<'py>,
    first: usize,
    query: &str,
    arguments: &[u8],
    rows: &[u8],
    threads: Option<usize>,
) -> PyResult<(Bound<'py, PyBytes>, Bound<'py, PyBytes>)> {
    in_own_precision!(&samples, held => execute_as(py, held, first, (query, arguments, rows), threads))
}

fn execute_as<'py, T: Real + Element>(
    py: Python<'py>,
    held: &Held<'py, T>,
    first: usize,
    (query, arguments, rows): (&str, &[u8], &[u8]),
    threads: Option<usize>,
) -> PyResult<(Bound<'py, PyBytes>, Bound<'py, PyBytes>)> {
    let view = held.view()?;
    let Reply { sums, rows } = interruptible(py, threads, |cancel| {
        let run =
            |samples: &dyn Samples<T>| Ok(distributed::execute(samples, first, query, arguments, rows)?);
        view.until(cancel, run)
    })?;
    Ok((PyBytes::new(py, &sums), PyBytes::new(py, &rows)))
}

/// Merges the sums of a query over neighbouring samples, those of the earlier samples first.
#[pyfunction]
pub(crate) fn merge<'py>(
    py: Python<'py>,
    query: &str,
    left: &[u8],
    right: &[u8],
) -> PyResult<Bound<'py, PyBytes>> {
    let merged = py.detach(|| distributed::merge(query, left, right));
    Ok(PyBytes::new(py, &merged.map_err(Failure::from)?))
}
