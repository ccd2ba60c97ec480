//! How a command fails: one line on standard error and an exit status that scripts can rely on.

use std::io;
use std::process::ExitCode;

use andnmf::{FitError, SettingError};
use andnmf_lab::ExperimentError;

/// Why a command did not do what was asked.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The request or the input is wrong: exit status 2.
    Request(String),
    /// Anything else: exit status 1.
    Other(String),
    /// Whoever read our output has stopped reading: nobody is left to tell.
    ReaderGone,
}

impl Failure {
    /// Says what went wrong and returns the exit status.
    pub(crate) fn report(self) -> ExitCode {
        match self {
            Self::Request(message) => {
                eprintln!("error: {message}");
                ExitCode::from(2)
            }
            Self::Other(message) => {
                eprintln!("error: {message}");
                ExitCode::FAILURE
            }
            Self::ReaderGone => ExitCode::SUCCESS,
        }
    }
}

impl From<SettingError> for Failure {
    /// Names the option instead of the library's setting: `--samples` for `n_samples`.
    fn from(error: SettingError) -> Self {
        let SettingError { name, given, expected } = error;
        let option = name.strip_prefix("n_").unwrap_or(name).replace(['_', ' '], "-");
        Self::Request(format!("--{option} is {given}, but {expected}"))
    }
}

impl From<ExperimentError> for Failure {
    fn from(error: ExperimentError) -> Self {
        match error {
            ExperimentError::Setting(error) | ExperimentError::Fit(FitError::Setting(error)) => error.into(),
            ExperimentError::Fit(FitError::Threads { .. } | FitError::Overflow { .. }) => {
                Self::Other(error.to_string())
            }
            _ => Self::Request(error.to_string()),
        }
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            return Self::ReaderGone;
        }
        Self::Other(format!("writing the output failed: {error}"))
    }
}

impl From<serde_json::Error> for Failure {
    fn from(error: serde_json::Error) -> Self {
        Self::from(io::Error::from(error))
    }
}
