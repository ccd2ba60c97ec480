//! Tests of whole reports: refused input, edge cases, and page size.

use andnmf::fit::StageRecord;
use ndarray::{Array2, array};
use serde_json::{Value, json};

use super::*;

fn refused<T: Real>(fit: FitView<'_, T>) -> String {
    Report::new("t", Value::Null).with_fit(&fit).unwrap_err().to_string()
}

#[test]
fn parts_that_do_not_match_are_refused_by_name() {
    let components = array![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]];
    let fit = FitView::new(components.view());
    let weights = array![[1.0, 2.0, 3.0]];
    assert!(refused(FitView { weights: Some(weights.view()), ..fit }).starts_with("weights must be n × 2"));
    let names = vec!["a".to_owned()];
    let too_few = refused(FitView { feature_names: Some(&names), ..fit });
    assert_eq!(too_few, "feature names: 1 given, but 3 are needed (one per feature)");
    assert!(
        refused(FitView { component_names: Some(&names), ..fit }).contains("component names: 1 given, but 2")
    );
    assert!(
        refused(FitView { thresholds: ComponentThresholds::Shares(&[0.1]), ..fit })
            .contains("thresholds: 1 given, but 2")
    );
    let image = refused(FitView { kind: FeatureKind::Image { height: 2, width: 2 }, ..fit });
    assert_eq!(image, "images of 2 × 2 pixels need one feature per pixel, but there are 3 features");
    assert!(refused(FitView::new(Array2::<f64>::zeros((0, 3)).view())).starts_with("components must be"));
    let broken = array![[1.0, f64::NAN]];
    assert!(refused(FitView::new(broken.view())).starts_with("component 0, feature 1 is NaN"));
}

#[test]
fn shares_do_not_depend_on_the_scale_of_components() {
    let (components, weights) = (array![[1.0, 1.0], [0.0, 3.0]], array![[1.0, 0.0], [2.0, 1.0]]);
    let (scaled, matching) = (array![[10.0, 10.0], [0.0, 3.0]], array![[0.1, 0.0], [0.2, 1.0]]);
    let shares = |components: &Array2<f64>, weights: &Array2<f64>| {
        let fit = FitView { weights: Some(weights.view()), ..FitView::new(components.view()) };
        let report = Report::new("t", Value::Null).with_fit(&fit).unwrap();
        report.components.unwrap().items.iter().map(|item| item.share.unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(shares(&components, &weights), [0.6667, 0.3333]);
    assert_eq!(shares(&scaled, &matching), [0.6667, 0.3333]);
}

#[test]
fn stability_comes_from_the_summary_and_may_be_missing() {
    let components = array![[1.0], [2.0]];
    let of = |summary: Value| {
        let report = Report::new("t", summary).with_fit(&FitView::new(components.view())).unwrap();
        report.components.unwrap().items.iter().map(|item| item.stability).collect::<Vec<_>>()
    };
    assert_eq!(of(json!({"trust": {"component_stability": [0.123_456, 1]}})), [Some(0.1235), Some(1.0)]);
    assert_eq!(of(json!({"trust": {"component_stability": [0.5]}})), [Some(0.5), None]);
    assert_eq!(of(Value::Null), [None, None]);
}

#[test]
fn one_component_without_weights_and_components_of_zeros_are_shown() {
    let zeros = Array2::<f32>::zeros((2, 4));
    let weights = Array2::<f32>::zeros((3, 2));
    let fit =
        FitView { weights: Some(weights.view()), kind: FeatureKind::Words, ..FitView::new(zeros.view()) };
    let report = Report::new("t", Value::Null).with_fit(&fit).unwrap();
    let components = report.components.unwrap();
    assert_eq!((components.items[1].label.as_str(), components.items[1].share), ("Component 1", Some(0.0)));
    assert!(components.items[0].features.is_empty());
    assert_eq!(report.correlations.unwrap().pairs[0].correlation, 0.0);
    let one = array![[1.0, 2.0]];
    let report = Report::new("t", Value::Null).with_fit(&FitView::new(one.view())).unwrap();
    assert!(report.correlations.is_none() && report.components.unwrap().items[0].activity.is_none());
}

#[test]
fn top_words_label_a_component_without_a_name() {
    let components = array![[1.0, 0.5, 3.0, 0.0]];
    let names: Vec<String> = ["sea", "sky", "ship", "sun"].map(String::from).to_vec();
    let fit =
        FitView { kind: FeatureKind::Words, feature_names: Some(&names), ..FitView::new(components.view()) };
    let label = |fit: &FitView<'_, f64>| {
        let report = Report::new("t", Value::Null).with_fit(fit).unwrap();
        report.components.unwrap().items[0].label.clone()
    };
    assert_eq!(label(&fit), "ship, sea, sky");
    let given = vec!["Maritime".to_owned()];
    assert_eq!(label(&FitView { component_names: Some(&given), ..fit }), "Maritime");
}

#[test]
fn traces_and_methods_are_rounded_and_nan_becomes_null() {
    let record = StageRecord {
        stage: 0,
        seconds: 1.234_567,
        threshold_min: None,
        threshold_median: Some(0.123_456),
        active_fraction: 0.5,
        change: 1e-20 / 3.0,
        loss: None,
    };
    let row = MethodRow {
        name: "a".into(),
        error: Some(2.0 / 3.0),
        curve: vec![(0.1, 1.0 / 3.0)],
        ..MethodRow::default()
    };
    let report = Report::new("t", Value::Null)
        .with_trace(Trace::of(&[record]).with_errors(vec![f64::NAN]))
        .with_methods(vec![row]);
    let data = serde_json::to_value(&report).unwrap();
    let trace = json!({
        "stage": [0], "seconds": [1.235], "threshold_min": [null], "threshold_median": [0.1235],
        "active_fraction": [0.5], "change": [3.333e-21], "loss": [null], "relative_correlation_error": [null],
    });
    assert_eq!(data["trace"], trace);
    assert_eq!(
        (&data["methods"][0]["error"], &data["methods"][0]["curve"]),
        (&json!(0.6667), &json!([[0.1, 0.3333]]))
    );
}

#[test]
fn large_fits_of_every_kind_stay_below_ten_megabytes() {
    let (rank, side) = (200, 316);
    let components =
        Array2::from_shape_fn((rank, side * side), |(k, w)| 1.0 / (1 + (k * 31 + w * 17) % 9973) as f32);
    let weights = Array2::from_shape_fn((50, rank), |(i, k)| ((i * 37 + k * 101) % 97) as f32 / 97.0);
    let names: Vec<String> = (0..side * side).map(|w| format!("some feature {w}")).collect();
    for kind in [
        FeatureKind::Words,
        FeatureKind::Bars,
        FeatureKind::Curve,
        FeatureKind::Image { height: side, width: side },
    ] {
        let fit = FitView {
            weights: Some(weights.view()),
            kind,
            feature_names: Some(&names),
            ..FitView::new(components.view())
        };
        let page = Report::new("t", Value::Null).with_fit(&fit).unwrap().to_html();
        assert!(page.len() < 10_000_000, "{kind:?}: {} bytes", page.len());
    }
}
