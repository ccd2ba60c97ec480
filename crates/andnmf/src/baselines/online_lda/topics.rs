//! Fitted topics, applied to other documents.

use ndarray::{Array2, ArrayView2};

use super::batch_e_step::{documents_per_chunk, solve_each};
use super::documents::BatchReader;
use super::params::{OnlineLda, OnlineLdaParams};
use super::perplexity::{LikelihoodBound, document_bound, topic_bound};
use super::posterior::Posterior;
use super::state::LdaState;
use crate::fit::Fit;
use crate::linalg::unit_sum::rows_of_unit_sum;
use crate::samples::Samples;
use crate::{FitError, Real, ShapeError};

/// The posterior of the topics: λ, the parameters of one Dirichlet distribution over words per topic.
///
/// [`OnlineLda::topics`] returns that of a fit.
///
/// ```
/// use andnmf::baselines::OnlineLdaParams;
/// use andnmf::fit::{Run, Solver, Start};
/// use andnmf::samples::DenseSamples;
///
/// let counts = ndarray::array![[5.0, 4.0, 0.0], [0.0, 1.0, 6.0], [2.0, 3.0, 0.0]];
/// let documents = DenseSamples::new(counts.view())?;
/// let lda = OnlineLdaParams::new(2).check()?;
/// let topics = lda.topics(&lda.fit(&documents, Start::Auto, &mut Run::new())?)?;
/// assert_eq!(topics.weights(&documents)?.dim(), (3, 2));
/// # Ok::<(), andnmf::FitError>(())
/// ```
#[derive(Debug, Clone)]
pub struct LdaTopics<T: Real> {
    lambda: Array2<T>,
    params: OnlineLdaParams,
}

impl OnlineLda {
    /// The topics of a fit of this method.
    ///
    /// # Errors
    /// If the fit is from another method or has another number of topics.
    pub fn topics<T: Real>(&self, fit: &Fit<T>) -> Result<LdaTopics<T>, FitError> {
        if fit.method() != OnlineLdaParams::NAME {
            let reason = format!("it belongs to a run of {}, not of {}", fit.method(), OnlineLdaParams::NAME);
            return Err(FitError::Checkpoint { reason });
        }
        let (_, state) = fit.checkpoint().into_state::<LdaState<T>>()?;
        LdaTopics::new(self, state.lambda)
    }
}

impl<T: Real> LdaTopics<T> {
    /// Topics with these parameters (rank × features) and the settings of their fit.
    ///
    /// # Errors
    /// If the number of topics differs from the settings, or a parameter is negative or not finite.
    pub fn new(lda: &OnlineLda, lambda: Array2<T>) -> Result<Self, FitError> {
        let params = lda.params().clone();
        if lambda.nrows() != params.rank || lambda.ncols() == 0 {
            let expected = format!("{} × any number of features", params.rank);
            return Err(ShapeError::new("the parameters of the topics", lambda.dim(), expected).into());
        }
        check_parameters(&lambda)?;
        Ok(Self { lambda, params })
    }

    /// λ, rank × features.
    #[must_use]
    pub fn lambda(&self) -> ArrayView2<'_, T> {
        self.lambda.view()
    }

    /// The expected topics, rank × features: each row sums to 1.
    #[must_use]
    pub fn components(&self) -> Array2<T> {
        rows_of_unit_sum(&self.lambda)
    }

    /// The expected topic proportions of each document, documents × rank: each row sums to 1. A document without
    /// words has uniform proportions.
    ///
    /// # Errors
    /// If the documents cannot be read, have another number of features than the topics, or a negative value.
    pub fn weights(&self, documents: &dyn Samples<T>) -> Result<Array2<T>, FitError> {
        self.weights_with_stop(documents, &|| Ok(()))
    }

    /// A lower bound on the log-likelihood of the documents, from which the perplexity follows.
    ///
    /// # Errors
    /// As for [`weights`](Self::weights).
    pub fn bound(&self, documents: &dyn Samples<T>) -> Result<LikelihoodBound, FitError> {
        let (step, eta) = (self.params.e_step(), self.params.eta());
        let posterior = Posterior::new(self.lambda.view(), eta);
        let mut bound = LikelihoodBound { documents: 0.0, topics: topic_bound(&posterior, eta), words: 0.0 };
        self.for_each_chunk(documents, |_, reader, rows| {
            let documents = reader.read(rows)?;
            let weights = posterior.word_weights(&documents.features);
            let slots = vec![(); documents.len()];
            let each = |number, (), solved: &_| document_bound(&step, documents, number, &weights, solved);
            let bounds = solve_each::<_, _, _, FitError>(
                &step,
                self.params.rank,
                documents,
                &weights.beta,
                slots,
                &|| Ok(()),
                each,
            )?;
            for (document, words) in bounds {
                bound.documents += document;
                bound.words += words;
            }
            Ok::<(), FitError>(())
        })?;
        if !(bound.documents.is_finite() && bound.topics.is_finite()) {
            return Err(FitError::Overflow { stage: 0 });
        }
        Ok(bound)
    }

    /// The perplexity of the documents: [`LikelihoodBound::perplexity`], comparable with that of scikit-learn.
    ///
    /// # Errors
    /// As for [`weights`](Self::weights).
    pub fn perplexity(&self, documents: &dyn Samples<T>) -> Result<f64, FitError> {
        Ok(self.bound(documents)?.perplexity())
    }

    /// Like [`weights`](Self::weights), but an error of `check_stop` cancels it.
    pub(super) fn weights_with_stop<E: From<FitError> + Send>(
        &self,
        documents: &dyn Samples<T>,
        check_stop: &(impl Fn() -> Result<(), E> + Sync),
    ) -> Result<Array2<T>, E> {
        let (rank, step) = (self.params.rank, self.params.e_step());
        let posterior = Posterior::new(self.lambda.view(), self.params.eta());
        let mut weights = Array2::zeros((documents.n_samples(), rank));
        self.for_each_chunk(documents, |first, reader, rows| {
            let documents = reader.read(rows)?;
            let beta = posterior.word_weights(&documents.features).beta;
            let mut chunk = weights.slice_mut(ndarray::s![first..first + rows.len(), ..]);
            let slots: Vec<_> = chunk.outer_iter_mut().collect();
            let finite =
                solve_each(&step, rank, documents, &beta, slots, check_stop, |_, mut row, solved| {
                    let total: f64 = solved.gamma().iter().sum();
                    row.iter_mut()
                        .zip(solved.gamma())
                        .for_each(|(to, gamma)| *to = T::from_f64(gamma / total));
                    total.is_finite()
                })?;
            if finite.contains(&false) {
                return Err(FitError::Overflow { stage: 0 }.into());
            }
            Ok::<(), E>(())
        })?;
        Ok(weights)
    }

    pub(super) fn params(&self) -> &OnlineLdaParams {
        &self.params
    }

    pub(super) fn set_lambda(&mut self, lambda: Array2<T>) {
        self.lambda = lambda;
    }

    /// Checks that documents have the features of the topics.
    pub(super) fn check_features(&self, documents: &dyn Samples<T>) -> Result<(), FitError> {
        let features = self.lambda.ncols();
        if documents.n_features() == features {
            return Ok(());
        }
        let given = (documents.n_samples(), documents.n_features());
        let expected = format!("any number of documents × {features} features");
        Err(ShapeError::new("the documents", given, expected).into())
    }

    /// Calls `work` with the first index, a reader and all indices of each chunk of documents.
    fn for_each_chunk<E: From<FitError>>(
        &self,
        documents: &dyn Samples<T>,
        mut work: impl FnMut(usize, &mut BatchReader<'_, T>, &[usize]) -> Result<(), E>,
    ) -> Result<(), E> {
        self.check_features(documents)?;
        let mut reader = BatchReader::new(documents, self.params.sample_scale);
        let order: Vec<usize> = (0..documents.n_samples()).collect();
        for rows in order.chunks(documents_per_chunk(documents)) {
            work(rows[0], &mut reader, rows)?;
        }
        Ok(())
    }
}

/// Checks that all parameters are finite and non-negative.
pub(super) fn check_parameters<T: Real>(lambda: &Array2<T>) -> Result<(), FitError> {
    let zero = T::from_f64(0.0);
    match lambda.indexed_iter().find(|&(_, &v)| !(v.finite() && v >= zero)) {
        Some(((topic, feature), v)) => {
            let reason = format!(
                "topic {topic} has the parameter {v} for feature {feature}; it must be finite and not negative"
            );
            Err(FitError::Checkpoint { reason })
        }
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use ndarray::{Array1, array};

    use super::super::e_step::tests::naive_document;
    use super::super::stage::tests::{counts, expected_ln_topics};
    use super::*;
    use crate::linalg::special::{digamma, ln_gamma};
    use crate::samples::{CsrSamples, DenseSamples};
    use crate::testing::{assert_close, random_matrix, sparse_copy};

    fn lda() -> OnlineLda {
        let params = OnlineLdaParams {
            topic_prior: Some(0.05),
            document_prior: Some(0.2),
            sample_scale: 2.0,
            ..OnlineLdaParams::new(3)
        };
        params.check().unwrap()
    }

    fn lambda() -> Array2<f64> {
        random_matrix::<f64>(3, 40, 9).mapv(|v| 0.05 + 20.0 * v * v)
    }

    /// The negative KL divergence of a Dirichlet posterior from a symmetric prior.
    fn dirichlet_term(prior: f64, posterior: &Array1<f64>) -> f64 {
        let total = posterior.sum();
        let terms = posterior
            .iter()
            .map(|&p| (prior - p) * (digamma(p) - digamma(total)) + ln_gamma(p) - ln_gamma(prior));
        terms.sum::<f64>() + ln_gamma(prior * posterior.len() as f64) - ln_gamma(total)
    }

    #[test]
    fn weights_and_bound_equal_the_textbook() {
        let (data, lambda) = (counts(30, 40), lambda());
        let (dense, (pointers, indices, values)) =
            (DenseSamples::new(data.view()).unwrap(), sparse_copy(&data));
        let sparse = CsrSamples::new(40, &pointers, indices, values).unwrap();
        let ln_beta = expected_ln_topics(&lambda);
        let mut weights = Array2::zeros((30, 3));
        let (mut bound, mut words) = (0.0, 0.0);
        for (document, mut weights) in data.outer_iter().zip(weights.outer_iter_mut()) {
            let document = &document * 2.0;
            let (gamma, _) = naive_document(&lda().params().e_step(), &ln_beta.mapv(f64::exp), &document);
            weights.assign(&(&gamma / gamma.sum()));
            for (w, &count) in document.indexed_iter() {
                let terms =
                    (0..3).map(|k| (digamma(gamma[k]) - digamma(gamma.sum()) + ln_beta[[k, w]]).exp());
                bound += count * terms.sum::<f64>().ln();
                words += count;
            }
            bound += dirichlet_term(0.2, &gamma);
        }
        let of_topics: f64 = lambda.outer_iter().map(|row| dirichlet_term(0.05, &row.to_owned())).sum();
        let topics = LdaTopics::new(&lda(), lambda).unwrap();
        for samples in [&dense as &dyn Samples<f64>, &sparse] {
            assert_close(&topics.weights(samples).unwrap(), &weights, 1e-10);
            let found = topics.bound(samples).unwrap();
            assert!((found.documents / bound - 1.0).abs() < 1e-10, "{} for {bound}", found.documents);
            assert!((found.topics / of_topics - 1.0).abs() < 1e-10, "{} for {of_topics}", found.topics);
            assert_eq!(found.words, words);
            let perplexity = (-(bound + of_topics) / words).exp();
            assert!((topics.perplexity(samples).unwrap() / perplexity - 1.0).abs() < 1e-10);
        }
    }

    #[test]
    fn documents_without_words_have_uniform_proportions() {
        let topics = LdaTopics::new(&lda(), lambda()).unwrap();
        let empty = DenseSamples::new(Array2::zeros((2, 40))).unwrap();
        assert_close(&topics.weights(&empty).unwrap(), &Array2::from_elem((2, 3), 1.0 / 3.0), 1e-15);
        let bound = topics.bound(&empty).unwrap();
        assert_eq!((bound.words, bound.perplexity(), bound.document_perplexity()), (0.0, 1.0, 1.0));
        assert!(bound.documents.abs() < 1e-12, "empty documents have likelihood 1: {}", bound.documents);
    }

    #[test]
    fn documents_with_another_number_of_features_are_rejected() {
        let topics = LdaTopics::new(&lda(), lambda()).unwrap();
        let other = DenseSamples::new(Array2::zeros((2, 39))).unwrap();
        assert!(matches!(topics.weights(&other).unwrap_err(), FitError::Shape(_)));
        assert!(matches!(topics.perplexity(&other).unwrap_err(), FitError::Shape(_)));
    }

    #[test]
    fn parameters_of_the_wrong_shape_or_sign_are_rejected() {
        assert!(matches!(
            LdaTopics::new(&lda(), Array2::<f64>::ones((2, 4))).unwrap_err(),
            FitError::Shape(_)
        ));
        let error = LdaTopics::new(&lda(), array![[1.0], [-1.0], [1.0]]).unwrap_err();
        assert!(error.to_string().contains("topic 1"), "{error}");
    }

    #[test]
    fn components_are_proportions() {
        let components =
            LdaTopics::new(&lda(), array![[1.0, 3.0], [2.0, 2.0], [0.0, 0.0]]).unwrap().components();
        assert_eq!(components, array![[0.25, 0.75], [0.5, 0.5], [0.5, 0.5]]);
    }
}
