//! Random sketches of the samples, and other products with all of them, a pass each.

use ndarray::{Array2, ArrayView2};

use super::product::length;
use super::sample_products::{Combinations, NormalProduct, RandomCombinations};
use crate::query;
use crate::samples::Samples;
use crate::samples::fold::FoldPlan;
use crate::{Real, SamplesError};

/// Directions shorter than this, relative to the longest, are rounding noise of the sums that made them.
pub(super) fn rounding_cutoff<T: Real>() -> f64 {
    256.0 * T::EPSILON.as_f64()
}

/// `size` random combinations of all samples.
pub(super) fn random_combinations<T: Real>(
    samples: &dyn Samples<T>,
    size: usize,
    seed: u64,
) -> Result<Array2<T>, SamplesError> {
    let plan = FoldPlan::new(samples, size * samples.n_features());
    Ok(query::run(samples, &RandomCombinations { size, seed, plan })?.products)
}

/// Zᵀ·Y for a matrix Z with a row for each sample of Y.
pub(crate) fn combinations<T: Real>(
    samples: &dyn Samples<T>,
    weights: ArrayView2<'_, T>,
) -> Result<Array2<T>, SamplesError> {
    Ok(query::run(samples, &Combinations { weights: weights.into() })?.products)
}

/// D·YᵀY for directions D, in one pass.
pub(crate) fn normal_product<T: Real>(
    samples: &dyn Samples<T>,
    directions: ArrayView2<'_, T>,
) -> Result<Array2<T>, SamplesError> {
    Ok(query::run(samples, &NormalProduct { directions: directions.into() })?.products)
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
