//! Tests of online LDA as a solver.

use std::ops::{ControlFlow, Range};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use ndarray::{Array1, array};
use rand::RngExt;
use rand_distr::{Distribution, Gamma};

use super::super::stage::tests::counts;
use super::*;
use crate::SamplesError;
use crate::and::Batch;
use crate::baselines::HalsParams;
use crate::fit::Solver;
use crate::fit::{StageView, StopReason};
use crate::random::{Stream, generator};
use crate::samples::{Block, CsrSamples, DenseSamples};
use crate::testing::{assert_close, sparse_copy};

fn params(rank: usize) -> OnlineLdaParams {
    OnlineLdaParams { batch: Batch::Size(16), max_stages: 4, seed: 3, ..OnlineLdaParams::new(rank) }
}

fn fit(params: OnlineLdaParams, samples: &dyn Samples<f64>, start: Start<f64>) -> Fit<f64> {
    params.check().unwrap().fit(samples, start, &mut Run::new()).unwrap()
}

/// Documents of 80 words each from four topics, each topic concentrated on ten words of its own.
fn generated(documents: usize) -> (Array2<f64>, Array2<f64>) {
    let topics = Array2::from_shape_fn((4, 40), |(k, w)| if w / 10 == k { 0.094 } else { 0.002 });
    let mut rng = generator(11, Stream::Weights);
    let gamma = Gamma::new(0.2, 1.0).unwrap();
    let mut data = Array2::zeros((documents, 40));
    for mut row in data.outer_iter_mut() {
        let weights = Array1::from_shape_simple_fn(4, || gamma.sample(&mut rng) + 1e-9);
        let words = (&weights / weights.sum()).dot(&topics);
        for _ in 0..80 {
            let mut left = rng.random_range(0.0..words.sum());
            let word = words.iter().position(|p| {
                left -= p;
                left < 0.0
            });
            row[word.unwrap_or(39)] += 1.0;
        }
    }
    (data, topics)
}

#[test]
fn the_true_topics_of_generated_documents_are_recovered() {
    let (data, truth) = generated(600);
    let samples = DenseSamples::new(data.view()).unwrap();
    let found = fit(OnlineLdaParams { max_stages: 20, ..params(4) }, &samples, Start::Auto);
    for topic in truth.outer_iter() {
        let distance = |row: ndarray::ArrayView1<'_, f64>| (&row - &topic).mapv(f64::abs).sum();
        let nearest = found.components.outer_iter().map(distance).fold(f64::MAX, f64::min);
        assert!(nearest < 0.15, "the nearest topic is at distance {nearest}");
    }
    let weights = found.weights.unwrap();
    assert!(weights.outer_iter().all(|row| (row.sum() - 1.0).abs() < 1e-12));
}

#[test]
fn sparse_documents_give_the_same_bits_as_dense_ones_on_any_number_of_threads() {
    // More words than one parallel task takes.
    let data = counts(200, 300);
    let dense = DenseSamples::new(data.view()).unwrap();
    let (pointers, indices, values) = sparse_copy(&data);
    let sparse = CsrSamples::new(300, &pointers, indices, values).unwrap();
    let lda = params(6).check().unwrap();
    let one = lda.fit(&dense, Start::Auto, &mut Run::new().threads(1)).unwrap();
    for samples in [&dense as &dyn Samples<f64>, &sparse] {
        for threads in [1, 2, 3] {
            let other = lda.fit(samples, Start::Auto, &mut Run::new().threads(threads)).unwrap();
            assert_eq!(other.components, one.components);
            assert_eq!(other.weights, one.weights);
            let bound = |fit: &Fit<f64>| lda.topics(fit).unwrap().bound(samples).unwrap();
            assert_eq!(bound(&other), bound(&one));
        }
    }
}

#[test]
fn a_resumed_run_ends_in_the_same_bits() {
    let samples = DenseSamples::new(counts(100, 20)).unwrap();
    let lda = params(3).check().unwrap();
    let mut stored = String::new();
    let mut store = |view: &StageView<'_, f64>| {
        if view.record.stage == 1 {
            stored = serde_json::to_string(&view.checkpoint()).unwrap();
        }
        ControlFlow::Continue(())
    };
    let whole = lda.fit(&samples, Start::Auto, &mut Run::new().observe(&mut store)).unwrap();
    let state: Checkpoint<f64> = serde_json::from_str(&stored).unwrap();
    // The seed is that of the checkpoint.
    let resumed = fit(OnlineLdaParams { seed: 99, ..params(3) }, &samples, Start::Resume(Box::new(state)));
    assert_eq!((resumed.stages, resumed.passes), (whole.stages, whole.passes));
    let lambda = |fit: &Fit<f64>| lda.topics(fit).unwrap().lambda().to_owned();
    assert_eq!(lambda(&resumed), lambda(&whole));
    assert_eq!((resumed.components, resumed.weights), (whole.components, whole.weights));
}

#[test]
fn a_checkpoint_with_negative_parameters_is_rejected() {
    let samples = DenseSamples::new(counts(10, 5)).unwrap();
    let checkpoint = fit(params(2), &samples, Start::Auto).checkpoint();
    let (header, mut state) = checkpoint.into_state::<LdaState<f64>>().unwrap();
    state.lambda[[1, 2]] = -0.1;
    let state = Checkpoint::new(header, state);
    let lda = params(2).check().unwrap();
    let error = lda.fit(&samples, Start::Resume(Box::new(state)), &mut Run::new()).unwrap_err();
    assert!(matches!(error, FitError::Checkpoint { .. }), "{error}");
}

#[test]
fn the_topics_of_another_method_are_rejected() {
    let samples = DenseSamples::new(counts(10, 5)).unwrap();
    let other = HalsParams::new(2).check().unwrap().fit(&samples, Start::Auto, &mut Run::new()).unwrap();
    let error = params(2).check().unwrap().topics(&other).unwrap_err();
    assert!(error.to_string().contains("hals"), "{error}");
}

#[test]
fn observers_see_rows_that_sum_to_one_and_the_pass_for_the_weights_is_counted() {
    let samples = DenseSamples::new(counts(40, 9)).unwrap();
    let mut seen = 0;
    let mut observer = |view: &StageView<'_, f64>| {
        seen += 1;
        assert!(view.components().outer_iter().all(|row| (row.sum() - 1.0).abs() < 1e-12));
        ControlFlow::Continue(())
    };
    let lda = params(3).check().unwrap();
    let found = lda.fit(&samples, Start::Auto, &mut Run::new().observe(&mut observer)).unwrap();
    assert_eq!((seen, found.stages, found.passes), (4, 4, 5));
    assert_eq!(found.stop, StopReason::MaxStages);
}

#[test]
fn a_start_near_the_truth_is_not_lost_in_the_first_batches() {
    let (data, truth) = generated(200);
    let samples = DenseSamples::new(data.view()).unwrap();
    let found = fit(OnlineLdaParams { max_stages: 2, ..params(4) }, &samples, Start::Given(truth.clone()));
    assert_close(&found.components, &truth, 0.2);
    assert_eq!(found.passes, 4, "one for the total, two stages, one for the weights");
}

/// Sets the cancellation flag once `at` rows have been read.
struct Cancelling<'a> {
    samples: DenseSamples<'a, f64>,
    reads: AtomicUsize,
    at: usize,
    flag: AtomicBool,
}

impl Samples<f64> for Cancelling<'_> {
    fn n_samples(&self) -> usize {
        self.samples.n_samples()
    }

    fn n_features(&self) -> usize {
        self.samples.n_features()
    }

    fn block(&self, rows: Range<usize>) -> Result<Block<'_, f64>, SamplesError> {
        if self.reads.fetch_add(rows.len(), Ordering::Relaxed) + rows.len() >= self.at {
            self.flag.store(true, Ordering::Relaxed);
        }
        self.samples.block(rows)
    }
}

#[test]
fn a_run_cancelled_in_mid_stage_returns_the_last_completed_stage() {
    let data = counts(100, 20);
    let plain = DenseSamples::new(data.view()).unwrap();
    let two = fit(OnlineLdaParams { max_stages: 2, ..params(3) }, &plain, Start::Auto);
    let samples =
        Cancelling { samples: plain, reads: AtomicUsize::new(0), at: 250, flag: AtomicBool::new(false) };
    let lda = params(3).check().unwrap();
    let found = lda.fit(&samples, Start::Auto, &mut Run::new().cancel_with(&samples.flag)).unwrap();
    assert_eq!((found.stop, found.stages, found.passes), (StopReason::Cancelled, 2, 2));
    assert_eq!(found.components, two.components);
    assert!(found.weights.is_none());
    assert!(samples.reads.load(Ordering::Relaxed) < 300, "it did not stop within the stage");
}

#[test]
fn a_run_with_a_time_limit_of_zero_returns_its_initialization() {
    let samples = DenseSamples::new(counts(30, 4)).unwrap();
    let given = array![[1.0, 0.0, 1.0, 0.0], [0.0, 3.0, 0.0, 1.0]];
    let found = fit(OnlineLdaParams { time_limit: Some(0.0), ..params(2) }, &samples, Start::Given(given));
    assert_eq!((found.stop, found.stages), (StopReason::TimeLimit, 0));
    assert!(found.components[[0, 0]] > 0.4 && found.components[[1, 1]] > 0.6, "{}", found.components);
}

#[test]
fn negative_values_are_rejected_for_any_initialization() {
    let mut data = counts(30, 4);
    data[[20, 3]] = -1.0;
    let samples = DenseSamples::new(data.view()).unwrap();
    for start in [Start::Auto, Start::Given(Array2::ones((2, 4)))] {
        let error = params(2).check().unwrap().fit(&samples, start, &mut Run::new()).unwrap_err();
        assert_eq!(
            error,
            SamplesError::Negative { row: 20, column: 3, value: -1.0, required_by: "LDA" }.into()
        );
    }
}

#[test]
fn degenerate_documents_give_finite_results() {
    fn check<T: Real>(data: &Array2<f64>, rank: usize, prior: f64) {
        let samples = DenseSamples::new(data.mapv(T::from_f64)).unwrap();
        let given = Array2::from_shape_fn((rank, data.ncols()), |(k, w)| T::from_f64((k + w) as f64));
        for start in [Start::Auto, Start::Given(given)] {
            for batch in [Batch::Size(2), Batch::All] {
                let prior = Some(prior);
                let params =
                    OnlineLdaParams { batch, document_prior: prior, topic_prior: prior, ..params(rank) };
                let lda = params.check().unwrap();
                let found = lda.fit(&samples, start.clone(), &mut Run::new()).unwrap();
                let weights = found.weights.as_ref().unwrap();
                for row in found.components.outer_iter().chain(weights.outer_iter()) {
                    let sum: f64 = row.iter().map(|v| v.as_f64()).sum();
                    assert!((sum - 1.0).abs() < 1e-5, "{} rank {rank}, prior {prior:?}: {row}", T::NAME);
                }
                let bound = lda.topics(&found).unwrap().bound(&samples).unwrap();
                assert!(!bound.perplexity().is_nan(), "{bound:?}");
            }
        }
    }
    let mut zero_column = counts(6, 4);
    zero_column.column_mut(1).fill(0.0);
    zero_column.row_mut(2).fill(0.0);
    let single_word = Array2::from_elem((5, 1), 3.0);
    let single_document = array![[1.0, 0.0, 4.0]];
    let large = zero_column.mapv(|v| v * 1e12);
    for data in [Array2::zeros((4, 3)), zero_column, single_word, single_document, large] {
        for (rank, prior) in [(1, 0.1), (3, 0.1), (9, 0.1), (3, 1e-3), (3, 1e-30), (3, 1e3)] {
            check::<f64>(&data, rank, prior);
            check::<f32>(&data, rank, prior);
        }
    }
}

#[test]
fn single_precision_is_near_double() {
    let (data, _) = generated(200);
    let (double, single) =
        (DenseSamples::new(data.view()).unwrap(), DenseSamples::new(data.mapv(|v| v as f32)).unwrap());
    let lda = params(4).check().unwrap();
    let double = lda.fit(&double, Start::Auto, &mut Run::new()).unwrap();
    let single = lda.fit(&single, Start::Auto, &mut Run::new()).unwrap();
    assert_close(&single.components.mapv(f64::from), &double.components, 1e-3);
}

#[test]
fn the_sample_scale_equals_repeated_words() {
    let data = counts(50, 10);
    let frequencies = &data / 8.0;
    let whole = fit(params(3), &DenseSamples::new(data.view()).unwrap(), Start::Auto);
    let scaled = OnlineLdaParams { sample_scale: 8.0, ..params(3) };
    let scaled = fit(scaled, &DenseSamples::new(frequencies.view()).unwrap(), Start::Auto);
    assert_eq!(scaled.components, whole.components);
    let too_much = OnlineLdaParams { sample_scale: 1e308, ..params(3) }.check().unwrap();
    let samples = DenseSamples::new(data.view()).unwrap();
    let error = too_much.fit(&samples, Start::Auto, &mut Run::new()).unwrap_err();
    assert!(error.to_string().contains("sample_scale"), "{error}");
}
