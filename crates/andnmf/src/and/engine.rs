//! The loop over stages.

use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, MutexGuard, PoisonError};

use ndarray::Array2;

use super::accumulate::Scratch;
use super::advance::advance;
use super::compression::{Chosen, Space};
use super::decoder::Decoder;
use super::online::OnlineStage;
use super::params::{And, AndParams, Batch};
use super::statistics::{DecodeStatistics, StageStatistics};
use super::threshold::{LastStage, Thresholds};
use crate::fit::{
    Checkpoint, Clock, Fit, Run, Snapshot, Solver, StageRecord, StageView, Start, StopReason, Warning,
    Workers, is_cancelled,
};
use crate::linalg::product::multiply;
use crate::linalg::symmetric::spectral_norm;
use crate::samples::fold::{FoldPlan, fold};
use crate::samples::{Samples, Watched};
use crate::{FitError, Real, SamplesError, ShapeError, init};

impl<T: Real> Solver<T> for And {
    fn fit(
        &self,
        samples: &dyn Samples<T>,
        start: Start<T>,
        run: &mut Run<'_, T>,
    ) -> Result<Fit<T>, FitError> {
        Engine::begin(self.params(), samples, start, run)?.finish(run)
    }
}

/// Why a stage gave no result.
enum Halt {
    Stop(StopReason),
    Error(FitError),
}

impl From<SamplesError> for Halt {
    fn from(error: SamplesError) -> Self {
        Self::Error(error.into())
    }
}

impl From<FitError> for Halt {
    fn from(error: FitError) -> Self {
        Self::Error(error)
    }
}

/// What a stage did.
struct StageResult<T> {
    components: Array2<T>,
    change: f64,
    decoded: DecodeStatistics,
    active_fraction: f64,
    /// Passes over the samples in the space of the stages.
    passes: usize,
}

/// A run between two stages.
struct Engine<'a, T: Real> {
    params: &'a AndParams,
    original: &'a dyn Samples<T>,
    space: Space<T>,
    workers: Workers,
    cancel: Option<&'a AtomicBool>,
    clock: Clock,
    state: Checkpoint<T>,
    /// What threads need for a block, handed from block to block and stage to stage.
    buffers: Mutex<Vec<Scratch<T>>>,
}

impl<'a, T: Real> Engine<'a, T> {
    /// Checks the start and chooses the space.
    fn begin<'r: 'a>(
        params: &'a AndParams,
        samples: &'a dyn Samples<T>,
        start: Start<T>,
        run: &Run<'r, T>,
    ) -> Result<Self, FitError> {
        let (n_samples, n_features) = (samples.n_samples(), samples.n_features());
        if n_samples == 0 || n_features == 0 {
            return Err(SamplesError::Empty { n_samples, n_features }.into());
        }
        let (workers, cancel) = (run.workers()?, run.cancel_flag());
        let (clock, space, state) = match start {
            Start::Resume(state) => {
                let clock = Clock::resume(state.seconds);
                let state = checked(*state, params.rank, samples)?;
                let space = match &state.basis {
                    Some(basis) => workers.run(|| Space::with_basis(basis.clone(), samples))?,
                    None => Space::Original,
                };
                (clock, space, state)
            }
            fresh => {
                let clock = Clock::resume(0.0);
                let stop = || time_to_stop(cancel, params.time_limit, &clock).is_some();
                let watched = Watched { samples, stop: &stop };
                let (space, state) = fresh_state(params, &watched, fresh, &workers)?;
                (clock, space, state)
            }
        };
        Ok(Self {
            params,
            original: samples,
            space,
            workers,
            cancel,
            clock,
            state,
            buffers: Mutex::default(),
        })
    }

    /// Runs stages until one of the reasons to stop.
    fn finish(mut self, run: &mut Run<'_, T>) -> Result<Fit<T>, FitError> {
        let stop = loop {
            if self.state.stages >= self.params.max_stages {
                break StopReason::MaxStages;
            }
            let at_floor = match self.stage() {
                Ok(at_floor) => at_floor,
                Err(Halt::Stop(reason)) => break reason,
                Err(Halt::Error(error)) => return Err(error),
            };
            let (state, space) = (&self.state, &self.space);
            let record = *state.trace.last().expect("the stage just recorded itself");
            let told = self
                .clock
                .pause(|| run.tell(&StageView::new(&record, &state.thresholds, &Between { state, space })));
            if told == ControlFlow::Break(()) {
                break StopReason::Cancelled;
            }
            let unchanged = self.params.tolerance.max(4.0 * T::EPSILON.as_f64());
            if at_floor && record.change <= unchanged {
                break StopReason::Converged;
            }
        };
        self.state.seconds = self.clock.seconds();
        Ok(self.into_fit(stop))
    }

    /// One stage; true where no threshold would fall any further.
    fn stage(&mut self) -> Result<bool, Halt> {
        let stage = self.state.stages;
        self.check_time()?;
        let samples = self.samples();
        let (working, sparse) = (self.state.working.view(), samples.is_sparse());
        let Some(decoder) = self.workers.run(|| Decoder::new(working, sparse)) else {
            return Err(FitError::Overflow { stage }.into());
        };
        if self.state.negative_rms.is_empty() && self.params.threshold.data_floor.is_some() {
            // Before the first stage nothing is known of the negative values: look once, keeping nothing.
            let nothing_passes = vec![T::from_f64(f64::MAX); self.params.rank];
            let seen = self.full_statistics(&decoder, &nothing_passes)?;
            self.state.negative_rms = seen.decoded().negative_rms();
            self.count_passes(1);
        }
        let last = LastStage {
            thresholds: &self.state.thresholds,
            negative_rms: &self.state.negative_rms,
            mixing_error: self.state.mixing_error,
        };
        let thresholds = self.params.threshold.next(stage, self.params.rank, &last);
        if thresholds.values.iter().any(|v| !v.is_finite()) {
            return Err(FitError::Overflow { stage }.into());
        }
        let result = match self.params.batch {
            Batch::All => self.full_stage(&decoder, &thresholds)?,
            Batch::Size(batch) => self.online_stage(&decoder, &thresholds, batch)?,
        };
        if result.decoded.negative_squares.iter().any(|v| !v.is_finite()) {
            return Err(FitError::Overflow { stage }.into());
        }
        self.count_passes(result.passes);
        let at_floor = thresholds.at_floor || nothing_left_to_threshold::<T>(&thresholds, &result.decoded);
        self.record(&decoder, thresholds, result);
        Ok(at_floor)
    }

    fn full_stage(&self, decoder: &Decoder<T>, thresholds: &Thresholds) -> Result<StageResult<T>, Halt> {
        let sums = self.full_statistics(decoder, &thresholds.cast())?;
        let (params, stage) = (self.params, self.state.stages);
        let moments = sums.second_moments();
        let start = &self.state.working;
        let advanced = self
            .workers
            .run(|| advance(start, sums.products(), &moments, params.inner, params.step, stage))?;
        Ok(StageResult {
            components: advanced.components,
            change: advanced.change,
            active_fraction: sums.active_fraction(),
            decoded: sums.decoded().clone(),
            passes: 1,
        })
    }

    /// Folds a stage's sums over all samples.
    fn full_statistics(&self, decoder: &Decoder<T>, thresholds: &[T]) -> Result<StageStatistics<T>, Halt> {
        let samples = self.samples();
        let (rank, features) = self.state.working.dim();
        let sparse = samples.is_sparse();
        let check_time = || self.check_time();
        let take = || lock(&self.buffers).pop().unwrap_or_default();
        let give_back = |buffer| lock(&self.buffers).push(buffer);
        self.workers.run(|| {
            fold(
                samples,
                &FoldPlan::new(samples, rank * features),
                &|| StageStatistics::new(rank, features, sparse),
                &|sums: &mut StageStatistics<T>, _, block| {
                    check_time()?;
                    let mut buffer = take();
                    sums.accumulate_with(decoder, thresholds, &block, &mut buffer);
                    give_back(buffer);
                    Ok::<(), Halt>(())
                },
                &|left, right| left.merge_same_shape(right),
            )
        })
    }

    fn online_stage(
        &self,
        decoder: &Decoder<T>,
        thresholds: &Thresholds,
        batch: usize,
    ) -> Result<StageResult<T>, Halt> {
        let values = thresholds.cast();
        let stage = OnlineStage {
            samples: self.samples(),
            decoder,
            thresholds: &values,
            batch,
            inner: self.params.inner,
            step: self.params.step,
            stage: self.state.stages,
            seed: self.state.seed,
        };
        let done = self.workers.run(|| stage.run(&self.state.working, &|| self.check_time()))?;
        let active: u64 = done.decoded.active.iter().sum();
        Ok(StageResult {
            components: done.components,
            change: done.change,
            active_fraction: active as f64 / (done.n_used * values.len()).max(1) as f64,
            decoded: done.decoded,
            passes: done.passes,
        })
    }

    /// Takes over what a stage did.
    fn record(&mut self, decoder: &Decoder<T>, thresholds: Thresholds, result: StageResult<T>) {
        let (rank, stage) = (self.params.rank, self.state.stages);
        let numerical_rank = decoder.numerical_rank();
        let known = |w: &Warning| matches!(w, Warning::DependentComponents { .. });
        if numerical_rank < rank && !self.state.warnings.iter().any(known) {
            self.state.warnings.push(Warning::DependentComponents { stage, numerical_rank, rank });
        }
        for (ever, &count) in self.state.ever_active.iter_mut().zip(&result.decoded.active) {
            *ever |= count > 0;
        }
        if self.params.threshold.needs_mixing_error() {
            self.state.mixing_error = Some(mixing_error(decoder, &result.components));
        }
        let mut sorted = thresholds.values.clone();
        sorted.sort_by(f64::total_cmp);
        self.state.trace.push(StageRecord {
            stage,
            seconds: self.clock.seconds(),
            threshold_min: sorted[0],
            threshold_median: (sorted[(rank - 1) / 2] + sorted[rank / 2]) / 2.0,
            active_fraction: result.active_fraction,
            change: result.change,
        });
        let before = std::mem::take(&mut self.state.negative_rms);
        self.state.negative_rms = result.decoded.negative_rms();
        if self.params.batch != Batch::All && before.len() == rank {
            // A short online stage may meet no negative value of a component: that says nothing about it.
            for (k, rms) in self.state.negative_rms.iter_mut().enumerate() {
                if result.decoded.negative[k] == 0 {
                    *rms = before[k];
                }
            }
        }
        self.state.thresholds = thresholds.values;
        self.state.working = result.components;
        self.state.stages += 1;
        self.state.seconds = self.clock.seconds();
    }

    /// The samples in the space of the stages.
    fn samples(&self) -> &dyn Samples<T> {
        match &self.space {
            Space::Original => self.original,
            Space::Compressed { samples, .. } => samples,
        }
    }

    /// Counts passes over the full data where the stages read those.
    fn count_passes(&mut self, passes: usize) {
        if matches!(self.space, Space::Original) {
            self.state.passes += passes;
        }
    }

    fn check_time(&self) -> Result<(), Halt> {
        match time_to_stop(self.cancel, self.params.time_limit, &self.clock) {
            Some(reason) => Err(Halt::Stop(reason)),
            None => Ok(()),
        }
    }

    fn into_fit(self, stop: StopReason) -> Fit<T> {
        let state = self.state;
        let mut warnings = state.warnings.clone();
        let idle = |(k, ever): (usize, &bool)| (!ever).then_some(k);
        let components: Vec<usize> = state.ever_active.iter().enumerate().filter_map(idle).collect();
        if !components.is_empty() && state.stages > 0 {
            warnings.push(Warning::NeverActive { components });
        }
        Fit {
            components: state.components(),
            stages: state.stages,
            stop,
            trace: state.trace.clone(),
            warnings,
            thresholds: state.thresholds.clone(),
            compressed_to: state.basis.as_ref().map(Array2::nrows),
            passes: state.passes,
            seconds: state.seconds,
            checkpoint: state,
        }
    }
}

/// Whether to stop now, and why.
fn time_to_stop(cancel: Option<&AtomicBool>, limit: Option<f64>, clock: &Clock) -> Option<StopReason> {
    if is_cancelled(cancel) {
        return Some(StopReason::Cancelled);
    }
    limit.filter(|&limit| clock.seconds() >= limit).map(|_| StopReason::TimeLimit)
}

/// The state before the first stage, and the space for the stages. The samples are watched: where the run is to
/// stop, a start that is already there is returned as it is.
fn fresh_state<T: Real>(
    params: &AndParams,
    samples: &Watched<'_, T>,
    start: Start<T>,
    workers: &Workers,
) -> Result<(Space<T>, Checkpoint<T>), FitError> {
    let found = match start {
        Start::RandomSamples => init::random_samples(samples, params.rank, params.seed).map(|c| (c, 0)),
        // One pass for sizes, one for the mean (of signed data), one for each direction.
        Start::SuccessiveProjection => workers
            .run(|| init::successive_projection(samples, params.rank))
            .map(|components| (components, params.rank + 2)),
        Start::Given(components) => Ok((components, 0)),
        Start::Resume(state) => Ok((state.components(), 0)),
    };
    let (components, passes) = found.map_err(|error| match error {
        FitError::Samples(SamplesError::CalledOff) => FitError::StoppedBeforeStart,
        other => other,
    })?;
    check_start(&components, params.rank, samples.n_features())?;
    // Kernels count on contiguous rows, whatever order the start came in.
    let components = components.as_standard_layout().into_owned();
    let chosen = match workers.run(|| Space::choose(params, samples, components.view())) {
        Err(FitError::Samples(SamplesError::CalledOff)) => Chosen::original(),
        other => other?,
    };
    let state = Checkpoint {
        n_samples: samples.n_samples(),
        stages: 0,
        working: chosen.space.enter(&components),
        basis: chosen.space.basis().cloned(),
        thresholds: Vec::new(),
        negative_rms: Vec::new(),
        mixing_error: None,
        ever_active: vec![false; params.rank],
        seed: params.seed,
        passes: passes + chosen.passes,
        seconds: 0.0,
        trace: Vec::new(),
        warnings: chosen.warning.into_iter().collect(),
    };
    Ok((chosen.space, state))
}

/// A run between two stages, as its observers see it.
struct Between<'a, T: Real> {
    state: &'a Checkpoint<T>,
    space: &'a Space<T>,
}

impl<T: Real> Snapshot<T> for Between<'_, T> {
    fn components(&self) -> Array2<T> {
        self.space.leave(&self.state.working)
    }

    fn checkpoint(&self) -> Checkpoint<T> {
        self.state.clone()
    }
}

/// A lock on buffers means nothing more than who uses them: after a panic elsewhere they are as good as new.
fn lock<B>(buffers: &Mutex<B>) -> MutexGuard<'_, B> {
    buffers.lock().unwrap_or_else(PoisonError::into_inner)
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

/// The start must be rank × features and finite.
fn check_start<T: Real>(start: &Array2<T>, rank: usize, features: usize) -> Result<(), FitError> {
    if start.dim() != (rank, features) {
        let expected = format!("{rank} × {features} (rank × features)");
        return Err(ShapeError::new("the start", start.dim(), expected).into());
    }
    match start.indexed_iter().find(|(_, v)| !v.finite()) {
        Some(((component, feature), v)) => {
            Err(FitError::StartNotFinite { component, feature, value: v.as_f64() })
        }
        None => Ok(()),
    }
}

/// A checkpoint that fits the samples, the settings, and itself; with its matrices in row order.
fn checked<T: Real>(
    mut state: Checkpoint<T>,
    rank: usize,
    samples: &dyn Samples<T>,
) -> Result<Checkpoint<T>, FitError> {
    let wrong = |reason: &str| Err(FitError::Checkpoint { reason: reason.into() });
    let features = samples.n_features();
    let width = match &state.basis {
        Some(basis) if basis.ncols() != features || basis.nrows() == 0 => {
            let expected = format!("any number of directions × {features} features");
            return Err(ShapeError::new("the basis of the checkpoint", basis.dim(), expected).into());
        }
        Some(basis) => basis.nrows(),
        None => features,
    };
    check_start(&state.working, rank, width)?;
    if state.n_samples != samples.n_samples() {
        return wrong("it belongs to another number of samples");
    }
    let lengths = [state.thresholds.len(), state.negative_rms.len(), state.ever_active.len()];
    let begun = state.stages > 0;
    if lengths.iter().any(|&length| length != rank && (begun || length != 0)) {
        return wrong("it does not have one threshold, one floor and one activity per component");
    }
    if state.trace.len() != state.stages {
        return wrong("its trace does not have one record per stage");
    }
    let good = |v: &f64| v.is_finite() && *v >= 0.0;
    if !state.thresholds.iter().chain(&state.negative_rms).chain(&state.mixing_error).all(good) {
        return wrong("a threshold, floor or error is negative or not finite");
    }
    if let Some(basis) = &state.basis {
        let gram = multiply(basis.view(), basis.t());
        let apart = |((i, j), v): ((usize, usize), &T)| (v.as_f64() - f64::from(u8::from(i == j))).abs();
        if !gram.indexed_iter().all(|entry| apart(entry) < 1e-3) {
            return wrong("its basis is not orthonormal");
        }
    }
    state.working = state.working.as_standard_layout().into_owned();
    state.basis = state.basis.map(|basis| basis.as_standard_layout().into_owned());
    Ok(state)
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
