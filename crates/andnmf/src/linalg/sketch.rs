//! Random sketches of the samples, and other products with all of them, a pass each.

use std::ops::Range;

use ndarray::{Array2, ArrayView2, s};
use rand::RngExt;

use super::product::length;
use super::products::Products;
use super::row_map::RowMap;
use crate::elsewhere::{Cut, Question, ask};
use crate::pool::Pool;
use crate::random::{Stream, numbered_generator};
use crate::samples::fold::{FoldPlan, fold};
use crate::samples::{Block, Samples};
use crate::{Real, SamplesError};

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
