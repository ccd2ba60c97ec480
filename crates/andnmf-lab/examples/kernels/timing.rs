//! Timing. The shortest of several runs counts, since disturbances only add time.

use std::error::Error;
use std::ops::ControlFlow;
use std::time::Instant;

use andnmf::Real;
use andnmf::and::{AndParams, Compress, Schedule};
use andnmf::fit::{Run, Solver, StageView, Start};
use andnmf::samples::Samples;
use ndarray::Array2;

/// Runs are repeated for this many seconds,
const SECONDS: f64 = 1.0;
/// but at least and at most this many times.
const FEWEST: usize = 4;
const MOST: usize = 300;

/// A threshold that most weights exceed, but large enough to matter in single precision.
pub(crate) const MOST_PASS: f64 = 1e-6;

/// The shortest time of `work`.
pub(crate) fn shortest<R>(mut work: impl FnMut() -> R) -> f64 {
    let (started, mut shortest, mut runs) = (Instant::now(), f64::INFINITY, 0);
    while runs < FEWEST || (runs < MOST && started.elapsed().as_secs_f64() < SECONDS) {
        let started = Instant::now();
        let result = std::hint::black_box(work());
        shortest = shortest.min(started.elapsed().as_secs_f64());
        drop(result);
        runs += 1;
    }
    shortest
}

/// The time of a stage.
pub(crate) struct StageTiming {
    /// The shortest of several.
    pub(crate) seconds: f64,
    /// Share of decoded weights above the threshold, in the last stage.
    pub(crate) active: f64,
}

/// Times exact stages without compression, with a nearly constant threshold, on `threads` threads (all if `None`).
pub(crate) fn shortest_stage<T: Real>(
    samples: &dyn Samples<T>,
    start: &Array2<T>,
    threshold: f64,
    threads: Option<usize>,
) -> Result<StageTiming, Box<dyn Error>> {
    let params = AndParams {
        // With a constant threshold, the run would converge too early.
        threshold: Schedule::Geometric { start: threshold, ratio: 1.0001, floor: None }.into(),
        compress: Compress::Off,
        max_stages: MOST,
        tolerance: 0.0,
        ..AndParams::new(start.nrows())
    };
    let (mut timing, mut before, started) =
        (StageTiming { seconds: f64::INFINITY, active: 0.0 }, None, Instant::now());
    let mut observe = |view: &StageView<'_, T>| {
        // The first stage includes the setup of the run.
        if let Some(before) = before.replace(view.record.seconds) {
            timing.seconds = timing.seconds.min(view.record.seconds - before);
        }
        timing.active = view.record.active_fraction;
        let enough = view.record.stage >= FEWEST && started.elapsed().as_secs_f64() > SECONDS;
        if enough { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let run = Run::new().observe(&mut observe);
    let mut run = if let Some(threads) = threads { run.threads(threads) } else { run };
    params.check()?.fit(samples, Start::Given(start.clone()), &mut run)?;
    if timing.seconds.is_finite() {
        Ok(timing)
    } else {
        Err("the run ended before a stage could be timed".into())
    }
}
