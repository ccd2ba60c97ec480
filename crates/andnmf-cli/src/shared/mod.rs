//! What commands have in common.

pub(crate) mod cancel;
mod common;
mod input;
pub(crate) mod json;
mod layout;
mod memory;
mod nearest;
mod output;
mod progress;

pub(crate) use common::Common;
pub(crate) use input::{DataArgs, FileArgs, Precision, ReadArgs, reading};
pub(crate) use layout::Layout;
pub(crate) use memory::{Bytes, available as available_memory};
pub(crate) use nearest::{did_you_mean, did_you_mean_file, nearest};
pub(crate) use output::{OutputFolder, overwrite, writing};
pub(crate) use progress::Progress;
