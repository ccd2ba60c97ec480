//! Reinitialization (revival) of dead components.
//!
//! A component that is zero, or that no sample uses, contributes is_dead. Replacing it, with zero weights, leaves the
//! loss unchanged, and the next stage can only lower it. The new direction is the residual of a sample with the
//! worst fit.

use ndarray::{Array2, ArrayView2, Axis, s};

use crate::linalg::linear_map::LinearMap;
use crate::linalg::product::multiply;
use crate::samples::fold::{FoldPlan, fold};
use crate::samples::{Samples, dense_rows};
use crate::{FitError, Real, SamplesError};

/// Maximum number of revivals of one component.
const MAX_REVIVALS: usize = 3;
/// Squared residuals below this multiple of ε times the mean squared norm of a sample are rounding errors.
const ROUNDING_FACTOR: f64 = 64.0;

/// Dead components that may be revived.
pub(super) fn dead<T: Real>(weights_gram: &Array2<T>, gram: &Array2<T>, revivals: &[usize]) -> Vec<usize> {
    let zero = T::from_f64(0.0);
    let is_dead = |&k: &usize| weights_gram[[k, k]] == zero || gram[[k, k]] == zero;
    (0..revivals.len()).filter(is_dead).filter(|&k| revivals[k] < MAX_REVIVALS).collect()
}

/// Finds the samples with the largest residuals.
pub(super) struct Residuals<'a, T: Real> {
    pub(super) map: &'a LinearMap<T>,
    /// A·Aᵀ.
    pub(super) gram: ArrayView2<'a, T>,
    /// ‖Y‖².
    pub(super) squares: f64,
}

impl<T: Real> Residuals<'_, T> {
    /// The indices of at most `count` samples, largest residual first; residuals at the level of rounding are excluded.
    pub(super) fn largest(
        &self,
        samples: &dyn Samples<T>,
        weights: &Array2<T>,
        count: usize,
    ) -> Result<Vec<usize>, FitError> {
        let negligible = ROUNDING_FACTOR * T::EPSILON.as_f64() * self.squares / samples.n_samples() as f64;
        let mut worst = fold(
            samples,
            &FoldPlan::new(samples, count),
            &Vec::new,
            &|worst: &mut Vec<(f64, usize)>, first, block| {
                let mut products = Array2::zeros((block.n_samples(), weights.ncols()));
                self.map.apply(&block, products.view_mut());
                let mut squares = vec![0.0; block.n_samples()];
                block.for_each(|i, _, v| squares[i] += v.as_f64().powi(2));
                let x = weights.slice(s![first..first + block.n_samples(), ..]);
                let fitted = multiply(x, self.gram);
                for (i, squares) in squares.into_iter().enumerate() {
                    let gain: f64 = (0..x.ncols())
                        .map(|k| {
                            x[[i, k]].as_f64() * (fitted[[i, k]].as_f64() - 2.0 * products[[i, k]].as_f64())
                        })
                        .sum();
                    worst.push((squares + gain, first + i));
                }
                keep_largest(worst, count);
                Ok::<(), SamplesError>(())
            },
            &|worst, others| {
                worst.extend(others);
                keep_largest(worst, count);
            },
        )?;
        worst.retain(|&(residual, _)| residual > negligible);
        Ok(worst.into_iter().map(|(_, sample)| sample).collect())
    }
}

/// Keeps the `count` largest in descending order; ties go to the earlier sample.
fn keep_largest(list: &mut Vec<(f64, usize)>, count: usize) {
    list.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    list.truncate(count);
}

/// The residual of a sample, as 1 × width in the space of the samples.
pub(super) fn residual_direction<T: Real>(
    samples: &dyn Samples<T>,
    sample: usize,
    weights: &Array2<T>,
    map: &LinearMap<T>,
) -> Result<Array2<T>, FitError> {
    let sample_row = dense_rows(samples, &[sample])?;
    Ok(sample_row - multiply(weights.row(sample).insert_axis(Axis(0)), map.matrix()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::product::frobenius;
    use crate::samples::DenseSamples;
    use crate::testing::random_matrix;

    #[test]
    fn the_samples_with_the_largest_residuals_are_found_in_order() {
        let y = random_matrix::<f64>(700, 9, 1);
        let (weights, components) = (random_matrix::<f64>(700, 3, 2), random_matrix::<f64>(3, 9, 3));
        let residual = &y - &weights.dot(&components);
        let mut expected: Vec<usize> = (0..700).collect();
        expected.sort_by(|&a, &b| {
            let size = |i: usize| frobenius(residual.row(i).insert_axis(Axis(0)));
            size(b).total_cmp(&size(a))
        });
        let samples = DenseSamples::new(y.view()).unwrap();
        let (map, gram) = (LinearMap::new(components.clone(), false), components.dot(&components.t()));
        let residuals = Residuals { map: &map, gram: gram.view(), squares: frobenius(y.view()).powi(2) };
        assert_eq!(residuals.largest(&samples, &weights, 4).unwrap(), expected[..4]);
        let residual_row = residual_direction(&samples, expected[0], &weights, &map).unwrap();
        assert!(frobenius((&residual_row - &residual.row(expected[0]).insert_axis(Axis(0))).view()) < 1e-12);
    }

    #[test]
    fn residuals_at_the_level_of_rounding_are_excluded() {
        let (weights, components) = (random_matrix::<f64>(300, 3, 2), random_matrix::<f64>(3, 9, 3));
        let y = weights.dot(&components);
        let samples = DenseSamples::new(y.view()).unwrap();
        let (map, gram) = (LinearMap::new(components.clone(), false), components.dot(&components.t()));
        let residuals = Residuals { map: &map, gram: gram.view(), squares: frobenius(y.view()).powi(2) };
        assert!(residuals.largest(&samples, &weights, 4).unwrap().is_empty());
    }

    #[test]
    fn components_are_not_revived_more_often_than_the_maximum() {
        let mut gram = Array2::<f64>::eye(4);
        gram[[1, 1]] = 0.0;
        let mut weights_gram = Array2::<f64>::eye(4);
        weights_gram[[2, 2]] = 0.0;
        assert_eq!(dead(&weights_gram, &gram, &[0, 0, 2, 0]), [1, 2]);
        assert_eq!(dead(&weights_gram, &gram, &[0, 0, MAX_REVIVALS, 0]), [1]);
    }
}
