//! Everything that can be wrong with a request: one variant per cause, each naming the place and what
//! would be right.

use std::fmt;

/// A setting outside its range.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{name} is {given}, but {expected}")]
pub struct SettingError {
    /// The setting as the library names it.
    pub name: &'static str,
    /// The value that was given.
    pub given: String,
    /// What would have been right, as a half-sentence: "it must be at least 1".
    pub expected: String,
}

impl SettingError {
    /// A setting `name` with the value `given`, and the half-sentence that says what it must be.
    pub fn new(name: &'static str, given: impl fmt::Display, expected: impl Into<String>) -> Self {
        Self { name, given: given.to_string(), expected: expected.into() }
    }
}

/// Matrices whose sizes do not fit together.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{what} must be {expected}, but is {} × {}", given.0, given.1)]
pub struct ShapeError {
    /// Which matrix.
    pub what: &'static str,
    /// The shape it should have, in words.
    pub expected: String,
    /// The shape it has: rows and columns.
    pub given: (usize, usize),
}

impl ShapeError {
    /// A matrix `what` of shape `given` where `expected` was wanted.
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
        "the samples are empty: {n_samples} samples with {n_features} features; at least one of each is needed"
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
    /// A negative value where a method cannot use one.
    #[error(
        "sample {row}, feature {column} is {value} (both counted from 0), but {wanted_by} needs values of zero or more"
    )]
    Negative {
        /// Sample, counted from 0.
        row: usize,
        /// Feature, counted from 0.
        column: usize,
        /// The offending value.
        value: f64,
        /// Who needs non-negative values.
        wanted_by: &'static str,
    },
    /// Samples that a method can do nothing with.
    #[error("the samples cannot be used: {reason}")]
    Unusable {
        /// What is wrong with them, and what would be right.
        reason: String,
    },
    /// A sparse matrix whose row pointers do not describe its values.
    #[error("the row pointers of the sparse matrix are wrong at position {position}: {reason}")]
    RowPointers {
        /// Index into the row pointers.
        position: usize,
        /// What is wrong there.
        reason: String,
    },
    /// A sparse matrix that names a feature it does not have.
    #[error(
        "sample {row} of the sparse matrix names feature {index}, but there are {n_features} features, counted from 0"
    )]
    FeatureIndex {
        /// Sample, counted from 0.
        row: usize,
        /// The index given (negative where the index type is signed).
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
    /// Samples that do not exist.
    #[error("samples {start} to {end} (excluded) were asked for, but there are only {n_samples}")]
    Rows {
        /// First sample wanted.
        start: usize,
        /// One past the last sample wanted.
        end: usize,
        /// How many there are.
        n_samples: usize,
    },
    /// A source that hands out something else than it was asked for.
    #[error(
        "a block of {wanted_samples} samples × {wanted_features} features was asked for, but the source gave {} × {}",
        given.0,
        given.1
    )]
    Block {
        /// Number of samples wanted.
        wanted_samples: usize,
        /// Number of features wanted.
        wanted_features: usize,
        /// What came: samples and features.
        given: (usize, usize),
    },
    /// Reading was cancelled by the caller.
    #[error("reading the samples was cancelled")]
    Cancelled,
    /// The file of the samples is no longer what it was when it was opened.
    #[error("{file} has changed while it was in use: {what}; the result would belong to no samples at all")]
    Changed {
        /// The file.
        file: String,
        /// What is different about it.
        what: String,
    },
    /// The file of the samples holds something else than it should.
    #[error("{file}, samples {first} to {last} (counted from 0): {reason}")]
    Damaged {
        /// The file.
        file: String,
        /// First of the samples where it was noticed.
        first: usize,
        /// Last of them.
        last: usize,
        /// What is wrong.
        reason: String,
    },
    /// A query failed where the samples are stored, or its request or result is malformed.
    #[error("the samples could not be processed where they are stored: {reason}")]
    Executor {
        /// What went wrong.
        reason: String,
    },
    /// The source of the samples could not be read.
    #[error("samples {first} to {last} could not be read: {reason}")]
    Read {
        /// First sample wanted.
        first: usize,
        /// Last sample wanted.
        last: usize,
        /// What the source said.
        reason: String,
    },
}

/// Why a fit gave no result.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum FitError {
    /// A setting outside its range.
    #[error(transparent)]
    Setting(#[from] SettingError),
    /// Matrices whose sizes do not fit together.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// The samples cannot be used or read.
    #[error(transparent)]
    Samples(#[from] SamplesError),
    /// A start value that is NaN or infinite.
    #[error(
        "the start has the value {value} in component {component}, feature {feature} (counted from 0); every value must be a finite number"
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
        "the step {step:e} is unstable in stage {stage}: gradient steps diverge from {largest_stable:e} on; give a smaller value, or use the safe step"
    )]
    UnstableStep {
        /// Stage, counted from 0.
        stage: usize,
        /// The step that was asked for.
        step: f64,
        /// Steps must stay below this value.
        largest_stable: f64,
    },
    /// Numbers left the range of the floating-point type.
    #[error(
        "numbers left the range of the floating-point type in stage {stage}; scale samples and start so that \
         their values are near 1"
    )]
    Overflow {
        /// Stage, counted from 0.
        stage: usize,
    },
    /// A checkpoint that cannot be resumed.
    #[error("the checkpoint cannot be resumed: {reason}")]
    Checkpoint {
        /// What is wrong with it.
        reason: String,
    },
    /// Cancelled, or out of time, before there was anything to return.
    #[error("the run was stopped while its start was still being looked for")]
    StoppedBeforeStart,
    /// The worker threads could not be started.
    #[error("the {threads} worker threads could not be started: {reason}")]
    Threads {
        /// How many were asked for.
        threads: usize,
        /// What the system said.
        reason: String,
    },
}
