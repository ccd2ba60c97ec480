//! Used by several commands.

pub(crate) mod help_all;
mod name_detection;
mod named_tables;
mod order;

pub(crate) use name_detection::NameDetection;
pub(crate) use named_tables::{components_table, weights_table};
pub(crate) use order::OrderArgs;
