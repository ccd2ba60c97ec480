//! Initialization without zeros, which multiplicative updates cannot leave.

use ndarray::{Array2, ArrayView2, ArrayViewMut2};

use crate::Real;

/// Zeros are replaced by this fraction of the mean of their component.
const ZERO_FILL: f64 = 1e-4;
/// Lower bound of initial weights, as a fraction of a plausible weight.
const MIN_WEIGHT: f64 = 0.01;

/// Replaces zero and negative entries by a small fraction of the mean of their component (of all components if it has
/// no positive entry).
pub(in crate::baselines) fn make_positive<T: Real>(mut components: Array2<T>) -> Array2<T> {
    let mean = |entries: &mut dyn Iterator<Item = T>| {
        let (mut sum, mut count) = (0.0, 0_usize);
        for v in entries {
            sum += v.as_f64().max(0.0);
            count += 1;
        }
        sum / count.max(1) as f64
    };
    let of_all = match mean(&mut components.iter().copied()) {
        // No positive entry: any scale will do, since the weights adapt to it.
        0.0 => 1.0,
        mean => mean,
    };
    for mut component in components.outer_iter_mut() {
        let of_component = mean(&mut component.iter().copied());
        let mean = if of_component > 0.0 { of_component } else { of_all };
        let fill = T::from_f64(ZERO_FILL * mean);
        component.mapv_inplace(|v| if v > T::from_f64(0.0) { v } else { fill });
    }
    components
}

/// Sets all weights of a sample to the c that minimizes ‖y − c·Σ components‖, from Y·Aᵀ and A·Aᵀ. If signs cancel, so
/// that c is negative, near zero or huge, it is clamped to a plausible positive range.
pub(super) fn equal_weights<T: Real>(
    gram: ArrayView2<'_, T>,
    products: ArrayView2<'_, T>,
    mut weights: ArrayViewMut2<'_, T>,
) {
    let all: f64 = gram.iter().map(|v| v.as_f64()).sum();
    let trace: f64 = gram.diag().iter().map(|v| v.as_f64()).sum();
    let rank = gram.nrows() as f64;
    for (mut weights, products) in weights.outer_iter_mut().zip(products.outer_iter()) {
        let sum: f64 = products.iter().map(|v| v.as_f64()).sum();
        let size: f64 = products.iter().map(|v| v.as_f64().abs()).sum();
        let plausible = if trace > 0.0 { size / trace } else { 0.0 };
        let best = if all > 0.0 { sum / all } else { plausible };
        // For non-negative products the best value is always within these bounds.
        weights.fill(T::from_f64(best.max(MIN_WEIGHT / rank * plausible).min(plausible)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::product::multiply;
    use crate::testing::random_matrix;

    #[test]
    fn only_zeros_and_negative_entries_are_raised() {
        let start = ndarray::array![[2.0_f64, 0.0, 1.0, -5.0], [0.0, 0.0, 0.0, -1.0]];
        let expected = [[2.0, 0.75e-4, 1.0, 0.75e-4], [0.375e-4; 4]];
        assert!(
            make_positive(start)
                .iter()
                .zip(expected.as_flattened())
                .all(|(a, b)| (a / b - 1.0).abs() < 1e-12)
        );
        assert!(make_positive(Array2::<f32>::zeros((2, 3))).iter().all(|&v| v > 0.0 && v < 1e-3));
    }

    #[test]
    fn equal_weights_fit_each_sample_best() {
        let (y, a) =
            (random_matrix::<f64>(4, 9, 1).mapv(f64::abs), random_matrix::<f64>(3, 9, 2).mapv(f64::abs));
        let mut weights = Array2::zeros((4, 3));
        equal_weights(multiply(a.view(), a.t()).view(), multiply(y.view(), a.t()).view(), weights.view_mut());
        let loss = |scale: f64| (&y - (&weights * scale).dot(&a)).mapv(|v| v * v).sum_axis(ndarray::Axis(1));
        for scale in [0.99, 1.01] {
            assert!(loss(scale).iter().zip(&loss(1.0)).all(|(other, best)| other > best));
        }
        assert!(weights.outer_iter().all(|row| row.iter().all(|v| v == &row[0])));
    }

    #[test]
    fn initial_weights_are_positive_whatever_the_signs() {
        let a = ndarray::array![[1.0_f64, 0.0], [-1.0, 1e-3]];
        let y = ndarray::array![[1.0, 2.0], [-1.0, 0.5], [0.3, -7.0]];
        let mut weights = Array2::zeros((3, 2));
        equal_weights(multiply(a.view(), a.t()).view(), multiply(y.view(), a.t()).view(), weights.view_mut());
        assert!(weights.iter().all(|&v| v > 0.0 && v < 10.0), "{weights}");
    }
}
