//! Geometric sums of a matrix in a logarithmic number of products.

use ndarray::Array2;

use super::product::{ensure_shape, multiply_into};
use crate::Real;

/// Scratch matrices, reused by sums of the same size.
#[derive(Debug)]
pub(crate) struct GeometricSumWorkspace<T> {
    power: Array2<T>,
    product: Array2<T>,
}

impl<T: Real> Default for GeometricSumWorkspace<T> {
    fn default() -> Self {
        Self { power: Array2::zeros((0, 0)), product: Array2::zeros((0, 0)) }
    }
}

/// `sum ← I + M + M² + … + M^(terms−1)` for a square `M`; the zero matrix if `terms` is 0.
///
/// Binary powering: walks the bits of `terms` from the top with the pair (Mᵏ, Gₖ = I + … + Mᵏ⁻¹).
/// Doubling is M²ᵏ = Mᵏ·Mᵏ and G₂ₖ = Gₖ + Mᵏ·Gₖ; one more term is Mᵏ⁺¹ = Mᵏ·M and Gₖ₊₁ = Gₖ + Mᵏ.
pub(crate) fn geometric_sum_into<T: Real>(
    sum: &mut Array2<T>,
    m: &Array2<T>,
    terms: u64,
    workspace: &mut GeometricSumWorkspace<T>,
) {
    let GeometricSumWorkspace { power, product } = workspace;
    [&mut *sum, &mut *power, &mut *product].into_iter().for_each(|matrix| ensure_shape(matrix, m.dim()));
    sum.fill(T::from_f64(0.0));
    if terms == 0 {
        return;
    }
    sum.diag_mut().fill(T::from_f64(1.0));
    power.assign(m);
    let top = 63 - terms.leading_zeros();
    for bit in (0..top).rev() {
        multiply_into(product.view_mut(), power.view(), sum.view());
        *sum += &*product;
        let last = bit == 0;
        let one_more = terms >> bit & 1 == 1;
        // The last power is needed only if one more term follows.
        if !last || one_more {
            multiply_into(product.view_mut(), power.view(), power.view());
            std::mem::swap(power, product);
        }
        if one_more {
            *sum += &*power;
            if !last {
                multiply_into(product.view_mut(), power.view(), m.view());
                std::mem::swap(power, product);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::product::multiply;
    use crate::testing::{assert_close, random_matrix};

    #[test]
    fn equals_the_term_by_term_sum() {
        let m = random_matrix::<f64>(6, 6, 1) * 0.3;
        let mut power = Array2::eye(6);
        let mut sum = Array2::zeros((6, 6));
        let (mut result, mut workspace) = (Array2::zeros((0, 0)), GeometricSumWorkspace::default());
        for terms in 0..70_u64 {
            geometric_sum_into(&mut result, &m, terms, &mut workspace);
            assert_close(&result, &sum, 1e-13);
            sum += &power;
            power = multiply(power.view(), m.view());
        }
    }

    #[test]
    fn many_terms_reach_the_limit() {
        let m = Array2::from_diag(&ndarray::array![0.5_f64, 0.999]);
        let mut sum = Array2::zeros((0, 0));
        geometric_sum_into(&mut sum, &m, 1_000_000, &mut GeometricSumWorkspace::default());
        assert!((sum[[0, 0]] - 2.0).abs() < 1e-12 && (sum[[1, 1]] - 1000.0).abs() < 1e-6);
    }
}
