//! Poisson NMF: the components and weights of largest likelihood of counts.
//!
//! **Problem.** Counts y ~ Poisson(X·A) with non-negative weights X and components A. The largest likelihood is the smallest
//! generalized Kullback–Leibler divergence Σ y·ln(y/ŷ) − y + ŷ with ŷ = X·A.
//!
//! **Method.** With components that sum to one the weights of a sample sum to its counts, and the problem is that of shares θ
//! with f = Σ_k θ_k a_k:
//!
//! ```text
//! shares       θ_k ← θ_k Σ_w (c_w/f_w) a_kw / Σ c        some sweeps
//! components   a_kw ← a_kw Σ_samples (c_w/f_w) θ_k, scaled to sum one
//! ```
//!
//! This is expectation-maximization, the same as multiplicative updates. It is slow where components overlap; a stage
//! therefore makes several such passes, with Nesterov's momentum on the logarithms of shares and components. A pass that lowers the
//! likelihood is taken back, so that the loss never rises from stage to stage.
//!
//! **Result.** A local optimum near the start. Components sum to one; a row of weights sums to the counts of its sample. Cost of
//! a pass: stored values × rank, dense or sparse.

mod params;
mod solver;

pub use params::{PoissonNmf, PoissonNmfParams};
