//! How well the top words of topics go together.

use std::collections::BTreeMap;

use ndarray::ArrayView1;
use serde::Serialize;

use crate::samples::Samples;
use crate::{FitError, Real, SettingError};

/// Samples are read in blocks of so many.
const ROWS_AT_ONCE: usize = 1024;

/// How coherent topics are by the documents that hold their top words.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Coherence {
    /// The score of each topic, −1 to 1; `None` where it has fewer than two words.
    pub per_topic: Vec<Option<f64>>,
    /// Their mean; `None` where no topic has a score.
    pub mean: Option<f64>,
}

/// The features with the largest positive values of a component, largest first; of equal ones, the first.
#[must_use]
pub fn top_features<T: Real>(component: ArrayView1<'_, T>, most: usize) -> Vec<usize> {
    let value = |feature: usize| component[feature].as_f64();
    let mut features: Vec<usize> = (0..component.len()).filter(|&feature| value(feature) > 0.0).collect();
    features.sort_by(|&a, &b| value(b).total_cmp(&value(a)).then(a.cmp(&b)));
    features.truncate(most);
    features
}

/// The coherence of topics, each given by its top words (columns of `counts`).
///
/// Two words score their normalised pointwise mutual information, ln(p(a, b) / p(a) p(b)) / −ln p(a, b), where
/// probabilities are shares of documents: 1 where each never comes without the other, 0 where they meet as often as by
/// chance, −1 where they never meet. A topic has the mean of its pairs (Bouma 2009; Lau, Newman & Baldwin 2014).
///
/// # Errors
/// Where a word is none of the columns, or counts cannot be read.
///
/// ```
/// use andnmf::metrics::coherence;
/// use andnmf::samples::DenseSamples;
/// let counts = DenseSamples::new(ndarray::array![[1.0, 2.0, 0.0], [0.0, 0.0, 1.0], [3.0, 1.0, 0.0]])?;
/// let found = coherence(&[vec![0, 1], vec![1, 2]], &counts)?;
/// for (found, expected) in found.per_topic.iter().zip([1.0, -1.0]) {
///     assert!((found.unwrap() - expected).abs() < 1e-12);
/// }
/// # Ok::<(), andnmf::FitError>(())
/// ```
pub fn coherence<T: Real>(top_words: &[Vec<usize>], counts: &dyn Samples<T>) -> Result<Coherence, FitError> {
    let presence = Presence::of(top_words.iter().flatten().copied(), counts)?;
    let per_topic: Vec<Option<f64>> = top_words.iter().map(|words| presence.score(words)).collect();
    let scores: Vec<f64> = per_topic.iter().flatten().copied().collect();
    let mean = (!scores.is_empty()).then(|| scores.iter().sum::<f64>() / scores.len() as f64);
    Ok(Coherence { per_topic, mean })
}

/// For each of some words, the documents that hold it: one bit each.
struct Presence {
    documents: usize,
    holders: BTreeMap<usize, Vec<u64>>,
}

impl Presence {
    fn of<T: Real>(words: impl Iterator<Item = usize>, counts: &dyn Samples<T>) -> Result<Self, FitError> {
        let (documents, n_words) = (counts.n_samples(), counts.n_features());
        let mut holders = BTreeMap::new();
        for word in words {
            if word >= n_words {
                let expected = format!("there are {n_words} words, counted from 0");
                return Err(SettingError::new("top_words", word, expected).into());
            }
            holders.entry(word).or_insert_with(|| vec![0_u64; documents.div_ceil(64)]);
        }
        let mut start = 0;
        while start < documents {
            let end = (start + ROWS_AT_ONCE).min(documents);
            counts.block(start..end)?.for_each(|row, word, count| {
                if count != T::default()
                    && let Some(bits) = holders.get_mut(&word)
                {
                    bits[(start + row) / 64] |= 1 << ((start + row) % 64);
                }
            });
            start = end;
        }
        Ok(Self { documents, holders })
    }

    /// The share of documents that hold both words.
    fn share(&self, a: usize, b: usize) -> f64 {
        let (a, b) = (&self.holders[&a], &self.holders[&b]);
        let both: u32 = a.iter().zip(b).map(|(a, b)| (a & b).count_ones()).sum();
        f64::from(both) / self.documents as f64
    }

    fn score(&self, words: &[usize]) -> Option<f64> {
        let pairs =
            || words.iter().enumerate().flat_map(|(i, &a)| words[i + 1..].iter().map(move |&b| (a, b)));
        let count = pairs().count();
        let total: f64 = pairs().map(|(a, b)| self.pair(a, b)).sum();
        (count > 0).then(|| total / count as f64)
    }

    fn pair(&self, a: usize, b: usize) -> f64 {
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

    /// The definition, written out.
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
        let found = coherence(&topics, &DenseSamples::new(counts.view()).unwrap()).unwrap();
        for (topic, score) in topics.iter().zip(&found.per_topic) {
            assert!((score.unwrap() - naive(topic, &counts)).abs() < 1e-12, "{topic:?}: {score:?}");
        }
        let mean = topics.iter().map(|topic| naive(topic, &counts)).sum::<f64>() / 3.0;
        assert!((found.mean.unwrap() - mean).abs() < 1e-12);
        let (pointers, indices, values) = sparse_copy(&counts);
        let sparse = CsrSamples::new(12, &pointers, indices, values).unwrap();
        assert_eq!(coherence(&topics, &sparse).unwrap(), found);
    }

    #[test]
    fn words_that_always_or_never_meet_have_the_extreme_scores() {
        let counts = array![[1.0, 1.0, 0.0, 1.0, 0.0], [0.0, 0.0, 1.0, 1.0, 0.0]];
        let samples = DenseSamples::new(counts.view()).unwrap();
        let scores = coherence(&[vec![0, 1], vec![0, 2], vec![3, 3], vec![3, 4]], &samples).unwrap();
        assert_eq!(scores.per_topic, [Some(1.0), Some(-1.0), Some(1.0), Some(-1.0)]);
    }

    #[test]
    fn topics_without_pairs_have_no_score_and_unknown_words_are_refused() {
        let samples = DenseSamples::new(array![[1.0, 1.0]]).unwrap();
        let found = coherence(&[vec![], vec![1]], &samples).unwrap();
        assert_eq!(found, Coherence { per_topic: vec![None, None], mean: None });
        let error = coherence(&[vec![0, 2]], &samples).unwrap_err().to_string();
        assert!(error.contains("there are 2 words"), "{error}");
    }

    #[test]
    fn top_features_are_positive_and_in_order() {
        let component = array![0.5, -3.0, 2.0, 0.0, 2.0, 1.0];
        assert_eq!(top_features(component.view(), 4), [2, 4, 5, 0]);
        assert_eq!(top_features(component.view(), 9).len(), 4);
        assert_eq!(top_features(component.view(), 0), [0_usize; 0]);
    }
}
