//! Orthonormal bases: QR with and without pivoting.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::householder::{
    apply_block_householder_sequence_on_the_left_in_place_scratch,
    apply_block_householder_sequence_on_the_left_in_place_with_conj,
};
use faer::linalg::qr::{col_pivoting, no_pivoting};
use faer::{Conj, Mat, Par};
use ndarray::{Array2, ArrayView2};

use super::bridge::{array, mat};
use super::cholesky_qr::CholeskyQr;
use super::precision::{narrow_from_f64, widen_to_f64};
use super::product::multiply_wide;
use crate::Real;

/// `a = q · r` with orthonormal columns in `q` (rows × k) and upper triangular `r` (k × columns), where k is
/// the smaller dimension of `a`.
pub(crate) struct ThinQr<T: Real> {
    pub(crate) q: Mat<T>,
    pub(crate) r: Mat<T>,
}

/// Householder QR of `aᵀ`.
pub(crate) fn qr_of_rows<T: Real>(a: ArrayView2<'_, T>) -> ThinQr<T> {
    let mut qr = mat(a).transpose().to_owned();
    let (rows, columns) = (qr.nrows(), qr.ncols());
    let block = no_pivoting::factor::recommended_block_size::<T>(rows, columns);
    let mut coefficients = Mat::zeros(block, rows.min(columns));
    let scratch =
        no_pivoting::factor::qr_in_place_scratch::<T>(rows, columns, block, Par::Seq, Default::default());
    no_pivoting::factor::qr_in_place(
        qr.as_mut(),
        coefficients.as_mut(),
        Par::Seq,
        MemStack::new(&mut MemBuffer::new(scratch)),
        Default::default(),
    );
    unpack(&qr, &coefficients)
}

/// An orthonormal basis (as rows) of the span of the rows of `a`.
///
/// Column-pivoted QR takes rows until every residual is at most `cutoff` times the largest norm; directions below that
/// are rounding noise and are dropped. Well-conditioned rows, which have no such direction, take the faster
/// Cholesky QR.
pub(crate) fn orthonormal_rows<T: Real>(a: ArrayView2<'_, T>, cutoff: f64) -> Array2<T> {
    // Double precision separates rounding from signal better, and the fast path applies more often.
    let mut workspace = Array2::zeros((0, 0));
    let mut basis = orthonormal(widen_to_f64(a, &mut workspace), cutoff);
    let mut rows = Array2::zeros(basis.dim());
    narrow_from_f64(&mut basis, &mut rows);
    rows
}

fn orthonormal(a: ArrayView2<'_, f64>, cutoff: f64) -> Array2<f64> {
    if let Some(basis) = by_cholesky(a, cutoff) {
        return basis;
    }
    if a.ncols() < WIDE_RATIO * a.nrows() {
        return by_pivoting(a, cutoff);
    }
    // Pivoted QR is slow on wide rows: apply it to the R factor of a plain QR, whose columns have the same norms and
    // angles.
    let ThinQr { q, r } = qr_of_rows(a);
    let basis = by_pivoting(array(r.transpose()).view(), cutoff);
    let mut wide = Array2::zeros((basis.nrows(), a.ncols()));
    multiply_wide(wide.view_mut(), basis.view(), array(q.transpose()).view());
    wide
}

/// A matrix is wide if it has at least this many times as many columns as rows.
const WIDE_RATIO: usize = 4;

/// Cholesky QR; `None` unless the rows are well conditioned, so that none is dropped.
fn by_cholesky(a: ArrayView2<'_, f64>, cutoff: f64) -> Option<Array2<f64>> {
    if a.nrows() == 0 || a.nrows() > a.ncols() {
        return None;
    }
    let mut factors = CholeskyQr::default();
    factors.first_step(a, cutoff)?;
    factors.second_step(a, cutoff)?;
    let mut basis = Array2::zeros(a.dim());
    multiply_wide(basis.view_mut(), factors.second.inverse(), factors.q.view());
    Some(basis)
}

fn by_pivoting<T: Real>(a: ArrayView2<'_, T>, cutoff: f64) -> Array2<T> {
    let mut qr = mat(a).transpose().to_owned();
    let (rows, columns) = (qr.nrows(), qr.ncols());
    let size = rows.min(columns);
    let block = no_pivoting::factor::recommended_block_size::<T>(rows, columns);
    let mut coefficients = Mat::zeros(block, size);
    let scratch = col_pivoting::factor::qr_in_place_scratch::<usize, T>(
        rows,
        columns,
        block,
        Par::Seq,
        Default::default(),
    );
    let (mut forward, mut backward) = (vec![0_usize; columns], vec![0_usize; columns]);
    col_pivoting::factor::qr_in_place(
        qr.as_mut(),
        coefficients.as_mut(),
        &mut forward,
        &mut backward,
        Par::Seq,
        MemStack::new(&mut MemBuffer::new(scratch)),
        Default::default(),
    );
    let ThinQr { q, r } = unpack(&qr, &coefficients);
    let largest = if size == 0 { 0.0 } else { r[(0, 0)].as_f64().abs() };
    let rank = (0..size).take_while(|&i| r[(i, i)].as_f64().abs() > cutoff * largest).count();
    array(q.as_ref().get(.., ..rank).transpose())
}

/// Unpacks the Householder form of a factorization.
fn unpack<T: Real>(qr: &Mat<T>, coefficients: &Mat<T>) -> ThinQr<T> {
    let (rows, columns) = (qr.nrows(), qr.ncols());
    let size = rows.min(columns);
    let zero = T::from_f64(0.0);
    let r = Mat::from_fn(size, columns, |i, j| if i <= j { qr[(i, j)] } else { zero });
    let mut q = Mat::identity(rows, size);
    let scratch =
        apply_block_householder_sequence_on_the_left_in_place_scratch::<T>(rows, coefficients.nrows(), size);
    apply_block_householder_sequence_on_the_left_in_place_with_conj(
        qr.as_ref().get(.., ..size),
        coefficients.as_ref(),
        Conj::No,
        q.as_mut(),
        Par::Seq,
        MemStack::new(&mut MemBuffer::new(scratch)),
    );
    ThinQr { q, r }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::product::multiply;
    use crate::testing::{assert_close, random_matrix};

    #[test]
    fn thin_qr_multiplies_back() {
        for (rows, columns) in [(4, 30), (30, 30), (100, 300), (5, 1), (1, 1)] {
            let a = random_matrix::<f64>(rows, columns, 1);
            let ThinQr { q, r } = qr_of_rows(a.view());
            assert_close(&array((&q * &r).transpose()), &a, 1e-13);
            assert_close(&array((q.transpose() * &q).as_ref()), &Array2::eye(rows.min(columns)), 1e-13);
        }
    }

    #[test]
    fn basis_has_the_rank_of_its_rows_and_reproduces_them() {
        let a = multiply(random_matrix::<f64>(20, 6, 2).view(), random_matrix::<f64>(6, 50, 3).view());
        let basis = orthonormal_rows(a.view(), 1e-12);
        assert_eq!(basis.dim(), (6, 50));
        assert_close(&multiply(basis.view(), basis.t()), &Array2::eye(6), 1e-13);
        let back = multiply(multiply(a.view(), basis.t()).view(), basis.view());
        assert_close(&back, &a, 1e-13);
        // Wide rows take the detour through a plain QR.
        let a = multiply(
            random_matrix::<f64>(20, 6, 2).view(),
            random_matrix::<f64>(6, 20 * WIDE_RATIO, 3).view(),
        );
        let basis = orthonormal_rows(a.view(), 1e-12);
        assert_eq!(basis.dim(), (6, 20 * WIDE_RATIO));
        assert_close(&multiply(basis.view(), basis.t()), &Array2::eye(6), 1e-13);
        assert_close(&multiply(multiply(a.view(), basis.t()).view(), basis.view()), &a, 1e-13);
    }

    #[test]
    fn cholesky_qr_gives_a_basis_of_the_same_span_and_leaves_weak_directions_to_pivoting() {
        let mut a = random_matrix::<f64>(9, 700, 4);
        let (fast, slow) = (by_cholesky(a.view(), 1e-12).unwrap(), by_pivoting(a.view(), 1e-12));
        assert_close(&multiply(fast.view(), fast.t()), &Array2::eye(9), 1e-14);
        let onto_slow = multiply(multiply(fast.view(), slow.t()).view(), slow.view());
        assert_close(&onto_slow, &fast, 1e-13);
        let single = orthonormal_rows(a.mapv(|v| v as f32).view(), 1e-5);
        assert_close(&multiply(single.view(), single.t()), &Array2::eye(9), 1e-6);
        for weak in [1e-7, 0.0] {
            let near = &a.row(0) + &(&random_matrix::<f64>(1, 700, 5).row(0) * weak);
            a.row_mut(5).assign(&near);
            assert!(by_cholesky(a.view(), 1e-12).is_none());
            assert_eq!(orthonormal_rows(a.view(), 1e-12).nrows(), if weak > 0.0 { 9 } else { 8 });
        }
        assert!(by_cholesky(random_matrix::<f64>(5, 4, 1).view(), 1e-12).is_none());
    }

    #[test]
    fn a_zero_matrix_has_an_empty_basis() {
        assert_eq!(orthonormal_rows(Array2::<f64>::zeros((3, 5)).view(), 1e-12).dim(), (0, 5));
    }
}
