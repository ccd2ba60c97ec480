//! The state of a method between two stages: private to the method, and opaque to all other code.

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

/// The interface of a method's state.
pub(crate) trait MethodState<T: Real>: Any + fmt::Debug + Send + Sync {
    /// The components in the space of the samples, rank × features.
    fn components(&self) -> Array2<T>;

    /// The thresholds of the last stage, one per component; empty if there are none.
    fn thresholds(&self) -> &[f64] {
        &[]
    }

    /// The scale of the samples in the stages, if the method rescales them.
    fn scale(&self) -> Option<f64> {
        None
    }

    /// Moves the weights (n × rank) out of the state, if it has any: the [`Fit`](super::Fit) stores them instead.
    fn take_weights(&mut self) -> Option<Array2<T>> {
        None
    }

    /// The state with its weights put back, if it has any.
    fn with_weights(&self, _weights: &Array2<T>) -> Option<Arc<dyn MethodState<T>>> {
        None
    }

    /// The state in the form that checkpoints store.
    ///
    /// # Errors
    /// If a value has no JSON form.
    fn parts(&self) -> serde_json::Result<StateParts<'_, T>>;
}

/// A state that can be loaded from a checkpoint.
pub(crate) trait ResumableState<T: Real>: MethodState<T> + Clone {
    /// Identifies the type of the state in a checkpoint.
    const KIND: &'static str;

    /// Loads the state.
    fn load(stored: &mut StoredState<T>) -> Result<Self, FitError>;
}

/// The serialized form of a state: matrices by name, everything else as JSON. Matrices are not JSON values, which would
/// take several times their memory.
#[derive(Debug)]
pub(crate) struct StateParts<'a, T> {
    pub(crate) kind: &'static str,
    pub(crate) matrices: Vec<(&'static str, &'a Array2<T>)>,
    pub(crate) values: Value,
}

impl<T: Real> Serialize for StateParts<'_, T> {
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

/// A state read from a file, which only its method can interpret.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(bound = "T: Real")]
pub(crate) struct StoredState<T: Real> {
    pub(crate) kind: String,
    matrices: BTreeMap<String, StoredMatrix<T>>,
    values: Value,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(bound = "T: Real")]
struct StoredMatrix<T: Real>(#[serde(with = "bits::matrix")] Array2<T>);

impl<T: Real> StoredState<T> {
    /// A matrix by its name, row-major.
    pub(crate) fn matrix(&mut self, name: &str) -> Result<Array2<T>, FitError> {
        self.optional_matrix(name)
            .ok_or_else(|| invalid_checkpoint(format!("it has no matrix `{name}`; start a new run")))
    }

    /// An optional matrix by its name, row-major.
    pub(crate) fn optional_matrix(&mut self, name: &str) -> Option<Array2<T>> {
        self.matrices.remove(name).map(|StoredMatrix(matrix)| matrix.as_standard_layout().into_owned())
    }

    /// Everything except the matrices.
    pub(crate) fn values<V: DeserializeOwned>(&mut self) -> Result<V, FitError> {
        serde_json::from_value(self.values.take()).map_err(|error| {
            invalid_checkpoint(format!("its state cannot be read ({error}); start a new run"))
        })
    }
}

/// The shape that a resumed run needs, for the checks that all methods share.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ExpectedShape {
    pub(crate) n_samples: usize,
    pub(crate) n_features: usize,
    pub(crate) rank: usize,
}

impl ExpectedShape {
    /// Checks that the working matrix is finite, of shape rank × features (or × directions of the basis), and the basis
    /// orthonormal.
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
        let deviation = |((i, j), v): ((usize, usize), &T)| (v.as_f64() - f64::from(u8::from(i == j))).abs();
        if gram.indexed_iter().all(|entry| deviation(entry) < 1e-3) {
            Ok(())
        } else {
            Err(invalid_checkpoint("its basis is not orthonormal; start a new run"))
        }
    }

    /// Checks that weights are samples × rank, finite and non-negative.
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
            Err(invalid_checkpoint("a weight is negative or not finite; start a new run"))
        }
    }
}

/// The error of a checkpoint that cannot be resumed.
pub(crate) fn invalid_checkpoint(reason: impl Into<String>) -> FitError {
    FitError::Checkpoint { reason: reason.into() }
}
