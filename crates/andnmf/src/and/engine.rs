//! The loop over stages.

use ndarray::Array2;

use super::advance::{AdvanceWorkspace, StageSteps};
use super::begin::begin;
use super::decoder::Decoder;
use super::online::OnlineStage;
use super::params::{AndParams, Batch};
use super::stage::{Stage, StageWorkspace};
use super::state::AndState;
use super::statistics::{DecodeStatistics, StageStatistics};
use super::threshold::{LastStage, ThresholdParams, Thresholds};
use crate::compression::Space;
use crate::fit::{
    Checkpoint, Fit, Halt, Header, Run, Snapshot, StageRecord, StagedRun, Start, Warning, Watch, Workers,
    drive,
};
use crate::linalg::product::multiply;
use crate::linalg::pseudo_inverse::PseudoInverseWorkspace;
use crate::linalg::symmetric::spectral_norm;
use crate::query::{self, Held};
use crate::samples::{Samples, Watched};
use crate::{FitError, Real};

/// Fits samples by Algorithm 1 with the thresholds of a schedule.
pub(crate) fn fit_with_schedule<T: Real>(
    params: &AndParams,
    schedule: &ThresholdParams,
    samples: &dyn Samples<T>,
    start: Start<T>,
    run: &mut Run<'_, T>,
) -> Result<Fit<T>, FitError> {
    let mut engine = Engine::begin(params, schedule, samples, start, run)?;
    let stop = drive(&mut engine, &params.limits(), run)?;
    engine.header.seconds = engine.watch.clock.seconds();
    let compressed_to = engine.state.basis.as_ref().map(Array2::nrows);
    let ever_active = engine.state.last.ever_active.clone();
    let mut fit = Fit { compressed_to, ..Fit::new(engine.header, engine.state, stop) };
    fit.tell_of_idle(&ever_active);
    Ok(fit)
}

/// What a stage did.
struct StageResult {
    change: f64,
    active_fraction: f64,
    /// Passes over the samples in the space of the stages.
    passes: usize,
}

/// A run between two stages.
struct Engine<'a, T: Real> {
    params: &'a AndParams,
    schedule: &'a ThresholdParams,
    original: &'a dyn Samples<T>,
    space: Space<T>,
    workers: Workers,
    watch: Watch<'a>,
    header: Header,
    state: AndState<T>,
    workspace: Workspace<T>,
}

/// What a stage leaves for the next, so that memory is asked for once.
struct Workspace<T: Real> {
    decoder: Option<Decoder<T>>,
    inverse: PseudoInverseWorkspace,
    stage: StageWorkspace<T>,
    advance: AdvanceWorkspace<T>,
    /// The components that the stage comes to.
    next: Array2<T>,
    moments: Array2<T>,
    /// What the stage saw.
    decoded: DecodeStatistics,
    thresholds: Thresholds,
    /// The same in the type of the samples.
    cast: Vec<T>,
    /// The same by size.
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
            thresholds: Thresholds::default(),
            cast: Vec::new(),
            sorted: Vec::new(),
        }
    }
}

impl<'a, T: Real> Engine<'a, T> {
    /// Checks the start and chooses the space.
    fn begin<'r: 'a>(
        params: &'a AndParams,
        schedule: &'a ThresholdParams,
        samples: &'a dyn Samples<T>,
        start: Start<T>,
        run: &Run<'r, T>,
    ) -> Result<Self, FitError> {
        let workers = run.workers()?;
        let watch = Watch::new(run, params.time_limit, start.seconds_before());
        let stop = || watch.reason().is_some();
        let (space, header, state) = begin(params, &Watched { samples, stop: &stop }, start, &workers)?;
        Ok(Self {
            params,
            schedule,
            original: samples,
            space,
            workers,
            watch,
            workspace: Workspace::new(state.working.dim()),
            header,
            state,
        })
    }

    fn full_stage(&mut self, decoder: &Decoder<T>) -> Result<StageResult, Halt> {
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

    /// Folds a stage's sums over all samples.
    fn full_statistics(&self, decoder: &Decoder<T>, thresholds: &[T]) -> Result<StageStatistics<T>, Halt> {
        let stop = || self.watch.reason().is_some();
        let samples = Watched { samples: self.samples(), stop: &stop };
        let stage = Stage::decoding(decoder, thresholds, Held::Borrowed(&self.workspace.stage));
        query::run(&samples, &stage).map_err(|error| self.watch.halt(error))
    }

    fn online_stage(&mut self, decoder: &Decoder<T>, batch: usize) -> Result<StageResult, Halt> {
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
        let done = stage.run(&self.state.working, &|| self.watch.check())?;
        let active: u64 = done.decoded.active.iter().sum();
        let active_fraction = active as f64 / (done.n_used * self.params.rank).max(1) as f64;
        (self.workspace.next, self.workspace.decoded) = (done.components, done.decoded);
        Ok(StageResult { change: done.change, active_fraction, passes: done.passes })
    }

    /// Takes over what a stage did.
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
            seconds: self.watch.clock.seconds(),
            threshold_min: Some(sorted[0]),
            threshold_median: Some((sorted[(rank - 1) / 2] + sorted[rank / 2]) / 2.0),
            active_fraction: result.active_fraction,
            change: result.change,
            loss: None,
        });
        let before_is_known = self.params.batch != Batch::All && self.state.last.negative_rms.len() == rank;
        self.state.last.negative_rms.resize(rank, 0.0);
        for (k, rms) in self.state.last.negative_rms.iter_mut().enumerate() {
            // A short online stage may meet no negative value of a component: that says nothing about it.
            if !(before_is_known && decoded.negative[k] == 0) {
                *rms = decoded.negative_rms_of(k);
            }
        }
        std::mem::swap(&mut self.state.last.thresholds, &mut thresholds.values);
        std::mem::swap(&mut self.state.working, next);
        self.header.stages += 1;
        self.header.seconds = self.watch.clock.seconds();
    }

    /// The samples in the space of the stages.
    fn samples(&self) -> &dyn Samples<T> {
        self.space.samples(self.original)
    }

    /// Counts passes over the full data where the stages read those.
    fn count_passes(&mut self, passes: usize) {
        if matches!(self.space, Space::Original) {
            self.header.passes += passes;
        }
    }
}

impl<'a, T: Real> StagedRun<'a, T> for Engine<'a, T> {
    fn header(&self) -> &Header {
        &self.header
    }

    fn thresholds(&self) -> &[f64] {
        &self.state.last.thresholds
    }

    fn watch(&mut self) -> &mut Watch<'a> {
        &mut self.watch
    }

    fn stage(&mut self) -> Result<bool, Halt> {
        // All of it among the threads that share the work, not step by step.
        let workers = self.workers.clone();
        workers.run_stage(|| self.next_stage())
    }
}

impl<T: Real> Engine<'_, T> {
    /// One stage; true where no threshold would fall any further.
    fn next_stage(&mut self) -> Result<bool, Halt> {
        let stage = self.header.stages;
        let samples = self.samples();
        let (working, sparse) = (self.state.working.view(), samples.is_sparse());
        let mut decoder = self
            .workspace
            .decoder
            .take()
            .unwrap_or_else(|| Decoder::from_matrix(Array2::zeros(working.dim()), sparse));
        let workspace = &mut self.workspace.inverse;
        if decoder.renew(working, workspace).is_none() {
            return Err(FitError::Overflow { stage }.into());
        }
        if self.state.last.negative_rms.is_empty() && self.schedule.data_floor.is_some() {
            // Before the first stage nothing is known of the negative values: look once, keeping nothing.
            let nothing_passes = vec![T::from_f64(f64::MAX); self.params.rank];
            let seen = self.full_statistics(&decoder, &nothing_passes)?;
            self.state.last.negative_rms = seen.decoded().negative_rms();
            self.count_passes(1);
        }
        let last = LastStage {
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
        let at_floor = thresholds.at_floor || nothing_left_to_threshold::<T>(thresholds, decoded);
        self.count_passes(result.passes);
        self.record(&decoder, &result);
        self.workspace.decoder = Some(decoder);
        Ok(at_floor)
    }
}

impl<T: Real> Snapshot<T> for Engine<'_, T> {
    fn components(&self) -> Array2<T> {
        self.space.leave(&self.state.working)
    }

    fn checkpoint(&self) -> Checkpoint<T> {
        Checkpoint::new(self.header.clone(), self.state.clone())
    }
}

/// ‖E‖ as seen from the change of a stage: with A₀†·A_T = Σ + E, the norm of E·Σ⁻¹. The stage removes most of
/// the mixing that A₀ had, so this is close to the mixing before the stage and above what is left after it.
fn mixing_error<T: Real>(decoder: &Decoder<T>, after: &Array2<T>) -> f64 {
    let mut mixed = multiply(decoder.matrix(), after.t());
    let diagonal = mixed.diag().to_owned();
    let zero = T::from_f64(0.0);
    for ((i, j), v) in mixed.indexed_iter_mut() {
        *v = if i == j || diagonal[j] == zero { zero } else { *v / diagonal[j] };
    }
    spectral_norm(mixed.view())
}

/// Thresholds so far below the weights that rounding decides what passes: as good as zero.
fn nothing_left_to_threshold<T: Real>(thresholds: &Thresholds, decoded: &DecodeStatistics) -> bool {
    let epsilon = T::EPSILON.as_f64();
    thresholds.values.iter().zip(&decoded.largest).all(|(&value, &largest)| value <= epsilon * largest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::random_matrix;

    #[test]
    fn the_mixing_error_is_that_of_the_change_whatever_the_scale() {
        // The stage turns A₀ into A₀·(Σ + E) with Σ = diag(2, 4) and E = [[0, 1.2], [0.6, 0]].
        let start = random_matrix::<f64>(2, 5, 1);
        let mix = ndarray::array![[2.0, 1.2], [0.6, 4.0]];
        let decoder = Decoder::new(start.view(), false).unwrap();
        // E·Σ⁻¹ = [[0, 0.3], [0.3, 0]] has the norm 0.3.
        let error = mixing_error(&decoder, &mix.t().dot(&start));
        assert!((error - 0.3).abs() < 1e-12, "{error}");
    }
}
