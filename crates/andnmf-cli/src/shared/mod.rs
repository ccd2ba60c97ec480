//! What commands have in common.

pub(crate) mod cancel;
mod common;
mod input;
pub(crate) mod json;
mod nearest;
mod output;
mod progress;

pub(crate) use common::Common;
pub(crate) use input::{DataArgs, Precision, ReadArgs, reading};
pub(crate) use nearest::{did_you_mean, nearest};
pub(crate) use output::{OutputFolder, overwrite, writing};
pub(crate) use progress::Progress;
