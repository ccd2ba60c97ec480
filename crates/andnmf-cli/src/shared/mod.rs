//! What several commands need and no other program does.

mod layout;
mod memory;

pub(crate) use layout::Layout;
pub(crate) use memory::{Bytes, available as available_memory};
