//! A run that was stopped goes on to the same bits.

use std::ops::ControlFlow;

use andnmf::FitError;
use andnmf::and::{AndParams, Batch, Compress, Schedule, ThresholdParams};
use andnmf::fit::{Checkpoint, Fit, Run, Solver, StageView, Start, StopReason};
use andnmf::samples::DenseSamples;
use andnmf::synth::{Dataset, DatasetKind, DatasetSpec, Weights};

use crate::common::small;

fn run(data: &Dataset, params: &AndParams, start: Start<f64>, stages: usize) -> Fit<f64> {
    let samples = DenseSamples::new(data.samples.view()).unwrap();
    let params = AndParams { max_stages: stages, ..params.clone() };
    params.check().unwrap().fit(&samples, start, &mut Run::new()).unwrap()
}

/// The checkpoint as it comes back from a file.
fn through_json(checkpoint: &Checkpoint<f64>) -> Checkpoint<f64> {
    serde_json::from_str(&serde_json::to_string(checkpoint).unwrap()).unwrap()
}

#[test]
fn a_resumed_run_ends_in_the_same_bits() {
    let noisy = DatasetSpec {
        noise: 0.05,
        weights: Weights::Dirichlet { concentration: 1.0 },
        ..small(DatasetKind::Dir)
    };
    let data = noisy.generate().unwrap();
    let base = AndParams::scheduled(12);
    let theory = Schedule::Theory { lambda: 0.5, sparsity: 1.0, decay_order: 1.0 };
    let theory = ThresholdParams { fastest_fall: Some(100.0), ..theory.into() };
    let floored = ThresholdParams { data_floor: Some(3.0), ..Schedule::Constant(1e-4).into() };
    for params in [
        AndParams { compress: Compress::Off, ..base.clone() },
        AndParams { compress: Compress::Leading(14), ..base.clone() },
        AndParams { threshold: theory.into(), ..base.clone() },
        AndParams { threshold: floored.into(), ..base.clone() },
        AndParams { batch: Batch::Size(7), seed: 5, ..base },
    ] {
        let whole = run(&data, &params, Start::Given(data.init.clone()), 9);
        let half = run(&data, &params, Start::Given(data.init.clone()), 4);
        // What the thresholds are chosen from must matter here, or this would prove nothing.
        assert_ne!(half.thresholds, whole.thresholds, "{params:?}");
        let checkpoint = through_json(&half.checkpoint);
        assert_eq!(checkpoint.working, half.checkpoint.working);
        // The seed of the checkpoint goes on, whatever the settings say now.
        let later = AndParams { seed: 99, ..params.clone() };
        let rest = run(&data, &later, Start::Resume(Box::new(checkpoint)), 9);
        assert_eq!(rest.components, whole.components, "{params:?}");
        assert_eq!((rest.stages, rest.thresholds.clone()), (9, whole.thresholds.clone()));
        let figures = |fit: &Fit<f64>| -> Vec<(usize, f64)> {
            fit.trace[4..].iter().map(|r| (r.stage, r.change)).collect()
        };
        assert_eq!(figures(&rest), figures(&whole));
        assert!(rest.seconds >= half.seconds);
    }
}

#[test]
fn lossless_compression_survives_resuming_too() {
    let data = small(DatasetKind::CtmReleased).generate().unwrap();
    let params = AndParams { compress: Compress::Lossless, ..AndParams::scheduled(12) };
    let whole = run(&data, &params, Start::Given(data.init.clone()), 9);
    let half = run(&data, &params, Start::Given(data.init.clone()), 4).checkpoint;
    assert!(half.basis.is_some());
    let rest = run(&data, &params, Start::Resume(Box::new(through_json(&half))), 9);
    assert_eq!(rest.components, whole.components);
}

#[test]
fn an_observer_can_keep_checkpoints() {
    let data = small(DatasetKind::Dir).generate().unwrap();
    let samples = DenseSamples::new(data.samples.view()).unwrap();
    let params = AndParams { max_stages: 6, ..AndParams::scheduled(12) };
    let mut kept = Vec::new();
    let mut observer = |view: &StageView<'_, f64>| {
        assert_eq!(view.components(), view.checkpoint().components());
        kept.push(view.checkpoint());
        ControlFlow::Continue(())
    };
    let and = params.clone().check().unwrap();
    let start = Start::Given(data.init.clone());
    let whole = and.fit(&samples, start, &mut Run::new().observe(&mut observer)).unwrap();
    assert_eq!(whole.stop, StopReason::MaxStages);
    for (done, checkpoint) in kept.into_iter().enumerate() {
        assert_eq!(checkpoint.stages, done + 1);
        let rest = run(&data, &params, Start::Resume(Box::new(checkpoint)), 6);
        assert_eq!(rest.components, whole.components);
    }
}

#[test]
fn a_checkpoint_of_other_data_or_settings_is_refused() {
    let data = small(DatasetKind::Dir).generate().unwrap();
    let params = AndParams { compress: Compress::Lossless, ..AndParams::scheduled(12) };
    let checkpoint = run(&data, &params, Start::Given(data.init.clone()), 2).checkpoint;
    let samples = DenseSamples::new(data.samples.view()).unwrap();
    let narrow = DenseSamples::new(data.samples.slice(ndarray::s![.., ..100])).unwrap();
    let resume = |rank, samples: &DenseSamples<'_, f64>, checkpoint: &Checkpoint<f64>| {
        let start = Start::Resume(Box::new(checkpoint.clone()));
        AndParams::scheduled(rank).check().unwrap().fit(samples, start, &mut Run::new()).unwrap_err()
    };
    assert!(matches!(resume(12, &narrow, &checkpoint), FitError::Shape(_)));
    assert!(matches!(resume(11, &samples, &checkpoint), FitError::Shape(_)));
    // Each way to be broken is told apart from a good one.
    let break_with = |change: &dyn Fn(&mut Checkpoint<f64>)| {
        let mut broken = checkpoint.clone();
        change(&mut broken);
        resume(12, &samples, &broken)
    };
    type Damage<'a> = &'a dyn Fn(&mut Checkpoint<f64>);
    let reasons: [(Damage<'_>, &str); 7] = [
        (&|c| c.thresholds.truncate(11), "one threshold"),
        (&|c| c.ever_active.clear(), "one activity"),
        (&|c| c.thresholds[0] = -1.0, "negative or not finite"),
        (&|c| c.negative_rms[3] = f64::NAN, "negative or not finite"),
        (&|c| c.n_samples = 7, "another number of samples"),
        (&|c| c.trace.truncate(1), "one record per stage"),
        (&|c| c.basis.as_mut().unwrap().fill(1.0), "not orthonormal"),
    ];
    for (change, reason) in reasons {
        let error = break_with(change);
        assert!(
            matches!(error, FitError::Checkpoint { .. }) && error.to_string().contains(reason),
            "{error}"
        );
    }
    assert!(matches!(break_with(&|c| c.working[[0, 0]] = f64::NAN), FitError::StartNotFinite { .. }));
}

#[test]
fn numbers_of_the_other_precision_are_refused_not_misread() {
    let data = small(DatasetKind::Dir).generate().unwrap();
    let checkpoint = run(&data, &AndParams::scheduled(12), Start::Given(data.init.clone()), 1).checkpoint;
    let text = serde_json::to_string(&checkpoint).unwrap();
    assert!(serde_json::from_str::<Checkpoint<f32>>(&text).is_err());
}
