//! Random sketches of the samples, and other products with all samples; each takes one pass.

use ndarray::{Array2, ArrayView2};

use super::product::length;
use super::sample_products::{Combinations, NormalProduct, RandomSketch};
use crate::query;
use crate::samples::Samples;
use crate::samples::fold::FoldPlan;
use crate::{Real, SamplesError};

/// Relative norm below which a direction is rounding noise.
pub(super) fn rounding_cutoff<T: Real>() -> f64 {
    256.0 * T::EPSILON.as_f64()
}

/// `size` random linear combinations of all samples.
pub(super) fn random_sketch<T: Real>(
    samples: &dyn Samples<T>,
    size: usize,
    seed: u64,
) -> Result<Array2<T>, SamplesError> {
    let plan = FoldPlan::new(samples, size * samples.n_features());
    Ok(query::run(samples, &RandomSketch { size, seed, plan })?.products)
}

/// Zᵀ·Y for a matrix Z with one row per sample of Y.
pub(crate) fn combinations<T: Real>(
    samples: &dyn Samples<T>,
    weights: ArrayView2<'_, T>,
) -> Result<Array2<T>, SamplesError> {
    Ok(query::run(samples, &Combinations { weights: weights.into() })?.products)
}

/// D·YᵀY for directions D.
pub(crate) fn normal_product<T: Real>(
    samples: &dyn Samples<T>,
    directions: ArrayView2<'_, T>,
) -> Result<Array2<T>, SamplesError> {
    Ok(query::run(samples, &NormalProduct { directions: directions.into() })?.products)
}

/// Normalizes each row to unit norm, so that a common cutoff treats all rows alike. Zero rows stay zero.
pub(super) fn unit_rows<T: Real>(mut rows: Array2<T>) -> Array2<T> {
    for mut row in rows.outer_iter_mut() {
        let length = length(row.view());
        if length > 0.0 {
            row.mapv_inplace(|v| T::from_f64(v.as_f64() / length));
        }
    }
    rows
}
