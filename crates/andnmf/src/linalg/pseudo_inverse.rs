//! The Moore–Penrose pseudo-inverse that decodes samples into weights.

use faer::diag::Diag;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::svd::{ComputeSvdVectors, svd, svd_scratch};
use faer::linalg::triangular_solve::solve_upper_triangular_in_place;
use faer::{Mat, Par};
use ndarray::{Array2, ArrayView2};

use super::basis::{ThinQr, qr_of_rows};
use super::bridge::{array, mat, times};
use super::cholesky::norm_bound;
use super::cholesky_qr::CholeskyQr;
use super::precision::{narrow_from_f64, widen_to_f64};
use super::product::{all_finite, ensure_shape, multiply_into, multiply_wide};
use crate::Real;

/// The pseudo-inverse of a matrix whose columns are given as rows.
#[derive(Debug, Clone)]
pub(crate) struct PseudoInverse<T> {
    /// For components `N` (K × W) and `A = Nᵀ` (W × K): the K × W matrix `A†`.
    pub(crate) matrix: Array2<T>,
    /// Number of singular values above the cutoff.
    pub(crate) rank: usize,
}

/// Singular values at or below this multiple of the largest one count as zero: `max(rows, columns) · ε`,
/// the level at which rounding alone makes an exactly singular matrix look regular.
pub(crate) fn relative_cutoff<T: Real>(shape: (usize, usize)) -> f64 {
    shape.0.max(shape.1) as f64 * T::EPSILON.as_f64()
}

/// `(rowsᵀ)†`: the decoder of the components that are the rows of `rows`.
///
/// Chooses by condition number: a Cholesky factorization, corrected by a second one if needed (several times faster
/// than QR); QR; or, close to singularity, the SVD, which drops singular values below [`relative_cutoff`]. Returns
/// `None` if the input overflows (the SVD does not converge).
pub(crate) fn pseudo_inverse_of_rows<T: Real>(rows: ArrayView2<'_, T>) -> Option<PseudoInverse<T>> {
    let mut matrix = Array2::zeros(rows.dim());
    let rank = pseudo_inverse_into(&mut matrix, rows, &mut PseudoInverseWorkspace::default())?;
    Some(PseudoInverse { matrix, rank })
}

/// Scratch matrices, reused by inverses of the same shape.
#[derive(Debug, Default)]
pub(crate) struct PseudoInverseWorkspace {
    rows: Array2<f64>,
    inverse: Array2<f64>,
    by_cholesky: CholeskyWorkspace,
}

/// Like [`pseudo_inverse_of_rows`], but writes to a matrix with the shape of `rows` and returns the rank. If the result
/// is `None`, the content of the matrix is unspecified.
pub(crate) fn pseudo_inverse_into<T: Real>(
    matrix: &mut Array2<T>,
    rows: ArrayView2<'_, T>,
    workspace: &mut PseudoInverseWorkspace,
) -> Option<usize> {
    let (rank, features) = rows.dim();
    let cutoff = relative_cutoff::<T>(rows.dim());
    let PseudoInverseWorkspace { rows: widened, inverse, by_cholesky: workspace } = workspace;
    // Computing in double precision is more accurate for f32, and faster: the Cholesky path applies more often.
    let rows = widen_to_f64(rows, widened);
    if rank <= features && by_cholesky::<T>(inverse, rows, cutoff, workspace).is_some() {
        narrow_from_f64(inverse, matrix);
        return Some(rank);
    }
    let qr = if rank <= features { by_qr(rows, cutoff) } else { None };
    let mut result =
        qr.map_or_else(|| by_svd(rows, cutoff), |matrix| Some(PseudoInverse { matrix, rank }))?;
    narrow_from_f64(&mut result.matrix, matrix);
    Some(result.rank)
}

#[derive(Debug, Default)]
struct CholeskyWorkspace {
    factors: CholeskyQr,
    square: Array2<f64>,
    correction: Array2<f64>,
}

/// With the factors of [`CholeskyQr`], (Nᵀ)† = L⁻ᵀ·M⁻ᵀ·M⁻¹·Q. If the condition number is so small that L alone is
/// accurate enough for type `T`, (Nᵀ)† = L⁻ᵀ·L⁻¹·N.
fn by_cholesky<T: Real>(
    inverse: &mut Array2<f64>,
    rows: ArrayView2<'_, f64>,
    cutoff: f64,
    workspace: &mut CholeskyWorkspace,
) -> Option<()> {
    let CholeskyWorkspace { factors, square, correction } = workspace;
    ensure_shape(inverse, rows.dim());
    let condition = factors.first_step(rows, cutoff)?;
    if condition.powi(2) * f64::EPSILON <= uncorrected_tolerance::<T>() {
        factors.first.full_inverse(square);
        // If the norms are so small that the inverse overflows, continue with the second factorization.
        if all_finite(square.view()) {
            multiply_wide(inverse.view_mut(), square.view(), rows);
            return Some(());
        }
    }
    factors.second_step(rows, cutoff)?;
    factors.second.full_inverse(square);
    ensure_shape(correction, square.dim());
    multiply_into(correction.view_mut(), factors.first.inverse().t(), square.view());
    multiply_wide(inverse.view_mut(), correction.view(), factors.q.view());
    Some(())
}

/// The relative error up to which an inverse needs no correction: well below single precision, close to double
/// precision.
fn uncorrected_tolerance<T: Real>() -> f64 {
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
    // Near the cutoff, or if the condition number is NaN, leave the decision to the SVD.
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
    fn all_paths_agree_and_the_condition_number_selects_the_path() {
        let mut rows = random_matrix::<f64>(6, 40, 14);
        let cutoff = relative_cutoff::<f64>(rows.dim());
        for (closeness, cholesky, qr) in
            [(1.0, true, true), (1e-3, true, true), (1e-8, false, true), (1e-16, false, false)]
        {
            let near = &rows.row(0) + &(&random_matrix::<f64>(1, 40, 15).row(0) * closeness);
            rows.row_mut(5).assign(&near);
            let by_svd = by_svd(rows.view(), cutoff).unwrap().matrix;
            let mut fast = Array2::zeros((0, 0));
            let result =
                by_cholesky::<f64>(&mut fast, rows.view(), cutoff, &mut CholeskyWorkspace::default());
            assert_eq!(result.is_some(), cholesky, "at {closeness:e}");
            assert_eq!(by_qr(rows.view(), cutoff).is_some(), qr, "at {closeness:e}");
            let tolerance = 1e-14 / closeness;
            if result.is_some() {
                assert_close(&fast, &by_svd, tolerance);
            }
            if let Some(inverse) = by_qr(rows.view(), cutoff) {
                assert_close(&inverse, &by_svd, tolerance);
            }
        }
    }

    #[test]
    fn one_factorization_is_as_accurate_as_two_for_well_conditioned_rows() {
        // Nearly orthogonal rows, so that their norms determine the condition number.
        for (spread, corrected) in [(1.0, false), (3.0, false), (300.0, true)] {
            let mut rows = Array2::<f64>::eye(8) + random_matrix::<f64>(8, 8, 1) * 0.01;
            rows.row_mut(3).mapv_inplace(|v| v * spread);
            let (mut inverse, mut workspace) = (Array2::zeros((0, 0)), CholeskyWorkspace::default());
            let cutoff = relative_cutoff::<f64>((8, 8));
            by_cholesky::<f64>(&mut inverse, rows.view(), cutoff, &mut workspace).unwrap();
            assert_eq!(!workspace.factors.q.is_empty(), corrected, "{spread}");
            assert_penrose(&rows, &inverse, 1e-12);
            assert_close(&inverse, &by_svd(rows.view(), 1e-14).unwrap().matrix, 1e-13);
        }
    }

    #[test]
    fn rows_whose_squares_nearly_underflow_or_overflow_are_inverted() {
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
    fn single_precision_has_its_own_cutoff() {
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
    fn nearly_dependent_rows_are_cut_at_the_documented_level() {
        let mut rows = random_matrix::<f64>(2, 10, 13);
        let near = &rows.row(0) * (1.0 + 1e-16);
        rows.row_mut(1).assign(&near);
        assert_eq!(pseudo_inverse_of_rows(rows.view()).unwrap().rank, 1);
        rows[[1, 0]] += 1e-9;
        assert_eq!(pseudo_inverse_of_rows(rows.view()).unwrap().rank, 2);
    }
}
