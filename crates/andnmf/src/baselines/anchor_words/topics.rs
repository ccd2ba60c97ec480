//! The topics of a corpus by anchor words.

use ndarray::{Array2, ArrayView1, Axis};

use super::anchors::{find_anchors, project};
use super::cooccurrence::{Cooccurrences, MAX_WORDS, joint};
use super::documents::corpus_statistics;
use super::params::AnchorWords;
use super::recover::recover;
use super::tiles::multiply_by_transposed;
use crate::linalg::product::multiply;
use crate::linalg::pseudo_inverse::pseudo_inverse_of_rows;
use crate::samples::Samples;
use crate::{FitError, Real, SamplesError, SettingError};

/// Passes over the samples: one for document frequencies, one for the co-occurrences.
pub(super) const PASSES: usize = 2;

/// The topics of a corpus.
#[derive(Debug, Clone, PartialEq)]
pub struct AnchorTopics<T: Real> {
    /// Topics × words: the probability of each word in each topic. Rows sum to 1.
    pub components: Array2<T>,
    /// The anchor of each topic, as a word index.
    pub anchors: Vec<usize>,
    /// The share of each topic in all tokens; they sum to 1.
    pub topic_shares: Vec<f64>,
    /// Topics × topics: the probability that two tokens of a document come from these two topics, estimated by least
    /// squares as A† Q A†ᵀ with A the transposed components. Entries may be slightly negative.
    pub topic_correlations: Array2<T>,
    /// The number of linearly independent topics, up to rounding. If it is smaller than the number of topics, their
    /// correlations are not unique.
    pub numerical_rank: usize,
    /// True if the values were interpreted as counts.
    pub counts: bool,
    /// The number of documents with at least one pair of words; all others contribute nothing.
    pub documents_used: usize,
    /// The largest duality gap of any word's mixture, in the unit of the tolerance.
    pub largest_gap: f64,
}

impl AnchorWords {
    /// The topics of a corpus of documents × words, with non-negative counts or weights.
    ///
    /// Runs on the threads of the caller's pool; the result does not depend on their number.
    ///
    /// # Errors
    /// If there are more than [`MAX_WORDS`] words, values are negative, no document has a pair of words, or fewer words
    /// than topics can be anchors.
    ///
    /// ```
    /// use andnmf::baselines::AnchorWordsParams;
    /// use andnmf::samples::DenseSamples;
    ///
    /// let corpus = ndarray::array![[4.0, 2.0, 0.0], [0.0, 1.0, 6.0], [2.0, 1.0, 0.0]];
    /// let topics = AnchorWordsParams::new(2).check()?.topics(&DenseSamples::new(corpus.view())?)?;
    /// assert_eq!(topics.anchors.len(), 2);
    /// # Ok::<(), andnmf::FitError>(())
    /// ```
    pub fn topics<T: Real>(&self, samples: &dyn Samples<T>) -> Result<AnchorTopics<T>, FitError> {
        self.topics_with_stop(samples, &|| false)
    }

    /// Like [`topics`](Self::topics), but returns [`SamplesError::Cancelled`] once `stop` returns true.
    pub(super) fn topics_with_stop<T: Real>(
        &self,
        samples: &dyn Samples<T>,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<AnchorTopics<T>, FitError> {
        let params = self.params();
        let (n_samples, n_features) = (samples.n_samples(), samples.n_features());
        if n_samples == 0 || n_features == 0 {
            return Err(SamplesError::Empty { n_samples, n_features }.into());
        }
        check_size(n_features, params.rank)?;
        let statistics = corpus_statistics(samples, params.values)?;
        let (joint, documents_used) = joint(samples, statistics.counts)?;
        if documents_used == 0 {
            let reason = if statistics.counts {
                "no sample has two tokens, so no words co-occur"
            } else {
                "every value is zero"
            };
            return Err(SamplesError::Unusable { reason: reason.into() }.into());
        }
        let pairs = Cooccurrences::from_joint(joint);
        let anchors = self.anchors(&pairs, &statistics.documents_with, stop)?;
        let mixtures = recover(&pairs, &anchors, params.recover, params.tolerance, stop)?;
        let (topics, shares) = mixtures.topics(&pairs);
        let inverse = pseudo_inverse_of_rows(topics.view()).ok_or(FitError::Overflow { stage: 0 })?;
        let correlations = topic_correlations(&pairs, &inverse.matrix);
        Ok(AnchorTopics {
            components: topics.mapv(T::from_f64),
            anchors,
            topic_shares: shares.to_vec(),
            topic_correlations: correlations.mapv(T::from_f64),
            numerical_rank: inverse.rank,
            counts: statistics.counts,
            documents_used,
            largest_gap: mixtures.largest_gap,
        })
    }

    fn anchors(
        &self,
        pairs: &Cooccurrences,
        documents_with: &[usize],
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<Vec<usize>, FitError> {
        let params = self.params();
        let candidates: Vec<usize> = (0..pairs.n_words())
            .filter(|&word| pairs.probabilities[word] > 0.0 && documents_with[word] >= params.min_documents)
            .collect();
        if candidates.len() < params.rank {
            let (found, min_documents) = (candidates.len(), params.min_documents);
            let expected = format!(
                "only {found} words co-occur with others and are in at least {min_documents} documents; use at most \
                 {found}"
            );
            return Err(SettingError::new("rank", params.rank, expected).into());
        }
        let projected = params
            .projection
            .map(|dimension| dimension.max(params.rank))
            .filter(|&dimension| dimension < pairs.n_words())
            .map(|dimension| project(&pairs.conditional, dimension, params.seed));
        let points = projected.as_ref().unwrap_or(&pairs.conditional).view();
        Ok(find_anchors(points, &candidates, params.rank, stop)??)
    }
}

fn check_size(words: usize, rank: usize) -> Result<(), FitError> {
    if words > MAX_WORDS {
        let reason = format!(
            "there are {words} words, but at most {MAX_WORDS} are supported (co-occurrences are a words × words \
             matrix); keep fewer words, for example those in enough documents"
        );
        return Err(SamplesError::Unusable { reason }.into());
    }
    if rank > words {
        let expected =
            format!("each topic needs its own anchor, and there are {words} words; use at most {words}");
        return Err(SettingError::new("rank", rank, expected).into());
    }
    Ok(())
}

/// A† Q A†ᵀ.
fn topic_correlations(pairs: &Cooccurrences, inverse: &Array2<f64>) -> Array2<f64> {
    let mut right = multiply_by_transposed(pairs.conditional.view(), inverse.view());
    right *= &ArrayView1::from(&pairs.probabilities).insert_axis(Axis(1));
    let product = multiply(inverse.view(), right.view());
    // Make it exactly symmetric.
    (&product + &product.t()) * 0.5
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::baselines::anchor_words::{AnchorWordsParams, Recover, ValueKind};
    use crate::metrics::correlation_error;
    use crate::samples::{CsrSamples, DenseSamples};
    use crate::testing::{assert_close, sparse_copy};

    /// Topics × words; rows sum to 1, and the first words are the anchors.
    fn true_topics(rank: usize, words: usize) -> Array2<f64> {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let mut topics = Array2::from_shape_fn((rank, words), |(k, word)| match word {
            word if word == k => 4.0,
            word if word < rank => 0.0,
            _ => rng.random_range(0.0_f64..1.0).powi(3),
        });
        topics.outer_iter_mut().for_each(|mut topic| topic /= topic.sum());
        topics
    }

    /// Documents of two topics each, with random proportions.
    fn corpus(topics: &Array2<f64>, documents: usize, tokens: usize, seed: u64) -> Array2<f64> {
        let (rank, words) = topics.dim();
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut counts = Array2::zeros((documents, words));
        for mut document in counts.outer_iter_mut() {
            let pair = [rng.random_range(0..rank), rng.random_range(0..rank)];
            let share: f64 = rng.random();
            for _ in 0..tokens {
                let topic = pair[usize::from(rng.random::<f64>() < share)];
                let mut left: f64 = rng.random();
                let hit = topics.row(topic).iter().position(|p| {
                    left -= p;
                    left < 0.0
                });
                document[hit.unwrap_or(words - 1)] += 1.0;
            }
        }
        counts
    }

    fn topics(params: AnchorWordsParams, corpus: &Array2<f64>) -> Result<AnchorTopics<f64>, FitError> {
        params.check()?.topics(&DenseSamples::new(corpus.view())?)
    }

    #[test]
    fn more_documents_bring_the_topics_closer_to_the_truth() {
        let truth = true_topics(5, 40);
        for recover in [Recover::L2, Recover::Kl] {
            let errors = [300, 3_000, 30_000].map(|documents| {
                let params = AnchorWordsParams { recover, ..AnchorWordsParams::new(5) };
                let result = topics(params, &corpus(&truth, documents, 60, 7)).unwrap();
                assert!(result.largest_gap <= 1e-9);
                correlation_error(result.components.view(), truth.view()).unwrap().relative_total()
            });
            assert!(errors[1] < 0.5 * errors[0] && errors[2] < 0.5 * errors[1], "{errors:?}");
            assert!(errors[2] < 0.05, "{errors:?}");
        }
    }

    #[test]
    fn anchors_shares_and_correlations_equal_those_of_the_corpus() {
        let result = topics(AnchorWordsParams::new(4), &corpus(&true_topics(4, 30), 30_000, 60, 3)).unwrap();
        let mut anchors = result.anchors.clone();
        anchors.sort_unstable();
        assert_eq!(anchors, [0, 1, 2, 3]);
        assert!(result.counts && result.documents_used == 30_000 && result.numerical_rank == 4);
        assert!(
            result.topic_shares.iter().all(|share| (share - 0.25).abs() < 0.02),
            "{:?}",
            result.topic_shares
        );
        // Two tokens have the same topic with probability 1/4 (same topic twice) + 3/4 · E[s² + (1 − s)²] = 3/4.
        for ((i, j), v) in result.topic_correlations.indexed_iter() {
            let expected = if i == j { 0.75 / 4.0 } else { 0.25 / 12.0 };
            assert!((v - expected).abs() < 0.02, "{i} {j}: {v} {expected}");
        }
    }

    #[test]
    fn sparse_dense_and_single_precision_samples_and_any_number_of_threads_agree() {
        let corpus = corpus(&true_topics(4, 200), 300, 30, 5);
        let (pointers, indices, values) = sparse_copy(&corpus);
        let sparse = CsrSamples::new(200, &pointers, indices, values).unwrap();
        for recover in [Recover::L2, Recover::Kl] {
            let params = AnchorWordsParams { recover, projection: Some(50), ..AnchorWordsParams::new(4) };
            let solver = params.clone().check().unwrap();
            let expected = topics(params, &corpus).unwrap();
            for threads in 1..=3 {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                assert_eq!(pool.install(|| solver.topics(&sparse)).unwrap(), expected);
            }
            let single = solver.topics(&DenseSamples::new(corpus.mapv(|v| v as f32)).unwrap()).unwrap();
            assert_eq!(single.anchors, expected.anchors);
            assert_close(&single.components.mapv(f64::from), &expected.components, 1e-6);
        }
    }

    #[test]
    fn the_anchors_depend_on_the_seed_and_the_candidates() {
        let corpus = corpus(&true_topics(4, 200), 300, 30, 5);
        let with = |seed, min_documents| {
            let params =
                AnchorWordsParams { seed, min_documents, projection: Some(8), ..AnchorWordsParams::new(4) };
            topics(params, &corpus)
        };
        assert_eq!(with(1, 0), with(1, 0));
        assert_ne!(with(1, 0).unwrap().anchors, with(2, 0).unwrap().anchors);
        let documents_with = |word| corpus.column(word).iter().filter(|&&v| v > 0.0).count();
        assert!(with(1, 40).unwrap().anchors.iter().all(|&anchor| documents_with(anchor) >= 40));
        let message = with(1, 301).unwrap_err().to_string();
        assert!(message.contains("only 0 words") && message.contains("301 documents"), "{message}");
    }

    #[test]
    fn the_scale_of_weights_does_not_matter() {
        let mut counts = corpus(&true_topics(3, 20), 500, 30, 5);
        let weights = AnchorWordsParams { values: ValueKind::Weights, ..AnchorWordsParams::new(3) };
        let expected = topics(weights, &counts).unwrap();
        for (i, mut document) in counts.outer_iter_mut().enumerate() {
            document /= 30.0 + i as f64 / 7.0;
        }
        let result = topics(AnchorWordsParams::new(3), &counts).unwrap();
        assert!(!result.counts);
        assert_close(&result.components, &expected.components, 1e-8);
    }

    #[test]
    fn a_single_topic_has_the_word_frequencies() {
        let corpus = corpus(&true_topics(3, 20), 200, 30, 5);
        let result = topics(AnchorWordsParams::new(1), &corpus).unwrap();
        let expected = corpus.sum_axis(Axis(0)) / corpus.sum();
        assert_close(&result.components, &expected.insert_axis(Axis(0)), 1e-12);
        assert!((result.topic_shares[0] - 1.0).abs() < 1e-14);
    }

    #[test]
    fn degenerate_corpora_are_rejected_or_give_valid_topics() {
        let message = |rank, corpus: Array2<f64>| {
            topics(AnchorWordsParams::new(rank), &corpus).unwrap_err().to_string()
        };
        assert!(message(1, Array2::zeros((3, 4))).contains("no sample has two tokens"));
        assert!(message(1, Array2::eye(4)).contains("no sample has two tokens"));
        assert!(message(3, Array2::from_elem((5, 2), 1.0)).contains("there are 2 words"));
        assert!(message(2, ndarray::array![[3.0, 0.0, 0.0]]).contains("only 1 words co-occur"));
        // Five words that always occur in the same proportions.
        assert!(message(2, Array2::from_elem((9, 5), 0.5)).contains("only 1 words that can be anchors"));
        let zeros = AnchorWordsParams { values: ValueKind::Weights, ..AnchorWordsParams::new(1) };
        assert!(
            topics(zeros, &Array2::zeros((2, 2))).unwrap_err().to_string().contains("every value is zero")
        );
        // A single word, a single document, words that never occur, as many topics as words.
        let single = topics(AnchorWordsParams::new(1), &Array2::from_elem((4, 1), 2.0)).unwrap();
        assert_eq!(single.components, ndarray::array![[1.0]]);
        let empty = ndarray::array![[3.0, 0.0, 1.0, 0.0], [0.0, 0.0, 4.0, 0.0], [2.0, 0.0, 0.0, 0.0]];
        for (rank, corpus) in [(1, Array2::from_elem((1, 3), 5.0)), (2, empty)] {
            for recover in [Recover::L2, Recover::Kl] {
                let params = AnchorWordsParams { recover, ..AnchorWordsParams::new(rank) };
                let result = topics(params, &corpus).unwrap();
                assert!(result.components.outer_iter().all(|topic| (topic.sum() - 1.0).abs() < 1e-14));
                assert!(result.topic_correlations.iter().all(|v| v.is_finite()));
                let unused = corpus.axis_iter(Axis(1)).zip(result.components.axis_iter(Axis(1)));
                assert!(unused.filter(|(word, _)| word.sum() == 0.0).all(|(_, topics)| topics.sum() == 0.0));
            }
        }
    }

    #[test]
    fn too_many_words_are_rejected_before_any_are_counted() {
        let samples = CsrSamples::new(MAX_WORDS + 1, &[0, 2], vec![0, 1], vec![1.0, 1.0]).unwrap();
        let error = AnchorWordsParams::new(2).check().unwrap().topics(&samples).unwrap_err();
        assert!(error.to_string().contains("keep fewer"), "{error}");
    }
}
