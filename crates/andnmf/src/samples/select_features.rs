//! Feature selection, such as the words of a vocabulary.

use super::fold::{FoldPlan, fold};
use super::{CsrSamples, Samples, check_not_empty};
use crate::{FitError, Real, SamplesError, SettingError};

/// For each feature, the number of samples in which it is nonzero: in a corpus, the number of documents with the word.
///
/// # Errors
/// If the samples cannot be read.
///
/// ```
/// use andnmf::samples::{DenseSamples, document_frequencies};
/// let corpus = DenseSamples::new(ndarray::array![[2.0, 0.0, 1.0], [0.0, 0.0, 3.0]])?;
/// assert_eq!(document_frequencies(&corpus)?, [1, 0, 2]);
/// # Ok::<(), andnmf::SamplesError>(())
/// ```
pub fn document_frequencies<T: Real>(samples: &dyn Samples<T>) -> Result<Vec<usize>, SamplesError> {
    let features = samples.n_features();
    let zero = T::from_f64(0.0);
    fold(
        samples,
        &FoldPlan::new(samples, features),
        &|| vec![0_usize; features],
        &|counts: &mut Vec<usize>, _, block| {
            block.for_each(|_, feature, value| counts[feature] += usize::from(value != zero));
            Ok::<(), SamplesError>(())
        },
        &|left, right| left.iter_mut().zip(right).for_each(|(left, right)| *left += right),
    )
}

/// The features that are nonzero in at least `min_documents` samples and not `excluded`, in ascending order: in a
/// corpus, the vocabulary without rare words and stop words.
///
/// # Errors
/// If the samples cannot be read.
pub fn frequent_features<T: Real>(
    samples: &dyn Samples<T>,
    min_documents: usize,
    excluded: &[usize],
) -> Result<Vec<usize>, SamplesError> {
    let frequencies = document_frequencies(samples)?;
    let mut keep: Vec<bool> = frequencies.iter().map(|&count| count >= min_documents).collect();
    for &feature in excluded {
        if let Some(keep) = keep.get_mut(feature) {
            *keep = false;
        }
    }
    Ok((0..keep.len()).filter(|&feature| keep[feature]).collect())
}

impl<T: Real> CsrSamples<'_, T> {
    /// The same samples with only these features: feature `j` of the result is feature `features[j]` of the original.
    /// Samples without any of them remain, as zeros.
    ///
    /// # Errors
    /// If a feature does not exist or occurs twice, or the list is empty.
    ///
    /// ```
    /// use andnmf::samples::{CsrSamples, Samples, frequent_features};
    /// // [[5, 0, 1], [0, 2, 1], [1, 0, 2]]
    /// let corpus = CsrSamples::new(3, &[0, 2, 4, 6], vec![0, 2, 1, 2, 0, 2], vec![5.0, 1.0, 2.0, 1.0, 1.0, 2.0])?;
    /// let kept = frequent_features(&corpus, 2, &[0])?;
    /// assert_eq!(kept, [2]);
    /// assert_eq!(corpus.keep_features(&kept)?.n_features(), 1);
    /// # Ok::<(), andnmf::FitError>(())
    /// ```
    pub fn keep_features(&self, features: &[usize]) -> Result<CsrSamples<'static, T>, FitError> {
        check_not_empty(self.n_samples(), features.len())?;
        let mut new_number = vec![None; self.n_features()];
        for (new, &feature) in features.iter().enumerate() {
            match new_number.get_mut(feature) {
                Some(number @ None) => *number = Some(new),
                Some(Some(_)) => {
                    return Err(SettingError::new(
                        "features",
                        feature,
                        "each must occur once; remove the duplicate",
                    )
                    .into());
                }
                None => {
                    let expected = format!(
                        "it must be below {}, the number of features (counted from 0)",
                        self.n_features()
                    );
                    return Err(SettingError::new("features", feature, expected).into());
                }
            }
        }
        let (mut row_starts, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
        for i in 0..self.n_samples() {
            self.block(i..i + 1)?.for_each(|_, feature, value| {
                if let Some(new) = new_number[feature] {
                    indices.push(new);
                    values.push(value);
                }
            });
            row_starts.push(values.len());
        }
        Ok(CsrSamples::new::<usize, usize>(features.len(), &row_starts, indices, values)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::DenseSamples;
    use crate::testing::{random_matrix, sparse_copy};
    use ndarray::{Array2, Axis};

    fn corpus(n: usize) -> Array2<f64> {
        random_matrix::<f64>(n, 9, 1).mapv(|v| (3.0 * v).floor().max(0.0))
    }

    fn sparse(dense: &Array2<f64>) -> CsrSamples<'static, f64> {
        let (pointers, indices, values) = sparse_copy(dense);
        CsrSamples::new(dense.ncols(), &pointers, indices, values).unwrap()
    }

    #[test]
    fn frequencies_count_samples_not_values() {
        let dense = corpus(700);
        let expected: Vec<usize> =
            dense.axis_iter(Axis(1)).map(|word| word.iter().filter(|&&v| v != 0.0).count()).collect();
        assert_eq!(document_frequencies(&sparse(&dense)).unwrap(), expected);
        assert_eq!(document_frequencies(&DenseSamples::new(dense.view()).unwrap()).unwrap(), expected);
        // An index given twice, and a stored zero.
        let odd = CsrSamples::new(2, &[0, 3], vec![1, 0, 1], vec![2.0, 0.0, 1.0]).unwrap();
        assert_eq!(document_frequencies(&odd).unwrap(), [0, 1]);
    }

    #[test]
    fn frequent_features_omit_the_rare_and_the_excluded() {
        let samples = DenseSamples::new(ndarray::array![[1.0, 1.0, 0.0, 1.0], [1.0, 0.0, 0.0, 2.0]]).unwrap();
        assert_eq!(frequent_features(&samples, 2, &[0, 77]).unwrap(), [3]);
        assert_eq!(frequent_features(&samples, 0, &[]).unwrap(), [0, 1, 2, 3]);
    }

    #[test]
    fn kept_features_are_the_selected_columns_in_their_order() {
        let dense = corpus(30);
        let kept = sparse(&dense).keep_features(&[7, 0, 3]).unwrap();
        assert_eq!((kept.n_samples(), kept.n_features()), (30, 3));
        let rows = crate::samples::dense_rows(&kept, &(0..30).collect::<Vec<_>>()).unwrap();
        assert_eq!(rows, dense.select(Axis(1), &[7, 0, 3]));
    }

    #[test]
    fn features_that_cannot_be_kept_are_refused() {
        let samples = sparse(&corpus(5));
        let message = |features: &[usize]| samples.keep_features(features).unwrap_err().to_string();
        assert!(message(&[1, 9]).contains("below 9, the number of features"), "{}", message(&[1, 9]));
        assert!(message(&[1, 2, 1]).contains("occur once"), "{}", message(&[1, 2, 1]));
        assert!(message(&[]).contains("0 features"), "{}", message(&[]));
    }
}
