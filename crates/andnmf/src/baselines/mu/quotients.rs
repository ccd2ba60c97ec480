//! Kernels for the quotients y/ŷ of samples and their fit, and for multiplying weights by them.

use pulp::{Simd, WithSimd};

use super::ratio::scaled;
use crate::Real;
use crate::linalg::logarithm::logarithm;

/// Number of accumulators.
const LANES: usize = 8;
/// Quotients per batch, so that they stay in the L1 cache.
const BATCH: usize = 128;

/// The common weight c that minimizes the divergence of c·Σ components from a sample: the one that preserves its sum.
#[inline(always)]
pub(super) fn best_common_weight<T: Real>(values: &[T], totals: &[T]) -> T {
    let all: f64 = totals.iter().map(|v| v.as_f64()).sum();
    let sum: f64 = values.iter().map(|v| v.as_f64()).sum();
    T::from_f64(if all > 0.0 { sum / all } else { 0.0 })
}

/// `fitted ← values/fitted`; returns the divergence without the term Σ fitted if `with_loss`.
pub(super) struct Quotients<'a, T> {
    pub(super) values: &'a [T],
    pub(super) fitted: &'a mut [T],
    pub(super) with_loss: bool,
}

impl<T: Real> WithSimd for Quotients<'_, T> {
    type Output = f64;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> f64 {
        if self.with_loss {
            quotients::<T, true>(self.values, self.fitted)
        } else {
            quotients::<T, false>(self.values, self.fitted)
        }
    }
}

/// If the fit of a value is zero, its quotient is 0, since no multiplication could change the fit; its loss is that of
/// the smallest normal number as the fit.
///
/// Each step is a separate simple loop over a batch, so that the compiler vectorizes all of them.
#[inline(always)]
pub(super) fn quotients<T: Real, const LOSS: bool>(values: &[T], fitted: &mut [T]) -> f64 {
    let (zero, smallest) = (T::from_f64(0.0), T::SMALLEST);
    let (mut quotients, mut losses, mut loss) = ([zero; BATCH], [0.0; BATCH], 0.0);
    for (values, fitted) in values.chunks(BATCH).zip(fitted.chunks_mut(BATCH)) {
        let quotients = &mut quotients[..values.len()];
        for ((quotient, &y), fitted) in quotients.iter_mut().zip(values).zip(fitted.iter_mut()) {
            let valid = *fitted >= smallest;
            *quotient = y / if valid { *fitted } else { smallest };
            *fitted = if valid { *quotient } else { zero };
        }
        if LOSS {
            let losses = &mut losses[..values.len()];
            for ((loss, &y), quotient) in losses.iter_mut().zip(values).zip(quotients.iter()) {
                *loss = y.as_f64() * (logarithm(quotient.as_f64()) - 1.0);
            }
            loss += sum(losses);
        }
    }
    loss
}

/// The sum, with several accumulators.
#[inline(always)]
fn sum(numbers: &[f64]) -> f64 {
    let (chunks, rest) = numbers.as_chunks::<LANES>();
    let mut sums = [0.0; LANES];
    for chunk in chunks {
        for (sum, v) in sums.iter_mut().zip(chunk) {
            *sum += v;
        }
    }
    sums.iter().sum::<f64>() + rest.iter().sum::<f64>()
}

/// Multiplies each row of weights by numerators/totals.
pub(super) struct ScaleRows<'a, T> {
    pub(super) weights: &'a mut [T],
    pub(super) numerators: &'a [T],
    pub(super) totals: &'a [T],
}

impl<T: Real> WithSimd for ScaleRows<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let rank = self.totals.len();
        for (weights, numerators) in
            self.weights.chunks_exact_mut(rank).zip(self.numerators.chunks_exact(rank))
        {
            scale_row(weights, numerators, self.totals);
        }
    }
}

#[inline(always)]
pub(super) fn scale_row<T: Real>(weights: &mut [T], numerators: &[T], totals: &[T]) {
    for ((weight, &numerator), &total) in weights.iter_mut().zip(numerators).zip(totals) {
        *weight = scaled(*weight, numerator, total);
    }
}
