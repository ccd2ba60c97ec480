//! The end by the likelihood that takes the noise of all shares together, as far as shares are spread as it says.

use ndarray::{Array2, ArrayView1, Axis};

use super::stability::part_of_samples;
use crate::constants::VolumeConstants;
use crate::linalg::product::{length, multiply};
use crate::random::{Stream, numbered_generator};
use crate::volume::{JointLimits, JointSolution, SoftVolume};

/// The number of the random part of the samples that the search looks at first.
const FIRST_SAMPLES: usize = 24;
/// Exponents where none have been found before: between crowds at zero and even shares.
const FIRST_EXPONENT: f64 = 0.7;

/// The most likely components under joint noise, from one of these starts; `None` if it settles from none, or if there are
/// too many components for it.
pub(super) fn joint(
    problem: &SoftVolume<'_>,
    starts: &[Array2<f64>],
    constants: &VolumeConstants,
    seed: u64,
    stop: &(dyn Fn() -> bool + Sync),
) -> Option<JointSolution> {
    let (n, rank) = problem.rows.dim();
    if rank > constants.joint_rank {
        return None;
    }
    let some = |most: usize, number: usize| {
        let mut rng = numbered_generator(seed, Stream::Subsets, number);
        let numbers = part_of_samples(n, (most as f64 / n as f64).min(1.0), &mut rng);
        problem.rows.select(Axis(0), &numbers)
    };
    let first = some(constants.joint_first_samples, FIRST_SAMPLES);
    let rows = some(constants.joint_samples, FIRST_SAMPLES + 1);
    let bounded = SoftVolume { rows: rows.view().into(), sums: problem.sums.clone(), noise: problem.noise };
    // Independent noise leads near from afar, in few steps.
    let near = starts
        .iter()
        .filter_map(|start| bounded.maximise_dirichlet(start, constants.joint_start_iterations, stop))
        .min_by(|a, b| a.solution.value.total_cmp(&b.solution.value));
    let near = near.map(|near| (near.solution.components, near.exponents));
    let plain = starts.iter().map(|start| (start.clone(), vec![FIRST_EXPONENT; rank]));
    let limits = JointLimits { first: constants.joint_iterations, then: constants.joint_last_iterations };
    let climbed = |(start, exponents): (Array2<f64>, Vec<f64>)| {
        bounded
            .maximise_joint((&start, &exponents), first.view(), limits, stop)
            .filter(|found| found.solution.outside <= constants.most_outside && found.misfit.is_finite())
    };
    near.into_iter().chain(plain).find_map(climbed)
}

/// A mean of two sets of components of the same problem, `weight` being that of the first. Where they do not go together
/// one by one, the heavier.
pub(super) fn between(
    problem: &SoftVolume<'_>,
    first: &Array2<f64>,
    second: &Array2<f64>,
    weight: f64,
) -> Array2<f64> {
    // Scaled to the same sum of weights, as points of one plane.
    let scaled = |components: &Array2<f64>| {
        let sums = components.dot(&problem.sums);
        components / &sums.insert_axis(Axis(1))
    };
    let (first, second) = (scaled(first), scaled(second));
    let lengths: Vec<f64> = second.outer_iter().map(length).collect();
    let products = multiply(first.view(), second.t());
    let nearest = |row: ArrayView1<'_, f64>| {
        let cosine = |k: &usize| row[*k] / lengths[*k].max(f64::MIN_POSITIVE);
        (0..lengths.len()).max_by(|k, l| cosine(k).total_cmp(&cosine(l))).unwrap_or(0)
    };
    let order: Vec<usize> = products.outer_iter().map(nearest).collect();
    let mut sorted = order.clone();
    sorted.sort_unstable();
    sorted.dedup();
    if sorted.len() < order.len() {
        return if weight >= 0.5 { first } else { second };
    }
    first * weight + second.select(Axis(0), &order) * (1.0 - weight)
}

#[cfg(test)]
mod tests {
    use ndarray::{Array1, array};

    use super::*;

    #[test]
    fn components_between_two_sets_keep_their_sums_whatever_the_order() {
        let first = array![[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        // In another order and scale.
        let second = array![[0.0, 1.8, 0.2], [0.0, 0.0, 3.0], [0.8, 0.2, 0.0]];
        let problem = SoftVolume { rows: Array2::zeros((1, 3)).into(), sums: Array1::ones(3), noise: 0.1 };
        let found = between(&problem, &first, &second, 0.75);
        let expected = array![[0.95, 0.05, 0.0], [0.0, 0.975, 0.025], [0.0, 0.0, 1.0]];
        assert!((&found - &expected).iter().all(|v| v.abs() < 1e-12), "{found}");
        // Two of the first are nearest to one of the second: the heavier is taken.
        let alike = array![[1.0, 0.0, 0.0], [0.9, 0.1, 0.0], [0.0, 0.0, 1.0]];
        assert_eq!(between(&problem, &alike, &first, 0.6), alike);
        assert_eq!(between(&problem, &alike, &first, 0.4), first);
    }
}
