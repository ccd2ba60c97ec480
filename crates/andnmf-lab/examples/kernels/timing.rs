//! Times: always the shortest of several, since everything else on the machine only adds to them.

use std::error::Error;
use std::ops::ControlFlow;
use std::time::Instant;

use andnmf::Real;
use andnmf::and::{AndParams, Compress, Schedule};
use andnmf::fit::{Run, Solver, StageView, Start};
use andnmf::samples::Samples;
use ndarray::Array2;

/// Runs are repeated for so many seconds…
const SECONDS: f64 = 1.0;
/// …but at least and at most so many times.
const FEWEST: usize = 4;
const MOST: usize = 300;

/// A threshold so low that most weights pass, and yet not so low beside them that it counts as none in single precision.
pub(crate) const MOST_PASS: f64 = 1e-6;

/// The shortest time that `work` takes.
pub(crate) fn shortest<R>(mut work: impl FnMut() -> R) -> f64 {
    let (begun, mut shortest, mut runs) = (Instant::now(), f64::INFINITY, 0);
    while runs < FEWEST || (runs < MOST && begun.elapsed().as_secs_f64() < SECONDS) {
        let begin = Instant::now();
        let result = std::hint::black_box(work());
        shortest = shortest.min(begin.elapsed().as_secs_f64());
        drop(result);
        runs += 1;
    }
    shortest
}

/// What a stage took.
pub(crate) struct Stage {
    /// Shortest of several.
    pub(crate) seconds: f64,
    /// Share of decoded weights that passed the threshold, in the last one.
    pub(crate) active: f64,
}

/// Times exact stages in the space of the samples, with a threshold that hardly falls, on so many threads (all, by default).
pub(crate) fn shortest_stage<T: Real>(
    samples: &dyn Samples<T>,
    start: &Array2<T>,
    threshold: f64,
    threads: Option<usize>,
) -> Result<Stage, Box<dyn Error>> {
    let params = AndParams {
        // A threshold that stood still would let the run converge before there are stages enough.
        threshold: Schedule::Geometric { start: threshold, ratio: 1.0001, floor: None }.into(),
        compress: Compress::Off,
        max_stages: MOST,
        tolerance: 0.0,
        ..AndParams::new(start.nrows())
    };
    let (mut found, mut before, begun) =
        (Stage { seconds: f64::INFINITY, active: 0.0 }, None, Instant::now());
    let mut watch = |view: &StageView<'_, T>| {
        // The first stage has the beginning of the run in it.
        if let Some(before) = before.replace(view.record.seconds) {
            found.seconds = found.seconds.min(view.record.seconds - before);
        }
        found.active = view.record.active_fraction;
        let enough = view.record.stage >= FEWEST && begun.elapsed().as_secs_f64() > SECONDS;
        if enough { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let run = Run::new().observe(&mut watch);
    let mut run = if let Some(threads) = threads { run.threads(threads) } else { run };
    params.check()?.fit(samples, Start::Given(start.clone()), &mut run)?;
    if found.seconds.is_finite() {
        Ok(found)
    } else {
        Err("the run ended before a stage could be timed".into())
    }
}
