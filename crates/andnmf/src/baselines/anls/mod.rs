//! Alternating non-negative least squares (Paatero & Tapper 1994) by block principal pivoting (Kim & Park 2008,
//! 2011).
//!
//! **Method.** Alternates two exact non-negative least-squares problems: the optimal weights for fixed components, then
//! the optimal components for fixed weights, both computed from products with the samples; see
//! [`nnls`](mod@crate::nnls). The loss never rises, and every limit point is stationary.
//!
//! **Result.** A local optimum near the initialization: not the true components unless they are the only ones that fit.
//!
//! **Beyond the textbook.** Each stage starts with the passive sets of the previous one, which hardly change after the
//! first few stages; optionally signed components; dead components are reinitialized.

mod params;
mod solver;
#[cfg(test)]
mod tests;

pub use params::{Anls, AnlsParams};
pub(crate) use solver::ExactRule;
