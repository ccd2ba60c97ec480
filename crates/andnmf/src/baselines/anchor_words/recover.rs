//! Topic recovery: every word as a mixture of the anchors, and the topics by Bayes' rule.
//!
//! If topic k has the anchor s_k, the row of word i is Σ_k C_ik · (row of s_k), where C_ik is the probability that
//! word i comes from topic k. By Bayes' rule, the probability of word i in topic k is proportional to C_ik p_i.

use ndarray::{Array1, Array2, ArrayView1, Axis, s};

use super::cooccurrence::Cooccurrences;
use super::params::Recover;
use super::recover_kl::KlProblem;
use super::simplex_qp::SimplexQp;
use super::tiles::{multiply_by_transposed, try_for_each_tile};
use crate::SamplesError;
use crate::linalg::product::multiply;

/// Words per parallel task.
const TILE: usize = 16;

/// The mixtures of all words.
#[derive(Debug)]
pub(super) struct Mixtures {
    /// C, words × topics: rows sum to 1, or are zero for words without co-occurrences.
    pub(super) weights: Array2<f64>,
    /// The largest duality gap of any word.
    pub(super) largest_gap: f64,
}

/// Expresses every word as a mixture of the anchors.
///
/// # Errors
/// If `stop` cancels it.
pub(super) fn recover(
    pairs: &Cooccurrences,
    anchors: &[usize],
    distance: Recover,
    tolerance: f64,
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<Mixtures, SamplesError> {
    let (n_words, rank) = (pairs.n_words(), anchors.len());
    let corners = pairs.conditional.select(Axis(0), anchors);
    let gram = multiply(corners.view(), corners.t());
    let products = multiply_by_transposed(pairs.conditional.view(), corners.view());
    let divergence = match distance {
        Recover::L2 => None,
        Recover::Kl => Some(KlProblem::new(&corners, tolerance)),
    };
    // The weights of each word, followed by its duality gap.
    let mut solved = Array2::zeros((n_words, rank + 1));
    try_for_each_tile(&mut solved, TILE, |first, mut solved| {
        let mut solver = SimplexQp::new(rank);
        let words = first..first + solved.nrows();
        for (word, mut solved) in words.clone().zip(solved.outer_iter_mut()) {
            if stop() {
                return Err(SamplesError::Cancelled);
            }
            if pairs.probabilities[word] > 0.0 {
                let (row, linear) = (pairs.conditional.row(word), products.row(word));
                let size = row.dot(&row);
                let (gram, linear) = (gram.as_slice(), linear.as_slice());
                let (gram, linear) = (gram.expect("row-major"), linear.expect("row-major"));
                solved[rank] = solver.minimize(gram, linear, tolerance * size) / size;
                solved.slice_mut(s![..rank]).assign(&ArrayView1::from(solver.weights()));
            }
        }
        if let Some(divergence) = &divergence {
            let targets = pairs.conditional.slice(s![words, ..]);
            let (weights, mut gaps) = solved.view_mut().split_at(Axis(1), rank);
            gaps.column_mut(0).assign(&divergence.minimize(targets, weights, stop)?);
        }
        Ok(())
    })?;
    let largest_gap = solved.column(rank).iter().copied().fold(0.0, f64::max);
    let mut weights = solved.slice_move(s![.., ..rank]);
    // An anchor belongs to its topic alone; the solvers find this only up to rounding.
    for (topic, &anchor) in anchors.iter().enumerate() {
        weights.row_mut(anchor).fill(0.0);
        weights[[anchor, topic]] = 1.0;
    }
    Ok(Mixtures { weights, largest_gap })
}

impl Mixtures {
    /// The topics, topics × words with rows that sum to 1, and the share of each topic in all tokens.
    pub(super) fn topics(&self, pairs: &Cooccurrences) -> (Array2<f64>, Array1<f64>) {
        let mut topics = self.weights.t().as_standard_layout().into_owned();
        let probabilities = ArrayView1::from(&pairs.probabilities);
        let mut shares = Array1::zeros(topics.nrows());
        for (mut topic, share) in topics.outer_iter_mut().zip(&mut shares) {
            topic *= &probabilities;
            // Positive: the topic's anchor occurs in the corpus.
            *share = topic.sum();
            topic /= *share;
        }
        (topics, shares)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_close, random_matrix};

    /// Topics × words with the first words as anchors; rows sum to 1.
    pub(crate) fn separable_topics(rank: usize, words: usize, seed: u64) -> Array2<f64> {
        let mut topics = random_matrix::<f64>(rank, words, seed).mapv(|v| v.abs().powi(3));
        for mut topic in topics.outer_iter_mut() {
            topic /= topic.sum();
        }
        for k in 0..rank {
            topics.column_mut(k).fill(0.0);
            topics[[k, k]] = 0.05;
        }
        for mut topic in topics.outer_iter_mut() {
            topic /= topic.sum();
        }
        topics
    }

    fn joint(topics: &Array2<f64>, seed: u64) -> Array2<f64> {
        let rank = topics.nrows();
        let documents = random_matrix::<f64>(50, rank, seed).mapv(|v| v.abs().powi(4));
        let mut correlations = documents.t().dot(&documents);
        correlations /= correlations.sum();
        topics.t().dot(&correlations).dot(topics)
    }

    #[test]
    fn exact_cooccurrences_recover_the_topics() {
        let topics = separable_topics(8, 60, 1);
        let pairs = Cooccurrences::from_joint(joint(&topics, 2));
        let anchors: Vec<usize> = (0..8).collect();
        for distance in [Recover::L2, Recover::Kl] {
            let mixtures = recover(&pairs, &anchors, distance, 1e-14, &|| false).unwrap();
            assert!(mixtures.largest_gap < 1e-13, "{:e}", mixtures.largest_gap);
            let (recovered, shares) = mixtures.topics(&pairs);
            assert_close(&recovered, &topics, 1e-6);
            assert!((shares.sum() - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn words_that_never_occur_belong_to_no_topic() {
        let mut topics = separable_topics(3, 20, 1);
        topics.column_mut(10).fill(0.0);
        let pairs = Cooccurrences::from_joint(joint(&topics, 2));
        for distance in [Recover::L2, Recover::Kl] {
            let mixtures = recover(&pairs, &[0, 1, 2], distance, 1e-9, &|| false).unwrap();
            assert!(mixtures.weights.row(10).iter().all(|&v| v == 0.0));
            let (recovered, _) = mixtures.topics(&pairs);
            assert!(recovered.column(10).iter().all(|&v| v == 0.0));
            assert!(recovered.outer_iter().all(|topic| (topic.sum() - 1.0).abs() < 1e-14));
        }
    }

    #[test]
    fn recovery_can_be_cancelled() {
        let pairs = Cooccurrences::from_joint(joint(&separable_topics(3, 20, 1), 2));
        let error = recover(&pairs, &[0, 1, 2], Recover::Kl, 1e-9, &|| true).unwrap_err();
        assert_eq!(error, SamplesError::Cancelled);
    }
}
