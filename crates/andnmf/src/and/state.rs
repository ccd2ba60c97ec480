//! The state of a run with a threshold schedule.

use ndarray::Array2;
use serde::{Deserialize, Serialize};

use crate::fit::{ExpectedShape, MethodState, Parts, ResumableState, Stored, bits, wrong};
use crate::linalg::product::multiply;
use crate::{FitError, Real};

/// The components between two stages, and what the choice of the next thresholds rests on.
#[derive(Debug, Clone)]
pub(crate) struct AndState<T: Real> {
    /// The components, in the compressed space where there is one.
    pub(super) working: Array2<T>,
    /// Orthonormal basis (rows) of the compressed space.
    pub(super) basis: Option<Array2<T>>,
    pub(super) last: LastValues,
}

/// Figures of the last stage; empty before the first.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct LastValues {
    /// One threshold per component.
    #[serde(with = "bits::list")]
    pub(super) thresholds: Vec<f64>,
    /// The root mean square of each component's negative decoded values.
    #[serde(with = "bits::list")]
    pub(super) negative_rms: Vec<f64>,
    /// The mixing error as seen from the last stage's change, where the schedule asks for it.
    #[serde(with = "bits::optional")]
    pub(super) mixing_error: Option<f64>,
    /// Which components have been active in any stage.
    pub(super) ever_active: Vec<bool>,
}

impl<T: Real> AndState<T> {
    /// A run that has not begun its first stage, in the space of the samples.
    pub(crate) fn of_start(components: Array2<T>) -> Self {
        Self { working: components, basis: None, last: LastValues::default() }
    }

    /// Refuses a state that does not fit the run, or itself.
    pub(crate) fn check(&self, shape: &ExpectedShape, stages: usize) -> Result<(), FitError> {
        shape.check_working(&self.working, self.basis.as_ref())?;
        let LastValues { thresholds, negative_rms, mixing_error, ever_active } = &self.last;
        let lengths = [thresholds.len(), negative_rms.len(), ever_active.len()];
        if lengths.iter().any(|&length| length != shape.rank && (stages > 0 || length != 0)) {
            return Err(wrong("it does not have one threshold, one floor and one activity per component"));
        }
        let good = |v: &f64| v.is_finite() && *v >= 0.0;
        if !thresholds.iter().chain(negative_rms).chain(mixing_error).all(good) {
            return Err(wrong("a threshold, floor or error is negative or not finite"));
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

    fn parts(&self) -> serde_json::Result<Parts<'_, T>> {
        let mut matrices = vec![("working", &self.working)];
        matrices.extend(self.basis.as_ref().map(|basis| ("basis", basis)));
        Ok(Parts { kind: Self::KIND, matrices, values: serde_json::to_value(&self.last)? })
    }
}

impl<T: Real> ResumableState<T> for AndState<T> {
    const KIND: &'static str = "and-scheduled";

    fn load(stored: &mut Stored<T>) -> Result<Self, FitError> {
        Ok(Self {
            working: stored.matrix("working")?,
            basis: stored.optional_matrix("basis"),
            last: stored.values()?,
        })
    }
}
