//! How a run begins: its directions, its projected samples and its start, or a checkpoint.

use ndarray::{Array2, s};

use super::averaged_projection::{Measure, averaged_projection};
use super::decoded::{Bench, Room};
use super::engine::Engine;
use super::projected::{Directions, Projection, directions};
use super::search::Search;
use super::state::{AutoState, Side};
use crate::and::AndParams;
use crate::fit::{Beginning, Checkpoint, Found, Method, Run, Start, StopReason, Warning, Watch, Workers};
use crate::linalg::product::multiply;
use crate::samples::{Samples, Watched};
use crate::{FitError, Real, SamplesError};

/// How a run begins.
pub(super) enum Begun<'a, T: Real> {
    /// With stages to do.
    Stages(Box<Engine<'a, T>>),
    /// It has to stop before the first stage, with no more than the start.
    Stopped(Box<Checkpoint<T>>, StopReason),
    /// The samples are all zero.
    Nothing(Box<Checkpoint<T>>),
}

/// The surroundings of a run.
struct Place<'a> {
    params: &'a AndParams,
    workers: Workers,
    watch: Watch<'a>,
}

pub(super) fn begin<'a, 'r: 'a, T: Real>(
    params: &'a AndParams,
    samples: &dyn Samples<T>,
    start: Start<T>,
    run: &Run<'r, T>,
) -> Result<Begun<'a, T>, FitError> {
    let (n_samples, n_features) = (samples.n_samples(), samples.n_features());
    if n_samples == 0 || n_features == 0 {
        return Err(SamplesError::Empty { n_samples, n_features }.into());
    }
    let workers = run.workers()?;
    let watch = Watch::new(run, params.time_limit, start.seconds_before());
    let place = Place { params, workers, watch };
    let stop = || place.watch.reason().is_some();
    let watched = Watched { samples, stop: &stop };
    let given = match start {
        Start::Auto => None,
        start => match start.begin(Method::And, &watched, params.rank, params.seed, &place.workers)? {
            Beginning::Fresh(found) => Some(found),
            Beginning::Resumed(state) if state.auto.is_some() => return resume(place, samples, *state),
            Beginning::Resumed(state) if state.stages > 0 => {
                let reason = "it belongs to a run with a threshold schedule".into();
                return Err(FitError::Checkpoint { reason });
            }
            // A run that was stopped before its first stage has nothing but its start.
            Beginning::Resumed(state) => Some(Found { components: state.components(), passes: 0 }),
        },
    };
    let fresh = |working| Checkpoint::fresh(Method::And, n_samples, working, params.seed);
    let called_off = |given: Option<Found<T>>| match given {
        Some(given) => {
            let reason = place.watch.reason().unwrap_or(StopReason::Cancelled);
            Ok(Begun::Stopped(Box::new(fresh(given.components)), reason))
        }
        None => Err(FitError::StoppedBeforeStart),
    };
    let found = match place.workers.run(|| directions(&watched, params.rank, params.seed)) {
        Err(FitError::Samples(SamplesError::CalledOff)) => return called_off(given),
        other => other?,
    };
    if found.basis.nrows() == 0 {
        let nothing = fresh(Array2::zeros((params.rank, n_features)));
        return Ok(Begun::Nothing(Box::new(Checkpoint { passes: found.passes, ..nothing })));
    }
    let projection = place.workers.run(|| {
        let Directions { basis, spare, spectrum, .. } = &found;
        Projection::new(&watched, basis, spare, spectrum)
    });
    let projection = match projection {
        Err(FitError::Samples(SamplesError::CalledOff)) => return called_off(given),
        other => other?,
    };
    fresh_run(place, found, given, projection).map(|engine| Begun::Stages(Box::new(engine)))
}

fn fresh_run<'a, T: Real>(
    place: Place<'a>,
    found: Directions<T>,
    given: Option<Found<T>>,
    projection: Projection<T>,
) -> Result<Engine<'a, T>, FitError> {
    let Directions { basis, spare, spectrum, passes } = found;
    let (params, rank) = (place.params, basis.nrows());
    let projected = &projection.projected;
    let bench = Bench { projected, workers: &place.workers, watch: &place.watch, room: Room::default() };
    let mut passes = passes + 1;
    let (search, start) = match given {
        Some(given) => {
            passes += given.passes;
            let mut inside = multiply(given.components.view(), basis.t());
            inside.mapv_inplace(|v| T::from_f64(v.as_f64() / spectrum.unit));
            if rank < params.rank {
                // More components than the samples have room for: as many as are most unlike each other.
                inside = averaged_projection(inside.view(), Measure::Plain, rank);
            }
            (Search::from_given(), inside)
        }
        None => Search::from_data(&bench, rank),
    };
    let mut working = Array2::zeros((params.rank, rank));
    working.slice_mut(s![..start.nrows(), ..]).assign(&start);
    let mut warnings = Vec::new();
    if rank < params.rank {
        warnings.push(Warning::Unused { components: (rank..params.rank).collect() });
    }
    let n_samples = projected.n_samples();
    let state = Checkpoint {
        basis: Some(basis),
        auto: Some(AutoState { spectrum, spare, search, side: Side::Samples }),
        passes,
        warnings,
        ever_active: vec![false; params.rank],
        ..Checkpoint::fresh(Method::And, n_samples, working, params.seed)
    };
    let Place { params, workers, watch } = place;
    Ok(Engine::new(params, workers, watch, state, projection))
}

fn resume<'a, T: Real>(
    place: Place<'a>,
    samples: &dyn Samples<T>,
    state: Checkpoint<T>,
) -> Result<Begun<'a, T>, FitError> {
    let wrong = |reason: &str| FitError::Checkpoint { reason: reason.into() };
    let (Some(basis), Some(auto)) = (&state.basis, &state.auto) else {
        return Err(wrong("it has no basis"));
    };
    let spectrum = &auto.spectrum;
    let positive = |v: &f64| *v > 0.0 && v.is_finite();
    if !positive(&spectrum.unit)
        || !spectrum.values.iter().all(positive)
        || spectrum.noise.is_nan()
        || spectrum.noise < 0.0
    {
        return Err(wrong("its singular values, unit or noise are no positive numbers"));
    }
    let rank = place.params.rank;
    if basis.nrows() > rank || (state.stages > 0 && state.thresholds.len() != rank) {
        return Err(wrong("it does not have one threshold per component"));
    }
    if !auto.fits(basis.nrows()) || auto.spare.ncols() != basis.ncols() {
        return Err(wrong("its parts do not belong to its basis"));
    }
    // Without this one pass the state could not even be returned: it is not called off.
    let projection = place.workers.run(|| Projection::new(samples, basis, &auto.spare, spectrum))?;
    let Place { params, workers, watch } = place;
    Ok(Begun::Stages(Box::new(Engine::new(params, workers, watch, state, projection))))
}
