//! The density x^(a − 1) of weights x ≥ 0, seen through noise.
//!
//! A weight x is decoded as z = x + noise. In units of the noise, u = z/s, its density is f(u) = ∫ v^(a − 1) φ(u − v) dv
//! with the normal density φ. Exponents below one are weights that crowd near zero, an exponent of one is an even density.

use std::f64::consts::PI;

/// The table of a density covers these values of u.
const LOWEST: f64 = -10.0;
const HIGHEST: f64 = 12.0;
const CELLS_PER_UNIT: usize = 10;
/// Decoded weights further below zero are outliers: their pull is bounded.
const OUTLIER: f64 = -40.0;
/// The integral runs over the logarithm of v, in steps that resolve φ at the upper end of the table.
const LOWEST_LOG: f64 = -11.5;
const HIGHEST_LOG: f64 = 3.1;
const LOG_STEP: f64 = 0.08;

/// Terms of the continued fraction for the mean below the table.
const FRACTION: usize = 6;

/// log f, its slope in u, and its derivative by the logarithm of the exponent.
#[derive(Debug, Clone, Copy)]
pub(super) struct LogPower {
    pub(super) value: f64,
    pub(super) slope: f64,
    pub(super) by_exponent: f64,
}

/// φ(u − v) at all nodes, for any exponent.
pub(super) struct PowerKernel {
    /// v of the nodes of the integral, and log v.
    values: Vec<f64>,
    logs: Vec<f64>,
    /// φ(u − v), a row for each node of the table.
    normal: Vec<Vec<f64>>,
}

impl PowerKernel {
    pub(super) fn new() -> Self {
        let nodes = ((HIGHEST_LOG - LOWEST_LOG) / LOG_STEP) as usize + 1;
        let logs: Vec<f64> = (0..nodes).map(|j| LOWEST_LOG + j as f64 * LOG_STEP).collect();
        let cells = ((HIGHEST - LOWEST) * CELLS_PER_UNIT as f64).round() as usize;
        let values: Vec<f64> = logs.iter().map(|log| log.exp()).collect();
        let row = |i: usize| values.iter().map(|v| normal_density(node(i) - v)).collect();
        let normal = (0..=cells).map(row).collect();
        Self { values, logs, normal }
    }

    /// The table of an exponent.
    pub(super) fn density(&self, exponent: f64) -> PowerDensity {
        let mass = |(j, log): (usize, &f64)| {
            let end = if j == 0 { 0.5 } else { 1.0 };
            end * LOG_STEP * (exponent * log).exp()
        };
        let masses: Vec<f64> = self.logs.iter().enumerate().map(mass).collect();
        // Below the first node φ(u − v) is constant.
        let below = (exponent * LOWEST_LOG).exp() / exponent;
        let value = |(i, normal): (usize, &Vec<f64>)| {
            let u = node(i);
            let at_zero = below * normal_density(u);
            let (mut f, mut slope, mut by_log) =
                (at_zero, -u * at_zero, at_zero * (LOWEST_LOG - 1.0 / exponent));
            for (((mass, normal), v), log) in masses.iter().zip(normal).zip(&self.values).zip(&self.logs) {
                let part = mass * normal;
                f += part;
                slope += part * (v - u);
                by_log += part * log;
            }
            LogPower { value: f.ln(), slope: slope / f, by_exponent: exponent * by_log / f }
        };
        PowerDensity { exponent, nodes: self.normal.iter().enumerate().map(value).collect() }
    }
}

/// log f for one exponent.
pub(super) struct PowerDensity {
    exponent: f64,
    nodes: Vec<LogPower>,
}

impl PowerDensity {
    /// Cubic Hermite interpolation, so that value and slope belong together; series beyond the table.
    pub(super) fn at(&self, u: f64) -> LogPower {
        let position = (u - LOWEST) * CELLS_PER_UNIT as f64;
        if position <= 0.0 || position.is_nan() {
            let first = self.nodes[0];
            let (near, far) = (u.max(OUTLIER) - LOWEST, (u - OUTLIER).min(0.0));
            let steepest = first.slope - near;
            let value = first.value + first.slope * near - 0.5 * near * near + steepest * far;
            return LogPower { value, slope: steepest, by_exponent: first.by_exponent };
        }
        let cell = position as usize;
        if cell + 1 >= self.nodes.len() {
            return self.far(u);
        }
        let width = 1.0 / CELLS_PER_UNIT as f64;
        let t = position - cell as f64;
        let (low, high) = (self.nodes[cell], self.nodes[cell + 1]);
        let (m0, m1, rise) = (low.slope * width, high.slope * width, high.value - low.value);
        let (c2, c3) = (3.0 * rise - 2.0 * m0 - m1, m0 + m1 - 2.0 * rise);
        LogPower {
            value: low.value + t * (m0 + t * (c2 + t * c3)),
            slope: (m0 + t * (2.0 * c2 + t * 3.0 * c3)) / width,
            by_exponent: low.by_exponent + t * (high.by_exponent - low.by_exponent),
        }
    }

    pub(super) fn exponent(&self) -> f64 {
        self.exponent
    }

    /// Mean and variance of a weight that was seen at u, the mean as its distance from u.
    ///
    /// With r_a = f_{a+1}/f_a, which is the mean, integration by parts gives f_{a+2} = u f_{a+1} + a f_a, and all else.
    pub(super) fn moments(&self, u: f64) -> (f64, f64) {
        let a = self.exponent;
        if u.is_nan() || u <= LOWEST {
            let below = -u.max(-1e100);
            let tail = (1..FRACTION).rev().fold(0.0, |tail, i| (a + i as f64) / (below + tail));
            let mean = a / (below + tail);
            return (mean + below, mean * (tail - mean));
        }
        let position = (u - LOWEST) * CELLS_PER_UNIT as f64;
        let slope = match position as usize {
            cell if cell + 1 < self.nodes.len() => {
                let (low, high) = (self.nodes[cell].slope, self.nodes[cell + 1].slope);
                let width = 1.0 / CELLS_PER_UNIT as f64;
                let (m0, m1) =
                    (width * self.curvature(node(cell), low), width * self.curvature(node(cell + 1), high));
                let (t, rise) = (position - cell as f64, high - low);
                low + t * (m0 + t * ((3.0 * rise - 2.0 * m0 - m1) + t * (m0 + m1 - 2.0 * rise)))
            }
            _ => self.far(u).slope,
        };
        (slope, 1.0 + self.curvature(u, slope))
    }

    /// The second derivative of log f, from the first.
    fn curvature(&self, u: f64, slope: f64) -> f64 {
        (self.exponent - 1.0) - slope * (u + slope)
    }

    /// The moments of the noise give f(u) = u^(a − 1) (1 + (a − 1)(a − 2)/2u² + (a − 1)…(a − 4)/8u⁴ + …).
    fn far(&self, u: f64) -> LogPower {
        let a = self.exponent;
        let second = (a - 1.0) * (a - 2.0) / 2.0;
        let fourth = second * (a - 3.0) * (a - 4.0) / 4.0;
        let square = u * u;
        let series = 1.0 + second / square + fourth / (square * square);
        let falls = (2.0 * second / square + 4.0 * fourth / (square * square)) / u;
        LogPower {
            value: (a - 1.0) * u.ln() + series.ln(),
            slope: (a - 1.0) / u - falls / series,
            by_exponent: a * (u.ln() + (a - 1.5) / square / series),
        }
    }
}

fn node(i: usize) -> f64 {
    LOWEST + i as f64 / CELLS_PER_UNIT as f64
}

fn normal_density(u: f64) -> f64 {
    (-0.5 * u * u).exp() / (2.0 * PI).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The integral by its definition, with v = w^(1/a), which removes the pole at zero.
    fn naive(exponent: f64, u: f64) -> f64 {
        let (steps, top) = (400_000, (u.max(0.0) + 9.0).powf(exponent));
        let at = |i: usize| ((i as f64 + 0.5) / steps as f64 * top).powf(1.0 / exponent);
        (0..steps).map(|i| normal_density(u - at(i))).sum::<f64>() * top / steps as f64 / exponent
    }

    #[test]
    fn the_table_is_the_integral() {
        let kernel = PowerKernel::new();
        for exponent in [0.1, 0.5, 1.0] {
            let table = kernel.density(exponent);
            for u in [-6.03, -1.0, 0.0, 0.77, 5.55, 11.95, 12.5, 30.0] {
                let (found, expected) = (table.at(u).value, naive(exponent, u).ln());
                assert!((found - expected).abs() < 2e-4, "{exponent} {u}: {found} {expected}");
            }
        }
    }

    #[test]
    fn moments_are_those_of_the_weights_that_were_seen() {
        let kernel = PowerKernel::new();
        for exponent in [0.3_f64, 1.0, 3.0] {
            let table = kernel.density(exponent);
            for u in [-25.0_f64, -9.97, -4.4, -0.3, 0.05, 1.73, 11.91, 40.0] {
                // By the definition, with v = w^(1/p), and φ(u − v) relative to its largest value.
                let (steps, power) = (400_000, exponent.min(1.0));
                let most = if u < -3.0 { -60.0 / u } else { u.max(0.0) + 9.0 };
                let mut sums = [0.0; 3];
                for i in 0..steps {
                    let v = ((i as f64 + 0.5) / steps as f64 * most.powf(power)).powf(1.0 / power);
                    let mass =
                        (-0.5 * (u - v).powi(2) + 0.5 * u.min(0.0).powi(2)).exp() * v.powf(exponent - power);
                    sums.iter_mut().enumerate().for_each(|(power, sum)| *sum += mass * v.powi(power as i32));
                }
                let mean = sums[1] / sums[0];
                let variance = sums[2] / sums[0] - mean * mean;
                let (shift, found) = table.moments(u);
                assert!((u + shift - mean).abs() < 1e-3 * mean, "{exponent} {u}: {} {mean}", u + shift);
                assert!((found - variance).abs() < 3e-3 * variance, "{exponent} {u}: {found} {variance}");
            }
        }
    }

    #[test]
    fn derivatives_are_those_of_the_value() {
        let kernel = PowerKernel::new();
        for (exponent, u) in [(0.3, -45.0), (0.3, -12.0), (0.2, -3.03), (0.7, 0.41), (0.4, 9.99), (0.6, 20.0)]
        {
            let table = kernel.density(exponent);
            let step = 1e-5;
            let slope = (table.at(u + step).value - table.at(u - step).value) / (2.0 * step);
            assert!((table.at(u).slope - slope).abs() < 1e-4 * slope.abs().max(1.0), "{exponent} {u}");
            let shifted = |by: f64| kernel.density(exponent * f64::exp(by)).at(u).value;
            let by_exponent = (shifted(step) - shifted(-step)) / (2.0 * step);
            // Below the table the derivative is that at its end.
            let tolerance = if u < LOWEST { f64::INFINITY } else { 2e-3 };
            assert!((table.at(u).by_exponent - by_exponent).abs() < tolerance, "{exponent} {u}");
        }
    }
}
