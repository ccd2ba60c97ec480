//! The online form of AND for samples that come in batches and are not kept: each batch is a stage.
//!
//! The first batch gives the start: with thresholds from the data by a whole fit to it, which is why it must be large
//! enough to find components in. Each further batch moves the components by gradient steps on a few samples each, with
//! a threshold that falls from batch to batch: by the schedule, or by a factor of 1.1 from a tenth of a component's
//! largest weights on, but never below twice the error that negative decoded weights show.
//!
//! ```
//! use andnmf::and::AndParams;
//! use andnmf::fit::{Run, Start};
//! use andnmf::online::Online;
//! use andnmf::samples::DenseSamples;
//! use andnmf::synth::{DatasetKind, DatasetSpec};
//!
//! let sizes = DatasetSpec { n_features: 60, rank: 4, n_samples: 900, ..DatasetSpec::new(DatasetKind::Dir) };
//! let data = sizes.generate()?;
//! let mut online = Online::new(AndParams::new(4), Start::Auto)?;
//! for batch in data.samples.axis_chunks_iter(ndarray::Axis(0), 300) {
//!     online.learn(&DenseSamples::new(batch)?, &mut Run::new())?;
//! }
//! assert_eq!((online.batches(), online.components().unwrap().dim()), (3, (4, 60)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#[cfg(test)]
mod tests;

use ndarray::{Array2, ArrayView1};

use crate::and::{AndParams, Batch, Compress, Schedule, Threshold, ThresholdParams};
use crate::auto::{checkpoint_components, quantile};
use crate::fit::{Beginning, Fit, Run, Solver, StageRecord, Start, StopReason};
use crate::linalg::product::scale_rows;
use crate::nnls::{self, NnlsError};
use crate::samples::Samples;
use crate::trust::Trust;
use crate::{FitError, Real, SamplesError, SettingError};

/// The threshold of the first stage, where a component's largest weights are about 1.
const FIRST_THRESHOLD: f64 = 0.1;
/// What it is divided by after each batch.
const RATIO: f64 = 1.1;
/// Thresholds stay above so many times the root mean square of negative decoded weights, which are all error.
const DATA_FLOOR: f64 = 2.0;
/// The share of a component's weights that is taken to be below its largest ones.
const BELOW_LARGEST: f64 = 0.99;
/// Samples per gradient step where nothing else is asked for.
const STEP_SAMPLES: usize = 16;

/// A fit that goes on with every batch of samples.
#[derive(Debug, Clone)]
pub struct Online<T: Real> {
    params: AndParams,
    start: Start<T>,
    components: Option<Array2<T>>,
    thresholds: Vec<f64>,
    first_threshold: f64,
    batches: usize,
    trace: Vec<StageRecord>,
    trust: Option<Trust>,
    scale: Option<f64>,
    seconds: f64,
    /// Whether the components are still those of a whole fit, at the scale of that.
    off_scale: bool,
    last: Option<Fit<T>>,
}

/// What a run needs to go on with the next batch.
#[derive(Debug, Clone)]
pub struct SoFar<T: Real> {
    /// The components so far.
    pub components: Array2<T>,
    /// The thresholds of the last stage, one per component; none where there was no stage yet.
    pub thresholds: Vec<f64>,
    /// What thresholds from the data have begun with; `None` where the components are those of a whole fit.
    pub first_threshold: Option<f64>,
    /// How many batches were learned from.
    pub batches: usize,
}

impl<T: Real> Online<T> {
    /// A fit with these settings that has seen nothing yet. `batch` is the number of samples per gradient step, 16 where
    /// it is all; `compress`, `max_stages` and `tolerance` mean nothing here.
    ///
    /// # Errors
    /// Where a setting is out of its range, or the schedule is one of theory, which needs the samples of all stages.
    pub fn new(params: AndParams, start: Start<T>) -> Result<Self, SettingError> {
        // Only schedules have batches; whatever comes from the data begins with a fit to all of the first one.
        AndParams { batch: Batch::All, ..params.clone() }.check()?;
        let online = Self {
            params,
            start,
            components: None,
            thresholds: Vec::new(),
            first_threshold: FIRST_THRESHOLD,
            batches: 0,
            trace: Vec::new(),
            trust: None,
            scale: None,
            seconds: 0.0,
            off_scale: false,
            last: None,
        };
        online.stage_params(0)?.check()?;
        Ok(online)
    }

    /// A fit that goes on from what another one, or a whole fit, has found. Its trace and seconds begin anew.
    ///
    /// # Errors
    /// As in [`new`](Self::new), and where there is another number of components than the settings want.
    pub fn resume(params: AndParams, so_far: SoFar<T>) -> Result<Self, SettingError> {
        let SoFar { components, thresholds, first_threshold, batches } = so_far;
        let found = components.nrows();
        if found != params.rank {
            return Err(SettingError::new(
                "rank",
                params.rank,
                format!("there are {found} components so far"),
            ));
        }
        let auto = params.threshold == Threshold::Auto;
        Ok(Self {
            components: Some(components),
            thresholds,
            batches,
            off_scale: auto && first_threshold.is_none(),
            first_threshold: first_threshold.unwrap_or(FIRST_THRESHOLD),
            ..Self::new(params, Start::Auto)?
        })
    }

    /// What [`resume`](Self::resume) goes on from; `None` before the first batch.
    #[must_use]
    pub fn so_far(&self) -> Option<SoFar<T>> {
        Some(SoFar {
            components: self.components.clone()?,
            thresholds: self.thresholds.clone(),
            first_threshold: (!self.off_scale).then_some(self.first_threshold),
            batches: self.batches,
        })
    }

    /// Learns from a batch of samples. False where the run was cancelled before that: nothing has changed then, unless
    /// it was in the fit to the first batch, of which there may be components all the same.
    ///
    /// # Errors
    /// Where the samples cannot be used, or do not have the features of those before.
    pub fn learn(&mut self, samples: &dyn Samples<T>, run: &mut Run<'_, T>) -> Result<bool, FitError> {
        let auto = self.params.threshold == Threshold::Auto;
        let now = match self.components.clone() {
            Some(mut components) => {
                if self.off_scale {
                    self.bring_to_scale(&mut components, samples, run)?;
                    self.components = Some(components.clone());
                    self.off_scale = false;
                }
                components
            }
            None if auto && !matches!(self.start, Start::Given(_)) => return self.begin(samples, run),
            None => {
                let workers = run.workers()?;
                let start = self.start.clone().or(Start::SuccessiveProjection);
                let AndParams { rank, seed, .. } = self.params;
                let mut components = match start.begin(AndParams::NAME, samples, rank, seed, &workers)? {
                    Beginning::Fresh(found) => found.components,
                    Beginning::Resumed(checkpoint) => checkpoint_components(*checkpoint, samples, rank)?,
                };
                if auto {
                    self.bring_to_scale(&mut components, samples, run)?;
                }
                components
            }
        };
        let learned = self.stage(&now, samples, run)?;
        self.batches += usize::from(learned);
        if !learned {
            self.components = Some(now);
        }
        Ok(learned)
    }

    /// A fit to the first batch: all that it can tell goes into the start.
    fn begin(&mut self, samples: &dyn Samples<T>, run: &mut Run<'_, T>) -> Result<bool, FitError> {
        let params = AndParams { batch: Batch::All, ..self.params.clone() };
        let fit = params.check()?.fit(samples, self.start.clone(), run)?;
        let cancelled = fit.stop == StopReason::Cancelled;
        let mut components = fit.components.clone();
        self.keep(fit);
        self.bring_to_scale(&mut components, samples, &run.unwatched())?;
        self.settle(components);
        self.batches += usize::from(!cancelled);
        Ok(!cancelled)
    }

    fn keep(&mut self, fit: Fit<T>) {
        self.scale = fit.scale().or(self.scale);
        let (stages, seconds) = (self.trace.len(), self.seconds);
        self.trace.extend(fit.trace.iter().map(|record| StageRecord {
            stage: record.stage + stages,
            seconds: record.seconds + seconds,
            ..*record
        }));
        self.seconds += fit.seconds;
        self.thresholds.clone_from(&fit.thresholds);
        self.trust.clone_from(&fit.trust);
        self.last = Some(fit);
    }

    /// The components that a batch ended with, and what thresholds are at their scale.
    fn settle(&mut self, components: Array2<T>) {
        if let Some(last) = &mut self.last {
            last.components.clone_from(&components);
            last.thresholds.clone_from(&self.thresholds);
        }
        self.components = Some(components);
    }

    /// Scales each component so that its largest weights are about 1, which thresholds are meant for.
    fn bring_to_scale(
        &mut self,
        components: &mut Array2<T>,
        samples: &dyn Samples<T>,
        run: &Run<'_, T>,
    ) -> Result<(), FitError> {
        let weights = nnls::weights(samples, components.view(), run).map_err(|error| match error {
            NnlsError::Samples(error) => error.into(),
            NnlsError::Shape(error) => error.into(),
            NnlsError::Threads { threads, reason } => FitError::Threads { threads, reason },
            NnlsError::Overflow { .. } => FitError::Overflow { stage: 0 },
            other => FitError::Samples(SamplesError::Unusable { reason: other.to_string() }),
        })?;
        let values = |column: ArrayView1<'_, T>| column.iter().map(|v| v.as_f64()).collect::<Vec<_>>();
        let largest: Vec<f64> =
            weights.columns().into_iter().map(|column| largest_weight(&values(column))).collect();
        scale_rows(components, &largest);
        // Where a fit came before, thresholds go on from where they ended: higher ones would only lose weights again.
        if self.thresholds.len() == largest.len() {
            self.thresholds.iter_mut().zip(&largest).for_each(|(threshold, largest)| *threshold /= largest);
            let middle = quantile(self.thresholds.iter().copied(), 0.5);
            if middle > 0.0 {
                self.first_threshold = FIRST_THRESHOLD.min(middle);
            }
        }
        Ok(())
    }

    /// The stage of a batch; false where it was cancelled.
    fn stage(
        &mut self,
        now: &Array2<T>,
        samples: &dyn Samples<T>,
        run: &mut Run<'_, T>,
    ) -> Result<bool, FitError> {
        let params = self.stage_params(self.batches)?;
        let fit = params.check()?.fit(samples, Start::Given(now.clone()), run)?;
        if fit.stages == 0 {
            return Ok(false);
        }
        let mut components = fit.components.clone();
        let zero = T::from_f64(0.0);
        if self.params.threshold == Threshold::Auto && !self.params.signed && !any_negative(samples)? {
            components.mapv_inplace(|value| if value < zero { zero } else { value });
        }
        self.keep(fit);
        self.settle(components);
        Ok(true)
    }

    /// The settings of one stage.
    fn stage_params(&self, stage: usize) -> Result<AndParams, SettingError> {
        let batch = match self.params.batch {
            Batch::All => Batch::Size(STEP_SAMPLES),
            size => size,
        };
        Ok(AndParams {
            threshold: self.threshold(stage)?,
            batch,
            compress: Compress::Off,
            max_stages: 1,
            time_limit: None,
            // Each batch has an order of its own.
            seed: self.params.seed.wrapping_add(stage as u64),
            ..self.params.clone()
        })
    }

    /// The threshold of one stage as a schedule of its own.
    fn threshold(&self, stage: usize) -> Result<Threshold, SettingError> {
        let after = stage.min(i32::MAX as usize) as i32;
        let Threshold::Scheduled(params) = &self.params.threshold else {
            let schedule = Schedule::Constant(self.first_threshold / RATIO.powi(after));
            let data_floor = Some(DATA_FLOOR);
            return Ok(ThresholdParams { schedule, data_floor, fastest_fall: None }.into());
        };
        let value = match &params.schedule {
            Schedule::Constant(value) => *value,
            Schedule::Geometric { start, ratio, floor } => {
                (start / ratio.powi(after)).max(floor.unwrap_or(0.0))
            }
            Schedule::List(values) => values.get(stage).or(values.last()).copied().unwrap_or(0.0),
            Schedule::Theory { .. } => {
                let expected =
                    "that needs the samples of all stages: batches know auto and the other schedules";
                return Err(SettingError::new("threshold", "a schedule of theory", expected));
            }
        };
        Ok(ThresholdParams { schedule: Schedule::Constant(value), ..params.clone() }.into())
    }

    /// The components found so far; `None` before the first batch.
    #[must_use]
    pub fn components(&self) -> Option<&Array2<T>> {
        self.components.as_ref()
    }

    /// The thresholds of the last stage, one per component.
    #[must_use]
    pub fn thresholds(&self) -> &[f64] {
        &self.thresholds
    }

    /// How many batches were learned from.
    #[must_use]
    pub fn batches(&self) -> usize {
        self.batches
    }

    /// The stages of all batches, one after another.
    #[must_use]
    pub fn trace(&self) -> &[StageRecord] {
        &self.trace
    }

    /// Seconds that all fits took.
    #[must_use]
    pub fn seconds(&self) -> f64 {
        self.seconds
    }

    /// Whether the components are to be believed: known only while they are those of the fit to the first batch.
    #[must_use]
    pub fn trust(&self) -> Option<&Trust> {
        self.trust.as_ref()
    }

    /// The fit to the last batch, with the components that it ended with.
    #[must_use]
    pub fn last(&self) -> Option<&Fit<T>> {
        self.last.as_ref()
    }

    /// How large the samples of the first batch were, as [`Fit::scale`] has it.
    #[must_use]
    pub fn scale(&self) -> Option<f64> {
        self.scale
    }
}

/// The weight that nearly all weights of a component are below; 1 for a component that no sample has.
fn largest_weight(weights: &[f64]) -> f64 {
    let most = quantile(weights.iter().copied(), BELOW_LARGEST);
    let largest = if most > 0.0 { most } else { weights.iter().copied().fold(0.0, f64::max) };
    if largest > 0.0 { largest } else { 1.0 }
}

fn any_negative<T: Real>(samples: &dyn Samples<T>) -> Result<bool, SamplesError> {
    let mut any = false;
    samples.block(0..samples.n_samples())?.for_each(|_, _, value| any |= value < T::from_f64(0.0));
    Ok(any)
}
