//! Errors of a command: a message on standard error and an exit status that scripts can rely on.

use std::fmt;
use std::io;
use std::sync::{Mutex, PoisonError};

use andnmf::diagnose::DiagnoseError;
use andnmf::metrics::ReconstructionError;
use andnmf::nnls::NnlsError;
use andnmf::settings::option_name;
use andnmf::{FitError, SamplesError, SettingError, ShapeError};
use andnmf_io::model::ModelError;
use andnmf_io::printable;

use crate::cancel;
use crate::experiment::ExperimentError;

/// Why a command failed.
#[derive(Debug)]
pub enum Failure {
    /// The request or the input is wrong: exit status 2.
    Request(String),
    /// Anything else: exit status 1.
    Other(String),
    /// Cancelled by Ctrl-C: exit status 130.
    Cancelled(String),
    /// Standard output was closed by its reader: exit status 0, no message.
    OutputClosed,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Request(message) | Self::Other(message) | Self::Cancelled(message) => f.write_str(message),
            Self::OutputClosed => f.write_str("standard output was closed"),
        }
    }
}

/// The exit status of a command whose request or input is wrong.
pub const EXIT_REQUEST: u8 = 2;

/// Runs a command to its exit status. A panic, which is an error in andnmf or what it is built on, ends it like any other
/// failure: what it leaves unfinished is removed, and nothing but its message is printed.
pub fn run_to_exit(command: impl FnOnce() -> Result<(), Failure>) -> u8 {
    static PANIC: Mutex<Option<String>> = Mutex::new(None);
    let last = || PANIC.lock().unwrap_or_else(PoisonError::into_inner);
    std::panic::set_hook(Box::new(move |panic| *last() = Some(panic.to_string().replace('\n', " "))));
    // Nothing is used after a panic that it could have left inconsistent.
    match std::panic::catch_unwind(std::panic::AssertUnwindSafe(command)) {
        Ok(Ok(())) => 0,
        Ok(Err(failure)) => failure.report(),
        Err(_) => {
            let message = last().take().unwrap_or_default();
            Failure::Other(format!("{INTERNAL} {message}; please report this with the command that you ran"))
                .report()
        }
    }
}

/// The beginning of the message of a panic.
const INTERNAL: &str = "internal error:";

impl Failure {
    /// Prints the message and returns the exit status.
    pub fn report(self) -> u8 {
        match self {
            Self::Request(message) => {
                eprintln!("error: {}", printable(&message));
                EXIT_REQUEST
            }
            Self::Other(message) => {
                eprintln!("error: {}", printable(&message));
                1
            }
            Self::Cancelled(message) => {
                eprintln!("stopped: {}", printable(&message));
                cancel::EXIT_CANCELLED
            }
            Self::OutputClosed => 0,
        }
    }
}

/// Returns true for errors of the system that the user can mend: a wrong path, or missing permissions.
pub(crate) fn is_wrong_path(error: &io::Error) -> bool {
    use io::ErrorKind::{
        AlreadyExists, DirectoryNotEmpty, InvalidFilename, IsADirectory, NotADirectory, NotFound,
        PermissionDenied, ReadOnlyFilesystem,
    };
    matches!(
        error.kind(),
        AlreadyExists
            | DirectoryNotEmpty
            | InvalidFilename
            | IsADirectory
            | NotADirectory
            | NotFound
            | PermissionDenied
            | ReadOnlyFilesystem
    ) || format!("{:?}", error.kind()) == "FilesystemLoop" // not a stable name yet
}

/// The option for a setting of the library: `--samples` for `n_samples`.
fn option_of(setting: &str) -> String {
    // Parts of a schedule are not options: name the option that contains them.
    if let Some(part) = setting.strip_prefix("threshold ").or_else(|| setting.strip_prefix("first ")) {
        return format!("the {part} of --threshold");
    }
    let option = option_name(setting.strip_prefix("n_").unwrap_or(setting));
    format!("--{}", option.replace(' ', "-"))
}

impl From<SettingError> for Failure {
    fn from(error: SettingError) -> Self {
        let SettingError { name, given, expected } = error;
        Self::Request(format!("{} is {given}, but {expected}", option_of(name)))
    }
}

impl From<ShapeError> for Failure {
    fn from(error: ShapeError) -> Self {
        Self::Request(error.to_string())
    }
}

impl From<SamplesError> for Failure {
    fn from(error: SamplesError) -> Self {
        match error {
            SamplesError::Cancelled => Self::Cancelled("nothing was written".to_owned()),
            SamplesError::Read { .. } | SamplesError::Changed { .. } => Self::Other(error.to_string()),
            _ => Self::Request(error.to_string()),
        }
    }
}

impl From<FitError> for Failure {
    fn from(error: FitError) -> Self {
        match error {
            FitError::Setting(error) => error.into(),
            FitError::Shape(error) => error.into(),
            FitError::Samples(error) => error.into(),
            FitError::StoppedBeforeStart if cancel::requested() => {
                Self::Cancelled("nothing was written".to_owned())
            }
            FitError::StoppedBeforeStart => Self::Request(
                "--time-limit was reached before there was a first result; allow more seconds".to_owned(),
            ),
            FitError::Threads { .. } => Self::Other(error.to_string()),
            _ => Self::Request(error.to_string()),
        }
    }
}

impl From<NnlsError> for Failure {
    fn from(error: NnlsError) -> Self {
        match error {
            NnlsError::Samples(error) => error.into(),
            NnlsError::Shape(error) => error.into(),
            other => Self::Request(other.to_string()),
        }
    }
}

impl From<ModelError> for Failure {
    fn from(error: ModelError) -> Self {
        match error {
            ModelError::Weights(error) => error.into(),
            other => Self::Request(other.to_string()),
        }
    }
}

impl From<ReconstructionError> for Failure {
    fn from(error: ReconstructionError) -> Self {
        match error {
            ReconstructionError::Samples(error) => error.into(),
            other => Self::Request(other.to_string()),
        }
    }
}

impl From<DiagnoseError> for Failure {
    fn from(error: DiagnoseError) -> Self {
        match error {
            DiagnoseError::Setting(error) => error.into(),
            DiagnoseError::Fit(error) => error.into(),
            DiagnoseError::Weights(error) => error.into(),
            DiagnoseError::Residual(error) => error.into(),
            other => Self::Request(other.to_string()),
        }
    }
}

impl From<ExperimentError> for Failure {
    fn from(error: ExperimentError) -> Self {
        match error {
            ExperimentError::Setting(error) => error.into(),
            ExperimentError::Fit(error) => error.into(),
            _ => Self::Request(error.to_string()),
        }
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            return Self::OutputClosed;
        }
        Self::Other(format!("cannot write the output: {error}"))
    }
}

impl From<serde_json::Error> for Failure {
    fn from(error: serde_json::Error) -> Self {
        Self::from(io::Error::from(error))
    }
}
