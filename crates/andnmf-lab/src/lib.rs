//! Experiments with a known truth: a dataset recipe and a solver's settings in, recovery per stage out.
//!
//! An experiment is data (it can be stored and compared); one runner serves them all. The truth only watches:
//! it is used to measure, off the solver's clock, never to fit. What came out is drawn by [`figure`]; [`mod@reproduce`]
//! runs the paper's experiments and judges its claims.

mod experiment;
pub mod figure;
mod fingerprint;
mod off_span;
pub mod reproduce;

pub use experiment::{Experiment, ExperimentError, Outcome, StageRow, StartFrom};
pub use fingerprint::Fingerprint;
pub use off_span::with_out_of_span_share;
