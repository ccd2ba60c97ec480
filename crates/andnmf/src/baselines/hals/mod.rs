//! Hierarchical alternating least squares (Cichocki, Zdunek & Amari 2007).
//!
//! **Method.** Projected coordinate descent on ‖Y − X·A‖²: one weight after the other, then one component after the
//! other, takes its optimal value with everything else fixed. Runs on Gram matrices and products with the samples, so
//! the residual is never formed. The loss never rises.
//!
//! **Result.** A local optimum near the initialization: not the true components unless they are the only ones that fit.
//!
//! **Beyond the textbook.** Several sweeps over the weights and components per pass over the samples, since sweeps
//! are cheap compared to the pass (Gillis & Glineur 2012); dead components are reinitialized.

mod components;
mod params;
mod solver;
mod tile;
mod weights;

pub use params::{Hals, HalsParams};
pub(crate) use solver::{SweepRule, improve_by_hals};
pub(super) use tile::Tile;
