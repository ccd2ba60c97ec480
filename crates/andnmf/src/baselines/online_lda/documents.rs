//! A batch of documents for an E-step, indexed by document for γ and by word for the topics.

use crate::samples::{Block, Samples, read};
use crate::{FitError, Real, SamplesError, SettingError};

/// Marks a feature that does not occur in the batch.
const UNUSED: usize = usize::MAX;

/// Documents as lists of words and counts. Words get compact ids within the batch, in the order of their features, so
/// that per-word arrays stay small.
#[derive(Debug, Clone, Default)]
pub(super) struct DocumentBatch<T> {
    /// The start of each document in `words` and `counts`, and the end of the last one.
    pub(super) starts: Vec<usize>,
    /// The word ids of all documents: indices into `features`.
    pub(super) words: Vec<usize>,
    pub(super) counts: Vec<T>,
    /// The feature of each word, ascending.
    pub(super) features: Vec<usize>,
    /// The start of each word in `word_documents` and `word_positions`, and the end of the last one.
    pub(super) word_starts: Vec<usize>,
    /// The documents that contain each word, word by word.
    pub(super) word_documents: Vec<usize>,
    /// The index of each of these occurrences in `words` and `counts`.
    pub(super) word_positions: Vec<usize>,
}

impl<T> DocumentBatch<T> {
    pub(super) fn len(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }
}

/// Reads batches of documents and reuses its buffers.
pub(super) struct BatchReader<'a, T: Real> {
    samples: &'a dyn Samples<T>,
    /// Factor of every value.
    scale: f64,
    /// The word id of each feature within the batch.
    word_ids: Vec<usize>,
    documents: DocumentBatch<T>,
}

impl<'a, T: Real> BatchReader<'a, T> {
    pub(super) fn new(samples: &'a dyn Samples<T>, scale: f64) -> Self {
        let word_ids = vec![UNUSED; samples.n_features()];
        Self { samples, scale, word_ids, documents: DocumentBatch::default() }
    }

    /// Reads the samples with these indices.
    pub(super) fn read(&mut self, rows: &[usize]) -> Result<&DocumentBatch<T>, FitError> {
        let documents = &mut self.documents;
        documents.starts.clear();
        documents.starts.push(0);
        documents.words.clear();
        documents.counts.clear();
        for run in rows.chunk_by(|a, b| a + 1 == *b) {
            let (first, last) = (run[0], run[run.len() - 1]);
            read_rows(self.samples, first..last + 1, self.scale, documents)?;
        }
        self.assign_word_ids();
        self.index_by_word();
        Ok(&self.documents)
    }

    /// Replaces the features in `words` by compact word ids.
    fn assign_word_ids(&mut self) {
        let DocumentBatch { words, features, .. } = &mut self.documents;
        features.clear();
        for &feature in &*words {
            if self.word_ids[feature] == UNUSED {
                self.word_ids[feature] = 0;
                features.push(feature);
            }
        }
        // Scanning all features is faster than sorting, unless the batch uses a small fraction of them.
        if features.len() * 16 > self.word_ids.len() {
            features.clear();
            features.extend((0..self.word_ids.len()).filter(|&feature| self.word_ids[feature] != UNUSED));
        } else {
            features.sort_unstable();
        }
        for (id, &feature) in features.iter().enumerate() {
            self.word_ids[feature] = id;
        }
        words.iter_mut().for_each(|word| *word = self.word_ids[*word]);
        features.iter().for_each(|&feature| self.word_ids[feature] = UNUSED);
    }

    /// Sorts the occurrences by word, then by document (counting sort).
    fn index_by_word(&mut self) {
        let DocumentBatch { starts, words, features, word_starts, word_documents, word_positions, .. } =
            &mut self.documents;
        word_starts.clear();
        word_starts.resize(features.len() + 1, 0);
        words.iter().for_each(|&word| word_starts[word + 1] += 1);
        for word in 0..features.len() {
            word_starts[word + 1] += word_starts[word];
        }
        word_documents.resize(words.len(), 0);
        word_positions.resize(words.len(), 0);
        for document in 0..starts.len() - 1 {
            for position in starts[document]..starts[document + 1] {
                let next = &mut word_starts[words[position]];
                word_documents[*next] = document;
                word_positions[*next] = position;
                *next += 1;
            }
        }
        // Each start has advanced to the start of the next word: shift them back.
        word_starts.pop();
        word_starts.insert(0, 0);
    }
}

/// Appends these samples; `words` get features, not yet word ids.
fn read_rows<T: Real>(
    samples: &dyn Samples<T>,
    rows: std::ops::Range<usize>,
    scale: f64,
    documents: &mut DocumentBatch<T>,
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
                let expected = format!(
                    "the value {value} of sample {row}, feature {feature} overflows with it; use a smaller scale"
                );
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
    fn documents_are_read_in_the_requested_order_and_indexed_by_word() {
        let data = array![[0.0, 2.0, 0.0, 1.0], [0.0; 4], [0.0, 0.0, 0.0, 3.0], [4.0, 5.0, 0.0, 0.0]];
        let dense = DenseSamples::new(data.view()).unwrap();
        let (pointers, indices, values) = sparse_copy(&data);
        let sparse = CsrSamples::new(4, &pointers, indices, values).unwrap();
        for samples in [&dense as &dyn Samples<f64>, &sparse] {
            let mut reader = BatchReader::new(samples, 10.0);
            // A second read must not depend on the first.
            reader.read(&[0, 3]).unwrap();
            let documents = reader.read(&[2, 0, 1]).unwrap();
            assert_eq!(documents.starts, [0, 1, 3, 3]);
            assert_eq!(documents.counts, [30.0, 20.0, 10.0]);
            assert_eq!(documents.features, [1, 3]);
            assert_eq!(documents.words, [1, 0, 1]);
            assert_eq!(documents.word_starts, [0, 1, 3]);
            assert_eq!(documents.word_documents, [1, 0, 1]);
            assert_eq!(documents.word_positions, [1, 0, 2]);
        }
    }

    #[test]
    fn a_small_fraction_of_features_gets_word_ids_in_ascending_order() {
        let samples =
            CsrSamples::new(1000, &[0_u32, 2, 3], vec![900_u32, 7, 30], vec![1.0_f64, 2.0, 3.0]).unwrap();
        let mut reader = BatchReader::new(&samples, 1.0);
        let documents = reader.read(&[0, 1]).unwrap();
        assert_eq!(documents.features, [7, 30, 900]);
        assert_eq!(documents.words, [2, 0, 1]);
    }

    #[test]
    fn a_negative_value_is_rejected_with_its_location() {
        let samples = DenseSamples::new(array![[1.0, 2.0], [0.0, 1.0], [1.0, -0.5]]).unwrap();
        let error = BatchReader::new(&samples, 1.0).read(&[2, 0]).unwrap_err();
        assert_eq!(
            error,
            SamplesError::Negative { row: 2, column: 1, value: -0.5, required_by: "LDA" }.into()
        );
    }
}
