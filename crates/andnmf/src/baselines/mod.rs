//! The other methods for the same problem, under the same contract: [`Solver`](crate::fit::Solver).
//!
//! A comparison is worth something only if the rivals are strong, so each is meant to be as good as its best
//! implementation elsewhere.
//!
//! * [`Anls`]: alternating non-negative least squares.
//! * [`Hals`]: hierarchical alternating least squares.
//! * [`MinVolume`]: the same with a penalty on the volume that the components span.
//! * [`AnchorWords`]: topics from words that only one of them uses.
//! * [`Mu`]: multiplicative updates, for the squared error and the Kullback–Leibler divergence.
//! * [`OnlineLda`]: online variational Bayes for latent Dirichlet allocation.

mod alternating;
pub mod anchor_words;
mod anls;
mod hals;
mod min_volume;
mod mu;
mod online_lda;

pub use crate::settings::Compress;
pub(crate) use alternating::{Factors, WeightPass};
#[cfg(test)]
pub(crate) use alternating::{Passed, WeightRule};
pub use anchor_words::{AnchorWords, AnchorWordsParams};
pub(crate) use anls::ExactRule;
pub use anls::{Anls, AnlsParams};
pub use hals::{Hals, HalsParams};
pub(crate) use hals::{SweepRule, improve_by_hals};
pub use min_volume::{MinVolume, MinVolumeParams};
pub(crate) use mu::MultiplicativeRule;
pub use mu::{Mu, MuLoss, MuParams};
pub use online_lda::{Bound, OnlineLda, OnlineLdaParams, Topics};
