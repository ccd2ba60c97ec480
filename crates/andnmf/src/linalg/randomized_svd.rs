//! Randomized SVD: leading singular values and directions of the samples, by a randomized block Krylov method.
//!
//! A random sketch of the samples Y gives the first block of directions; each further block is the previous one times
//! YᵀY, computed in one pass. The Rayleigh–Ritz approximations within the span of all blocks, and their residuals, need
//! no further pass, so easy data converge in few passes and hard data take more.
//!
//! Reference: Musco & Musco, "Randomized block Krylov methods for stronger and faster approximate singular value
//! decomposition", 2015.

use ndarray::{Array2, ArrayView2, Axis, s};

use super::basis::orthonormal_rows;
use super::product::{length, mirror_lower, multiply_add_wide, multiply_long, multiply_wide};
use super::sketch::{normal_product, random_sketch, rounding_cutoff};
use super::subspace_iteration::scale_to_unit_max;
use super::symmetric::eigen;
use crate::samples::Samples;
use crate::{Real, SamplesError};

/// Oversampling: directions computed beyond those requested.
const OVERSAMPLING: usize = 10;
/// A direction has converged if its residual under YᵀY is at most this fraction of its squared singular value.
const TOLERANCE: f64 = 1e-6;

/// The number of requested singular directions, and their accuracy.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SvdRequest {
    /// Number of directions to return; fewer if the samples have a lower rank.
    pub(crate) size: usize,
    /// Number of leading directions that must converge.
    pub(crate) converged: usize,
    /// Maximum number of passes over the samples; at least two.
    pub(crate) max_passes: usize,
}

impl SvdRequest {
    /// Requests `size` directions, all converged, in at most nine passes.
    pub(crate) fn all(size: usize) -> Self {
        Self { size, converged: size, max_passes: 9 }
    }
}

/// Leading singular values and right singular vectors of the samples.
pub(crate) struct TruncatedSvd<T: Real> {
    /// Singular values, largest first.
    pub(crate) values: Vec<f64>,
    /// Orthonormal right singular vectors (rows), one per value.
    pub(crate) vectors: Array2<T>,
    /// Passes over the samples.
    pub(crate) passes: usize,
}

/// Computes the leading singular values and right singular vectors.
pub(crate) fn randomized_svd<T: Real>(
    samples: &dyn Samples<T>,
    request: SvdRequest,
    seed: u64,
) -> Result<TruncatedSvd<T>, SamplesError> {
    let size = request.size;
    let (features, cutoff) = (samples.n_features(), rounding_cutoff::<T>());
    let largest = samples.n_samples().min(features);
    let width = (size + OVERSAMPLING).min(largest);
    let (sketch, scale) = scale_to_unit_max(random_sketch(samples, width, seed)?);
    let mut krylov = Krylov { basis: Array2::zeros((0, features)), gram: Array2::zeros((0, 0)) };
    let mut block = orthonormal_rows(sketch.view(), cutoff);
    let mut svd = TruncatedSvd { values: Vec::new(), vectors: Array2::zeros((0, features)), passes: 1 };
    while block.nrows() > 0 {
        let image = scaled_normal_product(samples, block.view(), scale)?;
        svd.passes += 1;
        let outside = krylov.extend(block, &image);
        let Some(ritz) = krylov.ritz(size, &outside) else {
            // Overflow: callers detect it when they use the directions.
            break;
        };
        svd.values = ritz.values.iter().map(|v| v.max(0.0).sqrt() * scale).collect();
        let done = ritz.converged(request.converged) || svd.passes >= request.max_passes;
        block = if done { Array2::zeros((0, features)) } else { krylov.next_block(&image, outside, cutoff) };
        if block.nrows() == 0 {
            svd.vectors = Array2::zeros((ritz.coordinates.ncols(), features));
            multiply_wide(svd.vectors.view_mut(), ritz.coordinates.t(), krylov.basis.view());
        }
    }
    Ok(svd)
}

/// `block · YᵀY / scale²` in one pass; the scale avoids overflow.
fn scaled_normal_product<T: Real>(
    samples: &dyn Samples<T>,
    block: ArrayView2<'_, T>,
    scale: f64,
) -> Result<Array2<T>, SamplesError> {
    let scaled = block.mapv(|v| T::from_f64(v.as_f64() / scale));
    let mut image = normal_product(samples, scaled.view())?;
    image.mapv_inplace(|v| T::from_f64(v.as_f64() / scale));
    Ok(image)
}

/// The Krylov subspace: the span of all blocks so far.
struct Krylov<T: Real> {
    /// Orthonormal directions (rows).
    basis: Array2<T>,
    /// basis · YᵀY · basisᵀ / scale².
    gram: Array2<T>,
}

/// The Rayleigh–Ritz approximations within a subspace.
struct Ritz<T> {
    /// Squared singular values (over scale²), largest first.
    values: Vec<f64>,
    /// The Ritz vectors in the coordinates of the basis, as columns.
    coordinates: Array2<T>,
    /// The norm of the part of YᵀY·vector outside the subspace, for each Ritz vector.
    residuals: Vec<f64>,
}

impl<T: Real> Krylov<T> {
    /// Adds a block, orthonormal and orthogonal to the basis, with its image under YᵀY; returns the part of the image
    /// outside the subspace.
    fn extend(&mut self, block: Array2<T>, image: &Array2<T>) -> Array2<T> {
        let before = self.basis.nrows();
        self.basis.append(Axis(0), block.view()).expect("one column per feature");
        let inside = multiply_long(image.view(), self.basis.t());
        let size = self.basis.nrows();
        let mut gram = Array2::zeros((size, size));
        gram.slice_mut(s![..before, ..before]).assign(&self.gram);
        gram.slice_mut(s![before.., ..]).assign(&inside);
        mirror_lower(&mut gram);
        self.gram = gram;
        let mut outside = image.clone();
        multiply_add_wide(outside.view_mut(), inside.view(), self.basis.view(), T::from_f64(-1.0));
        outside
    }

    /// The `size` leading Ritz pairs; `None` on overflow.
    fn ritz(&self, size: usize, outside: &Array2<T>) -> Option<Ritz<T>> {
        let (values, vectors) = eigen(self.gram.view())?;
        let keep = size.min(values.len());
        let last = outside.nrows();
        // Eigenvalues are ascending: the leading directions are the last columns.
        let coordinates = vectors.slice(s![.., vectors.ncols() - keep..;-1]).to_owned();
        // By construction only the image of the last block has a part outside the subspace.
        let last = coordinates.slice(s![coordinates.nrows() - last.., ..]);
        let mut moved = Array2::zeros((keep, outside.ncols()));
        multiply_wide(moved.view_mut(), last.t(), outside.view());
        let residuals = moved.outer_iter().map(length).collect();
        Some(Ritz { values: values.iter().rev().take(keep).copied().collect(), coordinates, residuals })
    }

    /// An orthonormal basis of the last image's part outside the subspace; empty if that is only rounding.
    fn next_block(&self, image: &Array2<T>, mut outside: Array2<T>, cutoff: f64) -> Array2<T> {
        let lengths: Vec<f64> = image.outer_iter().map(length).collect();
        let longest = lengths.iter().copied().fold(0.0, f64::max);
        // Relative to its image, so that weak directions are not mistaken for rounding of strong ones.
        for (mut row, &image_norm) in outside.outer_iter_mut().zip(&lengths) {
            let residual = length(row.view());
            let noise = image_norm <= cutoff * cutoff * longest || residual <= cutoff * image_norm;
            row.mapv_inplace(|v| T::from_f64(if noise { 0.0 } else { v.as_f64() / image_norm }));
        }
        let block = orthonormal_rows(self.deflate(outside).view(), cutoff);
        orthonormal_rows(self.deflate(block).view(), cutoff)
    }

    /// Removes the part of the rows within the subspace (deflation).
    fn deflate(&self, mut rows: Array2<T>) -> Array2<T> {
        let inside = multiply_long(rows.view(), self.basis.t());
        multiply_add_wide(rows.view_mut(), inside.view(), self.basis.view(), T::from_f64(-1.0));
        rows
    }
}

impl<T: Real> Ritz<T> {
    /// Returns true if the first `size` pairs have converged.
    fn converged(&self, size: usize) -> bool {
        let rounding = 64.0 * T::EPSILON.as_f64() * self.values.first().copied().unwrap_or(0.0);
        self.values.iter().zip(&self.residuals).take(size).all(|(&v, &r)| r <= rounding.max(TOLERANCE * v))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::product::multiply;
    use crate::samples::{CsrSamples, DenseSamples};
    use crate::testing::{assert_close, low_rank, random_matrix, sparse_copy};
    use crate::testing_svd::exact_svd;

    /// Compares with an exact SVD; vectors up to their sign.
    #[track_caller]
    fn assert_singular<T: Real>(svd: &TruncatedSvd<T>, data: &Array2<T>, size: usize, tolerance: f64) {
        let (_, values, vectors) = exact_svd(&data.mapv(|v| v.as_f64()));
        assert_eq!(svd.values.len(), size);
        for (k, &value) in svd.values.iter().enumerate() {
            assert!((value / values[k] - 1.0).abs() < tolerance, "value {k}: {value} and {}", values[k]);
            let vector = svd.vectors.row(k).mapv(|v| v.as_f64());
            let cosine = vector.dot(&vectors.row(k)).abs();
            assert!((cosine - 1.0).abs() < tolerance, "vector {k} is off by {:e}", cosine - 1.0);
        }
    }

    #[test]
    fn values_and_vectors_equal_those_of_an_exact_svd() {
        // The hard case: the singular values of uniform noise are close together.
        for (n, features) in [(300, 40), (60, 200), (1500, 70)] {
            let data = random_matrix::<f64>(n, features, 1).mapv(f64::abs);
            let (pointers, indices, values) = sparse_copy(&data);
            let sparse = CsrSamples::new(features, &pointers, indices, values).unwrap();
            let dense = DenseSamples::new(data.view()).unwrap();
            for samples in [&dense as &dyn Samples<f64>, &sparse] {
                let svd = randomized_svd(samples, SvdRequest::all(5), 3).unwrap();
                assert_singular(&svd, &data, 5, 1e-8);
            }
        }
    }

    #[test]
    fn scale_and_precision_do_not_matter() {
        let mut data = low_rank::<f64>(400, 6, 50);
        data.scaled_add(1e-3, &random_matrix::<f64>(400, 50, 9));
        for scale in [1e-200, 1.0, 1e200] {
            let scaled = &data * scale;
            let svd =
                randomized_svd(&DenseSamples::new(scaled.view()).unwrap(), SvdRequest::all(6), 3).unwrap();
            let unscaled = TruncatedSvd { values: svd.values.iter().map(|v| v / scale).collect(), ..svd };
            assert_singular(&unscaled, &data, 6, 1e-8);
            assert!(unscaled.passes <= 4, "{} passes for easy data", unscaled.passes);
        }
        let single = data.mapv(|v| v as f32);
        let svd = randomized_svd(&DenseSamples::new(single.view()).unwrap(), SvdRequest::all(6), 3).unwrap();
        assert_singular(&svd, &single, 6, 1e-4);
    }

    #[test]
    fn degenerate_samples_have_as_many_directions_as_they_span() {
        let directions = |data: Array2<f64>, size| {
            randomized_svd(&DenseSamples::new(data).unwrap(), SvdRequest::all(size), 1).unwrap().values
        };
        assert!(directions(Array2::zeros((5, 4)), 3).is_empty());
        assert_eq!(directions(random_matrix(1, 9, 1), 3).len(), 1);
        assert_eq!(directions(random_matrix(9, 1, 1), 3).len(), 1);
        assert_eq!(directions(low_rank(200, 3, 30), 6).len(), 3);
    }

    #[test]
    fn the_directions_are_orthonormal_and_the_same_on_any_number_of_threads() {
        let data = random_matrix::<f64>(3000, 60, 4);
        let samples = DenseSamples::new(data.view()).unwrap();
        let on = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| randomized_svd(&samples, SvdRequest::all(8), 2).unwrap())
        };
        let one = on(1);
        assert_close(&multiply(one.vectors.view(), one.vectors.t()), &Array2::eye(8), 1e-12);
        for threads in [2, 3] {
            let more = on(threads);
            assert_eq!((&more.values, &more.vectors), (&one.values, &one.vectors));
        }
    }
}
