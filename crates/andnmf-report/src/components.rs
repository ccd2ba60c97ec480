//! The components as shown on the page.

use andnmf::Real;
use serde::Serialize;

use crate::activity::Activity;
use crate::fit_view::{FeatureKind, FitView};
use crate::pictures::{CurveAxis, Downscaling, Picture, top_features};
use crate::rounding::{round_all, rounded};

/// Number of top words in the label of a component without a name.
const WORDS_IN_NAME: usize = 3;

/// All components, and the properties they share.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Components {
    /// The way they are drawn: `words`, `image`, `curve` or `bars`.
    pub kind: &'static str,
    /// Number of features.
    pub n_features: usize,
    /// Number of samples; 0 without weights.
    pub n_samples: usize,
    /// For curves, the axis coordinate of each feature; empty if that is its number.
    pub axis: Vec<f64>,
    /// For images, the downscaling factor in each direction.
    pub shrunk_by: usize,
    /// One entry per component.
    pub items: Vec<Component>,
}

/// One component.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Component {
    /// The name shown.
    pub label: String,
    /// Its share of the contributions of all components, independent of their scales: mean weight times the sum of its
    /// absolute values, over the total. `None` without weights.
    pub share: Option<f64>,
    /// The estimated error as a sine (0 = stable), if there is one.
    pub stability: Option<f64>,
    /// Names and values of its strongest features.
    pub top: Vec<(String, f64)>,
    /// Its image or curve, if it has one.
    pub picture: Option<Picture>,
    /// How often and how strongly the samples use it; `None` without weights.
    pub activity: Option<Activity>,
}

impl Components {
    /// The components of a checked fit.
    pub(crate) fn of<T: Real>(fit: &FitView<'_, T>, stability: &[Option<f64>]) -> Self {
        let (rank, n_features) = fit.components.dim();
        let downscaling = match fit.kind {
            FeatureKind::Image { height, width } => Downscaling::of(height, width, rank),
            _ => Downscaling::default(),
        };
        let axis = if fit.kind == FeatureKind::Curve {
            CurveAxis::of(fit.feature_names)
        } else {
            CurveAxis::default()
        };
        let activities: Vec<Option<Activity>> = (0..rank)
            .map(|k| fit.weights.map(|weights| Activity::of(weights.column(k), fit.thresholds, k)))
            .collect();
        let shares = shares(fit, &activities);
        let items = activities.into_iter().enumerate().map(|(k, activity)| {
            let values: Vec<f64> = fit.components.row(k).iter().map(|value| value.as_f64()).collect();
            let top = top_features(&values, fit.kind, fit.feature_names);
            Component {
                label: label(fit, k, &top),
                share: shares.as_ref().map(|shares| rounded(shares[k])),
                stability: stability.get(k).copied().flatten().map(rounded),
                picture: Picture::of(&values, fit.kind, &downscaling),
                top,
                activity: activity.map(Activity::rounded),
            }
        });
        let items = items.collect();
        let mut coordinates = axis.coordinates;
        round_if_distinct(&mut coordinates);
        let kind = match fit.kind {
            FeatureKind::Words => "words",
            FeatureKind::Image { .. } => "image",
            FeatureKind::Curve => "curve",
            FeatureKind::Bars => "bars",
        };
        let n_samples = fit.weights.map_or(0, |weights| weights.nrows());
        Self { kind, n_features, n_samples, axis: coordinates, shrunk_by: downscaling.factor, items }
    }
}

/// Rounds all values unless that makes neighbours equal.
fn round_if_distinct(values: &mut Vec<f64>) {
    let mut short = values.clone();
    round_all(&mut short);
    if short.windows(2).all(|pair| pair[0] != pair[1]) {
        *values = short;
    }
}

fn shares<T: Real>(fit: &FitView<'_, T>, activities: &[Option<Activity>]) -> Option<Vec<f64>> {
    let size = |k: usize| fit.components.row(k).iter().map(|value| value.as_f64().abs()).sum::<f64>();
    let contribution =
        |(k, activity): (usize, &Option<Activity>)| activity.as_ref().map(|a| a.mean * size(k));
    let contributions: Vec<f64> = activities.iter().enumerate().map(contribution).collect::<Option<_>>()?;
    let total: f64 = contributions.iter().sum();
    let unit = if total > 0.0 { total } else { 1.0 };
    Some(contributions.into_iter().map(|contribution| contribution / unit).collect())
}

fn label<T: Real>(fit: &FitView<'_, T>, component: usize, top: &[(String, f64)]) -> String {
    if let Some(names) = fit.component_names {
        return names[component].clone();
    }
    if fit.kind == FeatureKind::Words && !top.is_empty() {
        let words: Vec<&str> = top.iter().take(WORDS_IN_NAME).map(|(word, _)| word.as_str()).collect();
        return words.join(", ");
    }
    format!("Component {component}")
}
