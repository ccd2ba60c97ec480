//! A run with automatic thresholds, driven by the common loop over stages.

use ndarray::{Array2, s};

use super::background::background;
use super::decoded::{Evaluator, Workspace};
use super::descent::{Goal, StageDone};
use super::projected::{Projected, SampleProjection, Signs};
use super::search::{Phase, Search};
use super::state::{AutoProgress, AutoState, SearchSide, unprojected};
use crate::and::AndParams;
use crate::constants::Constants;
use crate::fit::{
    Checkpoint, Header, Limits, MethodState, Snapshot, StageInterrupt, StageRecord, StagedRun, StopMonitor,
    StopReason, Warning, Workers,
};
use crate::trust::Origin;
use crate::{FitError, Real};

/// A run between two stages.
pub(super) struct AutoEngine<'a, T: Real> {
    pub(super) params: &'a AndParams,
    pub(super) constants: &'a Constants,
    pub(super) projected: Projected<T>,
    /// The samples along the spare directions.
    pub(super) spare: Array2<T>,
    /// The features as samples; `None` until needed.
    features: Option<Projected<T>>,
    pub(super) signs: Signs,
    pub(super) workers: Workers,
    pub(super) monitor: StopMonitor<'a>,
    pub(super) header: Header,
    pub(super) state: AutoState<T>,
    pub(super) workspace: Workspace<T>,
}

impl<'a, T: Real> AutoEngine<'a, T> {
    pub(super) fn new(
        (params, constants): (&'a AndParams, &'a Constants),
        workers: Workers,
        monitor: StopMonitor<'a>,
        (header, state): (Header, AutoState<T>),
        projection: SampleProjection<T>,
    ) -> Self {
        let SampleProjection { projected, spare, signs, .. } = projection;
        let (features, workspace) = (None, Workspace::default());
        Self {
            params,
            constants,
            projected,
            spare,
            features,
            signs,
            workers,
            monitor,
            header,
            state,
            workspace,
        }
    }

    /// The projected samples, to decode them.
    pub(super) fn evaluator(&self) -> Evaluator<'_, T> {
        let Self { projected, constants, workers, monitor, .. } = self;
        Evaluator { projected, constants, workers, monitor, workspace: Workspace::default() }
    }

    /// The number of components that the samples determine: the others are zero.
    pub(super) fn effective_rank(&self) -> usize {
        self.projected.dimension()
    }

    /// Standard deviation of the noise of one coordinate, before samples are brought to equal length.
    pub(super) fn projected_noise(&self) -> f64 {
        self.state.progress.spectrum.noise
    }

    pub(super) fn goal(&self) -> Goal {
        // Single precision has fewer digits to lose.
        let rounding = 64.0 * T::EPSILON.as_f64();
        Goal {
            most_stages: self.params.max_stages,
            lowest_threshold: self.constants.search.lowest_threshold.max(rounding),
            tolerance: self.constants.search.quiet.max(self.params.tolerance).max(rounding),
        }
    }

    /// Returns true if the zeros of the components could decide where the weights of the samples have not.
    ///
    /// This needs non-negative components and many more features than components; with noise, also a background
    /// component, whose weights are nowhere near zero.
    fn can_switch_to_features(&self, progress: &AutoProgress<T>) -> bool {
        let AutoState { basis, spare, .. } = &self.state;
        let Constants { search, trust, end, .. } = self.constants;
        let enough = spare.ncols() >= search.features_per_component * self.effective_rank();
        let Some(best) = &progress.search.best else { return false };
        let shared = || background(&unprojected(&best.components, basis, 1.0), end.background_ignored);
        let doubtful = || !best.certain(search) || shared() > trust.shared_background;
        // The result of a given start is not replaced by a search from the data.
        let given = matches!(best.origin, Origin::Given | Origin::GivenRepaired);
        let background_component = || !given && best.background_level > search.background_level;
        progress.side == SearchSide::Samples
            && enough
            && self.signs != Signs::Any
            && !self.params.signed
            && if progress.spectrum.noise == 0.0 { doubtful() } else { background_component() }
    }

    /// Adds a stage to the trace.
    fn record(&mut self, done: StageTrace) {
        let (stage, rank) = (self.header.stages, self.params.rank);
        let StageTrace { thresholds, active, change, numerical_rank, n_samples } = done;
        let effective = thresholds.len();
        let known = |w: &Warning| matches!(w, Warning::DependentComponents { .. });
        if numerical_rank < effective && !self.header.warnings.iter().any(known) {
            self.header.warnings.push(Warning::DependentComponents {
                stage,
                numerical_rank,
                rank: effective,
            });
        }
        for (ever, &count) in self.state.progress.ever_active.iter_mut().zip(&active) {
            *ever |= count > 0;
        }
        let mut sorted = thresholds.clone();
        sorted.sort_by(f64::total_cmp);
        let total: u64 = active.iter().sum();
        self.header.trace.push(StageRecord {
            stage,
            seconds: self.monitor.clock.seconds(),
            threshold_min: Some(sorted[0]),
            threshold_median: Some((sorted[(effective - 1) / 2] + sorted[effective / 2]) / 2.0),
            active_fraction: total as f64 / (n_samples * effective) as f64,
            change,
            loss: None,
        });
        self.state.progress.thresholds = thresholds;
        self.state.progress.thresholds.resize(rank, 1.0);
        self.header.stages += 1;
        self.header.seconds = self.monitor.clock.seconds();
    }

    /// Runs one stage of the current descent; returns the next components and the trace of the stage.
    fn advance(&mut self, progress: &mut AutoProgress<T>) -> Result<(Array2<T>, StageTrace), StageInterrupt> {
        let effective = self.effective_rank();
        if matches!(progress.side, SearchSide::Features { .. }) && self.features.is_none() {
            self.features = Some(self.features_of(progress)?);
        }
        let (projected, working) = match (&progress.side, &self.features) {
            (SearchSide::Features { working, .. }, Some(features)) => (features, working.clone()),
            _ => (&self.projected, self.state.working.slice(s![..effective, ..]).to_owned()),
        };
        let last: Vec<f64> = progress.thresholds.iter().take(effective).copied().collect();
        let workspace = std::mem::take(&mut self.workspace);
        let constants = self.constants;
        let mut evaluator =
            Evaluator { projected, constants, workers: &self.workers, monitor: &self.monitor, workspace };
        let search = &mut progress.search;
        let goal = search.goal(self.goal(), &constants.search);
        let n_samples = projected.n_samples();
        let done = self.workers.run_stage(|| search.descent.stage(&mut evaluator, &working, &last, &goal));
        let (next, record) = match done {
            Ok(done) => {
                let next = match done.end {
                    Some(end) => search.descended(&mut evaluator, Some((done.components.clone(), end)))?,
                    None => None,
                };
                let StageDone { components, thresholds, change, active, numerical_rank, .. } = done;
                let record = StageTrace { thresholds, active, change, numerical_rank, n_samples };
                (next.unwrap_or(components), record)
            }
            Err(StageInterrupt::Error(FitError::Overflow { .. })) => {
                // A descent that overflowed is over, and its result is discarded.
                let next = search.descended(&mut evaluator, None)?;
                let thresholds = if last.is_empty() { vec![1.0; effective] } else { last };
                let (active, numerical_rank) = (vec![0; effective], effective);
                let record = StageTrace { thresholds, active, change: 0.0, numerical_rank, n_samples };
                (next.unwrap_or(working), record)
            }
            Err(halt) => return Err(halt),
        };
        self.workspace = evaluator.workspace;
        Ok((next, record))
    }

    /// The features as samples.
    fn features_of(&self, progress: &AutoProgress<T>) -> Result<Projected<T>, FitError> {
        let n_samples = self.projected.n_samples();
        Projected::of_features(&self.state.basis, &progress.spectrum, n_samples, &self.constants.projection)
    }

    /// Switches to the features if the search on the samples ended in doubt; returns the start there.
    fn switch_to_features(
        &mut self,
        progress: &mut AutoProgress<T>,
    ) -> Result<Option<Array2<T>>, StageInterrupt> {
        let ended = over(&progress.search, self.params.max_stages).is_some();
        if !ended || !self.can_switch_to_features(progress) {
            return Ok(None);
        }
        let Some(best) = progress.search.best.clone() else { return Ok(None) };
        let projected = self.features_of(progress)?;
        let workspace = std::mem::take(&mut self.workspace);
        let (constants, workers, monitor) = (self.constants, &self.workers, &self.monitor);
        let evaluator = Evaluator { projected: &projected, constants, workers, monitor, workspace };
        let (search, start) = Search::from_data(&evaluator, projected.dimension());
        self.workspace = evaluator.workspace;
        self.features = Some(projected);
        progress.search = search;
        progress.side = SearchSide::Features { samples: Box::new(best), working: start.clone() };
        Ok(Some(start))
    }
}

/// The reason why a search is over; `None` if it has stages left.
pub(super) fn over<T: Real>(search: &Search<T>, max_stages: usize) -> Option<StopReason> {
    match search.phase {
        Phase::Done => Some(StopReason::Converged),
        Phase::Long { .. } | Phase::LongAgain if search.descent.stage >= max_stages => {
            Some(StopReason::MaxStages)
        }
        _ => None,
    }
}

/// The values of a stage that go into the trace.
struct StageTrace {
    thresholds: Vec<f64>,
    active: Vec<u64>,
    change: f64,
    numerical_rank: usize,
    n_samples: usize,
}

impl<'a, T: Real> StagedRun<'a, T> for AutoEngine<'a, T> {
    fn header(&self) -> &Header {
        &self.header
    }

    fn thresholds(&self) -> &[f64] {
        &self.state.progress.thresholds
    }

    fn monitor(&mut self) -> &mut StopMonitor<'a> {
        &mut self.monitor
    }

    /// The last descent converged, or reached its limit of stages.
    fn stop_reason(&self, _: &Limits) -> Option<StopReason> {
        let progress = &self.state.progress;
        let reason = over(&progress.search, self.params.max_stages)?;
        // A certain result needs no more stages, whatever the search on the samples found.
        match &progress.side {
            SearchSide::Features { .. }
                if progress.search.best.as_ref().is_some_and(|best| best.certain(&self.constants.search)) =>
            {
                Some(StopReason::Converged)
            }
            _ => Some(reason),
        }
    }

    fn stage(&mut self) -> Result<bool, StageInterrupt> {
        let mut progress = self.state.progress.clone();
        let (mut next, record) = self.advance(&mut progress)?;
        if let Some(start) = self.switch_to_features(&mut progress)? {
            next = start;
        }
        let shown = match &mut progress.side {
            SearchSide::Samples => Some(next),
            SearchSide::Features { working, .. } => {
                *working = next.clone();
                progress.components_from_features(&next, self.state.basis.ncols())
            }
        };
        let effective = self.effective_rank();
        if let Some(shown) = shown {
            self.state.working.slice_mut(s![..effective, ..]).assign(&shown);
        }
        self.state.progress = progress;
        self.record(record);
        Ok(false)
    }
}

impl<T: Real> Snapshot<T> for AutoEngine<'_, T> {
    fn components(&self) -> Array2<T> {
        self.state.components()
    }

    fn checkpoint(&self) -> Checkpoint<T> {
        Checkpoint::new(self.header.clone(), self.state.clone())
    }
}
