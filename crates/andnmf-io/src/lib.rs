//! Input and output for [`andnmf`]: matrix files, text corpora, images and fitted models.
//!
//! * [`read`], [`write`](fn@write): a matrix with its row and column names ([`SampleTable`]), from and to files.
//! * [`OnDisk`]: samples that stay in their file and are read block by block (out of core).
//! * [`SampleStream`]: batches from a stream that can be read only once.
//! * [`text`]: documents to word counts.
//! * [`images`]: folders of images to samples, components to images.
//! * [`model`]: fitted models, saved, loaded and applied to new samples.
//!
//! The numerical library does not depend on this crate.

// A library prints nothing.
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
