//! Topics that were learned, for documents that are new to them.

use ndarray::{Array2, ArrayView2};

use super::documents::Reader;
use super::params::{OnlineLda, OnlineLdaParams};
use super::perplexity::{Bound, document_bound, topic_bound};
use super::posterior::Posterior;
use super::state::LdaState;
use super::sweep::{documents_at_once, solve_each};
use crate::fit::Fit;
use crate::linalg::unit_sum::rows_of_unit_sum;
use crate::samples::Samples;
use crate::{FitError, Real, ShapeError};

/// Topics with what is known of them: λ, the parameters of one Dirichlet distribution over words per topic.
///
/// Got from a fit with [`OnlineLda::topics`].
#[derive(Debug, Clone)]
pub struct Topics<T: Real> {
    lambda: Array2<T>,
    params: OnlineLdaParams,
}

impl OnlineLda {
    /// The topics of a fit of this method.
    ///
    /// # Errors
    /// Where the fit is that of another method or another number of topics.
    pub fn topics<T: Real>(&self, fit: &Fit<T>) -> Result<Topics<T>, FitError> {
        if fit.method() != OnlineLdaParams::NAME {
            let reason = format!("it belongs to a run of {}, not of {}", fit.method(), OnlineLdaParams::NAME);
            return Err(FitError::Checkpoint { reason });
        }
        let (_, state) = fit.checkpoint().into_state::<LdaState<T>>()?;
        Topics::new(self, state.lambda)
    }
}

impl<T: Real> Topics<T> {
    /// Topics with these parameters, rank × features, and the settings of their fit.
    ///
    /// # Errors
    /// Where there are more or fewer topics than the settings say, or a parameter is negative or not finite.
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

    /// The expected proportions of the topics in each document, documents × rank: each row sums to 1. A document
    /// without words has all topics alike.
    ///
    /// # Errors
    /// Where the documents cannot be read, have other features than the topics, or a negative value.
    pub fn weights(&self, documents: &dyn Samples<T>) -> Result<Array2<T>, FitError> {
        self.weights_unless(documents, &|| Ok(()))
    }

    /// A bound on the likelihood of the documents, from which the perplexity follows.
    ///
    /// # Errors
    /// As for [`weights`](Self::weights).
    pub fn bound(&self, documents: &dyn Samples<T>) -> Result<Bound, FitError> {
        let (step, eta) = (self.params.e_step(), self.params.eta());
        let posterior = Posterior::new(&self.lambda, eta);
        let mut bound = Bound { documents: 0.0, topics: topic_bound(&posterior, eta), words: 0.0 };
        self.for_parts(documents, |_, reader, rows| {
            let documents = reader.read(rows)?;
            let weights = posterior.word_weights(&documents.features);
            let slots = vec![(); documents.len()];
            let each = |number, (), solved: &_| document_bound(&step, documents, number, &weights, solved);
            let parts = solve_each::<_, _, _, FitError>(
                &step,
                self.params.rank,
                documents,
                &weights.beta,
                slots,
                &|| Ok(()),
                each,
            )?;
            for (of_document, words) in parts {
                bound.documents += of_document;
                bound.words += words;
            }
            Ok::<(), FitError>(())
        })?;
        if !(bound.documents.is_finite() && bound.topics.is_finite()) {
            return Err(FitError::Overflow { stage: 0 });
        }
        Ok(bound)
    }

    /// The perplexity of the documents: [`Bound::perplexity`], to be compared with that of scikit-learn.
    ///
    /// # Errors
    /// As for [`weights`](Self::weights).
    pub fn perplexity(&self, documents: &dyn Samples<T>) -> Result<f64, FitError> {
        Ok(self.bound(documents)?.perplexity())
    }

    /// [`weights`](Self::weights), if `pause` does not call it off.
    pub(super) fn weights_unless<E: From<FitError> + Send>(
        &self,
        documents: &dyn Samples<T>,
        pause: &(impl Fn() -> Result<(), E> + Sync),
    ) -> Result<Array2<T>, E> {
        let (rank, step) = (self.params.rank, self.params.e_step());
        let posterior = Posterior::new(&self.lambda, self.params.eta());
        let mut weights = Array2::zeros((documents.n_samples(), rank));
        self.for_parts(documents, |first, reader, rows| {
            let documents = reader.read(rows)?;
            let beta = posterior.word_weights(&documents.features).beta;
            let mut part = weights.slice_mut(ndarray::s![first..first + rows.len(), ..]);
            let slots: Vec<_> = part.outer_iter_mut().collect();
            let within = solve_each(&step, rank, documents, &beta, slots, pause, |_, mut row, solved| {
                let total: f64 = solved.gamma().iter().sum();
                row.iter_mut().zip(solved.gamma()).for_each(|(to, gamma)| *to = T::from_f64(gamma / total));
                total.is_finite()
            })?;
            if within.contains(&false) {
                return Err(FitError::Overflow { stage: 0 }.into());
            }
            Ok::<(), E>(())
        })?;
        Ok(weights)
    }

    /// Calls `work` with the first number and all numbers of a few documents at a time.
    fn for_parts<E: From<FitError>>(
        &self,
        documents: &dyn Samples<T>,
        mut work: impl FnMut(usize, &mut Reader<'_, T>, &[usize]) -> Result<(), E>,
    ) -> Result<(), E> {
        let features = self.lambda.ncols();
        if documents.n_features() != features {
            let given = (documents.n_samples(), documents.n_features());
            let expected = format!("any number of documents × {features} features");
            return Err(FitError::from(ShapeError::new("the documents", given, expected)).into());
        }
        let mut reader = Reader::new(documents, self.params.sample_scale);
        let order: Vec<usize> = (0..documents.n_samples()).collect();
        for rows in order.chunks(documents_at_once(documents)) {
            work(rows[0], &mut reader, rows)?;
        }
        Ok(())
    }
}

/// Parameters must be finite and not negative.
pub(super) fn check_parameters<T: Real>(lambda: &Array2<T>) -> Result<(), FitError> {
    let zero = T::from_f64(0.0);
    match lambda.indexed_iter().find(|&(_, &v)| !(v.finite() && v >= zero)) {
        Some(((topic, feature), v)) => {
            let reason =
                format!("topic {topic} has the parameter {v} for feature {feature}; none may be negative");
            Err(FitError::Checkpoint { reason })
        }
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use ndarray::{Array1, array};

    use super::super::e_step::tests::naive_document;
    use super::super::special::{digamma, ln_gamma};
    use super::super::stage::tests::{counts, expected_ln_topics};
    use super::*;
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

    /// ln of the ratio of prior and posterior Dirichlet densities, on average over the posterior.
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
        let topics = Topics::new(&lda(), lambda).unwrap();
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
    fn documents_without_words_have_all_topics_alike() {
        let topics = Topics::new(&lda(), lambda()).unwrap();
        let nothing = DenseSamples::new(Array2::zeros((2, 40))).unwrap();
        assert_close(&topics.weights(&nothing).unwrap(), &Array2::from_elem((2, 3), 1.0 / 3.0), 1e-15);
        let bound = topics.bound(&nothing).unwrap();
        assert_eq!((bound.words, bound.perplexity(), bound.document_perplexity()), (0.0, 1.0, 1.0));
        assert!(bound.documents.abs() < 1e-12, "nothing is surely there: {}", bound.documents);
    }

    #[test]
    fn documents_with_other_features_are_refused() {
        let topics = Topics::new(&lda(), lambda()).unwrap();
        let other = DenseSamples::new(Array2::zeros((2, 39))).unwrap();
        assert!(matches!(topics.weights(&other).unwrap_err(), FitError::Shape(_)));
        assert!(matches!(topics.perplexity(&other).unwrap_err(), FitError::Shape(_)));
    }

    #[test]
    fn parameters_of_the_wrong_shape_or_sign_are_refused() {
        assert!(matches!(Topics::new(&lda(), Array2::<f64>::ones((2, 4))).unwrap_err(), FitError::Shape(_)));
        let error = Topics::new(&lda(), array![[1.0], [-1.0], [1.0]]).unwrap_err();
        assert!(error.to_string().contains("topic 1"), "{error}");
    }

    #[test]
    fn components_are_proportions() {
        let components =
            Topics::new(&lda(), array![[1.0, 3.0], [2.0, 2.0], [0.0, 0.0]]).unwrap().components();
        assert_eq!(components, array![[0.25, 0.75], [0.5, 0.5], [0.5, 0.5]]);
    }
}
