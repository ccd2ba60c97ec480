//! Samples that no mixture of the components explains.

use andnmf::and::AndParams;
use andnmf::fit::{Checkpoint, Fit, Run, Solver, Start, StopReason};
use andnmf::samples::{CsrSamples, DenseSamples, Samples};
use andnmf::synth::{Dataset, DatasetKind, DatasetSpec, Weights};
use andnmf::trust::Reason;
use ndarray::{Array2, Axis};

use crate::common::{error, sparse_parts};

const RANK: usize = 8;
const SAMPLES: usize = 1200;
const FEATURES: usize = 90;

fn mixtures(noise: f64, seed: u64) -> Dataset {
    let weights = Weights::Dirichlet { concentration: 1.0 };
    let sizes = DatasetSpec {
        n_features: FEATURES,
        rank: RANK,
        n_samples: SAMPLES,
        ..DatasetSpec::new(DatasetKind::Dir)
    };
    DatasetSpec { weights, noise, seed, ..sizes }.generate().unwrap()
}

/// Numbers between 0 and 1 without any pattern.
fn chance(seed: usize) -> f64 {
    let hash = (seed as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    ((hash ^ (hash >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 11) as f64 / (1_u64 << 53) as f64
}

/// The numbers of 1 % of the samples, which are replaced by junk of about their size.
fn with_junk(samples: &mut Array2<f64>) -> Vec<usize> {
    let numbers: Vec<usize> = (0..SAMPLES / 100).map(|i| 37 + 97 * i).collect();
    for &i in &numbers {
        let length = samples.row(i).dot(&samples.row(i)).sqrt();
        let junk = |j: usize| chance(i * FEATURES + j) * length / 5.0;
        samples.row_mut(i).iter_mut().enumerate().for_each(|(j, v)| *v = junk(j));
    }
    numbers
}

fn fit(samples: &dyn Samples<f64>, start: Start<f64>, run: Run<'_, f64>) -> Fit<f64> {
    let mut run = run;
    AndParams::new(RANK).check().unwrap().fit(samples, start, &mut run).unwrap()
}

fn fit_rows(samples: &Array2<f64>) -> Fit<f64> {
    fit(&DenseSamples::new(samples.view()).unwrap(), Start::Auto, Run::new())
}

fn set_aside<T: andnmf::Real>(fit: &Fit<T>) -> Vec<usize> {
    fit.report.as_ref().unwrap().set_aside.clone()
}

fn others(samples: &Array2<f64>, without: &[usize]) -> Array2<f64> {
    let kept: Vec<usize> = (0..samples.nrows()).filter(|i| !without.contains(i)).collect();
    samples.select(Axis(0), &kept)
}

#[test]
fn a_fit_with_junk_has_the_bits_of_a_fit_without_those_samples() {
    for noise in [0.0, 0.01] {
        let Dataset { mut samples, truth, .. } = mixtures(noise, 3);
        let clean = fit_rows(&samples);
        assert_eq!(set_aside(&clean), [0; 0]);
        let junk = with_junk(&mut samples);
        let found = fit_rows(&samples);
        assert_eq!(set_aside(&found), junk);
        assert_eq!(found.components, fit_rows(&others(&samples, &junk)).components);
        let (with, without) = (error(&found.components, &truth), error(&clean.components, &truth));
        assert!(with <= 1.1 * without.max(1e-9), "{with:e} {without:e}");
        let reasons = &found.trust.as_ref().unwrap().judgement.reasons;
        let said = |reason: &Reason| matches!(reason, Reason::OutliersSetAside { of: SAMPLES, .. });
        assert!(reasons.iter().any(said), "{reasons:?}");
    }
}

#[test]
fn one_sample_is_set_aside_however_far_off_it_is() {
    let Dataset { samples, truth, .. } = mixtures(0.01, 4);
    let clean = error(&fit_rows(&samples).components, &truth);
    for size in [1.0, 1e3, 1e9] {
        let mut spoiled = samples.clone();
        let largest = samples.iter().copied().fold(0.0, f64::max);
        spoiled.row_mut(600).fill(largest * size);
        let found = fit_rows(&spoiled);
        assert_eq!(set_aside(&found), [600], "{size}");
        assert!(error(&found.components, &truth) < 1.1 * clean, "{size}");
    }
}

#[test]
fn samples_with_spikes_in_the_same_features_do_not_vouch_for_each_other() {
    let Dataset { mut samples, truth, .. } = mixtures(0.01, 5);
    let clean = error(&fit_rows(&samples).components, &truth);
    let numbers = [10, 400, 401, 777, 900, 1100];
    for (place, &i) in numbers.iter().enumerate() {
        let length = samples.row(i).dot(&samples.row(i)).sqrt();
        samples[[i, 7 + place / 2]] += 30.0 * length * chance(i);
    }
    let found = fit_rows(&samples);
    assert_eq!(set_aside(&found), numbers);
    assert!(error(&found.components, &truth) < 1.1 * clean);
}

#[test]
fn a_component_of_few_samples_is_kept() {
    for (noise, share) in [(0.0, 0.005), (0.01, 0.005), (0.01, 0.01)] {
        let Dataset { weights, truth, .. } = mixtures(0.0, 6);
        let mut weights = weights;
        let on = (SAMPLES as f64 * share) as usize;
        for (i, mut row) in weights.outer_iter_mut().enumerate() {
            row[0] = 0.0;
            let rest = row.sum().max(1e-9);
            let own = if i % 150 == 20 && i / 150 < on { 0.3 + 0.6 * chance(i) } else { 0.0 };
            row.mapv_inplace(|v| v * (1.0 - own) / rest);
            row[0] = own;
        }
        let mut samples = weights.dot(&truth);
        let scale = noise * (samples.iter().map(|v| v * v).sum::<f64>() / samples.len() as f64).sqrt();
        samples.indexed_iter_mut().for_each(|((i, j), v)| {
            *v += scale * (0..12).map(|k| chance(12 * (i * FEATURES + j) + k) - 0.5).sum::<f64>();
        });
        let found = fit_rows(&samples);
        assert_eq!(set_aside(&found), [0; 0], "{noise} {share}");
        let reached = error(&found.components, &truth);
        assert!(reached < 0.05 * RANK as f64, "{noise} {share}: {reached}");
    }
}

#[test]
fn what_is_set_aside_does_not_depend_on_threads_form_or_precision() {
    let mut samples = mixtures(0.0, 7).samples;
    let junk = with_junk(&mut samples);
    let dense = DenseSamples::new(samples.view()).unwrap();
    let (pointers, indices, values) = sparse_parts(&samples);
    let sparse = CsrSamples::new(FEATURES, &pointers, indices, values).unwrap();
    let one = fit(&dense, Start::Auto, Run::new().threads(1));
    let three = fit(&dense, Start::Auto, Run::new().threads(3));
    assert_eq!(one.components, three.components);
    let from_sparse = fit(&sparse, Start::Auto, Run::new());
    assert_eq!(
        (set_aside(&one), set_aside(&three), set_aside(&from_sparse)),
        (junk.clone(), junk.clone(), junk.clone())
    );
    assert!(error(&from_sparse.components, &one.components) < 1e-9);
    let single = samples.mapv(|v| v as f32);
    let single = DenseSamples::new(single).unwrap();
    let fit =
        AndParams::new(RANK).check().unwrap().fit(&single, Start::Auto, &mut Run::<f32>::new()).unwrap();
    assert_eq!(set_aside(&fit), junk);
}

#[test]
fn a_resumed_fit_leaves_out_the_same_samples() {
    let mut samples = mixtures(0.01, 8).samples;
    let junk = with_junk(&mut samples);
    let dense = DenseSamples::new(samples.view()).unwrap();
    let whole = fit(&dense, Start::Auto, Run::new());
    let mut stages = 0;
    let mut observer = |_: &andnmf::fit::StageView<'_, f64>| {
        stages += 1;
        if stages < 12 { std::ops::ControlFlow::Continue(()) } else { std::ops::ControlFlow::Break(()) }
    };
    let stopped = fit(&dense, Start::Auto, Run::new().observe(&mut observer));
    assert_eq!(stopped.stop, StopReason::Cancelled);
    let text = serde_json::to_string(&stopped.checkpoint()).unwrap();
    let checkpoint: Checkpoint<f64> = serde_json::from_str(&text).unwrap();
    let resumed = fit(&dense, Start::Resume(Box::new(checkpoint)), Run::new());
    assert_eq!(set_aside(&resumed), junk);
    assert_eq!(resumed.components, whole.components);
    // Numbers of samples that do not exist are refused.
    let wrong = text.replace(&format!("\"set_aside\":[{}", junk[0]), "\"set_aside\":[99999");
    assert_ne!(wrong, text);
    let checkpoint: Checkpoint<f64> = serde_json::from_str(&wrong).unwrap();
    let start = Start::Resume(Box::new(checkpoint));
    let refused = AndParams::new(RANK).check().unwrap().fit(&dense, start, &mut Run::new()).unwrap_err();
    assert!(refused.to_string().contains("leaves out"), "{refused}");
}
