//! Tests of certificates.

use ndarray::Array2;

use super::certificate::*;
use crate::fit::Run;
use crate::samples::DenseSamples;
use crate::synth::{Dataset, DatasetKind, DatasetSpec, Weights};

fn data(weights: Weights, noise: f64) -> Dataset {
    let sizes =
        DatasetSpec { n_features: 80, rank: 8, n_samples: 1500, ..DatasetSpec::new(DatasetKind::Binary) };
    DatasetSpec { weights, noise, in_span: 0.3, ..sizes }.generate().unwrap()
}

fn of(data: &Dataset, components: &Array2<f64>) -> Certificate {
    let samples = DenseSamples::new(data.samples.view()).unwrap();
    let known = Known { truth: Some(data.truth.view()), weights: Some(data.weights.view()) };
    certify(&samples, components.view(), known, &Run::new()).unwrap()
}

#[test]
fn every_kind_of_weights_and_noise_has_its_theorem() {
    let binary = Weights::SparseBinary { sparsity: 1 };
    for (weights, noise, theorem) in [
        (binary, 0.0, Theorem::Binary),
        (binary, 1e-3, Theorem::NoisyBinary),
        (Weights::Decay { sparsity: 1.0, order: 3.0 }, 0.0, Theorem::General),
        (Weights::Dirichlet { concentration: 0.5 }, 0.0, Theorem::None),
        (Weights::Decay { sparsity: 1.0, order: 3.0 }, 1e-3, Theorem::None),
    ] {
        let data = data(weights, noise);
        let certificate = of(&data, &data.init);
        assert_eq!(certificate.theorem, theorem, "{weights:?}, {noise}");
        assert_eq!(certificate.thresholds.is_empty(), theorem == Theorem::None);
        assert_eq!(certificate.run.is_some(), theorem != Theorem::None);
    }
}

#[test]
fn the_order_and_the_scale_of_components_do_not_matter() {
    let data = data(Weights::SparseBinary { sparsity: 1 }, 0.0);
    let plain = of(&data, &data.init);
    let mut shuffled = data.init.clone();
    for (i, mut row) in shuffled.rows_mut().into_iter().enumerate() {
        row.assign(&(&data.init.row((i + 3) % 8) * (i + 1) as f64));
    }
    let other = of(&data, &shuffled);
    let (a, b) = (plain.start.unwrap(), other.start.unwrap());
    assert!((a.mixing_error - b.mixing_error).abs() < 1e-10 && b.scale_error < 1e-10, "{a:?} {b:?}");
    assert!(plain.holds() && other.run.unwrap().error < 1e-9);
}

#[test]
fn thresholds_of_general_weights_follow_the_formula_and_end_at_the_target() {
    let data = data(Weights::Decay { sparsity: 1.0, order: 3.0 }, 0.0);
    let certificate = of(&data, &data.init);
    let (conditions, start) = (&certificate.weights.conditions, certificate.start.unwrap());
    let q = conditions.decay_order;
    for (stage, threshold) in certificate.thresholds.iter().enumerate() {
        let mixing = start.mixing_error / 40_f64.powi(stage as i32);
        let expected = (conditions.lambda * mixing / conditions.r).powf(2.0 / (q + 1.0)).min(0.25);
        assert!((threshold / expected - 1.0).abs() < 1e-9);
    }
    let last = start.mixing_error / 40_f64.powi(certificate.thresholds.len() as i32);
    assert!(last <= TARGET && last * 40.0 > TARGET);
}

#[test]
fn under_noise_the_error_stays_below_the_predicted_one() {
    let data = data(Weights::SparseBinary { sparsity: 1 }, 1e-3);
    let certificate = of(&data, &data.init);
    assert!((certificate.noise / 1e-3 - 1.0).abs() < 0.05, "{}", certificate.noise);
    let error = certificate.run.unwrap().error;
    assert!(error > 1e-6 && error < certificate.predicted_error, "{error}");
}

#[test]
fn without_a_truth_there_is_a_prediction_and_no_run() {
    let data = data(Weights::SparseBinary { sparsity: 1 }, 0.0);
    let samples = DenseSamples::new(data.samples.view()).unwrap();
    let certificate = certify(&samples, data.truth.view(), Known::default(), &Run::new()).unwrap();
    assert_eq!((certificate.start, certificate.run.is_none()), (None, true));
    assert_eq!((certificate.theorem, certificate.premises.len()), (Theorem::Binary, 1));
    assert!(certificate.thresholds.iter().all(|&threshold| threshold == 0.25));
    let narrow = data.truth.slice(ndarray::s![..5, ..]);
    let known = Known { truth: Some(data.truth.view()), ..Known::default() };
    assert!(certify(&samples, narrow, known, &Run::new()).is_err());
}
