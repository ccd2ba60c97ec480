//! Initialization of a run: leading directions, projected samples and start, or a checkpoint to resume.

use std::sync::Arc;

use ndarray::{Array2, s};

use super::averaged_projection::{Measure, averaged_projection};
use super::decoded::{Evaluator, Workspace};
use super::engine::AutoEngine;
use super::outliers::{Prepared, project_without_outliers, without};
use super::projected::{Directions, SampleProjection, directions};
use super::search::Search;
use super::state::{AutoProgress, AutoState, SearchSide};
use crate::and::{And, AndParams, AndState};
use crate::constants::Constants;
use crate::fit::{
    Checkpoint, ExpectedShape, Header, MethodState, ResolvedStart, Run, Start, StartComponents, StopMonitor,
    StopReason, Warning, Workers, invalid_checkpoint,
};
use crate::linalg::product::multiply;
use crate::objective::Objective;
use crate::samples::{CancellableSamples, Samples};
use crate::{FitError, Real, SamplesError};

/// The result of the initialization.
pub(super) enum Initialized<'a, T: Real> {
    /// The run is ready for its stages.
    Ready(Box<AutoEngine<'a, T>>),
    /// The run was stopped before its first stage; the start is its result.
    Stopped(Header, AndState<T>, StopReason),
    /// All samples are zero.
    ZeroSamples(Header, AndState<T>),
}

/// Settings, threads and stop monitor of a run.
struct RunContext<'a> {
    params: &'a AndParams,
    constants: &'a Constants,
    objective: &'a Objective,
    workers: Workers,
    monitor: StopMonitor<'a>,
}

/// The original samples, and the samples scaled by the metric of the fit.
#[derive(Clone, Copy)]
pub(super) struct Scaled<'s, T: Real> {
    pub(super) samples: &'s dyn Samples<T>,
    pub(super) scaled: &'s dyn Samples<T>,
}

pub(super) fn initialize<'a, 'r: 'a, T: Real>(
    and: &'a And,
    Scaled { samples, scaled }: Scaled<'_, T>,
    start: Start<T>,
    run: &Run<'r, T>,
) -> Result<Initialized<'a, T>, FitError> {
    let (n_samples, n_features) = (samples.n_samples(), samples.n_features());
    if n_samples == 0 || n_features == 0 {
        return Err(SamplesError::Empty { n_samples, n_features }.into());
    }
    let (params, constants, objective) = (and.params(), and.constants(), and.objective());
    let workers = run.workers()?;
    let monitor = StopMonitor::new(run, params.time_limit, start.elapsed_seconds());
    let context = RunContext { params, constants, objective, workers, monitor };
    let stop = || context.monitor.reason().is_some();
    let cancellable = CancellableSamples { samples, stop: &stop };
    let given = match start {
        Start::Auto => None,
        start => {
            match start.resolve(AndParams::NAME, &cancellable, params.rank, params.seed, &context.workers)? {
                ResolvedStart::Fresh(start) => Some(start),
                // A run that was stopped before its first stage has only its start.
                ResolvedStart::Resumed(checkpoint)
                    if checkpoint.header.stages == 0 && checkpoint.holds::<AndState<T>>() =>
                {
                    let components = checkpoint_components(*checkpoint, samples, params.rank)?;
                    Some(StartComponents { components, passes: 0 })
                }
                ResolvedStart::Resumed(checkpoint) => return resume(context, scaled, *checkpoint),
            }
        }
    };
    let cancellable = CancellableSamples { samples: scaled, stop: &stop };
    let header = || Header::new(AndParams::NAME, n_samples, params.seed);
    let stopped = |given: Option<StartComponents<T>>| match given {
        Some(given) => {
            let reason = context.monitor.reason().unwrap_or(StopReason::Cancelled);
            Ok(Initialized::Stopped(header(), AndState::from_components(given.components), reason))
        }
        None => Err(FitError::StoppedBeforeStart),
    };
    let leading = match context
        .workers
        .run(|| directions(&cancellable, params.rank, params.seed, &constants.projection))
    {
        Err(FitError::Samples(SamplesError::Cancelled)) => return stopped(given),
        other => other?,
    };
    if leading.basis.nrows() == 0 {
        let zeros = AndState::from_components(Array2::zeros((params.rank, n_features)));
        return Ok(Initialized::ZeroSamples(Header { passes: leading.passes, ..header() }, zeros));
    }
    let prepared = context
        .workers
        .run(|| project_without_outliers(&cancellable, leading, (params.rank, params.seed), constants));
    let prepared = match prepared {
        Err(FitError::Samples(SamplesError::Cancelled)) => return stopped(given),
        other => other?,
    };
    fresh_run(context, n_samples, given, prepared).map(|engine| Initialized::Ready(Box::new(engine)))
}

fn fresh_run<'a, T: Real>(
    context: RunContext<'a>,
    n_samples: usize,
    given: Option<StartComponents<T>>,
    prepared: Prepared<T>,
) -> Result<AutoEngine<'a, T>, FitError> {
    let Prepared { leading, projection, set_aside, passes: further } = prepared;
    let Directions { basis, spare, spectrum, passes } = leading;
    let (params, constants, rank) = (context.params, context.constants, basis.nrows());
    let projected = &projection.projected;
    let evaluator = Evaluator {
        projected,
        constants,
        workers: &context.workers,
        monitor: &context.monitor,
        workspace: Workspace::default(),
    };
    let mut passes = passes + further;
    let (search, start) = match given {
        Some(mut given) => {
            passes += given.passes;
            context.objective.metric.scale(&mut given.components);
            let mut inside = multiply(given.components.view(), basis.t());
            inside.mapv_inplace(|v| T::from_f64(v.as_f64() / spectrum.unit));
            if rank < params.rank {
                // More components than dimensions: select the most different ones.
                inside = averaged_projection(inside.view(), Measure::Plain, rank, &constants.start);
            }
            (Search::from_given(), inside)
        }
        None => Search::from_data(&evaluator, rank),
    };
    let mut working = Array2::zeros((params.rank, rank));
    working.slice_mut(s![..start.nrows(), ..]).assign(&start);
    let mut warnings = Vec::new();
    if rank < params.rank {
        warnings.push(Warning::Unused { components: (rank..params.rank).collect() });
    }
    let progress = AutoProgress {
        spectrum,
        search,
        side: SearchSide::Samples,
        thresholds: Vec::new(),
        ever_active: vec![false; params.rank],
    };
    let header = Header { passes, warnings, ..Header::new(AndParams::NAME, n_samples, params.seed) };
    let RunContext { params, constants, objective, workers, monitor } = context;
    let state =
        AutoState { working, basis, spare, progress, objective: Arc::new(objective.clone()), set_aside };
    Ok(AutoEngine::new((params, constants), workers, monitor, (header, state), projection))
}

fn resume<'a, T: Real>(
    context: RunContext<'a>,
    samples: &dyn Samples<T>,
    checkpoint: Checkpoint<T>,
) -> Result<Initialized<'a, T>, FitError> {
    let (header, state) = checkpoint.into_state::<AutoState<T>>()?;
    let (n_samples, n_features) = (samples.n_samples(), samples.n_features());
    state.check(&ExpectedShape { n_samples, n_features, rank: context.params.rank }, header.stages)?;
    if *state.objective != *context.objective {
        return Err(invalid_checkpoint("it belongs to a run with another objective"));
    }
    let AutoState { basis, spare, progress, .. } = &state;
    // This pass cannot be cancelled: without it, the state could not be returned.
    let kept = without(samples, &state.set_aside);
    let samples = kept.as_ref().map_or(samples, |kept| kept as &dyn Samples<T>);
    let projection = context.workers.run(|| {
        SampleProjection::new(samples, basis, spare, &progress.spectrum, &context.constants.projection)
    })?;
    let RunContext { params, constants, workers, monitor, .. } = context;
    Ok(Initialized::Ready(Box::new(AutoEngine::new(
        (params, constants),
        workers,
        monitor,
        (header, state),
        projection,
    ))))
}

/// The components of a checkpoint of AND, with explicit or automatic thresholds, if it fits the samples.
pub(crate) fn checkpoint_components<T: Real>(
    checkpoint: Checkpoint<T>,
    samples: &dyn Samples<T>,
    rank: usize,
) -> Result<Array2<T>, FitError> {
    let (n_samples, n_features) = (samples.n_samples(), samples.n_features());
    let shape = ExpectedShape { n_samples, n_features, rank };
    if checkpoint.holds::<AutoState<T>>() {
        let (header, state) = checkpoint.into_state::<AutoState<T>>()?;
        state.check(&shape, header.stages)?;
        return Ok(state.components());
    }
    let (header, state) = checkpoint.into_state::<AndState<T>>()?;
    state.check(&shape, header.stages)?;
    Ok(state.components())
}
