//! Distributed samples behind a Python object: queries go out as bytes, results come back as bytes.
//!
//! Queries originate on a worker thread, but their Python side runs on the thread that made the call: only that thread
//! receives Ctrl-C, which then interrupts whatever Python waits for, and its exceptions reach the user unchanged.

use std::ops::Range;

use andnmf::samples::{Block, Executor, Reply, Request, Samples};
use andnmf::{Real, SamplesError};
use ndarray::CowArray;
use numpy::{Element, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::call::run_on_caller;

/// Samples behind a Python object with `shape`, `stored_values`, `is_sparse`, `precision`, `execute(query, arguments,
/// rows, row_bytes, returns_rows)` and `rows(start, end)`.
pub(crate) struct RemoteSamples {
    object: Py<PyAny>,
    shape: (usize, usize),
    stored_values: usize,
    sparse: bool,
}

impl RemoteSamples {
    /// Extracts the object; `None` if it is no such object or its samples have another precision.
    pub(crate) fn extract<T: Real>(object: &Bound<'_, PyAny>) -> PyResult<Option<Self>> {
        let of_this_precision = match object.getattr_opt("precision")? {
            Some(precision) => precision.extract::<String>()? == T::NAME,
            None => false,
        };
        if !of_this_precision {
            return Ok(None);
        }
        Ok(Some(Self {
            shape: object.getattr("shape")?.extract()?,
            stored_values: object.getattr("stored_values")?.extract()?,
            sparse: object.getattr("is_sparse")?.extract()?,
            object: object.clone().unbind(),
        }))
    }

    /// Calls a method of the object. If it raises, the whole call ends with that exception, and this read is cancelled.
    fn call<A>(&self, method: &'static str, arguments: A) -> Result<Py<PyAny>, SamplesError>
    where
        A: for<'py> pyo3::call::PyCallArgs<'py> + Send + 'static,
    {
        let object = Python::attach(|py| self.object.clone_ref(py));
        run_on_caller(move |py| object.bind(py).call_method1(method, arguments).map(Bound::unbind))
            .ok_or(SamplesError::Cancelled)
    }
}

fn executor_error(error: &PyErr) -> SamplesError {
    SamplesError::Executor { reason: error.to_string() }
}

impl<T: Real + Element> Samples<T> for &RemoteSamples {
    fn n_samples(&self) -> usize {
        self.shape.0
    }

    fn n_features(&self) -> usize {
        self.shape.1
    }

    fn stored_values(&self) -> usize {
        self.stored_values
    }

    fn is_sparse(&self) -> bool {
        self.sparse
    }

    fn executor(&self) -> Option<&dyn Executor> {
        Some(self)
    }

    fn block(&self, rows: Range<usize>) -> Result<Block<'_, T>, SamplesError> {
        let rows = self.call("rows", (rows.start, rows.end))?;
        let rows = Python::attach(|py| {
            Ok(rows.bind(py).cast::<PyArray2<T>>()?.try_readonly()?.as_array().to_owned())
        });
        Ok(Block::Dense(CowArray::from(rows.map_err(|error: PyErr| executor_error(&error))?)))
    }
}

impl Executor for &RemoteSamples {
    fn execute(&self, request: &Request) -> Result<Reply, SamplesError> {
        let Request { query, arguments, rows, row_bytes, returns_rows } = request;
        let bytes = |bytes: &[u8]| Python::attach(|py| PyBytes::new(py, bytes).unbind());
        let arguments = (query.clone(), bytes(arguments), bytes(rows), *row_bytes, *returns_rows);
        let reply = self.call("execute", arguments)?;
        let parts = Python::attach(|py| {
            let (sums, rows): (Bound<'_, PyBytes>, Bound<'_, PyBytes>) = reply.bind(py).extract()?;
            Ok(Reply { sums: sums.as_bytes().to_vec(), rows: rows.as_bytes().to_vec() })
        });
        parts.map_err(|error: PyErr| executor_error(&error))
    }
}
