//! Entries multiplied with guarded quotients.
//!
//! The loops are methods of `WithSimd` structs, which are compiled for wide vectors too.

use pulp::{Simd, WithSimd};

use crate::Real;

/// `values ← values · numerators⁺ / denominators`, where 0/0 is 0.
///
/// A denominator is at least its own entry times a constant, so value/denominator is harmless where the quotient
/// by itself would leave the range of numbers. What is too small to have all its digits becomes zero, since
/// arithmetic with such numbers is slow.
pub(super) fn scale_by_quotient<T: Real>(values: &mut [T], numerators: &[T], denominators: &[T]) {
    pulp::Arch::new().dispatch(Scale { values, numerators, denominators, root: false });
}

/// `values ← values · √(numerators/denominators)`, guarded likewise.
pub(super) fn scale_by_root_of_quotient<T: Real>(values: &mut [T], numerators: &[T], denominators: &[T]) {
    pulp::Arch::new().dispatch(Scale { values, numerators, denominators, root: true });
}

struct Scale<'a, T> {
    values: &'a mut [T],
    numerators: &'a [T],
    denominators: &'a [T],
    root: bool,
}

impl<T: Real> WithSimd for Scale<'_, T> {
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
    let sound = (denominator > zero) & (value > zero) & (new >= T::SMALLEST);
    if sound { new } else { zero }
}

#[inline(always)]
fn scaled_by_root<T: Real>(value: T, numerator: T, denominator: T) -> T {
    let zero = T::from_f64(0.0);
    let new = (value / denominator * numerator).root() * value.root();
    let sound = (denominator > zero) & (value > zero) & (new >= T::SMALLEST);
    if sound { new } else { zero }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotients_are_taken_entry_by_entry() {
        let mut values = vec![2.0_f64, 3.0, 5.0, 7.0, 2.0];
        scale_by_quotient(&mut values, &[3.0, 8.0, 0.0, 1.0, -1.0], &[4.0, 2.0, 1.0, 7.0, 3.0]);
        assert_eq!(values, [1.5, 12.0, 0.0, 1.0, 0.0]);
        let mut values = vec![2.0_f64, 3.0];
        scale_by_root_of_quotient(&mut values, &[9.0, 8.0], &[4.0, 2.0]);
        assert!((values[0] - 3.0).abs() < 1e-15 && (values[1] - 6.0).abs() < 1e-15, "{values:?}");
    }

    #[test]
    fn zeros_and_the_ends_of_the_range_give_no_nan() {
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
