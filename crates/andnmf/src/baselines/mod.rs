//! Baseline methods for the same problem, with the same interface: [`Solver`](crate::fit::Solver).
//!
//! A comparison needs strong baselines, so each aims to match its best implementation elsewhere.
//!
//! * [`Anls`]: alternating non-negative least squares.
//! * [`Hals`]: hierarchical alternating least squares.
//! * [`MinVolume`]: HALS with a penalty on the volume that the components span.
//! * [`AnchorWords`]: topic recovery from anchor words, each of which occurs in one topic only.
//! * [`Mu`]: multiplicative updates, for the squared error and the Kullback–Leibler divergence.
//! * [`PoissonNmf`]: the factorization of largest likelihood of counts.
//! * [`OnlineLda`]: online variational Bayes for latent Dirichlet allocation.

mod alternating;
pub mod anchor_words;
mod anls;
mod hals;
mod min_volume;
mod mu;
mod online_lda;
mod poisson_nmf;

pub use crate::settings::Compress;
pub(crate) use alternating::{Factors, WeightPass};
pub use anchor_words::{AnchorWords, AnchorWordsParams};
pub(crate) use anls::ExactRule;
pub use anls::{Anls, AnlsParams};
pub use hals::{Hals, HalsParams};
pub(crate) use hals::{SweepRule, improve_by_hals};
pub use min_volume::{MinVolume, MinVolumeParams};
pub(crate) use mu::MultiplicativeRule;
pub use mu::{Mu, MuLoss, MuParams};
pub use online_lda::{LdaTopics, LikelihoodBound, OnlineLda, OnlineLdaParams};
pub use poisson_nmf::{PoissonNmf, PoissonNmfParams};
