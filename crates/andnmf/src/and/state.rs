//! The state of a run with a threshold schedule.

use ndarray::Array2;
use serde::{Deserialize, Serialize};

use crate::fit::{
    ExpectedShape, MethodState, ResumableState, StateParts, StoredState, bits, invalid_checkpoint,
};
use crate::linalg::product::multiply;
use crate::{FitError, Real};

/// The components between two stages, and the values that determine the next thresholds.
#[derive(Debug, Clone)]
pub(crate) struct AndState<T: Real> {
    /// The components, in the compressed space if there is one.
    pub(super) working: Array2<T>,
    /// Orthonormal basis (rows) of the compressed space.
    pub(super) basis: Option<Array2<T>>,
    pub(super) last: LastValues,
}

/// Values of the last stage; empty before the first.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct LastValues {
    /// One threshold per component.
    #[serde(with = "bits::list")]
    pub(super) thresholds: Vec<f64>,
    /// The root mean square of each component's negative decoded values.
    #[serde(with = "bits::list")]
    pub(super) negative_rms: Vec<f64>,
    /// The mixing error estimated from the change in the last stage, if the schedule needs it.
    #[serde(with = "bits::optional")]
    pub(super) mixing_error: Option<f64>,
    /// True for components that have been active in any stage.
    pub(super) ever_active: Vec<bool>,
}

impl<T: Real> AndState<T> {
    /// The state before the first stage, in the space of the samples.
    pub(crate) fn from_components(components: Array2<T>) -> Self {
        Self { working: components, basis: None, last: LastValues::default() }
    }

    /// Checks that the state is consistent and matches the run.
    pub(crate) fn check(&self, shape: &ExpectedShape, stages: usize) -> Result<(), FitError> {
        shape.check_working(&self.working, self.basis.as_ref())?;
        let LastValues { thresholds, negative_rms, mixing_error, ever_active } = &self.last;
        let lengths = [thresholds.len(), negative_rms.len(), ever_active.len()];
        if lengths.iter().any(|&length| length != shape.rank && (stages > 0 || length != 0)) {
            return Err(invalid_checkpoint(
                "it does not have one threshold, one floor and one activity per component; start a new run",
            ));
        }
        let valid = |v: &f64| v.is_finite() && *v >= 0.0;
        if !thresholds.iter().chain(negative_rms).chain(mixing_error).all(valid) {
            return Err(invalid_checkpoint(
                "a threshold, floor or error is negative or not finite; start a new run",
            ));
        }
        Ok(())
    }
}

impl<T: Real> MethodState<T> for AndState<T> {
    fn components(&self) -> Array2<T> {
        match &self.basis {
            Some(basis) => multiply(self.working.view(), basis.view()),
            None => self.working.clone(),
        }
    }

    fn thresholds(&self) -> &[f64] {
        &self.last.thresholds
    }

    fn parts(&self) -> serde_json::Result<StateParts<'_, T>> {
        let mut matrices = vec![("working", &self.working)];
        matrices.extend(self.basis.as_ref().map(|basis| ("basis", basis)));
        Ok(StateParts { kind: Self::KIND, matrices, values: serde_json::to_value(&self.last)? })
    }
}

impl<T: Real> ResumableState<T> for AndState<T> {
    const KIND: &'static str = "and-scheduled";

    fn load(stored: &mut StoredState<T>) -> Result<Self, FitError> {
        Ok(Self {
            working: stored.matrix("working")?,
            basis: stored.optional_matrix("basis"),
            last: stored.values()?,
        })
    }
}
