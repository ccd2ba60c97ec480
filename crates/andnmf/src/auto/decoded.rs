//! Decodes all projected samples at once and summarizes the decoded values.

use ndarray::Array2;

use super::projected::Projected;
use crate::and::{
    DecodeQuery, DecodeStatistics, DecodedRows, Decoder, NoiseFloors, StageQuery, StageStatistics,
    StageWeights, StageWorkspace, hard_threshold,
};
use crate::constants::Constants;
use crate::fit::{StageInterrupt, StopMonitor, Workers};
use crate::linalg::product::{gram_of_rows, length};
use crate::query::{self, MaybeOwned, Query};
use crate::samples::CancellableSamples;
use crate::{FitError, Real};

/// Projected samples with the decoded weights of the components last decoded.
pub(super) struct Evaluator<'a, T: Real> {
    pub(super) projected: &'a Projected<T>,
    pub(super) constants: &'a Constants,
    pub(super) workers: &'a Workers,
    pub(super) monitor: &'a StopMonitor<'a>,
    pub(super) workspace: Workspace<T>,
}

/// Memory that is reused from stage to stage.
pub(super) struct Workspace<T: Real> {
    /// Decoded values, samples × rank.
    values: Array2<T>,
    stage: StageWorkspace<T>,
}

impl<T: Real> Default for Workspace<T> {
    fn default() -> Self {
        Self { values: Array2::zeros((0, 0)), stage: StageWorkspace::default() }
    }
}

/// Summary of the decoded values of each component, relative to its scale.
pub(super) struct Decoded<T: Real> {
    pub(super) decoder: Decoder<T>,
    /// The scale of each component: its largest decoded weight.
    pub(super) scales: Vec<f64>,
    /// Root mean square of the negative values, which are all error.
    pub(super) negative_rms: Vec<f64>,
    /// Magnitude of the lowest value.
    pub(super) deepest: Vec<f64>,
    /// Standard deviation of the decoded weight for noise of standard deviation 1 in the samples.
    pub(super) noise_gain: Vec<f64>,
    /// Norm of all that is decoded as negative, relative to the samples, taking the components as orthogonal.
    pub(super) leak: f64,
}

impl<T: Real> Evaluator<'_, T> {
    /// Runs a query on the projected samples until the monitor stops it.
    fn query<Q: Query<T, Partial: Send, Error: Into<FitError> + Send>>(
        &self,
        query: &Q,
    ) -> Result<Q::Partial, StageInterrupt> {
        let stop = || self.monitor.reason().is_some();
        let samples = CancellableSamples { samples: &self.projected.samples, stop: &stop };
        self.workers.run(|| query::run(&samples, query)).map_err(|error| self.monitor.interrupt(error))
    }

    /// Decodes all samples under these components (rank × directions).
    pub(super) fn decode(&mut self, components: &Array2<T>) -> Result<Decoded<T>, StageInterrupt> {
        let Some(decoder) = self.workers.run(|| Decoder::new(components.view(), false)) else {
            return Err(FitError::Overflow { stage: 0 }.into());
        };
        self.workspace.stage.values.store(std::mem::take(&mut self.workspace.values));
        let (held, workspace) = (MaybeOwned::Borrowed(&decoder), MaybeOwned::Borrowed(&self.workspace.stage));
        let DecodedRows { values, statistics: seen } =
            self.query(&DecodeQuery { decoder: held, workspace })?;
        self.workspace.values = values;
        if seen.negative_squares.iter().chain(&seen.largest).any(|v| !v.is_finite()) {
            return Err(FitError::Overflow { stage: 0 }.into());
        }
        Ok(self.judge(decoder, components, &seen))
    }

    fn judge(&self, decoder: Decoder<T>, components: &Array2<T>, seen: &DecodeStatistics) -> Decoded<T> {
        let scales: Vec<f64> = seen.largest.iter().map(|&v| if v > 0.0 { v } else { 1.0 }).collect();
        let relative =
            |values: &[f64]| -> Vec<f64> { values.iter().zip(&scales).map(|(v, s)| v / s).collect() };
        let gains: Vec<f64> = decoder.matrix().outer_iter().map(length).collect();
        let magnitudes: Vec<f64> = seen.lowest.iter().map(|v| -v).collect();
        let leaked = components.outer_iter().zip(&seen.negative_squares);
        let leaked: f64 = leaked.map(|(row, squares)| length(row).powi(2) * squares).sum();
        Decoded {
            negative_rms: relative(&seen.negative_rms()),
            deepest: relative(&magnitudes),
            noise_gain: relative(&gains),
            leak: leaked.sqrt() / self.projected.size.max(f64::MIN_POSITIVE),
            decoder,
            scales,
        }
    }

    /// The values last decoded, samples × rank.
    pub(super) fn values(&self) -> &Array2<T> {
        &self.workspace.values
    }

    /// Sums up what a stage needs over the decoded values, thresholded.
    ///
    /// `thresholds` and `floors` are in the units of the values; a value must reach the threshold of its component and,
    /// where samples differ in noise, the noise floor of its component times the noise of its sample.
    pub(super) fn sums(
        &self,
        thresholds: &[f64],
        floors: Option<NoiseFloors<'_>>,
    ) -> Result<StageStatistics<T>, StageInterrupt> {
        let limits: Vec<T> = thresholds.iter().map(|&v| T::from_f64(v)).collect();
        self.query(&StageQuery {
            weights: StageWeights::Decoded(self.workspace.values.view().into()),
            thresholds: limits.into(),
            floors,
            workspace: MaybeOwned::Borrowed(&self.workspace.stage),
        })
    }

    /// Thresholds the decoded values in place, as [`sums`](Self::sums) does on the way.
    pub(super) fn threshold(&mut self, thresholds: &[f64], floors: Option<&NoiseFloors<'_>>) {
        if let Some(floors) = floors {
            floors.apply(0, self.workspace.values.view_mut());
        }
        for mut row in self.workspace.values.outer_iter_mut() {
            for (v, &threshold) in row.iter_mut().zip(thresholds) {
                *v = hard_threshold(*v, T::from_f64(threshold));
            }
        }
    }

    /// Gives back sums that are no longer needed, for later stages.
    pub(super) fn recycle(&self, sums: StageStatistics<T>) {
        self.workspace.stage.sums.give(sums);
    }

    /// ‖min(Z, 0)·A‖ relative to the samples: how much of them the components explain by negative weights.
    pub(super) fn negative_part(&self, components: &Array2<T>) -> f64 {
        let negative =
            self.workspace.values.mapv(|v| if v < T::from_f64(0.0) { v } else { T::from_f64(0.0) });
        let moments = gram_of_rows(negative.t());
        let gram = gram_of_rows(components.view());
        let squares: f64 = moments.iter().zip(&gram).map(|(a, b)| a.as_f64() * b.as_f64()).sum();
        squares.max(0.0).sqrt() / self.projected.size.max(f64::MIN_POSITIVE)
    }
}
