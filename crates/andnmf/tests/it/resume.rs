//! A resumed run ends in the same bits as an uninterrupted one.

use std::ops::ControlFlow;

use andnmf::and::{AndParams, Batch, Compress, Schedule, ThresholdParams};
use andnmf::fit::{Checkpoint, Fit, Run, Solver, StageView, Start, StopReason};
use andnmf::samples::DenseSamples;
use andnmf::synth::{Dataset, DatasetKind, DatasetSpec, Weights};
use andnmf::{FitError, Method, MethodParams};
use serde_json::Value;

use crate::common::small;

fn run(data: &Dataset, params: &AndParams, start: Start<f64>, stages: usize) -> Fit<f64> {
    let samples = DenseSamples::new(data.samples.view()).unwrap();
    let params = AndParams { max_stages: stages, ..params.clone() };
    params.check().unwrap().fit(&samples, start, &mut Run::new()).unwrap()
}

/// The checkpoint after a round trip through JSON.
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
        // The thresholds must depend on the state, or this would prove nothing.
        assert_ne!(half.thresholds, whole.thresholds, "{params:?}");
        let checkpoint = through_json(&half.checkpoint());
        let stored = |checkpoint: &Checkpoint<f64>| serde_json::to_value(checkpoint).unwrap();
        assert_eq!(stored(&checkpoint), stored(&half.checkpoint()));
        // The seed of the checkpoint is used, not that of the settings.
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
fn runs_with_lossless_compression_resume_to_the_same_bits() {
    let data = small(DatasetKind::CtmReleased).generate().unwrap();
    let params = AndParams { compress: Compress::Lossless, ..AndParams::scheduled(12) };
    let whole = run(&data, &params, Start::Given(data.init.clone()), 9);
    let half = run(&data, &params, Start::Given(data.init.clone()), 4).checkpoint();
    assert!(serde_json::to_value(&half).unwrap()["state"]["matrices"]["basis"].is_object());
    let rest = run(&data, &params, Start::Resume(Box::new(through_json(&half))), 9);
    assert_eq!(rest.components, whole.components);
}

#[test]
fn an_observer_can_store_checkpoints() {
    let data = small(DatasetKind::Dir).generate().unwrap();
    let samples = DenseSamples::new(data.samples.view()).unwrap();
    let params = AndParams { max_stages: 6, ..AndParams::scheduled(12) };
    let mut checkpoints = Vec::new();
    let mut observer = |view: &StageView<'_, f64>| {
        assert_eq!(Some(view.components()), view.checkpoint().components());
        checkpoints.push(view.checkpoint());
        ControlFlow::Continue(())
    };
    let and = params.clone().check().unwrap();
    let start = Start::Given(data.init.clone());
    let whole = and.fit(&samples, start, &mut Run::new().observe(&mut observer)).unwrap();
    assert_eq!(whole.stop, StopReason::MaxStages);
    for (done, checkpoint) in checkpoints.into_iter().enumerate() {
        assert_eq!(checkpoint.header.stages, done + 1);
        let rest = run(&data, &params, Start::Resume(Box::new(checkpoint)), 6);
        assert_eq!(rest.components, whole.components);
    }
}

#[test]
fn a_checkpoint_of_other_data_or_settings_is_refused() {
    let data = small(DatasetKind::Dir).generate().unwrap();
    let params = AndParams { compress: Compress::Lossless, ..AndParams::scheduled(12) };
    let checkpoint = run(&data, &params, Start::Given(data.init.clone()), 2).checkpoint();
    let samples = DenseSamples::new(data.samples.view()).unwrap();
    let narrow = DenseSamples::new(data.samples.slice(ndarray::s![.., ..100])).unwrap();
    let resume = |rank, samples: &DenseSamples<'_, f64>, checkpoint: &Checkpoint<f64>| {
        let start = Start::Resume(Box::new(checkpoint.clone()));
        AndParams::scheduled(rank).check().unwrap().fit(samples, start, &mut Run::new()).unwrap_err()
    };
    assert!(matches!(resume(12, &narrow, &checkpoint), FitError::Shape(_)));
    assert!(matches!(resume(11, &samples, &checkpoint), FitError::Shape(_)));
    // Each kind of damage is detected.
    let good = serde_json::to_value(&checkpoint).unwrap();
    let break_with = |change: &dyn Fn(&mut Value)| {
        let mut broken = good.clone();
        change(&mut broken);
        resume(12, &samples, &serde_json::from_value(broken).unwrap())
    };
    fn list<'a>(stored: &'a mut Value, path: &str) -> &'a mut Vec<Value> {
        stored.pointer_mut(path).unwrap().as_array_mut().unwrap()
    }
    const THRESHOLDS: &str = "/state/values/thresholds";
    const BASIS: &str = "/state/matrices/basis/bits";
    type Damage<'a> = &'a dyn Fn(&mut Value);
    let reasons: [(Damage<'_>, &str); 9] = [
        (&|c| list(c, THRESHOLDS).truncate(11), "one threshold"),
        (&|c| list(c, "/state/values/ever_active").clear(), "one activity"),
        (&|c| list(c, THRESHOLDS)[0] = (-1.0_f64).to_bits().into(), "negative or not finite"),
        (&|c| list(c, "/state/values/negative_rms")[3] = f64::NAN.to_bits().into(), "negative or not finite"),
        (&|c| c["header"]["n_samples"] = 7.into(), "it belongs to 7 samples"),
        (&|c| list(c, "/header/trace").truncate(1), "one record per stage"),
        (&|c| list(c, BASIS).fill(1.0_f64.to_bits().into()), "not orthonormal"),
        (&|c| c["state"]["kind"] = "and-auto".into(), "needs `and-scheduled`"),
        (&|c| c["state"]["values"] = Value::Null, "cannot be read"),
    ];
    for (change, reason) in reasons {
        let error = break_with(change);
        assert!(
            matches!(error, FitError::Checkpoint { .. }) && error.to_string().contains(reason),
            "{error}"
        );
    }
    let missing = break_with(&|c| {
        c["state"]["matrices"].as_object_mut().unwrap().remove("working");
    });
    assert!(missing.to_string().contains("no matrix `working`"), "{missing}");
    let infinite = break_with(&|c| {
        list(c, "/state/matrices/working/bits")[0] = f64::NAN.to_bits().into();
    });
    assert!(matches!(infinite, FitError::StartNotFinite { .. }));
}

#[test]
fn a_fit_stores_its_weights_once_and_its_checkpoint_includes_them() {
    let data = small(DatasetKind::Dir).generate().unwrap();
    let samples = DenseSamples::new(data.samples.view()).unwrap();
    let params = MethodParams::new(Method::Hals, 12).with_max_stages(3);
    let fit = params.check::<f64>().unwrap().fit(&samples, Start::Auto, &mut Run::new()).unwrap();
    let weights = |fit: &Fit<f64>| {
        serde_json::to_value(fit.checkpoint()).unwrap()["state"]["matrices"].get("weights").cloned()
    };
    assert_eq!(weights(&fit).unwrap()["rows"], 900);
    // The state itself has no weights: the checkpoint takes them from the fit.
    let mut without = fit;
    without.weights = None;
    assert_eq!(weights(&without), None);
}

#[test]
fn numbers_of_the_other_precision_are_refused_not_misread() {
    let data = small(DatasetKind::Dir).generate().unwrap();
    let checkpoint = run(&data, &AndParams::scheduled(12), Start::Given(data.init.clone()), 1).checkpoint();
    let text = serde_json::to_string(&checkpoint).unwrap();
    assert!(serde_json::from_str::<Checkpoint<f32>>(&text).is_err());
}
