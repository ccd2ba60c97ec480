//! Algorithm 1 with a threshold schedule: one stage after another.

use ndarray::Array2;

use super::advance::{AdvanceWorkspace, StageSteps};
use super::decoder::Decoder;
use super::initialize::initialize;
use super::online::OnlineStage;
use super::params::{AndParams, Batch};
use super::stage::{StageQuery, StageWorkspace};
use super::state::AndState;
use super::statistics::{DecodeStatistics, StageStatistics};
use super::threshold::{PreviousStage, StageThresholds, ThresholdParams};
use crate::compression::Space;
use crate::fit::{
    Checkpoint, Fit, Header, Run, Snapshot, StageInterrupt, StageRecord, StagedRun, Start, StopMonitor,
    Warning, Workers, drive,
};
use crate::linalg::product::multiply;
use crate::linalg::pseudo_inverse::PseudoInverseWorkspace;
use crate::linalg::symmetric::spectral_norm;
use crate::query::{self, MaybeOwned};
use crate::samples::{CancellableSamples, Samples};
use crate::{FitError, Real};

/// Fits samples by Algorithm 1 with the thresholds of a schedule.
pub(crate) fn fit_with_schedule<T: Real>(
    params: &AndParams,
    schedule: &ThresholdParams,
    samples: &dyn Samples<T>,
    start: Start<T>,
    run: &mut Run<'_, T>,
) -> Result<Fit<T>, FitError> {
    let mut scheduled = ScheduledRun::new(params, schedule, samples, start, run)?;
    let stop = drive(&mut scheduled, &params.limits(), run)?;
    scheduled.header.seconds = scheduled.monitor.clock.seconds();
    let compressed_to = scheduled.state.basis.as_ref().map(Array2::nrows);
    let ever_active = scheduled.state.last.ever_active.clone();
    let mut fit = Fit { compressed_to, ..Fit::new(scheduled.header, scheduled.state, stop) };
    fit.warn_never_active(&ever_active);
    Ok(fit)
}

/// The result of a stage.
struct StageResult {
    change: f64,
    active_fraction: f64,
    /// Passes over the samples in the space of the stages.
    passes: usize,
}

/// A run between two stages.
struct ScheduledRun<'a, T: Real> {
    params: &'a AndParams,
    schedule: &'a ThresholdParams,
    original: &'a dyn Samples<T>,
    space: Space<T>,
    workers: Workers,
    monitor: StopMonitor<'a>,
    header: Header,
    state: AndState<T>,
    workspace: Workspace<T>,
}

/// Workspace reused by all stages, so that memory is allocated once.
struct Workspace<T: Real> {
    decoder: Option<Decoder<T>>,
    inverse: PseudoInverseWorkspace,
    stage: StageWorkspace<T>,
    advance: AdvanceWorkspace<T>,
    /// The components after the stage.
    next: Array2<T>,
    moments: Array2<T>,
    /// Statistics of the decoded values of the stage.
    decoded: DecodeStatistics,
    thresholds: StageThresholds,
    /// The thresholds in the number type of the samples.
    cast: Vec<T>,
    /// The thresholds in ascending order.
    sorted: Vec<f64>,
}

impl<T: Real> Workspace<T> {
    fn new(shape: (usize, usize)) -> Self {
        Self {
            decoder: None,
            inverse: PseudoInverseWorkspace::default(),
            stage: StageWorkspace::default(),
            advance: AdvanceWorkspace::default(),
            next: Array2::zeros(shape),
            moments: Array2::zeros((shape.0, shape.0)),
            decoded: DecodeStatistics::new(shape.0),
            thresholds: StageThresholds::default(),
            cast: Vec::new(),
            sorted: Vec::new(),
        }
    }
}

impl<'a, T: Real> ScheduledRun<'a, T> {
    /// Initializes the run: computes or checks the start, and chooses the space.
    fn new<'r: 'a>(
        params: &'a AndParams,
        schedule: &'a ThresholdParams,
        samples: &'a dyn Samples<T>,
        start: Start<T>,
        run: &Run<'r, T>,
    ) -> Result<Self, FitError> {
        let workers = run.workers()?;
        let monitor = StopMonitor::new(run, params.time_limit, start.elapsed_seconds());
        let stop = || monitor.reason().is_some();
        let (space, header, state) =
            initialize(params, &CancellableSamples { samples, stop: &stop }, start, &workers)?;
        Ok(Self {
            params,
            schedule,
            original: samples,
            space,
            workers,
            monitor,
            workspace: Workspace::new(state.working.dim()),
            header,
            state,
        })
    }

    fn full_stage(&mut self, decoder: &Decoder<T>) -> Result<StageResult, StageInterrupt> {
        let mut sums = self.full_statistics(decoder, &self.workspace.cast)?;
        let Workspace { next, moments, advance, decoded, .. } = &mut self.workspace;
        sums.sums.copy_gram(moments);
        let products = sums.sums.products_mut();
        let steps =
            StageSteps { inner: self.params.inner, step: self.params.step, stage: self.header.stages };
        let change = steps.advance(next, &self.state.working, products, moments, advance)?;
        let result = StageResult { change, active_fraction: sums.active_fraction(), passes: 1 };
        std::mem::swap(decoded, &mut sums.decoded);
        self.workspace.stage.sums.give(sums);
        Ok(result)
    }

    /// The sums of a stage over all samples.
    fn full_statistics(
        &self,
        decoder: &Decoder<T>,
        thresholds: &[T],
    ) -> Result<StageStatistics<T>, StageInterrupt> {
        let stop = || self.monitor.reason().is_some();
        let samples = CancellableSamples { samples: self.samples(), stop: &stop };
        let stage = StageQuery::decoding(decoder, thresholds, MaybeOwned::Borrowed(&self.workspace.stage));
        query::run(&samples, &stage).map_err(|error| self.monitor.interrupt(error))
    }

    fn online_stage(&mut self, decoder: &Decoder<T>, batch: usize) -> Result<StageResult, StageInterrupt> {
        let stage = OnlineStage {
            samples: self.samples(),
            decoder,
            thresholds: &self.workspace.cast,
            batch,
            inner: self.params.inner,
            step: self.params.step,
            stage: self.header.stages,
            seed: self.header.seed,
        };
        let done = stage.run(&self.state.working, &|| self.monitor.check())?;
        let active: u64 = done.decoded.active.iter().sum();
        let active_fraction = active as f64 / (done.n_used * self.params.rank).max(1) as f64;
        (self.workspace.next, self.workspace.decoded) = (done.components, done.decoded);
        Ok(StageResult { change: done.change, active_fraction, passes: done.passes })
    }

    /// Records the result of a stage and makes it the current state.
    fn record(&mut self, decoder: &Decoder<T>, result: &StageResult) {
        let (rank, stage) = (self.params.rank, self.header.stages);
        let Workspace { next, decoded, thresholds, sorted, .. } = &mut self.workspace;
        let numerical_rank = decoder.numerical_rank();
        let known = |w: &Warning| matches!(w, Warning::DependentComponents { .. });
        if numerical_rank < rank && !self.header.warnings.iter().any(known) {
            self.header.warnings.push(Warning::DependentComponents { stage, numerical_rank, rank });
        }
        for (ever, &count) in self.state.last.ever_active.iter_mut().zip(&decoded.active) {
            *ever |= count > 0;
        }
        if self.schedule.needs_mixing_error() {
            self.state.last.mixing_error = Some(mixing_error(decoder, next));
        }
        sorted.clone_from(&thresholds.values);
        sorted.sort_unstable_by(f64::total_cmp);
        self.header.trace.push(StageRecord {
            stage,
            seconds: self.monitor.clock.seconds(),
            threshold_min: Some(sorted[0]),
            threshold_median: Some((sorted[(rank - 1) / 2] + sorted[rank / 2]) / 2.0),
            active_fraction: result.active_fraction,
            change: result.change,
            loss: None,
        });
        let has_previous = self.params.batch != Batch::All && self.state.last.negative_rms.len() == rank;
        self.state.last.negative_rms.resize(rank, 0.0);
        for (k, rms) in self.state.last.negative_rms.iter_mut().enumerate() {
            // A short online stage may see no negative value of a component; then the previous value remains.
            if !(has_previous && decoded.negative[k] == 0) {
                *rms = decoded.negative_rms_of(k);
            }
        }
        std::mem::swap(&mut self.state.last.thresholds, &mut thresholds.values);
        std::mem::swap(&mut self.state.working, next);
        self.header.stages += 1;
        self.header.seconds = self.monitor.clock.seconds();
    }

    /// The samples in the space of the stages.
    fn samples(&self) -> &dyn Samples<T> {
        self.space.samples(self.original)
    }

    /// Counts passes over the original samples; stages in a compressed space do not read them.
    fn count_passes(&mut self, passes: usize) {
        if matches!(self.space, Space::Original) {
            self.header.passes += passes;
        }
    }
}

impl<'a, T: Real> StagedRun<'a, T> for ScheduledRun<'a, T> {
    fn header(&self) -> &Header {
        &self.header
    }

    fn thresholds(&self) -> &[f64] {
        &self.state.last.thresholds
    }

    fn monitor(&mut self) -> &mut StopMonitor<'a> {
        &mut self.monitor
    }

    fn stage(&mut self) -> Result<bool, StageInterrupt> {
        // Enter the thread pool once per stage, not once per step.
        let workers = self.workers.clone();
        workers.run_stage(|| self.next_stage())
    }
}

impl<T: Real> ScheduledRun<'_, T> {
    /// Runs one stage; returns true if no threshold would fall any further.
    fn next_stage(&mut self) -> Result<bool, StageInterrupt> {
        let stage = self.header.stages;
        let samples = self.samples();
        let (working, sparse) = (self.state.working.view(), samples.is_sparse());
        let mut decoder = self
            .workspace
            .decoder
            .take()
            .unwrap_or_else(|| Decoder::from_matrix(Array2::zeros(working.dim()), sparse));
        let workspace = &mut self.workspace.inverse;
        if decoder.update(working, workspace).is_none() {
            return Err(FitError::Overflow { stage }.into());
        }
        if self.state.last.negative_rms.is_empty() && self.schedule.data_floor.is_some() {
            // Before the first stage the negative values are unknown: decode once, with thresholds that nothing passes.
            let nothing_passes = vec![T::from_f64(f64::MAX); self.params.rank];
            let statistics = self.full_statistics(&decoder, &nothing_passes)?;
            self.state.last.negative_rms = statistics.decoded().negative_rms();
            self.count_passes(1);
        }
        let last = PreviousStage {
            thresholds: &self.state.last.thresholds,
            negative_rms: &self.state.last.negative_rms,
            mixing_error: self.state.last.mixing_error,
        };
        self.schedule.next_into(&mut self.workspace.thresholds, stage, self.params.rank, &last);
        if self.workspace.thresholds.values.iter().any(|v| !v.is_finite()) {
            return Err(FitError::Overflow { stage }.into());
        }
        self.workspace.thresholds.cast_into(&mut self.workspace.cast);
        let result = match self.params.batch {
            Batch::All => self.full_stage(&decoder)?,
            Batch::Size(batch) => self.online_stage(&decoder, batch)?,
        };
        let Workspace { thresholds, decoded, .. } = &self.workspace;
        if decoded.negative_squares.iter().any(|v| !v.is_finite()) {
            return Err(FitError::Overflow { stage }.into());
        }
        let at_floor = thresholds.at_floor || thresholds_are_negligible::<T>(thresholds, decoded);
        self.count_passes(result.passes);
        self.record(&decoder, &result);
        self.workspace.decoder = Some(decoder);
        Ok(at_floor)
    }
}

impl<T: Real> Snapshot<T> for ScheduledRun<'_, T> {
    fn components(&self) -> Array2<T> {
        self.space.leave(&self.state.working)
    }

    fn checkpoint(&self) -> Checkpoint<T> {
        Checkpoint::new(self.header.clone(), self.state.clone())
    }
}

/// An estimate of the mixing error ‖E‖ from the change in a stage: with A₀†·A_T = Σ + E, the norm of E·Σ⁻¹. The stage
/// removes most of the mixing, so this is close to the error before the stage and above that after it.
fn mixing_error<T: Real>(decoder: &Decoder<T>, after: &Array2<T>) -> f64 {
    let mut mixed = multiply(decoder.matrix(), after.t());
    let diagonal = mixed.diag().to_owned();
    let zero = T::from_f64(0.0);
    for ((i, j), v) in mixed.indexed_iter_mut() {
        *v = if i == j || diagonal[j] == zero { zero } else { *v / diagonal[j] };
    }
    spectral_norm(mixed.view())
}

/// Returns true if the thresholds are below the rounding error of the weights, and so have no effect.
fn thresholds_are_negligible<T: Real>(thresholds: &StageThresholds, decoded: &DecodeStatistics) -> bool {
    let epsilon = T::EPSILON.as_f64();
    thresholds.values.iter().zip(&decoded.largest).all(|(&value, &largest)| value <= epsilon * largest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::random_matrix;

    #[test]
    fn the_mixing_error_is_that_of_the_change_at_any_scale() {
        // The stage turns A₀ into A₀·(Σ + E) with Σ = diag(2, 4) and E = [[0, 1.2], [0.6, 0]].
        let start = random_matrix::<f64>(2, 5, 1);
        let mix = ndarray::array![[2.0, 1.2], [0.6, 4.0]];
        let decoder = Decoder::new(start.view(), false).unwrap();
        // E·Σ⁻¹ = [[0, 0.3], [0.3, 0]] has the norm 0.3.
        let error = mixing_error(&decoder, &mix.t().dot(&start));
        assert!((error - 0.3).abs() < 1e-12, "{error}");
    }
}
