//! Experiments of the AND paper: [`mod@reproduce`] runs them and judges the paper's claims, [`figure`] draws the
//! results.
//!
//! The program `andnmf-lab` of this package runs them.

pub mod figure;
mod off_span;
pub mod reproduce;

pub use off_span::{Norm, with_out_of_span_share};
