//! Orthonormal rows by two Cholesky factorizations, for well-conditioned rows: several times faster than QR, and all but
//! a little of it in products that threads can share.

use faer::linalg::triangular_solve::solve_lower_triangular_in_place;
use faer::{Mat, Par};
use ndarray::{Array2, ArrayView2};

use super::bridge::array;
use super::product::{gram_of_rows, multiply_wide};
use super::symmetric::{cholesky_factor, eigenvalues, norm_bound};

/// With N = rows and the Cholesky factor L of N·Nᵀ, the rows of Q = L⁻¹·N are orthonormal up to an error that grows with
/// the square of the condition number. The factor M of their own Gram matrix makes up for it: the rows of M⁻¹·Q are
/// orthonormal to the accuracy of a QR factorization, as long as Q·Qᵀ is close to the identity ("Cholesky QR 2").
pub(super) struct CholeskyQr {
    /// L⁻¹.
    pub(super) first: Mat<f64>,
    /// M⁻¹.
    pub(super) second: Mat<f64>,
}

impl CholeskyQr {
    /// Writes Q into a matrix of the shape of `rows`. `None` where the rows are not well conditioned, or may have a
    /// direction weaker than this share of the strongest.
    pub(super) fn of(q: &mut Array2<f64>, rows: ArrayView2<'_, f64>, cutoff: f64) -> Option<Self> {
        let first = lower_inverse(&gram_of_rows(rows), cutoff)?;
        multiply_wide(q.view_mut(), array(first.as_ref()).view(), rows);
        let second = lower_inverse(&gram_of_rows(q.view()), cutoff)?;
        Some(Self { first, second })
    }
}

/// L⁻¹ for a matrix L·Lᵀ, where L is well conditioned.
fn lower_inverse(gram: &Array2<f64>, cutoff: f64) -> Option<Mat<f64>> {
    // A condition number c leaves ‖Q·Qᵀ − I‖ ≈ c²·ε: at this limit about 1e-4. And nothing may be near the cut-off.
    let good = |condition: f64| condition * f64::EPSILON.sqrt() < 0.01 && condition * cutoff * 2.0 < 1.0;
    let factor = cholesky_factor(gram)?;
    let mut inverse = Mat::identity(gram.nrows(), gram.nrows());
    solve_lower_triangular_in_place(factor.as_ref(), inverse.as_mut(), Par::Seq);
    // The product of the norms bounds the condition number from above and is often good enough.
    let bound = norm_bound(&factor) * norm_bound(&inverse);
    (good(bound) || (bound.is_finite() && good(condition_of_gram(gram)))).then_some(inverse)
}

/// σmax/σmin of a matrix from its Gram matrix, of which only the lower triangle is read.
fn condition_of_gram(gram: &Array2<f64>) -> f64 {
    match eigenvalues(gram.view()).as_deref() {
        Some([smallest, .., largest]) if *smallest > 0.0 => (largest / smallest).sqrt(),
        Some([_]) => 1.0,
        _ => f64::INFINITY,
    }
}
