//! Minimisation of a smooth function by L-BFGS with a weak Wolfe line search.
//!
//! **Reference.** Nocedal & Wright, *Numerical Optimization*, chapters 3 and 7; the bisection line search is that of
//! Lewis & Overton (2013).

use std::collections::VecDeque;

/// Correction pairs that approximate the Hessian.
const MEMORY: usize = 12;
/// Sufficient decrease and curvature of the Wolfe conditions.
const DECREASE: f64 = 1e-4;
const CURVATURE: f64 = 0.9;
/// Trials of one line search.
const MOST_TRIALS: usize = 30;

/// The lowest point of a minimisation.
pub(super) struct Minimum {
    pub(super) point: Vec<f64>,
    pub(super) value: f64,
}

/// Minimises `evaluate`, which writes the gradient and returns the value, for at most so many iterations.
///
/// A value that is not finite marks a point outside the domain: the line search steps back from it.
pub(super) fn minimise(
    start: Vec<f64>,
    most_iterations: usize,
    relative_tolerance: f64,
    mut evaluate: impl FnMut(&[f64], &mut [f64]) -> f64,
) -> Minimum {
    let mut point = start;
    let mut gradient = vec![0.0; point.len()];
    let mut value = evaluate(&point, &mut gradient);
    let mut pairs: VecDeque<Pair> = VecDeque::new();
    if !value.is_finite() {
        return Minimum { point, value };
    }
    for _ in 0..most_iterations {
        let mut direction = direction(&gradient, &pairs);
        let mut slope = dot(&direction, &gradient);
        if slope >= 0.0 {
            // Rounding has spoiled the approximation: fall back to steepest descent.
            pairs.clear();
            direction = gradient.iter().map(|g| -g).collect();
            slope = -dot(&gradient, &gradient);
        }
        if slope > -f64::MIN_POSITIVE {
            break;
        }
        let first = if pairs.is_empty() { (1.0 / (-slope).sqrt()).min(1.0) } else { 1.0 };
        let Some(found) = line_search(&point, (value, slope), &direction, first, &mut evaluate) else {
            break;
        };
        let step: Vec<f64> = found.point.iter().zip(&point).map(|(new, old)| new - old).collect();
        let change: Vec<f64> = found.gradient.iter().zip(&gradient).map(|(new, old)| new - old).collect();
        let curvature = dot(&step, &change);
        if curvature > 1e-12 * dot(&change, &change) {
            if pairs.len() == MEMORY {
                pairs.pop_front();
            }
            pairs.push_back(Pair { step, change, curvature });
        }
        let decrease = value - found.value;
        (point, gradient, value) = (found.point, found.gradient, found.value);
        if decrease <= relative_tolerance * value.abs().max(1.0) {
            break;
        }
    }
    Minimum { point, value }
}

/// A step and the change of the gradient along it.
struct Pair {
    step: Vec<f64>,
    change: Vec<f64>,
    curvature: f64,
}

/// The quasi-Newton direction by the two-loop recursion.
fn direction(gradient: &[f64], pairs: &VecDeque<Pair>) -> Vec<f64> {
    let mut direction: Vec<f64> = gradient.iter().map(|g| -g).collect();
    let mut factors = Vec::with_capacity(pairs.len());
    for pair in pairs.iter().rev() {
        let factor = dot(&pair.step, &direction) / pair.curvature;
        add(&mut direction, -factor, &pair.change);
        factors.push(factor);
    }
    if let Some(last) = pairs.back() {
        let scale = last.curvature / dot(&last.change, &last.change);
        direction.iter_mut().for_each(|d| *d *= scale);
    }
    for (pair, factor) in pairs.iter().zip(factors.into_iter().rev()) {
        let correction = factor - dot(&pair.change, &direction) / pair.curvature;
        add(&mut direction, correction, &pair.step);
    }
    direction
}

/// A point of the line search.
struct Trial {
    point: Vec<f64>,
    gradient: Vec<f64>,
    value: f64,
}

/// A point along the direction that meets the weak Wolfe conditions, or the best that trials came to.
fn line_search(
    from: &[f64],
    (value, slope): (f64, f64),
    direction: &[f64],
    first: f64,
    evaluate: &mut impl FnMut(&[f64], &mut [f64]) -> f64,
) -> Option<Trial> {
    let (mut low, mut high, mut length) = (0.0, f64::INFINITY, first);
    let mut best = None;
    for _ in 0..MOST_TRIALS {
        let point: Vec<f64> = from.iter().zip(direction).map(|(x, d)| x + length * d).collect();
        let mut gradient = vec![0.0; point.len()];
        let reached = evaluate(&point, &mut gradient);
        // Also false for values that are not numbers.
        let decreased = reached <= value + DECREASE * length * slope;
        if !decreased {
            high = length;
        } else {
            let flat_enough = dot(&gradient, direction) >= CURVATURE * slope;
            best = Some(Trial { point, gradient, value: reached });
            if flat_enough {
                break;
            }
            low = length;
        }
        length = if high.is_finite() { f64::midpoint(low, high) } else { 2.0 * length };
    }
    best
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn add(to: &mut [f64], factor: f64, values: &[f64]) {
    to.iter_mut().zip(values).for_each(|(to, v)| *to += factor * v);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_banana_valley_is_followed_to_its_end() {
        let rosenbrock = |x: &[f64], gradient: &mut [f64]| {
            let (a, b) = (1.0 - x[0], x[1] - x[0] * x[0]);
            gradient[0] = -2.0 * a - 400.0 * x[0] * b;
            gradient[1] = 200.0 * b;
            a * a + 100.0 * b * b
        };
        let found = minimise(vec![-1.2, 1.0], 200, 0.0, rosenbrock);
        assert!(found.value < 1e-18, "{}", found.value);
        assert!(found.point.iter().all(|v| (v - 1.0).abs() < 1e-8), "{:?}", found.point);
    }

    #[test]
    fn points_outside_the_domain_are_never_returned() {
        // x − ln x, defined for positive x alone, from a point where the first step leads out of it.
        let barrier = |x: &[f64], gradient: &mut [f64]| {
            gradient[0] = 1.0 - 1.0 / x[0];
            if x[0] > 0.0 { x[0] - x[0].ln() } else { f64::INFINITY }
        };
        let found = minimise(vec![1e-3], 100, 0.0, barrier);
        assert!((found.point[0] - 1.0).abs() < 1e-6, "{:?}", found.point);
    }
}
