//! The values that a fit reports about itself: passes, compression, trace, warnings.

use std::ops::ControlFlow;

use andnmf::and::{AndParams, Batch, Compress, Schedule, Step, StepsPerStage, ThresholdParams};
use andnmf::fit::{Run, Solver, StageView, Start, Warning};
use andnmf::samples::DenseSamples;
use andnmf::synth::{DatasetKind, DatasetSpec};

use crate::common::{distance, fit, small};

#[test]
fn passes_over_the_full_data_are_counted() {
    let data = small(DatasetKind::Dir).generate().unwrap();
    let base = AndParams { max_stages: 8, compress: Compress::Off, ..AndParams::scheduled(12) };
    assert_eq!(fit(&data, base.clone()).passes, 8);
    let threshold = ThresholdParams { data_floor: Some(1.0), ..ThresholdParams::default() };
    let floored = AndParams { threshold: threshold.into(), ..base };
    assert_eq!(fit(&data, floored).passes, 9, "one extra pass for the floor");
    let lossless = fit(&data, AndParams { compress: Compress::Lossless, ..base.clone() });
    assert_eq!((lossless.passes, lossless.compressed_to), (2, Some(12)), "one sketch, one projection");
    let online = AndParams { batch: Batch::Size(10), ..base };
    assert_eq!(fit(&data, online.clone()).passes, 16, "the safe step needs a pass before each stage");
    let fixed = AndParams { step: Step::Value(0.01), inner: StepsPerStage::Steps(135), ..online };
    assert_eq!(fit(&data, fixed).passes, 16, "1350 of 900 samples count as two passes");
}

#[test]
fn automatic_compression_is_skipped_if_it_does_not_pay() {
    let data = small(DatasetKind::Dir).generate().unwrap();
    let auto = |stages| AndParams { max_stages: stages, ..AndParams::scheduled(12) };
    assert_eq!(fit(&data, auto(20)).compressed_to, Some(12));
    assert_eq!(fit(&data, auto(2)).compressed_to, None, "two stages are too few");
    let noisy = DatasetSpec { noise: 0.01, ..small(DatasetKind::Dir) }.generate().unwrap();
    assert_eq!(fit(&noisy, auto(20)).compressed_to, None, "noise fills all dimensions");
}

#[test]
fn a_lossy_projection_reports_what_it_discards() {
    let data = DatasetSpec { noise: 0.05, ..small(DatasetKind::Dir) }.generate().unwrap();
    let done =
        fit(&data, AndParams { compress: Compress::Leading(12), max_stages: 2, ..AndParams::scheduled(12) });
    let Some(Warning::LossyProjection { dimension: 12, discarded }) = done.warnings.first() else {
        panic!("{:?}", done.warnings)
    };
    // The noise outside of 12 of 240 directions, beside a signal of about 0.1 to 0.2.
    assert!((0.05..0.6).contains(discarded), "{discarded}");
    assert_eq!(done.compressed_to, Some(12));
}

#[test]
fn the_trace_follows_the_schedule_and_the_components() {
    let data = small(DatasetKind::Dir).generate().unwrap();
    let samples = DenseSamples::new(data.samples.view()).unwrap();
    let threshold = Schedule::Geometric { start: 0.2, ratio: 1.5, floor: Some(0.05) };
    let params = AndParams { threshold: threshold.into(), max_stages: 8, ..AndParams::scheduled(12) };
    let mut before = data.init.clone();
    let mut stages = 0;
    let mut observer = |view: &StageView<'_, f64>| {
        let expected = (0.2 / 1.5_f64.powi(view.record.stage as i32)).max(0.05);
        assert!((view.record.threshold_min.unwrap() - expected).abs() < 1e-15);
        assert!(view.thresholds.iter().all(|t| (t - expected).abs() < 1e-15));
        assert!((0.0..=1.0).contains(&view.record.active_fraction));
        let after = view.components();
        let moved = distance(after.view(), before.view());
        assert!((view.record.change - moved).abs() < 1e-9, "{} against {moved}", view.record.change);
        before = after;
        assert_eq!(view.record.stage, stages);
        stages += 1;
        ControlFlow::Continue(())
    };
    let and = params.check().unwrap();
    and.fit(&samples, Start::Given(data.init.clone()), &mut Run::new().observe(&mut observer)).unwrap();
    assert_eq!(stages, 8);
}

#[test]
fn good_fits_have_no_warnings() {
    for kind in [DatasetKind::Dir, DatasetKind::Neg, DatasetKind::Paired] {
        let done =
            fit(&small(kind).generate().unwrap(), AndParams { max_stages: 10, ..AndParams::scheduled(12) });
        assert_eq!(done.warnings, [], "{kind}");
    }
}

#[test]
fn a_component_that_was_active_once_is_not_reported_as_never_active() {
    let data = small(DatasetKind::Dir).generate().unwrap();
    let threshold = Schedule::List(vec![0.1, 1e6]);
    let done =
        fit(&data, AndParams { threshold: threshold.into(), max_stages: 2, ..AndParams::scheduled(12) });
    assert_eq!(done.trace[1].active_fraction, 0.0);
    assert_eq!(done.warnings, []);
}

#[test]
fn projecting_exact_mixtures_discards_nothing() {
    let data = small(DatasetKind::Dir).generate().unwrap();
    let done =
        fit(&data, AndParams { compress: Compress::Leading(12), max_stages: 2, ..AndParams::scheduled(12) });
    let Some(Warning::LossyProjection { discarded, .. }) = done.warnings.first() else {
        panic!("no warning")
    };
    assert!(*discarded < 1e-6, "{discarded}");
}

#[test]
fn online_and_full_stages_see_the_same_activity() {
    let data = small(DatasetKind::Dir).generate().unwrap();
    let full = AndParams { max_stages: 1, ..AndParams::scheduled(12) };
    let online = AndParams { batch: Batch::Size(7), ..full.clone() };
    let activity = |params| fit(&data, params).trace[0].active_fraction;
    assert_eq!(activity(online), activity(full));
}

#[test]
fn the_data_floor_holds_from_the_first_stage_on() {
    let data = DatasetSpec { noise: 0.1, ..small(DatasetKind::Dir) }.generate().unwrap();
    let threshold = ThresholdParams { data_floor: Some(2.0), ..Schedule::Constant(1e-9).into() };
    for batch in [Batch::All, Batch::Size(1)] {
        let params = AndParams {
            threshold: threshold.clone().into(),
            batch,
            max_stages: 1,
            ..AndParams::scheduled(12)
        };
        let done = fit(&data, params);
        assert!(done.trace[0].threshold_min.unwrap() > 1e-3, "{batch:?}: {:?}", done.thresholds);
    }
    // A stage of one sample has too few negative values, so their previous estimate is kept.
    let params = AndParams {
        threshold: threshold.into(),
        batch: Batch::Size(1),
        inner: StepsPerStage::Steps(1),
        max_stages: 20,
        ..AndParams::scheduled(12)
    };
    let done = fit(&data, params);
    assert!(done.trace.iter().all(|record| record.threshold_min.unwrap() > 1e-6), "{:?}", done.thresholds);
}
