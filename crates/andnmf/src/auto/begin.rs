//! How a run begins: its directions, its projected samples and its start, or a checkpoint.

use std::sync::Arc;

use ndarray::{Array2, s};

use super::averaged_projection::{Measure, averaged_projection};
use super::decoded::{Evaluator, Workspace};
use super::engine::Engine;
use super::projected::{Directions, Projection, directions};
use super::search::Search;
use super::state::{AutoState, Progress, Side};
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

/// How a run begins.
pub(super) enum Begun<'a, T: Real> {
    /// With stages to do.
    Stages(Box<Engine<'a, T>>),
    /// It has to stop before the first stage, with no more than the start.
    Stopped(Header, AndState<T>, StopReason),
    /// The samples are all zero.
    Nothing(Header, AndState<T>),
}

/// The surroundings of a run.
struct Place<'a> {
    params: &'a AndParams,
    constants: &'a Constants,
    objective: &'a Objective,
    workers: Workers,
    monitor: StopMonitor<'a>,
}

/// Samples as they are, and as the metric of the fit scales them.
#[derive(Clone, Copy)]
pub(super) struct Scaled<'s, T: Real> {
    pub(super) samples: &'s dyn Samples<T>,
    pub(super) scaled: &'s dyn Samples<T>,
}

pub(super) fn begin<'a, 'r: 'a, T: Real>(
    and: &'a And,
    Scaled { samples, scaled }: Scaled<'_, T>,
    start: Start<T>,
    run: &Run<'r, T>,
) -> Result<Begun<'a, T>, FitError> {
    let (n_samples, n_features) = (samples.n_samples(), samples.n_features());
    if n_samples == 0 || n_features == 0 {
        return Err(SamplesError::Empty { n_samples, n_features }.into());
    }
    let (params, constants, objective) = (and.params(), and.constants(), and.objective());
    let workers = run.workers()?;
    let monitor = StopMonitor::new(run, params.time_limit, start.elapsed_seconds());
    let place = Place { params, constants, objective, workers, monitor };
    let stop = || place.monitor.reason().is_some();
    let watched = CancellableSamples { samples, stop: &stop };
    let given = match start {
        Start::Auto => None,
        start => match start.resolve(AndParams::NAME, &watched, params.rank, params.seed, &place.workers)? {
            ResolvedStart::Fresh(found) => Some(found),
            // A run that was stopped before its first stage has nothing but its start.
            ResolvedStart::Resumed(checkpoint)
                if checkpoint.header.stages == 0 && checkpoint.holds::<AndState<T>>() =>
            {
                let components = checkpoint_components(*checkpoint, samples, params.rank)?;
                Some(StartComponents { components, passes: 0 })
            }
            ResolvedStart::Resumed(checkpoint) => return resume(place, scaled, *checkpoint),
        },
    };
    let watched = CancellableSamples { samples: scaled, stop: &stop };
    let header = || Header::new(AndParams::NAME, n_samples, params.seed);
    let called_off = |given: Option<StartComponents<T>>| match given {
        Some(given) => {
            let reason = place.monitor.reason().unwrap_or(StopReason::Cancelled);
            Ok(Begun::Stopped(header(), AndState::from_components(given.components), reason))
        }
        None => Err(FitError::StoppedBeforeStart),
    };
    let found =
        match place.workers.run(|| directions(&watched, params.rank, params.seed, &constants.projection)) {
            Err(FitError::Samples(SamplesError::Cancelled)) => return called_off(given),
            other => other?,
        };
    if found.basis.nrows() == 0 {
        let nothing = AndState::from_components(Array2::zeros((params.rank, n_features)));
        return Ok(Begun::Nothing(Header { passes: found.passes, ..header() }, nothing));
    }
    let projection = place.workers.run(|| {
        let Directions { basis, spare, spectrum, .. } = &found;
        Projection::new(&watched, basis, spare, spectrum, &constants.projection)
    });
    let projection = match projection {
        Err(FitError::Samples(SamplesError::Cancelled)) => return called_off(given),
        other => other?,
    };
    fresh_run(place, found, given, projection).map(|engine| Begun::Stages(Box::new(engine)))
}

fn fresh_run<'a, T: Real>(
    place: Place<'a>,
    found: Directions<T>,
    given: Option<StartComponents<T>>,
    projection: Projection<T>,
) -> Result<Engine<'a, T>, FitError> {
    let Directions { basis, spare, spectrum, passes } = found;
    let (params, constants, rank) = (place.params, place.constants, basis.nrows());
    let projected = &projection.projected;
    let evaluator = Evaluator {
        projected,
        constants,
        workers: &place.workers,
        monitor: &place.monitor,
        room: Workspace::default(),
    };
    let mut passes = passes + 1;
    let (search, start) = match given {
        Some(mut given) => {
            passes += given.passes;
            place.objective.metric.scale(&mut given.components);
            let mut inside = multiply(given.components.view(), basis.t());
            inside.mapv_inplace(|v| T::from_f64(v.as_f64() / spectrum.unit));
            if rank < params.rank {
                // More components than the samples have room for: as many as are most unlike each other.
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
    let n_samples = projected.n_samples();
    let progress = Progress {
        spectrum,
        search,
        side: Side::Samples,
        thresholds: Vec::new(),
        ever_active: vec![false; params.rank],
    };
    let header = Header { passes, warnings, ..Header::new(AndParams::NAME, n_samples, params.seed) };
    let Place { params, constants, objective, workers, monitor } = place;
    let state = AutoState { working, basis, spare, progress, objective: Arc::new(objective.clone()) };
    Ok(Engine::new((params, constants), workers, monitor, (header, state), projection))
}

fn resume<'a, T: Real>(
    place: Place<'a>,
    samples: &dyn Samples<T>,
    checkpoint: Checkpoint<T>,
) -> Result<Begun<'a, T>, FitError> {
    let (header, state) = checkpoint.into_state::<AutoState<T>>()?;
    let (n_samples, n_features) = (samples.n_samples(), samples.n_features());
    state.check(&ExpectedShape { n_samples, n_features, rank: place.params.rank }, header.stages)?;
    if *state.objective != *place.objective {
        return Err(invalid_checkpoint("it belongs to a run with another objective"));
    }
    let AutoState { basis, spare, progress, .. } = &state;
    // Without this one pass the state could not even be returned: it is not called off.
    let projection = place
        .workers
        .run(|| Projection::new(samples, basis, spare, &progress.spectrum, &place.constants.projection))?;
    let Place { params, constants, workers, monitor, .. } = place;
    Ok(Begun::Stages(Box::new(Engine::new(
        (params, constants),
        workers,
        monitor,
        (header, state),
        projection,
    ))))
}

/// The components of a checkpoint of AND, with a schedule or without, if it fits the samples.
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
