//! Used by several commands.

mod memory;
mod name_detection;

pub(crate) use memory::{Bytes, available as available_memory};
pub(crate) use name_detection::NameDetection;
