//! Tests of online fits.

use ndarray::Axis;

use super::*;
use crate::metrics::correlation_error;
use crate::samples::DenseSamples;
use crate::synth::{Dataset, DatasetKind, DatasetSpec, Weights};

fn data(n_samples: usize) -> Dataset {
    let sizes = DatasetSpec { n_features: 80, rank: 5, n_samples, ..DatasetSpec::new(DatasetKind::Dir) };
    let weights = Weights::Dirichlet { concentration: 1.0 };
    DatasetSpec { weights, ..sizes }.generate().unwrap()
}

fn learned(data: &Dataset, params: AndParams, start: Start<f64>, size: usize) -> Online<f64> {
    let mut online = Online::new(params, start).unwrap();
    for batch in data.samples.axis_chunks_iter(Axis(0), size) {
        assert!(online.learn(&DenseSamples::new(batch).unwrap(), &mut Run::new()).unwrap());
    }
    online
}

fn error(online: &Online<f64>, data: &Dataset) -> f64 {
    correlation_error(online.components().unwrap().view(), data.truth.view()).unwrap().relative_total()
}

#[test]
fn batches_recover_the_truth_and_record_a_trace() {
    let data = data(3000);
    let online = learned(&data, AndParams::new(5), Start::Auto, 600);
    assert!(error(&online, &data) < 1e-2, "{}", error(&online, &data));
    assert_eq!((online.batches(), online.thresholds().len()), (5, 5));
    assert!(online.trust().is_none(), "no verdict on what batches made of it");
    let stages: Vec<usize> = online.trace().iter().map(|record| record.stage).collect();
    assert_eq!(stages, (0..stages.len()).collect::<Vec<_>>());
    assert!(online.trace().is_sorted_by_key(|record| record.seconds));
    assert!(learned(&data, AndParams::new(5), Start::Auto, 3000).trust().is_some());
}

#[test]
fn the_same_batches_give_the_same_bits() {
    let data = data(900);
    let bits =
        || learned(&data, AndParams::new(5), Start::Auto, 300).components().unwrap().mapv(f64::to_bits);
    assert_eq!(bits(), bits());
}

#[test]
fn a_schedule_continues_from_batch_to_batch() {
    let data = data(1200);
    let params = AndParams { batch: Batch::Size(8), ..AndParams::scheduled(5) };
    let online = learned(&data, params, Start::Given(data.init.clone()), 300);
    let thresholds: Vec<f64> = online.trace().iter().map(|record| record.threshold_median.unwrap()).collect();
    let expected: Vec<f64> = (0..4).map(|stage| 0.1 / 1.1_f64.powi(stage)).collect();
    assert_eq!(thresholds, expected);
    assert!(
        error(&online, &data)
            < correlation_error(data.init.view(), data.truth.view()).unwrap().relative_total()
    );
}

#[test]
fn a_batch_that_cannot_be_used_changes_nothing() {
    let data = data(900);
    let mut online = learned(&data, AndParams::new(5), Start::Auto, 450);
    let before = online.components().unwrap().clone();
    let narrow = DenseSamples::new(Array2::<f64>::ones((50, 7))).unwrap();
    assert!(online.learn(&narrow, &mut Run::new()).is_err());
    let flag = std::sync::atomic::AtomicBool::new(true);
    let whole = DenseSamples::new(data.samples.view()).unwrap();
    assert!(!online.learn(&whole, &mut Run::new().cancel_with(&flag)).unwrap());
    assert_eq!((online.components().unwrap(), online.batches()), (&before, 2));
}

#[test]
fn invalid_settings_are_refused_before_the_first_batch() {
    assert!(Online::<f64>::new(AndParams::new(0), Start::Auto).is_err());
    let theory = Schedule::Theory { lambda: 1.0, sparsity: 2.0, decay_order: 1.0 };
    let params = AndParams { threshold: theory.into(), ..AndParams::new(3) };
    let error = Online::<f64>::new(params, Start::Auto).unwrap_err().to_string();
    assert!(error.contains("samples of all stages"), "{error}");
}

#[test]
fn the_largest_weight_is_a_high_quantile() {
    assert_eq!((largest_weight(&[]), largest_weight(&[0.0; 3])), (1.0, 1.0));
    let mut rare = vec![0.0; 1000];
    rare[3] = 5.0;
    assert_eq!(largest_weight(&rare), 5.0);
    let even: Vec<f64> = (0..=100).map(f64::from).collect();
    assert_eq!(largest_weight(&even), 99.0);
}

#[test]
fn a_run_that_is_resumed_before_every_batch_ends_with_the_same_bits() {
    let data = data(900);
    for params in [AndParams::new(5), AndParams { batch: Batch::Size(8), ..AndParams::scheduled(5) }] {
        let whole = learned(&data, params.clone(), Start::Auto, 300);
        let mut state: Option<OnlineState<f64>> = None;
        for batch in data.samples.axis_chunks_iter(Axis(0), 300) {
            let mut online = match state {
                None => Online::new(params.clone(), Start::Auto).unwrap(),
                Some(state) => Online::resume(params.clone(), state).unwrap(),
            };
            assert!(online.learn(&DenseSamples::new(batch).unwrap(), &mut Run::new()).unwrap());
            assert_eq!(online.last().unwrap().components, online.components().unwrap());
            state = online.state();
        }
        let state = state.unwrap();
        assert_eq!((state.batches, &state.components), (3, whole.components().unwrap()));
    }
}

#[test]
fn batches_continue_from_a_whole_fit_after_rescaling() {
    let data = data(1200);
    let first = DenseSamples::new(data.samples.slice(ndarray::s![..600, ..])).unwrap();
    let fit = AndParams::new(5).check().unwrap().fit(&first, Start::Auto, &mut Run::new()).unwrap();
    let state = OnlineState {
        components: fit.components * 1e3,
        thresholds: fit.thresholds,
        first_threshold: None,
        batches: 0,
    };
    let mut online = Online::resume(AndParams::new(5), state.clone()).unwrap();
    let rest = DenseSamples::new(data.samples.slice(ndarray::s![600.., ..])).unwrap();
    online.learn(&rest, &mut Run::new()).unwrap();
    assert!(error(&online, &data) < 1e-6, "{}", error(&online, &data));
    let largest = nnls::weights(&rest, online.components().unwrap().view(), &Run::new()).unwrap();
    assert!(largest.iter().all(|&v| v < 10.0), "weights are about one");
    let wrong = OnlineState { components: Array2::zeros((4, 80)), ..state };
    assert!(Online::resume(AndParams::new(5), wrong).is_err());
}
