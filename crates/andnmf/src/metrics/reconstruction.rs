//! How well weights and components reproduce the samples.

use ndarray::{ArrayView2, s};

use crate::linalg::product::multiply;
use crate::samples::fold::{FoldPlan, fold};
use crate::samples::{Block, Samples};
use crate::{Real, SamplesError, ShapeError};

/// Why a reconstruction could not be measured.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ReconstructionError {
    /// The matrices do not fit together.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// The samples could not be read.
    #[error(transparent)]
    Samples(#[from] SamplesError),
}

/// ‖samples − weights·components‖ / ‖samples‖ in the Frobenius norm, with weights n × rank and components
/// rank × features. Samples that are all zero count as size 1, so that the result is the residual itself.
///
/// # Errors
/// Where shapes do not fit, or the samples cannot be read.
pub fn reconstruction_error<T: Real>(
    samples: &dyn Samples<T>,
    weights: ArrayView2<'_, T>,
    components: ArrayView2<'_, T>,
) -> Result<f64, ReconstructionError> {
    T::residual(samples, weights, components)
}

pub(crate) fn residual<T: Real>(
    samples: &dyn Samples<T>,
    weights: ArrayView2<'_, T>,
    components: ArrayView2<'_, T>,
) -> Result<f64, ReconstructionError> {
    if weights.nrows() != samples.n_samples() {
        let expected = format!("{} samples × rank", samples.n_samples());
        return Err(ShapeError::new("weights", weights.dim(), expected).into());
    }
    if components.dim() != (weights.ncols(), samples.n_features()) {
        let expected = format!("{} × {} (rank × features)", weights.ncols(), samples.n_features());
        return Err(ShapeError::new("components", components.dim(), expected).into());
    }
    let (residual, size) = fold(
        samples,
        &FoldPlan::new(samples, 1),
        &|| (0.0, 0.0),
        &|(residual, size): &mut (f64, f64), first, block| {
            let rows = s![first..first + block.n_samples(), ..];
            let mut difference = multiply(weights.slice(rows), components);
            block.for_each(|i, feature, v| {
                difference[[i, feature]] -= v;
            });
            *residual += difference.iter().map(|v| v.as_f64().powi(2)).sum::<f64>();
            *size += squared_size(&block);
            Ok::<(), SamplesError>(())
        },
        &|left, right| {
            left.0 += right.0;
            left.1 += right.1;
        },
    )?;
    Ok((residual / if size > 0.0 { size } else { 1.0 }).sqrt())
}

fn squared_size<T: Real>(block: &Block<'_, T>) -> f64 {
    let mut size = 0.0;
    block.for_each(|_, _, v| size += v.as_f64().powi(2));
    size
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::{CsrSamples, DenseSamples};
    use crate::testing::{random_matrix, sparse_copy};

    #[test]
    fn equals_the_definition_dense_and_sparse() {
        let (weights, components) = (random_matrix::<f64>(40, 3, 1), random_matrix::<f64>(3, 9, 2));
        let mut y = weights.dot(&components);
        assert!(
            reconstruction_error(&DenseSamples::new(y.view()).unwrap(), weights.view(), components.view())
                .unwrap()
                < 1e-15
        );
        y[[7, 3]] += 2.0;
        y[[30, 0]] = 0.0;
        let difference = &y - &weights.dot(&components);
        let expected = (difference.mapv(|v| v * v).sum() / y.mapv(|v| v * v).sum()).sqrt();
        let (pointers, indices, values) = sparse_copy(&y);
        let sparse = CsrSamples::new(9, &pointers, indices, values).unwrap();
        let dense = DenseSamples::new(y.view()).unwrap();
        for samples in [&dense as &dyn Samples<f64>, &sparse] {
            let found = reconstruction_error(samples, weights.view(), components.view()).unwrap();
            assert!((found - expected).abs() < 1e-14);
        }
    }

    #[test]
    fn shapes_that_do_not_fit_are_refused() {
        let samples = DenseSamples::new(random_matrix::<f64>(5, 4, 1)).unwrap();
        let error = |weights: (usize, usize), components: (usize, usize)| {
            let (w, c) = (
                random_matrix::<f64>(weights.0, weights.1, 1),
                random_matrix::<f64>(components.0, components.1, 1),
            );
            reconstruction_error(&samples, w.view(), c.view()).unwrap_err().to_string()
        };
        assert!(error((6, 2), (2, 4)).starts_with("weights must be 5 samples"));
        assert!(error((5, 2), (3, 4)).starts_with("components must be 2 × 4"));
    }

    #[test]
    fn zero_samples_give_the_residual_itself() {
        let samples = DenseSamples::new(ndarray::Array2::<f64>::zeros((2, 2))).unwrap();
        let (weights, components) = (ndarray::array![[1.0], [0.0]], ndarray::array![[3.0, 4.0]]);
        assert_eq!(reconstruction_error(&samples, weights.view(), components.view()).unwrap(), 5.0);
    }
}
