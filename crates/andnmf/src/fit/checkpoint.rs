//! A run between two stages: a header that anyone may read, and the state of its method.

use std::any::Any;
use std::sync::Arc;

use ndarray::Array2;
use serde::ser::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::state::{MethodState, ResumableState, Stored, wrong};
use super::{StageRecord, Warning};
use crate::samples::Samples;
use crate::{FitError, Real};

/// What is known of a run between two stages, whatever its method.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// The method whose run it is.
    pub method: String,
    /// Number of samples of the run.
    pub n_samples: usize,
    /// Stages done.
    pub stages: usize,
    /// The seed of the run.
    pub seed: u64,
    /// Passes over the full data so far.
    pub passes: usize,
    /// Time spent in the solver so far.
    pub seconds: f64,
    /// Records of the stages done.
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

/// Everything a solver needs to go on to the same bits as if it had never stopped.
///
/// Random numbers are drawn from streams named by seed and stage, so no generator state needs to be kept. Numbers
/// that the next stages depend on are serialised by their bits, so that any format, text included, keeps them exactly.
///
/// A resumed run takes its space and its seed from the checkpoint; the other settings are those of the solver
/// that resumes it.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(bound = "T: Real")]
pub struct Checkpoint<T: Real> {
    /// What is known of the run, whatever its method.
    pub header: Header,
    state: State<T>,
}

/// The state of a method: its own struct, or what a file holds of one.
#[derive(Debug, Clone)]
enum State<T: Real> {
    Live { kind: &'static str, state: Arc<dyn MethodState<T>> },
    Stored(Box<Stored<T>>),
}

impl<'de, T: Real> Deserialize<'de> for State<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Ok(Self::Stored(Box::new(Stored::deserialize(from)?)))
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

    /// The same with a state that others hold, too.
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

    /// Whether the state is of this type.
    pub(crate) fn holds<S: ResumableState<T>>(&self) -> bool {
        self.kind() == S::KIND
    }

    fn kind(&self) -> &str {
        match &self.state {
            State::Live { kind, .. } => kind,
            State::Stored(stored) => &stored.kind,
        }
    }

    /// The header and the state, if that is of this type. Its method has to check it against the run.
    pub(crate) fn into_state<S: ResumableState<T>>(self) -> Result<(Header, S), FitError> {
        if !self.holds::<S>() {
            return Err(wrong(format!(
                "its state is of the kind `{}`, and this run needs `{}`: resume with the settings it began with",
                self.kind(),
                S::KIND
            )));
        }
        let state = match self.state {
            State::Stored(mut stored) => S::load(&mut stored)?,
            State::Live { state, .. } => {
                let state: Arc<dyn Any + Send + Sync> = state;
                let state = state.downcast::<S>().map_err(|_| wrong("its state is of another type"))?;
                Arc::unwrap_or_clone(state)
            }
        };
        Ok((self.header, state))
    }

    /// The checkpoint, if its header fits the method, the samples, and itself.
    pub(crate) fn checked(self, method: &str, samples: &dyn Samples<T>) -> Result<Self, FitError> {
        let Header { method: own, n_samples, stages, trace, .. } = &self.header;
        if *own != method {
            return Err(wrong(format!("it belongs to a run of {own}, not of {method}")));
        }
        if *n_samples != samples.n_samples() {
            return Err(wrong("it belongs to another number of samples"));
        }
        if trace.len() != *stages {
            return Err(wrong("its trace does not have one record per stage"));
        }
        Ok(self)
    }
}
