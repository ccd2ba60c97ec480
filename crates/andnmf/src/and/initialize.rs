//! Initialization of a run with a threshold schedule: its start and its space, or a checked checkpoint.

use super::params::AndParams;
use super::state::{AndState, LastValues};
use crate::compression::{ChosenSpace, Space};
use crate::fit::{ExpectedShape, Header, ResolvedStart, Start, Workers};
use crate::samples::{CancellableSamples, Samples};
use crate::{FitError, Real, SamplesError};

/// The space, header and state before the next stage. If the run is cancelled after the start was computed, the
/// stages run in the original space, so that the start can be returned.
pub(super) fn initialize<T: Real>(
    params: &AndParams,
    samples: &CancellableSamples<'_, T>,
    start: Start<T>,
    workers: &Workers,
) -> Result<(Space<T>, Header, AndState<T>), FitError> {
    let start = start.or(Start::SuccessiveProjection);
    let computed = match start.resolve(AndParams::NAME, samples, params.rank, params.seed, workers)? {
        ResolvedStart::Resumed(checkpoint) => {
            let (header, state) = checkpoint.into_state::<AndState<T>>()?;
            let (n_samples, n_features) = (samples.n_samples(), samples.n_features());
            let shape = ExpectedShape { n_samples, n_features, rank: params.rank };
            state.check(&shape, header.stages)?;
            let space = match &state.basis {
                // Not cancellable: without this pass the state could not be returned.
                Some(basis) => workers.run(|| Space::with_basis(basis.clone(), samples.samples))?,
                None => Space::Original,
            };
            return Ok((space, header, state));
        }
        ResolvedStart::Fresh(computed) => computed,
    };
    let components = computed.components;
    // Stages add combinations of samples to combinations of components, so they stay in the span of both.
    let (compress, also) = (params.compress, components.view());
    let chosen = match workers
        .run(|| Space::choose(compress, params.max_stages, samples, also, params.rank, params.seed))
    {
        Err(FitError::Samples(SamplesError::Cancelled)) => ChosenSpace::original(),
        other => other?,
    };
    let state = AndState {
        working: chosen.space.enter(&components),
        basis: chosen.space.basis().cloned(),
        last: LastValues { ever_active: vec![false; params.rank], ..LastValues::default() },
    };
    let header = Header {
        passes: computed.passes + chosen.passes,
        warnings: chosen.warning.into_iter().collect(),
        ..Header::new(AndParams::NAME, samples.n_samples(), params.seed)
    };
    Ok((chosen.space, header, state))
}
