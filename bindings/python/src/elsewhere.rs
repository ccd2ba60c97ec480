//! Samples that are held by Python: on a cluster, say. Questions go out, answers come back.
//!
//! What asks is a thread of the library; it is the thread that made the call that has Python answer. Ctrl-C, which
//! only that thread sees, then ends whatever Python is waiting for, and errors are those that Python raised.

use std::ops::Range;

use andnmf::elsewhere::{Answer, Cut, Elsewhere, Question, answer as answer_of};
use andnmf::samples::{Block, Samples};
use andnmf::{Real, SamplesError};
use ndarray::{Array2, ArrayView2, CowArray};
use numpy::{Element, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2, ToPyArray};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::call::{by_caller, interruptible};
use crate::samples::{Held, Input, in_own_precision};

/// Samples behind a Python object with `shape`, `stored_values`, `is_sparse`, `precision`, `ask(question)` and
/// `rows(start, end)`.
pub(crate) struct Remote {
    object: Py<PyAny>,
    shape: (usize, usize),
    stored_values: usize,
    sparse: bool,
}

impl Remote {
    /// The object, where it is of that kind and its samples of this precision.
    pub(crate) fn hold<T: Real>(object: &Bound<'_, PyAny>) -> PyResult<Option<Self>> {
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
}

fn unreachable(error: &PyErr) -> SamplesError {
    SamplesError::Elsewhere { reason: error.to_string() }
}

impl Remote {
    /// What a method of the object returns. Where it raises, the call will, and reading is called off.
    fn call<A>(&self, method: &'static str, arguments: A) -> Result<Py<PyAny>, SamplesError>
    where
        A: for<'py> pyo3::call::PyCallArgs<'py> + Send + 'static,
    {
        let object = Python::attach(|py| self.object.clone_ref(py));
        by_caller(move |py| object.bind(py).call_method1(method, arguments).map(Bound::unbind))
            .ok_or(SamplesError::CalledOff)
    }
}

impl<T: Real + Element> Samples<T> for &Remote {
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

    fn elsewhere(&self) -> Option<&dyn Elsewhere<T>> {
        Some(self)
    }

    fn block(&self, rows: Range<usize>) -> Result<Block<'_, T>, SamplesError> {
        let rows = self.call("rows", (rows.start, rows.end))?;
        let rows = Python::attach(|py| {
            Ok(rows.bind(py).cast::<PyArray2<T>>()?.try_readonly()?.as_array().to_owned())
        });
        Ok(Block::Dense(CowArray::from(rows.map_err(|error: PyErr| unreachable(&error))?)))
    }
}

impl<T: Real + Element> Elsewhere<T> for &Remote {
    fn ask(&self, question: &Question<'_, T>) -> Result<Answer<T>, SamplesError> {
        let question = Python::attach(|py| put(py, question).map(Bound::unbind));
        let question = question.map_err(|error| unreachable(&error))?;
        let answer = self.call("ask", (question,))?;
        Python::attach(|py| heard(answer.bind(py))).map_err(|error| unreachable(&error))
    }
}

/// A question as `(kind, numbers, matrix, weights, thresholds)`, of which only `weights` has a row per sample.
fn put<'py, T: Real + Element>(py: Python<'py>, question: &Question<'_, T>) -> PyResult<Bound<'py, PyTuple>> {
    let (mut numbers, mut matrix, mut weights, mut thresholds) = (Vec::new(), None, None, &[][..]);
    let kind = match *question {
        Question::Coordinates { directions } => {
            matrix = Some(directions);
            "coordinates"
        }
        Question::RandomCombinations { size, seed, cut } => {
            numbers.extend([size as u64, seed]);
            numbers.extend(cut.numbers().map(|number| number as u64));
            "random-combinations"
        }
        Question::NormalProduct { directions } => {
            matrix = Some(directions);
            "normal-product"
        }
        Question::Combinations { weights: given } => {
            weights = Some(given);
            "combinations"
        }
        Question::Stage { decoder, thresholds: given } => {
            matrix = Some(decoder);
            thresholds = given;
            "stage"
        }
        Question::Weights { components } => {
            matrix = Some(components);
            "weights"
        }
        Question::Residual { weights: given, components } => {
            (matrix, weights) = (Some(components), Some(given));
            "residual"
        }
        Question::Sizes => "sizes",
        _ => {
            return Err(PyValueError::new_err("a question that this version of the extension does not know"));
        }
    };
    let array = |matrix: Option<ArrayView2<'_, T>>| matrix.map(|matrix| matrix.to_pyarray(py));
    let thresholds = PyArray1::from_slice(py, thresholds);
    (kind, numbers, array(matrix), array(weights), thresholds).into_pyobject(py)
}

/// An answer as `(rows, sizes, products, moments, added, lowest, highest)`.
fn heard<T: Real + Element>(answer: &Bound<'_, PyAny>) -> PyResult<Answer<T>> {
    type Parts<'py, T> = (
        PyReadonlyArray2<'py, T>,
        PyReadonlyArray2<'py, f64>,
        PyReadonlyArray2<'py, T>,
        PyReadonlyArray2<'py, T>,
        PyReadonlyArray1<'py, f64>,
        PyReadonlyArray1<'py, f64>,
        PyReadonlyArray1<'py, f64>,
    );
    let (rows, sizes, products, moments, added, lowest, highest): Parts<'_, T> = answer.extract()?;
    let owned = |matrix: PyReadonlyArray2<'_, T>| matrix.as_array().as_standard_layout().into_owned();
    Ok(Answer {
        rows: owned(rows),
        sizes: sizes.as_array().to_owned(),
        products: owned(products),
        moments: owned(moments),
        added: added.as_array().to_vec(),
        lowest: lowest.as_array().to_vec(),
        highest: highest.as_array().to_vec(),
    })
}

/// The answer of some samples, the first of which is number `first` of all, to a question as [`put`] puts it.
#[pyfunction]
pub(crate) fn answer<'py>(
    py: Python<'py>,
    samples: Input<'py>,
    first: usize,
    question: &Bound<'py, PyAny>,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyTuple>> {
    in_own_precision!(&samples, held => answer_as(py, held, first, question, threads))
}

fn answer_as<'py, T: Real + Element>(
    py: Python<'py>,
    held: &Held<'py, T>,
    first: usize,
    question: &Bound<'py, PyAny>,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyTuple>> {
    type Parts<'py, T> = (
        String,
        Vec<u64>,
        Option<PyReadonlyArray2<'py, T>>,
        Option<PyReadonlyArray2<'py, T>>,
        PyReadonlyArray1<'py, T>,
    );
    let (kind, numbers, matrix, weights, thresholds): Parts<'py, T> = question.extract()?;
    let wrong = || PyValueError::new_err(format!("'{kind}' with these parts is no question"));
    let empty = Array2::zeros((0, 0));
    let thresholds = thresholds.as_array().to_vec();
    let matrix = matrix.as_ref().map_or(empty.view(), |matrix| matrix.as_array());
    let weights = weights.as_ref().map_or(empty.view(), |weights| weights.as_array());
    let question = match kind.as_str() {
        "coordinates" => Question::Coordinates { directions: matrix },
        "random-combinations" => {
            let [size, seed, samples, parts, rows] = numbers[..] else { return Err(wrong()) };
            let cut = [samples, parts, rows].map(|number| number as usize);
            let cut = Cut::from_numbers(cut).ok_or_else(wrong)?;
            Question::RandomCombinations { size: size as usize, seed, cut }
        }
        "normal-product" => Question::NormalProduct { directions: matrix },
        "combinations" => Question::Combinations { weights },
        "stage" => Question::Stage { decoder: matrix, thresholds: &thresholds },
        "weights" => Question::Weights { components: matrix },
        "residual" => Question::Residual { weights, components: matrix },
        "sizes" => Question::Sizes,
        _ => return Err(wrong()),
    };
    let view = held.view()?;
    let Answer { rows, sizes, products, moments, added, lowest, highest } =
        interruptible(py, threads, |cancel| {
            view.until(cancel, |samples| Ok(answer_of(samples, first, &question)?))
        })?;
    let list = |values: Vec<f64>| PyArray1::from_vec(py, values);
    let parts = (
        rows.to_pyarray(py),
        sizes.to_pyarray(py),
        products.to_pyarray(py),
        moments.to_pyarray(py),
        list(added),
        list(lowest),
        list(highest),
    );
    parts.into_pyobject(py)
}
