//! Sums of powers of a matrix in logarithmically many products.

use ndarray::Array2;

use super::product::multiply;
use crate::Real;

/// `I + M + M² + … + M^(terms−1)` for a square `M`; the zero matrix for no terms.
///
/// Walks the binary digits of `terms` from the top, keeping the pair (Mᵏ, Gₖ = I + … + Mᵏ⁻¹):
/// doubling is M²ᵏ = Mᵏ·Mᵏ and G₂ₖ = Gₖ + Mᵏ·Gₖ; one more term is Mᵏ⁺¹ = Mᵏ·M and Gₖ₊₁ = Gₖ + Mᵏ.
pub(crate) fn geometric_sum<T: Real>(m: &Array2<T>, terms: u64) -> Array2<T> {
    let size = m.nrows();
    if terms == 0 {
        return Array2::zeros((size, size));
    }
    let mut power = m.clone();
    let mut sum = Array2::eye(size);
    let top = 63 - terms.leading_zeros();
    for bit in (0..top).rev() {
        sum = &sum + &multiply(power.view(), sum.view());
        let last = bit == 0;
        let one_more = terms >> bit & 1 == 1;
        // The last power is needed only if a single term still follows.
        if !last || one_more {
            power = multiply(power.view(), power.view());
        }
        if one_more {
            sum += &power;
            if !last {
                power = multiply(power.view(), m.view());
            }
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_close, random_matrix};

    #[test]
    fn equals_the_term_by_term_sum() {
        let m = random_matrix::<f64>(6, 6, 1) * 0.3;
        let mut power = Array2::eye(6);
        let mut sum = Array2::zeros((6, 6));
        for terms in 0..70_u64 {
            assert_close(&geometric_sum(&m, terms), &sum, 1e-13);
            sum += &power;
            power = multiply(power.view(), m.view());
        }
    }

    #[test]
    fn many_terms_reach_the_limit() {
        let m = Array2::from_diag(&ndarray::array![0.5_f64, 0.999]);
        let sum = geometric_sum(&m, 1_000_000);
        assert!((sum[[0, 0]] - 2.0).abs() < 1e-12 && (sum[[1, 1]] - 1000.0).abs() < 1e-6);
    }
}
