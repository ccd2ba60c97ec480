//! Alternating non-negative least squares (Paatero & Tapper 1994) by block principal pivoting (Kim & Park 2008,
//! 2011).
//!
//! **Method.** All weights take the values that are best while the components stay, then all components those that
//! are best while the weights stay. Both are exact solutions of non-negative least squares, found from products
//! with the samples; see [`nnls`](mod@crate::nnls). The loss never rises, and every limit point is stationary.
//!
//! **What it finds.** A factorization that fits, near the start: not the true components unless they are the
//! only ones that fit.
//!
//! **Beyond the textbook.** Each stage begins with the passive sets of the last one, which hardly change after the
//! first few; components of any sign if that is wanted; components that come to nothing begin anew.

mod params;
mod solver;
#[cfg(test)]
mod tests;

pub use params::{Anls, AnlsParams};
pub(crate) use solver::ExactRule;
