//! Used by several commands.

mod name_detection;
mod order;

pub(crate) use name_detection::NameDetection;
pub(crate) use order::OrderArgs;
