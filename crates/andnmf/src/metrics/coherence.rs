//! Topic coherence: how often the top words of a topic occur in the same documents.

use std::collections::BTreeMap;

use ndarray::ArrayView1;
use serde::Serialize;

use crate::samples::Samples;
use crate::{FitError, Real, SettingError};

/// Number of samples read at a time.
const BLOCK_ROWS: usize = 1024;

/// Coherence scores of topics.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Coherence {
    /// The score of each topic, −1 to 1; `None` for a topic with fewer than two words.
    pub per_topic: Vec<Option<f64>>,
    /// The mean score; `None` if no topic has a score.
    pub mean: Option<f64>,
}

/// Indices of the largest positive values of a component, largest first; ties by index.
///
/// ```
/// use andnmf::metrics::top_features;
/// let component = ndarray::array![0.5, -3.0, 2.0, 0.0];
/// assert_eq!(top_features(component.view(), 2), [2, 0]);
/// ```
#[must_use]
pub fn top_features<T: Real>(component: ArrayView1<'_, T>, max_count: usize) -> Vec<usize> {
    let value = |feature: usize| component[feature].as_f64();
    let mut features: Vec<usize> = (0..component.len()).filter(|&feature| value(feature) > 0.0).collect();
    features.sort_by(|&a, &b| value(b).total_cmp(&value(a)).then(a.cmp(&b)));
    features.truncate(max_count);
    features
}

/// The coherence of topics, each given by its top words (columns of `counts`).
///
/// Two words score their normalized pointwise mutual information (NPMI), ln(p(a, b) / p(a) p(b)) / −ln p(a, b), where
/// probabilities are shares of documents: 1 if they always occur together, 0 if independent, −1 if never together.
/// A topic's score is the mean over its pairs of words (Bouma 2009; Lau, Newman & Baldwin 2014).
///
/// # Errors
/// If a word is not a column of `counts`, or `counts` cannot be read.
///
/// ```
/// use andnmf::metrics::coherence;
/// use andnmf::samples::DenseSamples;
/// let counts = DenseSamples::new(ndarray::array![[1.0, 2.0, 0.0], [0.0, 0.0, 1.0], [3.0, 1.0, 0.0]])?;
/// let scores = coherence(&[vec![0, 1], vec![1, 2]], &counts)?.per_topic;
/// for (score, expected) in scores.iter().zip([1.0, -1.0]) {
///     assert!((score.unwrap() - expected).abs() < 1e-12);
/// }
/// # Ok::<(), andnmf::FitError>(())
/// ```
pub fn coherence<T: Real>(top_words: &[Vec<usize>], counts: &dyn Samples<T>) -> Result<Coherence, FitError> {
    let documents = WordDocuments::of(top_words.iter().flatten().copied(), counts)?;
    let per_topic: Vec<Option<f64>> = top_words.iter().map(|words| documents.score(words)).collect();
    let scores: Vec<f64> = per_topic.iter().flatten().copied().collect();
    let mean = (!scores.is_empty()).then(|| scores.iter().sum::<f64>() / scores.len() as f64);
    Ok(Coherence { per_topic, mean })
}

/// For each selected word, a bit set of the documents that contain it.
struct WordDocuments {
    n_documents: usize,
    bits: BTreeMap<usize, Vec<u64>>,
}

impl WordDocuments {
    fn of<T: Real>(words: impl Iterator<Item = usize>, counts: &dyn Samples<T>) -> Result<Self, FitError> {
        let (n_documents, n_words) = (counts.n_samples(), counts.n_features());
        let mut bits = BTreeMap::new();
        for word in words {
            if word >= n_words {
                let expected = format!("it must be below {n_words}, the number of words");
                return Err(SettingError::new("top_words", word, expected).into());
            }
            bits.entry(word).or_insert_with(|| vec![0_u64; n_documents.div_ceil(64)]);
        }
        let mut start = 0;
        while start < n_documents {
            let end = (start + BLOCK_ROWS).min(n_documents);
            counts.block(start..end)?.for_each(|row, word, count| {
                if count != T::default()
                    && let Some(word_bits) = bits.get_mut(&word)
                {
                    word_bits[(start + row) / 64] |= 1 << ((start + row) % 64);
                }
            });
            start = end;
        }
        Ok(Self { n_documents, bits })
    }

    /// The share of documents that contain both words.
    fn share(&self, a: usize, b: usize) -> f64 {
        let (a, b) = (&self.bits[&a], &self.bits[&b]);
        let both: u32 = a.iter().zip(b).map(|(a, b)| (a & b).count_ones()).sum();
        f64::from(both) / self.n_documents as f64
    }

    fn score(&self, words: &[usize]) -> Option<f64> {
        let pairs =
            || words.iter().enumerate().flat_map(|(i, &a)| words[i + 1..].iter().map(move |&b| (a, b)));
        let count = pairs().count();
        let total: f64 = pairs().map(|(a, b)| self.npmi(a, b)).sum();
        (count > 0).then(|| total / count as f64)
    }

    fn npmi(&self, a: usize, b: usize) -> f64 {
        let both = self.share(a, b);
        if both == 0.0 {
            return -1.0;
        }
        if both == 1.0 {
            return 1.0;
        }
        (both / (self.share(a, a) * self.share(b, b))).ln() / -both.ln()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::{CsrSamples, DenseSamples};
    use crate::testing::{random_matrix, sparse_copy};
    use ndarray::{Array2, array};

    fn corpus(documents: usize, words: usize) -> Array2<f64> {
        random_matrix::<f64>(documents, words, 3).mapv(|v| (4.0 * v - 1.0).floor().max(0.0))
    }

    /// The definition, computed directly.
    fn naive(words: &[usize], counts: &Array2<f64>) -> f64 {
        let holds = |document: usize, word: usize| counts[[document, word]] > 0.0;
        let n = counts.nrows() as f64;
        let (mut total, mut pairs) = (0.0, 0.0);
        for (i, &a) in words.iter().enumerate() {
            for &b in &words[..i] {
                let p =
                    |is: &dyn Fn(usize) -> bool| (0..counts.nrows()).filter(|&d| is(d)).count() as f64 / n;
                let (pa, pb, both) =
                    (p(&|d| holds(d, a)), p(&|d| holds(d, b)), p(&|d| holds(d, a) && holds(d, b)));
                total += if both == 0.0 { -1.0 } else { (both / pa / pb).ln() / -both.ln() };
                pairs += 1.0;
            }
        }
        total / pairs
    }

    #[test]
    fn scores_are_those_of_the_definition_for_sparse_and_dense_counts() {
        // More documents than are read at once.
        let counts = corpus(2500, 12);
        let topics = [vec![0, 1, 2, 3], vec![3, 7, 11], vec![5, 4]];
        let result = coherence(&topics, &DenseSamples::new(counts.view()).unwrap()).unwrap();
        for (topic, score) in topics.iter().zip(&result.per_topic) {
            assert!((score.unwrap() - naive(topic, &counts)).abs() < 1e-12, "{topic:?}: {score:?}");
        }
        let mean = topics.iter().map(|topic| naive(topic, &counts)).sum::<f64>() / 3.0;
        assert!((result.mean.unwrap() - mean).abs() < 1e-12);
        let (pointers, indices, values) = sparse_copy(&counts);
        let sparse = CsrSamples::new(12, &pointers, indices, values).unwrap();
        assert_eq!(coherence(&topics, &sparse).unwrap(), result);
    }

    #[test]
    fn words_that_always_or_never_occur_together_have_the_extreme_scores() {
        let counts = array![[1.0, 1.0, 0.0, 1.0, 0.0], [0.0, 0.0, 1.0, 1.0, 0.0]];
        let samples = DenseSamples::new(counts.view()).unwrap();
        let scores = coherence(&[vec![0, 1], vec![0, 2], vec![3, 3], vec![3, 4]], &samples).unwrap();
        assert_eq!(scores.per_topic, [Some(1.0), Some(-1.0), Some(1.0), Some(-1.0)]);
    }

    #[test]
    fn topics_without_pairs_have_no_score_and_unknown_words_are_refused() {
        let samples = DenseSamples::new(array![[1.0, 1.0]]).unwrap();
        let result = coherence(&[vec![], vec![1]], &samples).unwrap();
        assert_eq!(result, Coherence { per_topic: vec![None, None], mean: None });
        let error = coherence(&[vec![0, 2]], &samples).unwrap_err().to_string();
        assert!(error.contains("must be below 2"), "{error}");
    }

    #[test]
    fn top_features_are_positive_and_in_order() {
        let component = array![0.5, -3.0, 2.0, 0.0, 2.0, 1.0];
        assert_eq!(top_features(component.view(), 4), [2, 4, 5, 0]);
        assert_eq!(top_features(component.view(), 9).len(), 4);
        assert_eq!(top_features(component.view(), 0), [0_usize; 0]);
    }
}
