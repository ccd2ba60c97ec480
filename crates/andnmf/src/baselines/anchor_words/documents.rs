//! Documents as the sums over word pairs need them, and what one look at all of them tells.

use super::params::Values;
use crate::samples::fold::{FoldPlan, fold};
use crate::samples::{Block, Samples};
use crate::{FitError, Real, SamplesError, SettingError};

/// Consecutive documents: of each its words in ascending order, every one once, with a value above zero.
#[derive(Debug, Default)]
pub(super) struct Documents {
    starts: Vec<usize>,
    words: Vec<u32>,
    values: Vec<f64>,
}

/// The words and values of one document.
#[derive(Debug, Clone, Copy)]
pub(super) struct Document<'a> {
    pub(super) words: &'a [u32],
    pub(super) values: &'a [f64],
}

impl Documents {
    /// The documents of a block whose first one has the number `first`.
    ///
    /// The number of words must fit into 32 bits, which it does wherever a matrix of word pairs is thought of.
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

    /// Values of all documents together.
    pub(super) fn stored(&self) -> usize {
        self.words.len()
    }

    pub(super) fn get(&self, i: usize) -> Document<'_> {
        let positions = self.starts[i]..self.starts[i + 1];
        Document { words: &self.words[positions.clone()], values: &self.values[positions] }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = Document<'_>> {
        (0..self.len()).map(|i| self.get(i))
    }

    /// The values of one document, to be changed in place.
    pub(super) fn values_mut(&mut self, i: usize) -> &mut [f64] {
        &mut self.values[self.starts[i]..self.starts[i + 1]]
    }
}

/// What one pass over all documents tells.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Census {
    /// For each word, the number of documents it occurs in.
    pub(super) documents_with: Vec<usize>,
    /// Whether the values are taken as numbers of occurrences.
    pub(super) counts: bool,
}

/// A value that cannot be a number of occurrences.
#[derive(Debug, Clone, Copy)]
struct Fraction {
    row: usize,
    column: usize,
    value: f64,
}

/// Reads all documents once.
///
/// # Errors
/// Where a value is negative, or is not a whole number although the setting says they all are.
pub(super) fn census<T: Real>(samples: &dyn Samples<T>, values: Values) -> Result<Census, FitError> {
    let words = samples.n_features();
    let (documents_with, fraction) = fold(
        samples,
        &FoldPlan::new(samples, words),
        &|| (vec![0_usize; words], None::<Fraction>),
        &|(documents_with, fraction): &mut (Vec<usize>, Option<Fraction>), first, block| {
            for (i, document) in Documents::new(&block, first)?.iter().enumerate() {
                for (&word, &value) in document.words.iter().zip(document.values) {
                    documents_with[word as usize] += 1;
                    if fraction.is_none() && value.fract() != 0.0 {
                        *fraction = Some(Fraction { row: first + i, column: word as usize, value });
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
    let counts = match (values, fraction) {
        (Values::Weights, _) | (Values::Auto, Some(_)) => false,
        (Values::Auto | Values::Counts, None) => true,
        (Values::Counts, Some(Fraction { row, column, value })) => {
            let expected = format!(
                "sample {row}, feature {column} is {value} (both counted from 0), which is no whole number; \
                 it must be weights or auto for such data"
            );
            return Err(SettingError::new("values", "counts", expected).into());
        }
    };
    Ok(Census { documents_with, counts })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::{CsrSamples, DenseSamples, read};

    #[test]
    fn words_come_in_order_and_once_with_their_sums() {
        // [[0, 5, 0, 1], [], [2, 0, 3, 0]], the last row out of order, with a duplicate and a stored zero.
        let samples = CsrSamples::new(
            4,
            &[0_u32, 2, 2, 6],
            vec![1_u32, 3, 2, 0, 2, 1],
            vec![5.0_f32, 1.0, 1.0, 2.0, 2.0, 0.0],
        )
        .unwrap();
        let documents = Documents::new(&read(&samples, 0..3).unwrap(), 0).unwrap();
        let seen: Vec<_> = documents.iter().map(|d| (d.words.to_vec(), d.values.to_vec())).collect();
        let expected = [(vec![1, 3], vec![5.0, 1.0]), (vec![], vec![]), (vec![0, 2], vec![2.0, 3.0])];
        assert_eq!(seen, expected);
        assert_eq!((documents.len(), documents.stored()), (3, 4));
    }

    #[test]
    fn negative_values_are_refused_with_their_place() {
        let samples = DenseSamples::new(ndarray::array![[1.0, 0.0], [0.0, -2.0]]).unwrap();
        let error = census(&samples, Values::Auto).unwrap_err();
        assert_eq!(
            error,
            SamplesError::Negative { row: 1, column: 1, value: -2.0, required_by: "anchor words" }.into()
        );
    }

    #[test]
    fn whole_numbers_are_counts_unless_told_otherwise() {
        let whole = DenseSamples::new(ndarray::array![[1.0, 0.0, 2.0], [0.0, 0.0, 4.0]]).unwrap();
        let census_of = |values| census(&whole, values).unwrap();
        assert_eq!(census_of(Values::Auto), Census { documents_with: vec![1, 0, 2], counts: true });
        assert!(census_of(Values::Counts).counts && !census_of(Values::Weights).counts);
        let shares = DenseSamples::new(ndarray::array![[1.0, 0.0], [0.75, 0.25]]).unwrap();
        assert!(!census(&shares, Values::Auto).unwrap().counts);
        let message = census(&shares, Values::Counts).unwrap_err().to_string();
        assert!(message.contains("sample 1, feature 0 is 0.75"), "{message}");
    }
}
