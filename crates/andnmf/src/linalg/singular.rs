//! Leading singular values and directions of the samples, by a randomized block Krylov method.
//!
//! A random sketch of the samples Y gives a first block of directions; each further block is what YᵀY makes of the
//! one before. Both products with Y are taken block by block of samples in one pass. The best approximations
//! within the span of all blocks are found without reading the samples again (Rayleigh–Ritz), and how far they
//! are from converged is known for free, so easy data take few passes and hard data take more.
//!
//! Reference: Musco & Musco, "Randomized block Krylov methods for stronger and faster approximate singular value
//! decomposition", 2015.

use ndarray::{Array2, ArrayView2, Axis, s};

use super::basis::orthonormal_rows;
use super::leading::scaled_to_one;
use super::product::{length, mirror_lower, multiply_add_wide, multiply_long, multiply_wide};
use super::sketch::{normal_product, random_combinations, rounding_cutoff};
use super::symmetric::eigen;
use crate::samples::Samples;
use crate::{Real, SamplesError};

/// Directions looked for beyond those wanted.
const SPARE_DIRECTIONS: usize = 10;
/// Converged when YᵀY moves no wanted direction sideways by more than this share of its squared singular value.
const TOLERANCE: f64 = 1e-6;

/// How many singular directions are wanted, and how well.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wanted {
    /// Directions to return, or as many as the samples have.
    pub(crate) size: usize,
    /// How many of them, the strongest, must have converged.
    pub(crate) converged: usize,
    /// Passes over the samples at most, however far from converged; at least two.
    pub(crate) most_passes: usize,
}

impl Wanted {
    /// This many directions, as well as is worth while.
    pub(crate) fn all(size: usize) -> Self {
        Self { size, converged: size, most_passes: 9 }
    }
}

/// Leading singular values and right singular vectors of the samples.
pub(crate) struct Singular<T: Real> {
    /// Singular values, largest first.
    pub(crate) values: Vec<f64>,
    /// Orthonormal directions (rows), one for each value.
    pub(crate) vectors: Array2<T>,
    /// Passes over the samples.
    pub(crate) passes: usize,
}

/// The leading singular values and right singular vectors.
pub(crate) fn leading_singular<T: Real>(
    samples: &dyn Samples<T>,
    wanted: Wanted,
    seed: u64,
) -> Result<Singular<T>, SamplesError> {
    let size = wanted.size;
    let (features, cutoff) = (samples.n_features(), rounding_cutoff::<T>());
    let largest = samples.n_samples().min(features);
    let width = (size + SPARE_DIRECTIONS).min(largest);
    let (sketch, scale) = scaled_to_one(random_combinations(samples, width, seed)?);
    let mut krylov = Krylov { basis: Array2::zeros((0, features)), gram: Array2::zeros((0, 0)) };
    let mut block = orthonormal_rows(sketch.view(), cutoff);
    let mut found = Singular { values: Vec::new(), vectors: Array2::zeros((0, features)), passes: 1 };
    while block.nrows() > 0 {
        let image = scaled_normal_product(samples, block.view(), scale)?;
        found.passes += 1;
        let outside = krylov.extend(block, &image);
        let Some(ritz) = krylov.ritz(size, &outside) else {
            // Numbers left their range. Whoever uses the directions will find out from what they make of the samples.
            break;
        };
        found.values = ritz.values.iter().map(|v| v.max(0.0).sqrt() * scale).collect();
        let done = ritz.converged(wanted.converged) || found.passes >= wanted.most_passes;
        block = if done { Array2::zeros((0, features)) } else { krylov.next_block(&image, outside, cutoff) };
        if block.nrows() == 0 {
            found.vectors = Array2::zeros((ritz.coordinates.ncols(), features));
            multiply_wide(found.vectors.view_mut(), ritz.coordinates.t(), krylov.basis.view());
        }
    }
    Ok(found)
}

/// `block · YᵀY / scale²` in one pass, the scale keeping the products within the range of numbers.
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

/// The span of all blocks so far.
struct Krylov<T: Real> {
    /// Orthonormal directions (rows).
    basis: Array2<T>,
    /// basis · YᵀY · basisᵀ / scale².
    gram: Array2<T>,
}

/// The best approximations within a span.
struct Ritz<T> {
    /// Squared singular values (over scale²), largest first.
    values: Vec<f64>,
    /// Their directions in the coordinates of the basis, as columns.
    coordinates: Array2<T>,
    /// How far YᵀY moves each direction out of the span.
    residuals: Vec<f64>,
}

impl<T: Real> Krylov<T> {
    /// Takes in a block, orthonormal and orthogonal to the basis, with its image; returns what of the image lies
    /// outside the span.
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

    /// The `size` leading Ritz pairs; `None` where numbers left their range.
    fn ritz(&self, size: usize, outside: &Array2<T>) -> Option<Ritz<T>> {
        let (values, vectors) = eigen(self.gram.view())?;
        let keep = size.min(values.len());
        let last = outside.nrows();
        // Eigenvalues ascend: the leading directions are the last columns.
        let coordinates = vectors.slice(s![.., vectors.ncols() - keep..;-1]).to_owned();
        // By the way the blocks are made only the image of the last one leaves the span.
        let last = coordinates.slice(s![coordinates.nrows() - last.., ..]);
        let mut moved = Array2::zeros((keep, outside.ncols()));
        multiply_wide(moved.view_mut(), last.t(), outside.view());
        let residuals = moved.outer_iter().map(length).collect();
        Some(Ritz { values: values.iter().rev().take(keep).copied().collect(), coordinates, residuals })
    }

    /// Orthonormal directions of what the last image adds to the span: none where that is only rounding.
    fn next_block(&self, image: &Array2<T>, mut outside: Array2<T>, cutoff: f64) -> Array2<T> {
        let lengths: Vec<f64> = image.outer_iter().map(length).collect();
        let longest = lengths.iter().copied().fold(0.0, f64::max);
        // Relative to its image, so that weak directions are not taken for rounding beside strong ones.
        for (mut row, &whole) in outside.outer_iter_mut().zip(&lengths) {
            let left = length(row.view());
            let noise = whole <= cutoff * cutoff * longest || left <= cutoff * whole;
            row.mapv_inplace(|v| T::from_f64(if noise { 0.0 } else { v.as_f64() / whole }));
        }
        let block = orthonormal_rows(self.off_basis(outside).view(), cutoff);
        orthonormal_rows(self.off_basis(block).view(), cutoff)
    }

    /// What is left of the rows after taking away their part in the span.
    fn off_basis(&self, mut rows: Array2<T>) -> Array2<T> {
        let inside = multiply_long(rows.view(), self.basis.t());
        multiply_add_wide(rows.view_mut(), inside.view(), self.basis.view(), T::from_f64(-1.0));
        rows
    }
}

impl<T: Real> Ritz<T> {
    /// Whether the first `size` are settled.
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

    /// Values as they should be, and vectors up to their sign.
    #[track_caller]
    fn assert_singular<T: Real>(found: &Singular<T>, data: &Array2<T>, size: usize, tolerance: f64) {
        let (_, values, vectors) = exact_svd(&data.mapv(|v| v.as_f64()));
        assert_eq!(found.values.len(), size);
        for (k, &value) in found.values.iter().enumerate() {
            assert!((value / values[k] - 1.0).abs() < tolerance, "value {k}: {value} and {}", values[k]);
            let vector = found.vectors.row(k).mapv(|v| v.as_f64());
            let cosine = vector.dot(&vectors.row(k)).abs();
            assert!((cosine - 1.0).abs() < tolerance, "vector {k} is off by {:e}", cosine - 1.0);
        }
    }

    #[test]
    fn values_and_vectors_are_those_of_an_exact_decomposition() {
        // The singular values of uniform noise lie close together: the hard case.
        for (n, features) in [(300, 40), (60, 200), (1500, 70)] {
            let data = random_matrix::<f64>(n, features, 1).mapv(f64::abs);
            let (pointers, indices, values) = sparse_copy(&data);
            let sparse = CsrSamples::new(features, &pointers, indices, values).unwrap();
            let dense = DenseSamples::new(data.view()).unwrap();
            for samples in [&dense as &dyn Samples<f64>, &sparse] {
                let found = leading_singular(samples, Wanted::all(5), 3).unwrap();
                assert_singular(&found, &data, 5, 1e-8);
            }
        }
    }

    #[test]
    fn scale_and_precision_do_not_matter() {
        let mut data = low_rank::<f64>(400, 6, 50);
        data.scaled_add(1e-3, &random_matrix::<f64>(400, 50, 9));
        for scale in [1e-200, 1.0, 1e200] {
            let scaled = &data * scale;
            let found =
                leading_singular(&DenseSamples::new(scaled.view()).unwrap(), Wanted::all(6), 3).unwrap();
            let unscaled = Singular { values: found.values.iter().map(|v| v / scale).collect(), ..found };
            assert_singular(&unscaled, &data, 6, 1e-8);
            assert!(unscaled.passes <= 4, "{} passes for easy data", unscaled.passes);
        }
        let single = data.mapv(|v| v as f32);
        let found = leading_singular(&DenseSamples::new(single.view()).unwrap(), Wanted::all(6), 3).unwrap();
        assert_singular(&found, &single, 6, 1e-4);
    }

    #[test]
    fn degenerate_samples_have_as_many_directions_as_they_span() {
        let directions = |data: Array2<f64>, size| {
            leading_singular(&DenseSamples::new(data).unwrap(), Wanted::all(size), 1).unwrap().values
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
            pool.install(|| leading_singular(&samples, Wanted::all(8), 2).unwrap())
        };
        let one = on(1);
        assert_close(&multiply(one.vectors.view(), one.vectors.t()), &Array2::eye(8), 1e-12);
        for threads in [2, 3] {
            let more = on(threads);
            assert_eq!((&more.values, &more.vectors), (&one.values, &one.vectors));
        }
    }
}
