//! What the library refuses, as Python's exceptions.

use std::io::ErrorKind;

use andnmf::diagnose::DiagnoseError;
use andnmf::metrics::ReconstructionError;
use andnmf::nnls::NnlsError;
use andnmf::settings::parameter_name;
use andnmf::theory::MatrixError;
use andnmf::{FitError, SamplesError, SettingError, ShapeError};
use andnmf_io::model::ModelError;
use andnmf_io::{FileError, Problem};
use pyo3::exceptions::{PyFileExistsError, PyFileNotFoundError, PyOSError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;

/// Why a call has no result.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Settings or data are wrong: `ValueError`.
    Value(String),
    /// The machine could not do it: `RuntimeError`.
    Machine(String),
    /// A file cannot be written or read: `OSError`.
    File(String),
    /// A file is there that must not be replaced: `FileExistsError`.
    Exists(String),
    /// A file is not there: `FileNotFoundError`.
    Missing(String),
    /// Python itself had something to say, a callback for instance.
    Python(PyErr),
}

impl From<Failure> for PyErr {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Value(message) => PyValueError::new_err(message),
            Failure::Machine(message) => PyRuntimeError::new_err(message),
            Failure::File(message) => PyOSError::new_err(message),
            Failure::Exists(message) => PyFileExistsError::new_err(message),
            Failure::Missing(message) => PyFileNotFoundError::new_err(message),
            Failure::Python(error) => error,
        }
    }
}

impl From<PyErr> for Failure {
    fn from(error: PyErr) -> Self {
        Self::Python(error)
    }
}

impl From<SettingError> for Failure {
    fn from(error: SettingError) -> Self {
        let SettingError { name, given, expected } = error;
        Self::Value(format!("{} is {given}, but {expected}", parameter_name(name)))
    }
}

impl From<FitError> for Failure {
    fn from(error: FitError) -> Self {
        match error {
            FitError::Setting(error) => error.into(),
            FitError::Samples(error) => error.into(),
            FitError::Threads { .. } => Self::Machine(error.to_string()),
            FitError::StoppedBeforeStart => Self::Value(
                "the time limit was reached before there was anything to keep; allow more with time_limit"
                    .to_owned(),
            ),
            other => Self::Value(other.to_string()),
        }
    }
}

impl From<SamplesError> for Failure {
    fn from(error: SamplesError) -> Self {
        if let SamplesError::Executor { .. } = error {
            return Self::Machine(error.to_string());
        }
        Self::Value(match error {
            // The words that scikit-learn's own estimators have for it, and its checks look for.
            SamplesError::Negative { .. } => format!("Negative values in data: {error}"),
            other => other.to_string(),
        })
    }
}

impl From<DiagnoseError> for Failure {
    fn from(error: DiagnoseError) -> Self {
        match error {
            DiagnoseError::Setting(error) => error.into(),
            DiagnoseError::Fit(error) => error.into(),
            other => Self::Value(other.to_string()),
        }
    }
}

/// Errors that are all about the values given.
macro_rules! wrong_values {
    ($($error:ty),*) => {
        $(impl From<$error> for Failure {
            fn from(error: $error) -> Self {
                Self::Value(error.to_string())
            }
        })*
    };
}
wrong_values!(ShapeError, NnlsError, ModelError, ReconstructionError, MatrixError, serde_json::Error);

/// What is wrong with a file, as the exception that Python's own functions would raise.
impl From<FileError> for Failure {
    fn from(error: FileError) -> Self {
        let message = error.to_string();
        match error.problem {
            Problem::Exists => Self::Exists(message),
            Problem::Io(cause) if cause.kind() == ErrorKind::NotFound => Self::Missing(message),
            Problem::Io(_) => Self::File(message),
            _ => Self::Value(message),
        }
    }
}
