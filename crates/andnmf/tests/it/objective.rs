//! Feature weights and sample weights in default fits.

use andnmf::FitError;
use andnmf::and::AndParams;
use andnmf::fit::{Fit, Run, Solver, Start};
use andnmf::objective::{Metric, Objective};
use andnmf::samples::{DenseSamples, Samples};
use andnmf::synth::{DatasetKind, DatasetSpec};
use ndarray::{Array2, Axis, concatenate, s};

use crate::common::{distance, error, small};

fn weighted(metric: Metric) -> Objective {
    Objective { metric, ..Objective::default() }
}

fn fit(samples: &Array2<f64>, rank: usize, metric: Metric, start: Start<f64>) -> Result<Fit<f64>, FitError> {
    let and = AndParams::new(rank).check()?.with_objective(weighted(metric));
    and.fit(&DenseSamples::new(samples.view())?, start, &mut Run::new())
}

#[test]
fn weights_do_not_change_an_exact_recovery() {
    let data = small(DatasetKind::Dir).generate().unwrap();
    let weights = |n: usize| (0..n).map(|i| 0.1 + (i % 7) as f64).collect::<Vec<f64>>();
    let metric = Metric::default().with_feature_weights(weights(240)).unwrap();
    let metric = metric.with_sample_weights(weights(900)).unwrap();
    let fit = fit(&data.samples, 12, metric, Start::Auto).unwrap();
    assert!(error(&fit.components, &data.truth) < 1e-6);
}

#[test]
fn a_sample_of_weight_two_counts_like_two_samples() {
    let data = DatasetSpec { noise: 0.02, ..small(DatasetKind::Dir) }.generate().unwrap();
    let half = data.samples.slice(s![..450, ..]);
    let doubled = concatenate(Axis(0), &[data.samples.view(), half]).unwrap();
    let weights = |first: f64, last: f64| {
        let weights = (0..900).map(|i| if i < 450 { first } else { last }).collect();
        Metric::default().with_sample_weights(weights).unwrap()
    };
    let fit = |samples: &Array2<f64>, metric: Metric| {
        fit(samples, 12, metric, Start::Given(data.truth.clone())).unwrap().components
    };
    let copies = fit(&doubled, Metric::default());
    let (twice, plain) = (fit(&data.samples, weights(2.0, 1.0)), fit(&data.samples, Metric::default()));
    let (near, far) = (error(&twice, &copies), error(&plain, &copies));
    assert!(near < 0.75 * far, "{near} from copies with weights, {far} without");
    // Only ratios matter.
    assert!(distance(fit(&data.samples, weights(3.0, 3.0)).view(), plain.view()) < 1e-9);
}

#[test]
fn samples_of_weight_zero_are_ignored() {
    let data = small(DatasetKind::Dir).generate().unwrap();
    let mut junk = data.samples.clone();
    // A third: too many to be set aside as outliers.
    junk.slice_mut(s![..300, ..]).indexed_iter_mut().for_each(|((i, j), v)| *v = ((i * j) % 11) as f64);
    let weights = (0..900).map(|i| if i < 300 { 0.0 } else { 1.0 }).collect();
    let metric = Metric::default().with_sample_weights(weights).unwrap();
    let clean = fit(&junk, 12, metric, Start::Auto).unwrap();
    assert!(error(&clean.components, &data.truth) < 1e-6);
    let spoiled = fit(&junk, 12, Metric::default(), Start::Auto).unwrap();
    assert!(error(&spoiled.components, &data.truth) > 1e-3, "without weights the junk increases the error");
}

#[test]
fn weights_that_compensate_unequal_noise_reduce_the_error() {
    let data = small(DatasetKind::Dir).generate().unwrap();
    // Every third feature is thirty times as noisy as the others.
    let sd = |j: usize| if j.is_multiple_of(3) { 3e-3 } else { 1e-4 };
    let mut state = 1_u64;
    let mut noise = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64 * 2.0 - 1.0
    };
    let noisy = Array2::from_shape_fn(data.samples.dim(), |(i, j)| data.samples[[i, j]] + sd(j) * noise());
    let weights = (0..240).map(|j| sd(j).powi(-2)).collect();
    let metric = Metric::default().with_feature_weights(weights).unwrap();
    let [plain, even] = [Metric::default(), metric]
        .map(|metric| error(&fit(&noisy, 12, metric, Start::Auto).unwrap().components, &data.truth));
    assert!(even < 0.7 * plain, "{even} with weights, {plain} without");
}

#[test]
fn a_weighted_run_resumes_to_the_same_bits_and_only_with_the_same_weights() {
    let data = DatasetSpec { noise: 0.01, ..small(DatasetKind::Dir) }.generate().unwrap();
    let samples = DenseSamples::new(data.samples.view()).unwrap();
    let metric = |first: f64| {
        let weights = (0..240).map(|j| if j == 0 { first } else { 1.0 + (j % 5) as f64 }).collect();
        Metric::default().with_feature_weights(weights).unwrap()
    };
    let run = |stages: usize, first: f64, start: Start<f64>| {
        let params = AndParams { max_stages: stages, ..AndParams::new(12) };
        let and = params.check().unwrap().with_objective(weighted(metric(first)));
        and.fit(&samples as &dyn Samples<f64>, start, &mut Run::new())
    };
    let whole = run(40, 3.0, Start::Given(data.init.clone())).unwrap();
    let part = run(5, 3.0, Start::Given(data.init.clone())).unwrap();
    let text = serde_json::to_string(&part.checkpoint()).unwrap();
    let resumed = || Start::Resume(Box::new(serde_json::from_str(&text).unwrap()));
    assert_eq!(run(40, 3.0, resumed()).unwrap().components, whole.components);
    let other = run(40, 4.0, resumed()).unwrap_err().to_string();
    assert!(other.contains("another objective"), "{other}");
}

#[test]
fn threshold_schedules_refuse_weights_and_weights_must_match_the_samples() {
    let data = small(DatasetKind::Dir).generate().unwrap();
    let samples = DenseSamples::new(data.samples.view()).unwrap();
    let metric = |n: usize| weighted(Metric::default().with_feature_weights(vec![2.0; n]).unwrap());
    let fit = |params: AndParams, n: usize| {
        let and = params.check().unwrap().with_objective(metric(n));
        and.fit(&samples as &dyn Samples<f64>, Start::Auto, &mut Run::new()).unwrap_err().to_string()
    };
    assert!(fit(AndParams::scheduled(12), 240).contains("threshold auto"));
    assert!(fit(AndParams::new(12), 239).contains("one weight for each of the 240"));
}
