//! Documents as sorted word lists, and statistics of a corpus.

use super::params::ValueKind;
use crate::samples::fold::{FoldPlan, fold};
use crate::samples::{Block, Samples};
use crate::{FitError, Real, SamplesError, SettingError};

/// Consecutive documents as lists of distinct words in ascending order, with positive values.
#[derive(Debug, Default)]
pub(super) struct SparseDocuments {
    starts: Vec<usize>,
    words: Vec<u32>,
    values: Vec<f64>,
}

/// The words and values of one document.
#[derive(Debug, Clone, Copy)]
pub(super) struct DocumentView<'a> {
    pub(super) words: &'a [u32],
    pub(super) values: &'a [f64],
}

impl SparseDocuments {
    /// The documents of a block; `first` is the index of its first one.
    ///
    /// The number of words must fit into 32 bits, which the limit on the co-occurrence matrix ensures.
    pub(super) fn new<T: Real>(block: &Block<'_, T>, first: usize) -> Result<Self, SamplesError> {
        let mut documents = Self { starts: vec![0], ..Self::default() };
        match block {
            Block::Dense(rows) => {
                for (i, row) in rows.outer_iter().enumerate() {
                    let values = row.iter().enumerate().map(|(word, v)| (word, v.as_f64()));
                    documents.push(first + i, values)?;
                }
            }
            Block::Sparse(rows) => {
                let mut sorted = Vec::new();
                for i in 0..rows.n_samples() {
                    sorted.clear();
                    sorted.extend(rows.row(i).map(|(word, v)| (word, v.as_f64())));
                    sorted.sort_unstable_by_key(|&(word, _)| word);
                    documents.push(first + i, sorted.iter().copied())?;
                }
            }
        }
        Ok(documents)
    }

    fn push(&mut self, row: usize, values: impl Iterator<Item = (usize, f64)>) -> Result<(), SamplesError> {
        for (column, value) in values {
            if value < 0.0 {
                return Err(SamplesError::Negative { row, column, value, required_by: "anchor words" });
            }
            if value > 0.0 {
                self.words.push(column as u32);
                self.values.push(value);
            }
        }
        self.starts.push(self.words.len());
        Ok(())
    }

    pub(super) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// The number of values of all documents.
    pub(super) fn stored(&self) -> usize {
        self.words.len()
    }

    pub(super) fn get(&self, i: usize) -> DocumentView<'_> {
        let positions = self.starts[i]..self.starts[i + 1];
        DocumentView { words: &self.words[positions.clone()], values: &self.values[positions] }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = DocumentView<'_>> {
        (0..self.len()).map(|i| self.get(i))
    }

    /// The values of one document, mutable.
    pub(super) fn values_mut(&mut self, i: usize) -> &mut [f64] {
        &mut self.values[self.starts[i]..self.starts[i + 1]]
    }
}

/// Statistics of a corpus, from one pass.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct CorpusStatistics {
    /// The document frequency of each word.
    pub(super) documents_with: Vec<usize>,
    /// True if the values are interpreted as counts.
    pub(super) counts: bool,
}

/// A value that is not a count.
#[derive(Debug, Clone, Copy)]
struct NonInteger {
    row: usize,
    column: usize,
    value: f64,
}

/// Computes the statistics of a corpus in one pass.
///
/// # Errors
/// If a value is negative, or is not an integer although the setting is counts.
pub(super) fn corpus_statistics<T: Real>(
    samples: &dyn Samples<T>,
    values: ValueKind,
) -> Result<CorpusStatistics, FitError> {
    let words = samples.n_features();
    let (documents_with, non_integer) = fold(
        samples,
        &FoldPlan::new(samples, words),
        &|| (vec![0_usize; words], None::<NonInteger>),
        &|(documents_with, non_integer): &mut (Vec<usize>, Option<NonInteger>), first, block| {
            for (i, document) in SparseDocuments::new(&block, first)?.iter().enumerate() {
                for (&word, &value) in document.words.iter().zip(document.values) {
                    documents_with[word as usize] += 1;
                    if non_integer.is_none() && value.fract() != 0.0 {
                        *non_integer = Some(NonInteger { row: first + i, column: word as usize, value });
                    }
                }
            }
            Ok::<(), SamplesError>(())
        },
        &|left, right| {
            left.0.iter_mut().zip(right.0).for_each(|(left, right)| *left += right);
            left.1 = left.1.or(right.1);
        },
    )?;
    let counts = match (values, non_integer) {
        (ValueKind::Weights, _) | (ValueKind::Auto, Some(_)) => false,
        (ValueKind::Auto | ValueKind::Counts, None) => true,
        (ValueKind::Counts, Some(NonInteger { row, column, value })) => {
            let expected = format!(
                "sample {row}, feature {column} is {value} (both counted from 0), not a whole number; use weights or \
                 auto"
            );
            return Err(SettingError::new("values", "counts", expected).into());
        }
    };
    Ok(CorpusStatistics { documents_with, counts })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::{CsrSamples, DenseSamples, read};

    #[test]
    fn words_are_sorted_and_duplicates_are_summed() {
        // [[0, 5, 0, 1], [], [2, 0, 3, 0]], the last row out of order, with a duplicate and a stored zero.
        let samples = CsrSamples::new(
            4,
            &[0_u32, 2, 2, 6],
            vec![1_u32, 3, 2, 0, 2, 1],
            vec![5.0_f32, 1.0, 1.0, 2.0, 2.0, 0.0],
        )
        .unwrap();
        let documents = SparseDocuments::new(&read(&samples, 0..3).unwrap(), 0).unwrap();
        let seen: Vec<_> = documents.iter().map(|d| (d.words.to_vec(), d.values.to_vec())).collect();
        let expected = [(vec![1, 3], vec![5.0, 1.0]), (vec![], vec![]), (vec![0, 2], vec![2.0, 3.0])];
        assert_eq!(seen, expected);
        assert_eq!((documents.len(), documents.stored()), (3, 4));
    }

    #[test]
    fn negative_values_are_rejected_with_their_location() {
        let samples = DenseSamples::new(ndarray::array![[1.0, 0.0], [0.0, -2.0]]).unwrap();
        let error = corpus_statistics(&samples, ValueKind::Auto).unwrap_err();
        assert_eq!(
            error,
            SamplesError::Negative { row: 1, column: 1, value: -2.0, required_by: "anchor words" }.into()
        );
    }

    #[test]
    fn whole_numbers_are_counts_unless_set_otherwise() {
        let whole = DenseSamples::new(ndarray::array![[1.0, 0.0, 2.0], [0.0, 0.0, 4.0]]).unwrap();
        let statistics = |values| corpus_statistics(&whole, values).unwrap();
        assert_eq!(
            statistics(ValueKind::Auto),
            CorpusStatistics { documents_with: vec![1, 0, 2], counts: true }
        );
        assert!(statistics(ValueKind::Counts).counts && !statistics(ValueKind::Weights).counts);
        let shares = DenseSamples::new(ndarray::array![[1.0, 0.0], [0.75, 0.25]]).unwrap();
        assert!(!corpus_statistics(&shares, ValueKind::Auto).unwrap().counts);
        let message = corpus_statistics(&shares, ValueKind::Counts).unwrap_err().to_string();
        assert!(message.contains("sample 1, feature 0 is 0.75"), "{message}");
    }
}
