//! Decoding all projected samples at once, and what the decoded values say.

use ndarray::Array2;

use super::projected::Projected;
use crate::and::{Counts, DecodeStatistics, Decoder};
use crate::constants::Constants;
use crate::fit::{Halt, Watch, Workers};
use crate::linalg::product::{gram_of_rows, length};
use crate::linalg::weighted_sums::{SumBuffers, WeightedSums};
use crate::pool::Pool;
use crate::samples::fold::{FoldPlan, fold_with_rows};
use crate::{FitError, Real};

/// Projected samples with the decoded weights of the components last decoded.
pub(super) struct Bench<'a, T: Real> {
    pub(super) projected: &'a Projected<T>,
    pub(super) constants: &'a Constants,
    pub(super) workers: &'a Workers,
    pub(super) watch: &'a Watch<'a>,
    pub(super) room: Room<T>,
}

/// Memory that is kept from stage to stage.
pub(super) struct Room<T: Real> {
    /// Decoded values, samples × rank.
    values: Array2<T>,
    buffers: Pool<Buffers<T>>,
}

impl<T: Real> Default for Room<T> {
    fn default() -> Self {
        Self { values: Array2::zeros((0, 0)), buffers: Pool::default() }
    }
}

/// What a thread keeps from block to block.
struct Buffers<T> {
    counts: Counts<T>,
    sums: SumBuffers<T>,
}

impl<T> Default for Buffers<T> {
    fn default() -> Self {
        Self { counts: Counts::default(), sums: SumBuffers::default() }
    }
}

/// What decoding the samples showed, for each component relative to its scale.
pub(super) struct Decoded<T: Real> {
    pub(super) decoder: Decoder<T>,
    /// The scale of each component: its largest decoded weight.
    pub(super) scales: Vec<f64>,
    /// Root mean square of the negative values, which are all error.
    pub(super) negative_rms: Vec<f64>,
    /// Magnitude of the lowest value.
    pub(super) deepest: Vec<f64>,
    /// What noise of standard deviation 1 in every value of the samples becomes in the decoded weight.
    pub(super) noise_gain: Vec<f64>,
    /// Norm of all that is decoded as negative, relative to the samples, taking the components as orthogonal.
    pub(super) leak: f64,
}

/// The sums of a stage.
pub(super) struct Sums<T: Real> {
    pub(super) sums: WeightedSums<T>,
    pub(super) active: Vec<u64>,
}

impl<T: Real> Bench<'_, T> {
    fn plan(&self, rank: usize) -> FoldPlan {
        FoldPlan::new(&self.projected.samples, rank * self.projected.dimension())
    }

    /// Decodes all samples under these components (rank × directions).
    pub(super) fn decode(&mut self, components: &Array2<T>) -> Result<Decoded<T>, Halt> {
        let rank = components.nrows();
        let Some(decoder) = self.workers.run(|| Decoder::new(components.view(), false)) else {
            return Err(FitError::Overflow { stage: 0 }.into());
        };
        let mut values = std::mem::take(&mut self.room.values);
        if values.dim() != (self.projected.n_samples(), rank) {
            values = Array2::zeros((self.projected.n_samples(), rank));
        }
        let plan = self.plan(rank);
        // Everything passes: the values stay as they are and are only looked at.
        let everything = vec![T::from_f64(f64::NEG_INFINITY); rank];
        let seen = self.workers.run(|| {
            fold_with_rows(
                &self.projected.samples,
                &plan,
                values.view_mut(),
                &|| DecodeStatistics::new(rank),
                &|seen: &mut DecodeStatistics, _, block, mut rows| {
                    self.watch.check()?;
                    self.room.buffers.lend(|Buffers { counts, .. }| {
                        decoder.decode_into(&block, rows.view_mut());
                        counts.threshold(rows.as_slice_mut().expect("row-major"), &everything);
                        counts.add_to(seen);
                    });
                    Ok::<(), Halt>(())
                },
                &|left, right| left.merge(&right),
            )
        });
        self.room.values = values;
        let seen = seen?;
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
        &self.room.values
    }

    /// Thresholds the decoded values in place and sums up what a stage needs.
    ///
    /// `thresholds` and `noise_floors` are in the units of the values; a value must reach the threshold of its
    /// component and, where samples differ in noise, the noise floor of its component times the noise of its sample.
    pub(super) fn sums(&mut self, thresholds: &[f64], noise_floors: &NoiseFloors) -> Result<Sums<T>, Halt> {
        let rank = thresholds.len();
        let plan = self.plan(rank);
        let mut values = std::mem::take(&mut self.room.values);
        let limits: Vec<T> = thresholds.iter().map(|&v| T::from_f64(v)).collect();
        let sums = self.workers.run(|| {
            fold_with_rows(
                &self.projected.samples,
                &plan,
                values.view_mut(),
                &|| (WeightedSums::new(rank, self.projected.dimension(), false), vec![0; rank]),
                &|(sums, active): &mut (WeightedSums<T>, Vec<u64>), first, block, mut rows| {
                    self.watch.check()?;
                    self.room.buffers.lend(|Buffers { counts, sums: room }| {
                        if let Some(noise) = &self.projected.sample_noise {
                            for (mut row, noise) in rows.outer_iter_mut().zip(&noise[first..]) {
                                noise_floors.apply(&mut row, *noise);
                            }
                        }
                        let passed = counts.threshold(rows.as_slice_mut().expect("row-major"), &limits);
                        counts.count_active(active);
                        sums.add(&block, rows.view(), passed, room);
                    });
                    Ok::<(), Halt>(())
                },
                &|left, right| {
                    left.0.merge(&right.0);
                    left.1.iter_mut().zip(right.1).for_each(|(a, b)| *a += b);
                },
            )
        });
        self.room.values = values;
        let (sums, active) = sums?;
        Ok(Sums { sums, active })
    }

    /// ‖min(Z, 0)·A‖ relative to the samples: how much of them the components explain by negative weights.
    pub(super) fn negative_part(&self, components: &Array2<T>) -> f64 {
        let negative = self.room.values.mapv(|v| if v < T::from_f64(0.0) { v } else { T::from_f64(0.0) });
        let moments = gram_of_rows(negative.t());
        let gram = gram_of_rows(components.view());
        let squares: f64 = moments.iter().zip(&gram).map(|(a, b)| a.as_f64() * b.as_f64()).sum();
        squares.max(0.0).sqrt() / self.projected.size.max(f64::MIN_POSITIVE)
    }
}

/// The floor that noise sets under the decoded weights of each sample.
pub(super) struct NoiseFloors {
    /// Floor of each component per unit of the sample's noise, in the units of the values.
    pub(super) per_noise: Vec<f64>,
    /// No floor is higher than this.
    pub(super) highest: Vec<f64>,
}

impl NoiseFloors {
    fn apply<T: Real>(&self, row: &mut ndarray::ArrayViewMut1<'_, T>, noise: f64) {
        for (k, v) in row.iter_mut().enumerate() {
            let floor = (self.per_noise[k] * noise).min(self.highest[k]);
            if v.as_f64() < floor {
                *v = T::from_f64(0.0);
            }
        }
    }
}
