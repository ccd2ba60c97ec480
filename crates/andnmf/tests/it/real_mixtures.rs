//! Default fits of mixtures as measurements give them: dense weights, backgrounds, components without exact zeros.

use std::path::PathBuf;

use andnmf::and::AndParams;
use andnmf::auto::{Ending, Origin};
use andnmf::fit::{Fit, Run, Solver, Start};
use andnmf::samples::DenseSamples;
use andnmf::synth::{DatasetKind, DatasetSpec, Weights};
use ndarray::{Array2, Axis};
use ndarray_npy::read_npy;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, Gamma, StandardNormal};

use crate::common::error;

fn fit(samples: &Array2<f64>, params: AndParams) -> Fit<f64> {
    let samples = DenseSamples::new(samples.view()).unwrap();
    params.check().unwrap().fit(&samples, Start::Auto, &mut Run::new()).unwrap()
}

/// Smooth spectra without zeros, as materials have.
fn spectra(rank: usize) -> Array2<f64> {
    Array2::from_shape_fn((rank, 120), |(k, band)| {
        let x = band as f64 / 120.0;
        let peak = |center: f64, width: f64| (-((x - center) / width).powi(2)).exp();
        0.2 + peak(0.15 + 0.7 * k as f64 / rank as f64, 0.25) + 0.5 * peak(0.9 - 0.23 * k as f64, 0.15)
    })
}

/// Shares of a Dirichlet distribution.
fn shares(n: usize, rank: usize, concentration: f64, rng: &mut ChaCha8Rng) -> Array2<f64> {
    let gamma = Gamma::new(concentration, 1.0).unwrap();
    let mut shares = Array2::from_shape_simple_fn((n, rank), || gamma.sample(rng));
    for mut row in shares.outer_iter_mut() {
        let sum = row.sum();
        row /= sum;
    }
    shares
}

fn noisy(clean: &Array2<f64>, relative: f64, rng: &mut ChaCha8Rng) -> Array2<f64> {
    let scale = relative * (clean.mapv(|v| v * v).mean().unwrap()).sqrt();
    let mut draw = || -> f64 { StandardNormal.sample(rng) };
    clean.mapv(|v| v + scale * draw())
}

#[test]
fn dense_shares_of_spectra_end_by_least_volume_and_sparse_ones_by_the_stages() {
    let truth = spectra(4);
    for (concentration, seed) in [(1.0, 1), (1.0, 2), (0.7, 3)] {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let samples = noisy(&shares(3000, 4, concentration, &mut rng).dot(&truth), 0.01, &mut rng);
        let found = fit(&samples, AndParams::new(4));
        let stages = fit(&samples, AndParams { signed: true, ..AndParams::new(4) });
        let report = found.report.unwrap();
        assert_eq!(report.ending, Ending::MinVolume, "{concentration}");
        assert!(report.ending_margin.unwrap() < 0.0);
        let (volume, stages) = (error(&found.components, &truth), error(&stages.components, &truth));
        assert!(volume < 0.8 * stages, "{concentration}: {volume} {stages}");
    }
    // Two materials at a time: weights pile up at zero, and the stages need no help.
    let mut rng = ChaCha8Rng::seed_from_u64(4);
    let mut pairs = Array2::<f64>::zeros((3000, 4));
    for mut row in pairs.outer_iter_mut() {
        let (first, step) = (rng.random_range(0..4), rng.random_range(1..4));
        let share: f64 = rng.random();
        row[first] = share;
        row[(first + step) % 4] = 1.0 - share;
    }
    let found = fit(&noisy(&pairs.dot(&truth), 0.01, &mut rng), AndParams::new(4));
    let report = found.report.unwrap();
    assert!(report.ending != Ending::MinVolume && report.ending_margin.unwrap() > 0.0, "{report:?}");
    assert!(error(&found.components, &truth) < 0.1);
}

/// Topics with a background topic that is on in every sample: the zeros of the topics alone can tell them apart.
fn with_background() -> (Array2<f64>, Array2<f64>) {
    let weights = Weights::Dirichlet { concentration: 3.0 };
    let spec = DatasetSpec {
        n_features: 500,
        rank: 12,
        n_samples: 1200,
        seed: 2,
        weights,
        ..DatasetSpec::new(DatasetKind::Dir)
    };
    let data = spec.generate().unwrap();
    let mut rng = ChaCha8Rng::seed_from_u64(9);
    let mut weights = data.weights.clone();
    let last = weights.ncols() - 1;
    weights.column_mut(last).mapv_inplace(|_| 0.3 * rng.random_range(0.5..1.5));
    (weights, data.truth)
}

#[test]
fn errors_grow_with_smoothing_and_noise_and_never_jump() {
    let (weights, topics) = with_background();
    let mean = topics.mean().unwrap();
    let smoothed = |level: f64| {
        let truth = topics.mapv(|v| v + level * mean);
        let found = fit(&weights.dot(&truth), AndParams::new(12));
        (error(&found.components, &truth), found.report.unwrap().origin)
    };
    let levels = [1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3];
    let found: Vec<(f64, Origin)> = levels.into_iter().map(smoothed).collect();
    for (level, (error, origin)) in levels.iter().zip(&found) {
        // The zeros of the topics decide; once smoothing hides them, those of the weights, but for the background.
        assert!(matches!(origin, Origin::Features | Origin::Normalised), "{level}: {found:?}");
        assert!(*error < 1e-6 + (100.0 * level).min(1e-3), "{level}: {found:?}");
    }
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let clean = weights.dot(&topics);
    let levels = [1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2];
    let mut under_noise = |noise: f64| {
        let found = fit(&noisy(&clean, noise, &mut rng), AndParams::new(12));
        (error(&found.components, &topics), found.report.unwrap().origin)
    };
    let found: Vec<(f64, Origin)> = levels.into_iter().map(&mut under_noise).collect();
    for (noise, (error, _)) in levels.iter().zip(&found) {
        assert!(*error < 2.0 * noise.sqrt(), "{noise}: {found:?}");
    }
}

/// The folder of a measured data set, in `$ANDNMF_DATA` or beside the checkout.
fn measured(name: &str) -> Option<PathBuf> {
    let beside = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data");
    let root = std::env::var_os("ANDNMF_DATA").map_or_else(|| beside.into(), PathBuf::from);
    let folder = root.join(name);
    if !folder.is_dir() {
        eprintln!("skipped: no data set {name} in $ANDNMF_DATA or ../shared/data");
        return None;
    }
    Some(folder)
}

#[test]
fn more_pixels_of_a_measured_scene_do_not_make_its_spectra_worse() {
    let Some(folder) = measured("jasper") else { return };
    let read = |name: &str| -> Array2<f64> {
        let path = folder.join(name);
        let single: Result<Array2<f32>, _> = read_npy(&path);
        single.map_or_else(|_| read_npy(&path).unwrap(), |values| values.mapv(f64::from))
    };
    let (pixels, truth) = (read("samples.npy"), read("endmembers.npy"));
    for (step, offset) in [(1, 0), (2, 1), (4, 0)] {
        let numbers: Vec<usize> = (offset..pixels.nrows()).step_by(step).collect();
        let found = fit(&pixels.select(Axis(0), &numbers), AndParams::new(4));
        assert_ne!(found.report.unwrap().ending, Ending::Nmf, "{step}");
        let reached = error(&found.components, &truth);
        assert!(reached < 0.32, "{step}: {reached}");
    }
}
