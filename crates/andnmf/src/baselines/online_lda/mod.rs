//! Online variational Bayes for latent Dirichlet allocation (Hoffman, Blei & Bach, NIPS 2010).
//!
//! **Problem.** Documents are bags of words: each has topic proportions θ, and each topic is a distribution β over
//! words, both with sparse Dirichlet priors. Infer the topics from word counts.
//!
//! **Method.** The E-step of each document of a batch alternates γ (the parameters of its posterior over θ) and φ
//! (the topic proportions of each word); the M-step then moves the parameters λ of the topics towards the estimate of
//! the batch:
//!
//! ```text
//! φ_kw ∝ exp(E[log θ_k] + E[log β_kw])        γ_k = α + Σ_w count_w φ_kw
//! λ ← (1 − ρ) λ + ρ (η + n/batch · Σ_d count_w φ_kw)        ρ = (tau0 + t)^−kappa
//! ```
//!
//! A stage is one pass over the documents. The components are E[β] and the weights E[θ]; the rows of both sum to 1. The
//! weights take one more pass at the end, which is skipped if the run was cancelled or reached its time limit. The
//! checkpoint stores λ; [`OnlineLda::topics`] applies it to other documents, and [`LdaTopics::learn`] goes on from documents
//! that arrive in portions.
//!
//! **Assumptions.** Non-negative word counts; see [`OnlineLdaParams::sample_scale`] for other mixtures. The model
//! treats the topics of a document as nearly independent, so strongly correlated weights violate it.
//!
//! **Deviations from the paper.** Several passes over the documents, each in a new random order, with batches of equal
//! size. E-steps are initialized with uniform instead of random proportions.

mod batch_e_step;
mod documents;
mod e_step;
mod expectations;
mod init;
mod learn;
mod params;
mod perplexity;
mod posterior;
mod solver;
mod stage;
mod state;
mod topics;

pub use params::{OnlineLda, OnlineLdaParams};
pub use perplexity::LikelihoodBound;
pub use topics::LdaTopics;
