//! Errors of reports.

use andnmf::ShapeError;
use andnmf::theory::MatrixError;

/// The reasons why a fit cannot be shown.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ReportError {
    /// The shapes of the matrices do not match.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// A weight is negative or not finite.
    #[error(transparent)]
    Weights(#[from] MatrixError),
    /// A value of a component is NaN or infinite.
    #[error(
        "component {component}, feature {feature} is {value} (both counted from 0); every value must be a finite number"
    )]
    NotFinite {
        /// Component, counted from 0.
        component: usize,
        /// Feature, counted from 0.
        feature: usize,
        /// The value.
        value: f64,
    },
    /// A list has too few or too many entries.
    #[error("{what}: {given} given, but {expected} are needed (one per {each})")]
    Count {
        /// Name of the list.
        what: &'static str,
        /// Number of entries.
        given: usize,
        /// Required number of entries.
        expected: usize,
        /// What each entry belongs to.
        each: &'static str,
    },
    /// The number of pixels differs from the number of features.
    #[error(
        "images of {height} × {width} pixels need one feature per pixel, but there are {n_features} features"
    )]
    ImageShape {
        /// Rows of pixels.
        height: usize,
        /// Columns of pixels.
        width: usize,
        /// Number of features.
        n_features: usize,
    },
    /// The number of pixels differs from the number of samples.
    #[error(
        "a scene of {height} × {width} pixels needs one sample per pixel, but there are {n_samples} samples"
    )]
    MapShape {
        /// Rows of pixels.
        height: usize,
        /// Columns of pixels.
        width: usize,
        /// Number of samples.
        n_samples: usize,
    },
}
