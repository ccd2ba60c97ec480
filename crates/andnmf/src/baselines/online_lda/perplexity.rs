//! Perplexity: the variational bound on the likelihood of documents (ELBO).

use rayon::prelude::*;

use super::documents::DocumentBatch;
use super::e_step::{DocumentPosterior, EStep};
use super::posterior::{Posterior, WordWeights};
use crate::Real;
use crate::linalg::special::{digamma, ln_gamma};

/// Words per parallel task.
const WORDS_PER_TASK: usize = 256;

/// A lower bound on the log-likelihood of documents (ELBO), as two terms.
///
/// ```
/// let bound = andnmf::baselines::LikelihoodBound { documents: -690.0, topics: -230.0, words: 100.0 };
/// assert_eq!(bound.document_perplexity().ln().round(), 7.0);
/// assert_eq!(bound.perplexity().ln().round(), 9.0);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LikelihoodBound {
    /// The term of the documents, given the topics.
    pub documents: f64,
    /// The term of the topics, given their prior. It does not depend on the documents.
    pub topics: f64,
    /// Number of words of the documents: the sum of all values times `sample_scale`.
    pub words: f64,
}

impl LikelihoodBound {
    /// exp(−bound/words) with both terms, as scikit-learn's `LatentDirichletAllocation.perplexity`. For few documents
    /// the term of the topics dominates. It is 1 if there are no words.
    #[must_use]
    pub fn perplexity(&self) -> f64 {
        per_word(self.documents + self.topics, self.words)
    }

    /// exp(−bound/words) of the documents alone, as in the paper (Hoffman, Blei & Bach 2010, section 4): the effective
    /// number of equally likely words at each position. It is 1 if there are no words.
    #[must_use]
    pub fn document_perplexity(&self) -> f64 {
        per_word(self.documents, self.words)
    }
}

fn per_word(bound: f64, words: f64) -> f64 {
    if words > 0.0 { (-bound / words).exp() } else { 1.0 }
}

/// The bound and the number of words of one document, from its E-step.
pub(super) fn document_bound<T: Real>(
    step: &EStep,
    documents: &DocumentBatch<T>,
    number: usize,
    weights: &WordWeights<T>,
    solved: &DocumentPosterior<T>,
) -> (f64, f64) {
    let gamma = solved.gamma();
    let total: f64 = gamma.iter().sum();
    let psi_of_total = digamma(total);
    let scale = solved.ln_scale() - psi_of_total;
    let uses = documents.starts[number]..documents.starts[number + 1];
    let (mut bound, mut words) = (0.0, 0.0);
    for ((&word, count), ratio) in
        documents.words[uses.clone()].iter().zip(&documents.counts[uses]).zip(solved.ratios())
    {
        let (count, ratio) = (count.as_f64(), ratio.as_f64());
        // The ratio is count / Σ_k θ_k β_kw, up to the scales.
        bound += count * ((count / ratio).ln() + scale + weights.ln_scale[word]);
        words += count;
    }
    let prior = step.prior;
    let ln_gamma_of_prior = ln_gamma(prior);
    for &gamma in gamma {
        bound += (prior - gamma) * (digamma(gamma) - psi_of_total) + ln_gamma(gamma) - ln_gamma_of_prior;
    }
    (bound + ln_gamma(prior * gamma.len() as f64) - ln_gamma(total), words)
}

/// The term of the topics.
pub(super) fn topic_bound<T: Real>(posterior: &Posterior<T>, eta: f64) -> f64 {
    let (rank, features) = (posterior.rank(), posterior.features());
    let psi_of_totals: Vec<f64> = posterior.totals().map(digamma).collect();
    let ln_gamma_of_prior = ln_gamma(eta);
    let pieces: Vec<f64> = (0..features.div_ceil(WORDS_PER_TASK))
        .into_par_iter()
        .map(|piece| {
            let words = piece * WORDS_PER_TASK..((piece + 1) * WORDS_PER_TASK).min(features);
            let term = |index: usize| {
                let lambda = posterior.at(index);
                let expected = digamma(lambda) - psi_of_totals[index % rank];
                (eta - lambda) * expected + ln_gamma(lambda) - ln_gamma_of_prior
            };
            (words.start * rank..words.end * rank).map(term).sum()
        })
        .collect();
    let of_totals = |total| ln_gamma(eta * features as f64) - ln_gamma(total);
    pieces.iter().sum::<f64>() + posterior.totals().map(of_totals).sum::<f64>()
}
