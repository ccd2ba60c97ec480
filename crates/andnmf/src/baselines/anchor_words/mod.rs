//! Anchor words: topic recovery from words that occur in one topic only (Arora, Ge, Halpern, Mimno, Moitra, Sontag,
//! Wu & Zhu, ICML 2013).
//!
//! **Problem.** Documents draw their tokens from mixtures of topics, each a distribution over words. Given the word
//! counts of each document, find the topics.
//!
//! **Method.** Compute the co-occurrence matrix Q, words × words. Its rows, normalized to distributions, are convex
//! combinations of the rows of the anchors, which are the vertices of their convex hull. The weights of the
//! combinations and the word frequencies give the topics by Bayes' rule.
//!
//! **Assumptions.** Every topic has an anchor: a word that occurs in no other topic, and not too rarely (separability).
//! The topic correlation matrix has full rank; topics may otherwise be correlated in any way.
//!
//! **Deviations from the paper.** The weights are computed by an active-set method (squared distance) or sequential
//! quadratic programming (divergence) instead of exponentiated gradient: the same minima, up to a reported duality gap.
//! The random projection is sparse. The paper's last step, which re-selects each anchor with the others fixed, is
//! omitted, as in the authors' code.
//!
//! ```
//! use andnmf::baselines::anchor_words::AnchorWordsParams;
//! use andnmf::samples::DenseSamples;
//!
//! // Two topics: words 0 and 1 co-occur, and so do words 2 and 3.
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

pub use cooccurrence::MAX_WORDS;
pub use params::{AnchorWords, AnchorWordsParams, Recover, ValueKind};
pub use topics::AnchorTopics;
