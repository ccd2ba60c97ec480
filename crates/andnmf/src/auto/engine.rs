//! A run of the parameter-free form under the common loop over stages.

use ndarray::{Array2, s};

use super::background::background;
use super::decoded::{Evaluator, Workspace};
use super::descent::{Goal, StageDone};
use super::projected::{Projected, Projection, Signs};
use super::search::{Phase, Search};
use super::state::{AutoState, Progress, Side, unprojected};
use crate::and::AndParams;
use crate::constants::Constants;
use crate::fit::{
    Checkpoint, Header, Limits, MethodState, Snapshot, StageInterrupt, StageRecord, StagedRun, StopMonitor,
    StopReason, Warning, Workers,
};
use crate::trust::Origin;
use crate::{FitError, Real};

/// A run between two stages.
pub(super) struct Engine<'a, T: Real> {
    pub(super) params: &'a AndParams,
    pub(super) constants: &'a Constants,
    pub(super) projected: Projected<T>,
    /// The samples along the spare directions.
    pub(super) spare: Array2<T>,
    /// The features as samples, once they are needed.
    features: Option<Projected<T>>,
    pub(super) signs: Signs,
    pub(super) workers: Workers,
    pub(super) monitor: StopMonitor<'a>,
    pub(super) header: Header,
    pub(super) state: AutoState<T>,
    pub(super) room: Workspace<T>,
}

impl<'a, T: Real> Engine<'a, T> {
    pub(super) fn new(
        (params, constants): (&'a AndParams, &'a Constants),
        workers: Workers,
        monitor: StopMonitor<'a>,
        (header, state): (Header, AutoState<T>),
        projection: Projection<T>,
    ) -> Self {
        let Projection { projected, spare, signs } = projection;
        let (features, room) = (None, Workspace::default());
        Self { params, constants, projected, spare, features, signs, workers, monitor, header, state, room }
    }

    /// The projected samples, to decode them.
    pub(super) fn evaluator(&self) -> Evaluator<'_, T> {
        let Self { projected, constants, workers, monitor, .. } = self;
        Evaluator { projected, constants, workers, monitor, room: Workspace::default() }
    }

    /// Components that the samples have room for: the others are zero.
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
            quiet: self.constants.search.quiet.max(self.params.tolerance).max(rounding),
        }
    }

    /// Whether the zeros of the components could decide where the weights of the samples have not.
    ///
    /// That takes components without negative values and many more features than components. With noise it also takes a
    /// component whose weights are nowhere near zero: a background.
    fn can_turn(&self, auto: &Progress<T>) -> bool {
        let AutoState { basis, spare, .. } = &self.state;
        let Constants { search, trust, end, .. } = self.constants;
        let enough = spare.ncols() >= search.features_per_component * self.effective_rank();
        let Some(best) = &auto.search.best else { return false };
        let shared = || background(&unprojected(&best.components, basis, 1.0), end.background_ignored);
        let doubtful = || !best.certain(search) || shared() > trust.shared_background;
        // What came of a given start is not thrown away for a search from the data.
        let given = matches!(best.origin, Origin::Given | Origin::GivenRepaired);
        let background_component = || !given && best.background_level > search.background_level;
        auto.side == Side::Samples
            && enough
            && self.signs != Signs::Any
            && !self.params.signed
            && if auto.spectrum.noise == 0.0 { doubtful() } else { background_component() }
    }

    /// Takes over what a stage did.
    fn record(&mut self, done: Recorded) {
        let (stage, rank) = (self.header.stages, self.params.rank);
        let Recorded { thresholds, active, change, numerical_rank, n_samples } = done;
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

    /// One stage of the descent under way, and what follows from it.
    fn advance(&mut self, auto: &mut Progress<T>) -> Result<(Array2<T>, Recorded), StageInterrupt> {
        let effective = self.effective_rank();
        if matches!(auto.side, Side::Features { .. }) && self.features.is_none() {
            self.features = Some(self.features_of(auto)?);
        }
        let (projected, working) = match (&auto.side, &self.features) {
            (Side::Features { working, .. }, Some(features)) => (features, working.clone()),
            _ => (&self.projected, self.state.working.slice(s![..effective, ..]).to_owned()),
        };
        let last: Vec<f64> = auto.thresholds.iter().take(effective).copied().collect();
        let room = std::mem::take(&mut self.room);
        let constants = self.constants;
        let mut evaluator =
            Evaluator { projected, constants, workers: &self.workers, monitor: &self.monitor, room };
        let search = &mut auto.search;
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
                let record = Recorded { thresholds, active, change, numerical_rank, n_samples };
                (next.unwrap_or(components), record)
            }
            Err(StageInterrupt::Error(FitError::Overflow { .. })) => {
                // A descent that left the range of numbers is over, and what it led to is not used.
                let next = search.descended(&mut evaluator, None)?;
                let thresholds = if last.is_empty() { vec![1.0; effective] } else { last };
                let (active, numerical_rank) = (vec![0; effective], effective);
                let record = Recorded { thresholds, active, change: 0.0, numerical_rank, n_samples };
                (next.unwrap_or(working), record)
            }
            Err(halt) => return Err(halt),
        };
        self.room = evaluator.room;
        Ok((next, record))
    }

    /// The features as samples.
    fn features_of(&self, auto: &Progress<T>) -> Result<Projected<T>, FitError> {
        let n_samples = self.projected.n_samples();
        Projected::of_features(&self.state.basis, &auto.spectrum, n_samples, &self.constants.projection)
    }

    /// Goes over to the features where the samples' side has ended in doubt; the start on that side.
    fn turn(&mut self, auto: &mut Progress<T>) -> Result<Option<Array2<T>>, StageInterrupt> {
        let ended = over(&auto.search, self.params.max_stages).is_some();
        if !ended || !self.can_turn(auto) {
            return Ok(None);
        }
        let Some(best) = auto.search.best.clone() else { return Ok(None) };
        let projected = self.features_of(auto)?;
        let room = std::mem::take(&mut self.room);
        let (constants, workers, monitor) = (self.constants, &self.workers, &self.monitor);
        let evaluator = Evaluator { projected: &projected, constants, workers, monitor, room };
        let (search, start) = Search::from_data(&evaluator, projected.dimension());
        self.room = evaluator.room;
        self.features = Some(projected);
        auto.search = search;
        auto.side = Side::Features { samples: Box::new(best), working: start.clone() };
        Ok(Some(start))
    }
}

/// Whether a search has no stage left to do, and why.
pub(super) fn over<T: Real>(search: &Search<T>, max_stages: usize) -> Option<StopReason> {
    match search.phase {
        Phase::Done => Some(StopReason::Converged),
        Phase::Long { .. } | Phase::LongAgain if search.descent.stage >= max_stages => {
            Some(StopReason::MaxStages)
        }
        _ => None,
    }
}

/// What the trace tells of a stage.
struct Recorded {
    thresholds: Vec<f64>,
    active: Vec<u64>,
    change: f64,
    numerical_rank: usize,
    n_samples: usize,
}

impl<'a, T: Real> StagedRun<'a, T> for Engine<'a, T> {
    fn header(&self) -> &Header {
        &self.header
    }

    fn thresholds(&self) -> &[f64] {
        &self.state.progress.thresholds
    }

    fn monitor(&mut self) -> &mut StopMonitor<'a> {
        &mut self.monitor
    }

    /// Where the last descent has settled, or had all the stages it may have.
    fn stop_reason(&self, _: &Limits) -> Option<StopReason> {
        let auto = &self.state.progress;
        let reason = over(&auto.search, self.params.max_stages)?;
        // An answer that is beyond doubt needs no more stages, whatever the side of the samples came to.
        match &auto.side {
            Side::Features { .. }
                if auto.search.best.as_ref().is_some_and(|best| best.certain(&self.constants.search)) =>
            {
                Some(StopReason::Converged)
            }
            _ => Some(reason),
        }
    }

    fn stage(&mut self) -> Result<bool, StageInterrupt> {
        let mut auto = self.state.progress.clone();
        let (mut next, record) = self.advance(&mut auto)?;
        if let Some(start) = self.turn(&mut auto)? {
            next = start;
        }
        let shown = match &mut auto.side {
            Side::Samples => Some(next),
            Side::Features { working, .. } => {
                *working = next.clone();
                auto.turned(&next, self.state.basis.ncols())
            }
        };
        let effective = self.effective_rank();
        if let Some(shown) = shown {
            self.state.working.slice_mut(s![..effective, ..]).assign(&shown);
        }
        self.state.progress = auto;
        self.record(record);
        Ok(false)
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
