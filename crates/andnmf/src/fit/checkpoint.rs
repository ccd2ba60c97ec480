//! Checkpoints: a header with public fields, and the private state of the method.

use std::any::Any;
use std::sync::Arc;

use ndarray::Array2;
use serde::ser::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::state::{MethodState, ResumableState, StoredState, invalid_checkpoint};
use super::{StageRecord, Warning};
use crate::samples::Samples;
use crate::{FitError, Real};

/// The part of a checkpoint that all methods share.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// Name of the method.
    pub method: String,
    /// Number of samples.
    pub n_samples: usize,
    /// Number of finished stages.
    pub stages: usize,
    /// Random seed.
    pub seed: u64,
    /// Passes over the full data so far.
    pub passes: usize,
    /// Seconds spent in the solver so far.
    pub seconds: f64,
    /// One record per finished stage.
    pub trace: Vec<StageRecord>,
    /// Warnings so far.
    pub warnings: Vec<Warning>,
}

impl Header {
    /// The header before the first stage.
    pub(crate) fn new(method: &str, n_samples: usize, seed: u64) -> Self {
        Self {
            method: method.to_owned(),
            n_samples,
            stages: 0,
            seed,
            passes: 0,
            seconds: 0.0,
            trace: Vec::new(),
            warnings: Vec::new(),
        }
    }
}

/// A run between two stages. A resumed run ends with the same bits as one that never stopped.
///
/// Random streams are named by seed and stage, so there is no generator state to store. Numbers are serialized by their
/// bits, so that text formats store them exactly, too.
///
/// A resumed run takes its space and its seed from the checkpoint, and all other settings from the solver that
/// resumes it.
///
/// ```
/// use andnmf::fit::{Run, Start};
/// use andnmf::samples::DenseSamples;
/// use andnmf::{Method, MethodParams};
///
/// let samples = DenseSamples::new(ndarray::array![[1.0, 0.0, 2.0], [0.0, 3.0, 0.0], [2.0, 3.0, 4.0]])?;
/// let hals = |stages| MethodParams::new(Method::Hals, 2).with_max_stages(stages).with_tolerance(0.0).check();
/// let first = hals(3)?.fit(&samples, Start::Auto, &mut Run::new())?;
/// let checkpoint = Box::new(first.checkpoint()); // it implements `Serialize` and `Deserialize`
/// let resumed = hals(9)?.fit(&samples, Start::Resume(checkpoint), &mut Run::new())?;
/// assert_eq!(resumed.stages, 9);
/// # Ok::<(), andnmf::FitError>(())
/// ```
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(bound = "T: Real")]
pub struct Checkpoint<T: Real> {
    /// The part that all methods share.
    pub header: Header,
    state: State<T>,
}

/// The state of a method: in memory, or as read from a file.
#[derive(Debug, Clone)]
enum State<T: Real> {
    Live { kind: &'static str, state: Arc<dyn MethodState<T>> },
    Stored(Box<StoredState<T>>),
}

impl<'de, T: Real> Deserialize<'de> for State<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Ok(Self::Stored(Box::new(StoredState::deserialize(from)?)))
    }
}

impl<T: Real> Serialize for State<T> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Live { state, .. } => state.parts().map_err(S::Error::custom)?.serialize(to),
            Self::Stored(stored) => stored.serialize(to),
        }
    }
}

impl<T: Real> Checkpoint<T> {
    /// The checkpoint of a run with this state.
    pub(crate) fn new<S: ResumableState<T>>(header: Header, state: S) -> Self {
        Self::shared(header, S::KIND, Arc::new(state))
    }

    /// [`new`](Self::new) with a shared state.
    pub(crate) fn shared(header: Header, kind: &'static str, state: Arc<dyn MethodState<T>>) -> Self {
        Self { header, state: State::Live { kind, state } }
    }

    /// The components in the space of the samples, rank × features. `None` for a checkpoint from a file: only the
    /// method that resumes it can read its state.
    #[must_use]
    pub fn components(&self) -> Option<Array2<T>> {
        match &self.state {
            State::Live { state, .. } => Some(state.components()),
            State::Stored(_) => None,
        }
    }

    /// Returns true if the state is of this type.
    pub(crate) fn holds<S: ResumableState<T>>(&self) -> bool {
        self.kind() == S::KIND
    }

    fn kind(&self) -> &str {
        match &self.state {
            State::Live { kind, .. } => kind,
            State::Stored(stored) => &stored.kind,
        }
    }

    /// The header and the state, if the state is of this type. The method must check the state against the run.
    pub(crate) fn into_state<S: ResumableState<T>>(self) -> Result<(Header, S), FitError> {
        if !self.holds::<S>() {
            return Err(invalid_checkpoint(format!(
                "its state is `{}`, but this run needs `{}`; resume with the settings of the first run",
                self.kind(),
                S::KIND
            )));
        }
        let state = match self.state {
            State::Stored(mut stored) => S::load(&mut stored)?,
            State::Live { state, .. } => {
                let state: Arc<dyn Any + Send + Sync> = state;
                let state = state.downcast::<S>().map_err(|_| {
                    invalid_checkpoint(
                        "its state belongs to another method; resume with the settings of the first run",
                    )
                })?;
                Arc::unwrap_or_clone(state)
            }
        };
        Ok((self.header, state))
    }

    /// The checkpoint, if its header is consistent and matches the method and the samples.
    pub(crate) fn checked(self, method: &str, samples: &dyn Samples<T>) -> Result<Self, FitError> {
        let Header { method: recorded, n_samples, stages, trace, .. } = &self.header;
        if *recorded != method {
            return Err(invalid_checkpoint(format!(
                "it belongs to the method {recorded}, not {method}; resume with the method of the first run"
            )));
        }
        if *n_samples != samples.n_samples() {
            return Err(invalid_checkpoint(format!(
                "it belongs to {n_samples} samples, but there are {}; resume with the samples of the first run",
                samples.n_samples()
            )));
        }
        if trace.len() != *stages {
            return Err(invalid_checkpoint("its trace does not have one record per stage; start a new run"));
        }
        Ok(self)
    }
}
