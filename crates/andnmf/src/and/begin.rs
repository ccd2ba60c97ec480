//! How a run begins: its start and its space, or a checkpoint, checked.

use super::params::AndParams;
use crate::compression::{Chosen, Space};
use crate::fit::{Beginning, Checkpoint, Method, Start, Workers};
use crate::samples::{Samples, Watched};
use crate::{FitError, Real, SamplesError};

/// The state before the next stage, and the space for the stages. The samples are watched: where the run is to
/// stop, a start that is already there is returned as it is.
pub(super) fn begin<T: Real>(
    params: &AndParams,
    samples: &Watched<'_, T>,
    start: Start<T>,
    workers: &Workers,
) -> Result<(Space<T>, Checkpoint<T>), FitError> {
    let start = start.or(Start::SuccessiveProjection);
    let found = match start.begin(Method::And, samples, params.rank, params.seed, workers)? {
        Beginning::Resumed(state) if state.auto.is_some() => {
            let reason = "it belongs to a run with thresholds from the data".into();
            return Err(FitError::Checkpoint { reason });
        }
        Beginning::Resumed(state) => {
            check_thresholds(&state, params.rank)?;
            let space = match &state.basis {
                // Without this one pass the state could not even be returned: it is not called off.
                Some(basis) => workers.run(|| Space::with_basis(basis.clone(), samples.samples))?,
                None => Space::Original,
            };
            return Ok((space, *state));
        }
        Beginning::Fresh(found) => found,
    };
    let components = found.components;
    // A stage adds combinations of samples to combinations of components: it never leaves the span of both.
    let (compress, also) = (params.compress, components.view());
    let chosen = match workers
        .run(|| Space::choose(compress, params.max_stages, samples, also, params.rank, params.seed))
    {
        Err(FitError::Samples(SamplesError::CalledOff)) => Chosen::original(),
        other => other?,
    };
    let working = chosen.space.enter(&components);
    let state = Checkpoint {
        basis: chosen.space.basis().cloned(),
        ever_active: vec![false; params.rank],
        passes: found.passes + chosen.passes,
        warnings: chosen.warning.into_iter().collect(),
        ..Checkpoint::fresh(Method::And, samples.n_samples(), working, params.seed)
    };
    Ok((chosen.space, state))
}

/// The part of a checkpoint that only AND has.
fn check_thresholds<T: Real>(state: &Checkpoint<T>, rank: usize) -> Result<(), FitError> {
    let wrong = |reason: &str| Err(FitError::Checkpoint { reason: reason.into() });
    let lengths = [state.thresholds.len(), state.negative_rms.len(), state.ever_active.len()];
    let begun = state.stages > 0;
    if lengths.iter().any(|&length| length != rank && (begun || length != 0)) {
        return wrong("it does not have one threshold, one floor and one activity per component");
    }
    let good = |v: &f64| v.is_finite() && *v >= 0.0;
    if !state.thresholds.iter().chain(&state.negative_rms).chain(&state.mixing_error).all(good) {
        return wrong("a threshold, floor or error is negative or not finite");
    }
    Ok(())
}
