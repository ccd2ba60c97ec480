//! The Moore–Penrose pseudo-inverse that decodes samples into weights.

use faer::diag::Diag;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::svd::{ComputeSvdVectors, svd, svd_scratch};
use faer::linalg::triangular_solve::solve_upper_triangular_in_place;
use faer::{Mat, Par};
use ndarray::{Array2, ArrayView2};

use super::basis::{ThinQr, qr_of_rows};
use super::bridge::{array, mat, times};
use super::cholesky_qr::CholeskyQr;
use super::lower_factor::norm_bound;
use super::precision::{in_double, take_double};
use super::product::{all_finite, make_room, multiply_into, multiply_wide};
use crate::Real;

/// Pseudo-inverse of a matrix given by its columns as rows.
#[derive(Debug, Clone)]
pub(crate) struct PseudoInverse<T> {
    /// With components `N` (K × W) standing for `A = Nᵀ` (W × K): the K × W matrix `A†`.
    pub(crate) matrix: Array2<T>,
    /// Number of singular values above the cut-off.
    pub(crate) rank: usize,
}

/// Singular values at or below this multiple of the largest one count as zero: `max(rows, columns) · ε`,
/// the level at which rounding alone makes an exactly singular matrix look regular.
pub(crate) fn relative_cutoff<T: Real>(shape: (usize, usize)) -> f64 {
    shape.0.max(shape.1) as f64 * T::EPSILON.as_f64()
}

/// `(rowsᵀ)†`: the decoder of the components that are the rows of `rows`.
///
/// Well-conditioned components go through a Cholesky factorization, corrected by a second one unless they are so well
/// conditioned that it would change nothing that counts, which is several times faster than QR; others through QR; where its triangle is close to singular the SVD takes over and drops the
/// singular values under [`relative_cutoff`]. Returns `None` where the input is too large to be decomposed without
/// overflow (the SVD does not converge).
pub(crate) fn pseudo_inverse_of_rows<T: Real>(rows: ArrayView2<'_, T>) -> Option<PseudoInverse<T>> {
    let mut matrix = Array2::zeros(rows.dim());
    let rank = pseudo_inverse_into(&mut matrix, rows, &mut InverseWorkspace::default())?;
    Some(PseudoInverse { matrix, rank })
}

/// Matrices that one inverse leaves for the next of the same shape.
#[derive(Debug, Default)]
pub(crate) struct InverseWorkspace {
    rows: Array2<f64>,
    inverse: Array2<f64>,
    by_cholesky: CholeskyWorkspace,
}

/// [`pseudo_inverse_of_rows`] written into a matrix of the shape of `rows`; returns the rank. Where there is no inverse,
/// the matrix holds nothing in particular.
pub(crate) fn pseudo_inverse_into<T: Real>(
    matrix: &mut Array2<T>,
    rows: ArrayView2<'_, T>,
    room: &mut InverseWorkspace,
) -> Option<usize> {
    let (rank, features) = rows.dim();
    let cutoff = relative_cutoff::<T>(rows.dim());
    let InverseWorkspace { rows: wide, inverse, by_cholesky: room } = room;
    // Single precision gains accuracy and time (the fast way applies more often) by a detour over double.
    let rows = in_double(rows, wide);
    if rank <= features && by_cholesky::<T>(inverse, rows, cutoff, room).is_some() {
        take_double(inverse, matrix);
        return Some(rank);
    }
    let qr = if rank <= features { by_qr(rows, cutoff) } else { None };
    let mut found = qr.map_or_else(|| by_svd(rows, cutoff), |matrix| Some(PseudoInverse { matrix, rank }))?;
    take_double(&mut found.matrix, matrix);
    Some(found.rank)
}

#[derive(Debug, Default)]
struct CholeskyWorkspace {
    factors: CholeskyQr,
    square: Array2<f64>,
    correction: Array2<f64>,
}

/// With the factors of [`CholeskyQr`], (Nᵀ)† = L⁻ᵀ·M⁻ᵀ·M⁻¹·Q. Where the rows are so well conditioned that L alone is
/// accurate enough for numbers of type `T`, (Nᵀ)† = L⁻ᵀ·L⁻¹·N.
fn by_cholesky<T: Real>(
    inverse: &mut Array2<f64>,
    rows: ArrayView2<'_, f64>,
    cutoff: f64,
    room: &mut CholeskyWorkspace,
) -> Option<()> {
    let CholeskyWorkspace { factors, square, correction } = room;
    make_room(inverse, rows.dim());
    let condition = factors.first_step(rows, cutoff)?;
    if condition.powi(2) * f64::EPSILON <= accurate_enough::<T>() {
        factors.first.whole_inverse(square);
        // Rows so short that the squares of their inverses leave the range of numbers go on.
        if all_finite(square.view()) {
            multiply_wide(inverse.view_mut(), square.view(), rows);
            return Some(());
        }
    }
    factors.second_step(rows, cutoff)?;
    factors.second.whole_inverse(square);
    make_room(correction, square.dim());
    multiply_into(correction.view_mut(), factors.first.inverse().t(), square.view());
    multiply_wide(inverse.view_mut(), correction.view(), factors.q.view());
    Some(())
}

/// The relative error of an inverse up to which it need not be corrected: some way below that of single precision, and
/// near enough to that of double.
fn accurate_enough<T: Real>() -> f64 {
    (T::EPSILON.as_f64() / 16.0).max(1e-13)
}

fn by_qr<T: Real>(rows: ArrayView2<'_, T>, cutoff: f64) -> Option<Array2<T>> {
    let size = rows.nrows();
    let ThinQr { q, r } = qr_of_rows(rows);
    let mut inverse = Mat::identity(size, size);
    if (0..size).any(|i| r[(i, i)] == T::from_f64(0.0)) {
        return None;
    }
    solve_upper_triangular_in_place(r.as_ref(), inverse.as_mut(), Par::Seq);
    let bound = |m: &Mat<T>| norm_bound(array(m.as_ref()).view(), &mut Vec::new());
    let condition = bound(&r) * bound(&inverse);
    // Near the cut-off the SVD decides. (A condition that is not a number goes there too.)
    if condition.is_finite() && condition * cutoff * 2.0 < 1.0 {
        Some(array(times(inverse.as_ref(), q.transpose()).as_ref()))
    } else {
        None
    }
}

fn by_svd<T: Real>(rows: ArrayView2<'_, T>, cutoff: f64) -> Option<PseudoInverse<T>> {
    let (k, w) = rows.dim();
    let size = k.min(w);
    let (mut u, mut v) = (Mat::<T>::zeros(k, size), Mat::<T>::zeros(w, size));
    let mut s = Diag::<T>::zeros(size);
    let thin = ComputeSvdVectors::Thin;
    let scratch = svd_scratch::<T>(k, w, thin, thin, Par::Seq, Default::default());
    svd(
        mat(rows),
        s.as_mut(),
        Some(u.as_mut()),
        Some(v.as_mut()),
        Par::Seq,
        MemStack::new(&mut MemBuffer::new(scratch)),
        Default::default(),
    )
    .ok()?;
    let values: Vec<f64> = s.column_vector().iter().map(|v| v.as_f64()).collect();
    let largest = values.first().copied().unwrap_or(0.0);
    if !largest.is_finite() {
        return None;
    }
    let rank = values.iter().take_while(|&&value| value > cutoff * largest).count();
    // rows = U S Vᵀ, so (rowsᵀ)† = U S⁻¹ Vᵀ.
    let scaled = Mat::from_fn(k, rank, |i, j| u[(i, j)] / T::from_f64(values[j]));
    let matrix = array(times(scaled.as_ref(), v.as_ref().get(.., ..rank).transpose()).as_ref());
    Some(PseudoInverse { matrix, rank })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::product::multiply;
    use crate::testing::{assert_close, random_matrix};

    /// The four Penrose conditions define the pseudo-inverse: with A = rowsᵀ and P = A†.
    fn assert_penrose(rows: &Array2<f64>, p: &Array2<f64>, tolerance: f64) {
        let a = rows.t();
        let ap = multiply(a, p.view());
        let pa = multiply(p.view(), a);
        assert_close(&multiply(ap.view(), a), &a, tolerance);
        assert_close(&multiply(pa.view(), p.view()), p, tolerance);
        assert_close(&ap.t(), &ap, tolerance);
        assert_close(&pa.t(), &pa, tolerance);
    }

    #[test]
    fn regular_rows_meet_the_penrose_conditions() {
        for (k, w) in [(1, 1), (1, 9), (5, 5), (7, 60), (64, 200)] {
            let rows = random_matrix::<f64>(k, w, 10);
            let inverse = pseudo_inverse_of_rows(rows.view()).unwrap();
            assert_eq!(inverse.rank, k);
            assert_penrose(&rows, &inverse.matrix, 1e-10);
        }
    }

    #[test]
    fn all_ways_agree_and_hand_over_as_the_condition_grows() {
        let mut rows = random_matrix::<f64>(6, 40, 14);
        let cutoff = relative_cutoff::<f64>(rows.dim());
        for (closeness, cholesky, qr) in
            [(1.0, true, true), (1e-3, true, true), (1e-8, false, true), (1e-16, false, false)]
        {
            let near = &rows.row(0) + &(&random_matrix::<f64>(1, 40, 15).row(0) * closeness);
            rows.row_mut(5).assign(&near);
            let by_svd = by_svd(rows.view(), cutoff).unwrap().matrix;
            let mut fast = Array2::zeros((0, 0));
            let found = by_cholesky::<f64>(&mut fast, rows.view(), cutoff, &mut CholeskyWorkspace::default());
            assert_eq!(found.is_some(), cholesky, "at {closeness:e}");
            assert_eq!(by_qr(rows.view(), cutoff).is_some(), qr, "at {closeness:e}");
            let tolerance = 1e-14 / closeness;
            if found.is_some() {
                assert_close(&fast, &by_svd, tolerance);
            }
            if let Some(inverse) = by_qr(rows.view(), cutoff) {
                assert_close(&inverse, &by_svd, tolerance);
            }
        }
    }

    #[test]
    fn one_factorization_gives_what_two_do_where_it_is_taken_for_enough() {
        // Rows all but orthogonal, whose condition is that of their lengths.
        for (spread, corrected) in [(1.0, false), (3.0, false), (300.0, true)] {
            let mut rows = Array2::<f64>::eye(8) + random_matrix::<f64>(8, 8, 1) * 0.01;
            rows.row_mut(3).mapv_inplace(|v| v * spread);
            let (mut found, mut room) = (Array2::zeros((0, 0)), CholeskyWorkspace::default());
            by_cholesky::<f64>(&mut found, rows.view(), relative_cutoff::<f64>((8, 8)), &mut room).unwrap();
            assert_eq!(!room.factors.q.is_empty(), corrected, "{spread}");
            assert_penrose(&rows, &found, 1e-12);
            assert_close(&found, &by_svd(rows.view(), 1e-14).unwrap().matrix, 1e-13);
        }
    }

    #[test]
    fn rows_whose_squares_are_hardly_numbers_have_their_inverse() {
        for scale in [1e-156, 1e-150, 1e150] {
            let rows = Array2::from_shape_fn((2, 3), |(i, j)| if i == j { scale } else { 0.0 });
            let inverse = pseudo_inverse_of_rows(rows.view()).unwrap();
            assert_eq!(inverse.rank, 2);
            assert_close(&(inverse.matrix * scale), &(rows / scale), 1e-6);
        }
    }

    #[test]
    fn duplicate_and_zero_rows_lower_the_rank_and_stay_finite() {
        let mut rows = random_matrix::<f64>(5, 20, 11);
        let copy = rows.row(0).to_owned();
        rows.row_mut(3).assign(&copy);
        rows.row_mut(4).fill(0.0);
        let inverse = pseudo_inverse_of_rows(rows.view()).unwrap();
        assert_eq!(inverse.rank, 3);
        assert_penrose(&rows, &inverse.matrix, 1e-10);
        assert!(inverse.matrix.row(4).iter().all(|v| v.abs() < 1e-12));
    }

    #[test]
    fn single_precision_is_cut_at_its_own_level() {
        let mut rows = random_matrix::<f32>(2, 10, 16);
        let near = &rows.row(0) * (1.0 + 1e-7);
        rows.row_mut(1).assign(&near);
        assert_eq!(pseudo_inverse_of_rows(rows.view()).unwrap().rank, 1);
        rows[[1, 0]] += 1e-3;
        assert_eq!(pseudo_inverse_of_rows(rows.view()).unwrap().rank, 2);
        let a = random_matrix::<f32>(20, 90, 17);
        let inverse = pseudo_inverse_of_rows(a.view()).unwrap().matrix;
        assert_close(&multiply(inverse.view(), a.t()), &Array2::eye(20), 1e-5);
    }

    #[test]
    fn more_rows_than_features() {
        let rows = random_matrix::<f64>(9, 4, 12);
        let inverse = pseudo_inverse_of_rows(rows.view()).unwrap();
        assert_eq!(inverse.rank, 4);
        assert_penrose(&rows, &inverse.matrix, 1e-10);
    }

    #[test]
    fn all_zero_rows_have_a_zero_inverse() {
        let inverse = pseudo_inverse_of_rows(Array2::<f64>::zeros((3, 8)).view()).unwrap();
        assert_eq!(inverse.rank, 0);
        assert!(inverse.matrix.iter().all(|&v| v == 0.0));
    }

    #[test]
    fn nearly_dependent_rows_are_cut_at_the_stated_level() {
        let mut rows = random_matrix::<f64>(2, 10, 13);
        let near = &rows.row(0) * (1.0 + 1e-16);
        rows.row_mut(1).assign(&near);
        assert_eq!(pseudo_inverse_of_rows(rows.view()).unwrap().rank, 1);
        rows[[1, 0]] += 1e-9;
        assert_eq!(pseudo_inverse_of_rows(rows.view()).unwrap().rank, 2);
    }
}
