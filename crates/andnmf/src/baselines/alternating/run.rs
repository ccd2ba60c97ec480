//! Runs the stages of an alternating method.

use ndarray::Array2;

use super::state::AlternatingState;
use super::{Alternation, ComponentUpdate, UpdateContext};
use crate::compression::{ChosenSpace, Space};
use crate::fit::{
    Checkpoint, ExpectedShape, Fit, Header, ResolvedStart, Run, Snapshot, StageInterrupt, StageRecord,
    StagedRun, Start, StopMonitor, Warning, Workers, drive,
};
use crate::init::NndsvdFill;
use crate::linalg::product::{distance, frobenius};
use crate::samples::{CancellableSamples, Samples, need_positive};
use crate::{FitError, Real, SamplesError};

/// Fits samples with an alternating method.
pub(in crate::baselines) fn fit<T: Real, A: Alternation<T>>(
    method: &A,
    samples: &dyn Samples<T>,
    start: Start<T>,
    run: &mut Run<'_, T>,
) -> Result<Fit<T>, FitError> {
    finish(AlternatingRun::init(method, samples, start, run)?, run)
}

/// Components and weights to start from.
pub(crate) struct Factors<T> {
    pub(crate) components: Array2<T>,
    /// `None` if they must be computed first.
    pub(crate) weights: Option<Array2<T>>,
}

/// Improves given factors with an alternating method in a given space.
pub(in crate::baselines) fn improve<T: Real, A: Alternation<T>>(
    method: &A,
    samples: &dyn Samples<T>,
    factors: Factors<T>,
    space: Space<T>,
    run: &mut Run<'_, T>,
) -> Result<Fit<T>, FitError> {
    let settings = method.settings();
    let monitor = StopMonitor::new(run, settings.limits.time_limit, 0.0);
    let header = Header::new(A::METHOD, samples.n_samples(), settings.seed);
    let working = method.prepare_start(factors.components);
    let initial = (header, AlternatingState { working, weights: factors.weights });
    finish(AlternatingRun::new(method, samples, space, run.workers()?, monitor, initial), run)
}

fn finish<T: Real, A: Alternation<T>>(
    mut engine: AlternatingRun<'_, T, A>,
    run: &mut Run<'_, T>,
) -> Result<Fit<T>, FitError> {
    let method = engine.method;
    let stop = drive(&mut engine, &method.settings().limits, run)?;
    engine.header.seconds = engine.monitor.clock.seconds();
    let compressed_to = engine.space.basis().map(Array2::nrows);
    let mut fit = Fit { compressed_to, ..Fit::new(engine.header, engine.state, stop) };
    let components = unused(&fit);
    if !components.is_empty() {
        fit.warnings.push(Warning::Unused { components });
    }
    Ok(fit)
}

/// Components that contribute no_rows to any sample.
fn unused<T: Real>(fit: &Fit<T>) -> Vec<usize> {
    let zero = T::from_f64(0.0);
    let Some(weights) = &fit.weights else { return Vec::new() };
    let mut used = vec![false; weights.ncols()];
    for row in weights.outer_iter() {
        used.iter_mut().zip(row).for_each(|(used, &v)| *used |= v != zero);
    }
    let dead = |k: &usize| !used[*k] || fit.components.row(*k).iter().all(|&v| v == zero);
    (0..used.len()).filter(dead).collect()
}

/// The number of revivals of each component so far.
fn revivals(warnings: &[Warning], rank: usize) -> Vec<usize> {
    let mut times = vec![0; rank];
    for warning in warnings {
        if let Warning::Revived { components, .. } = warning {
            for &k in components {
                if let Some(times) = times.get_mut(k) {
                    *times += 1;
                }
            }
        }
    }
    times
}

/// A run of an alternating method between two stages.
struct AlternatingRun<'a, T: Real, A: Alternation<T>> {
    method: &'a A,
    original: &'a dyn Samples<T>,
    space: Space<T>,
    workers: Workers,
    monitor: StopMonitor<'a>,
    /// Input of the next pass, derived from the components.
    pass: A::Pass,
    /// Workspace for the new weights; those of the last stage stay valid until the stage is complete.
    next_weights: Array2<T>,
    /// Workspace for the new components.
    next_components: Array2<T>,
    /// The number of revivals of each component so far.
    revivals: Vec<usize>,
    /// Norm of the components after the last stage.
    norm: Option<f64>,
    header: Header,
    state: AlternatingState<T>,
}

impl<'a, T: Real, A: Alternation<T>> AlternatingRun<'a, T, A> {
    fn init<'r: 'a>(
        method: &'a A,
        samples: &'a dyn Samples<T>,
        start: Start<T>,
        run: &Run<'r, T>,
    ) -> Result<Self, FitError> {
        let settings = method.settings();
        let (rank, seed) = (settings.limits.rank, settings.seed);
        let workers = run.workers()?;
        let monitor = StopMonitor::new(run, settings.limits.time_limit, start.elapsed_seconds());
        let stop = || monitor.reason().is_some();
        let watched = CancellableSamples { samples, stop: &stop };
        if !settings.signed {
            need_positive(samples)?;
        }
        let automatic = matches!(start, Start::Auto);
        let start = start.or(Start::Nndsvd(NndsvdFill::Mean));
        let beginning = match start.resolve(A::METHOD, &watched, rank, seed, &workers) {
            // NNDSVD needs non-negative samples.
            Err(FitError::Samples(SamplesError::Negative { .. })) if automatic => {
                Start::RandomSamples.resolve(A::METHOD, &watched, rank, seed, &workers)?
            }
            other => other?,
        };
        let resumed = matches!(beginning, ResolvedStart::Resumed(_));
        let (n_samples, n_features) = (samples.n_samples(), samples.n_features());
        let (mut header, state) = match beginning {
            ResolvedStart::Resumed(checkpoint) => {
                let (header, state) = checkpoint.into_state::<AlternatingState<T>>()?;
                let shape = ExpectedShape { n_samples, n_features, rank };
                state.check(&shape, header.stages, settings.signed)?;
                (header, state)
            }
            ResolvedStart::Fresh(initial) => {
                let header = Header { passes: initial.passes, ..Header::new(A::METHOD, n_samples, seed) };
                (
                    header,
                    AlternatingState { working: method.prepare_start(initial.components), weights: None },
                )
            }
        };
        // A resumed run gets the same space: it depends only on samples, settings and seed, not on the number of
        // stages.
        let no_rows = Array2::zeros((0, samples.n_features()));
        let compress = settings.compress;
        let chosen =
            workers.run(|| Space::choose(compress, usize::MAX, &watched, no_rows.view(), rank, header.seed));
        let chosen = match chosen {
            Err(FitError::Samples(SamplesError::Cancelled)) => ChosenSpace::original(),
            other => other?,
        };
        header.passes += chosen.passes;
        if !resumed {
            header.warnings.extend(chosen.warning);
        }
        Ok(Self::new(method, samples, chosen.space, workers, monitor, (header, state)))
    }

    fn new(
        method: &'a A,
        samples: &'a dyn Samples<T>,
        space: Space<T>,
        workers: Workers,
        monitor: StopMonitor<'a>,
        (header, state): (Header, AlternatingState<T>),
    ) -> Self {
        let rank = state.working.nrows();
        let sparse = space.samples(samples).is_sparse();
        let pass = workers.run(|| method.prepare_pass(&state.working, &space, sparse));
        Self {
            method,
            original: samples,
            space,
            workers,
            monitor,
            pass,
            next_weights: Array2::zeros((samples.n_samples(), rank)),
            next_components: Array2::zeros(state.working.dim()),
            revivals: revivals(&header.warnings, rank),
            norm: None,
            header,
            state,
        }
    }

    /// Updates the weights of all samples and accumulates the sums for the component update.
    fn pass(&mut self) -> Result<A::Sums, StageInterrupt> {
        let stop = || self.monitor.reason().is_some();
        let samples = CancellableSamples { samples: self.space.samples(self.original), stop: &stop };
        let (last, weights) = (self.state.weights.as_ref(), &mut self.next_weights);
        let sums = self.method.pass(&self.pass, &samples, last, weights);
        sums.map_err(|error| self.monitor.interrupt(error))
    }
}

impl<'a, T: Real, A: Alternation<T>> StagedRun<'a, T> for AlternatingRun<'a, T, A> {
    fn header(&self) -> &Header {
        &self.header
    }

    fn monitor(&mut self) -> &mut StopMonitor<'a> {
        &mut self.monitor
    }

    fn stage(&mut self) -> Result<bool, StageInterrupt> {
        // Enter the thread pool once per stage instead of once per step.
        let workers = self.workers.clone();
        workers.run_stage(|| self.next_stage())
    }
}

impl<T: Real, A: Alternation<T>> AlternatingRun<'_, T, A> {
    /// Runs one stage; returns true if the run may stop after it.
    fn next_stage(&mut self) -> Result<bool, StageInterrupt> {
        let stage = self.header.stages;
        let sums = self.pass()?;
        let context = UpdateContext {
            stage,
            components: &self.state.working,
            next: &mut self.next_components,
            space: &self.space,
            samples: self.space.samples(self.original),
            weights: &mut self.next_weights,
            revivals: &self.revivals,
        };
        let update = self.method.update_components(sums, context)?;
        let ComponentUpdate { pass, loss, active_fraction, revived } = update;
        let components = &self.next_components;
        let moved = distance(components.view(), self.state.working.view());
        let norm_now = frobenius(components.view());
        let norm = norm_now.max(self.norm.unwrap_or_else(|| frobenius(self.state.working.view())));
        self.norm = Some(norm_now);
        let change = if moved == 0.0 { 0.0 } else { moved / norm };
        // A NaN in a component makes the change NaN.
        if !loss.is_finite() || !change.is_finite() {
            return Err(FitError::Overflow { stage }.into());
        }
        let may_stop = revived.is_empty();
        if !may_stop {
            self.header.warnings.push(Warning::Revived { stage, components: revived });
            self.revivals = revivals(&self.header.warnings, self.revivals.len());
        }
        let rank = self.state.working.nrows();
        let next = std::mem::replace(&mut self.next_weights, Array2::zeros((0, 0)));
        let last = self.state.weights.replace(next);
        self.next_weights = last.unwrap_or_else(|| Array2::zeros((self.header.n_samples, rank)));
        std::mem::swap(&mut self.state.working, &mut self.next_components);
        let previous = std::mem::replace(&mut self.pass, pass);
        self.method.recycle_pass(previous);
        if matches!(self.space, Space::Original) {
            self.header.passes += self.method.passes_per_stage();
        }
        self.header.seconds = self.monitor.clock.seconds();
        self.header.trace.push(StageRecord {
            stage,
            seconds: self.header.seconds,
            threshold_min: None,
            threshold_median: None,
            active_fraction,
            change,
            loss: Some(loss),
        });
        self.header.stages += 1;
        Ok(may_stop)
    }
}

impl<T: Real, A: Alternation<T>> Snapshot<T> for AlternatingRun<'_, T, A> {
    fn components(&self) -> Array2<T> {
        self.state.working.clone()
    }

    fn checkpoint(&self) -> Checkpoint<T> {
        Checkpoint::new(self.header.clone(), self.state.clone())
    }
}
