//! Minimum-volume factorization: among the factorizations that fit, the one whose components span least.
//!
//! **Method.** Minimises ‖Y − X·A‖² + λ·log det(A·Aᵀ + δI) with non-negative weights X and components A that are
//! non-negative and sum to 1 each (of any sign and length 1 where they may be negative). The logarithm is
//! replaced by its tangent (Fu, Huang, Yang, Ma & Sidiropoulos 2016; Leplat, Ang & Gillis 2019), which leaves a
//! problem of the same form as that of [HALS](super::Hals): each component in turn takes its best value.
//!
//! **What it finds.** The true components, without any anchor, where the weights are spread widely enough and λ
//! suits the noise. Its strength and its weakness is λ: too small and the components stay where the fit left
//! them, too large and they are pulled inwards.

mod params;
mod project;
mod solver;

pub use params::{MinVolume, MinVolumeParams};
