//! Errors of the library as Python exceptions.

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

/// The error of a call.
#[derive(Debug)]
pub(crate) enum CallError {
    /// Invalid settings or data: `ValueError`.
    Value(String),
    /// Missing resources, or an internal error: `RuntimeError`.
    Runtime(String),
    /// A file cannot be written or read: `OSError`.
    Os(String),
    /// The file exists and may not be replaced: `FileExistsError`.
    FileExists(String),
    /// The file does not exist: `FileNotFoundError`.
    FileNotFound(String),
    /// An exception that Python code raised, for example a callback.
    Python(PyErr),
}

impl From<CallError> for PyErr {
    fn from(error: CallError) -> Self {
        match error {
            CallError::Value(message) => PyValueError::new_err(message),
            CallError::Runtime(message) => PyRuntimeError::new_err(message),
            CallError::Os(message) => PyOSError::new_err(message),
            CallError::FileExists(message) => PyFileExistsError::new_err(message),
            CallError::FileNotFound(message) => PyFileNotFoundError::new_err(message),
            CallError::Python(error) => error,
        }
    }
}

impl From<PyErr> for CallError {
    fn from(error: PyErr) -> Self {
        Self::Python(error)
    }
}

impl From<SettingError> for CallError {
    fn from(error: SettingError) -> Self {
        let SettingError { name, given, expected } = error;
        Self::Value(format!("{} is {given}, but {expected}", parameter_name(name)))
    }
}

impl From<FitError> for CallError {
    fn from(error: FitError) -> Self {
        match error {
            FitError::Setting(error) => error.into(),
            FitError::Samples(error) => error.into(),
            FitError::Threads { .. } => Self::Runtime(error.to_string()),
            FitError::StoppedBeforeStart => Self::Value(
                "time_limit was reached before the fit had any components; increase time_limit".to_owned(),
            ),
            other => Self::Value(other.to_string()),
        }
    }
}

impl From<SamplesError> for CallError {
    fn from(error: SamplesError) -> Self {
        if let SamplesError::Executor { .. } = error {
            return Self::Runtime(error.to_string());
        }
        Self::Value(match error {
            // scikit-learn's `check_estimator` expects these words.
            SamplesError::Negative { .. } => format!("Negative values in data: {error}"),
            other => other.to_string(),
        })
    }
}

impl From<DiagnoseError> for CallError {
    fn from(error: DiagnoseError) -> Self {
        match error {
            DiagnoseError::Setting(error) => error.into(),
            DiagnoseError::Fit(error) => error.into(),
            other => Self::Value(other.to_string()),
        }
    }
}

/// Errors that are always about invalid values.
macro_rules! value_errors {
    ($($error:ty),*) => {
        $(impl From<$error> for CallError {
            fn from(error: $error) -> Self {
                Self::Value(error.to_string())
            }
        })*
    };
}
value_errors!(ShapeError, NnlsError, ModelError, ReconstructionError, MatrixError, serde_json::Error);

/// File errors become the exceptions that Python's own functions raise.
impl From<FileError> for CallError {
    fn from(error: FileError) -> Self {
        let message = error.to_string();
        match error.problem {
            Problem::Exists => Self::FileExists(message),
            Problem::Io(cause) if cause.kind() == ErrorKind::NotFound => Self::FileNotFound(message),
            Problem::Io(_) => Self::Os(message),
            _ => Self::Value(message),
        }
    }
}
