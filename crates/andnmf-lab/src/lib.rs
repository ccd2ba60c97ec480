//! Experiments with a known truth: a dataset recipe and a solver's settings in, recovery per stage out.
//!
//! An experiment is data (it can be stored and compared); one runner serves them all. The truth only watches:
//! it is used to measure, off the solver's clock, never to fit. What came out is shown by [`report`],
//! and drawn by [`figure`].

mod base64;
mod experiment;
pub mod figure;
pub mod report;

pub use experiment::{Experiment, ExperimentError, Outcome, StageRow, StartFrom};
