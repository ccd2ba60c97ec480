//! Online variational Bayes for latent Dirichlet allocation (Hoffman, Blei & Bach, NIPS 2010).
//!
//! **Problem.** Documents are bags of words: each has proportions θ of the topics, each topic proportions β of
//! the words, both with sparse Dirichlet priors. Find the topics behind counted words.
//!
//! **Method.** For each document of a batch, γ (the parameters of its θ) and φ (the shares of the topics in each
//! word) are found in turn; then the parameters λ of the topics move towards what the batch says:
//!
//! ```text
//! φ_kw ∝ exp(E[log θ_k] + E[log β_kw])        γ_k = α + Σ_w count_w φ_kw
//! λ ← (1 − ρ) λ + ρ (η + n/batch · Σ_d count_w φ_kw)        ρ = (tau0 + t)^−kappa
//! ```
//!
//! A stage is one pass over the documents. The components are E[β], with rows that sum to 1; the weights are
//! E[θ], whose rows sum to 1 too, found in one more pass at the end (left out where the run was stopped by its
//! flag or its time limit). The checkpoint holds λ; [`OnlineLda::topics`] has it scored on other documents.
//!
//! **Assumed.** Counts of words, not negative; see [`OnlineLdaParams::sample_scale`] for other mixtures. Topics
//! in a document are assumed to be all but independent: strong correlations among weights are against the model.
//!
//! **Where this deviates from the paper.** Documents are taken several times, in a new order for each pass, and
//! batches of a pass are of equal size. E-steps start from even proportions, not from random ones.

mod begin;
mod documents;
mod e_step;
mod expectations;
mod params;
mod perplexity;
mod posterior;
mod solver;
mod special;
mod stage;
mod state;
mod sweep;
mod topics;

pub use params::{OnlineLda, OnlineLdaParams};
pub use perplexity::Bound;
pub use topics::Topics;
