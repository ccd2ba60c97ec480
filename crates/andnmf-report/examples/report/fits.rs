//! Small fits with a known truth, one per way of drawing components.

use std::error::Error;
use std::ops::ControlFlow;
use std::time::Instant;

use andnmf::fit::{Fit, Run, Start};
use andnmf::metrics::{Recovery, RecoveryObserver, reconstruction_error};
use andnmf::nnls;
use andnmf::rank::{RankSettings, suggest_rank};
use andnmf::samples::DenseSamples;
use andnmf::synth::{Dataset, DatasetKind, DatasetSpec, Weights};
use andnmf::{Method, MethodParams};
use andnmf_program::{Experiment, StartFrom};
use andnmf_report::{ComponentThresholds, FeatureKind, FitView, MethodRow, Report, Trace, listed_samples};
use ndarray::Array2;
use serde_json::{Value, json};

/// Names that would break a page that does not escape its text.
const HOSTILE: [&str; 4] = [
    "</script><script>alert(1)</script>",
    "<img src=x onerror=alert(2)>",
    "\"quoted\" & 'single'",
    "Größe☂語",
];
const SYLLABLES: [&str; 12] = ["ka", "lo", "mi", "ren", "sto", "ve", "tal", "dur", "ine", "os", "pha", "qui"];

/// Samples with paired components, from the given truth or from built-in topics.
fn paired(truth: Option<Array2<f64>>, spec: DatasetSpec) -> Result<Dataset, Box<dyn Error>> {
    let weights =
        Weights::Paired { sparsity: spec.rank as f64 / 4.0, co_occurrence: 0.7, decay_order: Some(2.0) };
    let spec = DatasetSpec { weights, ..spec };
    Ok(match truth {
        Some(truth) => spec.generate_with_truth(truth)?,
        None => spec.generate()?,
    })
}

fn spec(rank: usize, n_features: usize, n_samples: usize) -> DatasetSpec {
    DatasetSpec { rank, n_features, n_samples, ..DatasetSpec::new(DatasetKind::Paired) }
}

/// A fit with its weights, summary and errors.
struct FittedExample {
    fit: Fit<f64>,
    weights: Array2<f64>,
    summary: Value,
    errors: Vec<f64>,
}

fn fit_example(data: &Dataset, params: &MethodParams) -> Result<FittedExample, Box<dyn Error>> {
    let started = Instant::now();
    let samples = DenseSamples::new(data.samples.view())?;
    let mut observer = RecoveryObserver::new(data.truth.clone());
    let fit = params.clone().check()?.fit(&samples, Start::Auto, &mut Run::new().observe(&mut observer))?;
    let weights = nnls::weights(&samples, fit.components.view(), &Run::new())?;
    let warnings: Vec<String> = fit.warnings.iter().map(ToString::to_string).collect();
    let summary = json!({
        "method": params.method().name(),
        "rank": params.rank(),
        "n_samples": data.samples.nrows(),
        "n_features": data.samples.ncols(),
        "stages": fit.stages,
        "stop_reason": fit.stop,
        "solver_seconds": fit.seconds,
        "seconds": started.elapsed().as_secs_f64(),
        "reconstruction_error": reconstruction_error(&samples, weights.view(), fit.components.view())?,
        "passes": fit.passes,
        "trust": fit.trust,
        "warnings": warnings,
        "settings": params,
        "recovery": Recovery::measure(fit.components.view(), data.truth.view())?,
    });
    Ok(FittedExample { fit, weights, summary, errors: observer.errors })
}

impl FittedExample {
    fn report(&self, title: &str, view: &FitView<'_, f64>) -> Result<Report, Box<dyn Error>> {
        let trace = Trace::of(&self.fit.trace).with_errors(self.errors.clone());
        Ok(Report::new(title, self.summary.clone()).with_trace(trace).with_fit(view)?)
    }

    fn view(&self, kind: FeatureKind) -> FitView<'_, f64> {
        let thresholds = match self.fit.thresholds.as_slice() {
            [] => ComponentThresholds::None,
            shares => ComponentThresholds::Shares(shares),
        };
        FitView {
            weights: Some(self.weights.view()),
            kind,
            thresholds,
            ..FitView::new(self.fit.components.view())
        }
    }
}

/// Topics, with a comparison of methods and names that need escaping.
pub(crate) fn words() -> Result<Report, Box<dyn Error>> {
    let data = paired(None, spec(20, 400, 2000))?;
    let part = |i: usize| SYLLABLES[i % SYLLABLES.len()];
    let mut names: Vec<String> =
        (0..400).map(|w| format!("{}{}{}", part(w), part(w / 12), part(w / 144 + 5))).collect();
    let fitted = fit_example(&data, &MethodParams::new(Method::And, 20))?;
    for (component, hostile) in HOSTILE.into_iter().enumerate() {
        let row = fitted.fit.components.row(component);
        let strongest = (0..400).max_by(|&a, &b| row[a].total_cmp(&row[b])).unwrap_or(0);
        hostile.clone_into(&mut names[strongest]);
    }
    let documents: Vec<String> = (0..2000).map(|i| format!("document {i} {}", HOSTILE[i % 4])).collect();
    let texts = listed_samples(fitted.weights.view()).into_iter();
    let texts = texts.map(|sample| (sample, text_of(&data.samples, sample, &names))).collect();
    let view = FitView {
        feature_names: Some(&names),
        sample_names: Some(&documents),
        sample_texts: Some(&texts),
        ..fitted.view(FeatureKind::Words)
    };
    Ok(fitted.report("Topics of made-up documents", &view)?.with_methods(methods(&data)?))
}

/// A text with the strongest words of a sample, strongest first.
fn text_of(samples: &Array2<f64>, sample: usize, names: &[String]) -> String {
    let row = samples.row(sample);
    let mut words: Vec<usize> = (0..row.len()).collect();
    words.sort_by(|&a, &b| row[b].total_cmp(&row[a]));
    words[..90].iter().map(|&word| names[word].as_str()).collect::<Vec<_>>().join(" ")
}

/// The errors of several methods over time, on the same samples.
fn methods(data: &Dataset) -> Result<Vec<MethodRow>, Box<dyn Error>> {
    let mut rows = Vec::new();
    for method in [Method::And, Method::Hals, Method::Anls, Method::Mu] {
        let params = MethodParams::new(method, data.spec.rank).with_max_stages(150);
        let experiment = Experiment { dataset: data.spec.clone(), method: params, from: StartFrom::Data };
        let outcome = experiment.run_on(data, None, &mut |_| ControlFlow::Continue(()))?;
        let curve = outcome.stages.iter().map(|row| (row.record.seconds, row.relative_correlation_error));
        rows.push(MethodRow {
            name: method.name().to_uppercase(),
            error: Some(outcome.recovery.relative_total_correlation_error),
            seconds: Some(outcome.solver_seconds),
            note: if method == Method::And { "thresholds from the data".into() } else { String::new() },
            curve: curve.collect(),
        });
    }
    Ok(rows)
}

/// Small images with strokes and blobs.
pub(crate) fn image() -> Result<Report, Box<dyn Error>> {
    let (height, width, rank) = (24, 20, 12);
    let truth = Array2::from_shape_fn((rank, height * width), |(k, pixel)| {
        let (y, x) = ((pixel / width) as f64, (pixel % width) as f64);
        let across = 2.0 + 3.2 * (k / 2) as f64;
        match k % 2 {
            0 => (-(y - across * 1.2).powi(2) / 1.5).exp(),
            _ => (-((x - across).powi(2) + (y - 2.0 * across % 24.0).powi(2)) / 8.0).exp(),
        }
    });
    let truth = truth.mapv(|value: f64| if value < 1e-3 { 0.0 } else { value });
    let data = paired(Some(truth), spec(rank, height * width, 1500))?;
    let fitted = fit_example(&data, &MethodParams::new(Method::And, rank))?;
    fitted.report("Parts of small pictures", &fitted.view(FeatureKind::Image { height, width }))
}

/// Peaks over wavelengths, in a scene of 20 × 40 pixels whose number of materials was found.
pub(crate) fn curve() -> Result<Report, Box<dyn Error>> {
    let (rank, n_features) = (6, 300);
    let peak = |at: f64, centre: f64, wide: f64| (-((at - centre) / wide).powi(2)).exp();
    let truth = Array2::from_shape_fn((rank, n_features), |(k, w)| {
        let (at, k) = (w as f64, k as f64);
        peak(at, 30.0 + 45.0 * k, 9.0 + k) + 0.5 * peak(at, 270.0 - 31.0 * k, 16.0)
    });
    let names: Vec<String> = (0..n_features).map(|w| format!("{}", 400.0 + 1.5 * w as f64)).collect();
    let data = paired(Some(truth), DatasetSpec { noise: 0.05, ..spec(rank, n_features, 800) })?;
    let mut fitted = fit_example(&data, &MethodParams::new(Method::And, rank))?;
    let settings = RankSettings { stability: false, folds: 2, seed: 1, ..RankSettings::default() };
    let samples = DenseSamples::new(data.samples.view())?;
    let suggestion = suggest_rank(&samples, 1..=12, &settings, &Run::new())?;
    fitted.summary["rank_suggestion"] = serde_json::to_value(suggestion)?;
    let view = FitView {
        feature_names: Some(&names),
        sample_shape: Some((20, 40)),
        ..fitted.view(FeatureKind::Curve)
    };
    fitted.report("Spectra of mixed materials", &view)
}

/// Features without names and a method without a verdict. Small values are made negative to test negative bars.
pub(crate) fn bars() -> Result<Report, Box<dyn Error>> {
    let data = paired(None, spec(8, 40, 500))?;
    let fitted = fit_example(&data, &MethodParams::new(Method::Hals, 8).with_max_stages(60))?;
    let signed = fitted.fit.components.mapv(|value| if value < 0.02 { -0.5 * value } else { value });
    let view = FitView { components: signed.view(), ..fitted.view(FeatureKind::Bars) };
    let trace = Trace::of(&fitted.fit.trace);
    Ok(Report::new("Unnamed features", fitted.summary.clone()).with_trace(trace).with_fit(&view)?)
}
