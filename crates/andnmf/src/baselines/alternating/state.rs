//! The state of an alternating method between two stages.

use std::sync::Arc;

use ndarray::Array2;
use serde_json::Value;

use crate::fit::{ExpectedShape, MethodState, ResumableState, StateParts, StoredState, invalid_checkpoint};
use crate::{FitError, Real};

/// Components and weights.
#[derive(Debug, Clone)]
pub(super) struct AlternatingState<T: Real> {
    /// The components, rank × features.
    pub(super) working: Array2<T>,
    /// Samples × rank; `None` before the first stage.
    pub(super) weights: Option<Array2<T>>,
}

impl<T: Real> AlternatingState<T> {
    /// Checks that the state is consistent and matches the run.
    pub(super) fn check(&self, shape: &ExpectedShape, stages: usize, signed: bool) -> Result<(), FitError> {
        shape.check_working(&self.working, None)?;
        if self.weights.is_none() != (stages == 0) {
            return Err(invalid_checkpoint("it must contain weights after the first stage, and none before"));
        }
        self.weights.as_ref().map_or(Ok(()), |weights| shape.check_weights(weights))?;
        if !signed && self.working.iter().any(|v| *v < T::from_f64(0.0)) {
            return Err(invalid_checkpoint("a component is negative, but signed is off"));
        }
        Ok(())
    }
}

impl<T: Real> MethodState<T> for AlternatingState<T> {
    fn components(&self) -> Array2<T> {
        self.working.clone()
    }

    fn take_weights(&mut self) -> Option<Array2<T>> {
        self.weights.take()
    }

    fn with_weights(&self, weights: &Array2<T>) -> Option<Arc<dyn MethodState<T>>> {
        Some(Arc::new(Self { working: self.working.clone(), weights: Some(weights.clone()) }))
    }

    fn parts(&self) -> serde_json::Result<StateParts<'_, T>> {
        let mut matrices = vec![("components", &self.working)];
        matrices.extend(self.weights.as_ref().map(|weights| ("weights", weights)));
        Ok(StateParts { kind: Self::KIND, matrices, values: Value::Null })
    }
}

impl<T: Real> ResumableState<T> for AlternatingState<T> {
    const KIND: &'static str = "alternating";

    fn load(stored: &mut StoredState<T>) -> Result<Self, FitError> {
        Ok(Self { working: stored.matrix("components")?, weights: stored.optional_matrix("weights") })
    }
}
