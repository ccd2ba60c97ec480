//! How a run begins: its start and its space, or a checkpoint, checked.

use ndarray::Array2;

use super::compression::{Chosen, Space};
use super::params::AndParams;
use crate::fit::{Checkpoint, Start, Workers};
use crate::linalg::product::multiply;
use crate::samples::{Samples, Watched};
use crate::{FitError, Real, SamplesError, ShapeError, init};

/// The state before the next stage, and the space for the stages. The samples are watched: where the run is to
/// stop, a start that is already there is returned as it is.
pub(super) fn begin<T: Real>(
    params: &AndParams,
    samples: &Watched<'_, T>,
    start: Start<T>,
    workers: &Workers,
) -> Result<(Space<T>, Checkpoint<T>), FitError> {
    let found = match start {
        Start::Resume(state) => {
            let state = checked(*state, params.rank, samples)?;
            let space = match &state.basis {
                // Without this one pass the state could not even be returned: it is not called off.
                Some(basis) => workers.run(|| Space::with_basis(basis.clone(), samples.samples))?,
                None => Space::Original,
            };
            return Ok((space, state));
        }
        Start::RandomSamples => init::random_samples(samples, params.rank, params.seed).map(|c| (c, 0)),
        // One pass for sizes, one for the mean (of signed data), one for each direction.
        Start::SuccessiveProjection => workers
            .run(|| init::successive_projection(samples, params.rank))
            .map(|components| (components, params.rank + 2)),
        Start::Given(components) => Ok((components, 0)),
    };
    let (components, passes) = found.map_err(|error| match error {
        FitError::Samples(SamplesError::CalledOff) => FitError::StoppedBeforeStart,
        other => other,
    })?;
    check_start(&components, params.rank, samples.n_features())?;
    // Kernels count on contiguous rows, whatever order the start came in.
    let components = components.as_standard_layout().into_owned();
    let chosen = match workers.run(|| Space::choose(params, samples, components.view())) {
        Err(FitError::Samples(SamplesError::CalledOff)) => Chosen::original(),
        other => other?,
    };
    let state = Checkpoint {
        n_samples: samples.n_samples(),
        stages: 0,
        working: chosen.space.enter(&components),
        basis: chosen.space.basis().cloned(),
        thresholds: Vec::new(),
        negative_rms: Vec::new(),
        mixing_error: None,
        ever_active: vec![false; params.rank],
        seed: params.seed,
        passes: passes + chosen.passes,
        seconds: 0.0,
        trace: Vec::new(),
        warnings: chosen.warning.into_iter().collect(),
    };
    Ok((chosen.space, state))
}

/// The start must be rank × features and finite.
fn check_start<T: Real>(start: &Array2<T>, rank: usize, features: usize) -> Result<(), FitError> {
    if start.dim() != (rank, features) {
        let expected = format!("{rank} × {features} (rank × features)");
        return Err(ShapeError::new("the start", start.dim(), expected).into());
    }
    match start.indexed_iter().find(|(_, v)| !v.finite()) {
        Some(((component, feature), v)) => {
            Err(FitError::StartNotFinite { component, feature, value: v.as_f64() })
        }
        None => Ok(()),
    }
}

/// A checkpoint that fits the samples, the settings, and itself; with its matrices in row order.
fn checked<T: Real>(
    mut state: Checkpoint<T>,
    rank: usize,
    samples: &dyn Samples<T>,
) -> Result<Checkpoint<T>, FitError> {
    let wrong = |reason: &str| Err(FitError::Checkpoint { reason: reason.into() });
    let features = samples.n_features();
    let width = match &state.basis {
        Some(basis) if basis.ncols() != features || basis.nrows() == 0 => {
            let expected = format!("any number of directions × {features} features");
            return Err(ShapeError::new("the basis of the checkpoint", basis.dim(), expected).into());
        }
        Some(basis) => basis.nrows(),
        None => features,
    };
    check_start(&state.working, rank, width)?;
    if state.n_samples != samples.n_samples() {
        return wrong("it belongs to another number of samples");
    }
    let lengths = [state.thresholds.len(), state.negative_rms.len(), state.ever_active.len()];
    let begun = state.stages > 0;
    if lengths.iter().any(|&length| length != rank && (begun || length != 0)) {
        return wrong("it does not have one threshold, one floor and one activity per component");
    }
    if state.trace.len() != state.stages {
        return wrong("its trace does not have one record per stage");
    }
    let good = |v: &f64| v.is_finite() && *v >= 0.0;
    if !state.thresholds.iter().chain(&state.negative_rms).chain(&state.mixing_error).all(good) {
        return wrong("a threshold, floor or error is negative or not finite");
    }
    if let Some(basis) = &state.basis {
        let gram = multiply(basis.view(), basis.t());
        let apart = |((i, j), v): ((usize, usize), &T)| (v.as_f64() - f64::from(u8::from(i == j))).abs();
        if !gram.indexed_iter().all(|entry| apart(entry) < 1e-3) {
            return wrong("its basis is not orthonormal");
        }
    }
    state.working = state.working.as_standard_layout().into_owned();
    state.basis = state.basis.map(|basis| basis.as_standard_layout().into_owned());
    Ok(state)
}
