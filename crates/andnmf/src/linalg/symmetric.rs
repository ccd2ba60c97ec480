//! Symmetric matrices: eigenvalues, spectral norm, and the pseudo-inverse of a Gram matrix.

use faer::diag::Diag;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::evd::{ComputeEigenvectors, self_adjoint_evd, self_adjoint_evd_scratch};
use faer::{Mat, Par};
use ndarray::{Array1, Array2, ArrayView2, Axis};

use super::basis::orthonormal_rows;
use super::bridge::{array, mat};
use super::cholesky::CholeskyFactor;
use super::product::{ensure_shape, multiply};
use crate::Real;

/// Eigenvalues of a Gram matrix (scaled to unit diagonal) below this multiple of the largest count as zero: at this
/// level sums of squares are dominated by rounding.
fn null_space_cutoff<T: Real>() -> f64 {
    // 1e-10 in double precision (found by experiment), and the same fraction of the digits in single precision.
    T::EPSILON.as_f64().powf(0.64)
}

/// Eigenvalues in ascending order with their eigenvectors as columns; `None` if the matrix is not finite.
pub(crate) fn eigen<T: Real>(c: ArrayView2<'_, T>) -> Option<(Vec<f64>, Array2<T>)> {
    let n = c.nrows();
    let mut values = Diag::<T>::zeros(n);
    let mut vectors = Mat::<T>::zeros(n, n);
    decompose(c, &mut values, Some(&mut vectors))?;
    Some((diagonal(&values), array(vectors.as_ref())))
}

/// Eigenvalues in ascending order; `None` if the matrix is not finite.
pub(crate) fn eigenvalues<T: Real>(c: ArrayView2<'_, T>) -> Option<Vec<f64>> {
    let mut values = Diag::<T>::zeros(c.nrows());
    decompose(c, &mut values, None)?;
    Some(diagonal(&values))
}

fn diagonal<T: Real>(values: &Diag<T>) -> Vec<f64> {
    values.column_vector().iter().map(|v| v.as_f64()).collect()
}

fn decompose<T: Real>(
    c: ArrayView2<'_, T>,
    values: &mut Diag<T>,
    vectors: Option<&mut Mat<T>>,
) -> Option<()> {
    if c.iter().any(|v| !v.finite()) {
        return None;
    }
    if c.is_empty() {
        return Some(()); // the backend does not accept empty matrices
    }
    let compute = if vectors.is_some() { ComputeEigenvectors::Yes } else { ComputeEigenvectors::No };
    let scratch = self_adjoint_evd_scratch::<T>(c.nrows(), compute, Par::Seq, Default::default());
    self_adjoint_evd(
        mat(c),
        values.as_mut(),
        vectors.map(|m| m.as_mut()),
        Par::Seq,
        MemStack::new(&mut MemBuffer::new(scratch)),
        Default::default(),
    )
    .ok()
}

/// The largest singular value of a matrix.
pub(crate) fn spectral_norm<T: Real>(m: ArrayView2<'_, T>) -> f64 {
    if m.is_empty() {
        return 0.0;
    }
    // Scaling avoids overflow and underflow of squares.
    let scale = m.iter().fold(0.0, |top: f64, v| top.max(v.as_f64().abs()));
    if scale == 0.0 || !scale.is_finite() {
        return scale;
    }
    let scaled = m.mapv(|v| v.as_f64() / scale);
    let gram = if m.nrows() <= m.ncols() {
        multiply(scaled.view(), scaled.t())
    } else {
        multiply(scaled.t(), scaled.view())
    };
    let largest = eigenvalues(gram.view()).and_then(|v| v.last().copied()).unwrap_or(f64::NAN);
    scale * largest.max(0.0).sqrt()
}

/// Scratch matrices, reused by inverses of the same size.
#[derive(Debug)]
pub(crate) struct GramInverseWorkspace<T> {
    factor: CholeskyFactor<T>,
    scaled: Array2<T>,
    inverse_scale: Array1<T>,
}

impl<T: Real> Default for GramInverseWorkspace<T> {
    fn default() -> Self {
        Self {
            factor: CholeskyFactor::default(),
            scaled: Array2::zeros((0, 0)),
            inverse_scale: Array1::zeros(0),
        }
    }
}

/// The Moore–Penrose inverse of a Gram matrix `C = Σ z zᵀ`; `None` if `C` is not finite.
///
/// The null space is determined after scaling `C` to unit diagonal, so that rarely active components are kept. The
/// result is still the pseudo-inverse of the unscaled matrix: the limit of gradient steps, which never move along the
/// null space.
pub(crate) fn gram_inverse<T: Real>(c: ArrayView2<'_, T>) -> Option<Array2<T>> {
    let mut inverse = Array2::zeros((0, 0));
    gram_inverse_into(&mut inverse, c, &mut GramInverseWorkspace::default())?;
    Some(inverse)
}

/// Like [`gram_inverse`], but writes to `inverse`, whose content is unspecified if the result is `None`.
pub(crate) fn gram_inverse_into<T: Real>(
    inverse: &mut Array2<T>,
    c: ArrayView2<'_, T>,
    workspace: &mut GramInverseWorkspace<T>,
) -> Option<()> {
    let GramInverseWorkspace { factor, scaled, inverse_scale } = workspace;
    let (zero, one) = (T::from_f64(0.0), T::from_f64(1.0));
    ensure_shape(scaled, c.dim());
    scaled.assign(&c);
    if inverse_scale.len() != c.nrows() {
        *inverse_scale = Array1::zeros(c.nrows());
    }
    inverse_scale.zip_mut_with(&c.diag(), |inverse_scale, &v| {
        *inverse_scale = if v == zero { zero } else { one / v.root() }
    });
    scale_rows_and_columns(scaled, inverse_scale);
    // Rows of inactive components are zero. A unit diagonal makes the matrix nonsingular without affecting the other
    // components; scaling back makes their inverse zero.
    for (scaled, &diagonal) in scaled.diag_mut().into_iter().zip(c.diag()) {
        if diagonal == zero {
            *scaled = one;
        }
    }
    if nonsingular_inverse(inverse, scaled.view(), factor).is_some() {
        scale_rows_and_columns(inverse, inverse_scale);
        return Some(());
    }
    *inverse = singular_inverse(c)?;
    Some(())
}

/// The inverse by Cholesky factorization, which is faster than an eigendecomposition; `None` if the matrix is close to
/// singular.
fn nonsingular_inverse<T: Real>(
    inverse: &mut Array2<T>,
    c: ArrayView2<'_, T>,
    factor: &mut CholeskyFactor<T>,
) -> Option<()> {
    factor.factorize(c)?;
    // False for a NaN bound.
    let nonsingular = factor.condition_bound().powi(2) * null_space_cutoff::<T>() < 1.0;
    nonsingular.then(|| factor.full_inverse(inverse))
}

/// The pseudo-inverse of a matrix that may have a null space.
fn singular_inverse<T: Real>(c: ArrayView2<'_, T>) -> Option<Array2<T>> {
    if c.diag().iter().any(|v| !v.finite()) {
        return None;
    }
    let size = c.nrows();
    let active: Vec<usize> = (0..size).filter(|&i| c[[i, i]] > T::from_f64(0.0)).collect();
    let block = c.select(Axis(0), &active).select(Axis(1), &active);
    let inverse = inverse_on_range(&block)?;
    let mut full = Array2::zeros((size, size));
    for (a, &i) in active.iter().enumerate() {
        for (b, &j) in active.iter().enumerate() {
            full[[i, j]] = inverse[[a, b]];
        }
    }
    Some(full)
}

/// Multiplies entry (i, j) by `factors[i] · factors[j]`.
fn scale_rows_and_columns<T: Real>(matrix: &mut Array2<T>, factors: &Array1<T>) {
    for (mut row, &row_factor) in matrix.outer_iter_mut().zip(factors) {
        row.zip_mut_with(factors, |v, &factor| *v = *v * row_factor * factor);
    }
}

/// The pseudo-inverse of a Gram matrix with a positive diagonal, by eigendecomposition.
fn inverse_on_range<T: Real>(c: &Array2<T>) -> Option<Array2<T>> {
    let size = c.nrows();
    if size == 0 {
        return Some(c.clone());
    }
    let one = T::from_f64(1.0);
    let inverse_scale: Array1<T> = c.diag().mapv(|v| one / v.root());
    let mut scaled = c.clone();
    scale_rows_and_columns(&mut scaled, &inverse_scale);
    let (values, vectors) = eigen(scaled.view())?;
    let cutoff = null_space_cutoff::<T>() * values.last().copied().unwrap_or(0.0);
    let nullity = values.iter().take_while(|&&v| v <= cutoff).count();

    let range = vectors.slice(ndarray::s![.., nullity..]);
    let weighted =
        Array2::from_shape_fn(range.dim(), |(i, j)| range[[i, j]] / T::from_f64(values[nullity + j]));
    let mut inverse = multiply(weighted.view(), range.t());
    scale_rows_and_columns(&mut inverse, &inverse_scale);
    if nullity > 0 {
        // So far a generalized inverse. Projecting out the null space on both sides makes it Moore–Penrose.
        let null = Array2::from_shape_fn((nullity, size), |(j, i)| vectors[[i, j]] * inverse_scale[i]);
        let null = orthonormal_rows(null.view(), 1e-12);
        let keep = Array2::eye(size) - multiply(null.t(), null.view());
        inverse = multiply(multiply(keep.view(), inverse.view()).view(), keep.view());
    }
    Some(inverse)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_close, random_matrix};

    #[test]
    fn the_cholesky_inverse_equals_that_from_eigenvalues_and_rejects_singular_matrices() {
        let z = random_matrix::<f64>(60, 12, 4);
        let c = multiply(z.t(), z.view());
        let (values, vectors) = eigen(c.view()).unwrap();
        let weighted = Array2::from_shape_fn((12, 12), |(i, j)| vectors[[i, j]] / values[j]);
        let (mut inverse, mut factor) = (Array2::zeros((0, 0)), CholeskyFactor::default());
        nonsingular_inverse(&mut inverse, c.view(), &mut factor).unwrap();
        assert_close(&inverse, &multiply(weighted.view(), vectors.t()), 1e-12);
        let mut dependent = z;
        let copy = &dependent.column(3) * (1.0 + 1e-7);
        dependent.column_mut(7).assign(&copy);
        let c = multiply(dependent.t(), dependent.view());
        assert!(nonsingular_inverse(&mut inverse, c.view(), &mut factor).is_none());
    }

    #[test]
    fn eigenvalues_of_a_known_matrix() {
        let c = ndarray::array![[2.0_f64, 1.0], [1.0, 2.0]];
        let values = eigenvalues(c.view()).unwrap();
        assert!((values[0] - 1.0).abs() < 1e-14 && (values[1] - 3.0).abs() < 1e-14);
        let (again, vectors) = eigen(c.view()).unwrap();
        assert_close(
            &multiply(multiply(vectors.t(), c.view()).view(), vectors.view()),
            &Array2::from_diag(&Array1::from(again)),
            1e-14,
        );
    }

    #[test]
    fn a_matrix_with_nan_has_no_eigenvalues() {
        assert!(eigenvalues(ndarray::array![[f64::NAN]].view()).is_none());
    }

    #[test]
    fn spectral_norm_of_rank_one_is_the_product_of_lengths() {
        let a = ndarray::array![[3e200_f64, 4e200]];
        assert!((spectral_norm(a.view()) / 5e200 - 1.0).abs() < 1e-14);
        assert_eq!(spectral_norm(Array2::<f64>::zeros((3, 2)).view()), 0.0);
        let m = random_matrix::<f64>(5, 9, 3);
        assert!((spectral_norm(m.view()) - spectral_norm(m.t())).abs() < 1e-13);
    }

    #[test]
    fn a_nonsingular_gram_matrix_is_inverted() {
        let z = random_matrix::<f64>(50, 8, 1);
        let c = multiply(z.t(), z.view());
        assert_close(&multiply(gram_inverse(c.view()).unwrap().view(), c.view()), &Array2::eye(8), 1e-12);
    }

    #[test]
    fn inactive_components_do_not_change_the_inverse_of_the_others() {
        let z = random_matrix::<f64>(50, 4, 1);
        let mut with_inactive = Array2::zeros((50, 6));
        for (k, at) in [0, 2, 3, 5].into_iter().enumerate() {
            with_inactive.column_mut(at).assign(&z.column(k));
        }
        let alone = gram_inverse(multiply(z.t(), z.view()).view()).unwrap();
        let c = multiply(with_inactive.t(), with_inactive.view());
        let (mut inverse, mut workspace) = (Array2::zeros((0, 0)), GramInverseWorkspace::default());
        // The second time with a used workspace.
        for _ in 0..2 {
            gram_inverse_into(&mut inverse, c.view(), &mut workspace).unwrap();
            let active = inverse.select(Axis(0), &[0, 2, 3, 5]).select(Axis(1), &[0, 2, 3, 5]);
            assert_close(&active, &alone, 1e-14);
            for k in [1, 4] {
                assert!(inverse.row(k).iter().chain(inverse.column(k)).all(|&v| v == 0.0));
            }
        }
    }

    #[test]
    fn a_gram_matrix_that_is_not_finite_has_no_inverse() {
        for bad in [f64::NAN, f64::INFINITY] {
            let mut c = Array2::<f64>::eye(3);
            c[[1, 0]] = bad;
            c[[0, 1]] = bad;
            assert!(gram_inverse(c.view()).is_none());
        }
        for bad in [f64::NAN, f64::INFINITY] {
            let mut c = Array2::<f64>::eye(3);
            c[[1, 1]] = bad;
            assert!(gram_inverse(c.view()).is_none());
        }
    }

    #[test]
    fn a_singular_gram_matrix_gets_its_moore_penrose_inverse() {
        // Six components: the fourth is twice the first, the last is inactive, the second has tiny weights.
        let mut z = random_matrix::<f64>(50, 6, 2);
        let double = &z.column(0) * 2.0;
        z.column_mut(3).assign(&double);
        z.column_mut(5).fill(0.0);
        z.column_mut(1).mapv_inplace(|v| v * 1e-5);
        let c = multiply(z.t(), z.view());
        let p = gram_inverse(c.view()).unwrap();
        let cp = multiply(c.view(), p.view());
        assert_close(&multiply(cp.view(), c.view()), &c, 1e-8);
        assert_close(&cp.t(), &cp, 1e-8);
        let relative = |a: &Array2<f64>| a / 1e10; // the rare component makes entries of 1e10
        assert_close(
            &relative(&multiply(multiply(p.view(), c.view()).view(), p.view())),
            &relative(&p),
            1e-6,
        );
        assert!((cp[[1, 1]] - 1.0).abs() < 1e-6, "the rare component is kept");
        assert!(p.row(5).iter().all(|&v| v == 0.0));
    }
}
