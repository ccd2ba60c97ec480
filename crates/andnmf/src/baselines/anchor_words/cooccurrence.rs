//! The co-occurrence matrix of words.
//!
//! For a document with word counts h and n = Σh tokens, the pairs of distinct tokens give
//! (h hᵀ − diag(h)) / (n (n − 1)): an unbiased estimate of the probability that two tokens are these two words. If
//! values are weights instead of counts, the estimate is u uᵀ with u = h/n. The co-occurrences Q are the mean over all
//! documents that have a pair (or, with weights, any non-zero value).
//!
//! Documents are read in batches. Within a batch, each row of Q sums over the documents that contain its word, in their
//! order, and one thread writes one row at a time: there is a single Q for all threads, and its bits do not depend on
//! their number. Q is symmetric, so only its lower triangle is summed. Batches of mostly dense documents use a dense
//! product instead.

use ndarray::{Array2, s};

use super::documents::SparseDocuments;
use super::tiles::for_each_tile;
use crate::linalg::product::multiply_add;
use crate::samples::{Samples, read};
use crate::{Real, SamplesError};

/// Maximum number of words: the co-occurrences are a dense words × words matrix in double precision, 7.2 GB at this
/// size.
///
/// ```
/// assert_eq!(andnmf::baselines::anchor_words::MAX_WORDS, 30_000);
/// ```
pub const MAX_WORDS: usize = 30_000;

/// Values per batch (48 MiB as documents).
const VALUES_PER_BATCH: usize = 1 << 22;
/// Rows of Q per parallel task.
const SPARSE_TILE: usize = 8;
const DENSE_TILE: usize = 128;
/// Speed of a term of the dense product relative to a scattered addition.
const DENSE_ADVANTAGE: usize = 16;

/// The co-occurrences of a corpus, normalized.
#[derive(Debug, Clone)]
pub(super) struct Cooccurrences {
    /// Row i: the distribution of words that co-occur with word i. Zero for words without a pair.
    pub(super) conditional: Array2<f64>,
    /// The probability of each word: the row sums of Q, which sum to 1.
    pub(super) probabilities: Vec<f64>,
}

impl Cooccurrences {
    /// From the symmetric non-negative matrix Q.
    pub(super) fn from_joint(mut joint: Array2<f64>) -> Self {
        let probabilities: Vec<f64> = joint.outer_iter().map(|row| row.sum()).collect();
        for_each_tile(&mut joint, SPARSE_TILE, |first, mut rows| {
            for (mut row, &total) in rows.outer_iter_mut().zip(&probabilities[first..]) {
                if total > 0.0 {
                    row.mapv_inplace(|v| v / total);
                }
            }
        });
        Self { conditional: joint, probabilities }
    }

    pub(super) fn n_words(&self) -> usize {
        self.probabilities.len()
    }
}

/// The co-occurrences Q, words × words, and the number of documents with a pair.
///
/// # Errors
/// If samples cannot be read or are negative.
pub(super) fn joint<T: Real>(
    samples: &dyn Samples<T>,
    counts: bool,
) -> Result<(Array2<f64>, usize), SamplesError> {
    let (n, words) = (samples.n_samples(), samples.n_features());
    let values_per_document = (samples.stored_values() / n.max(1)).max(1);
    let batch = (VALUES_PER_BATCH / values_per_document).clamp(16, n.max(16));
    let mut q = Array2::zeros((words, words));
    let mut diagonal = vec![0.0; words];
    let mut used = 0;
    for first in (0..n).step_by(batch) {
        let mut documents = SparseDocuments::new(&read(samples, first..(first + batch).min(n))?, first)?;
        used += normalize(&mut documents, counts, &mut diagonal);
        if is_mostly_dense(&documents, words) {
            add_dense(&mut q, &documents);
        } else {
            add_sparse(&mut q, &documents);
        }
    }
    finish(&mut q, &diagonal, used);
    Ok((q, used))
}

/// Scales each document so that the products of its values are its contribution to Q off the diagonal, and adds its
/// contribution to the diagonal. Documents without a pair become zero; returns the number of the others.
fn normalize(documents: &mut SparseDocuments, counts: bool, diagonal: &mut [f64]) -> usize {
    let mut used = 0;
    for i in 0..documents.len() {
        let document = documents.get(i);
        let total: f64 = document.values.iter().sum();
        if document.words.is_empty() || (counts && total < 2.0) {
            documents.values_mut(i).fill(0.0);
            continue;
        }
        used += 1;
        // 1/(n (n − 1)) = 1/n² · n/(n − 1). A single occurrence is 1/n, so a word that occurs once has exactly zero on
        // the diagonal.
        let (pairs, once) = if counts { (1.0 / (1.0 - 1.0 / total), 1.0 / total) } else { (1.0, 0.0) };
        // If the sum overflows, scale the values down first.
        let (shrink, total) = if total.is_finite() {
            (1.0, total)
        } else {
            let shrink = 1.0 / f64::MAX;
            (shrink, document.values.iter().map(|v| v * shrink).sum())
        };
        let share = |v: f64| v * shrink / total;
        for (&word, &v) in document.words.iter().zip(document.values) {
            diagonal[word as usize] += pairs * share(v) * (share(v) - once).max(0.0);
        }
        let root = pairs.sqrt();
        documents.values_mut(i).iter_mut().for_each(|v| *v = root * share(*v));
    }
    used
}

fn is_mostly_dense(documents: &SparseDocuments, words: usize) -> bool {
    let pairs: usize = documents.iter().map(|d| d.words.len() * d.words.len()).sum();
    pairs.saturating_mul(DENSE_ADVANTAGE) > documents.len() * words * words
}

/// Adds the products of all documents to the strict lower triangle of Q.
fn add_sparse(q: &mut Array2<f64>, documents: &SparseDocuments) {
    let words = q.nrows();
    // The occurrences of each word as (document, position), sorted by word and then by document.
    let mut starts = vec![0_usize; words + 1];
    for document in documents.iter() {
        document.words.iter().for_each(|&word| starts[word as usize + 1] += 1);
    }
    for word in 0..words {
        starts[word + 1] += starts[word];
    }
    let mut next = starts.clone();
    let mut occurrences = vec![(0_u32, 0_u32); documents.stored()];
    for (i, document) in documents.iter().enumerate() {
        for (position, &word) in document.words.iter().enumerate() {
            occurrences[next[word as usize]] = (i as u32, position as u32);
            next[word as usize] += 1;
        }
    }
    for_each_tile(q, SPARSE_TILE, |first, mut rows| {
        for (word, mut row) in (first..).zip(rows.outer_iter_mut()) {
            let row = row.as_slice_mut().expect("row-major");
            for &(document, position) in &occurrences[starts[word]..starts[word + 1]] {
                let document = documents.get(document as usize);
                let value = document.values[position as usize];
                // Words are sorted: those before this one are the columns left of the diagonal.
                let before = ..position as usize;
                for (&other, &v) in document.words[before].iter().zip(&document.values[before]) {
                    row[other as usize] += value * v;
                }
            }
        }
    });
}

/// [`add_sparse`] for documents that contain most words. Also writes the diagonal, which is not used.
fn add_dense(q: &mut Array2<f64>, documents: &SparseDocuments) {
    let words = q.nrows();
    let chunk = (VALUES_PER_BATCH / words).clamp(16, documents.len().max(16));
    for first in (0..documents.len()).step_by(chunk) {
        let indices = first..(first + chunk).min(documents.len());
        let mut full = Array2::zeros((indices.len(), words));
        for (i, mut row) in indices.zip(full.outer_iter_mut()) {
            let document = documents.get(i);
            document.words.iter().zip(document.values).for_each(|(&word, &v)| row[word as usize] = v);
        }
        for_each_tile(q, DENSE_TILE, |start, mut rows| {
            let end = start + rows.nrows();
            let out = rows.slice_mut(s![.., ..end]);
            multiply_add(out, full.slice(s![.., start..end]).t(), full.slice(s![.., ..end]), 1.0);
        });
    }
}

/// Divides by the number of documents, sets the diagonal and mirrors the lower triangle.
fn finish(q: &mut Array2<f64>, diagonal: &[f64], used: usize) {
    /// Tiles of this size fit the cache for access along rows and columns.
    const SQUARE: usize = 64;
    let words = q.nrows();
    let share = 1.0 / used.max(1) as f64;
    for_each_tile(q, SQUARE, |first, mut rows| {
        for (i, mut row) in (first..).zip(rows.outer_iter_mut()) {
            row.slice_mut(s![..i]).mapv_inplace(|v| v * share);
            row[i] = diagonal[i] * share;
        }
    });
    for top in (0..words).step_by(SQUARE) {
        for left in (0..=top).step_by(SQUARE) {
            for i in top..(top + SQUARE).min(words) {
                for j in left..(left + SQUARE).min(i) {
                    q[[j, i]] = q[[i, j]];
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::samples::{CsrSamples, DenseSamples};
    use crate::testing::{assert_close, sparse_copy};

    /// Word counts, each zero with probability `empty`.
    fn corpus(documents: usize, words: usize, empty: f64, seed: u64) -> Array2<f64> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        Array2::from_shape_simple_fn((documents, words), || {
            if rng.random_bool(empty) { 0.0 } else { f64::from(rng.random_range(1..6)) }
        })
    }

    /// The formula of the paper, one document after the other.
    fn naive(corpus: &Array2<f64>, counts: bool) -> (Array2<f64>, usize) {
        let words = corpus.ncols();
        let mut q = Array2::<f64>::zeros((words, words));
        let mut used = 0;
        for h in corpus.outer_iter() {
            let n = h.sum();
            if n == 0.0 || (counts && n < 2.0) {
                continue;
            }
            used += 1;
            for i in 0..words {
                for j in 0..words {
                    let pairs = if counts && i == j { h[i] * (h[i] - 1.0) } else { h[i] * h[j] };
                    q[[i, j]] += pairs / if counts { n * (n - 1.0) } else { n * n };
                }
            }
        }
        (q / used.max(1) as f64, used)
    }

    #[test]
    fn cooccurrences_equal_the_formula() {
        // Sparse and dense documents, an empty one, and one with a single token.
        for (empty, words) in [(0.9, 70), (0.2, 150)] {
            let mut corpus = corpus(40, words, empty, 1);
            corpus.row_mut(7).fill(0.0);
            corpus.row_mut(9).fill(0.0);
            corpus[[9, 3]] = 1.0;
            for counts in [true, false] {
                let (expected, documents) = naive(&corpus, counts);
                let (q, used) = joint(&DenseSamples::new(corpus.view()).unwrap(), counts).unwrap();
                assert_close(&(&q * 100.0), &(&expected * 100.0), 1e-13);
                assert_eq!(used, documents);
                assert!((q.sum() - 1.0).abs() < 1e-12);
                assert_eq!(q, q.t());
            }
        }
    }

    #[test]
    fn both_kernels_agree() {
        let corpus = corpus(30, 300, 0.6, 2);
        let samples = DenseSamples::new(corpus.view()).unwrap();
        let documents = SparseDocuments::new(&read(&samples, 0..30).unwrap(), 0).unwrap();
        let (mut sparse, mut dense) = (Array2::zeros((300, 300)), Array2::zeros((300, 300)));
        add_sparse(&mut sparse, &documents);
        add_dense(&mut dense, &documents);
        finish(&mut sparse, &[1.0; 300], 1);
        finish(&mut dense, &[1.0; 300], 1);
        assert_close(&dense, &sparse, 1e-14);
    }

    #[test]
    fn sparse_and_dense_samples_and_any_number_of_threads_give_the_same_bits() {
        for empty in [0.9, 0.1] {
            let corpus = corpus(60, 200, empty, 3);
            let (pointers, indices, values) = sparse_copy(&corpus);
            let sparse = CsrSamples::new(200, &pointers, indices, values).unwrap();
            let dense = DenseSamples::new(corpus.view()).unwrap();
            let expected = joint(&dense, true).unwrap();
            for threads in 1..=3 {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                assert_eq!(pool.install(|| joint(&sparse, true)).unwrap(), expected);
            }
        }
    }

    #[test]
    fn a_word_that_occurs_once_in_each_document_does_not_co_occur_with_itself() {
        let samples = DenseSamples::new(ndarray::array![[1.0_f32, 2.0, 0.0], [1.0, 1.0, 5.0]]).unwrap();
        let (q, _) = joint(&samples, true).unwrap();
        assert_eq!(q[[0, 0]], 0.0);
        assert!(q[[1, 1]] > 0.0);
    }

    #[test]
    fn huge_values_do_not_overflow() {
        let huge = DenseSamples::new(ndarray::array![[1e308, 1e308, 1e308], [5e307, 0.0, 1e308]]).unwrap();
        let plain = DenseSamples::new(ndarray::array![[1.0, 1.0, 1.0], [0.5, 0.0, 1.0]]).unwrap();
        for counts in [true, false] {
            let (q, _) = joint(&huge, counts).unwrap();
            assert_close(&q, &joint(&plain, false).unwrap().0, 1e-14);
        }
    }

    #[test]
    fn conditional_rows_sum_to_one_and_empty_ones_stay_zero() {
        let mut corpus = corpus(20, 12, 0.5, 4);
        corpus.column_mut(5).fill(0.0);
        let (q, _) = joint(&DenseSamples::new(corpus.view()).unwrap(), true).unwrap();
        let pairs = Cooccurrences::from_joint(q.clone());
        for (i, row) in pairs.conditional.outer_iter().enumerate() {
            assert!((row.sum() - if i == 5 { 0.0 } else { 1.0 }).abs() < 1e-14);
            assert!((0..12).all(|j| (row[j] * pairs.probabilities[i] - q[[i, j]]).abs() < 1e-16));
        }
        assert_eq!(pairs.n_words(), 12);
    }
}
