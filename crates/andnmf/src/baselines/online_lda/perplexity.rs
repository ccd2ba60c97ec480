//! How well topics explain documents: the variational bound on their likelihood.

use rayon::prelude::*;

use super::documents::Documents;
use super::e_step::{Document, EStep};
use super::posterior::{Posterior, WordWeights};
use super::special::{digamma, ln_gamma};
use crate::Real;

/// Words that one thread works on at a time.
const WORDS_AT_ONCE: usize = 256;

/// A lower bound on the logarithm of the likelihood of documents, in its two parts.
///
/// ```
/// let bound = andnmf::baselines::Bound { documents: -690.0, topics: -230.0, words: 100.0 };
/// assert_eq!(bound.document_perplexity().ln().round(), 7.0);
/// assert_eq!(bound.perplexity().ln().round(), 9.0);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bound {
    /// The documents, given the topics.
    pub documents: f64,
    /// The topics, given their prior. It does not depend on the documents.
    pub topics: f64,
    /// Number of words of the documents: the sum of all values, scaled as the settings say.
    pub words: f64,
}

impl Bound {
    /// exp(−bound/words) with both parts of the bound, as scikit-learn's
    /// `LatentDirichletAllocation.perplexity` has it. On few documents the topics' part outweighs theirs. It is 1
    /// where there are no words.
    #[must_use]
    pub fn perplexity(&self) -> f64 {
        per_word(self.documents + self.topics, self.words)
    }

    /// exp(−bound/words) of the documents alone, as the paper has it (Hoffman, Blei & Bach 2010, section 4): the
    /// number of words among which the topics leave a choice, on average. It is 1 where there are no words.
    #[must_use]
    pub fn document_perplexity(&self) -> f64 {
        per_word(self.documents, self.words)
    }
}

fn per_word(bound: f64, words: f64) -> f64 {
    if words > 0.0 { (-bound / words).exp() } else { 1.0 }
}

/// The part of one document, which must have just been solved, and its number of words.
pub(super) fn document_bound<T: Real>(
    step: &EStep,
    documents: &Documents<T>,
    number: usize,
    weights: &WordWeights<T>,
    solved: &Document<T>,
) -> (f64, f64) {
    let gamma = solved.gamma();
    let total: f64 = gamma.iter().sum();
    let psi_of_total = digamma(total);
    let left_out = solved.ln_left_out() - psi_of_total;
    let uses = documents.starts[number]..documents.starts[number + 1];
    let (mut bound, mut words) = (0.0, 0.0);
    for ((&word, count), ratio) in
        documents.words[uses.clone()].iter().zip(&documents.counts[uses]).zip(solved.ratios())
    {
        let (count, ratio) = (count.as_f64(), ratio.as_f64());
        // The ratio is the count over Σ_k θ_k β_kw, but for the factors left out.
        bound += count * ((count / ratio).ln() + left_out + weights.ln_left_out[word]);
        words += count;
    }
    let prior = step.prior;
    let ln_gamma_of_prior = ln_gamma(prior);
    for &gamma in gamma {
        bound += (prior - gamma) * (digamma(gamma) - psi_of_total) + ln_gamma(gamma) - ln_gamma_of_prior;
    }
    (bound + ln_gamma(prior * gamma.len() as f64) - ln_gamma(total), words)
}

/// The part of the topics.
pub(super) fn topic_bound<T: Real>(posterior: &Posterior<T>, eta: f64) -> f64 {
    let (rank, features) = (posterior.rank(), posterior.features());
    let psi_of_totals: Vec<f64> = posterior.totals().map(digamma).collect();
    let ln_gamma_of_prior = ln_gamma(eta);
    let pieces: Vec<f64> = (0..features.div_ceil(WORDS_AT_ONCE))
        .into_par_iter()
        .map(|piece| {
            let words = piece * WORDS_AT_ONCE..((piece + 1) * WORDS_AT_ONCE).min(features);
            let term = |place: usize| {
                let lambda = posterior.at(place);
                let expected = digamma(lambda) - psi_of_totals[place % rank];
                (eta - lambda) * expected + ln_gamma(lambda) - ln_gamma_of_prior
            };
            (words.start * rank..words.end * rank).map(term).sum()
        })
        .collect();
    let of_totals = |total| ln_gamma(eta * features as f64) - ln_gamma(total);
    pieces.iter().sum::<f64>() + posterior.totals().map(of_totals).sum::<f64>()
}
