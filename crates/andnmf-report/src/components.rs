//! The components as shown on the page.

use andnmf::Real;
use serde::Serialize;

use crate::activity::Activity;
use crate::features::{FREQUENCY_WEIGHT, Feature, FeatureLists};
use crate::fit_view::{FeatureKind, FitView};
use crate::pictures::{CurveAxis, Downscaling, Picture, image};
use crate::positions::Positions;
use crate::rounding::{round_all, rounded};
use crate::top_samples::{ListedSamples, TopSample, top_samples};
use crate::trust::{ComponentError, Judged};

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
    /// For maps of weights, the downscaling factor in each direction.
    pub map_shrunk_by: usize,
    /// The names of all listed features.
    pub names: Vec<String>,
    /// The weight of strength against lift with which features are ranked at first.
    pub frequency_weight: f64,
    /// The positions of the components on a map; `None` for fewer than three.
    pub positions: Option<Positions>,
    /// The names and texts of the listed samples.
    pub samples: ListedSamples,
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
    /// Its estimated error as an interval of sines, if there is one.
    pub error: Option<ComponentError>,
    /// Its features for any weight of strength against lift, most relevant first for the weight of the start.
    pub features: Vec<Feature>,
    /// Its image or curve, if it has one.
    pub picture: Option<Picture>,
    /// How often and how strongly the samples use it; `None` without weights.
    pub activity: Option<Activity>,
    /// The samples that have the most of it, largest weight first; empty without weights.
    pub top_samples: Vec<TopSample>,
    /// Its weights as an image, if the samples are pixels.
    pub map: Option<Picture>,
}

impl Components {
    /// The components of a checked fit.
    pub(crate) fn of<T: Real>(fit: &FitView<'_, T>, judged: &Judged) -> Self {
        let (rank, n_features) = fit.components.dim();
        let downscaling = match fit.kind {
            FeatureKind::Image { height, width } => Downscaling::of(height, width, rank),
            _ => Downscaling::default(),
        };
        let map_downscaling = fit
            .sample_shape
            .map_or_else(Downscaling::default, |(height, width)| Downscaling::of(height, width, rank));
        let axis = if fit.kind == FeatureKind::Curve {
            CurveAxis::of(fit.feature_names)
        } else {
            CurveAxis::default()
        };
        let activities: Vec<Option<Activity>> = (0..rank)
            .map(|k| fit.weights.map(|weights| Activity::of(weights.column(k), fit.thresholds, k)))
            .collect();
        let sizes: Vec<f64> = fit
            .components
            .outer_iter()
            .map(|row| row.iter().map(|value| value.as_f64().abs()).sum())
            .collect();
        let shares = shares(&sizes, &activities);
        let lists = FeatureLists::of(fit.components, shares.as_deref(), fit.kind);
        let names: Vec<String> = lists.listed.iter().map(|&feature| fit.feature_name(feature)).collect();
        let tops = fit.weights.map_or_else(|| vec![Vec::new(); rank], |weights| top_samples(weights, &sizes));
        let samples = ListedSamples::of(&tops, fit.sample_names, fit.sample_texts);
        let items = activities.into_iter().zip(lists.of_component).zip(tops).enumerate();
        let items = items.map(|(k, ((activity, features), top_samples))| {
            let values: Vec<f64> = fit.components.row(k).iter().map(|value| value.as_f64()).collect();
            let weight_map = fit.weights.filter(|_| fit.sample_shape.is_some()).map(|weights| {
                let values: Vec<f64> = weights.column(k).iter().map(|value| value.as_f64()).collect();
                image(&map_downscaling.apply(&values), &map_downscaling)
            });
            Component {
                label: label(fit, k, &features, &names),
                share: shares.as_ref().map(|shares| rounded(shares[k])),
                stability: judged.stability.get(k).copied().flatten().map(rounded),
                error: judged.errors.get(k).copied().flatten(),
                picture: Picture::of(&values, fit.kind, &downscaling),
                features,
                activity: activity.map(Activity::rounded),
                top_samples,
                map: weight_map,
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
        Self {
            kind,
            n_features,
            n_samples: fit.weights.map_or(0, |weights| weights.nrows()),
            axis: coordinates,
            shrunk_by: downscaling.factor,
            map_shrunk_by: map_downscaling.factor,
            names,
            frequency_weight: FREQUENCY_WEIGHT,
            positions: Positions::of(fit.components, shares.as_deref()),
            samples,
            items,
        }
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

/// The contribution of each component, independent of its scale, as a share of all.
fn shares(sizes: &[f64], activities: &[Option<Activity>]) -> Option<Vec<f64>> {
    let contribution = |(size, activity): (&f64, &Option<Activity>)| activity.as_ref().map(|a| a.mean * size);
    let contributions: Vec<f64> = sizes.iter().zip(activities).map(contribution).collect::<Option<_>>()?;
    let total: f64 = contributions.iter().sum();
    let unit = if total > 0.0 { total } else { 1.0 };
    Some(contributions.into_iter().map(|contribution| contribution / unit).collect())
}

fn label<T: Real>(fit: &FitView<'_, T>, component: usize, features: &[Feature], names: &[String]) -> String {
    if let Some(names) = fit.component_names {
        return names[component].clone();
    }
    let words: Vec<&str> = features
        .iter()
        .filter(|feature| feature.1 > 0.0)
        .take(WORDS_IN_NAME)
        .map(|feature| names[feature.0].as_str())
        .collect();
    if fit.kind == FeatureKind::Words && !words.is_empty() {
        return words.join(", ");
    }
    format!("Component {component}")
}
