//! Online LDA as a [`Solver`](crate::fit::Solver).

use ndarray::Array2;

use super::init::{given_topics, random_topics, total_words};
use super::params::{OnlineLda, OnlineLdaParams};
use super::stage::LdaStage;
use super::state::LdaState;
use super::topics::{LdaTopics, check_parameters};
use crate::fit::{
    Checkpoint, ExpectedShape, Fit, Header, MethodState, ResolvedStart, Run, Snapshot, StageInterrupt,
    StageRecord, StagedRun, Start, StopMonitor, Workers, drive, solver,
};
use crate::linalg::product::frobenius;
use crate::linalg::unit_sum::rows_of_unit_sum;
use crate::samples::{CancellableSamples, Samples};
use crate::{FitError, Real};

solver!(OnlineLda, OnlineLdaParams::NAME);

impl OnlineLda {
    pub(crate) fn run<T: Real>(
        &self,
        samples: &dyn Samples<T>,
        start: Start<T>,
        run: &mut Run<'_, T>,
    ) -> Result<Fit<T>, FitError> {
        let mut lda = LdaRun::init(self.params(), samples, start, run)?;
        let stop = drive(&mut lda, &self.params().limits(), run)?;
        let weights = lda.weights(self)?;
        lda.header.seconds = lda.monitor.clock.seconds();
        let passes = lda.header.passes + usize::from(weights.is_some());
        Ok(Fit { weights, passes, ..Fit::new(lda.header, lda.state, stop) })
    }
}

/// A run between two stages. Its working matrix is λ; the components are E[β] = λ / Σλ.
struct LdaRun<'a, T: Real> {
    params: &'a OnlineLdaParams,
    samples: &'a dyn Samples<T>,
    workers: Workers,
    monitor: StopMonitor<'a>,
    header: Header,
    state: LdaState<T>,
}

impl<'a, T: Real> LdaRun<'a, T> {
    fn init<'r: 'a>(
        params: &'a OnlineLdaParams,
        samples: &'a dyn Samples<T>,
        start: Start<T>,
        run: &Run<'r, T>,
    ) -> Result<Self, FitError> {
        let (rank, seed) = (params.rank, params.seed);
        let workers = run.workers()?;
        let monitor = StopMonitor::new(run, params.time_limit, start.elapsed_seconds());
        let stop = || monitor.reason().is_some();
        let watched = CancellableSamples { samples, stop: &stop };
        let random = matches!(start, Start::Auto);
        let random_start = || Start::Given(random_topics(rank, samples.n_features(), seed));
        let start = if random { random_start() } else { start };
        let (n_samples, n_features) = (samples.n_samples(), samples.n_features());
        let header = Header::new(OnlineLdaParams::NAME, n_samples, seed);
        let (header, state) = match start.resolve(OnlineLdaParams::NAME, &watched, rank, seed, &workers)? {
            ResolvedStart::Resumed(checkpoint) => {
                let (header, state) = checkpoint.into_state::<LdaState<T>>()?;
                ExpectedShape { n_samples, n_features, rank }.check_working(&state.lambda, None)?;
                check_parameters(&state.lambda)?;
                (header, state)
            }
            ResolvedStart::Fresh(initial) if random => (header, LdaState { lambda: initial.components }),
            ResolvedStart::Fresh(initial) => {
                // This pass cannot be cancelled: without it there would be no λ to return.
                let words = workers.run(|| total_words(samples))? * params.sample_scale;
                let lambda = given_topics(initial.components, params.eta(), words)?;
                (Header { passes: initial.passes + 1, ..header }, LdaState { lambda })
            }
        };
        Ok(Self { params, samples, workers, monitor, header, state })
    }

    /// The topic proportions of the documents; `None` if the run was stopped.
    fn weights(&self, lda: &OnlineLda) -> Result<Option<Array2<T>>, FitError> {
        if self.monitor.reason().is_some() {
            return Ok(None);
        }
        let topics = LdaTopics::new(lda, self.state.lambda.clone())?;
        let check_stop = || self.monitor.check();
        match self.workers.run(|| topics.weights_with_stop(self.samples, &check_stop)) {
            Ok(weights) => Ok(Some(weights)),
            Err(StageInterrupt::Stop(_)) => Ok(None),
            Err(StageInterrupt::Error(error)) => Err(error),
        }
    }
}

impl<'a, T: Real> StagedRun<'a, T> for LdaRun<'a, T> {
    fn header(&self) -> &Header {
        &self.header
    }

    fn monitor(&mut self) -> &mut StopMonitor<'a> {
        &mut self.monitor
    }

    fn stage(&mut self) -> Result<bool, StageInterrupt> {
        let number = self.header.stages;
        let stage = LdaStage { samples: self.samples, params: self.params, number, seed: self.header.seed };
        let (before, monitor) = (&self.state.lambda, &self.monitor);
        let after = self.workers.run(|| stage.run(before, &|| monitor.check()))?;
        let (old, new) = (rows_of_unit_sum(before), rows_of_unit_sum(&after));
        // Rows sum to 1, so neither norm is zero.
        let change = frobenius((&new - &old).view()) / frobenius(new.view()).max(frobenius(old.view()));
        self.state.lambda = after;
        self.header.passes += 1;
        self.header.seconds = self.monitor.clock.seconds();
        self.header.trace.push(StageRecord {
            stage: number,
            seconds: self.header.seconds,
            threshold_min: None,
            threshold_median: None,
            // The prior gives every topic a positive share in every document.
            active_fraction: 1.0,
            change,
            loss: None,
        });
        self.header.stages += 1;
        Ok(true)
    }
}

impl<T: Real> Snapshot<T> for LdaRun<'_, T> {
    fn components(&self) -> Array2<T> {
        self.state.components()
    }

    fn checkpoint(&self) -> Checkpoint<T> {
        Checkpoint::new(self.header.clone(), self.state.clone())
    }
}

#[cfg(test)]
mod tests;
