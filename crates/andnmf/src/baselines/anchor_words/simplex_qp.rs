//! Exact least squares over the simplex: minimize ½ cᵀG c − bᵀc over c ≥ 0 with Σc = 1.
//!
//! An active-set method. Solutions are sparse, so the set of positive weights grows from one: the weight with the
//! smallest gradient joins, the problem is solved on the set subject to Σc = 1 alone, and weights that would become
//! negative on the way leave. Every iteration lowers the objective, so no set repeats. The Cholesky factor of G on
//! the set is updated: adding a weight costs one row, removing one the rows after it.

use crate::linalg::dot::dot;

/// Lower bound of a squared pivot, relative to its diagonal entry. With linearly dependent columns the step to the
/// minimum is then very long and ends where a weight leaves the set, as desired: one of those columns is redundant.
const MIN_PIVOT: f64 = 1e-13;
/// Maximum number of full steps; after these, differences of the gradient are rounding errors.
const MAX_FULL_STEPS: usize = 5;

/// A solver for problems of one size, with reusable memory.
#[derive(Debug)]
pub(super) struct SimplexQp {
    size: usize,
    /// The indices of the positive weights, in the order of the factor's rows.
    set: Vec<usize>,
    in_set: Vec<bool>,
    /// Added to every entry of G, which adds a constant to the objective since Σc = 1. It makes affinely independent
    /// points linearly independent.
    shift: f64,
    /// Weights that cannot lower the objective at the current point.
    rejected: Vec<bool>,
    /// Lower triangle, row-major, rows of `size`.
    factor: Vec<f64>,
    gradient: Vec<f64>,
    weights: Vec<f64>,
    direction: Vec<f64>,
    ones: Vec<f64>,
}

impl SimplexQp {
    pub(super) fn new(size: usize) -> Self {
        Self {
            size,
            set: Vec::with_capacity(size),
            in_set: vec![false; size],
            shift: 0.0,
            rejected: vec![false; size],
            factor: vec![0.0; size * size],
            gradient: vec![0.0; size],
            weights: vec![0.0; size],
            direction: Vec::with_capacity(size),
            ones: Vec::with_capacity(size),
        }
    }

    /// The minimum of the last problem.
    pub(super) fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// Solves the problem and returns the duality gap, an upper bound on the suboptimality: at most `tolerance`, unless
    /// limited by rounding.
    ///
    /// `gram` is symmetric and positive semi-definite with `size` rows, `linear` has `size` values.
    pub(super) fn minimize(&mut self, gram: &[f64], linear: &[f64], tolerance: f64) -> f64 {
        let size = self.size;
        let diagonal = |k: usize| gram[k * size + k];
        let at_corner = |k: usize| 0.5 * diagonal(k) - linear[k];
        let first = (0..size).reduce(|best, k| if at_corner(k) < at_corner(best) { k } else { best });
        let first = first.expect("there is at least one weight");
        self.set.clear();
        self.in_set.fill(false);
        self.rejected.fill(false);
        self.weights.fill(0.0);
        self.weights[first] = 1.0;
        self.shift = (0..size).fold(f64::MIN_POSITIVE, |top, k| top.max(diagonal(k)));
        self.add_to_set(first, gram);
        let largest = (0..size).fold(0.0, |top: f64, k| top.max(linear[k].abs()).max(diagonal(k)));
        let rounding = 16.0 * f64::EPSILON * largest;
        // Only rounding errors could lead to this many iterations.
        for _ in 0..20 * size + 100 {
            self.update_gradient(gram, linear);
            let mean = self.mean_gradient();
            let steepest = |out: bool| {
                let allowed = (0..size).filter(|&k| out || !(self.in_set[k] || self.rejected[k]));
                allowed.reduce(|best, k| if self.gradient[k] < self.gradient[best] { k } else { best })
            };
            let gap = steepest(true).map_or(0.0, |k| mean - self.gradient[k]);
            let candidate = steepest(false).filter(|&k| mean - self.gradient[k] > rounding);
            let (Some(next), true) = (candidate, gap > tolerance) else {
                break;
            };
            self.add_to_set(next, gram);
            if self.descend(next, gram, linear, rounding) {
                self.rejected.fill(false);
            } else {
                self.rejected[next] = true;
            }
        }
        self.normalize();
        self.update_gradient(gram, linear);
        let smallest = self.gradient.iter().copied().fold(f64::INFINITY, f64::min);
        (self.mean_gradient() - smallest).max(0.0)
    }

    /// Moves to the minimum on the set, to which `newest` was added last with weight zero. Returns false, with nothing
    /// changed, if its weight would not increase.
    fn descend(&mut self, newest: usize, gram: &[f64], linear: &[f64], rounding: f64) -> bool {
        let (mut moved, mut full_steps) = (false, 0);
        loop {
            self.solve_on_set();
            let decreasing = |&position: &usize| self.direction[position] < 0.0;
            if !moved && self.direction[self.set.len() - 1] <= 0.0 {
                self.remove_from_set(self.set.len() - 1, gram);
                return false;
            }
            moved = true;
            let max_step = |position: usize| self.weights[self.set[position]] / -self.direction[position];
            let blocking = (0..self.set.len())
                .filter(decreasing)
                .reduce(|best, position| if max_step(position) < max_step(best) { position } else { best })
                .filter(|&position| max_step(position) < 1.0);
            let step = blocking.map_or(1.0, max_step);
            for (&k, &d) in self.set.iter().zip(&self.direction) {
                self.weights[k] = (self.weights[k] + step * d).max(0.0);
            }
            let Some(blocking) = blocking else {
                // One full step reaches the minimum unless columns are linearly dependent.
                full_steps += 1;
                self.update_gradient(gram, linear);
                let mean = self.mean_gradient();
                let stationary = self.set.iter().all(|&k| (self.gradient[k] - mean).abs() <= rounding);
                if stationary || full_steps == MAX_FULL_STEPS {
                    return true;
                }
                continue;
            };
            self.weights[self.set[blocking]] = 0.0;
            for position in (0..self.set.len()).rev() {
                let k = self.set[position];
                if self.weights[k] == 0.0 && (k != newest || position == blocking) {
                    self.remove_from_set(position, gram);
                }
            }
            self.update_gradient(gram, linear);
        }
    }

    /// The step from the weights to the minimum on the set: G d = −gradient + τ with Σd = 0.
    fn solve_on_set(&mut self) {
        let mean = self.mean_gradient();
        self.direction.clear();
        // Any constant may be added; this one avoids cancellation close to the minimum.
        self.direction.extend(self.set.iter().map(|&k| mean - self.gradient[k]));
        self.ones.clear();
        self.ones.resize(self.set.len(), 1.0);
        let (factor, size) = (&self.factor, self.size);
        solve(factor, size, &mut self.direction);
        solve(factor, size, &mut self.ones);
        let shift = -self.direction.iter().sum::<f64>() / self.ones.iter().sum::<f64>();
        self.direction.iter_mut().zip(&self.ones).for_each(|(d, one)| *d += shift * one);
    }

    /// gradient ← G c − b.
    fn update_gradient(&mut self, gram: &[f64], linear: &[f64]) {
        self.gradient.iter_mut().zip(linear).for_each(|(slope, b)| *slope = -b);
        for &k in &self.set {
            let (weight, row) = (self.weights[k], &gram[k * self.size..(k + 1) * self.size]);
            self.gradient.iter_mut().zip(row).for_each(|(slope, g)| *slope += weight * g);
        }
    }

    fn mean_gradient(&self) -> f64 {
        self.set.iter().map(|&k| self.weights[k] * self.gradient[k]).sum()
    }

    /// Adds a weight to the set and a row to the factor.
    fn add_to_set(&mut self, k: usize, gram: &[f64]) {
        let (row, size) = (self.set.len(), self.size);
        let (before, rest) = self.factor.split_at_mut(row * size);
        for (i, &other) in self.set.iter().enumerate() {
            let above = &before[i * size..i * size + i + 1];
            let product = gram[k * size + other] + self.shift;
            rest[i] = (product - dot(&above[..i], &rest[..i])) / above[i];
        }
        let own = gram[k * size + k] + self.shift;
        let square = own - dot(&rest[..row], &rest[..row]);
        rest[row] = square.max(MIN_PIVOT * own).sqrt();
        self.set.push(k);
        self.in_set[k] = true;
    }

    /// Removes the weight at a position of the set and recomputes the rows after it.
    fn remove_from_set(&mut self, position: usize, gram: &[f64]) {
        let after = self.set.split_off(position);
        after.iter().for_each(|&k| self.in_set[k] = false);
        for &k in &after[1..] {
            self.add_to_set(k, gram);
        }
    }

    /// Normalizes the weights to sum 1 exactly.
    fn normalize(&mut self) {
        let sum: f64 = self.weights.iter().sum();
        self.weights.iter_mut().for_each(|v| *v /= sum);
    }
}

/// x ← (L Lᵀ)⁻¹ x for the first rows of the factor.
fn solve(factor: &[f64], size: usize, x: &mut [f64]) {
    for i in 0..x.len() {
        let row = &factor[i * size..i * size + i + 1];
        x[i] = (x[i] - dot(&row[..i], &x[..i])) / row[i];
    }
    for i in (0..x.len()).rev() {
        let row = &factor[i * size..i * size + i + 1];
        let value = x[i] / row[i];
        x[i] = value;
        x[..i].iter_mut().zip(row).for_each(|(x, l)| *x -= value * l);
    }
}

#[cfg(test)]
mod tests {
    use ndarray::{Array1, Array2};

    use super::*;
    use crate::testing::random_matrix;

    /// Exponentiated gradient with an adaptive step size: slow and simple.
    fn oracle(gram: &Array2<f64>, linear: &Array1<f64>) -> Array1<f64> {
        let value = |c: &Array1<f64>| 0.5 * c.dot(&gram.dot(c)) - linear.dot(c);
        let mut c = Array1::from_elem(linear.len(), 1.0 / linear.len() as f64);
        let mut step = 1.0;
        for _ in 0..200_000 {
            let gradient = gram.dot(&c) - linear;
            let mean = gradient.dot(&c);
            let mut next = &c * &gradient.mapv(|s| (-step * (s - mean)).exp());
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

    fn problem(size: usize, dimension: usize, seed: u64) -> (Array2<f64>, Array1<f64>) {
        let rows = random_matrix::<f64>(size, dimension, seed).mapv(f64::abs);
        let target = random_matrix::<f64>(1, dimension, seed + 100).mapv(f64::abs);
        (rows.dot(&rows.t()), rows.dot(&target.row(0)))
    }

    fn minimize(gram: &Array2<f64>, linear: &Array1<f64>) -> (Array1<f64>, f64) {
        let mut solver = SimplexQp::new(linear.len());
        let gap = solver.minimize(gram.as_slice().unwrap(), linear.as_slice().unwrap(), 0.0);
        (Array1::from(solver.weights().to_vec()), gap)
    }

    #[test]
    fn the_minimum_equals_that_of_exponentiated_gradient() {
        for seed in 0..5 {
            let (gram, linear) = problem(8, 20, seed);
            let (weights, gap) = minimize(&gram, &linear);
            assert!((0.0..1e-13).contains(&gap), "{gap:e}");
            assert!(weights.iter().all(|&c| c >= 0.0) && (weights.sum() - 1.0).abs() < 1e-15);
            let expected = oracle(&gram, &linear);
            assert!((&weights - &expected).iter().all(|d| d.abs() < 1e-5), "{weights} {expected}");
        }
    }

    #[test]
    fn solutions_of_any_size_have_no_gap() {
        for (size, dimension, seed) in [(1, 5, 1), (2, 5, 2), (40, 60, 3), (100, 300, 4), (100, 101, 5)] {
            let (gram, linear) = problem(size, dimension, seed);
            let (weights, gap) = minimize(&gram, &linear);
            assert!(gap < 1e-12 * gram[[0, 0]], "{size}: {gap:e}");
            assert!(weights.iter().all(|&c| c >= 0.0) && (weights.sum() - 1.0).abs() < 1e-14);
        }
    }

    #[test]
    fn points_inside_the_simplex_are_fitted_exactly() {
        let rows = random_matrix::<f64>(30, 80, 1).mapv(f64::abs);
        let mut truth = random_matrix::<f64>(1, 30, 2).row(0).mapv(f64::abs);
        truth /= truth.sum();
        let (weights, _) = minimize(&rows.dot(&rows.t()), &rows.dot(&rows.t().dot(&truth)));
        assert!((&weights - &truth).iter().all(|d| d.abs() < 1e-12));
    }

    #[test]
    fn linearly_dependent_columns_are_handled() {
        // Forty points in six dimensions: many mixtures are equally good.
        for seed in 0..20 {
            let (gram, linear) = problem(40, 6, seed);
            let (weights, gap) = minimize(&gram, &linear);
            assert!(gap < 1e-10 * gram[[0, 0]], "{seed}: {gap:e}");
            assert!((weights.sum() - 1.0).abs() < 1e-14);
        }
        // The same point several times.
        let (gram, linear) = (Array2::from_elem((4, 4), 2.0), Array1::from_elem(4, 1.0));
        assert!(minimize(&gram, &linear).1 < 1e-14);
    }

    #[test]
    fn a_linear_problem_ends_in_its_best_corner() {
        let (weights, gap) = minimize(&Array2::zeros((3, 3)), &ndarray::array![0.5, 1.0, 0.0]);
        assert_eq!((weights.to_vec(), gap), (vec![0.0, 1.0, 0.0], 0.0));
        let (weights, gap) = minimize(&Array2::zeros((2, 2)), &ndarray::array![0.0, 0.0]);
        assert_eq!((weights.to_vec(), gap), (vec![1.0, 0.0], 0.0));
    }
}
