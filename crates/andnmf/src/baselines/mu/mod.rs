//! Multiplicative updates (Lee & Seung 2001).
//!
//! **Method.** Weights X and then components A are multiplied elementwise by the quotient of the negative and positive
//! parts of the gradient. This never raises the loss and keeps them non-negative without a step size:
//!
//! * squared error ‖Y − X·A‖²: X ← X ∘ (Y·Aᵀ)⁺ / (X·A·Aᵀ), then A ← A ∘ (Xᵀ·Y)⁺ / (Xᵀ·X·A);
//! * Kullback–Leibler divergence Σ y·ln(y/ŷ) − y + ŷ, with R = Y/(X·A): X ← X ∘ (R·Aᵀ) / (row sums of A), then,
//!   with updated R, A ← A ∘ (Xᵀ·R) / (column sums of X);
//! * signed components (semi-NMF, Ding, Li & Jordan 2010): X ← X ∘ √(((Y·Aᵀ)⁺ + X·G⁻) / ((Y·Aᵀ)⁻ + X·G⁺)) with
//!   G = A·Aᵀ, and the components by least squares.
//!
//! ⁺ and ⁻ are the positive and the negative part of each entry; they change nothing if the samples are non-negative.
//! For negative samples the update still minimizes an upper bound of the loss (Sha, Lin, Saul & Lee 2007), and moves
//! further than the square root of Ding et al.
//!
//! **Result.** A local optimum near the initialization: not the true components unless they are the only ones that fit.
//! It is the classic method, and converges slowly.
//!
//! **Edge cases.** An entry that is zero stays zero. Weights of a sample are therefore initialized to their best common
//! positive value, and zero or negative entries of the initial components to a small fraction of the mean of their
//! component. 0/0 is 0; denormal numbers become 0; a component that no sample uses stays unchanged.
//!
//! The loss recorded for a stage is that after it for the squared error. The divergence after the component update
//! would cost another pass: the recorded loss is that of the new weights with the old components, an upper bound.

mod blocks;
mod dense;
mod frobenius;
mod kullback_leibler;
mod params;
mod quotients;
mod ratio;
mod solver;
mod sparse;
mod start;

pub use params::{Mu, MuLoss, MuParams};
pub(crate) use solver::MultiplicativeRule;
pub(super) use start::make_positive;
