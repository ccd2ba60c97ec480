//! Least squares over the simplex, exactly: minimise ½ cᵀG c − bᵀc over c ≥ 0 with Σc = 1.
//!
//! An active-set method. Few weights of a solution are above zero, so it grows the set of those from one: the
//! weight whose slope is the most below the mean slope joins, the problem is solved on the set with only the sum
//! kept, and weights that would fall below zero on the way there leave. Every round lowers the objective, so that
//! no set comes twice. The Cholesky factor of G on the set is kept from round to round: a weight that joins costs
//! one row of it, a weight that leaves the rows after its own.

use crate::linalg::dot::dot;

/// What is left of a column of G outside those of the set counts as at least this share of its square. With columns
/// that depend on each other the way to the minimum is then very long, so that it ends where a weight leaves: what
/// is wanted, since one of those columns is not needed.
const DEPENDENT: f64 = 1e-13;
/// Steps after which slopes that differ do so by rounding.
const MOST_FULL_STEPS: usize = 5;

/// The memory of the method, for problems of one size.
#[derive(Debug)]
pub(super) struct SimplexQp {
    size: usize,
    /// The weights above zero, in the order of the factor's rows.
    set: Vec<usize>,
    in_set: Vec<bool>,
    /// Added to every entry of G, which adds a constant to the objective since the weights add up to one. It lifts
    /// points off the origin: those that are no mixtures of each other then never depend on each other.
    lift: f64,
    /// Weights that cannot lower the objective from where it is.
    useless: Vec<bool>,
    /// Lower triangle, row-major, rows of `size`.
    factor: Vec<f64>,
    slopes: Vec<f64>,
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
            lift: 0.0,
            useless: vec![false; size],
            factor: vec![0.0; size * size],
            slopes: vec![0.0; size],
            weights: vec![0.0; size],
            direction: Vec::with_capacity(size),
            ones: Vec::with_capacity(size),
        }
    }

    /// The minimum of the last problem.
    pub(super) fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// Solves the problem and returns its duality gap, which bounds how far the objective is above its minimum:
    /// at most `tolerance`, unless rounding comes first.
    ///
    /// `gram` is symmetric and positive semi-definite with `size` rows, `linear` has `size` values.
    pub(super) fn minimise(&mut self, gram: &[f64], linear: &[f64], tolerance: f64) -> f64 {
        let size = self.size;
        let diagonal = |k: usize| gram[k * size + k];
        let at_corner = |k: usize| 0.5 * diagonal(k) - linear[k];
        let first = (0..size).reduce(|best, k| if at_corner(k) < at_corner(best) { k } else { best });
        let first = first.expect("there is at least one weight");
        self.set.clear();
        self.in_set.fill(false);
        self.useless.fill(false);
        self.weights.fill(0.0);
        self.weights[first] = 1.0;
        self.lift = (0..size).fold(f64::MIN_POSITIVE, |top, k| top.max(diagonal(k)));
        self.join(first, gram);
        let largest = (0..size).fold(0.0, |top: f64, k| top.max(linear[k].abs()).max(diagonal(k)));
        let rounding = 16.0 * f64::EPSILON * largest;
        // Only rounding could make it last this long.
        for _ in 0..20 * size + 100 {
            self.update_slopes(gram, linear);
            let mean = self.mean_slope();
            let steepest = |out: bool| {
                let allowed = (0..size).filter(|&k| out || !(self.in_set[k] || self.useless[k]));
                allowed.reduce(|best, k| if self.slopes[k] < self.slopes[best] { k } else { best })
            };
            let gap = steepest(true).map_or(0.0, |k| mean - self.slopes[k]);
            let candidate = steepest(false).filter(|&k| mean - self.slopes[k] > rounding);
            let (Some(next), true) = (candidate, gap > tolerance) else {
                break;
            };
            self.join(next, gram);
            if self.descend(next, gram, linear, rounding) {
                self.useless.fill(false);
            } else {
                self.useless[next] = true;
            }
        }
        self.tidy();
        self.update_slopes(gram, linear);
        let smallest = self.slopes.iter().copied().fold(f64::INFINITY, f64::min);
        (self.mean_slope() - smallest).max(0.0)
    }

    /// Moves to the minimum on the set, of which `newest` joined last with a weight of zero; false, with nothing
    /// changed, where its weight would not even grow.
    fn descend(&mut self, newest: usize, gram: &[f64], linear: &[f64], rounding: f64) -> bool {
        let (mut moved, mut full_steps) = (false, 0);
        loop {
            self.solve_on_set();
            let falling = |&place: &usize| self.direction[place] < 0.0;
            if !moved && self.direction[self.set.len() - 1] <= 0.0 {
                self.leave(self.set.len() - 1, gram);
                return false;
            }
            moved = true;
            let reach = |place: usize| self.weights[self.set[place]] / -self.direction[place];
            let blocking = (0..self.set.len())
                .filter(falling)
                .reduce(|best, place| if reach(place) < reach(best) { place } else { best })
                .filter(|&place| reach(place) < 1.0);
            let step = blocking.map_or(1.0, reach);
            for (&k, &d) in self.set.iter().zip(&self.direction) {
                self.weights[k] = (self.weights[k] + step * d).max(0.0);
            }
            let Some(blocking) = blocking else {
                // One full step is the minimum, save where columns depend on each other.
                full_steps += 1;
                self.update_slopes(gram, linear);
                let mean = self.mean_slope();
                let level = self.set.iter().all(|&k| (self.slopes[k] - mean).abs() <= rounding);
                if level || full_steps == MOST_FULL_STEPS {
                    return true;
                }
                continue;
            };
            self.weights[self.set[blocking]] = 0.0;
            for place in (0..self.set.len()).rev() {
                let k = self.set[place];
                if self.weights[k] == 0.0 && (k != newest || place == blocking) {
                    self.leave(place, gram);
                }
            }
            self.update_slopes(gram, linear);
        }
    }

    /// The way from the weights to the minimum on the set: G d = −slopes + τ with Σd = 0.
    fn solve_on_set(&mut self) {
        let mean = self.mean_slope();
        self.direction.clear();
        // A constant more or less does not matter; close to the minimum, this one leaves small numbers only.
        self.direction.extend(self.set.iter().map(|&k| mean - self.slopes[k]));
        self.ones.clear();
        self.ones.resize(self.set.len(), 1.0);
        let (factor, size) = (&self.factor, self.size);
        solve(factor, size, &mut self.direction);
        solve(factor, size, &mut self.ones);
        let shift = -self.direction.iter().sum::<f64>() / self.ones.iter().sum::<f64>();
        self.direction.iter_mut().zip(&self.ones).for_each(|(d, one)| *d += shift * one);
    }

    /// G c − b.
    fn update_slopes(&mut self, gram: &[f64], linear: &[f64]) {
        self.slopes.iter_mut().zip(linear).for_each(|(slope, b)| *slope = -b);
        for &k in &self.set {
            let (weight, row) = (self.weights[k], &gram[k * self.size..(k + 1) * self.size]);
            self.slopes.iter_mut().zip(row).for_each(|(slope, g)| *slope += weight * g);
        }
    }

    fn mean_slope(&self) -> f64 {
        self.set.iter().map(|&k| self.weights[k] * self.slopes[k]).sum()
    }

    /// Adds a weight to the set.
    fn join(&mut self, k: usize, gram: &[f64]) {
        let (row, size) = (self.set.len(), self.size);
        let (before, rest) = self.factor.split_at_mut(row * size);
        for (place, &other) in self.set.iter().enumerate() {
            let above = &before[place * size..place * size + place + 1];
            let product = gram[k * size + other] + self.lift;
            rest[place] = (product - dot(&above[..place], &rest[..place])) / above[place];
        }
        let own = gram[k * size + k] + self.lift;
        let square = own - dot(&rest[..row], &rest[..row]);
        rest[row] = square.max(DEPENDENT * own).sqrt();
        self.set.push(k);
        self.in_set[k] = true;
    }

    /// Takes the weight at a place out of the set.
    fn leave(&mut self, place: usize, gram: &[f64]) {
        let after = self.set.split_off(place);
        after.iter().for_each(|&k| self.in_set[k] = false);
        for &k in &after[1..] {
            self.join(k, gram);
        }
    }

    /// Weights that add up to one to the last digit.
    fn tidy(&mut self) {
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

    /// Exponentiated gradient with a step that adapts: slow and simple.
    fn oracle(gram: &Array2<f64>, linear: &Array1<f64>) -> Array1<f64> {
        let value = |c: &Array1<f64>| 0.5 * c.dot(&gram.dot(c)) - linear.dot(c);
        let mut c = Array1::from_elem(linear.len(), 1.0 / linear.len() as f64);
        let mut step = 1.0;
        for _ in 0..200_000 {
            let slopes = gram.dot(&c) - linear;
            let mean = slopes.dot(&c);
            let mut next = &c * &slopes.mapv(|s| (-step * (s - mean)).exp());
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

    fn minimise(gram: &Array2<f64>, linear: &Array1<f64>) -> (Array1<f64>, f64) {
        let mut solver = SimplexQp::new(linear.len());
        let gap = solver.minimise(gram.as_slice().unwrap(), linear.as_slice().unwrap(), 0.0);
        (Array1::from(solver.weights().to_vec()), gap)
    }

    #[test]
    fn the_minimum_is_that_of_a_long_gradient_descent() {
        for seed in 0..5 {
            let (gram, linear) = problem(8, 20, seed);
            let (weights, gap) = minimise(&gram, &linear);
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
            let (weights, gap) = minimise(&gram, &linear);
            assert!(gap < 1e-12 * gram[[0, 0]], "{size}: {gap:e}");
            assert!(weights.iter().all(|&c| c >= 0.0) && (weights.sum() - 1.0).abs() < 1e-14);
        }
    }

    #[test]
    fn points_inside_are_met_exactly() {
        let rows = random_matrix::<f64>(30, 80, 1).mapv(f64::abs);
        let mut truth = random_matrix::<f64>(1, 30, 2).row(0).mapv(f64::abs);
        truth /= truth.sum();
        let (weights, _) = minimise(&rows.dot(&rows.t()), &rows.dot(&rows.t().dot(&truth)));
        assert!((&weights - &truth).iter().all(|d| d.abs() < 1e-12));
    }

    #[test]
    fn dependent_columns_are_no_obstacle() {
        // Forty points in a space of six dimensions: many mixtures are equally good.
        for seed in 0..20 {
            let (gram, linear) = problem(40, 6, seed);
            let (weights, gap) = minimise(&gram, &linear);
            assert!(gap < 1e-10 * gram[[0, 0]], "{seed}: {gap:e}");
            assert!((weights.sum() - 1.0).abs() < 1e-14);
        }
        // The same point several times.
        let (gram, linear) = (Array2::from_elem((4, 4), 2.0), Array1::from_elem(4, 1.0));
        assert!(minimise(&gram, &linear).1 < 1e-14);
    }

    #[test]
    fn a_problem_without_curvature_ends_in_its_best_corner() {
        let (weights, gap) = minimise(&Array2::zeros((3, 3)), &ndarray::array![0.5, 1.0, 0.0]);
        assert_eq!((weights.to_vec(), gap), (vec![0.0, 1.0, 0.0], 0.0));
        let (weights, gap) = minimise(&Array2::zeros((2, 2)), &ndarray::array![0.0, 0.0]);
        assert_eq!((weights.to_vec(), gap), (vec![1.0, 0.0], 0.0));
    }
}
