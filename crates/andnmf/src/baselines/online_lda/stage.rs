//! A stage: one pass over the documents, with an update of the topics after every batch.

use ndarray::{Array2, ArrayView2};
use rand::seq::SliceRandom;

use super::batch_e_step::{documents_per_chunk, solve_each};
use super::documents::{BatchReader, DocumentBatch};
use super::params::OnlineLdaParams;
use super::posterior::{BatchStatistics, Posterior};
use crate::and::Batch;
use crate::random::{Stream, numbered_generator};
use crate::samples::Samples;
use crate::{FitError, Real};

/// The inputs of a stage.
pub(super) struct LdaStage<'a, T: Real> {
    pub(super) samples: &'a dyn Samples<T>,
    pub(super) params: &'a OnlineLdaParams,
    pub(super) number: usize,
    pub(super) seed: u64,
}

/// The batches of documents in their order.
pub(super) struct BatchCourse {
    pub(super) order: Vec<usize>,
    pub(super) n_batches: usize,
    /// The number of the first batch, counted from 1 over all documents seen.
    pub(super) first_number: usize,
    /// Number of documents for which each batch stands.
    pub(super) of_all: f64,
    /// The learning rate falls also if a batch has all documents at hand: more will come.
    pub(super) online: bool,
}

impl<T: Real> LdaStage<'_, T> {
    /// Runs the stage and returns the new λ, rank × features. An error of `check_stop`, which is called regularly,
    /// cancels the stage.
    pub(super) fn run<E: From<FitError> + Send>(
        &self,
        lambda: &Array2<T>,
        check_stop: &(impl Fn() -> Result<(), E> + Sync),
    ) -> Result<Array2<T>, E> {
        let n_batches = self.n_batches();
        let course = BatchCourse {
            order: self.order(),
            n_batches,
            first_number: self.number * n_batches + 1,
            of_all: self.samples.n_samples() as f64,
            online: false,
        };
        self.batches(lambda.view(), &course, check_stop)
    }

    /// Updates the topics with the batches of a course, one after the other.
    pub(super) fn batches<E: From<FitError> + Send>(
        &self,
        lambda: ArrayView2<'_, T>,
        course: &BatchCourse,
        check_stop: &(impl Fn() -> Result<(), E> + Sync),
    ) -> Result<Array2<T>, E> {
        let BatchCourse { order, n_batches, first_number, of_all, online } = course;
        let n = order.len();
        let chunk_size = documents_per_chunk(self.samples);
        let mut reader = BatchReader::new(self.samples, self.params.sample_scale);
        let mut posterior = Posterior::new(lambda, self.params.eta());
        for batch in 0..*n_batches {
            check_stop()?;
            // Batches of equal size: a short last batch would be noisy, but have the same learning rate.
            let rows = &order[batch_start(batch, n, *n_batches)..batch_start(batch + 1, n, *n_batches)];
            let number = first_number + batch;
            let rate = if *online { self.params.online_rate(number) } else { self.params.rate(number) };
            let ratio = of_all / rows.len() as f64;
            if rows.len() <= chunk_size {
                let documents = reader.read(rows)?;
                self.update(documents, &mut posterior, Some((rate, ratio)), check_stop)?;
            } else {
                for chunk in rows.chunks(chunk_size) {
                    let documents = reader.read(chunk)?;
                    self.update(documents, &mut posterior, None, check_stop)?;
                }
                posterior.update_accumulated(rate, ratio);
            }
        }
        let lambda = posterior.lambda();
        if lambda.iter().any(|v| !v.finite()) || posterior.totals().any(|total| !total.is_finite()) {
            return Err(FitError::Overflow { stage: self.number }.into());
        }
        Ok(lambda)
    }

    /// Runs the E-steps of documents and updates the topics with `(rate, ratio)`, or only accumulates if that is
    /// `None`.
    fn update<E: From<FitError> + Send>(
        &self,
        documents: &DocumentBatch<T>,
        posterior: &mut Posterior<T>,
        rate_and_ratio: Option<(f64, f64)>,
        check_stop: &(impl Fn() -> Result<(), E> + Sync),
    ) -> Result<(), E> {
        let rank = self.params.rank;
        let beta = posterior.word_weights(&documents.features).beta;
        let mut theta = vec![T::from_f64(0.0); documents.len() * rank];
        let mut ratios = vec![T::from_f64(0.0); documents.words.len()];
        let mut slots = Vec::with_capacity(documents.len());
        let mut rest = ratios.as_mut_slice();
        for (theta, ends) in theta.chunks_exact_mut(rank).zip(documents.starts.windows(2)) {
            let (ratios, others) = rest.split_at_mut(ends[1] - ends[0]);
            slots.push((theta, ratios));
            rest = others;
        }
        solve_each(
            &self.params.e_step(),
            rank,
            documents,
            &beta,
            slots,
            check_stop,
            |_, (theta, ratios), solved| {
                theta.copy_from_slice(solved.theta());
                ratios.copy_from_slice(solved.ratios());
            },
        )?;
        let statistics = BatchStatistics { documents, beta: &beta, theta: &theta, ratios: &ratios };
        match rate_and_ratio {
            Some((rate, ratio)) => posterior.update(&statistics, rate, ratio),
            None => posterior.accumulate(&statistics),
        }
        Ok(())
    }

    pub(super) fn n_batches(&self) -> usize {
        match self.params.batch {
            Batch::All => 1,
            Batch::Size(size) => self.samples.n_samples().div_ceil(size),
        }
    }

    /// The order of the documents: shuffled for each stage, unless there is only one batch.
    fn order(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.samples.n_samples()).collect();
        if self.n_batches() > 1 {
            order.shuffle(&mut numbered_generator(self.seed, Stream::Order, self.number));
        }
        order
    }
}

/// The start of a batch in the order of the documents.
fn batch_start(batch: usize, n: usize, n_batches: usize) -> usize {
    (batch as u128 * n as u128 / n_batches as u128) as usize
}

#[cfg(test)]
pub(super) mod tests {
    use ndarray::Axis;

    use super::super::e_step::tests::naive_document;
    use super::*;
    use crate::linalg::special::digamma;
    use crate::samples::{CsrSamples, DenseSamples};
    use crate::testing::{assert_close, random_matrix, sparse_copy};

    /// Counts, two thirds of them zero.
    pub(in super::super) fn counts(documents: usize, words: usize) -> Array2<f64> {
        random_matrix::<f64>(documents, words, 5).mapv(|v| (9.0 * v - 3.0).ceil().max(0.0))
    }

    pub(in super::super) fn expected_ln_topics(lambda: &Array2<f64>) -> Array2<f64> {
        let totals = lambda.sum_axis(Axis(1)).insert_axis(Axis(1));
        lambda.mapv(digamma) - totals.mapv(digamma)
    }

    /// The algorithm of the paper, naive and dense.
    fn naive_stage(stage: &LdaStage<'_, f64>, counts: &Array2<f64>, start: &Array2<f64>) -> Array2<f64> {
        let (n, n_batches, step) = (counts.nrows(), stage.n_batches(), stage.params.e_step());
        let order = stage.order();
        let mut lambda = start.clone();
        for batch in 0..n_batches {
            let rows = &order[batch * n / n_batches..(batch + 1) * n / n_batches];
            let beta = expected_ln_topics(&lambda).mapv(f64::exp);
            let mut sums = Array2::<f64>::zeros(lambda.dim());
            for &d in rows {
                let document = counts.row(d).mapv(|c| c * stage.params.sample_scale);
                let (_, theta) = naive_document(&step, &beta, &document);
                for (w, &count) in document.indexed_iter() {
                    let phi = &theta * &beta.column(w);
                    sums.column_mut(w).scaled_add(count / phi.sum(), &phi);
                }
            }
            let rho = match stage.params.batch {
                Batch::All => 1.0,
                Batch::Size(_) => {
                    let t = (stage.number * n_batches + batch + 1) as f64;
                    (stage.params.tau0 + t).powf(-stage.params.kappa)
                }
            };
            let target = sums * (n as f64 / rows.len() as f64) + stage.params.topic_prior.unwrap();
            lambda = lambda * (1.0 - rho) + target * rho;
        }
        lambda
    }

    #[test]
    fn a_pass_equals_the_paper_for_any_batch_size_and_for_dense_and_sparse_samples() {
        let data = counts(70, 40);
        let dense = DenseSamples::new(data.view()).unwrap();
        let (pointers, indices, values) = sparse_copy(&data);
        let sparse = CsrSamples::new(40, &pointers, indices, values).unwrap();
        let start = random_matrix::<f64>(3, 40, 9).mapv(|v| 1.0 + 0.3 * v);
        for batch in [Batch::Size(1), Batch::Size(16), Batch::Size(1000), Batch::All] {
            let params = OnlineLdaParams {
                batch,
                topic_prior: Some(0.05),
                document_prior: Some(0.2),
                sample_scale: 1.5,
                tau0: 0.0,
                ..OnlineLdaParams::new(3)
            };
            for samples in [&dense as &dyn Samples<f64>, &sparse] {
                let stage = LdaStage { samples, params: &params, number: 2, seed: 4 };
                let found = stage.run::<FitError>(&start, &|| Ok(())).unwrap();
                assert_close(&found, &naive_stage(&stage, &data, &start), 1e-10);
            }
        }
    }

    #[test]
    fn a_batch_in_several_chunks_is_one_batch() {
        // More documents than fit one chunk.
        let data = counts(1500, 12);
        let samples = DenseSamples::new(data.view()).unwrap();
        let start = random_matrix::<f64>(2, 12, 9).mapv(|v| 1.0 + 0.3 * v);
        assert!(documents_per_chunk(&samples) < 1500);
        for batch in [Batch::All, Batch::Size(1500)] {
            let params = OnlineLdaParams { batch, topic_prior: Some(0.1), ..OnlineLdaParams::new(2) };
            let stage = LdaStage { samples: &samples, params: &params, number: 0, seed: 4 };
            let found = stage.run::<FitError>(&start, &|| Ok(())).unwrap();
            assert_close(&found, &naive_stage(&stage, &data, &start), 1e-10);
        }
    }

    #[test]
    fn every_stage_has_another_order_of_documents() {
        let samples = DenseSamples::new(counts(50, 3)).unwrap();
        let params = OnlineLdaParams { batch: Batch::Size(10), ..OnlineLdaParams::default() };
        let order = |number| LdaStage { samples: &samples, params: &params, number, seed: 1 }.order();
        assert_ne!(order(0), order(1));
        assert_eq!(order(1), order(1));
    }

    #[test]
    fn a_stage_can_be_cancelled() {
        let samples = DenseSamples::new(counts(50, 3)).unwrap();
        let params = OnlineLdaParams::new(2);
        let stage = LdaStage { samples: &samples, params: &params, number: 0, seed: 1 };
        let error = stage.run::<FitError>(&Array2::ones((2, 3)), &|| Err(FitError::StoppedBeforeStart));
        assert_eq!(error.unwrap_err(), FitError::StoppedBeforeStart);
    }
}
