//! The most likely components under joint noise, from those under independent noise.

use ndarray::{Array2, ArrayView2, Axis};

use super::dirichlet::{misfit, outside};
use super::expectation::Sweeps;
use super::joint::JointLikelihood;
use super::lbfgs::minimise;
use super::soft::{SoftSolution, SoftVolume};
use crate::linalg::determinant::log_determinant_and_inverse;
use crate::linalg::product::multiply;

/// The range of exponents. Below, sites of a pole hardly settle, and weights are as good as zero: shares of exponents of
/// 0.05 lose 5 % of accuracy.
const EXPONENTS: (f64, f64) = (0.1, 5.0);
/// A change of the components by this share is one unit of the search, whose first step is at most one unit long.
const UNIT: f64 = 0.05;
const RELATIVE_TOLERANCE: f64 = 1e-7;
/// Sites settle at the first point; later ones start from those of the point before.
const FIRST_SWEEPS: Sweeps = Sweeps { most: 40, settled: 0.02 };
const SWEEPS: Sweeps = Sweeps { most: 12, ..FIRST_SWEEPS };

/// Limits of the search.
#[derive(Debug, Clone, Copy)]
pub(crate) struct JointLimits {
    /// Iterations by the first samples, then by all.
    pub(crate) first: usize,
    pub(crate) then: usize,
}

/// Components by maximum likelihood under joint noise.
#[derive(Debug, Clone)]
pub(crate) struct JointSolution {
    pub(crate) solution: SoftSolution,
    /// As of [`DirichletSolution`](super::DirichletSolution).
    pub(crate) misfit: f64,
    /// The noise of a decoded share in its standard deviations without noise: root mean square.
    pub(crate) noise: f64,
}

/// A point of the search.
struct Point {
    components: Array2<f64>,
    exponents: Vec<f64>,
    value: f64,
}

impl SoftVolume<'_> {
    /// Maximises the likelihood under joint noise from these components and exponents: first by these samples, then by
    /// all.
    ///
    /// `None` if the components are dependent, the sum of a component's weights is not positive, or the approximation does
    /// not settle; also if `stop` returns true.
    pub(crate) fn maximise_joint(
        &self,
        (start, exponents): (&Array2<f64>, &[f64]),
        first: ArrayView2<'_, f64>,
        limits: JointLimits,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Option<JointSolution> {
        let scales = start.dot(&self.sums);
        if scales.iter().any(|s| !(*s > 0.0 && s.is_finite())) || self.noise <= 0.0 || start.nrows() < 2 {
            return None;
        }
        let start = Point {
            components: start / &scales.insert_axis(Axis(1)),
            exponents: exponents.to_vec(),
            value: f64::NAN,
        };
        let found = self.climb(first, start, limits.first, stop)?;
        let found = self.climb(self.rows.view(), found, limits.then, stop)?;
        self.assessed(found)
    }

    /// The highest point that this many iterations lead to.
    fn climb(
        &self,
        rows: ArrayView2<'_, f64>,
        start: Point,
        iterations: usize,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Option<Point> {
        let rank = start.components.nrows();
        let mut likelihood = JointLikelihood::new(rows, &start.components, self.noise)?;
        let mut places = (Array2::<f64>::eye(rank) / UNIT).into_raw_vec_and_offset().0;
        places.extend(start.exponents.iter().map(|a| place(*a)));
        let mixing = |places: &[f64]| {
            let mixing = ArrayView2::from_shape((rank, rank), &places[..rank * rank]).expect("square");
            mixing.mapv(|v| v * UNIT)
        };
        let mut sweeps = FIRST_SWEEPS;
        let found = minimise(places, iterations, RELATIVE_TOLERANCE, |places, gradient| {
            let exponents: Vec<(f64, f64)> = places[rank * rank..].iter().map(|p| exponent(*p)).collect();
            let values: Vec<f64> = exponents.iter().map(|(a, _)| *a).collect();
            let found = match stop() {
                true => None,
                false => likelihood.evaluate(mixing(places).view(), &values, sweeps),
            };
            let Some((value, by_mixing, by_exponent)) = found else { return f64::INFINITY };
            sweeps = SWEEPS;
            let by_place =
                by_exponent.iter().zip(&exponents).map(|(slope, (a, derivative))| slope * derivative / a);
            let slopes = by_mixing.iter().map(|slope| slope * UNIT).chain(by_place);
            gradient.iter_mut().zip(slopes).for_each(|(to, slope)| *to = -slope);
            -value
        });
        if stop() || !found.value.is_finite() {
            return None;
        }
        let exponents = found.point[rank * rank..].iter().map(|p| exponent(*p).0).collect();
        let components = mixing(&found.point).dot(&start.components);
        Some(Point { components, exponents, value: -found.value })
    }

    fn assessed(&self, Point { components, exponents, value }: Point) -> Option<JointSolution> {
        let (_, inverse) = log_determinant_and_inverse(components.view())?;
        let weights = multiply(self.rows.view(), inverse.view());
        let noise = inverse.t().dot(&inverse) * self.noise.powi(2);
        let deviations: Vec<f64> = noise.diag().iter().map(|v| v.sqrt()).collect();
        let total: f64 = exponents.iter().sum();
        let variance = |a: &f64| a / total * (1.0 - a / total) / (total + 1.0);
        let shares: f64 =
            exponents.iter().zip(&deviations).map(|(a, s)| s * s / variance(a).max(f64::MIN_POSITIVE)).sum();
        Some(JointSolution {
            misfit: misfit(&weights, &noise, &exponents),
            noise: (shares / exponents.len() as f64).sqrt(),
            solution: SoftSolution { components, value: -value, outside: outside(&weights, &deviations) },
        })
    }
}

/// The exponent at a place on the real line, and its derivative.
fn exponent(place: f64) -> (f64, f64) {
    let share = 1.0 / (1.0 + (-place).exp());
    let range = (EXPONENTS.1 / EXPONENTS.0).ln();
    let exponent = EXPONENTS.0 * (range * share).exp();
    (exponent, exponent * range * share * (1.0 - share))
}

/// The place of an exponent, well inside the range.
fn place(exponent: f64) -> f64 {
    let share = (exponent / EXPONENTS.0).ln() / (EXPONENTS.1 / EXPONENTS.0).ln();
    let share = share.clamp(0.02, 0.98);
    (share / (1.0 - share)).ln()
}

#[cfg(test)]
mod tests {
    use rand_distr::{Distribution, Gamma, StandardNormal};

    use super::*;
    use crate::random::{Stream, generator};
    use crate::testing::random_matrix;
    use crate::volume::testing::{error, problem};

    /// Noisy shares of similar components, spread by a Dirichlet distribution; the components (rows).
    fn similar(exponent: f64, noise: f64) -> (Array2<f64>, Array2<f64>) {
        let components = 1.0 + random_matrix::<f64>(4, 4, 3) * 0.3 + Array2::<f64>::eye(4) * 0.6;
        let mut rng = generator(5, Stream::Weights);
        let gamma = Gamma::new(exponent, 1.0).unwrap();
        let weights = Array2::from_shape_simple_fn((3000, 4), || gamma.sample(&mut rng) + 1e-300);
        let weights = &weights / &weights.sum_axis(Axis(1)).insert_axis(Axis(1));
        let mut draw = || -> f64 { StandardNormal.sample(&mut rng) };
        let noise = Array2::from_shape_simple_fn((3000, 4), || noise * draw());
        (weights.dot(&components) + noise, components)
    }

    #[test]
    fn similar_components_are_found_whatever_the_exponent() {
        let limits = JointLimits { first: 100, then: 20 };
        for (exponent, most) in [(0.1, 0.03), (0.3, 0.03), (1.0, 0.03), (3.0, 0.2)] {
            let (rows, components) = similar(exponent, 0.05);
            let problem = problem(&rows, &components, 0.05);
            let start = components.dot(&(Array2::<f64>::eye(4) + 0.15));
            let first = rows.slice(ndarray::s![..800, ..]);
            let found = problem.maximise_joint((&start, &[0.7; 4]), first, limits, &|| false).unwrap();
            let joint = error(&found.solution.components, &components);
            let alone = problem.maximise_dirichlet(&start, 300, &|| false);
            let alone = alone.map_or(1.0, |alone| error(&alone.solution.components, &components));
            assert!(joint < most && joint < 1.1 * alone, "{exponent}: {joint} {alone}");
            assert!(found.misfit < 0.05 && found.noise > 0.1, "{exponent}: {} {}", found.misfit, found.noise);
        }
    }

    #[test]
    fn dependent_or_negative_starts_are_refused_and_a_stop_is_heeded() {
        let (rows, components) = similar(1.0, 0.05);
        let problem = problem(&rows, &components, 0.05);
        let limits = JointLimits { first: 10, then: 5 };
        let end = |start: &Array2<f64>, stop: bool| {
            problem.maximise_joint((start, &[0.7; 4]), rows.view(), limits, &|| stop)
        };
        let mut dependent = components.clone();
        let first = dependent.row(0).to_owned();
        dependent.row_mut(1).assign(&first);
        assert!(end(&dependent, false).is_none());
        assert!(end(&-&components, false).is_none());
        assert!(end(&components, true).is_none());
    }

    #[test]
    fn exponents_come_back_from_their_places() {
        for a in [0.13, 1.0, 4.0] {
            let (found, derivative) = exponent(place(a));
            assert!((found - a).abs() < 1e-12, "{a} {found}");
            let difference = (exponent(place(a) + 1e-6).0 - exponent(place(a) - 1e-6).0) / 2e-6;
            assert!((derivative - difference).abs() < 1e-6, "{a}: {derivative} {difference}");
        }
        assert!(exponent(place(1e-9)).0 < 0.12 && exponent(place(1e9)).0 > 4.5);
    }
}
