//! The errors of the library: one variant per cause. Each message names the argument or the data, the location and the
//! remedy.

use std::fmt;

/// A setting outside its range.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{name} is {given}, but {expected}")]
pub struct SettingError {
    /// The setting as the library names it.
    pub name: &'static str,
    /// The given value.
    pub given: String,
    /// The requirement as a half-sentence: "it must be at least 1".
    pub expected: String,
}

impl SettingError {
    /// A setting `name` with the value `given`, and the requirement it does not meet as a half-sentence.
    pub fn new(name: &'static str, given: impl fmt::Display, expected: impl Into<String>) -> Self {
        Self { name, given: given.to_string(), expected: expected.into() }
    }
}

/// A matrix of the wrong shape.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{what} must be {expected}, but is {} × {}", given.0, given.1)]
pub struct ShapeError {
    /// The matrix.
    pub what: &'static str,
    /// The required shape as text.
    pub expected: String,
    /// The actual shape: rows and columns.
    pub given: (usize, usize),
}

impl ShapeError {
    /// A matrix `what` of shape `given` instead of `expected`.
    pub fn new(what: &'static str, given: (usize, usize), expected: impl Into<String>) -> Self {
        Self { what, expected: expected.into(), given }
    }
}

/// Data that cannot be used as samples.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SamplesError {
    /// No rows or no columns.
    #[error(
        "the samples are empty: {n_samples} samples × {n_features} features; pass at least one sample with one feature"
    )]
    Empty {
        /// Number of rows.
        n_samples: usize,
        /// Number of columns.
        n_features: usize,
    },
    /// A value that is NaN or infinite.
    #[error(
        "sample {row}, feature {column} is {value} (both counted from 0); every value must be a finite number"
    )]
    NotFinite {
        /// Sample, counted from 0.
        row: usize,
        /// Feature, counted from 0.
        column: usize,
        /// The offending value.
        value: f64,
    },
    /// A negative value in samples that must be non-negative.
    #[error(
        "sample {row}, feature {column} is {value} (both counted from 0), but {required_by} needs values of zero or more"
    )]
    Negative {
        /// Sample, counted from 0.
        row: usize,
        /// Feature, counted from 0.
        column: usize,
        /// The offending value.
        value: f64,
        /// The method or function that needs non-negative values.
        required_by: &'static str,
    },
    /// Samples that the method cannot fit.
    #[error("the samples cannot be used: {reason}")]
    Unusable {
        /// The problem and its remedy.
        reason: String,
    },
    /// A sparse matrix whose row pointers do not describe its values.
    #[error("the row pointers of the sparse matrix are wrong at position {position}: {reason}")]
    RowPointers {
        /// Index into the row pointers.
        position: usize,
        /// The problem.
        reason: String,
    },
    /// A sparse matrix with a feature index out of range.
    #[error(
        "sample {row} of the sparse matrix names feature {index}, but there are {n_features} features, counted from 0"
    )]
    FeatureIndex {
        /// Sample, counted from 0.
        row: usize,
        /// The index (it can be negative if the index type is signed).
        index: i128,
        /// Number of features.
        n_features: usize,
    },
    /// A sparse matrix with unequal numbers of indices and values.
    #[error(
        "the sparse matrix has {indices} feature indices but {values} values; each value needs one index"
    )]
    IndexCount {
        /// Number of feature indices.
        indices: usize,
        /// Number of values.
        values: usize,
    },
    /// A range of samples that do not exist.
    #[error("samples {start} to {end} (excluded) were requested, but there are only {n_samples}")]
    Rows {
        /// First requested sample.
        start: usize,
        /// One past the last requested sample.
        end: usize,
        /// Number of samples.
        n_samples: usize,
    },
    /// A source that returns a block of the wrong shape.
    #[error(
        "a block of {wanted_samples} samples × {wanted_features} features was requested, but `Samples::block` returned {} × {}",
        given.0,
        given.1
    )]
    Block {
        /// Requested number of samples.
        wanted_samples: usize,
        /// Requested number of features.
        wanted_features: usize,
        /// Returned samples and features.
        given: (usize, usize),
    },
    /// Reading was cancelled by the caller.
    #[error("reading the samples was cancelled")]
    Cancelled,
    /// The file of the samples changed after it was opened.
    #[error(
        "{file} has changed since it was opened: {what}; results would be invalid, so run again on a file that stays as it is"
    )]
    Changed {
        /// The file.
        file: String,
        /// The difference.
        what: String,
    },
    /// The file of the samples is damaged.
    #[error(
        "{file}, samples {first} to {last} (counted from 0): {reason}; the file is damaged, write it again"
    )]
    Damaged {
        /// The file.
        file: String,
        /// First sample of the damaged block.
        first: usize,
        /// Last sample of the damaged block.
        last: usize,
        /// The problem.
        reason: String,
    },
    /// Distributed execution failed: a worker failed, or a request or a result is malformed.
    #[error("distributed execution failed: {reason}")]
    Executor {
        /// The cause.
        reason: String,
    },
    /// The source of the samples could not be read.
    #[error("cannot read samples {first} to {last}: {reason}")]
    Read {
        /// First requested sample.
        first: usize,
        /// Last requested sample.
        last: usize,
        /// The error of the source.
        reason: String,
    },
}

/// The error of a fit.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum FitError {
    /// A setting outside its range.
    #[error(transparent)]
    Setting(#[from] SettingError),
    /// A matrix of the wrong shape.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// The samples cannot be used or read.
    #[error(transparent)]
    Samples(#[from] SamplesError),
    /// A start value that is NaN or infinite.
    #[error(
        "the start is {value} in component {component}, feature {feature} (counted from 0); every value must be a finite number"
    )]
    StartNotFinite {
        /// Component, counted from 0.
        component: usize,
        /// Feature, counted from 0.
        feature: usize,
        /// The offending value.
        value: f64,
    },
    /// A fixed step so long that the stage would diverge.
    #[error(
        "step is {}, but in stage {stage} steps of {} or more diverge; use a smaller step, or safe",
        readable(*step),
        readable(*largest_stable)
    )]
    UnstableStep {
        /// Stage, counted from 0.
        stage: usize,
        /// The requested step.
        step: f64,
        /// Steps below this value converge.
        largest_stable: f64,
    },
    /// Numbers left the range of the floating-point type.
    #[error(
        "overflow in stage {stage}: numbers left the range of the floating-point type; scale samples and start so that \
         their values are near 1"
    )]
    Overflow {
        /// Stage, counted from 0.
        stage: usize,
    },
    /// A checkpoint that cannot be resumed.
    #[error("the checkpoint cannot be resumed: {reason}")]
    Checkpoint {
        /// The problem.
        reason: String,
    },
    /// Cancelled or out of time during initialization, before there was a result to return.
    #[error(
        "the run stopped during initialization, before there was a result; allow more time with time_limit"
    )]
    StoppedBeforeStart,
    /// The worker threads could not be started.
    #[error("cannot start {threads} worker threads: {reason}; use fewer threads")]
    Threads {
        /// Number of requested threads.
        threads: usize,
        /// The error of the system.
        reason: String,
    },
}

/// A positive number with three significant digits, with an exponent only if it is very small or large: 0.0125, 1e9.
fn readable(value: f64) -> String {
    let rounded: f64 = format!("{value:.2e}").parse().unwrap_or(value);
    if (1e-4..1e6).contains(&rounded) { rounded.to_string() } else { format!("{rounded:e}") }
}

#[cfg(test)]
mod tests {
    use super::readable;

    #[test]
    fn numbers_in_messages_are_short() {
        let texts = [0.012_345, 2.0, 1234.5, 1e9, 1.2345e-7].map(readable);
        assert_eq!(texts, ["0.0123", "2", "1230", "1e9", "1.23e-7"]);
    }
}
