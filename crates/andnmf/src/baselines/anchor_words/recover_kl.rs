//! Mixtures of least divergence: minimise KL(q ‖ Σ_k c_k s_k) over c ≥ 0 with Σc = 1.
//!
//! The authors descend by exponentiated gradient, which takes hundreds of steps. Here each step minimises the
//! quadratic model of the divergence over the simplex (sequential quadratic programming), on the corners that have
//! weight and those that would gain the most; a few steps get to the same minimum, and start from that of the squared
//! distance. Gradients of several words are one product of matrices.

use ndarray::{Array1, Array2, ArrayView2, ArrayViewMut1, ArrayViewMut2, Axis, s};

use super::simplex_qp::SimplexQp;
use crate::SamplesError;
use crate::linalg::product::{gram_add_lower, mirror_lower, multiply};

/// Corners without weight that may gain some in one step.
const NEWCOMERS: usize = 16;
/// Steps take far fewer; what is left then is told by the gap.
const MOST_STEPS: usize = 300;
/// A start from which a corner gains this many times what it would at the minimum is too far for a quadratic model.
const FAR: f64 = 10.0;
/// Halvings of a step before it counts as lost in rounding.
const MOST_HALVINGS: i32 = 40;
/// A step is taken where it gains this share of what its slope promises.
const SUFFICIENT: f64 = 1e-4;
/// Added to the diagonal of the quadratic model, relative to its largest entry: corners that cannot be told apart
/// must not make it singular. Only the way to the minimum depends on it.
const RIDGE: f64 = 1e-10;

/// The divergence from mixtures of certain corners.
pub(super) struct Divergence<'a> {
    /// Topics × words, rows that add up to one.
    corners: &'a Array2<f64>,
    /// Words that some corner has. The divergence is infinite where a target has others: they are left out.
    covered: Vec<bool>,
    tolerance: f64,
}

/// One target on its way to its mixture.
struct Descent {
    /// The number of the target.
    number: usize,
    /// Values of the target where some corner has any.
    target: Vec<f64>,
    /// Their sum.
    mass: f64,
    /// The mixture Σ_k c_k s_k.
    mixture: Array1<f64>,
}

impl<'a> Divergence<'a> {
    pub(super) fn new(corners: &'a Array2<f64>, tolerance: f64) -> Self {
        let covered = corners.axis_iter(Axis(1)).map(|word| word.iter().any(|&v| v > 0.0)).collect();
        Self { corners, covered, tolerance }
    }

    /// Brings the weights (targets × topics, rows on the simplex or zero) to their minimum, and returns the duality
    /// gap of each target. Targets that are zero keep their weights.
    pub(super) fn minimise(
        &self,
        targets: ArrayView2<'_, f64>,
        mut weights: ArrayViewMut2<'_, f64>,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<Array1<f64>, SamplesError> {
        let mut gaps = Array1::zeros(targets.nrows());
        let mut going: Vec<Descent> =
            (0..targets.nrows()).filter_map(|number| self.begin(targets, number, &mut weights)).collect();
        for step in 0..MOST_STEPS {
            if stop() {
                return Err(SamplesError::Cancelled);
            }
            let gains = self.gains(&going);
            let mut row = 0;
            going.retain_mut(|descent| {
                let (gains, mut weights) = (gains.row(row), weights.row_mut(descent.number));
                row += 1;
                let most = gains.iter().copied().fold(0.0, f64::max);
                gaps[descent.number] = (most - descent.mass).max(0.0);
                if gaps[descent.number] <= self.tolerance {
                    return false;
                }
                if step == 0 && most > FAR * descent.mass {
                    even_out(&mut weights);
                    descent.mixture = self.corners.t().dot(&weights);
                    return true;
                }
                let mut c = weights.to_vec();
                let moved = self.step(descent, &gains.to_vec(), &mut c);
                weights.iter_mut().zip(c).for_each(|(weight, c)| *weight = c);
                moved
            });
            if going.is_empty() {
                break;
            }
        }
        Ok(gaps)
    }

    fn begin(
        &self,
        targets: ArrayView2<'_, f64>,
        number: usize,
        weights: &mut ArrayViewMut2<'_, f64>,
    ) -> Option<Descent> {
        let kept = |(&q, &covered): (&f64, &bool)| if covered { q } else { 0.0 };
        let target: Vec<f64> = targets.row(number).iter().zip(&self.covered).map(kept).collect();
        let mass: f64 = target.iter().sum();
        if mass <= 0.0 {
            return None;
        }
        let mut c = weights.row_mut(number);
        let mut mixture = self.corners.t().dot(&c);
        if target.iter().zip(&mixture).any(|(&q, &m)| q > 0.0 && m <= 0.0) {
            // The divergence is infinite here, but not where every corner has some weight.
            even_out(&mut c);
            mixture = self.corners.t().dot(&c);
        }
        Some(Descent { number, target, mass, mixture })
    }

    /// What more weight on each corner gains, Σ_j q_j s_kj / m_j: at the minimum at most the mass of the target, and
    /// equal to it for corners with weight.
    fn gains(&self, going: &[Descent]) -> Array2<f64> {
        let mut ratios = Array2::zeros((going.len(), self.corners.ncols()));
        for (mut ratios, descent) in ratios.outer_iter_mut().zip(going) {
            for ((ratio, &q), &m) in ratios.iter_mut().zip(&descent.target).zip(&descent.mixture) {
                *ratio = if q > 0.0 { q / m } else { 0.0 };
            }
        }
        multiply(ratios.view(), self.corners.t())
    }

    /// Moves the weights and the mixture; false where nothing more can be gained.
    fn step(&self, descent: &mut Descent, gains: &[f64], weights: &mut [f64]) -> bool {
        let chosen = working_set(weights, gains, descent.mass);
        let aim = self.aim(descent, gains, weights, &chosen);
        let towards: Array1<f64> = self.mix(&chosen, &aim) - &descent.mixture;
        // The mass less does not change the sum, since both weights add up to one, but leaves small numbers only.
        let gain = |(&k, &aim): (&usize, &f64)| (gains[k] - descent.mass) * (aim - weights[k]);
        let promised: f64 = chosen.iter().zip(&aim).map(gain).sum();
        if promised <= 0.0 {
            return false;
        }
        let Some(length) = (0..MOST_HALVINGS).map(|halvings| 0.5_f64.powi(halvings)).find(|&length| {
            length * promised - lost(descent, &towards, length) >= SUFFICIENT * length * promised
        }) else {
            return false;
        };
        for (&k, &aim) in chosen.iter().zip(&aim) {
            weights[k] = if length == 1.0 { aim } else { weights[k] + length * (aim - weights[k]) };
        }
        descent.mixture.scaled_add(length, &towards);
        true
    }

    /// The minimum of the quadratic model over the chosen corners.
    fn aim(&self, descent: &Descent, gains: &[f64], weights: &[f64], chosen: &[usize]) -> Vec<f64> {
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
        solver.minimise(
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

/// Gives every corner some weight, which bounds what more of it can gain.
fn even_out(weights: &mut ArrayViewMut1<'_, f64>) {
    let even = 1.0 / weights.len() as f64;
    weights.mapv_inplace(|c| 0.5 * (c + even));
}

/// The corners with weight, and those without that gain the most.
fn working_set(weights: &[f64], gains: &[f64], mass: f64) -> Vec<usize> {
    let mut chosen: Vec<usize> = (0..weights.len()).filter(|&k| weights[k] > 0.0).collect();
    let mut others: Vec<usize> =
        (0..weights.len()).filter(|&k| weights[k] <= 0.0 && gains[k] > mass).collect();
    others.sort_by(|&a, &b| gains[b].total_cmp(&gains[a]).then(a.cmp(&b)));
    chosen.extend(others.into_iter().take(NEWCOMERS));
    chosen
}

/// What a step of this length gains less than its slope promises. It is the difference of two sums that are close to
/// each other, and precise because it is taken term by term.
fn lost(descent: &Descent, towards: &Array1<f64>, length: f64) -> f64 {
    let terms = descent.target.iter().zip(&descent.mixture).zip(towards).filter(|((q, _), _)| **q > 0.0);
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

    /// Exponentiated gradient with a step that adapts, as in the paper.
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

    fn minimise(corners: &Array2<f64>, targets: &Array2<f64>, tolerance: f64) -> (Array2<f64>, Array1<f64>) {
        let shape = (targets.nrows(), corners.nrows());
        let mut weights = Array2::zeros(shape);
        weights.column_mut(0).fill(1.0);
        let gaps = Divergence::new(corners, tolerance)
            .minimise(targets.view(), weights.view_mut(), &|| false)
            .unwrap();
        (weights, gaps)
    }

    #[test]
    fn the_minimum_is_that_of_a_long_exponentiated_gradient() {
        let (corners, targets) = (distributions(7, 25, 2, 1), distributions(5, 25, 2, 2));
        let (weights, gaps) = minimise(&corners, &targets, 1e-12);
        assert!(gaps.iter().all(|&gap| gap <= 1e-12), "{gaps:?}");
        for (i, target) in targets.outer_iter().enumerate() {
            let (found, target) = (weights.row(i).to_owned(), target.to_owned());
            let expected = oracle(&corners, &target);
            assert!((&found - &expected).iter().all(|d| d.abs() < 1e-5), "{found} {expected}");
        }
    }

    #[test]
    fn gaps_close_for_many_corners_and_spiky_data() {
        for (rank, words, power, seed) in [(1, 10, 2, 1), (60, 200, 8, 2), (60, 50, 6, 3), (30, 300, 20, 4)] {
            let (corners, targets) =
                (distributions(rank, words, power, seed), distributions(20, words, power, seed + 50));
            let (weights, gaps) = minimise(&corners, &targets, 1e-9);
            assert!(gaps.iter().all(|&gap| gap <= 1e-9), "{rank}: {gaps:?}");
            for weights in weights.outer_iter() {
                assert!(weights.iter().all(|&c| c >= 0.0) && (weights.sum() - 1.0).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn zeros_and_words_without_a_corner_do_no_harm() {
        let corners = ndarray::array![[0.5, 0.5, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]];
        let targets = ndarray::array![
            [0.25, 0.25, 0.5, 0.0], // half of each, which a start at either corner does not cover
            [0.0, 0.0, 0.0, 1.0],   // nothing in common with any corner
            [0.0, 0.0, 0.5, 0.5],   // partly
            [0.0, 0.0, 0.0, 0.0]
        ];
        let (weights, gaps) = minimise(&corners, &targets, 1e-12);
        assert!(gaps.iter().all(|&gap| gap <= 1e-12), "{gaps:?}");
        assert!((weights[[0, 0]] - 0.5).abs() < 1e-6);
        assert_eq!(weights.row(1).to_vec(), [1.0, 0.0]);
        assert!(weights[[2, 1]] > 1.0 - 1e-9);
        assert!(weights.iter().all(|c| c.is_finite()));
    }
}
