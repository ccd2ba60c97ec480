//! ANLS against a naive implementation, and on degenerate data.

use ndarray::{Array2, ArrayView2, s};

use super::AnlsParams;
use crate::FitError;
use crate::fit::{Fit, Run, Solver, Start};
use crate::nnls::oracle::lawson_hanson;
use crate::samples::{CsrSamples, DenseSamples, Samples};
use crate::settings::Compress;
use crate::testing::{assert_close, random_matrix, sparse_copy};

/// Non-negative samples without low-rank structure.
fn positive(n: usize, features: usize, seed: u64) -> Array2<f64> {
    random_matrix::<f64>(n, features, seed).mapv(|v| if v < -0.3 { 0.0 } else { v + 0.3 })
}

fn params(rank: usize, stages: usize, signed: bool) -> AnlsParams {
    AnlsParams { max_stages: stages, tolerance: 0.0, signed, ..AnlsParams::new(rank) }
}

fn run(params: &AnlsParams, samples: &dyn Samples<f64>, start: Start<f64>) -> Fit<f64> {
    params.clone().check().unwrap().fit(samples, start, &mut Run::new()).unwrap()
}

/// One row of weights per row of `samples`.
fn by_oracle(components: ArrayView2<'_, f64>, samples: ArrayView2<'_, f64>) -> Array2<f64> {
    let mut weights = Array2::zeros((samples.nrows(), components.nrows()));
    for (sample, mut row) in samples.outer_iter().zip(weights.outer_iter_mut()) {
        row.assign(&lawson_hanson(components, sample));
    }
    weights
}

#[test]
fn equals_the_naive_alternation() {
    let samples = positive(60, 14, 1);
    let start = positive(4, 14, 2);
    let (mut components, mut weights) = (start.clone(), Array2::zeros((0, 0)));
    for _ in 0..6 {
        weights = by_oracle(components.view(), samples.view());
        components = by_oracle(weights.t(), samples.t()).reversed_axes();
    }
    let data = DenseSamples::new(samples.view()).unwrap();
    for compress in [Compress::Off, Compress::Lossless] {
        let params = AnlsParams { compress, ..params(4, 6, false) };
        let fit = run(&params, &data, Start::Given(start.clone()));
        assert_close(&fit.components, &components, 1e-8);
        assert_close(fit.weights.as_ref().unwrap(), &weights, 1e-8);
        let residual = &samples - &weights.dot(&components);
        let loss = residual.iter().map(|v| v * v).sum::<f64>();
        assert!((fit.trace.last().unwrap().loss.unwrap() / loss - 1.0).abs() < 1e-9);
    }
}

#[test]
fn signed_components_equal_the_naive_alternation() {
    let samples = random_matrix::<f64>(50, 12, 3);
    let start = random_matrix::<f64>(3, 12, 4);
    let mut components = start.clone();
    for _ in 0..4 {
        let weights = by_oracle(components.view(), samples.view());
        let inverse = crate::linalg::pseudo_inverse::pseudo_inverse_of_rows(weights.t()).unwrap();
        components = inverse.matrix.dot(&samples);
    }
    let data = DenseSamples::new(samples.view()).unwrap();
    let fit = run(&params(3, 4, true), &data, Start::Given(start));
    assert_close(&fit.components, &components, 1e-8);
    assert!(fit.components.iter().any(|&v| v < 0.0));
}

#[test]
fn the_loss_never_rises() {
    for seed in 0..6 {
        for (signed, samples) in [
            (false, positive(90, 20, seed)),
            (true, random_matrix(90, 20, seed)),
            (false, random_matrix(90, 20, seed)),
        ] {
            let size: f64 = samples.iter().map(|v| v * v).sum();
            let fit = run(&params(7, 40, signed), &DenseSamples::new(samples).unwrap(), Start::RandomSamples);
            let losses: Vec<f64> = fit.trace.iter().map(|record| record.loss.unwrap()).collect();
            assert!(losses.windows(2).all(|w| w[1] <= w[0] + 1e-13 * size), "{losses:?}");
            assert!(losses[39] < losses[0]);
        }
    }
}

#[test]
fn sparse_and_dense_samples_give_the_same_components() {
    let samples = positive(300, 15, 5).mapv(|v| if v < 0.6 { 0.0 } else { v });
    let start = positive(4, 15, 6);
    let (pointers, indices, values) = sparse_copy(&samples);
    let sparse = CsrSamples::new(15, &pointers, indices, values).unwrap();
    let dense = DenseSamples::new(samples).unwrap();
    for signed in [false, true] {
        let fit = |samples| run(&params(4, 5, signed), samples, Start::Given(start.clone()));
        assert_close(&fit(&sparse).components, &fit(&dense).components, 1e-9);
    }
}

#[test]
fn any_number_of_threads_and_a_resumed_run_give_the_same_bits() {
    let samples = positive(700, 600, 7);
    let data = DenseSamples::new(samples).unwrap();
    let anls = |stages| AnlsParams { compress: Compress::Off, ..params(5, stages, false) }.check().unwrap();
    let on = |threads| anls(4).fit(&data, Start::Auto, &mut Run::new().threads(threads)).unwrap();
    let one = on(1);
    assert!(on(2).components == one.components && on(3).weights == one.weights);
    let half = anls(2).fit(&data, Start::Auto, &mut Run::new()).unwrap();
    let resumed = anls(4).fit(&data, Start::Resume(Box::new(half.checkpoint())), &mut Run::new()).unwrap();
    assert!(resumed.components == one.components && resumed.weights == one.weights);
}

#[test]
fn single_precision_fits_as_well() {
    let samples = positive(200, 30, 8);
    let start = positive(6, 30, 9);
    let wide =
        run(&params(6, 30, false), &DenseSamples::new(samples.view()).unwrap(), Start::Given(start.clone()));
    let narrow = DenseSamples::new(samples.mapv(|v| v as f32)).unwrap();
    let start = Start::Given(start.mapv(|v| v as f32));
    let fit = params(6, 30, false).check().unwrap().fit(&narrow, start, &mut Run::new()).unwrap();
    let loss = |trace: &[crate::fit::StageRecord]| trace.last().unwrap().loss.unwrap();
    assert!((loss(&fit.trace) / loss(&wide.trace) - 1.0).abs() < 1e-3);
}

#[test]
fn exact_mixtures_are_fitted_exactly() {
    let weights = random_matrix::<f64>(80, 3, 10).mapv(|v| v.max(0.0));
    for (signed, components) in [(false, positive(3, 20, 11)), (true, random_matrix(3, 20, 11))] {
        let samples = DenseSamples::new(weights.dot(&components)).unwrap();
        let fit = run(&params(3, 300, signed), &samples, Start::SuccessiveProjection);
        let size: f64 = samples.view().iter().map(|v| v * v).sum();
        assert!(fit.trace.last().unwrap().loss.unwrap() < 1e-9 * size);
    }
}

#[test]
fn degenerate_data_give_finite_results() {
    let mut holes = positive(30, 8, 12);
    holes.slice_mut(s![3..9, ..]).fill(0.0);
    holes.column_mut(2).fill(0.0);
    let cases = [
        Array2::zeros((5, 4)),
        Array2::ones((6, 4)),
        holes,
        positive(1, 7, 13),
        positive(7, 1, 13),
        positive(2, 3, 13),
        positive(30, 2, 14).dot(&positive(2, 9, 15)),
        -positive(10, 5, 16),
        random_matrix(12, 6, 17),
    ];
    for samples in cases {
        let data = DenseSamples::new(samples.view()).unwrap();
        for (rank, signed) in [(1, false), (3, false), (12, false), (3, true), (12, true)] {
            let starts = [
                Start::Auto,
                Start::Given(Array2::zeros((rank, samples.ncols()))),
                Start::Given(Array2::ones((rank, samples.ncols()))),
            ];
            for start in starts {
                let params = params(rank, 15, signed);
                let fit = match params.check().unwrap().fit(&data, start, &mut Run::new()) {
                    Ok(fit) => fit,
                    Err(FitError::Setting(_) | FitError::Shape(_)) => continue, // more components than samples
                    Err(FitError::Samples(_)) if !signed && samples.iter().all(|&v| v <= 0.0) => continue,
                    Err(error) => panic!("{error}"),
                };
                let weights = fit.weights.unwrap();
                assert!(fit.components.iter().chain(&weights).all(|v| v.is_finite()));
                assert!(
                    weights.iter().all(|&v| v >= 0.0) && (signed || fit.components.iter().all(|&v| v >= 0.0))
                );
                let losses: Vec<f64> = fit.trace.iter().map(|record| record.loss.unwrap()).collect();
                let size: f64 = samples.iter().map(|v| v * v).sum();
                assert!(losses.windows(2).all(|w| w[1] <= w[0] + 1e-9 * size), "{losses:?} of {size}");
            }
        }
    }
}

#[test]
fn overflow_is_an_error_that_names_the_stage() {
    let samples = DenseSamples::new(positive(20, 5, 1) * 1e200).unwrap();
    let start = Start::Given(positive(2, 5, 2) * 1e-160);
    let anls = params(2, 5, false).check().unwrap();
    let error = anls.fit(&samples, start, &mut Run::new()).unwrap_err();
    assert_eq!(error, FitError::Overflow { stage: 0 });
}

#[test]
fn components_that_no_sample_uses_stay_unchanged() {
    // The third component is orthogonal to all samples, which the two others fit exactly.
    let samples = ndarray::array![[1.0, 0.0, 0.0], [0.0, 2.0, 0.0], [3.0, 1.0, 0.0]];
    let start = ndarray::array![[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 5.0]];
    let data = DenseSamples::new(samples.view()).unwrap();
    let fit = run(&params(3, 4, false), &data, Start::Given(start.clone()));
    assert_eq!(fit.components.row(2), start.row(2));
}
