//! The exact SVD of the linear algebra backend, as a reference for tests.

use ndarray::Array2;

/// Left singular vectors (rows), singular values and right singular vectors (rows), largest first.
pub(crate) fn exact_svd(a: &Array2<f64>) -> (Array2<f64>, Vec<f64>, Array2<f64>) {
    let m = faer::Mat::from_fn(a.nrows(), a.ncols(), |i, j| a[[i, j]]);
    let svd = m.thin_svd().expect("finite matrices can be decomposed");
    let size = a.nrows().min(a.ncols());
    let rows = |u: faer::MatRef<'_, f64>| Array2::from_shape_fn((size, u.nrows()), |(k, i)| u[(i, k)]);
    (rows(svd.U()), svd.S().column_vector().iter().copied().collect(), rows(svd.V()))
}
