//! The variational posterior of the topics: the Dirichlet parameters λ.
//!
//! A batch moves λ to (1 − ρ) λ + ρ (η + ratio · sums). Since this leaves η unchanged, only the deviation λ − η is
//! stored, as a scalar times a matrix: the scalar absorbs the factor 1 − ρ, so that the cost of a batch depends on its
//! words, not on the vocabulary.

use ndarray::{Array2, ArrayView2};
use pulp::{Simd, WithSimd};
use rayon::prelude::*;

use super::documents::DocumentBatch;
use super::expectations::Expectations;
use crate::Real;
use crate::linalg::gather::add_row_lists;
use crate::linalg::special::digamma;

/// Words per parallel task.
const WORDS_PER_TASK: usize = 128;
/// Below this the scalar is multiplied into the matrix, to avoid underflow.
const MIN_SCALE: f64 = 1e-8;

/// λ = η + scale · deviations.
#[derive(Debug, Clone)]
pub(super) struct Posterior<T> {
    rank: usize,
    eta: f64,
    scale: f64,
    /// Features × rank.
    deviations: Vec<T>,
    /// Sums of the deviations over all features.
    sums: Vec<f64>,
    /// Accumulated sums of a batch that is processed in several chunks; otherwise empty.
    pending: Vec<T>,
}

/// exp E[log β] for some words.
pub(super) struct WordWeights<T> {
    /// Words × rank, scaled so that the largest of each word is 1.
    pub(super) beta: Vec<T>,
    /// Logarithm of the scale of each word.
    pub(super) ln_scale: Vec<f64>,
}

/// The results of the E-steps of a batch, from which the sufficient statistics of the topics follow.
pub(super) struct BatchStatistics<'a, T> {
    pub(super) documents: &'a DocumentBatch<T>,
    /// exp E[log β] of the words, words × rank.
    pub(super) beta: &'a [T],
    /// exp E[log θ] of the documents, documents × rank.
    pub(super) theta: &'a [T],
    /// Counts divided by their expectation, in the order of the documents' words.
    pub(super) ratios: &'a [T],
}

impl<T: Real> Posterior<T> {
    /// From λ, rank × features.
    pub(super) fn new(lambda: ArrayView2<'_, T>, eta: f64) -> Self {
        let rank = lambda.nrows();
        let deviations: Vec<T> = lambda.t().iter().map(|v| T::from_f64(v.as_f64() - eta)).collect();
        let mut sums = vec![0.0; rank];
        for row in deviations.chunks_exact(rank) {
            sums.iter_mut().zip(row).for_each(|(sum, v)| *sum += v.as_f64());
        }
        Self { rank, eta, scale: 1.0, deviations, sums, pending: Vec::new() }
    }

    /// λ, rank × features.
    pub(super) fn lambda(&self) -> Array2<T> {
        let features = self.deviations.len() / self.rank;
        Array2::from_shape_fn((self.rank, features), |(k, w)| T::from_f64(self.at(w * self.rank + k)))
    }

    /// One entry of λ, by its index in features × rank; kept positive despite rounding.
    #[inline(always)]
    pub(super) fn at(&self, index: usize) -> f64 {
        let value = self.eta + self.scale * self.deviations[index].as_f64();
        if value > f64::MIN_POSITIVE { value } else { f64::MIN_POSITIVE }
    }

    pub(super) fn rank(&self) -> usize {
        self.rank
    }

    /// The size of the vocabulary.
    pub(super) fn features(&self) -> usize {
        self.deviations.len() / self.rank
    }

    /// Σ_w λ of each topic.
    pub(super) fn totals(&self) -> impl ExactSizeIterator<Item = f64> + '_ {
        let prior = self.eta * self.features() as f64;
        self.sums.iter().map(move |sum| (prior + self.scale * sum).max(f64::MIN_POSITIVE))
    }

    /// exp E[log β] for the words of these features.
    pub(super) fn word_weights(&self, features: &[usize]) -> WordWeights<T> {
        let mut beta = vec![T::from_f64(0.0); features.len() * self.rank];
        let mut ln_scale = vec![0.0; features.len()];
        let expectations = Expectations::new(self.totals().map(|total| -digamma(total)));
        let pieces = beta.par_chunks_mut(WORDS_PER_TASK * self.rank);
        let pieces = pieces.zip(ln_scale.par_chunks_mut(WORDS_PER_TASK));
        pieces.zip(features.par_chunks(WORDS_PER_TASK)).for_each_init(
            || expectations.clone(),
            |expectations, ((beta, ln_scale), features)| {
                let work = ComputeWordWeights { posterior: self, features, beta, ln_scale, expectations };
                pulp::Arch::new().dispatch(work);
            },
        );
        WordWeights { beta, ln_scale }
    }

    /// Updates λ with a whole batch: λ ← (1 − rate) λ + rate (η + ratio · sums).
    pub(super) fn update(&mut self, statistics: &BatchStatistics<'_, T>, rate: f64, ratio: f64) {
        self.decay(rate);
        let factor = T::from_f64(rate * ratio / self.scale);
        let sums = add_sums(&mut self.deviations, statistics, factor, self.rank);
        self.sums.iter_mut().zip(sums).for_each(|(to, sum)| *to += sum);
    }

    /// Accumulates a chunk of a batch. λ is unchanged until [`update_accumulated`](Self::update_accumulated).
    pub(super) fn accumulate(&mut self, statistics: &BatchStatistics<'_, T>) {
        self.pending.resize(self.deviations.len(), T::from_f64(0.0));
        add_sums(&mut self.pending, statistics, T::from_f64(1.0), self.rank);
    }

    /// Updates λ with the accumulated chunks as one batch.
    pub(super) fn update_accumulated(&mut self, rate: f64, ratio: f64) {
        self.decay(rate);
        let factor = T::from_f64(rate * ratio / self.scale);
        for (to, &sum) in self.deviations.iter_mut().zip(&self.pending) {
            *to += factor * sum;
        }
        self.pending.fill(T::from_f64(0.0));
        self.sums.fill(0.0);
        for row in self.deviations.chunks_exact(self.rank) {
            self.sums.iter_mut().zip(row).for_each(|(sum, v)| *sum += v.as_f64());
        }
    }

    fn decay(&mut self, rate: f64) {
        self.scale *= 1.0 - rate;
        if self.scale < MIN_SCALE {
            let scale = T::from_f64(self.scale);
            self.deviations.iter_mut().for_each(|v| *v *= scale);
            self.sums.iter_mut().for_each(|sum| *sum *= self.scale);
            self.scale = 1.0;
        }
    }
}

/// Adds factor · β_kw Σ_d θ_dk ratio_dw to `to` (features × rank); returns the total added to each topic.
fn add_sums<T: Real>(to: &mut [T], statistics: &BatchStatistics<'_, T>, factor: T, rank: usize) -> Vec<f64> {
    let documents = statistics.documents;
    let pieces: Vec<Vec<f64>> = to
        .par_chunks_mut(WORDS_PER_TASK * rank)
        .enumerate()
        .map(|(piece, rows)| {
            let first = piece * WORDS_PER_TASK;
            let below = |limit: usize| documents.features.partition_point(|&feature| feature < limit);
            let words = below(first)..below(first + WORDS_PER_TASK);
            let uses = documents.word_starts[words.start]..documents.word_starts[words.end];
            let ratios: Vec<T> =
                documents.word_positions[uses.clone()].iter().map(|&p| statistics.ratios[p]).collect();
            let lists = words.clone().map(|word| {
                let of_word = documents.word_starts[word]..documents.word_starts[word + 1];
                let here = of_word.start - uses.start..of_word.end - uses.start;
                (&documents.word_documents[of_word], &ratios[here])
            });
            let mut sums = vec![T::from_f64(0.0); words.len() * rank];
            add_row_lists(&mut sums, rank, statistics.theta, lists);
            let mut added = vec![0.0; rank];
            for (word, sums) in words.zip(sums.chunks_exact(rank)) {
                let row = (documents.features[word] - first) * rank;
                let beta = &statistics.beta[word * rank..(word + 1) * rank];
                for (k, to) in rows[row..row + rank].iter_mut().enumerate() {
                    let sum = factor * beta[k] * sums[k];
                    *to += sum;
                    added[k] += sum.as_f64();
                }
            }
            added
        })
        .collect();
    // Sum in a fixed order, for reproducibility.
    pieces.into_iter().fold(vec![0.0; rank], |mut all, piece| {
        all.iter_mut().zip(piece).for_each(|(all, v)| *all += v);
        all
    })
}

struct ComputeWordWeights<'a, T> {
    posterior: &'a Posterior<T>,
    features: &'a [usize],
    beta: &'a mut [T],
    ln_scale: &'a mut [f64],
    expectations: &'a mut Expectations,
}

impl<T: Real> WithSimd for ComputeWordWeights<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let rank = self.posterior.rank;
        let words = self.beta.chunks_exact_mut(rank).zip(self.ln_scale);
        for ((beta, ln_scale), &feature) in words.zip(self.features) {
            for (k, value) in self.expectations.values()[..rank].iter_mut().enumerate() {
                *value = self.posterior.at(feature * rank + k);
            }
            *ln_scale = self.expectations.compute(rank).ln();
            for (beta, value) in beta.iter_mut().zip(self.expectations.values()) {
                *beta = T::from_f64(*value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_close, random_matrix};

    fn lambda(rank: usize, features: usize) -> Array2<f64> {
        random_matrix::<f64>(rank, features, 1).mapv(|v| 0.2 + 10.0 * v * v)
    }

    #[test]
    fn word_weights_equal_the_textbook_expectations() {
        let lambda = lambda(5, 300);
        let posterior = Posterior::new(lambda.view(), 0.2);
        let features = [0, 7, 130, 299];
        let weights = posterior.word_weights(&features);
        for (i, &w) in features.iter().enumerate() {
            for k in 0..5 {
                let expected = digamma(lambda[[k, w]]) - digamma(lambda.row(k).sum());
                let value = weights.beta[i * 5 + k].ln() + weights.ln_scale[i];
                assert!((value - expected).abs() < 1e-11, "{value} for {expected}");
            }
        }
    }

    /// Two documents over words 3, 140 and 141 of 200, with made-up results.
    fn statistics(documents: &DocumentBatch<f64>) -> BatchStatistics<'_, f64> {
        BatchStatistics {
            documents,
            beta: &[0.5, 1.0, 1.0, 0.25, 1.0, 0.1],
            theta: &[1.0, 0.5, 0.3, 1.0],
            ratios: &[2.0, 3.0, 4.0, 5.0],
        }
    }

    fn documents() -> DocumentBatch<f64> {
        DocumentBatch {
            starts: vec![0, 2, 4],
            words: vec![0, 1, 1, 2],
            counts: vec![1.0; 4],
            features: vec![3, 140, 141],
            word_starts: vec![0, 1, 3, 4],
            word_documents: vec![0, 0, 1, 1],
            word_positions: vec![0, 1, 2, 3],
        }
    }

    /// Σ_d θ_dk ratio_dw β_kw of [`statistics`].
    fn sums() -> Array2<f64> {
        let mut sums = Array2::zeros((2, 200));
        sums[[0, 3]] = 0.5 * 2.0;
        sums[[1, 3]] = 0.5 * 2.0;
        sums[[0, 140]] = 3.0 + 0.3 * 4.0;
        sums[[1, 140]] = 0.25 * (0.5 * 3.0 + 4.0);
        sums[[0, 141]] = 0.3 * 5.0;
        sums[[1, 141]] = 0.1 * 5.0;
        sums
    }

    #[test]
    fn updates_equal_the_formula_for_any_learning_rate() {
        let documents = documents();
        let (start, eta, ratio) = (lambda(2, 200), 0.3, 7.0);
        for rates in [vec![0.1], vec![0.9999; 4], vec![1.0, 0.5]] {
            let (mut whole, mut in_parts) =
                (Posterior::new(start.view(), eta), Posterior::new(start.view(), eta));
            let mut expected = start.clone();
            for rate in rates {
                whole.update(&statistics(&documents), rate, ratio);
                in_parts.accumulate(&statistics(&documents));
                in_parts.accumulate(&statistics(&documents));
                in_parts.update_accumulated(rate, ratio / 2.0);
                expected = &expected * (1.0 - rate) + (&sums() * ratio + eta) * rate;
                for posterior in [&whole, &in_parts] {
                    assert_close(&posterior.lambda(), &expected, 1e-12);
                    let totals: Vec<f64> = posterior.totals().collect();
                    let expected = expected.sum_axis(ndarray::Axis(1));
                    assert!((totals[0] - expected[0]).abs() + (totals[1] - expected[1]).abs() < 1e-9);
                }
            }
        }
    }
}
