//! What can be wrong with a file: one variant per cause, with the place and what would be right.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use andnmf::SamplesError;

/// A file that could not be read or written: which, where in it, and why.
#[derive(Debug, thiserror::Error)]
#[error("{}{place}: {problem}", file.display())]
pub struct FileError {
    /// The file, as it was named.
    pub file: PathBuf,
    /// Where in the file.
    pub place: Place,
    /// What is wrong there.
    pub problem: Problem,
}

/// A place in a file, in the words of somebody who has it open in an editor: everything counts from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Place {
    /// The file as a whole.
    Whole,
    /// A line of a text file.
    Line(u64),
    /// A field of a line.
    Field {
        /// The line.
        line: u64,
        /// The field within it.
        field: u64,
    },
    /// A value of a matrix.
    Value {
        /// The row.
        row: u64,
        /// The column.
        column: u64,
    },
    /// A named part: an array of an archive, a group of an HDF5 file, a column of a table, a picture of a folder.
    Part(String),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole => Ok(()),
            Self::Line(line) => write!(f, ", line {line}"),
            Self::Field { line, field } => write!(f, ", line {line}, field {field}"),
            Self::Value { row, column } => write!(f, ", row {row}, column {column}"),
            Self::Part(name) => write!(f, ", {name}"),
        }
    }
}

/// What is wrong with a file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// The system could not read or write it.
    #[error("{0}")]
    Io(io::Error),
    /// A name that does not tell the format.
    #[error("the name does not tell the format{}; known are {known}", did_you_mean(*nearest))]
    UnknownFormat {
        /// The ending that comes closest, where one comes close.
        nearest: Option<&'static str>,
        /// The endings that are known.
        known: String,
    },
    /// A format that this build cannot read or write.
    #[error("this build of andnmf cannot handle {format} files; build it with --features {feature}")]
    NotBuiltIn {
        /// The format.
        format: &'static str,
        /// The cargo feature that brings it.
        feature: &'static str,
    },
    /// Something else than the name says, or damaged beyond reading.
    #[error("this is not {expected}: {reason}")]
    NotThisFormat {
        /// What it should be: "a .npy file".
        expected: &'static str,
        /// Why it cannot be.
        reason: String,
    },
    /// A file that ends too early.
    #[error("the file ends too early: {missing}")]
    Truncated {
        /// What should have followed.
        missing: String,
    },
    /// Sizes that the file cannot hold.
    #[error("{declared} declared, but the file can hold at most {held}")]
    DeclaredSize {
        /// What the header declares: "900000 rows".
        declared: String,
        /// What there is room for: "12 rows".
        held: String,
    },
    /// More or fewer values than announced.
    #[error("{expected} expected, but there are {given}")]
    Count {
        /// What was announced, in words.
        expected: String,
        /// What was found.
        given: u64,
    },
    /// A row with another number of values than the rows before it.
    #[error("{} {given} values, where the rows before have {expected}", row_of(name.as_deref()))]
    Ragged {
        /// The name of the row, where it has one.
        name: Option<String>,
        /// Number of values of the rows before.
        expected: u64,
        /// Number of values here.
        given: u64,
    },
    /// Text where a number belongs.
    #[error("'{text}' is not a number")]
    NotANumber {
        /// What stands there, shortened.
        text: String,
    },
    /// A cell without a value.
    #[error("a value is missing here; fill it in, or leave out its row or column")]
    Missing,
    /// A value that is NaN, infinite, or too large for the precision asked for.
    #[error("the value is {value:?}; every value must be a finite number{}", within_range(*value))]
    NotFinite {
        /// The value.
        value: f64,
    },
    /// An index outside the matrix.
    #[error("index {index} is outside {lowest} to {highest}")]
    Index {
        /// The index given.
        index: i128,
        /// The lowest that would be right.
        lowest: u64,
        /// The highest that would be right.
        highest: u64,
    },
    /// Contents that cannot be used as a matrix.
    #[error("{what}; {instead}")]
    Unsupported {
        /// What was found.
        what: String,
        /// What to do about it.
        instead: String,
    },
    /// No rows or no columns.
    #[error("there are no values: at least one row and one column are needed")]
    Empty,
    /// Whoever wanted the work done has called it off.
    #[error("the work was called off before its end")]
    CalledOff,
    /// A file that is there already and was not to be replaced.
    #[error("the file is there already")]
    Exists,
}

fn did_you_mean(nearest: Option<&str>) -> String {
    nearest.map_or_else(String::new, |ending| format!(" (did you mean {ending}?)"))
}

fn row_of(name: Option<&str>) -> String {
    name.map_or_else(|| "this row has".to_owned(), |name| format!("the row '{name}' has"))
}

/// A finite value can only be refused because the precision asked for does not reach that far.
fn within_range(value: f64) -> &'static str {
    if value.is_finite() { " within the range of the precision asked for" } else { "" }
}

/// A problem with its place, on the way to the one who knows the file's name.
#[derive(Debug)]
pub(crate) struct Fault {
    pub(crate) place: Place,
    pub(crate) problem: Problem,
}

impl Fault {
    /// The same, with the name of the file.
    pub(crate) fn in_file(self, file: &Path) -> FileError {
        FileError { file: file.to_owned(), place: self.place, problem: self.problem }
    }
}

impl Problem {
    /// This problem, at a place.
    pub(crate) fn at(self, place: Place) -> Fault {
        Fault { place, problem: self }
    }
}

impl From<Problem> for Fault {
    fn from(problem: Problem) -> Self {
        problem.at(Place::Whole)
    }
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::UnexpectedEof => {
                Problem::Truncated { missing: "it stops in the middle of its data".to_owned() }
            }
            // So the decompressors say that what they read is damaged.
            io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput => {
                Problem::NotThisFormat { expected: "an undamaged file", reason: error.to_string() }
            }
            _ => Problem::Io(error),
        }
        .into()
    }
}

impl From<SamplesError> for Fault {
    /// For what only the whole matrix shows, once its parts are read.
    fn from(error: SamplesError) -> Self {
        match error {
            SamplesError::Empty { .. } => Problem::Empty.into(),
            SamplesError::NotFinite { row, column, value } => Problem::NotFinite { value }
                .at(Place::Value { row: row as u64 + 1, column: column as u64 + 1 }),
            SamplesError::Damaged { first, last, reason, .. } => {
                let reason = format!("samples {first} to {last} (counted from 0): {reason}");
                Problem::NotThisFormat { expected: "an undamaged file", reason }.into()
            }
            other => Problem::Unsupported {
                what: other.to_string(),
                instead: "the matrix in the file is damaged".to_owned(),
            }
            .into(),
        }
    }
}
