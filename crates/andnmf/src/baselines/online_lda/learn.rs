//! Topics that learn from documents in portions, and topics from a saved model.

use ndarray::{Array2, ArrayView2, Axis};

use super::init::random_topics;
use super::params::OnlineLda;
use super::stage::{BatchCourse, LdaStage};
use super::topics::LdaTopics;
use crate::fit::{Fit, Run, is_cancelled};
use crate::samples::{CancellableSamples, Samples};
use crate::{FitError, Real, SamplesError, ShapeError};

impl<T: Real> LdaTopics<T> {
    /// Random topics with this many words, before their first documents.
    ///
    /// # Errors
    /// If there are no words.
    pub fn random(lda: &OnlineLda, n_features: usize) -> Result<Self, FitError> {
        Self::new(lda, random_topics(lda.params().rank, n_features, lda.params().seed))
    }

    /// Topics from their expected distributions over words (rank × features) and the [totals](Self::totals) of their
    /// parameters: what models store.
    ///
    /// # Errors
    /// If there is not one total per topic, or as for [`new`](Self::new).
    pub fn from_components(
        lda: &OnlineLda,
        components: ArrayView2<'_, T>,
        totals: &[f64],
    ) -> Result<Self, FitError> {
        if components.nrows() != totals.len() {
            let expected = format!("{} × 1, one total per topic", components.nrows());
            return Err(ShapeError::new("the totals of the topics", (totals.len(), 1), expected).into());
        }
        let mut lambda = components.to_owned();
        for (mut row, total) in lambda.axis_iter_mut(Axis(0)).zip(totals) {
            row.mapv_inplace(|v| T::from_f64(v.as_f64() * total));
        }
        Self::new(lda, lambda)
    }

    /// The totals of the topics of a fit; `None` if it is from another method.
    #[must_use]
    pub fn totals_of(fit: &Fit<T>) -> Option<Vec<f64>> {
        let params = super::OnlineLdaParams::new(fit.components.nrows());
        Some(params.check().ok()?.topics(fit).ok()?.totals())
    }

    /// Σ of the parameters of each topic: the words that it stands for, with those of its prior.
    #[must_use]
    pub fn totals(&self) -> Vec<f64> {
        let sum = |row: ndarray::ArrayView1<'_, T>| row.iter().map(|v| v.as_f64()).sum();
        self.lambda().outer_iter().map(sum).collect()
    }

    /// Learns from a portion of the documents, and returns the number of batches it was cut into. `of_all` is the number of
    /// documents for which the portions stand together, `before` the number of batches so far, which lowers the
    /// learning rate. Of `run`, only the threads and the cancel flag are used.
    ///
    /// The documents are cut into batches of the size of the settings, in their order. Nothing changes on an error.
    ///
    /// ```
    /// use andnmf::baselines::{LdaTopics, OnlineLdaParams};
    /// use andnmf::fit::Run;
    /// use andnmf::samples::DenseSamples;
    ///
    /// let lda = OnlineLdaParams::new(2).check()?;
    /// let mut topics = LdaTopics::random(&lda, 3)?;
    /// let documents = DenseSamples::new(ndarray::array![[5.0, 4.0, 0.0], [0.0, 1.0, 6.0]])?;
    /// let batches = topics.learn(&documents, 1000.0, 0, &Run::new())?;
    /// assert_eq!((batches, topics.components().dim()), (1, (2, 3)));
    /// # Ok::<(), andnmf::FitError>(())
    /// ```
    ///
    /// # Errors
    /// If the documents cannot be read, have another number of features or a negative value, or reading is cancelled.
    pub fn learn(
        &mut self,
        documents: &dyn Samples<T>,
        of_all: f64,
        before: usize,
        run: &Run<'_, T>,
    ) -> Result<usize, FitError> {
        self.check_features(documents)?;
        let flag = run.cancel_flag();
        let stop = || is_cancelled(flag);
        let watched = CancellableSamples { samples: documents, stop: &stop };
        let params = self.params().clone();
        let stage = LdaStage { samples: &watched, params: &params, number: before, seed: params.seed };
        let course = BatchCourse {
            order: (0..documents.n_samples()).collect(),
            n_batches: stage.n_batches(),
            first_number: before + 1,
            of_all,
            online: true,
        };
        let check = || if stop() { Err(FitError::from(SamplesError::Cancelled)) } else { Ok(()) };
        let lambda: Array2<T> = run.workers()?.run(|| stage.batches(self.lambda(), &course, &check))?;
        self.set_lambda(lambda);
        Ok(course.n_batches)
    }
}

#[cfg(test)]
mod tests {
    use super::super::OnlineLdaParams;
    use super::super::stage::tests::counts;
    use super::*;
    use crate::fit::{Solver, Start};
    use crate::samples::DenseSamples;
    use crate::testing::assert_close;
    use std::sync::atomic::AtomicBool;

    fn lda() -> OnlineLda {
        OnlineLdaParams { batch: crate::and::Batch::Size(16), max_stages: 3, ..OnlineLdaParams::new(3) }
            .check()
            .unwrap()
    }

    #[test]
    fn portions_of_whole_batches_are_as_good_as_one() {
        let data = counts(64, 20);
        let mut whole = LdaTopics::random(&lda(), 20).unwrap();
        assert_eq!(whole.learn(&DenseSamples::new(data.view()).unwrap(), 500.0, 0, &Run::new()).unwrap(), 4);
        let mut parts = LdaTopics::random(&lda(), 20).unwrap();
        let mut batches = 0;
        for part in data.axis_chunks_iter(Axis(0), 32) {
            batches += parts.learn(&DenseSamples::new(part).unwrap(), 500.0, batches, &Run::new()).unwrap();
        }
        assert_eq!(batches, 4);
        assert_close(&parts.lambda(), &whole.lambda(), 1e-12);
        let mut other = LdaTopics::random(&lda(), 20).unwrap();
        other.learn(&DenseSamples::new(data.view()).unwrap(), 64.0, 0, &Run::new()).unwrap();
        assert!((&other.lambda() - &whole.lambda()).iter().any(|v| v.abs() > 1.0));
    }

    #[test]
    fn topics_come_back_from_their_components_and_totals() {
        let samples = DenseSamples::new(counts(40, 20)).unwrap();
        let fit = lda().fit(&samples, Start::Auto, &mut Run::new()).unwrap();
        let totals = LdaTopics::totals_of(&fit).unwrap();
        let again = LdaTopics::from_components(&lda(), fit.components.view(), &totals).unwrap();
        assert_close(&again.lambda(), &lda().topics(&fit).unwrap().lambda(), 1e-14);
        assert!(LdaTopics::from_components(&lda(), fit.components.view(), &totals[1..]).is_err());
    }

    #[test]
    fn cancelled_learning_changes_nothing() {
        let flag = AtomicBool::new(true);
        let samples = DenseSamples::new(counts(40, 20)).unwrap();
        let mut topics = LdaTopics::random(&lda(), 20).unwrap();
        let before = topics.lambda().to_owned();
        let error = topics.learn(&samples, 40.0, 0, &Run::new().cancel_with(&flag)).unwrap_err();
        assert_eq!(error, SamplesError::Cancelled.into());
        assert_eq!(topics.lambda(), before);
        let narrow = DenseSamples::new(counts(40, 19)).unwrap();
        assert!(matches!(topics.learn(&narrow, 40.0, 0, &Run::new()).unwrap_err(), FitError::Shape(_)));
    }
}
