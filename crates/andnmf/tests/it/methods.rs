//! The common promises of all methods, tested on every method.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicUsize};

use andnmf::and::{AndParams, Compress};
use andnmf::baselines::{AnlsParams, HalsParams, MinVolumeParams, MuLoss, MuParams};
use andnmf::fit::{Checkpoint, Fit, Run, StageView, Start, StopReason};
use andnmf::samples::{CsrSamples, DenseSamples, Samples};
use andnmf::synth::{DatasetKind, DatasetSpec};
use andnmf::{FitError, Method, MethodParams, Real};
use ndarray::Array2;

use crate::common::{CancelAfterReads, distance, sparse_parts};

pub(crate) const RANK: usize = 6;

/// Word counts, which every method can fit, and a start.
pub(crate) fn corpus() -> (Array2<f64>, Array2<f64>) {
    let spec = DatasetSpec {
        n_features: 60,
        rank: RANK,
        n_samples: 700,
        seed: 3,
        ..DatasetSpec::new(DatasetKind::Dir)
    };
    let data = spec.generate().unwrap();
    let counts = data.samples.mapv(|v| (v * 400.0).round());
    (counts, data.init.mapv(|v| v.max(0.0)))
}

/// Every method in all its variants, with five stages each.
pub(crate) fn every_form() -> Vec<MethodParams> {
    let mut forms: Vec<_> = Method::ALL.iter().map(|&method| MethodParams::new(method, RANK)).collect();
    forms.extend([
        MethodParams::And(AndParams::scheduled(RANK)),
        MethodParams::And(AndParams { signed: true, ..AndParams::new(RANK) }),
        MethodParams::Hals(HalsParams { signed: true, ..HalsParams::new(RANK) }),
        MethodParams::Anls(AnlsParams { signed: true, ..AnlsParams::new(RANK) }),
        MethodParams::Mu(MuParams { signed: true, ..MuParams::new(RANK) }),
        MethodParams::Mu(MuParams { loss: MuLoss::KullbackLeibler, ..MuParams::new(RANK) }),
        MethodParams::MinVolume(MinVolumeParams { signed: true, ..MinVolumeParams::new(RANK) }),
    ]);
    let few = |form: MethodParams| match form.method() {
        Method::AnchorWords => form,
        _ => form.with_max_stages(5).with_tolerance(0.0),
    };
    forms.into_iter().map(few).collect()
}

/// The variants that run several stages from a given start.
pub(crate) fn staged_forms() -> impl Iterator<Item = MethodParams> {
    every_form().into_iter().filter(|form| form.method() != Method::AnchorWords)
}

/// The given start, or `Auto` if the method takes none.
pub(crate) fn start_for<T: Real>(form: &MethodParams, start: &Array2<T>) -> Start<T> {
    if form.method() == Method::AnchorWords { Start::Auto } else { Start::Given(start.clone()) }
}

pub(crate) fn run<T: Real>(
    form: &MethodParams,
    samples: &dyn Samples<T>,
    start: Start<T>,
) -> Result<Fit<T>, FitError> {
    form.clone().check::<T>()?.fit(samples, start, &mut Run::new())
}

pub(crate) fn all_finite<T: Real>(fit: &Fit<T>) -> bool {
    fit.components.iter().chain(fit.weights.iter().flatten()).all(|v| v.as_f64().is_finite())
        && fit.trace.iter().all(|r| r.change.is_finite() && r.loss.is_none_or(f64::is_finite))
}

#[test]
fn dense_sparse_and_single_precision_samples_give_the_same_components() {
    let (counts, start) = corpus();
    let dense = DenseSamples::new(counts.view()).unwrap();
    let (pointers, indices, values) = sparse_parts(&counts);
    let sparse = CsrSamples::new(counts.ncols(), &pointers, indices, values).unwrap();
    let single = counts.mapv(|v| v as f32);
    let single = DenseSamples::new(single.view()).unwrap();
    for form in every_form() {
        let expected = run(&form, &dense, start_for(&form, &start)).unwrap();
        assert!(all_finite(&expected), "{form:?}");
        let other = run(&form, &sparse, start_for(&form, &start)).unwrap();
        assert!(distance(other.components.view(), expected.components.view()) < 1e-8, "{form:?}");
        let in_single = run(&form, &single, start_for(&form, &start.mapv(|v| v as f32))).unwrap();
        let difference = distance(in_single.components.view(), expected.components.view());
        assert!(difference < 2e-2, "{form:?}: {difference:e}");
    }
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let (counts, start) = corpus();
    let dense = DenseSamples::new(counts.view()).unwrap();
    for form in every_form() {
        let with = |threads| {
            let solver = form.clone().check::<f64>().unwrap();
            solver.fit(&dense, start_for(&form, &start), &mut Run::new().threads(threads)).unwrap()
        };
        let (one, three) = (with(1), with(3));
        assert!(one.components == three.components, "{form:?}");
        assert!(one.weights == three.weights, "{form:?}");
    }
}

#[test]
fn a_resumed_run_ends_in_the_same_bits() {
    let (counts, start) = corpus();
    let dense = DenseSamples::new(counts.view()).unwrap();
    for form in staged_forms() {
        let whole = run(&form, &dense, Start::Given(start.clone())).unwrap();
        let half = run(&form.clone().with_max_stages(2), &dense, Start::Given(start.clone())).unwrap();
        assert!(half.components != whole.components, "{form:?}");
        let text = serde_json::to_string(&half.checkpoint()).unwrap();
        let checkpoint: Checkpoint<f64> = serde_json::from_str(&text).unwrap();
        let rest = run(&form, &dense, Start::Resume(Box::new(checkpoint.clone()))).unwrap();
        assert!(rest.components == whole.components, "{form:?}");
        assert!(rest.weights == whole.weights, "{form:?}");
        assert_eq!(rest.stages, 5);
        let others = Method::ALL.iter().filter(|&&other| other != form.method());
        for &other in others.filter(|&&other| other != Method::AnchorWords) {
            let error =
                run(&MethodParams::new(other, RANK), &dense, Start::Resume(Box::new(checkpoint.clone())));
            assert!(matches!(error, Err(FitError::Checkpoint { .. })), "{form:?} as {other}");
        }
    }
}

#[test]
fn observers_see_every_stage_and_can_stop_the_run() {
    let (counts, start) = corpus();
    let dense = DenseSamples::new(counts.view()).unwrap();
    for form in staged_forms() {
        let mut seen = Vec::new();
        let mut observer = |view: &StageView<'_, f64>| {
            seen.push((view.record.stage, view.components()));
            assert!(Some(view.components()) == view.checkpoint().components(), "{form:?}");
            if view.record.stage == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let solver = form.clone().check::<f64>().unwrap();
        let fit =
            solver.fit(&dense, Start::Given(start.clone()), &mut Run::new().observe(&mut observer)).unwrap();
        assert_eq!((fit.stop, fit.stages, fit.trace.len()), (StopReason::Cancelled, 3, 3), "{form:?}");
        assert_eq!(seen.iter().map(|(stage, _)| *stage).collect::<Vec<_>>(), [0, 1, 2]);
        assert!(seen[2].1 == fit.components, "{form:?}");
    }
}

#[test]
fn a_time_limit_of_zero_returns_the_start_or_an_error() {
    let (counts, start) = corpus();
    let dense = DenseSamples::new(counts.view()).unwrap();
    for form in every_form() {
        let limited = form.clone().with_time_limit(Some(0.0));
        match run(&limited, &dense, start_for(&form, &start)) {
            Ok(fit) => assert_eq!((fit.stop, fit.stages), (StopReason::TimeLimit, 0), "{form:?}"),
            Err(error) => {
                assert_eq!((form.method(), error), (Method::AnchorWords, FitError::StoppedBeforeStart));
            }
        }
    }
}

#[test]
fn a_run_cancelled_in_mid_stage_returns_the_last_whole_stage() {
    let (counts, start) = corpus();
    for form in staged_forms() {
        // With automatic thresholds or compression the stages do not read the samples.
        let form = match form {
            MethodParams::And(params) => MethodParams::And(AndParams {
                max_stages: params.max_stages,
                compress: Compress::Off,
                ..AndParams::scheduled(params.rank)
            }),
            other => other,
        };
        let blocks_read = |stages| {
            let flag = AtomicBool::new(false);
            let reads_left = AtomicUsize::new(usize::MAX);
            let samples = CancelAfterReads {
                samples: DenseSamples::new(counts.view()).unwrap(),
                flag: &flag,
                reads_left,
            };
            let fit =
                run(&form.clone().with_max_stages(stages), &samples, Start::Given(start.clone())).unwrap();
            (fit, usize::MAX - samples.reads_left.into_inner())
        };
        let ((five, after_five), (_, after_six)) = (blocks_read(5), blocks_read(6));
        let in_stage_six = (after_five + after_six) / 2;
        let flag = AtomicBool::new(false);
        let dense = DenseSamples::new(counts.view()).unwrap();
        let samples =
            CancelAfterReads { samples: dense, flag: &flag, reads_left: AtomicUsize::new(in_stage_six) };
        let solver = form.clone().with_max_stages(9).check::<f64>().unwrap();
        let mut options = Run::new().cancel_with(&flag).threads(1);
        let fit = solver.fit(&samples, Start::Given(start.clone()), &mut options).unwrap();
        assert_eq!(fit.stop, StopReason::Cancelled, "{form:?}");
        assert_eq!(fit.stages, 5, "{form:?}");
        assert!(fit.components == five.components, "{form:?}");
    }
}

#[test]
fn losses_never_rise() {
    let (counts, start) = corpus();
    let dense = DenseSamples::new(counts.view()).unwrap();
    let (pointers, indices, values) = sparse_parts(&counts);
    let sparse = CsrSamples::new(counts.ncols(), &pointers, indices, values).unwrap();
    let size: f64 = counts.iter().map(|v| v * v).sum();
    let minimisers = [Method::Hals, Method::Anls, Method::Mu];
    for form in staged_forms().filter(|form| minimisers.contains(&form.method())) {
        let form = form.with_max_stages(60);
        for samples in [&dense as &dyn Samples<f64>, &sparse] {
            for start in
                [Start::Given(start.clone()), Start::Auto, Start::RandomSamples, Start::SuccessiveProjection]
            {
                let fit = run(&form, samples, start).unwrap();
                let losses: Vec<f64> = fit.trace.iter().map(|r| r.loss.unwrap()).collect();
                let risen = losses.windows(2).find(|pair| pair[1] > pair[0] + 1e-12 * size);
                assert_eq!(risen, None, "{form:?}");
                assert!(losses[losses.len() - 1] < losses[0], "{form:?}");
            }
        }
    }
}

#[test]
fn a_run_in_a_smaller_space_resumes_to_the_same_bits_however_short_its_first_part() {
    let left = Array2::from_shape_fn((400, 3), |(i, k)| ((i * (k + 3) + k) % 7) as f64);
    let right = Array2::from_shape_fn((3, 120), |(k, j)| ((j * (k + 2) + k) % 5) as f64 + 0.1);
    let samples = left.dot(&right);
    let samples = DenseSamples::new(samples.view()).unwrap();
    for method in [Method::Hals, Method::Anls, Method::Mu, Method::MinVolume] {
        let form = |stages| MethodParams::new(method, 3).with_max_stages(stages).with_tolerance(0.0);
        let whole = run(&form(8), &samples, Start::RandomSamples).unwrap();
        assert_eq!(whole.compressed_to, Some(3), "{method}");
        let part = run(&form(1), &samples, Start::RandomSamples).unwrap();
        let rest = run(&form(8), &samples, Start::Resume(Box::new(part.checkpoint()))).unwrap();
        assert!(rest.components == whole.components && rest.weights == whole.weights, "{method}");
    }
}
