//! tf-idf weights.

use super::Corpus;
use andnmf::samples::{CsrSamples, Samples, document_frequencies};
use andnmf::{Real, SamplesError};

impl<T: Real> Corpus<T> {
    /// Multiplies each count by ln((1 + documents) / (1 + documents with the word)) + 1 and scales every document to
    /// unit length, like scikit-learn's `TfidfTransformer` by default. Documents without words stay zero.
    ///
    /// # Errors
    /// If the counts cannot be read; never for a corpus in memory.
    ///
    /// ```
    /// use andnmf::samples::Samples;
    /// use andnmf_io::text::{Corpus, Document, TextOptions};
    /// let documents = ["red wine", "white wine"].map(|text| Document { name: String::new(), text: text.to_owned() });
    /// let corpus = Corpus::<f64>::from_documents(documents, &TextOptions::default())?;
    /// assert_eq!(corpus.tf_idf()?.n_features(), 3);
    /// # Ok::<(), andnmf::SamplesError>(())
    /// ```
    pub fn tf_idf(&self) -> Result<CsrSamples<'static, T>, SamplesError> {
        let n_documents = self.counts.n_samples();
        let idf = Self::idf(n_documents, &document_frequencies(&self.counts)?);
        let (mut row_starts, mut indices) = (vec![0], Vec::with_capacity(self.counts.stored_values()));
        let mut values = Vec::with_capacity(self.counts.stored_values());
        let mut weighted = Vec::new();
        for document in 0..n_documents {
            weighted.clear();
            self.counts.block(document..document + 1)?.for_each(|_, word, count| {
                indices.push(word);
                weighted.push(count.as_f64() * idf[word]);
            });
            let length = weighted.iter().map(|value| value * value).sum::<f64>().sqrt();
            let unit = if length > 0.0 { length } else { 1.0 };
            values.extend(weighted.iter().map(|value| T::from_f64(value / unit)));
            row_starts.push(values.len());
        }
        CsrSamples::new::<usize, usize>(self.words.len(), &row_starts, indices, values)
    }

    /// The factor of each word's counts, from the number of documents with the word.
    #[must_use]
    pub fn idf(n_documents: usize, with_the_word: &[usize]) -> Vec<f64> {
        let of_word = |&with_it: &usize| ((1 + n_documents) as f64 / (1 + with_it) as f64).ln() + 1.0;
        with_the_word.iter().map(of_word).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::SampleTable;
    use ndarray::{Array2, array};

    fn corpus(counts: Array2<f64>) -> Corpus<f64> {
        let words = (0..counts.ncols()).map(|i| format!("w{i}")).collect();
        Corpus::from_table(SampleTable::try_from(counts).unwrap(), Some(words)).unwrap()
    }

    #[test]
    fn values_are_those_of_scikit_learn() {
        // TfidfTransformer().fit_transform([[3, 0, 1], [2, 0, 0], [0, 0, 0], [3, 2, 0]])
        let result = corpus(array![[3.0, 0.0, 1.0], [2.0, 0.0, 0.0], [0.0, 0.0, 0.0], [3.0, 2.0, 0.0]]);
        let result = SampleTable::from(result.tf_idf().unwrap()).into_dense().unwrap();
        let expected = array![
            [0.8864059472237331, 0.0, 0.4629087347700368],
            [1.0, 0.0, 0.0],
            [0.0, 0.0, 0.0],
            [0.6915653794420122, 0.7223138694205072, 0.0]
        ];
        assert!((&result - &expected).iter().all(|gap| gap.abs() < 1e-15), "{result}");
    }
}
