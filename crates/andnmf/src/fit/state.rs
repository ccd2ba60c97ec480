//! The state of a method between two stages: private to the method, opaque to everything else.

use std::any::Any;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use ndarray::Array2;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;

use super::bits;
use super::start::check_components;
use crate::linalg::product::multiply;
use crate::{FitError, Real, ShapeError};

/// What the rest of the library may ask of a method's state.
pub(crate) trait MethodState<T: Real>: Any + fmt::Debug + Send + Sync {
    /// The components in the space of the samples, rank × features.
    fn components(&self) -> Array2<T>;

    /// The thresholds of the last stage, one per component; empty where there are none.
    fn thresholds(&self) -> &[f64] {
        &[]
    }

    /// The unit that the stages measure samples in, where they have one of their own.
    fn scale(&self) -> Option<f64> {
        None
    }

    /// Moves the weights (n × rank) out, where they are part of the state: a fit holds them instead.
    fn take_weights(&mut self) -> Option<Array2<T>> {
        None
    }

    /// The state with its weights back, where they are part of it.
    fn with_weights(&self, _weights: &Array2<T>) -> Option<Arc<dyn MethodState<T>>> {
        None
    }

    /// The state as checkpoints store it.
    ///
    /// # Errors
    /// Where a value has no JSON form.
    fn parts(&self) -> serde_json::Result<Parts<'_, T>>;
}

/// A state that can be read back.
pub(crate) trait ResumableState<T: Real>: MethodState<T> + Clone {
    /// Tells it from other states of the same method.
    const KIND: &'static str;

    /// The state from its stored parts.
    fn load(stored: &mut Stored<T>) -> Result<Self, FitError>;
}

/// A state as it is stored: matrices by name and everything else as JSON. Large matrices never become JSON values,
/// which would take several times their memory.
#[derive(Debug)]
pub(crate) struct Parts<'a, T> {
    pub(crate) kind: &'static str,
    pub(crate) matrices: Vec<(&'static str, &'a Array2<T>)>,
    pub(crate) values: Value,
}

impl<T: Real> Serialize for Parts<'_, T> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        #[serde(bound = "T: Real")]
        struct ByBits<'a, T: Real>(#[serde(serialize_with = "bits::matrix::serialize")] &'a Array2<T>);
        #[derive(Serialize)]
        #[serde(bound = "T: Real")]
        struct Form<'a, T: Real> {
            kind: &'static str,
            matrices: BTreeMap<&'static str, ByBits<'a, T>>,
            values: &'a Value,
        }
        let matrices = self.matrices.iter().map(|&(name, matrix)| (name, ByBits(matrix))).collect();
        Form { kind: self.kind, matrices, values: &self.values }.serialize(to)
    }
}

/// A state that was read from a file; only its method can tell what it means.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(bound = "T: Real")]
pub(crate) struct Stored<T: Real> {
    pub(crate) kind: String,
    matrices: BTreeMap<String, Matrix<T>>,
    values: Value,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(bound = "T: Real")]
struct Matrix<T: Real>(#[serde(with = "bits::matrix")] Array2<T>);

impl<T: Real> Stored<T> {
    /// A matrix by its name, in row order.
    pub(crate) fn matrix(&mut self, name: &str) -> Result<Array2<T>, FitError> {
        self.optional_matrix(name).ok_or_else(|| wrong(format!("it has no matrix `{name}`")))
    }

    /// A matrix that may be missing, in row order.
    pub(crate) fn optional_matrix(&mut self, name: &str) -> Option<Array2<T>> {
        self.matrices.remove(name).map(|Matrix(matrix)| matrix.as_standard_layout().into_owned())
    }

    /// Everything but the matrices.
    pub(crate) fn values<V: DeserializeOwned>(&mut self) -> Result<V, FitError> {
        serde_json::from_value(self.values.take())
            .map_err(|error| wrong(format!("its state cannot be read: {error}")))
    }
}

/// The run that a state is to go on with, for checks that all methods share.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ExpectedShape {
    pub(crate) n_samples: usize,
    pub(crate) n_features: usize,
    pub(crate) rank: usize,
}

impl ExpectedShape {
    /// The working matrix must be rank × features (or directions of the basis) and finite, the basis orthonormal.
    pub(crate) fn check_working<T: Real>(
        &self,
        working: &Array2<T>,
        basis: Option<&Array2<T>>,
    ) -> Result<(), FitError> {
        let width = match basis {
            Some(basis) if basis.ncols() != self.n_features || basis.nrows() == 0 => {
                let expected = format!("any number of directions × {} features", self.n_features);
                return Err(ShapeError::new("the basis of the checkpoint", basis.dim(), expected).into());
            }
            Some(basis) => basis.nrows(),
            None => self.n_features,
        };
        check_components(working, self.rank, width)?;
        let Some(basis) = basis else { return Ok(()) };
        let gram = multiply(basis.view(), basis.t());
        let apart = |((i, j), v): ((usize, usize), &T)| (v.as_f64() - f64::from(u8::from(i == j))).abs();
        if gram.indexed_iter().all(|entry| apart(entry) < 1e-3) {
            Ok(())
        } else {
            Err(wrong("its basis is not orthonormal"))
        }
    }

    /// Weights must be samples × rank, finite and not negative.
    pub(crate) fn check_weights<T: Real>(&self, weights: &Array2<T>) -> Result<(), FitError> {
        let Self { n_samples, rank, .. } = *self;
        if weights.dim() != (n_samples, rank) {
            let expected = format!("{n_samples} × {rank} (samples × rank)");
            return Err(ShapeError::new("the weights of the checkpoint", weights.dim(), expected).into());
        }
        let zero = T::from_f64(0.0);
        if weights.iter().all(|&v| v.finite() && v >= zero) {
            Ok(())
        } else {
            Err(wrong("a weight is negative or not finite"))
        }
    }
}

/// The error of a checkpoint that cannot be resumed.
pub(crate) fn wrong(reason: impl Into<String>) -> FitError {
    FitError::Checkpoint { reason: reason.into() }
}
