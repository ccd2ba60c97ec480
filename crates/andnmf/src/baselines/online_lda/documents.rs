//! A few documents with the words they use, ready for an E-step: by document for γ, by word for the topics.

use crate::samples::{Block, Samples, read};
use crate::{FitError, Real, SamplesError, SettingError};

/// A word that the documents at hand do not use.
const UNUSED: usize = usize::MAX;

/// Documents as lists of words and counts. Words are numbered anew, in the order of their features, so that
/// whatever is kept for them takes no more room than they need.
#[derive(Debug, Clone, Default)]
pub(super) struct Documents<T> {
    /// Where each document begins in `words` and `counts`, and where the last one ends.
    pub(super) starts: Vec<usize>,
    /// The words of all documents, as positions in `features`.
    pub(super) words: Vec<usize>,
    pub(super) counts: Vec<T>,
    /// The feature of each word, rising.
    pub(super) features: Vec<usize>,
    /// Where each word begins in `users` and `places`, and where the last one ends.
    pub(super) word_starts: Vec<usize>,
    /// For each word in turn, the documents that use it…
    pub(super) users: Vec<usize>,
    /// …and the place of that use in `words` and `counts`.
    pub(super) places: Vec<usize>,
}

impl<T> Documents<T> {
    pub(super) fn len(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }
}

/// Reads documents, keeping its buffers from one time to the next.
pub(super) struct Reader<'a, T: Real> {
    samples: &'a dyn Samples<T>,
    /// What every value is multiplied by.
    scale: f64,
    /// The number of each feature in the documents at hand.
    numbers: Vec<usize>,
    documents: Documents<T>,
}

impl<'a, T: Real> Reader<'a, T> {
    pub(super) fn new(samples: &'a dyn Samples<T>, scale: f64) -> Self {
        let numbers = vec![UNUSED; samples.n_features()];
        Self { samples, scale, numbers, documents: Documents::default() }
    }

    /// The samples with these numbers.
    pub(super) fn read(&mut self, rows: &[usize]) -> Result<&Documents<T>, FitError> {
        let documents = &mut self.documents;
        documents.starts.clear();
        documents.starts.push(0);
        documents.words.clear();
        documents.counts.clear();
        for run in rows.chunk_by(|a, b| a + 1 == *b) {
            let (first, last) = (run[0], run[run.len() - 1]);
            read_rows(self.samples, first..last + 1, self.scale, documents)?;
        }
        self.number_words();
        self.list_by_word();
        Ok(&self.documents)
    }

    /// Replaces the features in `words` by numbers without gaps.
    fn number_words(&mut self) {
        let Documents { words, features, .. } = &mut self.documents;
        features.clear();
        for &feature in &*words {
            if self.numbers[feature] == UNUSED {
                self.numbers[feature] = 0;
                features.push(feature);
            }
        }
        // Looking through all features is quick, but not where the documents use few of very many.
        if features.len() * 16 > self.numbers.len() {
            features.clear();
            features.extend((0..self.numbers.len()).filter(|&feature| self.numbers[feature] != UNUSED));
        } else {
            features.sort_unstable();
        }
        for (number, &feature) in features.iter().enumerate() {
            self.numbers[feature] = number;
        }
        words.iter_mut().for_each(|word| *word = self.numbers[*word]);
        features.iter().for_each(|&feature| self.numbers[feature] = UNUSED);
    }

    /// Sorts the uses by word, those of a word in the order of the documents.
    fn list_by_word(&mut self) {
        let Documents { starts, words, features, word_starts, users, places, .. } = &mut self.documents;
        word_starts.clear();
        word_starts.resize(features.len() + 1, 0);
        words.iter().for_each(|&word| word_starts[word + 1] += 1);
        for word in 0..features.len() {
            word_starts[word + 1] += word_starts[word];
        }
        users.resize(words.len(), 0);
        places.resize(words.len(), 0);
        for document in 0..starts.len() - 1 {
            for place in starts[document]..starts[document + 1] {
                let next = &mut word_starts[words[place]];
                users[*next] = document;
                places[*next] = place;
                *next += 1;
            }
        }
        // Each start has moved to its end, which is the next one's start.
        word_starts.pop();
        word_starts.insert(0, 0);
    }
}

/// Appends these samples; words are left as features.
fn read_rows<T: Real>(
    samples: &dyn Samples<T>,
    rows: std::ops::Range<usize>,
    scale: f64,
    documents: &mut Documents<T>,
) -> Result<(), FitError> {
    let first = rows.start;
    let block = read(samples, rows)?;
    let mut problem: Option<FitError> = None;
    let mut features = Vec::new();
    for i in 0..block.n_samples() {
        let mut add = |feature: usize, value: T| {
            let (row, value) = (first + i, value.as_f64());
            let count = T::from_f64(value * scale);
            if value < 0.0 {
                problem.get_or_insert(
                    SamplesError::Negative { row, column: feature, value, required_by: "LDA" }.into(),
                );
            } else if !count.finite() {
                let expected = format!("times {value}, sample {row}, feature {feature}, it leaves the range");
                problem.get_or_insert(SettingError::new("sample_scale", scale, expected).into());
            } else if value > 0.0 {
                documents.words.push(feature);
                documents.counts.push(count);
            }
        };
        match &block {
            Block::Dense(rows) => rows.row(i).iter().enumerate().for_each(|(j, &v)| add(j, v)),
            Block::Sparse(rows) => {
                let values = rows.row_parts(i, &mut features);
                features.iter().zip(values).for_each(|(&j, &v)| add(j, v));
            }
        }
        documents.starts.push(documents.words.len());
    }
    problem.map_or(Ok(()), Err)
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;
    use crate::samples::{CsrSamples, DenseSamples};
    use crate::testing::sparse_copy;

    #[test]
    fn documents_are_read_in_the_order_asked_for_and_listed_by_word() {
        let data = array![[0.0, 2.0, 0.0, 1.0], [0.0; 4], [0.0, 0.0, 0.0, 3.0], [4.0, 5.0, 0.0, 0.0]];
        let dense = DenseSamples::new(data.view()).unwrap();
        let (pointers, indices, values) = sparse_copy(&data);
        let sparse = CsrSamples::new(4, &pointers, indices, values).unwrap();
        for samples in [&dense as &dyn Samples<f64>, &sparse] {
            let mut reader = Reader::new(samples, 10.0);
            // A second reading must not see anything of the first.
            reader.read(&[0, 3]).unwrap();
            let documents = reader.read(&[2, 0, 1]).unwrap();
            assert_eq!(documents.starts, [0, 1, 3, 3]);
            assert_eq!(documents.counts, [30.0, 20.0, 10.0]);
            assert_eq!(documents.features, [1, 3]);
            assert_eq!(documents.words, [1, 0, 1]);
            assert_eq!(documents.word_starts, [0, 1, 3]);
            assert_eq!(documents.users, [1, 0, 1]);
            assert_eq!(documents.places, [1, 0, 2]);
        }
    }

    #[test]
    fn few_of_very_many_features_are_numbered_in_their_order_too() {
        let samples =
            CsrSamples::new(1000, &[0_u32, 2, 3], vec![900_u32, 7, 30], vec![1.0_f64, 2.0, 3.0]).unwrap();
        let mut reader = Reader::new(&samples, 1.0);
        let documents = reader.read(&[0, 1]).unwrap();
        assert_eq!(documents.features, [7, 30, 900]);
        assert_eq!(documents.words, [2, 0, 1]);
    }

    #[test]
    fn a_negative_value_is_refused_with_its_place() {
        let samples = DenseSamples::new(array![[1.0, 2.0], [0.0, 1.0], [1.0, -0.5]]).unwrap();
        let error = Reader::new(&samples, 1.0).read(&[2, 0]).unwrap_err();
        assert_eq!(
            error,
            SamplesError::Negative { row: 2, column: 1, value: -0.5, required_by: "LDA" }.into()
        );
    }
}
