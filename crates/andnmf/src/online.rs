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

use ndarray::Array2;

use crate::and::{AndParams, Batch, Compress, Schedule, Threshold, ThresholdParams};
use crate::fit::{Beginning, Fit, Method, Run, Solver, StageRecord, Start, StopReason};
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
        };
        online.stage_params(0)?.check()?;
        Ok(online)
    }

    /// Learns from a batch of samples. False where the run was cancelled before that: nothing has changed then, unless
    /// it was in the fit to the first batch, of which there may be components all the same.
    ///
    /// # Errors
    /// Where the samples cannot be used, or do not have the features of those before.
    pub fn learn(&mut self, samples: &dyn Samples<T>, run: &mut Run<'_, T>) -> Result<bool, FitError> {
        let auto = self.params.threshold == Threshold::Auto;
        let now = match self.components.take() {
            Some(components) => components,
            None if auto && !matches!(self.start, Start::Given(_)) => return self.begin(samples, run),
            None => {
                let workers = run.workers()?;
                let start = self.start.clone().or(Start::SuccessiveProjection);
                let AndParams { rank, seed, .. } = self.params;
                let mut components = match start.begin(Method::And, samples, rank, seed, &workers)? {
                    Beginning::Fresh(found) => found.components,
                    Beginning::Resumed(state) => state.components(),
                };
                if auto {
                    self.bring_to_scale(&mut components, samples, run)?;
                }
                components
            }
        };
        let done = self.stage(&now, samples, run);
        match done {
            Ok(Some(components)) => {
                self.components = Some(components);
                self.batches += 1;
                Ok(true)
            }
            other => {
                self.components = Some(now);
                other.map(|_| false)
            }
        }
    }

    /// A fit to the first batch: all that it can tell goes into the start.
    fn begin(&mut self, samples: &dyn Samples<T>, run: &mut Run<'_, T>) -> Result<bool, FitError> {
        let params = AndParams { batch: Batch::All, ..self.params.clone() };
        let fit = params.check()?.fit(samples, self.start.clone(), run)?;
        let cancelled = fit.stop == StopReason::Cancelled;
        let mut components = fit.components.clone();
        self.keep(fit);
        self.bring_to_scale(&mut components, samples, &run.unwatched())?;
        self.components = Some(components);
        self.batches += usize::from(!cancelled);
        Ok(!cancelled)
    }

    fn keep(&mut self, fit: Fit<T>) {
        self.scale = fit.scale().or(self.scale);
        let (stages, seconds) = (self.trace.len(), self.seconds);
        self.trace.extend(fit.trace.into_iter().map(|record| StageRecord {
            stage: record.stage + stages,
            seconds: record.seconds + seconds,
            ..record
        }));
        self.seconds += fit.seconds;
        self.thresholds = fit.thresholds;
        self.trust = fit.trust;
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
        let largest: Vec<f64> = weights
            .columns()
            .into_iter()
            .map(|column| largest_weight(column.iter().map(|weight| weight.as_f64()).collect()))
            .collect();
        scale_rows(components, &largest);
        // Where a fit came before, thresholds go on from where they ended: higher ones would only lose weights again.
        if self.thresholds.len() == largest.len() {
            self.thresholds.iter_mut().zip(&largest).for_each(|(threshold, largest)| *threshold /= largest);
            let mut sorted = self.thresholds.clone();
            sorted.sort_by(f64::total_cmp);
            let middle = quantile(&sorted, 0.5);
            if middle > 0.0 {
                self.first_threshold = FIRST_THRESHOLD.min(middle);
            }
        }
        Ok(())
    }

    /// The stage of a batch; `None` where it was cancelled.
    fn stage(
        &mut self,
        now: &Array2<T>,
        samples: &dyn Samples<T>,
        run: &mut Run<'_, T>,
    ) -> Result<Option<Array2<T>>, FitError> {
        let params = self.stage_params(self.batches)?;
        let fit = params.check()?.fit(samples, Start::Given(now.clone()), run)?;
        if fit.stages == 0 {
            return Ok(None);
        }
        let mut components = fit.components.clone();
        self.keep(fit);
        let zero = T::from_f64(0.0);
        if self.params.threshold == Threshold::Auto && !self.params.signed && !any_negative(samples)? {
            components.mapv_inplace(|value| if value < zero { zero } else { value });
        }
        Ok(Some(components))
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

    /// How large the samples of the first batch were, as [`Fit::scale`] has it.
    #[must_use]
    pub fn scale(&self) -> Option<f64> {
        self.scale
    }
}

/// The weight that nearly all weights of a component are below; 1 for a component that no sample has.
fn largest_weight(mut weights: Vec<f64>) -> f64 {
    weights.sort_by(f64::total_cmp);
    let most = quantile(&weights, BELOW_LARGEST);
    let largest = if most > 0.0 { most } else { weights.last().copied().unwrap_or(0.0) };
    if largest > 0.0 { largest } else { 1.0 }
}

/// The value below which this share of sorted values lies, between two of them where it falls there.
fn quantile(sorted: &[f64], share: f64) -> f64 {
    let Some(last) = sorted.len().checked_sub(1) else { return 0.0 };
    let place = share * last as f64;
    let (below, above) = (place.floor() as usize, place.ceil() as usize);
    sorted[below] + (sorted[above] - sorted[below]) * place.fract()
}

fn any_negative<T: Real>(samples: &dyn Samples<T>) -> Result<bool, SamplesError> {
    let mut any = false;
    samples.block(0..samples.n_samples())?.for_each(|_, _, value| any |= value < T::from_f64(0.0));
    Ok(any)
}

#[cfg(test)]
mod tests {
    use ndarray::Axis;

    use super::*;
    use crate::metrics::correlation_error;
    use crate::samples::DenseSamples;
    use crate::synth::{Dataset, DatasetKind, DatasetSpec, Weights};

    fn data(n_samples: usize) -> Dataset {
        let sizes = DatasetSpec { n_features: 80, rank: 5, n_samples, ..DatasetSpec::new(DatasetKind::Dir) };
        let weights = Weights::Dirichlet { concentration: 1.0 };
        DatasetSpec { weights, ..sizes }.generate().unwrap()
    }

    fn learned(data: &Dataset, params: AndParams, start: Start<f64>, size: usize) -> Online<f64> {
        let mut online = Online::new(params, start).unwrap();
        for batch in data.samples.axis_chunks_iter(Axis(0), size) {
            assert!(online.learn(&DenseSamples::new(batch).unwrap(), &mut Run::new()).unwrap());
        }
        online
    }

    fn error(online: &Online<f64>, data: &Dataset) -> f64 {
        correlation_error(online.components().unwrap().view(), data.truth.view()).unwrap().relative_total()
    }

    #[test]
    fn batches_find_the_truth_and_say_how_they_went() {
        let data = data(3000);
        let online = learned(&data, AndParams::new(5), Start::Auto, 600);
        assert!(error(&online, &data) < 1e-2, "{}", error(&online, &data));
        assert_eq!((online.batches(), online.thresholds().len()), (5, 5));
        assert!(online.trust().is_none(), "no verdict on what batches made of it");
        let stages: Vec<usize> = online.trace().iter().map(|record| record.stage).collect();
        assert_eq!(stages, (0..stages.len()).collect::<Vec<_>>());
        assert!(online.trace().is_sorted_by_key(|record| record.seconds));
        assert!(learned(&data, AndParams::new(5), Start::Auto, 3000).trust().is_some());
    }

    #[test]
    fn the_same_batches_give_the_same_bits() {
        let data = data(900);
        let bits =
            || learned(&data, AndParams::new(5), Start::Auto, 300).components().unwrap().mapv(f64::to_bits);
        assert_eq!(bits(), bits());
    }

    #[test]
    fn a_schedule_goes_on_from_batch_to_batch() {
        let data = data(1200);
        let params = AndParams { batch: Batch::Size(8), ..AndParams::scheduled(5) };
        let online = learned(&data, params, Start::Given(data.init.clone()), 300);
        let thresholds: Vec<f64> =
            online.trace().iter().map(|record| record.threshold_median.unwrap()).collect();
        let expected: Vec<f64> = (0..4).map(|stage| 0.1 / 1.1_f64.powi(stage)).collect();
        assert_eq!(thresholds, expected);
        assert!(
            error(&online, &data)
                < correlation_error(data.init.view(), data.truth.view()).unwrap().relative_total()
        );
    }

    #[test]
    fn a_batch_that_cannot_be_used_changes_nothing() {
        let data = data(900);
        let mut online = learned(&data, AndParams::new(5), Start::Auto, 450);
        let before = online.components().unwrap().clone();
        let narrow = DenseSamples::new(Array2::<f64>::ones((50, 7))).unwrap();
        assert!(online.learn(&narrow, &mut Run::new()).is_err());
        let flag = std::sync::atomic::AtomicBool::new(true);
        let whole = DenseSamples::new(data.samples.view()).unwrap();
        assert!(!online.learn(&whole, &mut Run::new().cancel_with(&flag)).unwrap());
        assert_eq!((online.components().unwrap(), online.batches()), (&before, 2));
    }

    #[test]
    fn wrong_settings_are_refused_at_once() {
        assert!(Online::<f64>::new(AndParams::new(0), Start::Auto).is_err());
        let theory = Schedule::Theory { lambda: 1.0, sparsity: 2.0, decay_order: 1.0 };
        let params = AndParams { threshold: theory.into(), ..AndParams::new(3) };
        let error = Online::<f64>::new(params, Start::Auto).unwrap_err().to_string();
        assert!(error.contains("samples of all stages"), "{error}");
    }

    #[test]
    fn quantiles_lie_between_values() {
        assert_eq!(quantile(&[1.0, 2.0, 4.0], 0.5), 2.0);
        assert_eq!(quantile(&[1.0, 2.0, 4.0], 0.75), 3.0);
        assert_eq!((quantile(&[], 0.5), quantile(&[7.0], 0.99)), (0.0, 7.0));
        assert_eq!((largest_weight(vec![0.0, 0.0]), largest_weight(vec![0.0; 3])), (1.0, 1.0));
        let mut rare = vec![0.0; 1000];
        rare[3] = 5.0;
        assert_eq!(largest_weight(rare), 5.0);
    }
}
