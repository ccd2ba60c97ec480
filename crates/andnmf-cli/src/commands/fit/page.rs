//! `report.html` of a fit.

use std::collections::BTreeMap;

use andnmf::and::Threshold;
use andnmf::fit::StageRecord;
use andnmf::{MethodParams, Real};
use andnmf_io::model::Model;
use andnmf_program::Failure;
use andnmf_report::{ComponentThresholds, FeatureKind, FitView, Report, Trace};
use ndarray::ArrayView2;
use serde_json::Value;

use super::args::Show;
use super::option_types::Shape;

/// The plot type of the components.
pub(crate) fn kind(
    show: Show,
    shape: Option<Shape>,
    names: Option<&[String]>,
    n_features: usize,
) -> Result<FeatureKind, Failure> {
    let image = |shape: Shape| {
        let Shape { height, width } = shape;
        if height.checked_mul(width) == Some(n_features) {
            return Ok(FeatureKind::Image { height, width });
        }
        Err(Failure::Request(format!(
            "--shape {height}x{width} has {} pixels, but the samples have {n_features} features",
            height.saturating_mul(width)
        )))
    };
    match (show, shape) {
        (Show::Image | Show::Auto, Some(shape)) => image(shape),
        (Show::Image, None) => {
            Err(Failure::Request("--show image requires the size of the images: add --shape HxW".to_owned()))
        }
        (_, Some(_)) => {
            Err(Failure::Request("--shape is for images: add --show image, or omit --shape".to_owned()))
        }
        (Show::Words, None) => Ok(FeatureKind::Words),
        (Show::Curve, None) => Ok(FeatureKind::Curve),
        (Show::Bars, None) => Ok(FeatureKind::Bars),
        (Show::Auto, None) => Ok(names.map_or(FeatureKind::Bars, kind_of_names)),
    }
}

/// Sorted numbers are positions on an axis; names that are mostly letters are words.
fn kind_of_names(names: &[String]) -> FeatureKind {
    let numbers: Option<Vec<f64>> = names.iter().map(|name| name.trim().parse().ok()).collect();
    if let Some(numbers) = numbers {
        let rising = numbers.windows(2).all(|pair| pair[0] < pair[1]);
        let falling = numbers.windows(2).all(|pair| pair[0] > pair[1]);
        return if numbers.len() > 2 && (rising || falling) { FeatureKind::Curve } else { FeatureKind::Bars };
    }
    let is_word = |name: &&String| name.chars().all(|c| c.is_alphabetic() || "-'_".contains(c));
    if 10 * names.iter().filter(is_word).count() >= 8 * names.len() {
        FeatureKind::Words
    } else {
        FeatureKind::Bars
    }
}

/// Builds the report page of a fit.
pub(crate) fn html<T: Real>(
    title: &str,
    summary: Value,
    (trace, errors): (&[StageRecord], Option<&BTreeMap<usize, f64>>),
    model: &Model<T>,
    weights: Option<ArrayView2<'_, T>>,
    kind: FeatureKind,
) -> Result<String, Failure> {
    let automatic = matches!(model.settings(), MethodParams::And(and) if and.threshold == Threshold::Auto);
    let thresholds = match model.thresholds() {
        [] => ComponentThresholds::None,
        shares if automatic => ComponentThresholds::Shares(shares),
        levels => ComponentThresholds::Weights(levels),
    };
    let view = FitView {
        weights,
        kind,
        feature_names: model.feature_names(),
        thresholds,
        ..FitView::new(model.components().view())
    };
    let mut curves = Trace::of(trace);
    if let Some(errors) = errors
        && errors.len() == trace.len()
    {
        curves = curves.with_errors(errors.values().copied().collect());
    }
    let report = Report::new(title, summary).with_trace(curves).with_fit(&view);
    Ok(report.map_err(|error| Failure::Request(format!("cannot build the report: {error}")))?.to_html())
}
