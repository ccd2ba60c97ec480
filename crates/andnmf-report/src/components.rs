//! The components as the page lists them.

use andnmf::Real;
use serde::Serialize;

use crate::activity::Activity;
use crate::fit_view::{FitView, Kind};
use crate::pictures::{Axis, Picture, Shrinking, strongest};
use crate::rounding::{round_all, rounded};

/// Words that name a component which has no other name.
const WORDS_IN_NAME: usize = 3;

/// All components and what they have in common.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Components {
    /// How they are drawn: `words`, `image`, `curve` or `bars`.
    pub kind: &'static str,
    /// Number of features.
    pub n_features: usize,
    /// Number of samples that the weights are of; 0 where there are no weights.
    pub n_samples: usize,
    /// For curves, the place of each feature on the axis; empty where that is its number.
    pub axis: Vec<f64>,
    /// For images, how many pixels (in each direction) were averaged into one to keep the page small.
    pub shrunk_by: usize,
    /// One entry per component.
    pub items: Vec<Component>,
}

/// One component.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Component {
    /// Its name.
    pub label: String,
    /// What it contributes to all samples as a share of what all components do, whatever their scales: mean weight
    /// times the sum of its magnitudes. `None` without weights.
    pub share: Option<f64>,
    /// An estimate of its error as a sine, 0 being stable, where there is one.
    pub stability: Option<f64>,
    /// Names and values of its strongest features.
    pub top: Vec<(String, f64)>,
    /// What is drawn beside those.
    pub picture: Option<Picture>,
    /// How often and how strongly it is used.
    pub activity: Option<Activity>,
}

impl Components {
    /// The parts of a checked fit.
    pub(crate) fn of<T: Real>(fit: &FitView<'_, T>, stability: &[Option<f64>]) -> Self {
        let (rank, n_features) = fit.components.dim();
        let shrinking = match fit.kind {
            Kind::Image { height, width } => Shrinking::of(height, width, rank),
            _ => Shrinking::default(),
        };
        let axis = if fit.kind == Kind::Curve { Axis::of(fit.feature_names) } else { Axis::default() };
        let activities: Vec<Option<Activity>> = (0..rank)
            .map(|k| fit.weights.map(|weights| Activity::of(weights.column(k), fit.thresholds, k)))
            .collect();
        let shares = shares(fit, &activities);
        let items = activities.into_iter().enumerate().map(|(k, activity)| {
            let values: Vec<f64> = fit.components.row(k).iter().map(|value| value.as_f64()).collect();
            let top = strongest(&values, fit.kind, fit.feature_names);
            Component {
                label: label(fit, k, &top),
                share: shares.as_ref().map(|shares| rounded(shares[k])),
                stability: stability.get(k).copied().flatten().map(rounded),
                picture: Picture::of(&values, fit.kind, &shrinking),
                top,
                activity: activity.map(Activity::rounded),
            }
        });
        let items = items.collect();
        let mut places = axis.places;
        round_all_but_keep_apart(&mut places);
        let kind = match fit.kind {
            Kind::Words => "words",
            Kind::Image { .. } => "image",
            Kind::Curve => "curve",
            Kind::Bars => "bars",
        };
        let n_samples = fit.weights.map_or(0, |weights| weights.nrows());
        Self { kind, n_features, n_samples, axis: places, shrunk_by: shrinking.factor, items }
    }
}

/// Rounds where that does not make neighbours equal.
fn round_all_but_keep_apart(places: &mut Vec<f64>) {
    let mut short = places.clone();
    round_all(&mut short);
    if short.windows(2).all(|pair| pair[0] != pair[1]) {
        *places = short;
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
    if fit.kind == Kind::Words && !top.is_empty() {
        let words: Vec<&str> = top.iter().take(WORDS_IN_NAME).map(|(word, _)| word.as_str()).collect();
        return words.join(", ");
    }
    format!("Component {component}")
}
