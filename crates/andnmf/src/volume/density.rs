//! The density of weights near zero, seen through noise.
//!
//! A weight x ≥ 0 is decoded as z = x + noise. Near zero the density of x is piecewise constant on a few bins, in units
//! of the noise, and flat beyond them. Only the ratio of a bin to what lies beyond counts: how many samples have large
//! weights, and how weights are correlated there, has no influence.

use std::f64::consts::{PI, SQRT_2};

/// Edges of the bins, in standard deviations of the noise; the density is flat from the last one on.
const EDGES: [f64; 5] = [0.0, 0.5, 1.0, 2.0, 4.0];
/// Bins between the edges, and the flat part.
pub(super) const PARTS: usize = EDGES.len();
/// Weights up to this many standard deviations decide about the density.
const FAR: f64 = 10.0;
/// The lower end of the table; below it the logarithm falls as that of the normal distribution.
const LOWEST: f64 = -8.0;
/// Weights below this many standard deviations are outliers: their pull is bounded.
const OUTLIER: f64 = -40.0;
/// Cells of the tables per standard deviation.
const CELLS_PER_UNIT: usize = 20;
/// The largest density of a bin relative to the flat part.
const MOST_RELATIVE: f64 = 1e3;
/// Rounds of expectation maximization for the density.
const ROUNDS: usize = 60;

/// Density of each bin relative to the flat part, which is 1.
pub(super) type Relative = [f64; PARTS];

/// A density near zero.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Density {
    pub(super) relative: Relative,
    /// Logarithm of the mass of all weights, relative to that of a flat density: makes likelihoods comparable.
    pub(super) log_mass: f64,
}

/// The same density everywhere: nothing is known about zeros.
pub(super) const FLAT: Density = Density { relative: [1.0; PARTS], log_mass: 0.0 };

/// log p(u) and its slope for decoded weights u in units of their noise, from a table.
pub(super) struct LogDensity {
    nodes: Vec<(f64, f64)>,
}

impl LogDensity {
    pub(super) fn new(relative: &Relative) -> Self {
        let count = ((FAR - LOWEST) * CELLS_PER_UNIT as f64) as usize + 1;
        let node = |i: usize| {
            let u = LOWEST + i as f64 / CELLS_PER_UNIT as f64;
            let (density, slope) = (0..PARTS).fold((0.0, 0.0), |(density, slope), part| {
                let (p, d) = seen_part(part, u);
                (density + relative[part] * p, slope + relative[part] * d)
            });
            let density = density.max(f64::MIN_POSITIVE);
            (density.ln(), slope / density)
        };
        Self { nodes: (0..count).map(node).collect() }
    }

    /// log p and its derivative, by cubic Hermite interpolation, so that the two belong together.
    pub(super) fn at(&self, u: f64) -> (f64, f64) {
        let position = (u - LOWEST) * CELLS_PER_UNIT as f64;
        if position <= 0.0 || position.is_nan() {
            let (value, slope) = self.nodes[0];
            let (near, far) = (u.max(OUTLIER) - LOWEST, (u - OUTLIER).min(0.0));
            let steepest = slope - near;
            return (value + slope * near - 0.5 * near * near + steepest * far, steepest);
        }
        let cell = position as usize;
        if cell + 1 >= self.nodes.len() {
            return (self.nodes[self.nodes.len() - 1].0, 0.0);
        }
        let width = 1.0 / CELLS_PER_UNIT as f64;
        let t = position - cell as f64;
        let ((v0, s0), (v1, s1)) = (self.nodes[cell], self.nodes[cell + 1]);
        let (m0, m1, rise) = (s0 * width, s1 * width, v1 - v0);
        let (c2, c3) = (3.0 * rise - 2.0 * m0 - m1, m0 + m1 - 2.0 * rise);
        (v0 + t * (m0 + t * (c2 + t * c3)), (m0 + t * (2.0 * c2 + t * 3.0 * c3)) / width)
    }
}

/// Learns the relative density of one component from its decoded weights in units of their noise.
///
/// `unit` is the noise in units of the mean sum of a sample's weights. Shares that are spread evenly over a simplex of
/// `rank` corners have marginals that fall as (1 − x)^(rank − 2) without any zeros: the density is relative to that.
pub(super) fn learn(weights: impl Iterator<Item = f64>, unit: f64, rank: usize) -> Density {
    let cells = ((FAR - LOWEST) * CELLS_PER_UNIT as f64) as usize;
    let mut counts = vec![0.0; cells];
    for u in weights.filter(|u| *u < FAR) {
        counts[((u.max(LOWEST) - LOWEST) * CELLS_PER_UNIT as f64) as usize] += 1.0;
    }
    let total: f64 = counts.iter().sum();
    if total == 0.0 {
        return FLAT;
    }
    let edges: Vec<f64> = EDGES.into_iter().chain([FAR]).collect();
    let seen: Vec<[f64; PARTS]> = (0..cells)
        .map(|cell| {
            let u = LOWEST + (cell as f64 + 0.5) / CELLS_PER_UNIT as f64;
            std::array::from_fn(|part| seen_part(part, u).0 / (edges[part + 1] - edges[part]))
        })
        .collect();
    let mut masses = [1.0 / PARTS as f64; PARTS];
    for _ in 0..ROUNDS {
        let mut next = [0.0; PARTS];
        for (&count, seen) in counts.iter().zip(&seen).filter(|(count, _)| **count > 0.0) {
            let together: f64 = masses.iter().zip(seen).map(|(m, p)| m * p).sum();
            let share = count / total / together.max(f64::MIN_POSITIVE);
            for ((next, mass), p) in next.iter_mut().zip(&masses).zip(seen) {
                *next += share * mass * p;
            }
        }
        masses = next;
    }
    let even = |part: usize| {
        let at = |i: usize| edges[part] + (edges[part + 1] - edges[part]) * (i as f64 + 0.5) / 8.0;
        (0..8).map(|i| (1.0 - at(i) * unit).max(1e-3).powi(rank as i32 - 2)).sum::<f64>() / 8.0
    };
    let density: Relative =
        std::array::from_fn(|part| masses[part] / (edges[part + 1] - edges[part]) / even(part));
    let beyond = density[PARTS - 1].max(density.iter().sum::<f64>() / MOST_RELATIVE).max(f64::MIN_POSITIVE);
    // A hole at zero would push the components outwards without end: weights are at least as frequent there as beyond.
    let relative = density.map(|d| (d / beyond).max(1.0));
    // The flat part has a mass of 1/(rank − 1) in units of the mean sum of weights.
    let excess: f64 = (0..PARTS - 1)
        .map(|part| (relative[part] - 1.0) * (edges[part + 1] - edges[part]) * even(part))
        .sum();
    Density { relative, log_mass: (unit * (rank as f64 - 1.0) * excess).ln_1p() }
}

/// The density of a bin (or of the flat part) after noise of standard deviation 1, and its derivative.
fn seen_part(part: usize, u: f64) -> (f64, f64) {
    let (below, at) = (normal_cdf(u - EDGES[part]), normal_density(u - EDGES[part]));
    match EDGES.get(part + 1) {
        Some(next) => (below - normal_cdf(u - next), at - normal_density(u - next)),
        None => (below, at),
    }
}

fn normal_cdf(u: f64) -> f64 {
    0.5 * libm::erfc(-u / SQRT_2)
}

fn normal_density(u: f64) -> f64 {
    (-0.5 * u * u).exp() / (2.0 * PI).sqrt()
}

#[cfg(test)]
mod tests {
    use rand::RngExt;
    use rand_distr::{Distribution, StandardNormal};

    use super::*;
    use crate::random::{Stream, generator};

    #[test]
    fn the_table_has_the_logarithm_of_the_density_and_its_slope() {
        let relative = [9.0, 4.0, 2.0, 0.5, 1.0];
        let table = LogDensity::new(&relative);
        let exact = |u: f64| (0..PARTS).map(|part| relative[part] * seen_part(part, u).0).sum::<f64>().ln();
        for u in [-60.0, -20.0, -7.97, -3.21, -0.4, 0.013, 1.77, 5.31, 9.4] {
            let (value, slope) = table.at(u);
            assert!(u < LOWEST || (value - exact(u)).abs() < 1e-5, "{u}: {value} {}", exact(u));
            let difference = (table.at(u + 1e-5).0 - table.at(u - 1e-5).0) / 2e-5;
            assert!((slope - difference).abs() < 1e-6 * slope.abs().max(1.0), "{u}: {slope} {difference}");
        }
        // Outliers pull with bounded strength; large weights do not pull at all.
        assert_eq!(table.at(-50.0).1, table.at(-1e9).1);
        assert!(table.at(-20.0).1 > 2.0 * table.at(-9.0).1);
        assert_eq!(table.at(1e6).1, 0.0);
    }

    #[test]
    fn a_flat_density_is_the_normal_distribution_function() {
        let table = LogDensity::new(&FLAT.relative);
        for u in [-5.0, -1.0, 0.0, 3.0] {
            assert!((table.at(u).0 - normal_cdf(u).ln()).abs() < 1e-6);
        }
    }

    /// Weights over their noise: a share of exact zeros, and others evenly spread.
    fn noisy(zeros: f64, n: usize) -> Vec<f64> {
        let mut rng = generator(1, Stream::Weights);
        let mut draw = |_| {
            let x = if rng.random::<f64>() < zeros { 0.0 } else { 40.0 * rng.random::<f64>() };
            let noise: f64 = StandardNormal.sample(&mut rng);
            x + noise
        };
        (0..n).map(&mut draw).collect()
    }

    #[test]
    fn zeros_are_learned_by_degree() {
        let near = |zeros: f64| {
            let relative = learn(noisy(zeros, 40_000).into_iter(), 0.0, 2).relative;
            (relative[0] + relative[1]) / 2.0
        };
        let none = near(0.0);
        assert!((none - 1.0).abs() < 0.5, "{none}");
        let (few, many) = (near(0.1), near(0.5));
        // 10 % of all at zero is as much as the flat part has within four standard deviations.
        assert!(few > 2.0 && many > 3.0 * few, "{none} {few} {many}");
    }

    #[test]
    fn evenly_spread_shares_are_flat_whatever_the_rank() {
        let mut rng = generator(2, Stream::Weights);
        let (rank, unit) = (6, 0.04);
        let mut shares = Vec::new();
        for _ in 0..20_000 {
            let parts: Vec<f64> = (0..rank).map(|_| -rng.random::<f64>().max(1e-300).ln()).collect();
            let noise: f64 = StandardNormal.sample(&mut rng);
            shares.push(parts[0] / parts.iter().sum::<f64>() / unit + noise);
        }
        let relative = learn(shares.iter().copied(), unit, rank).relative;
        assert!(relative.iter().all(|d| (1.0..1.6).contains(d)), "{relative:?}");
        // Without knowing the simplex the fall of the marginal would look like zeros.
        assert!(learn(shares.into_iter(), unit, 2).relative[0] > 1.5);
    }
}
