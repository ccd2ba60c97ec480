//! Quotients y/ŷ of samples and what is fitted to them, and what multiplies weights by them.

use pulp::{Simd, WithSimd};

use super::ratio::scaled;
use crate::Real;
use crate::linalg::logarithm::logarithm;

/// Numbers worked on side by side.
const LANES: usize = 8;
/// Quotients worked on at a time: they stay in the first-level cache.
const BATCH: usize = 128;

/// The value c for which c·Σ components has the least divergence from a sample: that with the same sum.
#[inline(always)]
pub(super) fn common_value<T: Real>(values: &[T], totals: &[T]) -> T {
    let all: f64 = totals.iter().map(|v| v.as_f64()).sum();
    let sum: f64 = values.iter().map(|v| v.as_f64()).sum();
    T::from_f64(if all > 0.0 { sum / all } else { 0.0 })
}

/// `fitted ← values/fitted`, and the divergence without its part Σ fitted where that is wanted.
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

/// Where nothing is fitted to a value the quotient is 0, since no multiplication could change that; its loss is
/// then that of the smallest number being fitted.
///
/// Every step has a plain loop of its own over a batch: so the compiler finds vectors for all of them.
#[inline(always)]
pub(super) fn quotients<T: Real, const LOSS: bool>(values: &[T], fitted: &mut [T]) -> f64 {
    let (zero, smallest) = (T::from_f64(0.0), T::SMALLEST);
    let (mut quotients, mut losses, mut loss) = ([zero; BATCH], [0.0; BATCH], 0.0);
    for (values, fitted) in values.chunks(BATCH).zip(fitted.chunks_mut(BATCH)) {
        let quotients = &mut quotients[..values.len()];
        for ((quotient, &y), fitted) in quotients.iter_mut().zip(values).zip(fitted.iter_mut()) {
            let sound = *fitted >= smallest;
            *quotient = y / if sound { *fitted } else { smallest };
            *fitted = if sound { *quotient } else { zero };
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

/// The sum, several numbers side by side.
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

/// Each row of weights times its numerators over the totals.
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
