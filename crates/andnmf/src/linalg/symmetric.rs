//! Symmetric matrices: eigenvalues, and the least-squares inverse on the range of a Gram matrix.

use faer::diag::Diag;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::evd::{ComputeEigenvectors, self_adjoint_evd, self_adjoint_evd_scratch};
use faer::{Mat, Par};
use ndarray::{Array1, Array2, ArrayView2, Axis};

use super::basis::orthonormal_rows;
use super::bridge::{array, mat};
use super::lower_factor::LowerFactor;
use super::product::{make_room, multiply};
use crate::Real;

/// Directions of a Gram matrix (scaled to unit diagonal) whose eigenvalue is below this multiple of the
/// largest carry no information: at this level sums of squares are dominated by rounding.
fn null_space_cutoff<T: Real>() -> f64 {
    // 1e-10 in double precision (what trials settled on), and the same share of the digits in single.
    T::EPSILON.as_f64().powf(0.64)
}

/// Eigenvalues in ascending order with their eigenvectors as columns; `None` where the matrix is not finite.
pub(crate) fn eigen<T: Real>(c: ArrayView2<'_, T>) -> Option<(Vec<f64>, Array2<T>)> {
    let n = c.nrows();
    let mut values = Diag::<T>::zeros(n);
    let mut vectors = Mat::<T>::zeros(n, n);
    decompose(c, &mut values, Some(&mut vectors))?;
    Some((diagonal(&values), array(vectors.as_ref())))
}

/// Eigenvalues in ascending order; `None` where the matrix is not finite.
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
        return Some(()); // which the backend does not expect
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

/// Largest singular value of any matrix.
pub(crate) fn spectral_norm<T: Real>(m: ArrayView2<'_, T>) -> f64 {
    if m.is_empty() {
        return 0.0;
    }
    // The factor keeps the squares of very large or small entries representable.
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

/// What an inverse leaves for the next of the same size.
#[derive(Debug)]
pub(crate) struct GramInverseWorkspace<T> {
    factor: LowerFactor<T>,
    scaled: Array2<T>,
    shrink: Array1<T>,
}

impl<T: Real> Default for GramInverseWorkspace<T> {
    fn default() -> Self {
        Self { factor: LowerFactor::default(), scaled: Array2::zeros((0, 0)), shrink: Array1::zeros(0) }
    }
}

/// Moore–Penrose inverse of a Gram matrix `C = Σ z zᵀ`; `None` where `C` is not finite.
///
/// What counts as its null space is judged after scaling `C` to unit diagonal, so that a component that is
/// rarely active keeps its say; the result is the unscaled pseudo-inverse all the same: the limit of
/// gradient steps, which never move along the null space.
pub(crate) fn gram_inverse<T: Real>(c: ArrayView2<'_, T>) -> Option<Array2<T>> {
    let mut inverse = Array2::zeros((0, 0));
    gram_inverse_into(&mut inverse, c, &mut GramInverseWorkspace::default())?;
    Some(inverse)
}

/// [`gram_inverse`] in place of what a matrix holds, which is nothing in particular where there is none.
pub(crate) fn gram_inverse_into<T: Real>(
    inverse: &mut Array2<T>,
    c: ArrayView2<'_, T>,
    room: &mut GramInverseWorkspace<T>,
) -> Option<()> {
    let GramInverseWorkspace { factor, scaled, shrink } = room;
    let (zero, one) = (T::from_f64(0.0), T::from_f64(1.0));
    make_room(scaled, c.dim());
    scaled.assign(&c);
    if shrink.len() != c.nrows() {
        *shrink = Array1::zeros(c.nrows());
    }
    shrink.zip_mut_with(&c.diag(), |shrink, &v| *shrink = if v == zero { zero } else { one / v.root() });
    scale_both(scaled, shrink);
    // What never acts has nothing but zeros. With a one on the diagonal it stands apart from the others and in the way
    // of nothing; scaled back, its inverse is zero.
    for (scaled, &diagonal) in scaled.diag_mut().into_iter().zip(c.diag()) {
        if diagonal == zero {
            *scaled = one;
        }
    }
    if regular_inverse(inverse, scaled.view(), factor).is_some() {
        scale_both(inverse, shrink);
        return Some(());
    }
    *inverse = singular_inverse(c)?;
    Some(())
}

/// The inverse of a positive definite matrix that is far from having a null space; less work than its
/// eigenvalues.
fn regular_inverse<T: Real>(
    inverse: &mut Array2<T>,
    c: ArrayView2<'_, T>,
    factor: &mut LowerFactor<T>,
) -> Option<()> {
    factor.renew(c)?;
    // (A bound that is not a number is none.)
    let regular = factor.condition_bound().powi(2) * null_space_cutoff::<T>() < 1.0;
    regular.then(|| factor.whole_inverse(inverse))
}

/// The same for a matrix that may have a null space.
fn singular_inverse<T: Real>(c: ArrayView2<'_, T>) -> Option<Array2<T>> {
    if c.diag().iter().any(|v| !v.finite()) {
        return None;
    }
    let size = c.nrows();
    let active: Vec<usize> = (0..size).filter(|&i| c[[i, i]] > T::from_f64(0.0)).collect();
    let inner = c.select(Axis(0), &active).select(Axis(1), &active);
    let inverse = inverse_on_range(&inner)?;
    let mut whole = Array2::zeros((size, size));
    for (a, &i) in active.iter().enumerate() {
        for (b, &j) in active.iter().enumerate() {
            whole[[i, j]] = inverse[[a, b]];
        }
    }
    Some(whole)
}

/// Multiplies rows and columns by the same factors.
fn scale_both<T: Real>(matrix: &mut Array2<T>, factors: &Array1<T>) {
    for (mut row, &own) in matrix.outer_iter_mut().zip(factors) {
        row.zip_mut_with(factors, |v, &factor| *v = *v * own * factor);
    }
}

fn inverse_on_range<T: Real>(c: &Array2<T>) -> Option<Array2<T>> {
    let size = c.nrows();
    if size == 0 {
        return Some(c.clone());
    }
    let one = T::from_f64(1.0);
    let shrink: Array1<T> = c.diag().mapv(|v| one / v.root());
    let mut scaled = c.clone();
    scale_both(&mut scaled, &shrink);
    let (values, vectors) = eigen(scaled.view())?;
    let cutoff = null_space_cutoff::<T>() * values.last().copied().unwrap_or(0.0);
    let lost = values.iter().take_while(|&&v| v <= cutoff).count();

    let range = vectors.slice(ndarray::s![.., lost..]);
    let weighted = Array2::from_shape_fn(range.dim(), |(i, j)| range[[i, j]] / T::from_f64(values[lost + j]));
    let mut inverse = multiply(weighted.view(), range.t());
    scale_both(&mut inverse, &shrink);
    if lost > 0 {
        // A generalised inverse so far. Removing the null space on both sides makes it Moore–Penrose.
        let null = Array2::from_shape_fn((lost, size), |(j, i)| vectors[[i, j]] * shrink[i]);
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
    fn a_regular_matrix_has_the_inverse_that_its_eigenvalues_give_and_others_have_none() {
        let z = random_matrix::<f64>(60, 12, 4);
        let c = multiply(z.t(), z.view());
        let (values, vectors) = eigen(c.view()).unwrap();
        let weighted = Array2::from_shape_fn((12, 12), |(i, j)| vectors[[i, j]] / values[j]);
        let (mut inverse, mut factor) = (Array2::zeros((0, 0)), LowerFactor::default());
        regular_inverse(&mut inverse, c.view(), &mut factor).unwrap();
        assert_close(&inverse, &multiply(weighted.view(), vectors.t()), 1e-12);
        let mut dependent = z;
        let copy = &dependent.column(3) * (1.0 + 1e-7);
        dependent.column_mut(7).assign(&copy);
        let c = multiply(dependent.t(), dependent.view());
        assert!(regular_inverse(&mut inverse, c.view(), &mut factor).is_none());
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
    fn regular_gram_matrix_is_inverted() {
        let z = random_matrix::<f64>(50, 8, 1);
        let c = multiply(z.t(), z.view());
        assert_close(&multiply(gram_inverse(c.view()).unwrap().view(), c.view()), &Array2::eye(8), 1e-12);
    }

    #[test]
    fn components_that_never_act_leave_the_inverse_of_the_others_as_it_is() {
        let z = random_matrix::<f64>(50, 4, 1);
        let mut with_idle = Array2::zeros((50, 6));
        for (k, at) in [0, 2, 3, 5].into_iter().enumerate() {
            with_idle.column_mut(at).assign(&z.column(k));
        }
        let alone = gram_inverse(multiply(z.t(), z.view()).view()).unwrap();
        let c = multiply(with_idle.t(), with_idle.view());
        let (mut found, mut room) = (Array2::zeros((0, 0)), GramInverseWorkspace::default());
        // Twice, with what the first time left.
        for _ in 0..2 {
            gram_inverse_into(&mut found, c.view(), &mut room).unwrap();
            let inner = found.select(Axis(0), &[0, 2, 3, 5]).select(Axis(1), &[0, 2, 3, 5]);
            assert_close(&inner, &alone, 1e-14);
            for idle in [1, 4] {
                assert!(found.row(idle).iter().chain(found.column(idle)).all(|&v| v == 0.0));
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
    fn singular_gram_matrix_gets_its_moore_penrose_inverse() {
        // Six components: the fourth doubles the first, the last never acts, the second acts very rarely.
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
