//! What a caller hands over of a fit.

use andnmf::{Real, ShapeError};
use ndarray::ArrayView2;

use crate::error::ReportError;

/// What the features are, and so how components are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Kind {
    /// Words of a text: the strongest as bars.
    Words,
    /// Pixels, row after row: a picture.
    Image {
        /// Rows of pixels.
        height: usize,
        /// Columns of pixels.
        width: usize,
    },
    /// Points of an axis, such as wavelengths: a curve.
    Curve,
    /// Anything else: the strongest as bars.
    #[default]
    Bars,
}

/// The level below which a weight counts as zero, one per component.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Thresholds<'a> {
    /// There are none.
    #[default]
    None,
    /// In the units of the weights, as schedules state them.
    Weights(&'a [f64]),
    /// As shares of the largest weight of the component, as fits with thresholds from the data state them.
    Shares(&'a [f64]),
}

impl Thresholds<'_> {
    /// The threshold of a component whose largest weight is given.
    pub(crate) fn of(self, component: usize, largest: f64) -> Option<f64> {
        match self {
            Self::None => None,
            Self::Weights(levels) => levels.get(component).copied(),
            Self::Shares(shares) => shares.get(component).map(|share| share * largest),
        }
    }

    fn count(self) -> Option<usize> {
        match self {
            Self::None => None,
            Self::Weights(levels) => Some(levels.len()),
            Self::Shares(shares) => Some(shares.len()),
        }
    }
}

/// A fit as the report reads it.
#[derive(Debug, Clone, Copy)]
pub struct FitView<'a, T: Real> {
    /// The components, rank × features.
    pub components: ArrayView2<'a, T>,
    /// The weights, n × rank, where they are known.
    pub weights: Option<ArrayView2<'a, T>>,
    /// What the features are.
    pub kind: Kind,
    /// Names of the features. Names that are rising or falling numbers become the axis of curves.
    pub feature_names: Option<&'a [String]>,
    /// Names of the components. Without them words are named by their strongest, others by number.
    pub component_names: Option<&'a [String]>,
    /// The thresholds of the last stage.
    pub thresholds: Thresholds<'a>,
}

impl<'a, T: Real> FitView<'a, T> {
    /// Components and nothing else.
    #[must_use]
    pub fn new(components: ArrayView2<'a, T>) -> Self {
        Self {
            components,
            weights: None,
            kind: Kind::default(),
            feature_names: None,
            component_names: None,
            thresholds: Thresholds::None,
        }
    }

    /// Whether the parts fit together and all numbers are finite. (Weights are checked where they are used.)
    pub(crate) fn check(&self) -> Result<(), ReportError> {
        let (rank, n_features) = self.components.dim();
        if rank == 0 || n_features == 0 {
            return Err(ShapeError::new("components", (rank, n_features), "at least 1 × 1").into());
        }
        for ((component, feature), value) in self.components.indexed_iter() {
            if !value.finite() {
                return Err(ReportError::NotFinite { component, feature, value: value.as_f64() });
            }
        }
        if let Some(weights) = self.weights
            && (weights.ncols() != rank || weights.nrows() == 0)
        {
            let expected = format!("n × {rank} (samples × rank), with at least one sample");
            return Err(ShapeError::new("weights", weights.dim(), expected).into());
        }
        if let Kind::Image { height, width } = self.kind
            && height.checked_mul(width) != Some(n_features)
        {
            return Err(ReportError::ImageShape { height, width, n_features });
        }
        count("feature names", self.feature_names.map(<[String]>::len), n_features, "feature")?;
        count("component names", self.component_names.map(<[String]>::len), rank, "component")?;
        count("thresholds", self.thresholds.count(), rank, "component")
    }
}

fn count(
    what: &'static str,
    given: Option<usize>,
    expected: usize,
    each: &'static str,
) -> Result<(), ReportError> {
    match given {
        Some(given) if given != expected => Err(ReportError::Count { what, given, expected, each }),
        _ => Ok(()),
    }
}
