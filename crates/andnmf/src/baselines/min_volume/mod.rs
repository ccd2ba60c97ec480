//! Minimum-volume factorization: of all factorizations that fit, the one whose components span the smallest volume.
//!
//! **Method.** Minimises ‖Y − X·A‖² + λ·log det(A·Aᵀ + δI) with non-negative weights X and components A that are
//! non-negative and sum to 1 each (of any sign and length 1 where they may be negative). The logarithm is
//! replaced by its tangent (Fu, Huang, Yang, Ma & Sidiropoulos 2016; Leplat, Ang & Gillis 2019), which leaves a
//! problem of the same form as that of [HALS](super::Hals): each component in turn takes its best value.
//!
//! **Result.** The true components, without anchors (pure samples), if the weights are spread widely enough and λ suits
//! the noise. If λ is too small, the penalty has no effect; if it is too large, it pulls the components inwards.

mod params;
mod project;
mod solver;

pub use params::{MinVolume, MinVolumeParams};
