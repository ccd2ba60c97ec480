//! The reasons why a run stops, and what it returns.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use andnmf::and::{AndParams, Batch, Compress, Schedule};
use andnmf::fit::{Run, Solver, StageView, Start, StopReason};
use andnmf::samples::{Block, DenseSamples, Samples};
use andnmf::synth::DatasetKind;
use andnmf::{FitError, SamplesError};

use crate::common::{CancelAfterReads, fit, small};

#[test]
fn a_constant_threshold_converges_and_reports_it() {
    let data = small(DatasetKind::Binary).generate().unwrap();
    let done =
        fit(&data, AndParams { threshold: Schedule::Constant(0.25).into(), ..AndParams::scheduled(12) });
    assert_eq!(done.stop, StopReason::Converged);
    assert!(done.stages < 200 && done.trace.last().unwrap().change <= 1e-12);
}

#[test]
fn a_falling_threshold_runs_all_stages() {
    let data = small(DatasetKind::Dir).generate().unwrap();
    let done = fit(&data, AndParams { max_stages: 30, ..AndParams::scheduled(12) });
    assert_eq!((done.stop, done.stages, done.trace.len()), (StopReason::MaxStages, 30, 30));
}

#[test]
fn the_time_limit_ends_a_run_with_its_last_components() {
    let data = small(DatasetKind::Dir).generate().unwrap();
    let done = fit(&data, AndParams { time_limit: Some(0.0), ..AndParams::scheduled(12) });
    assert_eq!((done.stop, done.stages), (StopReason::TimeLimit, 0));
    assert_eq!(done.components, data.init, "no stage, no change");
    assert!(done.warnings.is_empty(), "without a stage there is nothing to warn about");
}

#[test]
fn a_resumed_run_gets_its_full_time_limit() {
    let data = small(DatasetKind::Dir).generate().unwrap();
    let samples = DenseSamples::new(data.samples.view()).unwrap();
    let stages = |max_stages| AndParams { max_stages, time_limit: Some(1e3), ..AndParams::scheduled(12) };
    let mut checkpoint = fit(&data, stages(3)).checkpoint();
    checkpoint.header.seconds = 1e4;
    let and = stages(5).check().unwrap();
    let done = and.fit(&samples, Start::Resume(Box::new(checkpoint)), &mut Run::new()).unwrap();
    assert_eq!((done.stop, done.stages), (StopReason::MaxStages, 5));
    assert!(done.seconds > 1e4, "the seconds of both parts add up");
}

#[test]
fn an_observer_that_breaks_cancels_after_its_stage() {
    let data = small(DatasetKind::Dir).generate().unwrap();
    let samples = DenseSamples::new(data.samples.view()).unwrap();
    let mut observer = |view: &StageView<'_, f64>| match view.record.stage {
        4 => ControlFlow::Break(()),
        _ => ControlFlow::Continue(()),
    };
    let and = AndParams::scheduled(12).check().unwrap();
    let done = and.fit(&samples, Start::Given(data.init), &mut Run::new().observe(&mut observer)).unwrap();
    assert_eq!((done.stop, done.stages), (StopReason::Cancelled, 5));
}

#[test]
fn a_flag_stops_in_the_middle_of_a_stage_and_keeps_the_last_whole_one() {
    let data = small(DatasetKind::Dir).generate().unwrap();
    for batch in [Batch::All, Batch::Size(1)] {
        let flag = AtomicBool::new(false);
        let samples = CancelAfterReads {
            samples: DenseSamples::new(data.samples.view()).unwrap(),
            flag: &flag,
            reads_left: if batch == Batch::All { 10.into() } else { 2000.into() },
        };
        let params = AndParams { batch, compress: Compress::Off, ..AndParams::scheduled(12) };
        let stopped = params
            .clone()
            .check()
            .unwrap()
            .fit(&samples, Start::Given(data.init.clone()), &mut Run::new().cancel_with(&flag))
            .unwrap();
        assert_eq!(stopped.stop, StopReason::Cancelled);
        // The flag is set in the middle of the third stage, which is then discarded.
        assert_eq!(stopped.stages, 2, "{batch:?}");
        let same = fit(&data, AndParams { max_stages: stopped.stages, ..params });
        assert_eq!(stopped.components, same.components);
    }
}

#[test]
fn a_flag_that_is_set_at_the_start_stops_at_once() {
    let data = small(DatasetKind::Dir).generate().unwrap();
    let set = AtomicBool::new(true);
    let fit = |start, batch, compress| {
        let samples = CancelAfterReads {
            samples: DenseSamples::new(data.samples.view()).unwrap(),
            flag: &set,
            reads_left: usize::MAX.into(),
        };
        let and = AndParams { batch, compress, ..AndParams::scheduled(12) }.check().unwrap();
        let result = and.fit(&samples, start, &mut Run::new().cancel_with(&set));
        assert_eq!(samples.reads_left.load(Ordering::Relaxed), usize::MAX, "no block is read");
        result
    };
    for compress in [Compress::Auto, Compress::Off, Compress::Leading(20)] {
        for batch in [Batch::All, Batch::Size(3)] {
            let done = fit(Start::Given(data.init.clone()), batch, compress).unwrap();
            assert_eq!((done.stop, done.stages, &done.components), (StopReason::Cancelled, 0, &data.init));
        }
        for start in [Start::SuccessiveProjection, Start::RandomSamples] {
            let error = fit(start, Batch::All, compress).unwrap_err();
            assert_eq!(error, FitError::StoppedBeforeStart);
        }
    }
}

#[test]
fn a_threshold_without_floor_converges_once_it_is_practically_zero() {
    let mut data = small(DatasetKind::Binary).generate().unwrap();
    data.init = data.truth.clone(); // components do not change: the threshold alone decides
    let threshold = Schedule::Geometric { start: 0.25, ratio: 10.0, floor: None };
    let done = fit(&data, AndParams { threshold: threshold.into(), ..AndParams::scheduled(12) });
    assert_eq!(done.stop, StopReason::Converged);
    assert!((14..20).contains(&done.stages) && done.thresholds[0] < 1e-14, "{}", done.stages);
}

#[test]
fn time_in_observers_does_not_count() {
    let data = small(DatasetKind::Dir).generate().unwrap();
    let samples = DenseSamples::new(data.samples.view()).unwrap();
    let mut slow = |_: &StageView<'_, f64>| {
        std::thread::sleep(Duration::from_millis(100));
        ControlFlow::Continue(())
    };
    let and = AndParams { max_stages: 10, ..AndParams::scheduled(12) }.check().unwrap();
    let started = Instant::now();
    let done = and.fit(&samples, Start::Given(data.init), &mut Run::new().observe(&mut slow)).unwrap();
    assert!(started.elapsed().as_secs_f64() - done.seconds > 0.9, "a second was spent in the observer");
}

#[test]
fn a_read_error_ends_the_run_with_that_error() {
    struct Failing;
    impl Samples<f64> for Failing {
        fn n_samples(&self) -> usize {
            10
        }
        fn n_features(&self) -> usize {
            4
        }
        fn block(&self, rows: std::ops::Range<usize>) -> Result<Block<'_, f64>, SamplesError> {
            let (first, last) = (rows.start, rows.end - 1);
            Err(SamplesError::Read { first, last, reason: "the disk is gone".into() })
        }
    }
    let and = AndParams::scheduled(2).check().unwrap();
    for start in
        [Start::Given(ndarray::Array2::ones((2, 4))), Start::RandomSamples, Start::SuccessiveProjection]
    {
        let error = and.fit(&Failing, start, &mut Run::new()).unwrap_err();
        assert!(error.to_string().contains("the disk is gone"), "{error}");
    }
}
