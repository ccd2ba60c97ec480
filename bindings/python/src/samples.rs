//! Samples from Python, read in place: NumPy arrays, the arrays of CSR matrices, distributed samples.

use std::sync::atomic::{AtomicBool, Ordering};

use andnmf::Real;
use andnmf::samples::{CancellableSamples, CsrSamples, DenseSamples, Samples};
use ndarray::ArrayView2;
use numpy::{Element, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use crate::error::CallError;
use crate::remote::RemoteSamples;

/// The argument `samples` of Python functions, in either precision.
pub(crate) enum SamplesArg<'py> {
    F32(PySamples<'py, f32>),
    F64(PySamples<'py, f64>),
}

/// Samples that Python holds, borrowed read-only.
pub(crate) enum PySamples<'py, T: Element> {
    Remote(RemoteSamples),
    Dense(PyReadonlyArray2<'py, T>),
    Sparse {
        n_features: usize,
        pointers: Indices<'py>,
        indices: Indices<'py>,
        values: PyReadonlyArray1<'py, T>,
    },
}

/// SciPy's two index types.
pub(crate) enum Indices<'py> {
    I32(PyReadonlyArray1<'py, i32>),
    I64(PyReadonlyArray1<'py, i64>),
}

/// Evaluates an expression for samples of either precision.
macro_rules! with_precision {
    ($input:expr, $py_samples:ident => $result:expr) => {
        match $input {
            $crate::samples::SamplesArg::F32($py_samples) => $result,
            $crate::samples::SamplesArg::F64($py_samples) => $result,
        }
    };
}
pub(crate) use with_precision;

impl<'a, 'py> FromPyObject<'a, 'py> for SamplesArg<'py> {
    type Error = PyErr;

    /// A 2-D array of float32 or float64, the parts `(n_features, indptr, indices, data)` of a CSR matrix, or an object
    /// that runs queries on distributed samples.
    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        if let Some(py_samples) = extract_samples::<f64>(&object)? {
            return Ok(Self::F64(py_samples));
        }
        if let Some(py_samples) = extract_samples::<f32>(&object)? {
            return Ok(Self::F32(py_samples));
        }
        Err(PyTypeError::new_err(
            "samples must be a 2-D array of float32 or float64, or (n_features, indptr, indices, data) of a CSR matrix",
        ))
    }
}

/// Extracts samples; `None` if they have another precision.
fn extract_samples<'py, T: Element + Real>(
    object: &Bound<'py, PyAny>,
) -> PyResult<Option<PySamples<'py, T>>> {
    if let Ok(array) = object.cast::<PyArray2<T>>() {
        return Ok(Some(PySamples::Dense(array.try_readonly()?)));
    }
    if let Some(remote) = RemoteSamples::extract::<T>(object)? {
        return Ok(Some(PySamples::Remote(remote)));
    }
    type Parts<'py> = (usize, Bound<'py, PyAny>, Bound<'py, PyAny>, Bound<'py, PyAny>);
    let Ok((n_features, pointers, indices, values)) = object.extract::<Parts<'py>>() else { return Ok(None) };
    let Ok(values) = values.cast::<PyArray1<T>>() else { return Ok(None) };
    Ok(Some(PySamples::Sparse {
        n_features,
        pointers: Indices::extract(&pointers)?,
        indices: Indices::extract(&indices)?,
        values: values.try_readonly()?,
    }))
}

impl<'py> Indices<'py> {
    fn extract(object: &Bound<'py, PyAny>) -> PyResult<Self> {
        if let Ok(narrow) = object.cast::<PyArray1<i32>>() {
            return Ok(Self::I32(narrow.try_readonly()?));
        }
        match object.cast::<PyArray1<i64>>() {
            Ok(wide) => Ok(Self::I64(wide.try_readonly()?)),
            Err(_) => Err(PyTypeError::new_err("indices of a sparse matrix must be int32 or int64")),
        }
    }

    fn view(&self) -> PyResult<IndexView<'_>> {
        Ok(match self {
            Self::I32(narrow) => IndexView::I32(narrow.as_slice()?),
            Self::I64(wide) => IndexView::I64(wide.as_slice()?),
        })
    }
}

impl<T: Element + Real> PySamples<'_, T> {
    /// A view that other threads can read.
    pub(crate) fn view(&self) -> PyResult<SamplesView<'_, T>> {
        Ok(match self {
            Self::Remote(remote) => SamplesView::Remote(remote),
            Self::Dense(array) => SamplesView::Dense(array.as_array()),
            Self::Sparse { n_features, pointers, indices, values } => SamplesView::Sparse {
                n_features: *n_features,
                pointers: pointers.view()?,
                indices: indices.view()?,
                values: values.as_slice()?,
            },
        })
    }

    /// Extracts a matrix, which must have the precision of the samples.
    pub(crate) fn matching_matrix<'py>(
        &self,
        other: &Bound<'py, PyAny>,
    ) -> PyResult<PyReadonlyArray2<'py, T>> {
        match other.cast::<PyArray2<T>>() {
            Ok(array) => Ok(array.try_readonly()?),
            Err(_) => Err(PyTypeError::new_err(format!(
                "components and weights must be 2-D arrays of {}, the precision of the samples",
                T::NAME
            ))),
        }
    }
}

#[derive(Clone, Copy)]
pub(crate) enum IndexView<'a> {
    I32(&'a [i32]),
    I64(&'a [i64]),
}

/// A view of samples that have not been validated yet.
#[derive(Clone, Copy)]
pub(crate) enum SamplesView<'a, T: Real> {
    Remote(&'a RemoteSamples),
    Dense(ArrayView2<'a, T>),
    Sparse { n_features: usize, pointers: IndexView<'a>, indices: IndexView<'a>, values: &'a [T] },
}

impl<'a, T: Real + Element> SamplesView<'a, T> {
    /// Runs work that has no cancellation of its own: after cancellation, reading the samples fails.
    pub(crate) fn run_cancellable<R>(
        self,
        cancel: &AtomicBool,
        work: impl FnOnce(&dyn Samples<T>) -> Result<R, CallError>,
    ) -> Result<R, CallError> {
        let samples = self.check()?;
        let stop = || cancel.load(Ordering::Relaxed);
        work(&CancellableSamples { samples: samples.as_ref(), stop: &stop })
    }

    /// Validates the samples.
    pub(crate) fn check(self) -> Result<Box<dyn Samples<T> + 'a>, CallError> {
        use IndexView::{I32, I64};
        Ok(match self {
            Self::Remote(remote) => Box::new(remote),
            Self::Dense(rows) => Box::new(DenseSamples::new(rows)?),
            Self::Sparse { n_features, pointers, indices, values } => Box::new(match (pointers, indices) {
                (I32(pointers), I32(indices)) => CsrSamples::new(n_features, pointers, indices, values)?,
                (I32(pointers), I64(indices)) => CsrSamples::new(n_features, pointers, indices, values)?,
                (I64(pointers), I32(indices)) => CsrSamples::new(n_features, pointers, indices, values)?,
                (I64(pointers), I64(indices)) => CsrSamples::new(n_features, pointers, indices, values)?,
            }),
        })
    }
}
