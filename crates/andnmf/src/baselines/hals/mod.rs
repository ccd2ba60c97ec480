//! Hierarchical alternating least squares (Cichocki, Zdunek & Amari 2007).
//!
//! **Method.** One weight after the other, then one component after the other, takes the value that is best
//! while everything else stays: a projected coordinate descent on ‖Y − X·A‖², run on products with the samples
//! (Gram matrices), so that the residual is never formed. The loss never rises.
//!
//! **What it finds.** A factorization that fits, near the start: not the true components unless they are the
//! only ones that fit.
//!
//! **Beyond the textbook.** Several sweeps over the weights and components for each pass over the samples, since
//! sweeps are cheap beside the pass (Gillis & Glineur 2012); components that come to nothing begin anew.

mod components;
mod params;
mod solver;
mod sweep;
mod tile;

pub use params::{Hals, HalsParams};
pub(crate) use solver::{SweepRule, improve_by_hals};
pub(super) use tile::Tile;
