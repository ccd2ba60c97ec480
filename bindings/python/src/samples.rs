//! Samples as Python has them: arrays of numpy and the parts of sparse matrices, read in place.

use std::sync::atomic::{AtomicBool, Ordering};

use andnmf::Real;
use andnmf::samples::{CancellableSamples, CsrSamples, DenseSamples, Samples};
use ndarray::ArrayView2;
use numpy::{Element, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use crate::failure::Failure;
use crate::remote::Remote;

/// A matrix of samples in its own precision.
pub(crate) enum Input<'py> {
    F32(Held<'py, f32>),
    F64(Held<'py, f64>),
}

/// A matrix kept from being written to while it is read.
pub(crate) enum Held<'py, T: Element> {
    Remote(Remote),
    Dense(PyReadonlyArray2<'py, T>),
    Sparse {
        n_features: usize,
        pointers: Indices<'py>,
        indices: Indices<'py>,
        values: PyReadonlyArray1<'py, T>,
    },
}

/// The two widths of indices that scipy knows.
pub(crate) enum Indices<'py> {
    I32(PyReadonlyArray1<'py, i32>),
    I64(PyReadonlyArray1<'py, i64>),
}

/// The same expression for samples of either precision.
macro_rules! in_own_precision {
    ($input:expr, $held:ident => $result:expr) => {
        match $input {
            $crate::samples::Input::F32($held) => $result,
            $crate::samples::Input::F64($held) => $result,
        }
    };
}
pub(crate) use in_own_precision;

impl<'a, 'py> FromPyObject<'a, 'py> for Input<'py> {
    type Error = PyErr;

    /// A 2-D array of float32 or float64, the parts `(n_features, indptr, indices, data)` of a CSR matrix, or an object
    /// that runs queries on distributed samples.
    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        if let Some(held) = hold::<f64>(&object)? {
            return Ok(Self::F64(held));
        }
        if let Some(held) = hold::<f32>(&object)? {
            return Ok(Self::F32(held));
        }
        Err(PyTypeError::new_err(
            "samples must be a 2-D array of float32 or float64, or (n_features, indptr, indices, data) of a CSR matrix",
        ))
    }
}

/// The samples, where they are of this precision.
fn hold<'py, T: Element + Real>(object: &Bound<'py, PyAny>) -> PyResult<Option<Held<'py, T>>> {
    if let Ok(array) = object.cast::<PyArray2<T>>() {
        return Ok(Some(Held::Dense(array.try_readonly()?)));
    }
    if let Some(remote) = Remote::hold::<T>(object)? {
        return Ok(Some(Held::Remote(remote)));
    }
    type Parts<'py> = (usize, Bound<'py, PyAny>, Bound<'py, PyAny>, Bound<'py, PyAny>);
    let Ok((n_features, pointers, indices, values)) = object.extract::<Parts<'py>>() else { return Ok(None) };
    let Ok(values) = values.cast::<PyArray1<T>>() else { return Ok(None) };
    Ok(Some(Held::Sparse {
        n_features,
        pointers: Indices::hold(&pointers)?,
        indices: Indices::hold(&indices)?,
        values: values.try_readonly()?,
    }))
}

impl<'py> Indices<'py> {
    fn hold(object: &Bound<'py, PyAny>) -> PyResult<Self> {
        if let Ok(narrow) = object.cast::<PyArray1<i32>>() {
            return Ok(Self::I32(narrow.try_readonly()?));
        }
        match object.cast::<PyArray1<i64>>() {
            Ok(wide) => Ok(Self::I64(wide.try_readonly()?)),
            Err(_) => Err(PyTypeError::new_err("the indices of a sparse matrix must be int32 or int64")),
        }
    }

    fn view(&self) -> PyResult<IndexView<'_>> {
        Ok(match self {
            Self::I32(narrow) => IndexView::I32(narrow.as_slice()?),
            Self::I64(wide) => IndexView::I64(wide.as_slice()?),
        })
    }
}

impl<T: Element + Real> Held<'_, T> {
    /// The matrix in a form that other threads may read.
    pub(crate) fn view(&self) -> PyResult<View<'_, T>> {
        Ok(match self {
            Self::Remote(remote) => View::Remote(remote),
            Self::Dense(array) => View::Dense(array.as_array()),
            Self::Sparse { n_features, pointers, indices, values } => View::Sparse {
                n_features: *n_features,
                pointers: pointers.view()?,
                indices: indices.view()?,
                values: values.as_slice()?,
            },
        })
    }

    /// Another matrix, which must be of the precision of the samples.
    pub(crate) fn like<'py>(&self, other: &Bound<'py, PyAny>) -> PyResult<PyReadonlyArray2<'py, T>> {
        match other.cast::<PyArray2<T>>() {
            Ok(array) => Ok(array.try_readonly()?),
            Err(_) => {
                Err(PyTypeError::new_err(format!("a 2-D array of {} like the samples is needed", T::NAME)))
            }
        }
    }
}

#[derive(Clone, Copy)]
pub(crate) enum IndexView<'a> {
    I32(&'a [i32]),
    I64(&'a [i64]),
}

/// A matrix that nothing has been checked of yet.
#[derive(Clone, Copy)]
pub(crate) enum View<'a, T: Real> {
    Remote(&'a Remote),
    Dense(ArrayView2<'a, T>),
    Sparse { n_features: usize, pointers: IndexView<'a>, indices: IndexView<'a>, values: &'a [T] },
}

impl<'a, T: Real + Element> View<'a, T> {
    /// Hands the checked samples to work that knows of no cancelling, but ends where they can no longer be read.
    pub(crate) fn until<R>(
        self,
        cancel: &AtomicBool,
        work: impl FnOnce(&dyn Samples<T>) -> Result<R, Failure>,
    ) -> Result<R, Failure> {
        let samples = self.check()?;
        let stop = || cancel.load(Ordering::Relaxed);
        work(&CancellableSamples { samples: samples.as_ref(), stop: &stop })
    }

    /// The samples, checked once.
    pub(crate) fn check(self) -> Result<Box<dyn Samples<T> + 'a>, Failure> {
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
