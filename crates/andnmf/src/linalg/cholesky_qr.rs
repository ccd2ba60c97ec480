//! Cholesky QR: orthonormalizes well-conditioned rows by two Cholesky factorizations. Several times faster than
//! Householder QR, and most of the work is in multithreaded products.

use ndarray::{Array2, ArrayView2};

use super::cholesky::CholeskyFactor;
use super::product::{PartialSumPool, ensure_shape, gram_of_rows_into, multiply_wide};
use super::symmetric::eigenvalues;

/// With N = rows and the Cholesky factor L of N·Nᵀ, the rows of Q = L⁻¹·N are orthonormal up to an error that grows
/// with the square of the condition number. The factor M of Q·Qᵀ corrects it: the rows of M⁻¹·Q are as orthonormal as
/// those of Householder QR if Q·Qᵀ is close to the identity ("CholeskyQR2").
///
/// Factorizations of the same shape reuse the memory.
#[derive(Debug, Default)]
pub(super) struct CholeskyQr {
    /// L.
    pub(super) first: CholeskyFactor<f64>,
    /// Q.
    pub(super) q: Array2<f64>,
    /// M.
    pub(super) second: CholeskyFactor<f64>,
    gram: Array2<f64>,
    partial_sums: PartialSumPool<f64>,
}

impl CholeskyQr {
    /// Computes L; returns an upper bound on the condition number of the rows. `None` if they are ill-conditioned or
    /// may have a singular value below `cutoff` times the largest.
    pub(super) fn first_step(&mut self, rows: ArrayView2<'_, f64>, cutoff: f64) -> Option<f64> {
        factorize(&mut self.first, rows, cutoff, &mut self.gram, &self.partial_sums)
    }

    /// Computes Q and M after [`first_step`](Self::first_step); `None` if Q is too far from orthonormal.
    pub(super) fn second_step(&mut self, rows: ArrayView2<'_, f64>, cutoff: f64) -> Option<()> {
        ensure_shape(&mut self.q, rows.dim());
        multiply_wide(self.q.view_mut(), self.first.inverse(), rows);
        factorize(&mut self.second, self.q.view(), cutoff, &mut self.gram, &self.partial_sums).map(|_| ())
    }
}

/// Factorizes the Gram matrix of well-conditioned rows; returns a bound on their condition number.
fn factorize(
    factor: &mut CholeskyFactor<f64>,
    rows: ArrayView2<'_, f64>,
    cutoff: f64,
    gram: &mut Array2<f64>,
    partial_sums: &PartialSumPool<f64>,
) -> Option<f64> {
    // ‖Q·Qᵀ − I‖ ≈ c²·ε for condition number c: about 1e-4 at this limit. No singular value may be near the cutoff.
    let good = |condition: f64| condition * f64::EPSILON.sqrt() < 0.01 && condition * cutoff * 2.0 < 1.0;
    gram_of_rows_into(gram, rows, partial_sums);
    factor.factorize(gram.view())?;
    // The cheap upper bound is often sufficient; otherwise compute the exact condition number.
    let bound = factor.condition_bound();
    (good(bound) || (bound.is_finite() && good(condition_of_gram(gram)))).then_some(bound)
}

/// The condition number σmax/σmin of a matrix from its Gram matrix; reads only the lower triangle.
fn condition_of_gram(gram: &Array2<f64>) -> f64 {
    match eigenvalues(gram.view()).as_deref() {
        Some([smallest, .., largest]) if *smallest > 0.0 => (largest / smallest).sqrt(),
        Some([_]) => 1.0,
        _ => f64::INFINITY,
    }
}
