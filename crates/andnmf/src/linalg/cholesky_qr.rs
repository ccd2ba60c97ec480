//! Orthonormal rows by two Cholesky factorizations, for well-conditioned rows: several times faster than QR, and all but
//! a little of it in products that threads can share.

use ndarray::{Array2, ArrayView2};

use super::lower_factor::LowerFactor;
use super::product::{Parts, gram_of_rows_into, make_room, multiply_wide};
use super::symmetric::eigenvalues;

/// With N = rows and the Cholesky factor L of N·Nᵀ, the rows of Q = L⁻¹·N are orthonormal up to an error that grows with
/// the square of the condition number. The factor M of their own Gram matrix makes up for it: the rows of M⁻¹·Q are
/// orthonormal to the accuracy of a QR factorization, as long as Q·Qᵀ is close to the identity ("Cholesky QR 2").
///
/// What one factorization leaves, the next of rows of the same shape uses again.
#[derive(Debug, Default)]
pub(super) struct CholeskyQr {
    /// L.
    pub(super) first: LowerFactor<f64>,
    /// Q.
    pub(super) q: Array2<f64>,
    /// M.
    pub(super) second: LowerFactor<f64>,
    gram: Array2<f64>,
    parts: Parts<f64>,
}

impl CholeskyQr {
    /// Finds L, and how large the condition number of the rows may be. `None` where they are not well conditioned, or may
    /// have a direction weaker than this share of the strongest.
    pub(super) fn first_step(&mut self, rows: ArrayView2<'_, f64>, cutoff: f64) -> Option<f64> {
        factorize(&mut self.first, rows, cutoff, &mut self.gram, &self.parts)
    }

    /// Finds Q and M after that, or `None` where Q shows that L is not good enough.
    pub(super) fn second_step(&mut self, rows: ArrayView2<'_, f64>, cutoff: f64) -> Option<()> {
        make_room(&mut self.q, rows.dim());
        multiply_wide(self.q.view_mut(), self.first.inverse(), rows);
        factorize(&mut self.second, self.q.view(), cutoff, &mut self.gram, &self.parts).map(|_| ())
    }
}

/// The factor of the Gram matrix of well-conditioned rows, and a bound on their condition number.
fn factorize(
    factor: &mut LowerFactor<f64>,
    rows: ArrayView2<'_, f64>,
    cutoff: f64,
    gram: &mut Array2<f64>,
    parts: &Parts<f64>,
) -> Option<f64> {
    // A condition number c leaves ‖Q·Qᵀ − I‖ ≈ c²·ε: at this limit about 1e-4. And nothing may be near the cut-off.
    let good = |condition: f64| condition * f64::EPSILON.sqrt() < 0.01 && condition * cutoff * 2.0 < 1.0;
    gram_of_rows_into(gram, rows, parts);
    factor.renew(gram.view())?;
    // The product of the norms bounds the condition number from above and is often good enough.
    let bound = factor.condition_bound();
    (good(bound) || (bound.is_finite() && good(condition_of_gram(gram)))).then_some(bound)
}

/// σmax/σmin of a matrix from its Gram matrix, of which only the lower triangle is read.
fn condition_of_gram(gram: &Array2<f64>) -> f64 {
    match eigenvalues(gram.view()).as_deref() {
        Some([smallest, .., largest]) if *smallest > 0.0 => (largest / smallest).sqrt(),
        Some([_]) => 1.0,
        _ => f64::INFINITY,
    }
}
