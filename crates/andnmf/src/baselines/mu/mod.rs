//! Multiplicative updates (Lee & Seung 2001).
//!
//! **Method.** Weights X and then components A are multiplied, entry by entry, with the quotient of the two parts
//! of the gradient, which never raises the loss and keeps them non-negative without any step length:
//!
//! * squared error ‖Y − X·A‖²: X ← X ∘ (Y·Aᵀ)⁺ / (X·A·Aᵀ), then A ← A ∘ (Xᵀ·Y)⁺ / (Xᵀ·X·A);
//! * Kullback–Leibler divergence Σ y·ln(y/ŷ) − y + ŷ, with R = Y/(X·A): X ← X ∘ (R·Aᵀ) / (row sums of A), then,
//!   with R anew, A ← A ∘ (Xᵀ·R) / (column sums of X);
//! * signed components (semi-NMF, Ding, Li & Jordan 2010): X ← X ∘ √(((Y·Aᵀ)⁺ + X·G⁻) / ((Y·Aᵀ)⁻ + X·G⁺)) with
//!   G = A·Aᵀ, and the components by least squares.
//!
//! ⁺ and ⁻ stand for the positive and the negative part of each entry. With non-negative samples they change
//! nothing. With negative ones the update is still the best one of a bound on the loss (Sha, Lin, Saul & Lee 2007),
//! and moves further than the square root that Ding et al. take there too.
//!
//! **What it finds.** A factorization that fits, near the start: not the true components unless they are the only
//! ones that fit. It is the classic method, and a slow one.
//!
//! **At the edges.** An entry that is zero stays zero: weights therefore begin equal and positive for each sample,
//! at the best common value, and zeros (and negative entries) of the starting components begin as a small share of
//! the mean of their component. 0/0 is taken as 0; numbers too small to have all their digits become 0; a
//! component that no sample uses stays as it is.
//!
//! The loss recorded for a stage is that after it for the squared error. The divergence after the components'
//! update would cost another pass: its record is that of the new weights with the components before their update,
//! which is never less.

mod blocks;
mod dense;
mod divergence;
mod params;
mod quotients;
mod ratio;
mod solver;
mod sparse;
mod squared;
mod start;

pub use params::{Mu, MuLoss, MuParams};
pub(crate) use solver::MultiplicativeRule;
