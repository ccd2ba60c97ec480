//! Counts weighed by how much a word tells of its document.

use super::Corpus;
use andnmf::samples::{CsrSamples, Samples, document_frequencies};
use andnmf::{Real, SamplesError};

impl<T: Real> Corpus<T> {
    /// The counts, each times ln((1 + documents) / (1 + documents with the word)) + 1, with every document scaled to
    /// length one: what scikit-learn's `TfidfTransformer` does by default. Documents without words stay zero.
    ///
    /// # Errors
    /// Where counts cannot be read; never for a corpus in memory.
    pub fn tf_idf(&self) -> Result<CsrSamples<'static, T>, SamplesError> {
        let n_documents = self.counts.n_samples();
        let rarity: Vec<f64> = document_frequencies(&self.counts)?
            .into_iter()
            .map(|with_it| ((1 + n_documents) as f64 / (1 + with_it) as f64).ln() + 1.0)
            .collect();
        let (mut row_starts, mut indices) = (vec![0], Vec::with_capacity(self.counts.stored_values()));
        let mut values = Vec::with_capacity(self.counts.stored_values());
        let mut weighed = Vec::new();
        for document in 0..n_documents {
            weighed.clear();
            self.counts.block(document..document + 1)?.for_each(|_, word, count| {
                indices.push(word);
                weighed.push(count.as_f64() * rarity[word]);
            });
            let length = weighed.iter().map(|value| value * value).sum::<f64>().sqrt();
            let unit = if length > 0.0 { length } else { 1.0 };
            values.extend(weighed.iter().map(|value| T::from_f64(value / unit)));
            row_starts.push(values.len());
        }
        CsrSamples::new::<usize, usize>(self.words.len(), &row_starts, indices, values)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::Table;
    use ndarray::{Array2, array};

    fn corpus(counts: Array2<f64>) -> Corpus<f64> {
        let words = (0..counts.ncols()).map(|i| format!("w{i}")).collect();
        Corpus::of_table(Table::try_from(counts).unwrap(), Some(words)).unwrap()
    }

    #[test]
    fn values_are_those_of_scikit_learn() {
        // TfidfTransformer().fit_transform([[3, 0, 1], [2, 0, 0], [0, 0, 0], [3, 2, 0]])
        let found = corpus(array![[3.0, 0.0, 1.0], [2.0, 0.0, 0.0], [0.0, 0.0, 0.0], [3.0, 2.0, 0.0]]);
        let found = Table::from(found.tf_idf().unwrap()).into_dense().unwrap();
        let expected = array![
            [0.8864059472237331, 0.0, 0.4629087347700368],
            [1.0, 0.0, 0.0],
            [0.0, 0.0, 0.0],
            [0.6915653794420122, 0.7223138694205072, 0.0]
        ];
        assert!((&found - &expected).iter().all(|gap| gap.abs() < 1e-15), "{found}");
    }
}
