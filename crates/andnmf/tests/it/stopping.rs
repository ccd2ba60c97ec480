//! Why a run stops, and what it still returns then.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use andnmf::and::{AndParams, Batch, Compress, Schedule};
use andnmf::fit::{Run, Solver, StageView, Start, StopReason};
use andnmf::samples::{Block, DenseSamples, Samples};
use andnmf::synth::DatasetKind;
use andnmf::{FitError, SamplesError};

use crate::common::{fit, small};

#[test]
fn a_constant_threshold_converges_and_says_so() {
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
fn the_time_limit_ends_a_run_with_what_it_has() {
    let data = small(DatasetKind::Dir).generate().unwrap();
    let done = fit(&data, AndParams { time_limit: Some(0.0), ..AndParams::scheduled(12) });
    assert_eq!((done.stop, done.stages), (StopReason::TimeLimit, 0));
    assert_eq!(done.components, data.init, "no stage, no change");
    assert!(done.warnings.is_empty(), "nothing was tried, so nothing is to be reported");
}

#[test]
fn a_run_that_goes_on_has_all_of_its_time_limit() {
    let data = small(DatasetKind::Dir).generate().unwrap();
    let samples = DenseSamples::new(data.samples.view()).unwrap();
    let stages = |max_stages| AndParams { max_stages, time_limit: Some(1e3), ..AndParams::scheduled(12) };
    let mut checkpoint = fit(&data, stages(3)).checkpoint();
    checkpoint.header.seconds = 1e4;
    let and = stages(5).check().unwrap();
    let done = and.fit(&samples, Start::Resume(Box::new(checkpoint)), &mut Run::new()).unwrap();
    assert_eq!((done.stop, done.stages), (StopReason::MaxStages, 5));
    assert!(done.seconds > 1e4, "the seconds of both parts");
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

/// Samples that set a flag when a given number of blocks has been read, and count further reads.
struct Tripwire<'a> {
    samples: DenseSamples<'a, f64>,
    flag: &'a AtomicBool,
    left: std::sync::atomic::AtomicUsize,
}

impl Samples<f64> for Tripwire<'_> {
    fn n_samples(&self) -> usize {
        self.samples.n_samples()
    }

    fn n_features(&self) -> usize {
        self.samples.n_features()
    }

    fn block(&self, rows: std::ops::Range<usize>) -> Result<Block<'_, f64>, SamplesError> {
        if self.left.fetch_sub(1, Ordering::Relaxed) == 1 {
            self.flag.store(true, Ordering::Relaxed);
        }
        self.samples.block(rows)
    }
}

#[test]
fn a_flag_stops_in_the_middle_of_a_stage_and_keeps_the_last_whole_one() {
    let data = small(DatasetKind::Dir).generate().unwrap();
    for batch in [Batch::All, Batch::Size(1)] {
        let flag = AtomicBool::new(false);
        let samples = Tripwire {
            samples: DenseSamples::new(data.samples.view()).unwrap(),
            flag: &flag,
            left: if batch == Batch::All { 10.into() } else { 2000.into() },
        };
        let params = AndParams { batch, compress: Compress::Off, ..AndParams::scheduled(12) };
        let stopped = params
            .clone()
            .check()
            .unwrap()
            .fit(&samples, Start::Given(data.init.clone()), &mut Run::new().cancel_with(&flag))
            .unwrap();
        assert_eq!(stopped.stop, StopReason::Cancelled);
        // The flag goes up in the middle of the third stage, which is then left.
        assert_eq!(stopped.stages, 2, "{batch:?}");
        let same = fit(&data, AndParams { max_stages: stopped.stages, ..params });
        assert_eq!(stopped.components, same.components);
    }
}

#[test]
fn a_flag_that_is_up_from_the_beginning_stops_at_once() {
    let data = small(DatasetKind::Dir).generate().unwrap();
    let up = AtomicBool::new(true);
    let fit = |start, batch, compress| {
        let samples = Tripwire {
            samples: DenseSamples::new(data.samples.view()).unwrap(),
            flag: &up,
            left: usize::MAX.into(),
        };
        let and = AndParams { batch, compress, ..AndParams::scheduled(12) }.check().unwrap();
        let result = and.fit(&samples, start, &mut Run::new().cancel_with(&up));
        assert_eq!(samples.left.load(Ordering::Relaxed), usize::MAX, "no block is read");
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
fn a_threshold_without_floor_converges_once_it_is_as_good_as_zero() {
    let mut data = small(DatasetKind::Binary).generate().unwrap();
    data.init = data.truth.clone(); // nothing moves from here: the threshold alone decides
    let threshold = Schedule::Geometric { start: 0.25, ratio: 10.0, floor: None };
    let done = fit(&data, AndParams { threshold: threshold.into(), ..AndParams::scheduled(12) });
    assert_eq!(done.stop, StopReason::Converged);
    assert!((14..20).contains(&done.stages) && done.thresholds[0] < 1e-14, "{}", done.stages);
}

#[test]
fn observers_are_off_the_clock() {
    let data = small(DatasetKind::Dir).generate().unwrap();
    let samples = DenseSamples::new(data.samples.view()).unwrap();
    let mut slow = |_: &StageView<'_, f64>| {
        std::thread::sleep(Duration::from_millis(100));
        ControlFlow::Continue(())
    };
    let and = AndParams { max_stages: 10, ..AndParams::scheduled(12) }.check().unwrap();
    let begin = Instant::now();
    let done = and.fit(&samples, Start::Given(data.init), &mut Run::new().observe(&mut slow)).unwrap();
    assert!(begin.elapsed().as_secs_f64() - done.seconds > 0.9, "a second was spent in the observer");
}

#[test]
fn a_source_that_fails_ends_the_run_with_its_error() {
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
