//! The paper's theory as numbers: what its theorems ask of the weights, what they promise, and how far a run
//! with a known truth keeps to them.
//!
//! * [`GeneralCorrelationConditions`] estimates r, k, m, λ and the decay order q from weights.
//! * [`bounds`] evaluates the theorems for such values.
//! * [`Decomposition`] splits components into scale, mixing and outside error against a truth.
//! * [`StageLemmaReport`] compares the decompositions along a run with what the stage lemma predicts.
//!
//! Nothing here judges: numbers only.

pub mod bounds;
mod conditions;
mod correlations;
mod decay;
mod decomposition;
mod input;
mod observer;
mod stage_lemma;

pub use conditions::GeneralCorrelationConditions;
pub use correlations::strongest_correlations;
pub use decomposition::{Decomposition, ErrorNorms};
pub use input::MatrixError;
pub use observer::DecompositionObserver;
pub use stage_lemma::{StageCheck, StageLemmaReport};
