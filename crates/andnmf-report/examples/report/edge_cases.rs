//! Reports of edge cases: one component, very many, none.

use std::error::Error;

use andnmf::trust::Reason;
use andnmf_report::{ComponentThresholds, FeatureKind, Figure, FitView, Report, Section};
use ndarray::Array2;
use serde_json::{Value, json};

/// One component without weights, and an almost empty summary.
pub(crate) fn single() -> Result<Report, Box<dyn Error>> {
    let components = ndarray::array![[0.5_f32, 0.0, 0.25]];
    Ok(Report::new("One component", json!({"method": "hals", "rank": 1}))
        .with_fit(&FitView::new(components.view()))?)
}

/// Two hundred components, one of them zero and never used, most of them unstable.
pub(crate) fn many() -> Result<Report, Box<dyn Error>> {
    let (rank, n_features, n_samples) = (200, 1000, 400);
    let mixed = |i: usize, j: usize| (i * 7919 + j * 104_729 + i * j * 31) % 1009;
    let components = Array2::from_shape_fn((rank, n_features), |(k, w)| {
        if k == 7 { 0.0 } else { (mixed(k, w) as f64 / 1009.0).powi(12) }
    });
    let mut weights = Array2::from_shape_fn((n_samples, rank), |(i, k)| {
        let value = mixed(i + 3, k + 11) as f64 / 1009.0;
        if k == 7 || value < 0.7 { 0.0 } else { value }
    });
    // The weights of components in groups of five are correlated.
    for k in (0..rank).filter(|k| k % 5 != 0 && *k != 7) {
        let leader = weights.column(k / 5 * 5).to_owned();
        weights.column_mut(k).zip_mut_with(&leader, |own, &led| *own = 0.2 * *own + led);
    }
    let names: Vec<String> = (0..n_features).map(|w| format!("word{w}")).collect();
    let stability: Vec<f64> = (0..rank).map(|k| mixed(k, 5) as f64 / 1009.0).collect();
    let errors: Vec<Value> = stability
        .iter()
        .map(|error| json!({"low": 0.5 * error, "estimate": error, "high": (1.5 * error).min(1.0)}))
        .collect();
    let thresholds = vec![0.25; rank];
    let summary = json!({
        "method": "and", "rank": rank, "n_samples": n_samples, "n_features": n_features, "stages": 300,
        "stop_reason": "max_stages", "solver_seconds": 4321.5, "seconds": 4400.25, "reconstruction_error": 0.3141,
        "trust": {
            "verdict": "poor",
            "reasons": [Reason::NoSpectralGap { next_strength: 0.99, leaking: false }, Reason::OutOfStages],
            "component_stability": stability,
        },
        "component_error": errors,
        "alternatives": ["components 3 and 4 can trade up to 20 % of word17", {"text": "<b>another</b> answer"}],
        "warnings": ["component 7 was never active and did not change"],
        "settings": {"threshold": "auto", "max_stages": 300},
    });
    let fit = FitView {
        weights: Some(weights.view()),
        kind: FeatureKind::Words,
        feature_names: Some(&names),
        thresholds: ComponentThresholds::Shares(&thresholds),
        ..FitView::new(components.view())
    };
    Ok(Report::new("Two hundred components", summary).with_fit(&fit)?)
}

/// A hundred components of a hundred thousand samples: the page must not grow with the samples.
pub(crate) fn large() -> Result<Report, Box<dyn Error>> {
    let (rank, n_features, n_samples) = (100, 5000, 100_000);
    let mixed = |i: usize, j: usize| (i * 7919 + j * 104_729 + i * j * 31) % 1009;
    let components =
        Array2::from_shape_fn((rank, n_features), |(k, w)| (mixed(k, w) as f32 / 1009.0).powi(16));
    let weights = Array2::from_shape_fn((n_samples, rank), |(i, k)| {
        let value = mixed(i + 3, k + 11) as f32 / 1009.0;
        if value < 0.9 { 0.0 } else { value }
    });
    let names: Vec<String> = (0..n_features).map(|w| format!("gene{w}")).collect();
    let cells: Vec<String> = (0..n_samples).map(|i| format!("cell {i}")).collect();
    let summary = json!({"method": "and", "rank": rank, "n_samples": n_samples, "n_features": n_features});
    let fit = FitView {
        weights: Some(weights.view()),
        kind: FeatureKind::Words,
        feature_names: Some(&names),
        sample_names: Some(&cells),
        ..FitView::new(components.view())
    };
    Ok(Report::new("A hundred thousand samples", summary).with_fit(&fit)?)
}

/// A page without a fit: sections with text, a table and a drawing.
pub(crate) fn sections() -> Report {
    let rows =
        vec![vec![json!("DIR"), json!(1.25e-7), json!(true)], vec![json!("CTM"), json!(0.25), Value::Null]];
    let drawing = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 120 40\" onload=\"alert(3)\">\
        <script>alert(4)</script><path d=\"M5 35L40 12L80 20L115 5\" fill=\"none\" stroke=\"currentColor\"/>\
        <text x=\"5\" y=\"12\" font-size=\"7\" fill=\"currentColor\">error</text>\
        <image href=\"https://example.org/elsewhere.png\" width=\"9\" height=\"9\"/>\
        <image href=\"data:image/png;base64,iVBORw0KGgo=\" width=\"9\" height=\"9\"/></svg>";
    let section = |title: &str, figures| Section {
        title: title.into(),
        text: "First paragraph.\n\nSecond paragraph.".into(),
        figures,
    };
    Report::new("Figures without a fit", Value::Null)
        .with_section(section(
            "A table",
            vec![Figure::table(["data", "error", "claim holds"].map(String::from).to_vec(), rows)],
        ))
        .with_section(section("A drawing", vec![Figure::Svg(drawing.into())]))
        .with_section(section("Text alone", vec![]))
}
