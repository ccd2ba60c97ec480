//! The paper's general correlation conditions (GCC), estimated from weights.

use ndarray::{Array2, ArrayView2, Axis};
use serde::Serialize;

use super::decay::decay_order;
use super::input::{MatrixError, check_weights};
use super::scaling::Scaling;
use crate::Real;
use crate::linalg::product::{gram_add_lower, mirror_lower};
use crate::linalg::symmetric::eigenvalues;

/// Number of rows converted to double precision at a time.
const BLOCK_ROWS: usize = 1024;

/// The tightest (r, k, m, λ) for which weights meet the paper's general correlation conditions (GCC), and the order q
/// of the decay condition.
///
/// With Δ the mean of x xᵀ over the samples and D components, the definition requires ‖x‖₁ ≤ r with weights in [0, 1],
/// Δ_ii ≤ 2k/D, Δ_ij ≤ m/D² for i ≠ j, and Δ ⪰ (k/D)·λ·I. Each value here makes its condition an equality. The factor 2
/// matters when comparing with the paper's examples: weights uniform over s-sparse binary vectors meet the definition
/// with k = s/2 and λ = 2(D−s)/(D−1), while the paper's proposition states the looser k = s and λ = 1 − 1/s; r = s, and
/// m = s(s−1)·D/(D−1) ≤ s².
///
/// ```
/// use andnmf::theory::GeneralCorrelationConditions;
/// let weights = ndarray::array![[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.0, 0.0]];
/// let conditions = GeneralCorrelationConditions::of(weights.view())?;
/// assert_eq!((conditions.r, conditions.k, conditions.m), (2.0, 0.5, 1.0));
/// # Ok::<(), andnmf::theory::MatrixError>(())
/// ```
#[derive(Serialize, Clone, Debug, PartialEq)]
pub struct GeneralCorrelationConditions {
    /// Number of samples used.
    pub n_samples: usize,
    /// Number of components, the paper's D.
    pub rank: usize,
    /// How the weights were first scaled.
    pub scaling: Scaling,
    /// The largest sum of weights of a sample.
    pub r: f64,
    /// D/2 times the largest second moment of a weight.
    pub k: f64,
    /// D² times the largest mean product of two different weights; 0 with a single component.
    pub m: f64,
    /// D/k times the smallest eigenvalue of Δ, between 0 and 2; 0 if no weight is ever active.
    pub lambda: f64,
    /// The largest q with Pr[x_i ≤ a | x_i ≠ 0] ≤ a^q for every component and threshold a, up to sampling error. Each
    /// component is scaled by its own largest weight, because its scale is arbitrary.
    ///
    /// Infinite (`null` in JSON) if all active weights of each component are equal (binary weights), or if no component
    /// has enough active weights.
    pub decay_order: f64,
    /// Number of components with enough active weights to estimate their decay.
    pub decay_judged: usize,
    /// The share of samples in which each component has a non-zero weight.
    pub active_share: Vec<f64>,
}

impl GeneralCorrelationConditions {
    /// Estimates the conditions from `weights`, n samples × K components: as given if no weight exceeds 1, otherwise with
    /// each component divided by its largest weight. [`best_for_bound`](Self::best_for_bound) compares scalings.
    ///
    /// # Errors
    /// If there are no samples or no components, or a weight is negative or not finite.
    pub fn of<T: Real>(weights: ArrayView2<'_, T>) -> Result<Self, MatrixError> {
        check_weights(weights)?;
        let above_one = weights.iter().any(|weight| weight.as_f64() > 1.0);
        Ok(Self::scaled(weights, if above_one { Scaling::EachComponent } else { Scaling::AsGiven }))
    }

    /// The conditions of valid weights at a scaling.
    pub(super) fn scaled<T: Real>(weights: ArrayView2<'_, T>, scaling: Scaling) -> Self {
        let (n_samples, rank) = weights.dim();
        let divisors = scaling.divisors(weights);
        let WeightStatistics { second, r } = WeightStatistics::of(weights, &divisors);
        let size = rank as f64;
        let k = size / 2.0 * second.diag().iter().copied().fold(0.0, f64::max);
        let off_diagonal = second.indexed_iter().filter(|((i, j), _)| i != j);
        let m = size * size * off_diagonal.map(|(_, &v)| v).fold(0.0, f64::max);
        let smallest = eigenvalues(second.view()).and_then(|v| v.first().copied()).unwrap_or(0.0);
        // Rounding can make the smallest eigenvalue of a singular matrix negative.
        let lambda = if k > 0.0 { size * smallest.max(0.0) / k } else { 0.0 };

        let mut active_share = Vec::with_capacity(rank);
        let mut orders = Vec::new();
        for column in weights.columns() {
            let active: Vec<f64> = column.iter().map(|v| v.as_f64()).filter(|&v| v > 0.0).collect();
            active_share.push(active.len() as f64 / n_samples as f64);
            orders.extend(decay_order(active));
        }
        Self {
            n_samples,
            rank,
            scaling,
            r,
            k,
            m,
            lambda,
            decay_order: orders.iter().copied().fold(f64::INFINITY, f64::min),
            decay_judged: orders.len(),
            active_share,
        }
    }
}

/// Statistics from one pass over the weights.
struct WeightStatistics {
    /// Δ, the mean of x xᵀ.
    second: Array2<f64>,
    /// The largest sum of weights of a sample.
    r: f64,
}

impl WeightStatistics {
    fn of<T: Real>(weights: ArrayView2<'_, T>, divisors: &[f64]) -> Self {
        let (n_samples, rank) = weights.dim();
        let (mut second, mut r) = (Array2::zeros((rank, rank)), 0.0_f64);
        for block in weights.axis_chunks_iter(Axis(0), BLOCK_ROWS) {
            let scaled = Array2::from_shape_fn(block.dim(), |(i, j)| block[[i, j]].as_f64() / divisors[j]);
            gram_add_lower(second.view_mut(), scaled.view());
            r = scaled.rows().into_iter().map(|x| x.sum()).fold(r, f64::max);
        }
        mirror_lower(&mut second);
        second /= n_samples as f64;
        Self { second, r }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    #[track_caller]
    fn assert_near(given: f64, expected: f64, relative: f64) {
        assert!((given - expected).abs() <= relative * expected.abs(), "{given} instead of {expected}");
    }

    /// Samples with `active` weights of 1 at random components.
    fn sparse_binary(samples: usize, rank: usize, active: usize, seed: u64) -> Array2<f64> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut weights = Array2::zeros((samples, rank));
        for mut x in weights.rows_mut() {
            let mut components: Vec<usize> = (0..rank).collect();
            for _ in 0..active {
                x[components.swap_remove(rng.random_range(0..components.len()))] = 1.0;
            }
        }
        weights
    }

    #[test]
    fn a_small_case_by_hand() {
        // Δ = [[1/2, 1/4], [1/4, 1/2]] with eigenvalues 1/4 and 3/4.
        let weights = array![[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.0, 0.0]];
        let conditions = GeneralCorrelationConditions::of(weights.view()).unwrap();
        assert_eq!((conditions.r, conditions.k, conditions.m), (2.0, 0.5, 1.0));
        assert_near(conditions.lambda, 1.0, 1e-14);
        assert_eq!(conditions.active_share, [0.5, 0.5]);
        assert_eq!((conditions.n_samples, conditions.rank, conditions.scaling), (4, 2, Scaling::AsGiven));
    }

    #[test]
    fn all_sparse_binary_vectors_give_the_values_of_the_definition() {
        let (rank, s) = (8_usize, 3_u32);
        let patterns: Vec<u32> = (0..1 << rank).filter(|p: &u32| p.count_ones() == s).collect();
        let weights = Array2::from_shape_fn((patterns.len(), rank), |(i, j)| f64::from(patterns[i] >> j & 1));
        let conditions = GeneralCorrelationConditions::of(weights.view()).unwrap();
        assert_eq!(conditions.r, 3.0);
        assert_near(conditions.k, 1.5, 1e-14);
        assert_near(conditions.m, 3.0 * 2.0 * 8.0 / 7.0, 1e-14);
        assert_near(conditions.lambda, 2.0 * 5.0 / 7.0, 1e-13);
    }

    #[test]
    fn sampled_sparse_binary_weights_come_near_the_proposition() {
        let conditions = GeneralCorrelationConditions::of(sparse_binary(50_000, 20, 4, 1).view()).unwrap();
        assert_eq!(conditions.r, 4.0);
        assert_near(conditions.k, 2.0, 0.05);
        // The largest of 190 estimates of s(s−1)·20/19 = 12.6; the proposition's s² is the bound.
        assert!(conditions.m > 12.6 && conditions.m < 16.0, "{}", conditions.m);
        assert_near(conditions.lambda, 2.0 * 16.0 / 19.0, 0.1);
        assert_eq!((conditions.decay_order, conditions.decay_judged), (f64::INFINITY, 20));
        assert!(conditions.active_share.iter().all(|&share| (share - 0.2).abs() < 0.01));
    }

    #[test]
    fn the_decay_order_is_that_of_the_worst_component() {
        let mut rng = ChaCha8Rng::seed_from_u64(2);
        let mut weights = sparse_binary(20_000, 6, 3, 3);
        for x in &mut weights {
            *x *= rng.random_range(0.0..1.0_f64).powf(1.0 / 4.0);
        }
        let conditions = GeneralCorrelationConditions::of(weights.view()).unwrap();
        assert_near(conditions.decay_order, 4.0, 0.1);
        weights.column_mut(2).mapv_inplace(|x| x * x); // halves the order of this one
        let conditions = GeneralCorrelationConditions::of(weights.view()).unwrap();
        assert_near(conditions.decay_order, 2.0, 0.1);
    }

    #[test]
    fn weights_above_one_are_rescaled_per_component() {
        let weights = sparse_binary(3000, 5, 2, 4);
        let plain = GeneralCorrelationConditions::of(weights.view()).unwrap();
        let scaled = &weights * &array![4.0, 0.5, 2.0, 8.0, 1024.0];
        let conditions = GeneralCorrelationConditions::of(scaled.view()).unwrap();
        assert_eq!((conditions.scaling, plain.scaling), (Scaling::EachComponent, Scaling::AsGiven));
        assert_eq!(GeneralCorrelationConditions { scaling: Scaling::AsGiven, ..conditions }, plain);
    }

    #[test]
    fn weights_up_to_one_keep_their_scale() {
        let weights = array![[0.5, 0.0], [0.0, 0.25]];
        let conditions = GeneralCorrelationConditions::of(weights.view()).unwrap();
        assert_eq!((conditions.r, conditions.k, conditions.m), (0.5, 0.125, 0.0));
        assert_eq!(conditions.scaling, Scaling::AsGiven);
    }

    #[test]
    fn weights_that_are_never_active_give_zeros_and_no_nan() {
        let conditions = GeneralCorrelationConditions::of(Array2::<f32>::zeros((30, 3)).view()).unwrap();
        assert_eq!((conditions.r, conditions.k, conditions.m, conditions.lambda), (0.0, 0.0, 0.0, 0.0));
        assert_eq!((conditions.active_share, conditions.decay_judged), (vec![0.0; 3], 0));
    }

    #[test]
    fn identical_components_have_lambda_zero() {
        let mut weights = sparse_binary(1000, 4, 2, 5);
        let twin = weights.column(0).to_owned();
        weights.column_mut(1).assign(&twin);
        let conditions = GeneralCorrelationConditions::of(weights.view()).unwrap();
        assert!((0.0..1e-12).contains(&conditions.lambda), "{}", conditions.lambda);
    }

    #[test]
    fn a_single_component_has_no_pairs() {
        let conditions = GeneralCorrelationConditions::of(array![[1.0], [0.0]].view()).unwrap();
        assert_eq!((conditions.k, conditions.m, conditions.lambda), (0.25, 0.0, 2.0));
    }

    #[test]
    fn an_infinite_order_is_null_in_json() {
        let conditions = GeneralCorrelationConditions::of(sparse_binary(100, 3, 1, 6).view()).unwrap();
        assert!(serde_json::to_value(&conditions).unwrap()["decay_order"].is_null());
    }

    #[test]
    fn negative_weights_are_refused() {
        let error = GeneralCorrelationConditions::of(array![[0.0, -1.0]].view()).unwrap_err();
        assert!(matches!(error, MatrixError::Negative { row: 0, column: 1, .. }));
    }
}
