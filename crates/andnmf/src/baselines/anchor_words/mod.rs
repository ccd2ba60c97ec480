//! Anchor words: topics from words that only one of them uses (Arora, Ge, Halpern, Mimno, Moitra, Sontag, Wu & Zhu,
//! ICML 2013).
//!
//! **Problem.** Documents draw their tokens from mixtures of topics, each a distribution over words. Given how often
//! each word occurs in each document, find the topics.
//!
//! **Method.** Count how often words occur together, in whichever document: the matrix Q, words × words. Its rows,
//! scaled to distributions, are mixtures of the rows of the anchors, which are found as the corners of all rows. The
//! weights of those mixtures, and how frequent each word is, give the topics by Bayes' rule.
//!
//! **Assumed.** Every topic has an anchor: a word that occurs in no other topic, and not too rarely. No topic is a
//! mixture of the others on average. Nothing is assumed of how topics are correlated.
//!
//! **Where this deviates from the paper.** Mixtures are found by an active-set method (squared distance) or by
//! sequential quadratic programming (divergence) in place of exponentiated gradients: the same minima, to a duality gap
//! that is reported. Each word is projected to a few random coordinates instead of all. The paper's last step, which
//! looks for each anchor again with the others fixed, is left out, as in the authors' own code.
//!
//! ```
//! use andnmf::baselines::anchor_words::AnchorWordsParams;
//! use andnmf::samples::DenseSamples;
//!
//! // Two topics: words 0 and 1 go together, and so do 2 and 3.
//! let corpus = ndarray::array![[4.0, 2.0, 0.0, 0.0], [0.0, 0.0, 3.0, 6.0], [2.0, 1.0, 0.0, 0.0], [2.0, 1.0, 2.0, 4.0]];
//! let topics = AnchorWordsParams::new(2).check()?.topics(&DenseSamples::new(corpus.view())?)?;
//! assert_eq!(topics.components.dim(), (2, 4));
//! assert!(topics.components.outer_iter().all(|topic| (topic.sum() - 1.0_f64).abs() < 1e-12));
//! # Ok::<(), andnmf::FitError>(())
//! ```

mod anchors;
mod cooccurrence;
mod documents;
mod params;
mod recover;
mod recover_kl;
mod simplex_qp;
mod solver;
mod tiles;
mod topics;

pub use cooccurrence::MOST_WORDS;
pub use params::{AnchorWords, AnchorWordsParams, Recover, Values};
pub use topics::AnchorTopics;
