//! Elementwise multiplication by quotients, guarded against division by zero and overflow.

use pulp::{Simd, WithSimd};

use crate::Real;

/// `values ← values · numerators⁺ / denominators`, where 0/0 is 0.
///
/// Each denominator is at least a constant times its value, so value/denominator does not overflow even if
/// numerator/denominator would. Denormal results become zero, since denormal arithmetic is slow.
pub(super) fn scale_by_quotient<T: Real>(values: &mut [T], numerators: &[T], denominators: &[T]) {
    pulp::Arch::new().dispatch(ScaleByQuotient { values, numerators, denominators, root: false });
}

/// `values ← values · √(numerators/denominators)`, with the same guards.
pub(super) fn scale_by_root_of_quotient<T: Real>(values: &mut [T], numerators: &[T], denominators: &[T]) {
    pulp::Arch::new().dispatch(ScaleByQuotient { values, numerators, denominators, root: true });
}

struct ScaleByQuotient<'a, T> {
    values: &'a mut [T],
    numerators: &'a [T],
    denominators: &'a [T],
    root: bool,
}

impl<T: Real> WithSimd for ScaleByQuotient<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let entries = self.values.iter_mut().zip(self.numerators).zip(self.denominators);
        if self.root {
            for ((value, &numerator), &denominator) in entries {
                *value = scaled_by_root(*value, numerator, denominator);
            }
        } else {
            for ((value, &numerator), &denominator) in entries {
                *value = scaled(*value, numerator, denominator);
            }
        }
    }
}

/// `value · numerator⁺ / denominator` with the guards of [`scale_by_quotient`].
#[inline(always)]
pub(super) fn scaled<T: Real>(value: T, numerator: T, denominator: T) -> T {
    let zero = T::from_f64(0.0);
    let new = value / denominator * numerator;
    let valid = (denominator > zero) & (value > zero) & (new >= T::SMALLEST);
    if valid { new } else { zero }
}

#[inline(always)]
fn scaled_by_root<T: Real>(value: T, numerator: T, denominator: T) -> T {
    let zero = T::from_f64(0.0);
    let new = (value / denominator * numerator).root() * value.root();
    let valid = (denominator > zero) & (value > zero) & (new >= T::SMALLEST);
    if valid { new } else { zero }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotients_are_elementwise() {
        let mut values = vec![2.0_f64, 3.0, 5.0, 7.0, 2.0];
        scale_by_quotient(&mut values, &[3.0, 8.0, 0.0, 1.0, -1.0], &[4.0, 2.0, 1.0, 7.0, 3.0]);
        assert_eq!(values, [1.5, 12.0, 0.0, 1.0, 0.0]);
        let mut values = vec![2.0_f64, 3.0];
        scale_by_root_of_quotient(&mut values, &[9.0, 8.0], &[4.0, 2.0]);
        assert!((values[0] - 3.0).abs() < 1e-15 && (values[1] - 6.0).abs() < 1e-15, "{values:?}");
    }

    #[test]
    fn zeros_and_extreme_values_give_no_nan() {
        for scale in [scale_by_quotient, scale_by_root_of_quotient] {
            let mut values = vec![0.0_f64, 1.0, 0.0, 0.0, 1e-310];
            scale(&mut values, &[0.0, 0.0, 1.0, f64::INFINITY, 1e-3], &[0.0, 0.0, 0.0, 1.0, 1.0]);
            assert_eq!(values, [0.0; 5]);
            // The quotient alone is infinite.
            let mut values = vec![1e-300_f64];
            scale(&mut values, &[1e10], &[1e-300]);
            assert!(values[0].is_finite() && values[0] > 0.0);
        }
    }
}
