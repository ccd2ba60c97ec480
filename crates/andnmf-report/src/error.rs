//! What can be wrong with the parts of a report.

use andnmf::ShapeError;
use andnmf::theory::MatrixError;

/// Why a fit cannot be shown.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ReportError {
    /// Matrices that do not fit together.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// Weights that are negative or not finite.
    #[error(transparent)]
    Weights(#[from] MatrixError),
    /// A value of a component that is NaN or infinite.
    #[error(
        "component {component}, feature {feature} is {value} (both counted from 0); every value must be a finite number"
    )]
    NotFinite {
        /// Component, counted from 0.
        component: usize,
        /// Feature, counted from 0.
        feature: usize,
        /// The offending value.
        value: f64,
    },
    /// A list with too few or too many entries.
    #[error("there are {given} {what}, but {expected} are needed: one for each {each}")]
    Count {
        /// What is listed.
        what: &'static str,
        /// How many there are.
        given: usize,
        /// How many there must be.
        expected: usize,
        /// What each of them belongs to.
        each: &'static str,
    },
    /// Pictures with another number of pixels than there are features.
    #[error("pictures of {height} × {width} pixels need as many features, but there are {n_features}")]
    ImageShape {
        /// Rows of pixels.
        height: usize,
        /// Columns of pixels.
        width: usize,
        /// Number of features.
        n_features: usize,
    },
}
