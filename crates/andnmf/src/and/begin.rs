//! How a run begins: its start and its space, or a checkpoint, checked.

use super::params::AndParams;
use super::state::{AndState, LastValues};
use crate::compression::{Chosen, Space};
use crate::fit::{Beginning, ExpectedShape, Header, Start, Workers};
use crate::samples::{Samples, Watched};
use crate::{FitError, Real, SamplesError};

/// The state before the next stage, and the space for the stages. The samples are watched: where the run is to
/// stop, a start that is already there is returned as it is.
pub(super) fn begin<T: Real>(
    params: &AndParams,
    samples: &Watched<'_, T>,
    start: Start<T>,
    workers: &Workers,
) -> Result<(Space<T>, Header, AndState<T>), FitError> {
    let start = start.or(Start::SuccessiveProjection);
    let found = match start.begin(AndParams::NAME, samples, params.rank, params.seed, workers)? {
        Beginning::Resumed(checkpoint) => {
            let (header, state) = checkpoint.into_state::<AndState<T>>()?;
            let (n_samples, n_features) = (samples.n_samples(), samples.n_features());
            let shape = ExpectedShape { n_samples, n_features, rank: params.rank };
            state.check(&shape, header.stages)?;
            let space = match &state.basis {
                // Without this one pass the state could not even be returned: it is not called off.
                Some(basis) => workers.run(|| Space::with_basis(basis.clone(), samples.samples))?,
                None => Space::Original,
            };
            return Ok((space, header, state));
        }
        Beginning::Fresh(found) => found,
    };
    let components = found.components;
    // A stage adds combinations of samples to combinations of components: it never leaves the span of both.
    let (compress, also) = (params.compress, components.view());
    let chosen = match workers
        .run(|| Space::choose(compress, params.max_stages, samples, also, params.rank, params.seed))
    {
        Err(FitError::Samples(SamplesError::Cancelled)) => Chosen::original(),
        other => other?,
    };
    let state = AndState {
        working: chosen.space.enter(&components),
        basis: chosen.space.basis().cloned(),
        last: LastValues { ever_active: vec![false; params.rank], ..LastValues::default() },
    };
    let header = Header {
        passes: found.passes + chosen.passes,
        warnings: chosen.warning.into_iter().collect(),
        ..Header::new(AndParams::NAME, samples.n_samples(), params.seed)
    };
    Ok((chosen.space, header, state))
}
