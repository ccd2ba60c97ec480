//! Online LDA under the common contract.

use ndarray::Array2;

use super::begin::{given_topics, random_topics, total};
use super::params::{OnlineLda, OnlineLdaParams};
use super::stage::Stage;
use super::state::LdaState;
use super::topics::{Topics, check_parameters};
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
        let mut engine = Engine::begin(self.params(), samples, start, run)?;
        let stop = drive(&mut engine, &self.params().limits(), run)?;
        let weights = engine.weights(self)?;
        engine.header.seconds = engine.monitor.clock.seconds();
        let passes = engine.header.passes + usize::from(weights.is_some());
        Ok(Fit { weights, passes, ..Fit::new(engine.header, engine.state, stop) })
    }
}

/// A run between two stages. Its working matrix is λ, and E[β] = λ / Σλ are the components.
struct Engine<'a, T: Real> {
    params: &'a OnlineLdaParams,
    samples: &'a dyn Samples<T>,
    workers: Workers,
    monitor: StopMonitor<'a>,
    header: Header,
    state: LdaState<T>,
}

impl<'a, T: Real> Engine<'a, T> {
    fn begin<'r: 'a>(
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
        let own = || Start::Given(random_topics(rank, samples.n_features(), seed));
        let start = if random { own() } else { start };
        let (n_samples, n_features) = (samples.n_samples(), samples.n_features());
        let header = Header::new(OnlineLdaParams::NAME, n_samples, seed);
        let (header, state) = match start.resolve(OnlineLdaParams::NAME, &watched, rank, seed, &workers)? {
            ResolvedStart::Resumed(checkpoint) => {
                let (header, state) = checkpoint.into_state::<LdaState<T>>()?;
                ExpectedShape { n_samples, n_features, rank }.check_working(&state.lambda, None)?;
                check_parameters(&state.lambda)?;
                (header, state)
            }
            ResolvedStart::Fresh(found) if random => (header, LdaState { lambda: found.components }),
            ResolvedStart::Fresh(found) => {
                // Without this pass the start could not even be returned: it is not called off.
                let words = workers.run(|| total(samples))? * params.sample_scale;
                let lambda = given_topics(found.components, params.eta(), words)?;
                (Header { passes: found.passes + 1, ..header }, LdaState { lambda })
            }
        };
        Ok(Self { params, samples, workers, monitor, header, state })
    }

    /// The proportions of the topics in the documents, unless the time is up.
    fn weights(&self, lda: &OnlineLda) -> Result<Option<Array2<T>>, FitError> {
        if self.monitor.reason().is_some() {
            return Ok(None);
        }
        let topics = Topics::new(lda, self.state.lambda.clone())?;
        let pause = || self.monitor.check();
        match self.workers.run(|| topics.weights_unless(self.samples, &pause)) {
            Ok(weights) => Ok(Some(weights)),
            Err(StageInterrupt::Stop(_)) => Ok(None),
            Err(StageInterrupt::Error(error)) => Err(error),
        }
    }
}

impl<'a, T: Real> StagedRun<'a, T> for Engine<'a, T> {
    fn header(&self) -> &Header {
        &self.header
    }

    fn monitor(&mut self) -> &mut StopMonitor<'a> {
        &mut self.monitor
    }

    fn stage(&mut self) -> Result<bool, StageInterrupt> {
        let number = self.header.stages;
        let stage = Stage { samples: self.samples, params: self.params, number, seed: self.header.seed };
        let (before, monitor) = (&self.state.lambda, &self.monitor);
        let after = self.workers.run(|| stage.run(before, &|| monitor.check()))?;
        let (old, new) = (rows_of_unit_sum(before), rows_of_unit_sum(&after));
        // Rows sum to 1, so neither size can be zero.
        let change = frobenius((&new - &old).view()) / frobenius(new.view()).max(frobenius(old.view()));
        self.state.lambda = after;
        self.header.passes += 1;
        self.header.seconds = self.monitor.clock.seconds();
        self.header.trace.push(StageRecord {
            stage: number,
            seconds: self.header.seconds,
            threshold_min: None,
            threshold_median: None,
            // Every topic has a share in every document, if only that of the prior.
            active_fraction: 1.0,
            change,
            loss: None,
        });
        self.header.stages += 1;
        Ok(true)
    }
}

impl<T: Real> Snapshot<T> for Engine<'_, T> {
    fn components(&self) -> Array2<T> {
        self.state.components()
    }

    fn checkpoint(&self) -> Checkpoint<T> {
        Checkpoint::new(self.header.clone(), self.state.clone())
    }
}

#[cfg(test)]
mod tests;
