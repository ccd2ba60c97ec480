//! Thresholding and counting of a block of decoded values while it is in cache.

use pulp::{Simd, WithSimd};

use super::decoder::hard_threshold;
use super::statistics::DecodeStatistics;
use crate::Real;

/// Decode statistics of one block, in the number type of the block so that the loop vectorizes.
#[derive(Debug)]
pub(crate) struct Counts<T> {
    active: Vec<T>,
    negative: Vec<T>,
    negative_squares: Vec<T>,
    largest: Vec<T>,
    lowest: Vec<T>,
}

impl<T> Default for Counts<T> {
    fn default() -> Self {
        Self {
            active: Vec::new(),
            negative: Vec::new(),
            negative_squares: Vec::new(),
            largest: Vec::new(),
            lowest: Vec::new(),
        }
    }
}

impl<T: Real> Counts<T> {
    /// Thresholds row-major decoded values in place and counts them; returns the number of active ones.
    pub(crate) fn threshold(&mut self, decoded: &mut [T], thresholds: &[T]) -> u64 {
        let (zero, rank) = (T::from_f64(0.0), thresholds.len());
        let Self { active, negative, negative_squares, largest, lowest } = self;
        for counts in [active, negative, negative_squares, largest, lowest] {
            counts.clear();
            counts.resize(rank, zero);
        }
        pulp::Arch::new().dispatch(ThresholdRows { counts: self, decoded, thresholds });
        self.active.iter().map(|v| v.as_f64() as u64).sum()
    }

    pub(crate) fn add_to(&self, total: &mut DecodeStatistics) {
        for k in 0..self.active.len() {
            // Counts are exact up to 2²⁴ samples even in single precision; blocks have hundreds.
            total.active[k] += self.active[k].as_f64() as u64;
            total.negative[k] += self.negative[k].as_f64() as u64;
            total.negative_squares[k] += self.negative_squares[k].as_f64();
            total.largest[k] = total.largest[k].max(self.largest[k].as_f64());
            total.lowest[k] = total.lowest[k].min(self.lowest[k].as_f64());
        }
    }
}

/// The loop of [`Counts::threshold`], compiled for the SIMD width of the machine.
struct ThresholdRows<'a, T> {
    counts: &'a mut Counts<T>,
    decoded: &'a mut [T],
    thresholds: &'a [T],
}

impl<T: Real> WithSimd for ThresholdRows<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(mut self, _: S) {
        // A few components at a time, so that their counts stay in registers.
        let (mut first, rank) = (0, self.thresholds.len());
        while first < rank {
            first += match rank - first {
                16.. => self.components::<16>(first),
                8.. => self.components::<8>(first),
                4.. => self.components::<4>(first),
                _ => self.components::<1>(first),
            };
        }
    }
}

impl<T: Real> ThresholdRows<'_, T> {
    /// Processes `N` components of all samples; returns `N`.
    #[inline(always)]
    fn components<const N: usize>(&mut self, first: usize) -> usize {
        let (zero, one, rank) = (T::from_f64(0.0), T::from_f64(1.0), self.thresholds.len());
        let thresholds: [T; N] = of_components(self.thresholds, first);
        let mut active: [T; N] = of_components(&self.counts.active, first);
        let mut negative: [T; N] = of_components(&self.counts.negative, first);
        let mut squares: [T; N] = of_components(&self.counts.negative_squares, first);
        let mut largest: [T; N] = of_components(&self.counts.largest, first);
        let mut lowest: [T; N] = of_components(&self.counts.lowest, first);
        for row in self.decoded.chunks_exact_mut(rank) {
            let row: &mut [T; N] = (&mut row[first..first + N]).try_into().expect("N values");
            for k in 0..N {
                let (v, threshold) = (row[k], thresholds[k]);
                let below = if v < zero { v } else { zero };
                squares[k] += below * below;
                negative[k] += if v < zero { one } else { zero };
                largest[k] = if v > largest[k] { v } else { largest[k] };
                lowest[k] = if v < lowest[k] { v } else { lowest[k] };
                active[k] += if (v >= threshold) & (v > zero) { one } else { zero };
                row[k] = hard_threshold(v, threshold);
            }
        }
        let counts = &mut *self.counts;
        counts.active[first..first + N].copy_from_slice(&active);
        counts.negative[first..first + N].copy_from_slice(&negative);
        counts.negative_squares[first..first + N].copy_from_slice(&squares);
        counts.largest[first..first + N].copy_from_slice(&largest);
        counts.lowest[first..first + N].copy_from_slice(&lowest);
        N
    }
}

/// The values of `N` components from `first` on.
#[inline(always)]
fn of_components<T: Real, const N: usize>(values: &[T], first: usize) -> [T; N] {
    values[first..first + N].try_into().expect("N values")
}
