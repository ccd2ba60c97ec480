//! Files, texts and pictures for [`andnmf`]: everything between what users have and samples, and between a fit and
//! what is left of it.
//!
//! * [`read`], [`write`](fn@write), [`OnDisk`], [`SampleStream`]: matrices with the names of their rows and columns, from
//!   files and into files, read at once, block by block, or as they come.
//! * [`text`]: from documents to counts of words.
//! * [`model`]: a fitted model, in a file and on new samples.
//!
//! The numerical library knows none of this and builds without it.

// Printing is left to the programs that call the library.
#![warn(clippy::print_stdout, clippy::print_stderr)]

mod files;
pub mod model;
#[cfg(test)]
#[allow(dead_code)] // shared with the numerical library, whose tests use all of it
#[path = "../../andnmf/src/testing/mod.rs"]
mod testing;
pub mod text;

#[cfg(test)]
use andnmf::Real;
pub use files::*;
