//! The violation of the optimality (KKT) conditions.

use ndarray::ArrayView2;

use super::{NnlsError, ScaledGram, check_finite, check_problem};
use crate::Real;
use crate::linalg::product::multiply;

/// The largest violation of the optimality conditions (Karush–Kuhn–Tucker): weights are non-negative, no larger weight
/// would lower the loss, and no smaller weight either, for a positive one.
///
/// With dₖ = √Gₖₖ the length of component k, g = G·x − p the gradient for a sample, and sₙ = maxₖ |pₙₖ|/dₖ its
/// size as the components see it, this is
///
/// > max over samples n and components k of |min(dₖ·xₙₖ, gₙₖ/dₖ)| / sₙ,
///
/// computed in double precision. It does not depend on the scale of any sample or component. Zero components are
/// ignored; a zero sₙ counts as 1.
///
/// ```
/// use ndarray::array;
/// let (gram, products) = (array![[1.0, 0.0], [0.0, 1.0]], array![[2.0, -1.0]]);
/// let violation = andnmf::nnls::kkt_violation(gram.view(), products.view(), array![[2.0, 0.0]].view())?;
/// assert_eq!(violation, 0.0);
/// # Ok::<(), andnmf::nnls::NnlsError>(())
/// ```
///
/// # Errors
/// If shapes do not match, a value is not finite, or `gram` is no Gram matrix.
pub fn kkt_violation<T: Real>(
    gram: ArrayView2<'_, T>,
    products: ArrayView2<'_, T>,
    weights: ArrayView2<'_, T>,
) -> Result<f64, NnlsError> {
    check_problem(gram, products, Some(weights))?;
    for (what, matrix) in [("the Gram matrix", gram), ("the products", products), ("the weights", weights)] {
        check_finite(what, matrix)?;
    }
    ScaledGram::new(gram)?;
    let wide = |matrix: ArrayView2<'_, T>| matrix.mapv(Real::as_f64);
    let (gram, products, weights) = (wide(gram), wide(products), wide(weights));
    let lengths: Vec<f64> = gram.diag().iter().map(|v| v.sqrt()).collect();
    let gradients = multiply(weights.view(), gram.view()) - &products;
    let mut worst = 0.0_f64;
    for (row, products) in products.outer_iter().enumerate() {
        let nonzero = || lengths.iter().copied().enumerate().filter(|&(_, length)| length > 0.0);
        let size = nonzero().map(|(k, length)| products[k].abs() / length).fold(0.0, f64::max);
        let size = if size > 0.0 { size } else { 1.0 };
        for (k, length) in nonzero() {
            let (weight, gradient) = (weights[[row, k]] * length / size, gradients[[row, k]] / length / size);
            worst = worst.max(weight.min(gradient).abs());
        }
    }
    Ok(worst)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn each_kind_of_violation_is_detected_and_measured_in_units_of_the_sample() {
        // Components of lengths 2 and 1, orthogonal; a sample with the weights (3, −1) before the constraint.
        let (gram, products) = (array![[4.0_f64, 0.0], [0.0, 1.0]], array![[12.0, -1.0]]);
        let violation =
            |x: f64, y: f64| kkt_violation(gram.view(), products.view(), array![[x, y]].view()).unwrap();
        assert_eq!(violation(3.0, 0.0), 0.0);
        assert_eq!(violation(0.0, 0.0), 1.0, "a component would lower the loss");
        assert_eq!(violation(3.75, 0.0), 0.25, "a positive weight is too large");
        assert_eq!(violation(3.0, 0.75), 0.125, "a weight should be zero");
        assert_eq!(violation(3.0, -1.0), 1.0 / 6.0, "a weight is negative");
    }

    #[test]
    fn scales_do_not_matter() {
        let (gram, products, weights) =
            (array![[1.0, 0.5], [0.5, 2.0]], array![[1.0, 3.0]], array![[0.1, 1.2]]);
        let plain = kkt_violation(gram.view(), products.view(), weights.view()).unwrap();
        let (a, b, y) = (1e-40, 1e60, 1e90);
        let scaled = kkt_violation(
            array![[a * a, 0.5 * a * b], [0.5 * a * b, 2.0 * b * b]].view(),
            array![[a * y, 3.0 * b * y]].view(),
            array![[0.1 / a * y, 1.2 / b * y]].view(),
        );
        assert!(plain > 0.01 && (scaled.unwrap() / plain - 1.0).abs() < 1e-12);
    }
}
