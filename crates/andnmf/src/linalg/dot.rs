//! Inner products of vectors.

use pulp::{Simd, WithSimd};

use crate::Real;

/// Σ a[i] · b[i].
///
/// Uses several accumulators; the order of summation depends on the length alone.
pub(crate) fn dot<T: Real>(a: &[T], b: &[T]) -> T {
    pulp::Arch::new().dispatch(Dot { a, b })
}

struct Dot<'a, T> {
    a: &'a [T],
    b: &'a [T],
}

impl<T: Real> WithSimd for Dot<'_, T> {
    type Output = T;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> T {
        dot_kernel(self.a, self.b)
    }
}

#[inline(always)]
fn dot_kernel<T: Real>(a: &[T], b: &[T]) -> T {
    const LANES: usize = 32;
    let zero = T::from_f64(0.0);
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<LANES>(), b.as_chunks::<LANES>());
    let mut sums = [zero; LANES];
    for (a, b) in a.iter().zip(b) {
        for ((sum, &a), &b) in sums.iter_mut().zip(a).zip(b) {
            *sum += a * b;
        }
    }
    let mut total = zero;
    for sum in sums {
        total += sum;
    }
    for (&a, &b) in a_rest.iter().zip(b_rest) {
        total += a * b;
    }
    total
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::random_matrix;

    #[test]
    fn inner_products_equal_the_textbook_sum_for_any_length() {
        for length in [0, 1, 7, 31, 32, 33, 64, 100] {
            let (a, b) = (random_matrix::<f64>(1, length, 1), random_matrix::<f64>(1, length, 2));
            let naive: f64 = (0..length).map(|j| a[[0, j]] * b[[0, j]]).sum();
            assert!((dot(a.as_slice().unwrap(), b.as_slice().unwrap()) - naive).abs() < 1e-14, "{length}");
        }
    }
}
