//! Used by several commands.

mod name_detection;

pub(crate) use name_detection::NameDetection;
