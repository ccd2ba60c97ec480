//! Algorithm 1 without any shortcut: the reference for iterates and for speed.
//!
//! Every inner step recomputes Y Zᵀ and A Z Zᵀ from scratch, as a straightforward implementation would. Use it
//! to check the fast implementation, never to fit data.

use ndarray::{Array2, ArrayView2, ArrayViewMut2, Axis};

use super::decoder::{Decoder, hard_threshold};
use crate::linalg::product::multiply_into;
use crate::{FitError, Real, ShapeError};

/// One stage from `start` (rank × features) on `samples` (samples × features): decode with the frozen
/// pseudo-inverse, threshold, then `inner` gradient steps of length `step` on the sum over samples.
///
/// The products run on all threads of the process.
///
/// ```
/// let (samples, start) = (ndarray::array![[2.0, 0.0], [0.0, 3.0]], ndarray::array![[1.0, 0.0], [0.0, 1.0]]);
/// let next = andnmf::and::literal_stage(samples.view(), start.view(), 0.5, 10, 0.01)?;
/// assert!((next - start).iter().all(|change: &f64| change.abs() < 1e-12), "the start explains the samples");
/// # Ok::<(), andnmf::FitError>(())
/// ```
///
/// # Errors
/// If the shapes do not match, or the start has no finite pseudo-inverse.
pub fn literal_stage<T: Real>(
    samples: ArrayView2<'_, T>,
    start: ArrayView2<'_, T>,
    threshold: T,
    inner: usize,
    step: T,
) -> Result<Array2<T>, FitError> {
    if samples.ncols() != start.ncols() {
        let expected = format!("any rank × {} features", samples.ncols());
        return Err(ShapeError::new("the start", start.dim(), expected).into());
    }
    let (n, rank) = (samples.nrows(), start.nrows());
    let decoder = Decoder::new(start, false).ok_or(FitError::Overflow { stage: 0 })?;
    let mut z = Array2::zeros((n, rank));
    product(z.view_mut(), samples, decoder.matrix().t());
    z.mapv_inplace(|v| hard_threshold(v, threshold));

    let mut current = start.to_owned();
    let (mut b, mut az) = (Array2::zeros(start.dim()), Array2::zeros((n, start.ncols())));
    let mut azz = Array2::zeros(start.dim());
    for _ in 0..inner {
        product(b.view_mut(), z.t(), samples);
        product(az.view_mut(), z.view(), current.view());
        product(azz.view_mut(), z.t(), az.view());
        current.zip_mut_with(&b, |a, &b| *a += step * b);
        current.zip_mut_with(&azz, |a, &c| *a -= step * c);
    }
    Ok(current)
}

/// `out ← a · b` on all threads: the longer side of the result is split into one piece per thread.
fn product<T: Real>(out: ArrayViewMut2<'_, T>, a: ArrayView2<'_, T>, b: ArrayView2<'_, T>) {
    split(out, a, b, rayon::current_num_threads());
}

fn split<T: Real>(out: ArrayViewMut2<'_, T>, a: ArrayView2<'_, T>, b: ArrayView2<'_, T>, pieces: usize) {
    let (rows, columns) = out.dim();
    if pieces <= 1 || rows.max(columns) < 64 {
        return multiply_into(out, a, b);
    }
    let (few, many) = (pieces / 2, pieces - pieces / 2);
    if rows >= columns {
        let middle = rows * few / pieces;
        let (upper, lower) = out.split_at(Axis(0), middle);
        let (a_upper, a_lower) = a.split_at(Axis(0), middle);
        rayon::join(|| split(upper, a_upper, b, few), || split(lower, a_lower, b, many));
    } else {
        let middle = columns * few / pieces;
        let (left, right) = out.split_at(Axis(1), middle);
        let (b_left, b_right) = b.split_at(Axis(1), middle);
        rayon::join(|| split(left, a, b_left, few), || split(right, a, b_right, many));
    }
}
