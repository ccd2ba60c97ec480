//! Recovery of the truth to the paper's accuracy, at the paper's sizes.

use andnmf::and::{AndParams, Batch, Compress, Schedule, StepsPerStage, ThresholdParams};
use andnmf::fit::{Run, Solver, Start};
use andnmf::metrics::RecoveryObserver;
use andnmf::samples::DenseSamples;
use andnmf::synth::{Dataset, DatasetKind, DatasetSpec};
use andnmf::theory::DecompositionObserver;
use ndarray::Array2;

use crate::common::{error, fit, small};

fn paper_sized(kind: DatasetKind) -> DatasetSpec {
    DatasetSpec { n_features: 2000, ..DatasetSpec::new(kind) }
}

fn end_error(data: &Dataset, params: AndParams) -> f64 {
    error(&fit(data, params).components, &data.truth)
}

#[test]
fn the_papers_settings_recover_dir_ctm_and_neg() {
    for kind in [DatasetKind::Dir, DatasetKind::CtmReleased, DatasetKind::Neg] {
        let data = paper_sized(kind).generate().unwrap();
        let before = error(&data.init, &data.truth);
        let after = end_error(&data, AndParams::paper(100));
        assert!(before > 20.0 && after <= 1e-6, "{kind}: {before} to {after:e}");
    }
}

#[test]
fn strongly_correlated_pairs_are_separated_by_exact_stages() {
    let data = paper_sized(DatasetKind::Paired).generate().unwrap();
    let params = AndParams { threshold: Schedule::Constant(0.25).into(), ..AndParams::scheduled(100) };
    let after = end_error(&data, params);
    assert!(after <= 1e-9, "{after:e}");
}

#[test]
fn constant_thresholds_stall() {
    let data = paper_sized(DatasetKind::Dir).generate().unwrap();
    for threshold in [0.1, 0.01, 0.001] {
        let params = AndParams { threshold: Schedule::Constant(threshold).into(), ..AndParams::paper(100) };
        let after = end_error(&data, params);
        assert!(after > 1.0, "{threshold}: {after:e}");
    }
}

#[test]
fn twice_the_in_span_perturbation_is_still_recovered() {
    let data = DatasetSpec { in_span: 2.0, ..paper_sized(DatasetKind::Dir) }.generate().unwrap();
    let after = end_error(&data, AndParams::paper(100));
    assert!(after <= 1e-6, "{after:e}");
}

#[test]
fn out_of_span_perturbation_of_seven_tenths_of_the_column_norm_is_recovered() {
    let spec = paper_sized(DatasetKind::Dir);
    let mut lengths: Vec<f64> =
        spec.generate().unwrap().truth.outer_iter().map(|row| row.dot(&row).sqrt()).collect();
    lengths.sort_by(f64::total_cmp);
    // Entries uniform in ±0.05·r have the standard deviation 0.05·r/√3.
    let out_of_span = 0.7 * lengths[50] / (0.05 / 3.0_f64.sqrt() * (spec.n_features as f64).sqrt());
    let data = DatasetSpec { out_of_span, ..spec }.generate().unwrap();
    let after = end_error(&data, AndParams::paper(100));
    assert!(after <= 2e-6, "{after:e}");
}

#[test]
fn one_sample_at_a_time_converges() {
    let data = paper_sized(DatasetKind::Dir).generate().unwrap();
    let params = AndParams { batch: Batch::Size(1), max_stages: 60, ..AndParams::scheduled(100) };
    let after = end_error(&data, params);
    assert!(after < 0.2, "{after:e}");
}

#[test]
fn thresholds_from_the_theory_recover_faster_than_the_papers() {
    let data = paper_sized(DatasetKind::Dir).generate().unwrap();
    let theory = Schedule::Theory { lambda: 0.8, sparsity: 1.0, decay_order: 1.0 };
    let after = end_error(
        &data,
        AndParams { threshold: theory.into(), max_stages: 100, ..AndParams::scheduled(100) },
    );
    assert!(after <= 1e-5, "{after:e}");
}

/// The error of least squares with the true weights, a practical lower bound for every method.
fn least_squares_error(data: &Dataset) -> f64 {
    let gram = data.weights.t().dot(&data.weights);
    let products = data.weights.t().dot(&data.samples);
    // Conjugate gradients on the normal equations, all features at once.
    let mut x: Array2<f64> = Array2::zeros(products.dim());
    let mut residual = products.clone();
    let mut direction = residual.clone();
    let mut size = (&residual * &residual).sum();
    for _ in 0..500 {
        let image = gram.dot(&direction);
        let step = size / (&direction * &image).sum();
        x.scaled_add(step, &direction);
        residual.scaled_add(-step, &image);
        let next = (&residual * &residual).sum();
        if next < 1e-24 * (&products * &products).sum() {
            break;
        }
        direction = &residual + &(direction * (next / size));
        size = next;
    }
    error(&x, &data.truth)
}

#[test]
fn under_noise_the_data_floor_holds_where_the_plain_schedule_diverges() {
    let data = DatasetSpec { noise: 0.01, ..paper_sized(DatasetKind::Dir) }.generate().unwrap();
    let best = least_squares_error(&data);
    let run = |data_floor| {
        let threshold = ThresholdParams { data_floor, ..ThresholdParams::default() };
        let compress = Compress::Leading(100);
        end_error(
            &data,
            AndParams {
                threshold: threshold.into(),
                compress,
                inner: StepsPerStage::Steps(100),
                ..AndParams::paper(100)
            },
        )
    };
    let (floored, plain) = (run(Some(2.0)), run(None));
    assert!(floored < 1.1 * best, "floored {floored}, least squares {best}");
    assert!(plain > 3.0 * best, "plain {plain}, least squares {best}");
}

#[test]
fn observers_record_the_falling_error_and_the_stage_lemma() {
    let data = small(DatasetKind::Binary).generate().unwrap();
    let samples = DenseSamples::new(data.samples.view()).unwrap();
    let params = AndParams { threshold: Schedule::Constant(0.25).into(), ..AndParams::scheduled(12) };
    let and = params.check().unwrap();
    let fit = |observer: &mut dyn andnmf::fit::Observer<f64>| {
        and.fit(&samples, Start::Given(data.init.clone()), &mut Run::new().observe(observer)).unwrap()
    };
    let mut recovery = RecoveryObserver::new(data.truth.clone());
    let done = fit(&mut recovery);
    assert_eq!(recovery.errors.len(), done.stages);
    assert!(recovery.errors[0] > 1e-6 && *recovery.errors.last().unwrap() < 1e-9, "{:?}", recovery.errors);

    let mut theory = DecompositionObserver::new(data.truth.clone(), &data.init).unwrap();
    fit(&mut theory);
    assert_eq!(theory.norms.len(), done.stages + 1);
    let report = theory.stage_lemma();
    assert!(report.worst_contraction.unwrap() < 1.0, "the mixing error shrinks in every stage: {report:?}");
    assert!(theory.norms.last().unwrap().mixing_error < 1e-9);
}
