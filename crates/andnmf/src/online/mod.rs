//! Online AND, for samples that arrive in batches and are not stored: each batch is a stage.
//!
//! The first batch gives the start. With thresholds from the data that is a whole fit to it, so the batch must be large
//! enough to find components in. Each further batch moves the components by gradient steps on a few samples each,
//! with a threshold that falls from batch to batch: by the schedule, or by a factor of 1.1 from a tenth of a
//! component's largest weights, but never below twice the error shown by negative decoded weights.
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
use crate::fit::{Fit, ResolvedStart, Run, Solver, StageRecord, Start, StopReason};
use crate::linalg::product::scale_rows;
use crate::nnls::{self, NnlsError};
use crate::samples::Samples;
use crate::trust::Trust;
use crate::{FitError, Real, SamplesError, SettingError};

/// The threshold of the first stage, for components scaled so that their largest weights are about 1.
const FIRST_THRESHOLD: f64 = 0.1;
/// Divisor of the threshold after each batch.
const RATIO: f64 = 1.1;
/// Lower bound of thresholds, in units of the root mean square of negative decoded weights, which are all error.
const DATA_FLOOR: f64 = 2.0;
/// The quantile of a component's weights that counts as its largest weight.
const LARGEST_QUANTILE: f64 = 0.99;
/// Default number of samples per gradient step.
const STEP_SAMPLES: usize = 16;

/// A fit that continues with every batch of samples.
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
    /// True if the components still have the scale of a whole fit.
    needs_rescaling: bool,
    last: Option<Fit<T>>,
}

/// The state between two batches, from which [`Online::resume`] continues.
#[derive(Debug, Clone)]
pub struct OnlineState<T: Real> {
    /// The components.
    pub components: Array2<T>,
    /// The thresholds of the last stage, one per component; empty before the first stage.
    pub thresholds: Vec<f64>,
    /// The first threshold, if thresholds come from the data; `None` if the components are those of a whole fit.
    pub first_threshold: Option<f64>,
    /// Number of batches so far.
    pub batches: usize,
}

impl<T: Real> Online<T> {
    /// A fit before its first batch. `batch` is the number of samples per gradient step (16 if it is `All`);
    /// `compress`, `max_stages` and `tolerance` have no effect.
    ///
    /// # Errors
    /// If a setting is out of its range, or the schedule is [`Schedule::Theory`], which needs the samples of all
    /// stages.
    pub fn new(params: AndParams, start: Start<T>) -> Result<Self, SettingError> {
        // Only schedules support batches; with thresholds from the data, the first batch is fitted as a whole.
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
            needs_rescaling: false,
            last: None,
        };
        online.stage_params(0)?.check()?;
        Ok(online)
    }

    /// A fit that continues from the state of another one, or from a whole fit. Trace and seconds start from zero.
    ///
    /// # Errors
    /// As in [`new`](Self::new), and if the number of components is not the rank.
    pub fn resume(params: AndParams, state: OnlineState<T>) -> Result<Self, SettingError> {
        let OnlineState { components, thresholds, first_threshold, batches } = state;
        let given = components.nrows();
        if given != params.rank {
            return Err(SettingError::new(
                "rank",
                params.rank,
                format!("it must be {given}, the number of components so far"),
            ));
        }
        let auto = params.threshold == Threshold::Auto;
        Ok(Self {
            components: Some(components),
            thresholds,
            batches,
            needs_rescaling: auto && first_threshold.is_none(),
            first_threshold: first_threshold.unwrap_or(FIRST_THRESHOLD),
            ..Self::new(params, Start::Auto)?
        })
    }

    /// The state for [`resume`](Self::resume); `None` before the first batch.
    #[must_use]
    pub fn state(&self) -> Option<OnlineState<T>> {
        Some(OnlineState {
            components: self.components.clone()?,
            thresholds: self.thresholds.clone(),
            first_threshold: (!self.needs_rescaling).then_some(self.first_threshold),
            batches: self.batches,
        })
    }

    /// Learns from a batch of samples. Returns false if the run was cancelled: then nothing has changed, except that a
    /// cancelled fit to the first batch may leave components.
    ///
    /// # Errors
    /// If the samples cannot be used, or have another number of features than those before.
    pub fn learn(&mut self, samples: &dyn Samples<T>, run: &mut Run<'_, T>) -> Result<bool, FitError> {
        let auto = self.params.threshold == Threshold::Auto;
        let now = match self.components.clone() {
            Some(mut components) => {
                if self.needs_rescaling {
                    self.rescale(&mut components, samples, run)?;
                    self.components = Some(components.clone());
                    self.needs_rescaling = false;
                }
                components
            }
            None if auto && !matches!(self.start, Start::Given(_)) => {
                return self.fit_first_batch(samples, run);
            }
            None => {
                let workers = run.workers()?;
                let start = self.start.clone().or(Start::SuccessiveProjection);
                let AndParams { rank, seed, .. } = self.params;
                let mut components = match start.resolve(AndParams::NAME, samples, rank, seed, &workers)? {
                    ResolvedStart::Fresh(start) => start.components,
                    ResolvedStart::Resumed(checkpoint) => checkpoint_components(*checkpoint, samples, rank)?,
                };
                if auto {
                    self.rescale(&mut components, samples, run)?;
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

    /// A whole fit to the first batch, which gives the start.
    fn fit_first_batch(&mut self, samples: &dyn Samples<T>, run: &mut Run<'_, T>) -> Result<bool, FitError> {
        let params = AndParams { batch: Batch::All, ..self.params.clone() };
        let fit = params.check()?.fit(samples, self.start.clone(), run)?;
        let cancelled = fit.stop == StopReason::Cancelled;
        let mut components = fit.components.clone();
        self.record_fit(fit);
        self.rescale(&mut components, samples, &run.with_same_threads())?;
        self.set_components(components);
        self.batches += usize::from(!cancelled);
        Ok(!cancelled)
    }

    fn record_fit(&mut self, fit: Fit<T>) {
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

    /// Stores the components after a batch, also in the last fit.
    fn set_components(&mut self, components: Array2<T>) {
        if let Some(last) = &mut self.last {
            last.components.clone_from(&components);
            last.thresholds.clone_from(&self.thresholds);
        }
        self.components = Some(components);
    }

    /// Scales each component so that its largest weights are about 1, as the thresholds assume.
    fn rescale(
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
        // After a fit, continue with its last thresholds: higher ones would lose weights again.
        if self.thresholds.len() == largest.len() {
            self.thresholds.iter_mut().zip(&largest).for_each(|(threshold, largest)| *threshold /= largest);
            let middle = quantile(self.thresholds.iter().copied(), 0.5);
            if middle > 0.0 {
                self.first_threshold = FIRST_THRESHOLD.min(middle);
            }
        }
        Ok(())
    }

    /// Runs the stage of a batch; returns false if it was cancelled.
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
        self.record_fit(fit);
        self.set_components(components);
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
            // Each batch has its own order.
            seed: self.params.seed.wrapping_add(stage as u64),
            ..self.params.clone()
        })
    }

    /// The threshold of one stage, as a schedule for that stage.
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
                let expected = "it needs the samples of all stages; use auto or another schedule for batches";
                return Err(SettingError::new("threshold", "theory", expected));
            }
        };
        Ok(ThresholdParams { schedule: Schedule::Constant(value), ..params.clone() }.into())
    }

    /// The components so far; `None` before the first batch.
    #[must_use]
    pub fn components(&self) -> Option<&Array2<T>> {
        self.components.as_ref()
    }

    /// The thresholds of the last stage, one per component.
    #[must_use]
    pub fn thresholds(&self) -> &[f64] {
        &self.thresholds
    }

    /// Number of batches so far.
    #[must_use]
    pub fn batches(&self) -> usize {
        self.batches
    }

    /// The records of all stages of all batches.
    #[must_use]
    pub fn trace(&self) -> &[StageRecord] {
        &self.trace
    }

    /// Seconds of all fits.
    #[must_use]
    pub fn seconds(&self) -> f64 {
        self.seconds
    }

    /// The trust summary of the fit to the first batch; `None` after further batches.
    #[must_use]
    pub fn trust(&self) -> Option<&Trust> {
        self.trust.as_ref()
    }

    /// The fit to the last batch, with the current components.
    #[must_use]
    pub fn last(&self) -> Option<&Fit<T>> {
        self.last.as_ref()
    }

    /// The scale of the samples of the first batch: see [`Fit::scale`].
    #[must_use]
    pub fn scale(&self) -> Option<f64> {
        self.scale
    }
}

/// A high quantile of a component's weights; 1 for a component that no sample has.
fn largest_weight(weights: &[f64]) -> f64 {
    let most = quantile(weights.iter().copied(), LARGEST_QUANTILE);
    let largest = if most > 0.0 { most } else { weights.iter().copied().fold(0.0, f64::max) };
    if largest > 0.0 { largest } else { 1.0 }
}

fn any_negative<T: Real>(samples: &dyn Samples<T>) -> Result<bool, SamplesError> {
    let mut any = false;
    samples.block(0..samples.n_samples())?.for_each(|_, _, value| any |= value < T::from_f64(0.0));
    Ok(any)
}
