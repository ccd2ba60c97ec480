//! Dense, sparse, column-major and single-precision samples give the same result.

use andnmf::and::{AndParams, Batch, Compress, StepsPerStage};
use andnmf::samples::{CsrSamples, DenseSamples};
use andnmf::synth::DatasetKind;

use crate::common::{distance, fit_samples, small, sparse_parts};

/// The variants of a fit, with twenty stages each.
fn forms() -> [AndParams; 5] {
    let base = AndParams { max_stages: 20, compress: Compress::Off, ..AndParams::scheduled(12) };
    [
        base.clone(),
        AndParams { inner: StepsPerStage::Steps(7), ..base.clone() },
        AndParams { compress: Compress::Lossless, ..base.clone() },
        AndParams { batch: Batch::Size(1), ..base.clone() },
        AndParams { batch: Batch::Size(50), ..base },
    ]
}

#[test]
fn sparse_samples_give_the_components_of_dense_ones() {
    let data = small(DatasetKind::Dir).generate().unwrap();
    let dense = DenseSamples::new(data.samples.view()).unwrap();
    let (pointers, indices, values) = sparse_parts(&data.samples);
    let sparse = CsrSamples::new(240, &pointers, indices, values).unwrap();
    for params in forms() {
        let expected = fit_samples(&dense, &data.init, params.clone()).components;
        let found = fit_samples(&sparse, &data.init, params.clone()).components;
        assert!(distance(found.view(), expected.view()) < 1e-11, "{params:?}");
    }
}

#[test]
fn column_major_samples_give_the_components_of_row_major_ones() {
    let data = small(DatasetKind::Dir).generate().unwrap();
    let column_major = data.samples.t().as_standard_layout().into_owned();
    let (rows, columns) =
        (DenseSamples::new(data.samples.view()).unwrap(), DenseSamples::new(column_major.t()).unwrap());
    for params in forms() {
        let expected = fit_samples(&rows, &data.init, params.clone()).components;
        assert_eq!(fit_samples(&columns, &data.init, params).components, expected);
    }
}

#[test]
fn single_precision_follows_double_precision() {
    let data = small(DatasetKind::CtmReleased).generate().unwrap();
    let double = DenseSamples::new(data.samples.view()).unwrap();
    let single = DenseSamples::new(data.samples.mapv(|v| v as f32)).unwrap();
    let init = data.init.mapv(|v| v as f32);
    for params in forms() {
        let expected = fit_samples(&double, &data.init, params.clone()).components;
        let found = fit_samples(&single, &init, params.clone()).components;
        let difference = distance(found.view(), expected.view());
        assert!(difference < 1e-3, "{params:?}: {difference:e}");
    }
}

#[test]
fn a_batch_of_all_samples_is_one_full_step() {
    let data = small(DatasetKind::Dir).generate().unwrap();
    let samples = DenseSamples::new(data.samples.view()).unwrap();
    let step = andnmf::and::Step::Value(0.001);
    let full = AndParams { inner: StepsPerStage::Steps(1), step, max_stages: 5, ..AndParams::scheduled(12) };
    let batch = AndParams { batch: Batch::Size(900), ..full.clone() };
    let expected = fit_samples(&samples, &data.init, full).components;
    assert!(distance(fit_samples(&samples, &data.init, batch).components.view(), expected.view()) < 1e-12);
}
