//! Shared by the programs of this workspace: the command `andnmf`, and `andnmf-lab`, which reproduces the paper.
//!
//! Options of every command ([`CommonArgs`]), input files ([`FileArgs`], [`corpus`]), output folders
//! ([`OutputFolder`]), [`Progress`], Ctrl-C ([`cancel`]), errors with exit statuses ([`Failure`]), hashes of inputs
//! ([`Fingerprint`]) and of checkpoints ([`checksum`]), numbers as people read them ([`format`](mod@format)), and fits
//! to generated data with a known truth ([`Experiment`]).

pub mod cancel;
pub mod checksum;
mod common;
pub mod corpus;
mod experiment;
mod failure;
mod fingerprint;
pub mod format;
mod input;
pub mod json;
mod nearest;
mod output;
mod progress;

pub use common::CommonArgs;
pub use experiment::{Experiment, ExperimentError, ExperimentOutcome, StageRow, StartFrom};
pub use failure::{EXIT_REQUEST, Failure, run_to_exit};
pub use fingerprint::Fingerprint;
pub use input::{DataArgs, FileArgs, Precision, ReadArgs, YesNo, read_failure};
pub use nearest::{did_you_mean, did_you_mean_file, nearest};
pub use output::{OutputFolder, StagedFiles, overwrite, write_failure};
pub use progress::Progress;
