//! Errors of reading and writing files: one variant per cause, with the location and the correction.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use andnmf::SamplesError;
use andnmf::memory::Bytes;

use super::printable::printable_line;

/// An error of reading or writing a file: the file, the location in it and the problem.
#[derive(Debug, thiserror::Error)]
#[error("{}", printable_line(&format!("{}{location}: {problem}", file.display())))]
pub struct FileError {
    /// The path, as the caller gave it.
    pub file: PathBuf,
    /// The location in the file.
    pub location: Location,
    /// The problem at that location.
    pub problem: Problem,
}

/// A location in a file. Lines, fields, rows and columns count from 1, as in an editor.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Location {
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
    /// A named part: an array of an archive, a group of an HDF5 file, a column of a table, an image of a folder.
    Part(String),
}

impl fmt::Display for Location {
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

/// The cause of a [`FileError`].
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// The operating system could not read or write the file.
    #[error("{0}")]
    Io(io::Error),
    /// A file name with an unknown extension.
    #[error("the file name has no known extension{}; supported are {known}", did_you_mean(*nearest))]
    UnknownFormat {
        /// The most similar known extension, if one is similar.
        nearest: Option<&'static str>,
        /// The supported extensions.
        known: String,
    },
    /// A format that this build cannot read or write.
    #[error("this build of andnmf cannot read {format} files; rebuild it with --features {feature}")]
    NotBuiltIn {
        /// The format.
        format: &'static str,
        /// The cargo feature that adds it.
        feature: &'static str,
    },
    /// A file of another format than its name says, or a damaged one.
    #[error("this is not {expected}: {reason}")]
    NotThisFormat {
        /// The expected contents: "a .npy file".
        expected: &'static str,
        /// The evidence against it.
        reason: String,
    },
    /// A truncated file.
    #[error("the file is truncated: {missing}; copy or write it again")]
    Truncated {
        /// What is missing.
        missing: String,
    },
    /// Declared sizes that the file cannot hold.
    #[error(
        "the file declares {declared} but can hold at most {limit}; its header is wrong or its end is missing"
    )]
    DeclaredSize {
        /// The declared size: "900000 rows".
        declared: String,
        /// The largest possible size: "12 rows".
        limit: String,
    },
    /// A line of a text file that is longer than any row of a table should be.
    #[error("the line is longer than {longest} bytes; a text file must have line ends")]
    LongLine {
        /// The longest line in bytes.
        longest: usize,
    },
    /// A matrix that takes more memory than there is, or than the caller allows.
    #[error("the matrix takes at least {} of memory, but {reason}", Bytes(*needed))]
    Memory {
        /// The bytes that it takes at least.
        needed: u64,
        /// The limit as a half-sentence.
        reason: String,
    },
    /// A wrong number of items.
    #[error("expected {expected}, but found {given}")]
    Count {
        /// The expected number and its unit: "3 names".
        expected: String,
        /// The number in the file.
        given: u64,
    },
    /// A row with another number of values than the rows before it.
    #[error(
        "{} {given} value(s), but the rows before it have {expected}; all rows need the same number",
        row_of(name.as_deref())
    )]
    Ragged {
        /// The name of the row, if it has one.
        name: Option<String>,
        /// Number of values of the rows before.
        expected: u64,
        /// Number of values here.
        given: u64,
    },
    /// Text where a number belongs.
    #[error("'{text}' is not a number")]
    NotANumber {
        /// The text, shortened.
        text: String,
    },
    /// A cell without a value.
    #[error("a value is missing; fill it in, or remove its row or column")]
    Missing,
    /// A value that is NaN, infinite, or too large for the requested precision.
    #[error("the value is {value:?}; every value must be a finite number{}", within_range(*value))]
    NotFinite {
        /// The value.
        value: f64,
    },
    /// An index outside the matrix.
    #[error("index {index} is out of range; it must be from {lowest} to {highest}")]
    Index {
        /// The index in the file.
        index: i128,
        /// The lowest valid index.
        lowest: u64,
        /// The highest valid index.
        highest: u64,
    },
    /// Contents that cannot be used as a matrix.
    #[error("{what}; {instead}")]
    Unsupported {
        /// The contents that are not supported.
        what: String,
        /// What to do instead.
        instead: String,
    },
    /// No rows or no columns.
    #[error("there are no values; at least one row and one column are required")]
    Empty,
    /// The caller cancelled the operation.
    #[error("the operation was cancelled")]
    Cancelled,
    /// The file changed while it was read.
    #[error("the file changed while it was read: {what}; try again with a file that stays as it is")]
    Changed {
        /// The difference.
        what: String,
    },
    /// The output file exists and must not be replaced.
    #[error("the file already exists; choose another name, or allow to overwrite it")]
    Exists,
}

fn did_you_mean(nearest: Option<&str>) -> String {
    nearest.map_or_else(String::new, |ending| format!(" (did you mean {ending}?)"))
}

fn row_of(name: Option<&str>) -> String {
    name.map_or_else(|| "this row has".to_owned(), |name| format!("the row '{name}' has"))
}

/// A finite value is rejected only if it is too large for the requested precision.
fn within_range(value: f64) -> &'static str {
    if value.is_finite() { " within the range of the requested precision" } else { "" }
}

/// A problem with its location, before the file name is known.
#[derive(Debug)]
pub(crate) struct LocatedProblem {
    pub(crate) location: Location,
    pub(crate) problem: Problem,
}

impl LocatedProblem {
    /// Adds the file name.
    pub(crate) fn in_file(self, file: &Path) -> FileError {
        FileError { file: file.to_owned(), location: self.location, problem: self.problem }
    }
}

impl Problem {
    /// Adds a location.
    pub(crate) fn at(self, location: Location) -> LocatedProblem {
        LocatedProblem { location, problem: self }
    }
}

impl From<Problem> for LocatedProblem {
    fn from(problem: Problem) -> Self {
        problem.at(Location::Whole)
    }
}

impl From<io::Error> for LocatedProblem {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::UnexpectedEof => {
                Problem::Truncated { missing: "it ends in the middle of the data".to_owned() }
            }
            io::ErrorKind::Unsupported => Problem::Unsupported {
                what: error.to_string(),
                instead: "write the file again with another compression".to_owned(),
            },
            // Decompressors report damaged data this way.
            io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput => {
                Problem::NotThisFormat { expected: "a valid file", reason: error.to_string() }
            }
            _ => Problem::Io(error),
        }
        .into()
    }
}

impl From<SamplesError> for LocatedProblem {
    /// Converts errors that only the complete matrix shows.
    fn from(error: SamplesError) -> Self {
        match error {
            SamplesError::Empty { .. } => Problem::Empty.into(),
            SamplesError::NotFinite { row, column, value } => Problem::NotFinite { value }
                .at(Location::Value { row: row as u64 + 1, column: column as u64 + 1 }),
            SamplesError::Damaged { first, last, reason, .. } => {
                let reason = format!("samples {first} to {last} (counted from 0): {reason}");
                Problem::NotThisFormat { expected: "a valid file", reason }.into()
            }
            other => {
                Problem::Unsupported { what: other.to_string(), instead: "the file is damaged".to_owned() }
                    .into()
            }
        }
    }
}
