//! Random sketches of the samples, and their span, in a few passes.

use std::ops::Range;

use ndarray::{Array2, ArrayView2, Axis, concatenate, s};
use rand::RngExt;

use super::basis::orthonormal_rows;
use super::product::length;
use super::products::Products;
use super::row_map::RowMap;
use crate::elsewhere::{Cut, Question, ask};
use crate::pool::Pool;
use crate::random::{Stream, numbered_generator};
use crate::samples::fold::{FoldPlan, fold};
use crate::samples::{Block, Samples};
use crate::{Real, SamplesError};

/// A sketch counts as complete when it has this many rows more than its rank: the chance that a random
/// sketch misses a direction and still shows that many dependent rows is nil.
const SPARE_ROWS: usize = 8;

/// Directions shorter than this, relative to the longest, are rounding noise of the sums that made them.
pub(super) fn rounding_cutoff<T: Real>() -> f64 {
    256.0 * T::EPSILON.as_f64()
}

/// Σ_i left_i · (sample i)ᵀ: the product of a (k × samples) matrix with the samples, k × features.
///
/// `left` gives, for the number of the first sample of a block and the block, the k × samples part of the matrix
/// that meets it.
pub(crate) fn left_product<T: Real>(
    samples: &dyn Samples<T>,
    k: usize,
    left: &(impl Fn(usize, &Block<'_, T>) -> Array2<T> + Sync),
) -> Result<Array2<T>, SamplesError> {
    let (features, room) = (samples.n_features(), Pool::<Vec<u32>>::default());
    let sum = fold(
        samples,
        &FoldPlan::new(samples, k * features),
        &|| Products::new(k, features, samples.is_sparse()),
        &|sum: &mut Products<T>, first, block| {
            room.lend(|room| sum.add(&block, left(first, &block).t(), room));
            Ok::<(), SamplesError>(())
        },
        &|left, right| left.merge(&right),
    )?;
    Ok(sum.into_matrix())
}

/// `size` random combinations of all samples.
pub(super) fn random_combinations<T: Real>(
    samples: &dyn Samples<T>,
    size: usize,
    seed: u64,
) -> Result<Array2<T>, SamplesError> {
    let cut = Cut(FoldPlan::new(samples, size * samples.n_features()));
    if let Some(answer) = ask(samples, &Question::RandomCombinations { size, seed, cut })? {
        return Ok(answer.products);
    }
    left_product(samples, size, &|first, block| {
        block_of_chance(seed, size, &(first..first + block.n_samples()))
    })
}

/// The random numbers that a block of samples meets, size × samples.
///
/// One stream per block, named by its first sample: the same numbers whoever works on it.
pub(crate) fn block_of_chance<T: Real>(seed: u64, size: usize, block: &Range<usize>) -> Array2<T> {
    let mut rng = numbered_generator(seed, Stream::Sketch, block.start);
    Array2::from_shape_simple_fn((size, block.len()), || T::from_f64(rng.random_range(-1.0..1.0)))
}

/// Zᵀ·Y for a matrix Z with a row for each sample of Y.
pub(crate) fn combinations<T: Real>(
    samples: &dyn Samples<T>,
    weights: ArrayView2<'_, T>,
) -> Result<Array2<T>, SamplesError> {
    if let Some(answer) = ask(samples, &Question::Combinations { weights })? {
        return Ok(answer.products);
    }
    left_product(samples, weights.ncols(), &|first, block| {
        weights.slice(s![first..first + block.n_samples(), ..]).t().as_standard_layout().into_owned()
    })
}

/// D·YᵀY for directions D, in one pass.
pub(crate) fn normal_product<T: Real>(
    samples: &dyn Samples<T>,
    directions: ArrayView2<'_, T>,
) -> Result<Array2<T>, SamplesError> {
    if let Some(answer) = ask(samples, &Question::NormalProduct { directions })? {
        return Ok(answer.products);
    }
    let map = RowMap::new(directions.to_owned(), samples.is_sparse());
    let size = directions.nrows();
    left_product(samples, size, &|_, rows| {
        let mut projected = Array2::zeros((rows.n_samples(), size));
        map.apply(rows, projected.view_mut());
        projected.reversed_axes()
    })
}

/// What looking for a span came to.
pub(crate) struct Span<T: Real> {
    /// Orthonormal basis (rows), where the span was found to be small enough.
    pub(crate) basis: Option<Array2<T>>,
    /// Passes over the samples.
    pub(crate) passes: usize,
}

/// An orthonormal basis of the span of all samples and the rows of `also`, if its dimension is at most `most`.
///
/// Sketches of growing size are tried, beginning with a little more than `guess` rows. A `thorough` search ends
/// with one large enough for any span of at most `most` dimensions; otherwise sizes only double.
pub(crate) fn span<T: Real>(
    samples: &dyn Samples<T>,
    also: ArrayView2<'_, T>,
    guess: usize,
    most: usize,
    thorough: bool,
    seed: u64,
) -> Result<Span<T>, SamplesError> {
    let n = samples.n_samples();
    let largest = most + SPARE_ROWS;
    let mut size = guess + 2 * SPARE_ROWS;
    let mut passes = 0;
    let mut tried = 0;
    loop {
        if size.min(n) > largest {
            if !thorough || tried >= largest {
                return Ok(Span { basis: None, passes });
            }
            size = largest;
        }
        tried = size;
        passes += 1;
        // Few samples are their own sketch: the identity in place of random combinations.
        let complete = size >= n;
        let sketch = if complete {
            combinations(samples, Array2::eye(n).view())?
        } else {
            random_combinations(samples, size, seed)?
        };
        let sketch = unit_rows(sketch);
        let alone = orthonormal_rows(sketch.view(), rounding_cutoff::<T>());
        if complete || alone.nrows() + SPARE_ROWS <= size {
            let both = concatenate(Axis(0), &[alone.view(), unit_rows(also.to_owned()).view()])
                .expect("both have one column per feature");
            let basis = orthonormal_rows(both.view(), rounding_cutoff::<T>());
            return Ok(Span { basis: (basis.nrows() <= most).then_some(basis), passes });
        }
        size *= 2;
    }
}

/// Each row at length one, so that none is judged small because others are large; zero rows stay.
pub(super) fn unit_rows<T: Real>(mut rows: Array2<T>) -> Array2<T> {
    for mut row in rows.outer_iter_mut() {
        let length = length(row.view());
        if length > 0.0 {
            row.mapv_inplace(|v| T::from_f64(v.as_f64() / length));
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::coordinates::project;
    use crate::linalg::product::multiply;
    use crate::samples::DenseSamples;
    use crate::testing::{assert_close, low_rank, random_matrix, sparse_copy};

    #[test]
    fn the_span_of_low_rank_samples_is_found_and_lossless() {
        let data = low_rank::<f64>(700, 12, 90);
        let also = random_matrix::<f64>(3, 90, 4);
        let (pointers, indices, values) = sparse_copy(&data);
        let sparse = crate::samples::CsrSamples::new(90, &pointers, indices, values).unwrap();
        let dense = DenseSamples::new(data.view()).unwrap();
        for samples in [&dense as &dyn Samples<f64>, &sparse] {
            let basis = span(samples, also.view(), 10, 45, false, 7).unwrap().basis.unwrap();
            assert_eq!(basis.nrows(), 15);
            let back = multiply(project(samples, basis.view()).unwrap().view(), basis.view());
            assert_close(&back, &data, 1e-13);
            assert_close(&multiply(multiply(also.view(), basis.t()).view(), basis.view()), &also, 1e-13);
        }
    }

    #[test]
    fn single_precision_finds_the_same_dimension() {
        let samples = DenseSamples::new(low_rank::<f32>(5000, 12, 90)).unwrap();
        let basis = span(&samples, Array2::zeros((1, 90)).view(), 10, 45, false, 7).unwrap().basis.unwrap();
        assert_eq!(basis.nrows(), 12);
    }

    #[test]
    fn full_rank_samples_have_no_small_span() {
        let samples = DenseSamples::new(random_matrix::<f64>(500, 60, 1)).unwrap();
        assert!(span(&samples, Array2::zeros((1, 60)).view(), 4, 30, false, 7).unwrap().basis.is_none());
    }

    #[test]
    fn a_thorough_search_finds_spans_that_doubling_would_miss() {
        let samples = DenseSamples::new(low_rank::<f64>(500, 50, 60)).unwrap();
        let dimension = |thorough| {
            let found = span(&samples, Array2::zeros((1, 60)).view(), 30, 59, thorough, 7).unwrap();
            found.basis.map(|basis| basis.nrows())
        };
        assert_eq!((dimension(false), dimension(true)), (None, Some(50)));
    }

    #[test]
    fn few_samples_are_their_own_span() {
        let samples = DenseSamples::new(random_matrix::<f64>(5, 400, 1)).unwrap();
        let also = random_matrix::<f64>(2, 400, 2);
        assert_eq!(span(&samples, also.view(), 2, 100, false, 7).unwrap().basis.unwrap().nrows(), 7);
    }
}
