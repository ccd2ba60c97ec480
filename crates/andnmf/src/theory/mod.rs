//! The paper's theory: the conditions of its theorems, their bounds, and how a run with a known truth compares.
//!
//! * [`GeneralCorrelationConditions`] estimates r, k, m, λ and the decay order q from weights.
//! * [`WeightReport`] adds the largest correlations.
//! * [`bounds`] evaluates the bounds of the theorems for such values.
//! * [`Decomposition`] splits components into scale, mixing and outside error relative to a truth.
//! * [`StageLemmaReport`] compares the errors along a run with the prediction of the stage lemma.
//!
//! This module computes numbers only; verdicts are in [`crate::diagnose`].

pub mod bounds;
mod conditions;
mod correlations;
mod decay;
mod decomposition;
mod input;
mod observer;
#[cfg(test)]
mod propositions;
mod scaling;
mod stage_lemma;
mod weight_report;

pub use conditions::GeneralCorrelationConditions;
pub use correlations::strongest_correlations;
pub use decomposition::{Decomposition, ErrorNorms};
pub use input::MatrixError;
pub use observer::DecompositionObserver;
pub use scaling::Scaling;
pub use stage_lemma::{StageCheck, StageLemmaReport};
pub use weight_report::{PairValue, WeightReport};
