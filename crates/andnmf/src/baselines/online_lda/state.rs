//! The state of online LDA between two stages.

use ndarray::Array2;
use serde_json::Value;

use crate::fit::{MethodState, ResumableState, StateParts, StoredState};
use crate::linalg::unit_sum::rows_of_unit_sum;
use crate::{FitError, Real};

/// λ, the parameters of the topics. The components are its rows, normalized to sum 1.
#[derive(Debug, Clone)]
pub(super) struct LdaState<T: Real> {
    pub(super) lambda: Array2<T>,
}

impl<T: Real> MethodState<T> for LdaState<T> {
    fn components(&self) -> Array2<T> {
        rows_of_unit_sum(&self.lambda)
    }

    fn parts(&self) -> serde_json::Result<StateParts<'_, T>> {
        Ok(StateParts { kind: Self::KIND, matrices: vec![("lambda", &self.lambda)], values: Value::Null })
    }
}

impl<T: Real> ResumableState<T> for LdaState<T> {
    const KIND: &'static str = "lda";

    fn load(stored: &mut StoredState<T>) -> Result<Self, FitError> {
        Ok(Self { lambda: stored.matrix("lambda")? })
    }
}
