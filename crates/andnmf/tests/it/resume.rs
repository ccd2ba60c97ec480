//! A run that was stopped goes on to the same bits.

use std::ops::ControlFlow;

use andnmf::FitError;
use andnmf::and::{AndParams, Batch, Compress, Schedule, ThresholdParams};
use andnmf::fit::{Checkpoint, Fit, Run, Solver, StageView, Start, StopReason};
use andnmf::samples::DenseSamples;
use andnmf::synth::{Dataset, DatasetKind};

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
    let data = small(DatasetKind::Dir).generate().unwrap();
    let base = AndParams::new(12);
    let theory = Schedule::Theory { lambda: 0.5, sparsity: 1.0, decay_order: 1.0 };
    let floored = ThresholdParams { data_floor: Some(1.0), ..Schedule::Constant(0.02).into() };
    for params in [
        AndParams { compress: Compress::Off, ..base.clone() },
        AndParams { compress: Compress::Lossless, ..base.clone() },
        AndParams { compress: Compress::Leading(14), threshold: theory.into(), ..base.clone() },
        AndParams { threshold: floored, ..base.clone() },
        AndParams { batch: Batch::Size(7), ..base },
    ] {
        let whole = run(&data, &params, Start::Given(data.init.clone()), 9);
        let half = run(&data, &params, Start::Given(data.init.clone()), 4);
        let checkpoint = through_json(&half.checkpoint);
        let rest = run(&data, &params, Start::Resume(Box::new(checkpoint)), 9);
        assert_eq!(rest.components, whole.components, "{params:?}");
        assert_eq!((rest.stages, rest.thresholds.clone()), (9, whole.thresholds.clone()));
        let figures = |fit: &Fit<f64>| -> Vec<(usize, f64, f64)> {
            fit.trace.iter().map(|r| (r.stage, r.threshold_min, r.change)).collect()
        };
        assert_eq!(figures(&rest), figures(&whole));
        assert!(rest.seconds >= half.seconds);
    }
}

#[test]
fn an_observer_can_keep_checkpoints() {
    let data = small(DatasetKind::Dir).generate().unwrap();
    let samples = DenseSamples::new(data.samples.view()).unwrap();
    let params = AndParams { max_stages: 6, ..AndParams::new(12) };
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
    let checkpoint = run(&data, &AndParams::new(12), Start::Given(data.init.clone()), 2).checkpoint;
    let samples = DenseSamples::new(data.samples.view()).unwrap();
    let narrow = DenseSamples::new(data.samples.slice(ndarray::s![.., ..100])).unwrap();
    let resume = |rank, samples: &DenseSamples<'_, f64>, checkpoint: &Checkpoint<f64>| {
        let start = Start::Resume(Box::new(checkpoint.clone()));
        AndParams::new(rank).check().unwrap().fit(samples, start, &mut Run::new()).unwrap_err()
    };
    assert!(matches!(resume(12, &narrow, &checkpoint), FitError::Shape(_)));
    assert!(matches!(resume(11, &samples, &checkpoint), FitError::Shape(_)));
    let mut broken = checkpoint;
    broken.thresholds.pop();
    assert!(matches!(resume(12, &samples, &broken), FitError::Shape(_)));
}
