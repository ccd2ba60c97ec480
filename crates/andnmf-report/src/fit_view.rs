//! The parts of a fit that a report reads.

use std::collections::BTreeMap;

use andnmf::{Real, ShapeError};
use ndarray::ArrayView2;

use crate::error::ReportError;

/// The kind of features, which decides how components are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FeatureKind {
    /// Words of a text: bars of the strongest words.
    Words,
    /// Pixels, row by row: an image.
    Image {
        /// Rows of pixels.
        height: usize,
        /// Columns of pixels.
        width: usize,
    },
    /// Points on an axis, such as wavelengths: a curve.
    Curve,
    /// Anything else: bars of the strongest features.
    #[default]
    Bars,
}

/// The threshold of each component, below which a weight counts as zero.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum ComponentThresholds<'a> {
    /// No thresholds.
    #[default]
    None,
    /// In the units of the weights, as in threshold schedules.
    Weights(&'a [f64]),
    /// As shares of the component's largest weight, as in fits with automatic thresholds.
    Shares(&'a [f64]),
}

impl ComponentThresholds<'_> {
    /// The threshold of a component with this largest weight.
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

/// A fit to show in a report.
#[derive(Debug, Clone, Copy)]
pub struct FitView<'a, T: Real> {
    /// The components, rank × features.
    pub components: ArrayView2<'a, T>,
    /// The weights, n × rank, if known.
    pub weights: Option<ArrayView2<'a, T>>,
    /// The kind of features.
    pub kind: FeatureKind,
    /// Names of the features. If all are numbers in rising or falling order, they become the axis of curves.
    pub feature_names: Option<&'a [String]>,
    /// Names of the components. Without names, topics are labelled by their top words, others by number.
    pub component_names: Option<&'a [String]>,
    /// Names of the samples.
    pub sample_names: Option<&'a [String]>,
    /// Texts of samples by number: at least those of [`listed_samples`](crate::listed_samples).
    pub sample_texts: Option<&'a BTreeMap<usize, String>>,
    /// Rows and columns of pixels if the samples are the pixels of a scene, row by row: weights are shown as maps.
    pub sample_shape: Option<(usize, usize)>,
    /// The thresholds of the last stage.
    pub thresholds: ComponentThresholds<'a>,
}

impl<'a, T: Real> FitView<'a, T> {
    /// A view of components alone.
    #[must_use]
    pub fn new(components: ArrayView2<'a, T>) -> Self {
        Self {
            components,
            weights: None,
            kind: FeatureKind::default(),
            feature_names: None,
            component_names: None,
            sample_names: None,
            sample_texts: None,
            sample_shape: None,
            thresholds: ComponentThresholds::None,
        }
    }

    /// The name of a feature, or its number.
    pub(crate) fn feature_name(&self, feature: usize) -> String {
        self.feature_names.map_or_else(|| format!("feature {feature}"), |names| names[feature].clone())
    }

    /// Checks that the parts match and that components are finite. Weights are checked when they are used.
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
        if let FeatureKind::Image { height, width } = self.kind
            && height.checked_mul(width) != Some(n_features)
        {
            return Err(ReportError::ImageShape { height, width, n_features });
        }
        check_count("feature names", self.feature_names.map(<[String]>::len), n_features, "feature")?;
        if let Some(weights) = self.weights {
            let n_samples = weights.nrows();
            check_count("sample names", self.sample_names.map(<[String]>::len), n_samples, "sample")?;
            if let Some((height, width)) = self.sample_shape
                && height.checked_mul(width) != Some(n_samples)
            {
                return Err(ReportError::MapShape { height, width, n_samples });
            }
        }
        check_count("component names", self.component_names.map(<[String]>::len), rank, "component")?;
        check_count("thresholds", self.thresholds.count(), rank, "component")
    }
}

fn check_count(
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
