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
use super::precision::{in_double, take_double};
use super::product::multiply_wide;
use crate::Real;

/// `a = q · r` with orthonormal columns in `q` (rows × k) and upper triangular `r` (k × columns), where k is
/// the smaller side of `a`.
pub(crate) struct ThinQr<T: Real> {
    pub(crate) q: Mat<T>,
    pub(crate) r: Mat<T>,
}

/// Householder QR of `aᵀ`, that is, of a matrix whose columns are the rows of `a`.
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
    split(&qr, &coefficients)
}

/// An orthonormal basis (as rows) of the span of the rows of `a`.
///
/// Rows are taken greedily by column-pivoted QR until what is left of every row is at most `cutoff` times the
/// norm of the longest: directions weaker than that are rounding noise and are dropped. Where there are none, as two
/// Cholesky factorizations show in a fraction of the time, any basis is as good.
pub(crate) fn orthonormal_rows<T: Real>(a: ArrayView2<'_, T>, cutoff: f64) -> Array2<T> {
    // In double precision whatever that of the rows: it decides what is rounding, and the fast way applies more often.
    let mut room = Array2::zeros((0, 0));
    let mut basis = orthonormal(in_double(a, &mut room), cutoff);
    let mut rows = Array2::zeros(basis.dim());
    take_double(&mut basis, &mut rows);
    rows
}

fn orthonormal(a: ArrayView2<'_, f64>, cutoff: f64) -> Array2<f64> {
    if let Some(basis) = by_cholesky(a, cutoff) {
        return basis;
    }
    if a.ncols() < LONG * a.nrows() {
        return by_pivoting(a, cutoff);
    }
    // Pivoting goes column by column; what a plain QR leaves of long rows has the same lengths and angles.
    let ThinQr { q, r } = qr_of_rows(a);
    let basis = by_pivoting(array(r.transpose()).view(), cutoff);
    let mut long = Array2::zeros((basis.nrows(), a.ncols()));
    multiply_wide(long.view_mut(), basis.view(), array(q.transpose()).view());
    long
}

/// Rows are long that have this many times as many entries as there are rows.
const LONG: usize = 4;

/// The same for rows of which none is to be dropped, and that are well conditioned.
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
    let ThinQr { q, r } = split(&qr, &coefficients);
    let largest = if size == 0 { 0.0 } else { r[(0, 0)].as_f64().abs() };
    let rank = (0..size).take_while(|&i| r[(i, i)].as_f64().abs() > cutoff * largest).count();
    array(q.as_ref().get(.., ..rank).transpose())
}

/// Unpacks the Householder form that both factorizations leave behind.
fn split<T: Real>(qr: &Mat<T>, coefficients: &Mat<T>) -> ThinQr<T> {
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
        // The same by way of a plain QR.
        let a = multiply(random_matrix::<f64>(20, 6, 2).view(), random_matrix::<f64>(6, 20 * LONG, 3).view());
        let basis = orthonormal_rows(a.view(), 1e-12);
        assert_eq!(basis.dim(), (6, 20 * LONG));
        assert_close(&multiply(basis.view(), basis.t()), &Array2::eye(6), 1e-13);
        assert_close(&multiply(multiply(a.view(), basis.t()).view(), basis.view()), &a, 1e-13);
    }

    #[test]
    fn the_fast_way_gives_a_basis_of_the_same_span_and_leaves_weak_directions_to_pivoting() {
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
