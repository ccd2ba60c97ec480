//! Recovery from the data alone, with default settings.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

use andnmf::and::AndParams;
use andnmf::auto::{Ending, Origin};
use andnmf::fit::{Checkpoint, Fit, Run, Solver, StageView, Start, StopReason, Warning};
use andnmf::metrics::match_components;
use andnmf::samples::{CsrSamples, DenseSamples, Samples};
use andnmf::synth::{Dataset, DatasetKind, DatasetSpec, Weights};
use andnmf::trust::{Reason, UNSTABLE, Verdict};
use andnmf::{FitError, Real};
use ndarray::{Array2, Axis};

use crate::common::{error, small, sparse_parts};

const RANK: usize = 20;

fn weighted(weights: Weights) -> DatasetSpec {
    let sizes =
        DatasetSpec { n_features: 300, rank: RANK, n_samples: 1500, ..DatasetSpec::new(DatasetKind::Dir) };
    DatasetSpec { weights, seed: 5, ..sizes }
}

fn paired(co_occurrence: f64, decay_order: Option<f64>) -> Weights {
    Weights::Paired { sparsity: 3.0, co_occurrence, decay_order }
}

fn fit_all<T: Real>(samples: &dyn Samples<T>, params: AndParams, start: Start<T>) -> Fit<T> {
    params.check().unwrap().fit(samples, start, &mut Run::new()).unwrap()
}

/// A fit with default settings.
fn default_fit(data: &Dataset) -> Fit<f64> {
    let samples = DenseSamples::new(data.samples.view()).unwrap();
    fit_all(&samples, AndParams::new(data.truth.nrows()), Start::Auto)
}

#[test]
fn the_truth_is_recovered_from_the_data_alone_for_all_kinds_of_weights() {
    for weights in [
        Weights::Dirichlet { concentration: 1.0 },
        Weights::Dirichlet { concentration: 5.0 },
        Weights::LogisticNormalReleased,
        Weights::BernoulliBinary { sparsity: 3.0 },
        paired(0.0, None),
        paired(0.8, None),
        paired(0.8, Some(2.0)),
        paired(0.5, Some(1.0)),
        paired(0.95, None),
    ] {
        let data = weighted(weights).generate().unwrap();
        let fit = default_fit(&data);
        let reached = error(&fit.components, &data.truth);
        assert!(reached < 1e-9, "{weights:?}: {reached:e}");
        let report = fit.report.unwrap();
        assert!(report.certain && report.inclusions == 0 && report.origin != Origin::Nmf, "{report:?}");
        assert!(fit.passes <= 10 && fit.stop == StopReason::Converged, "{weights:?}");
        assert!(fit.components.iter().all(|&v| v >= 0.0));
    }
}

#[test]
fn signed_components_are_recovered_and_stay_signed() {
    let data = DatasetSpec { kind: DatasetKind::Neg, ..weighted(Weights::Dirichlet { concentration: 2.0 }) };
    let data = data.generate().unwrap();
    assert!(data.truth.iter().any(|&v| v < 0.0));
    let fit = default_fit(&data);
    assert!(error(&fit.components, &data.truth) < 1e-9);
    assert_eq!(fit.report.unwrap().ending, Ending::Signed);
}

#[test]
fn zeros_of_the_components_identify_them_if_the_weights_do_not() {
    // Weights that are rarely near zero, so that the samples have no facets.
    let normal = Weights::LogisticNormal { scale: 1.5, correlation: 0.5 };
    for weights in [Weights::Dirichlet { concentration: 20.0 }, normal] {
        let data = weighted(weights).generate().unwrap();
        let fit = default_fit(&data);
        let reached = error(&fit.components, &data.truth);
        assert!(reached < 1e-8, "{weights:?}: {reached:e}");
        let report = fit.report.unwrap();
        assert_eq!((report.origin, report.certain), (Origin::Features, true), "{weights:?}");
        // Components are scaled so that their largest weight is 1.
        let matched = match_components(fit.components.view(), data.truth.view()).unwrap();
        for (k, found) in matched.component_of_truth.iter().enumerate() {
            let largest = data.weights.column(k).iter().copied().fold(0.0, f64::max);
            let ratio = fit.components.row(found.unwrap()).sum() / data.truth.row(k).sum();
            assert!((ratio / largest - 1.0).abs() < 1e-6, "{ratio} {largest}");
        }
        // Signed components are not identifiable here, and the fit does not report certainty.
        let samples = DenseSamples::new(data.samples.view()).unwrap();
        let signed = fit_all(&samples, AndParams { signed: true, ..AndParams::new(RANK) }, Start::Auto);
        assert!(error(&signed.components, &data.truth) > 1e-5);
        assert!(!signed.report.unwrap().certain);
    }
}

#[test]
fn weights_that_are_always_on_are_recovered_without_noise_and_reported_with_it() {
    let data = weighted(Weights::Dirichlet { concentration: 2.0 }).generate().unwrap();
    let hashed = |i: usize, j: usize| ((i * 7919 + j * 104_729) % 1000) as f64 / 1000.0;
    let varied = Array2::from_shape_fn(data.weights.dim(), |(i, k)| 0.05 + 0.1 * hashed(i, k));
    // A constant in all weights, if the weights of each sample have the same sum, could also be a background.
    for level in [Array2::from_elem(data.weights.dim(), 0.1), varied.clone()] {
        let samples = (&data.weights + &level).dot(&data.truth);
        let fit = fit_all(&DenseSamples::new(samples.view()).unwrap(), AndParams::new(RANK), Start::Auto);
        let reached = error(&fit.components, &data.truth);
        assert!(reached < 1e-7, "{reached:e} {:?}", fit.report);
    }
    let samples = (&data.weights + &varied).dot(&data.truth);
    let typical = samples.mean().unwrap();
    let noisy =
        Array2::from_shape_fn(samples.dim(), |(i, j)| samples[[i, j]] + 0.05 * typical * hashed(i, j));
    let fit = fit_all(&DenseSamples::new(noisy.view()).unwrap(), AndParams::new(RANK), Start::Auto);
    let report = fit.report.unwrap();
    assert!(!report.always_on.is_empty() && !report.certain, "{report:?}");
    assert_eq!((report.origin, report.ending), (Origin::Nmf, Ending::Nmf));
    assert!(fit.components.iter().all(|&v| v >= 0.0));
    assert!(fit.trust.unwrap().judgement.verdict < Verdict::Good);
}

#[test]
fn smooth_spectra_do_not_fall_back_to_nmf_if_all_materials_are_in_all_samples() {
    // Three smooth spectra, and weights that are close to zero but rarely zero.
    let spectra = Array2::from_shape_fn((3, 120), |(k, j)| {
        let x = j as f64 / 119.0;
        0.3 + 0.25 * k as f64 * x + 0.4 * (-((x - 0.2 - 0.3 * k as f64) / 0.12).powi(2)).exp()
    });
    let wave = |i: usize, k: usize| (0.37 * (k + 1) as f64 * i as f64 + k as f64).sin();
    let mut weights = Array2::from_shape_fn((2500, 3), |(i, k)| (2.5 * wave(i, k)).exp());
    for mut sample in weights.outer_iter_mut() {
        let sum = sample.sum();
        sample /= sum;
    }
    let hashed = |i: usize, j: usize| ((i * 7919 + j * 104_729) % 1009) as f64 / 1009.0 - 0.5;
    let clean = weights.dot(&spectra);
    let samples = Array2::from_shape_fn(clean.dim(), |(i, j)| clean[[i, j]] + 0.001 * hashed(i, j));
    let fit = fit_all(&DenseSamples::new(samples.view()).unwrap(), AndParams::new(3), Start::Auto);
    let report = fit.report.unwrap();
    assert!(!report.always_on.is_empty() && report.ending != Ending::Nmf, "{report:?}");
    let reasons = fit.trust.unwrap().judgement.reasons;
    assert!(reasons.iter().any(|reason| reason.code() == "always-on"), "{reasons:?}");
    let reached = error(&fit.components, &spectra);
    assert!(reached < 0.1, "{reached}");
}

#[test]
fn a_background_hidden_by_noise_is_detected_by_the_zeros_of_the_components() {
    let spec = DatasetSpec { noise: 0.01, ..weighted(Weights::Dirichlet { concentration: 2.0 }) };
    let data = spec.generate().unwrap();
    assert!(data.samples.iter().any(|&v| v < 0.0));
    let plain = fit_all(&DenseSamples::new(data.samples.view()).unwrap(), AndParams::new(RANK), Start::Auto);
    let reached = error(&plain.components, &data.truth);
    let report = plain.report.unwrap();
    assert_eq!((report.drift, report.ending), (0.0, Ending::Swept));
    for (level, ending) in [(0.002, Ending::Hals), (0.01, Ending::Hals), (0.05, Ending::Nmf)] {
        let on = Array2::from_elem(data.weights.dim(), level);
        let samples = &data.samples + &on.dot(&data.truth);
        let samples = DenseSamples::new(samples.view()).unwrap();
        let fit = fit_all(&samples, AndParams::new(RANK), Start::Auto);
        let report = fit.report.unwrap();
        assert!(report.drift > 0.0 && report.ending == ending, "{level}: {report:?}");
        let reasons = fit.trust.unwrap().judgement.reasons;
        let named = |reason: &Reason| ["always-on", "hidden-level"].contains(&reason.code());
        assert!(reasons.iter().any(named), "{level}: {reasons:?}");
        assert!(fit.passes <= 10, "{}", fit.passes);
        let found = error(&fit.components, &data.truth);
        let signed = fit_all(&samples, AndParams { signed: true, ..AndParams::new(RANK) }, Start::Auto);
        let without = error(&signed.components, &data.truth);
        assert!(found < 0.8 * without, "{level}: {found} {without}");
        assert!(level > 0.002 || found < 2.0 * reached, "{level}: {found} {reached}");
    }
}

#[test]
fn dense_pairs_are_recovered_under_noise_with_a_start_by_hals() {
    // Components that are on in a quarter of the samples and rarely alone, so that no sample is nearly pure.
    for (noise, seed) in [(0.001, 0), (0.01, 2), (0.05, 3)] {
        let (rank, n_features, n_samples) = (20, 400, 2000);
        let weights = Weights::Paired { sparsity: 5.0, co_occurrence: 0.8, decay_order: None };
        let base = DatasetSpec { noise, seed, ..DatasetSpec::new(DatasetKind::Paired) };
        let data = DatasetSpec { rank, n_features, n_samples, weights, ..base }.generate().unwrap();
        let fit =
            fit_all(&DenseSamples::new(data.samples.view()).unwrap(), AndParams::new(rank), Start::Auto);
        let report = fit.report.unwrap();
        assert_eq!((report.origin, report.ending, report.drift), (Origin::Hals, Ending::Swept, 0.0));
        assert_eq!(fit.trust.unwrap().judgement.verdict, Verdict::Good);
        assert!(fit.passes <= 10, "{}", fit.passes);
        let (reached, possible) = (error(&fit.components, &data.truth), least_squares_error(&data));
        assert!(reached <= 1.1 * possible, "{noise}: {reached}, least squares {possible}");
    }
}

#[test]
fn stability_scores_identify_surplus_components() {
    let spec = DatasetSpec { noise: 0.003, ..weighted(Weights::Dirichlet { concentration: 2.0 }) };
    let data = spec.generate().unwrap();
    let samples = DenseSamples::new(data.samples.view()).unwrap();
    let fit = fit_all(&samples, AndParams::new(RANK + 2), Start::Auto);
    let trust = fit.trust.unwrap();
    assert!(trust.judgement.verdict < Verdict::Good, "{:?}", trust.judgement);
    let matched = match_components(fit.components.view(), data.truth.view()).unwrap();
    let right: Vec<usize> = matched.component_of_truth.into_iter().flatten().collect();
    let resampled = fit.report.unwrap().resampled;
    assert!((0..RANK + 2).all(|k| right.contains(&k) || resampled[k] > UNSTABLE), "{resampled:?}");
    for (k, error) in trust.component_error.iter().enumerate() {
        let suspected = if right.contains(&k) { error.estimate } else { error.high };
        assert_eq!(suspected <= UNSTABLE, right.contains(&k), "component {k}: {error:?}");
    }
    // Strong noise alone makes rare components doubtful.
    let very_noisy = DatasetSpec { noise: 0.3, ..spec }.generate().unwrap();
    let fit =
        fit_all(&DenseSamples::new(very_noisy.samples.view()).unwrap(), AndParams::new(RANK), Start::Auto);
    let report = fit.report.unwrap();
    assert!(report.noise_errors.iter().all(|&e| e > 0.05), "{:?}", report.noise_errors);
    assert!(report.mixed.iter().any(|&m| m > 0.0));
}

#[test]
fn a_start_near_the_truth_separates_partners_that_almost_always_occur_together() {
    let mut tried = 0;
    for seed in 0..6 {
        let data = DatasetSpec { seed, ..weighted(paired(0.95, None)) }.generate().unwrap();
        // A component that never occurs alone cannot be distinguished from the sum of both.
        let alone = |k: usize| data.weights.outer_iter().any(|w| w[k] > 0.0 && w[k ^ 1] == 0.0);
        if !(0..RANK).all(alone) {
            continue;
        }
        tried += 1;
        let samples = DenseSamples::new(data.samples.view()).unwrap();
        let fit = fit_all(&samples, AndParams::new(RANK), Start::Given(data.init.clone()));
        let reached = error(&fit.components, &data.truth);
        assert!(reached < 1e-9, "seed {seed}: {reached:e}");
    }
    assert!(tried > 2);
}

#[test]
fn a_given_start_is_used_and_repaired_if_needed() {
    let data = weighted(paired(0.8, Some(2.0))).generate().unwrap();
    let samples = DenseSamples::new(data.samples.view()).unwrap();
    let from_init = fit_all(&samples, AndParams::new(RANK), Start::Given(data.init.clone()));
    assert!(error(&from_init.components, &data.truth) < 1e-9);
    assert_eq!(from_init.report.unwrap().origin, Origin::Given);
    // A useless start is replaced by one from the data.
    let useless = Array2::from_shape_fn(data.truth.dim(), |(k, j)| if j == 0 { 1.0 + k as f64 } else { 1.0 });
    let mut without_one = data.init.clone();
    without_one.row_mut(3).fill(0.0);
    for start in [useless, Array2::zeros(data.truth.dim()), without_one] {
        let found = fit_all(&samples, AndParams::new(RANK), Start::Given(start));
        assert!(error(&found.components, &data.truth) < 1e-9);
    }
}

#[test]
fn scaled_and_reordered_samples_give_the_same_components() {
    let data = weighted(paired(0.5, Some(1.0))).generate().unwrap();
    let fit = default_fit(&data);
    for factor in [1e-6, 1e6] {
        let scaled = &data.samples * factor;
        let samples = DenseSamples::new(scaled.view()).unwrap();
        let other = fit_all(&samples, AndParams::new(RANK), Start::Auto).components / factor;
        let distance = (&other - &fit.components).mapv(f64::abs).sum() / fit.components.sum();
        assert!(distance < 1e-9, "by {factor}: {distance:e}");
    }
    let rows: Vec<usize> = (0..data.samples.nrows()).map(|i| (i * 7) % data.samples.nrows()).collect();
    let columns: Vec<usize> = (0..data.samples.ncols()).map(|j| (j * 7) % data.samples.ncols()).collect();
    let moved = data.samples.select(Axis(0), &rows).select(Axis(1), &columns);
    let other = fit_all(&DenseSamples::new(moved.view()).unwrap(), AndParams::new(RANK), Start::Auto);
    let matched = match_components(other.components.view(), fit.components.select(Axis(1), &columns).view());
    let worst = matched.unwrap().cosines.into_iter().fold(1.0, f64::min);
    assert!(worst > 1.0 - 1e-9, "{worst}");
}

#[test]
fn under_noise_the_error_is_that_of_least_squares_with_the_true_weights() {
    let sizes =
        DatasetSpec { n_features: 600, rank: 30, n_samples: 3000, ..DatasetSpec::new(DatasetKind::Dir) };
    let weights = Weights::Dirichlet { concentration: 1.5 };
    for noise in [0.001, 0.01, 0.05] {
        let data = DatasetSpec { weights, noise, seed: 2, ..sizes }.generate().unwrap();
        let fit = default_fit(&data);
        let (reached, possible) = (error(&fit.components, &data.truth), least_squares_error(&data));
        assert!(reached <= 1.1 * possible, "{noise}: {reached}, least squares {possible}");
        assert!(!fit.report.unwrap().certain);
    }
}

/// The error of (XᵀX)⁻¹·XᵀY with the true weights, by an independent solver.
fn least_squares_error(data: &Dataset) -> f64 {
    let x = &data.weights;
    error(&solve(x.t().dot(x), x.t().dot(&data.samples)), &data.truth)
}

/// Gaussian elimination with pivoting.
fn solve(mut a: Array2<f64>, mut b: Array2<f64>) -> Array2<f64> {
    let n = a.nrows();
    for k in 0..n {
        let pivot = (k..n).max_by(|&i, &j| a[[i, k]].abs().total_cmp(&a[[j, k]].abs())).unwrap();
        for j in 0..n {
            a.swap([k, j], [pivot, j]);
        }
        for j in 0..b.ncols() {
            b.swap([k, j], [pivot, j]);
        }
        for i in (0..n).filter(|&i| i != k) {
            let factor = a[[i, k]] / a[[k, k]];
            let (row, side) = (a.row(k).to_owned(), b.row(k).to_owned());
            a.row_mut(i).scaled_add(-factor, &row);
            b.row_mut(i).scaled_add(-factor, &side);
        }
    }
    for k in 0..n {
        let own = a[[k, k]];
        b.row_mut(k).mapv_inplace(|v| v / own);
    }
    b
}

#[test]
fn sparse_samples_and_single_precision_give_the_same_components() {
    let data = weighted(Weights::BernoulliBinary { sparsity: 3.0 }).generate().unwrap();
    let (pointers, indices, values) = sparse_parts(&data.samples);
    let sparse = CsrSamples::new(data.samples.ncols(), &pointers, indices, values).unwrap();
    assert!(error(&fit_all(&sparse, AndParams::new(RANK), Start::Auto).components, &data.truth) < 1e-9);
    let single = data.samples.mapv(|v| v as f32);
    let samples = DenseSamples::new(single.view()).unwrap();
    let fit = fit_all(&samples, AndParams::new(RANK), Start::Auto);
    let reached = error(&fit.components, &data.truth.mapv(|v| v as f32));
    assert!(reached < 1e-3, "{reached:e}");
}

#[test]
fn components_beyond_the_rank_of_the_samples_are_zero_and_reported() {
    let data = weighted(paired(0.5, None)).generate().unwrap();
    let samples = DenseSamples::new(data.samples.view()).unwrap();
    let fit = fit_all(&samples, AndParams::new(RANK + 2), Start::Auto);
    assert!(
        fit.warnings.contains(&Warning::Unused { components: vec![RANK, RANK + 1] }),
        "{:?}",
        fit.warnings
    );
    let (found, surplus) = fit.components.view().split_at(Axis(0), RANK);
    assert!(error(&found.to_owned(), &data.truth) < 1e-9);
    assert!(surplus.iter().all(|&v| v == 0.0));
    let nothing = DenseSamples::new(Array2::<f64>::zeros((9, 4))).unwrap();
    let fit = fit_all(&nothing, AndParams::new(2), Start::Auto);
    assert_eq!(verdict_and_codes(&fit), (Verdict::Poor, vec!["zero-samples".to_owned()]));
    assert_eq!(
        (fit.stop, fit.warnings),
        (StopReason::Converged, vec![Warning::Unused { components: vec![0, 1] }])
    );
}

/// The verdict on a fit, and the codes of its reasons.
fn verdict_and_codes(fit: &Fit<f64>) -> (Verdict, Vec<String>) {
    let judgement = &fit.trust.as_ref().unwrap().judgement;
    (judgement.verdict, judgement.reasons.iter().map(|reason| reason.code().to_owned()).collect())
}

#[test]
fn a_run_resumed_from_any_stage_ends_in_the_same_bits() {
    // A run with a search, a long descent and a start from the features.
    let data = weighted(Weights::Dirichlet { concentration: 20.0 }).generate().unwrap();
    let samples = DenseSamples::new(data.samples.view()).unwrap();
    let mut checkpoints = Vec::new();
    let mut keep = |view: &StageView<'_, f64>| {
        if view.record.stage % 60 == 7 {
            checkpoints.push(view.checkpoint());
        }
        ControlFlow::Continue(())
    };
    let and = AndParams::new(RANK).check().unwrap();
    let whole = and.fit(&samples, Start::Auto, &mut Run::new().observe(&mut keep)).unwrap();
    assert!(checkpoints.len() >= 3, "{} stages", whole.stages);
    for state in checkpoints {
        let text = serde_json::to_string(&state).unwrap();
        let state: Checkpoint<f64> = serde_json::from_str(&text).unwrap();
        let rest = and.fit(&samples, Start::Resume(Box::new(state)), &mut Run::new()).unwrap();
        assert!(rest.components == whole.components && rest.stages == whole.stages);
        assert_eq!(rest.report, whole.report);
    }
}

#[test]
fn an_inconsistent_checkpoint_is_refused() {
    let data = small(DatasetKind::Dir).generate().unwrap();
    let samples = DenseSamples::new(data.samples.view()).unwrap();
    let and = AndParams::new(12).check().unwrap();
    let good =
        serde_json::to_value(and.fit(&samples, Start::Auto, &mut Run::new()).unwrap().checkpoint()).unwrap();
    let resumed = |state: serde_json::Value| {
        let state: Checkpoint<f64> = serde_json::from_value(state).unwrap();
        and.fit(&samples, Start::Resume(Box::new(state)), &mut Run::new())
    };
    assert!(resumed(good.clone()).is_ok());
    let narrow = serde_json::json!({ "rows": 1, "columns": 1, "bits": [0] });
    for path in ["/state/values/progress/search/best/components", "/state/matrices/spare"] {
        let mut wrong = good.clone();
        *wrong.pointer_mut(path).unwrap() = narrow.clone();
        assert!(matches!(resumed(wrong), Err(FitError::Checkpoint { .. })), "{path}");
    }
    let mut wrong = good.clone();
    wrong.pointer_mut("/state/values/progress/spectrum/values").unwrap().as_array_mut().unwrap().pop();
    assert!(matches!(resumed(wrong), Err(FitError::Checkpoint { .. })));
    // A run with a threshold schedule cannot resume from it either.
    let state: Checkpoint<f64> = serde_json::from_value(good).unwrap();
    let scheduled = AndParams::scheduled(12).check().unwrap();
    let error = scheduled.fit(&samples, Start::Resume(Box::new(state)), &mut Run::new()).unwrap_err();
    assert!(matches!(error, FitError::Checkpoint { .. }));
}

#[test]
fn the_number_of_threads_changes_no_bit() {
    let spec = DatasetSpec { noise: 0.01, ..weighted(Weights::Dirichlet { concentration: 2.0 }) };
    let data = spec.generate().unwrap();
    let samples = DenseSamples::new(data.samples.view()).unwrap();
    let and = AndParams::new(RANK).check().unwrap();
    let on = |threads| and.fit(&samples, Start::Auto, &mut Run::new().threads(threads)).unwrap();
    let one = on(1);
    for threads in [2, 3] {
        let more = on(threads);
        assert!(more.components == one.components && more.report == one.report);
    }
}

#[test]
fn the_limit_on_stages_bounds_those_after_the_search() {
    let data = small(DatasetKind::Ctm).generate().unwrap();
    let samples = DenseSamples::new(data.samples.view()).unwrap();
    let and = AndParams { max_stages: 3, ..AndParams::new(12) }.check().unwrap();
    let from_data = and.fit(&samples, Start::Auto, &mut Run::new()).unwrap();
    assert_eq!((from_data.stop, from_data.final_stages()), (StopReason::MaxStages, 3));
    assert!(from_data.search_stages > 3, "{}", from_data.search_stages);
    assert_eq!(from_data.trace.len(), from_data.search_stages + 3);
    let given = and.fit(&samples, Start::Given(data.init.clone()), &mut Run::new()).unwrap();
    assert!(given.final_stages() <= 3, "{}", given.final_stages());
    // A run that is stopped within the search has no stages after it.
    let mut stop = |view: &StageView<'_, f64>| match view.record.stage {
        0 => ControlFlow::Continue(()),
        _ => ControlFlow::Break(()),
    };
    let stopped = and.fit(&samples, Start::Auto, &mut Run::new().observe(&mut stop)).unwrap();
    assert_eq!((stopped.search_stages, stopped.final_stages()), (2, 0));
}

#[test]
fn a_stopped_run_returns_its_last_components() {
    let data = small(DatasetKind::Dir).generate().unwrap();
    let samples = DenseSamples::new(data.samples.view()).unwrap();
    let flag = AtomicBool::new(false);
    let mut stop = |view: &StageView<'_, f64>| {
        flag.store(view.record.stage >= 3, Ordering::Relaxed);
        ControlFlow::Continue(())
    };
    let and = AndParams::new(12).check().unwrap();
    let mut run = Run::new().observe(&mut stop).cancel_with(&flag);
    let fit = and.fit(&samples, Start::Auto, &mut run).unwrap();
    assert_eq!(verdict_and_codes(&fit), (Verdict::Poor, vec!["stopped".to_owned()]));
    assert_eq!((fit.stop, fit.stages, fit.report), (StopReason::Cancelled, 4, None));
    assert!(fit.components.iter().all(|v| v.is_finite()));
    let limited = AndParams { time_limit: Some(0.0), ..AndParams::new(12) };
    let error = limited.check().unwrap().fit(&samples, Start::Auto, &mut Run::new()).unwrap_err();
    assert_eq!(error, FitError::StoppedBeforeStart);
}
