//! RecoverKL: minimize KL(q ‖ Σ_k c_k s_k) over c ≥ 0 with Σc = 1.
//!
//! The authors use exponentiated gradient, which takes hundreds of steps. Here each step minimizes the quadratic
//! model of the divergence over the simplex (sequential quadratic programming), restricted to a working set: the
//! corners with weight and those with the steepest gradient. Starting from the minimum of the squared distance, it
//! converges in a few steps. The gradients of several words are one matrix product.

use ndarray::{Array1, Array2, ArrayView2, ArrayViewMut1, ArrayViewMut2, Axis, s};

use super::simplex_qp::SimplexQp;
use crate::SamplesError;
use crate::linalg::product::{gram_add_lower, mirror_lower, multiply};

/// Maximum number of corners that join the working set in one step.
const MAX_NEW_CORNERS: usize = 16;
/// Maximum number of steps; convergence takes far fewer, and the gap reports the remaining error.
const MAX_STEPS: usize = 300;
/// If a gradient exceeds its value at the minimum by this factor, the start is too far for a quadratic model.
const FAR_START: f64 = 10.0;
/// Maximum number of halvings in the line search.
const MAX_HALVINGS: i32 = 40;
/// Armijo condition: the fraction of the linear prediction that a step must gain.
const SUFFICIENT_DECREASE: f64 = 1e-4;
/// Regularization of the quadratic model, relative to its largest diagonal entry: duplicate corners must not make it
/// singular. It changes the path, not the minimum.
const RIDGE: f64 = 1e-10;

/// The minimization of the divergence over mixtures of given corners.
pub(super) struct KlProblem<'a> {
    /// Topics × words; rows sum to 1.
    corners: &'a Array2<f64>,
    /// Words that occur in a corner. Others are omitted from the targets: they would make the divergence infinite.
    covered: Vec<bool>,
    tolerance: f64,
}

/// The descent of one target.
struct KlDescent {
    /// The index of the target.
    index: usize,
    /// The target, restricted to covered words.
    target: Vec<f64>,
    /// The sum of the target.
    mass: f64,
    /// The mixture Σ_k c_k s_k.
    mixture: Array1<f64>,
}

impl<'a> KlProblem<'a> {
    pub(super) fn new(corners: &'a Array2<f64>, tolerance: f64) -> Self {
        let covered = corners.axis_iter(Axis(1)).map(|word| word.iter().any(|&v| v > 0.0)).collect();
        Self { corners, covered, tolerance }
    }

    /// Moves the weights (targets × topics, rows on the simplex or zero) to the minimum; returns the duality gap of
    /// each target. Zero targets keep their weights.
    pub(super) fn minimize(
        &self,
        targets: ArrayView2<'_, f64>,
        mut weights: ArrayViewMut2<'_, f64>,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<Array1<f64>, SamplesError> {
        let mut gaps = Array1::zeros(targets.nrows());
        let mut active: Vec<KlDescent> =
            (0..targets.nrows()).filter_map(|index| self.init(targets, index, &mut weights)).collect();
        for step in 0..MAX_STEPS {
            if stop() {
                return Err(SamplesError::Cancelled);
            }
            let gains = self.gains(&active);
            let mut row = 0;
            active.retain_mut(|descent| {
                let (gains, mut weights) = (gains.row(row), weights.row_mut(descent.index));
                row += 1;
                let largest = gains.iter().copied().fold(0.0, f64::max);
                gaps[descent.index] = (largest - descent.mass).max(0.0);
                if gaps[descent.index] <= self.tolerance {
                    return false;
                }
                if step == 0 && largest > FAR_START * descent.mass {
                    mix_with_uniform(&mut weights);
                    descent.mixture = self.corners.t().dot(&weights);
                    return true;
                }
                let mut c = weights.to_vec();
                let moved = self.step(descent, &gains.to_vec(), &mut c);
                weights.iter_mut().zip(c).for_each(|(weight, c)| *weight = c);
                moved
            });
            if active.is_empty() {
                break;
            }
        }
        Ok(gaps)
    }

    fn init(
        &self,
        targets: ArrayView2<'_, f64>,
        index: usize,
        weights: &mut ArrayViewMut2<'_, f64>,
    ) -> Option<KlDescent> {
        let restricted = |(&q, &covered): (&f64, &bool)| if covered { q } else { 0.0 };
        let target: Vec<f64> = targets.row(index).iter().zip(&self.covered).map(restricted).collect();
        let mass: f64 = target.iter().sum();
        if mass <= 0.0 {
            return None;
        }
        let mut c = weights.row_mut(index);
        let mut mixture = self.corners.t().dot(&c);
        if target.iter().zip(&mixture).any(|(&q, &m)| q > 0.0 && m <= 0.0) {
            // The divergence is infinite here, but finite if every corner has some weight.
            mix_with_uniform(&mut c);
            mixture = self.corners.t().dot(&c);
        }
        Some(KlDescent { index, target, mass, mixture })
    }

    /// The negative gradient Σ_j q_j s_kj / m_j: at the minimum it is at most the mass of the target, and equal to it
    /// for corners with weight.
    fn gains(&self, active: &[KlDescent]) -> Array2<f64> {
        let mut ratios = Array2::zeros((active.len(), self.corners.ncols()));
        for (mut ratios, descent) in ratios.outer_iter_mut().zip(active) {
            for ((ratio, &q), &m) in ratios.iter_mut().zip(&descent.target).zip(&descent.mixture) {
                *ratio = if q > 0.0 { q / m } else { 0.0 };
            }
        }
        multiply(ratios.view(), self.corners.t())
    }

    /// Takes one step; returns false if no further progress is possible.
    fn step(&self, descent: &mut KlDescent, gains: &[f64], weights: &mut [f64]) -> bool {
        let chosen = working_set(weights, gains, descent.mass);
        let minimum = self.model_minimum(descent, gains, weights, &chosen);
        let direction: Array1<f64> = self.mix(&chosen, &minimum) - &descent.mixture;
        // Subtracting the mass avoids cancellation; it does not change the sum, since both weights sum to 1.
        let gain = |(&k, &minimum): (&usize, &f64)| (gains[k] - descent.mass) * (minimum - weights[k]);
        let expected_gain: f64 = chosen.iter().zip(&minimum).map(gain).sum();
        if expected_gain <= 0.0 {
            return false;
        }
        let Some(length) = (0..MAX_HALVINGS).map(|halvings| 0.5_f64.powi(halvings)).find(|&length| {
            length * expected_gain - model_error(descent, &direction, length)
                >= SUFFICIENT_DECREASE * length * expected_gain
        }) else {
            return false;
        };
        for (&k, &minimum) in chosen.iter().zip(&minimum) {
            weights[k] = if length == 1.0 { minimum } else { weights[k] + length * (minimum - weights[k]) };
        }
        descent.mixture.scaled_add(length, &direction);
        true
    }

    /// The minimum of the quadratic model over the working set.
    fn model_minimum(
        &self,
        descent: &KlDescent,
        gains: &[f64],
        weights: &[f64],
        chosen: &[usize],
    ) -> Vec<f64> {
        let size = chosen.len();
        let scale: Array1<f64> = descent
            .target
            .iter()
            .zip(&descent.mixture)
            .map(|(&q, &m)| if q > 0.0 { q.sqrt() / m } else { 0.0 })
            .collect();
        let scaled = self.corners.select(Axis(0), chosen) * &scale;
        let mut curvature = Array2::zeros((size, size));
        gram_add_lower(curvature.view_mut(), scaled.t());
        mirror_lower(&mut curvature);
        let current: Array1<f64> = chosen.iter().map(|&k| weights[k]).collect();
        let ridge = RIDGE * curvature.diag().iter().copied().fold(f64::MIN_POSITIVE, f64::max);
        curvature.diag_mut().mapv_inplace(|v| v + ridge);
        let linear: Array1<f64> =
            curvature.dot(&current) + chosen.iter().map(|&k| gains[k]).collect::<Array1<f64>>();
        let mut solver = SimplexQp::new(size);
        solver.minimize(
            curvature.as_slice().expect("row-major"),
            linear.as_slice().expect("one row"),
            0.01 * self.tolerance,
        );
        solver.weights().to_vec()
    }

    fn mix(&self, chosen: &[usize], weights: &[f64]) -> Array1<f64> {
        let mut mixture = Array1::zeros(self.corners.ncols());
        for (&k, &weight) in chosen.iter().zip(weights).filter(|(_, weight)| **weight > 0.0) {
            mixture.scaled_add(weight, &self.corners.slice(s![k, ..]));
        }
        mixture
    }
}

/// Averages the weights with uniform ones, so that every corner has some weight, which bounds the gradient.
fn mix_with_uniform(weights: &mut ArrayViewMut1<'_, f64>) {
    let even = 1.0 / weights.len() as f64;
    weights.mapv_inplace(|c| 0.5 * (c + even));
}

/// The working set: the corners with weight, and those without weight that have the steepest gradient.
fn working_set(weights: &[f64], gains: &[f64], mass: f64) -> Vec<usize> {
    let mut chosen: Vec<usize> = (0..weights.len()).filter(|&k| weights[k] > 0.0).collect();
    let mut others: Vec<usize> =
        (0..weights.len()).filter(|&k| weights[k] <= 0.0 && gains[k] > mass).collect();
    others.sort_by(|&a, &b| gains[b].total_cmp(&gains[a]).then(a.cmp(&b)));
    chosen.extend(others.into_iter().take(MAX_NEW_CORNERS));
    chosen
}

/// The gain of a step of this length predicted by the gradient, minus the actual gain. Computed term by term to avoid
/// cancellation.
fn model_error(descent: &KlDescent, direction: &Array1<f64>, length: f64) -> f64 {
    let terms = descent.target.iter().zip(&descent.mixture).zip(direction).filter(|((q, _), _)| **q > 0.0);
    let ratios = terms.map(|((q, m), t)| (q, (length * t / m).max(-1.0)));
    ratios.map(|(q, ratio)| q * (ratio - ratio.ln_1p())).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::random_matrix;

    fn distributions(n: usize, words: usize, power: i32, seed: u64) -> Array2<f64> {
        let mut rows = random_matrix::<f64>(n, words, seed).mapv(|v| v.abs().powi(power));
        for mut row in rows.outer_iter_mut() {
            row /= row.sum();
        }
        rows
    }

    fn divergence(target: &Array1<f64>, mixture: &Array1<f64>) -> f64 {
        let terms = target.iter().zip(mixture);
        terms.filter(|(q, _)| **q > 0.0).map(|(q, m)| q * (q / m).ln()).sum()
    }

    /// Exponentiated gradient with an adaptive step size, as in the paper.
    fn oracle(corners: &Array2<f64>, target: &Array1<f64>) -> Array1<f64> {
        let value = |c: &Array1<f64>| divergence(target, &corners.t().dot(c));
        let mut c = Array1::from_elem(corners.nrows(), 1.0 / corners.nrows() as f64);
        let mut step = 1.0;
        for _ in 0..100_000 {
            let gains = corners.dot(&(target / &corners.t().dot(&c)));
            let mut next = &c * &gains.mapv(|g| (step * (g - 1.0)).exp());
            next /= next.sum();
            if value(&next) <= value(&c) {
                c = next;
                step *= 1.1;
            } else {
                step *= 0.5;
            }
        }
        c
    }

    fn minimize(corners: &Array2<f64>, targets: &Array2<f64>, tolerance: f64) -> (Array2<f64>, Array1<f64>) {
        let shape = (targets.nrows(), corners.nrows());
        let mut weights = Array2::zeros(shape);
        weights.column_mut(0).fill(1.0);
        let gaps = KlProblem::new(corners, tolerance)
            .minimize(targets.view(), weights.view_mut(), &|| false)
            .unwrap();
        (weights, gaps)
    }

    #[test]
    fn the_minimum_equals_that_of_exponentiated_gradient() {
        let (corners, targets) = (distributions(7, 25, 2, 1), distributions(5, 25, 2, 2));
        let (weights, gaps) = minimize(&corners, &targets, 1e-12);
        assert!(gaps.iter().all(|&gap| gap <= 1e-12), "{gaps:?}");
        for (i, target) in targets.outer_iter().enumerate() {
            let (found, target) = (weights.row(i).to_owned(), target.to_owned());
            let expected = oracle(&corners, &target);
            assert!((&found - &expected).iter().all(|d| d.abs() < 1e-5), "{found} {expected}");
        }
    }

    #[test]
    fn the_gap_converges_for_many_corners_and_spiky_data() {
        for (rank, words, power, seed) in [(1, 10, 2, 1), (60, 200, 8, 2), (60, 50, 6, 3), (30, 300, 20, 4)] {
            let (corners, targets) =
                (distributions(rank, words, power, seed), distributions(20, words, power, seed + 50));
            let (weights, gaps) = minimize(&corners, &targets, 1e-9);
            assert!(gaps.iter().all(|&gap| gap <= 1e-9), "{rank}: {gaps:?}");
            for weights in weights.outer_iter() {
                assert!(weights.iter().all(|&c| c >= 0.0) && (weights.sum() - 1.0).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn zeros_and_words_without_a_corner_give_finite_results() {
        let corners = ndarray::array![[0.5, 0.5, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]];
        let targets = ndarray::array![
            [0.25, 0.25, 0.5, 0.0], // half of each; infinite divergence at either corner
            [0.0, 0.0, 0.0, 1.0],   // no word in common with any corner
            [0.0, 0.0, 0.5, 0.5],   // one word in common
            [0.0, 0.0, 0.0, 0.0]
        ];
        let (weights, gaps) = minimize(&corners, &targets, 1e-12);
        assert!(gaps.iter().all(|&gap| gap <= 1e-12), "{gaps:?}");
        assert!((weights[[0, 0]] - 0.5).abs() < 1e-6);
        assert_eq!(weights.row(1).to_vec(), [1.0, 0.0]);
        assert!(weights[[2, 1]] > 1.0 - 1e-9);
        assert!(weights.iter().all(|c| c.is_finite()));
    }
}
