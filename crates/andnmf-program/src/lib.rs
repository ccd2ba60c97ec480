//! What the programs of this workspace share: the command `andnmf`, and `andnmf-lab`, which reproduces the paper.
//!
//! Options of every command ([`Common`]), input files ([`FileArgs`], [`corpus`]), output folders ([`OutputFolder`]),
//! [`Progress`], Ctrl-C ([`cancel`]), errors with exit statuses ([`Failure`]), identities of inputs ([`Fingerprint`]),
//! and fits to generated data with a known truth ([`Experiment`]). Each is written once, so that both programs behave
//! alike, and neither depends on the other.

pub mod cancel;
mod common;
pub mod corpus;
mod experiment;
mod failure;
mod fingerprint;
mod input;
pub mod json;
mod nearest;
mod output;
mod progress;

pub use common::Common;
pub use experiment::{Experiment, ExperimentError, Outcome, StageRow, StartFrom};
pub use failure::Failure;
pub use fingerprint::Fingerprint;
pub use input::{DataArgs, FileArgs, Precision, ReadArgs, YesNo, reading};
pub use nearest::{did_you_mean, did_you_mean_file, nearest};
pub use output::{OutputFolder, Staged, overwrite, writing};
pub use progress::Progress;
