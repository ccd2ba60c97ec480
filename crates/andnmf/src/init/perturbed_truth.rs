//! The initialization of the paper's experiments: the perturbed truth.

use ndarray::{Array2, ArrayView2};
use rand::RngExt;

use crate::linalg::product::multiply;
use crate::random::{Stream, generator};

/// Half the width of the paper's range of perturbations, before scaling.
const HALF_WIDTH: f64 = 0.05;

/// The paper's start `A₀ = A*(I + U) + N`, for experiments in which the truth (one component per row) is known.
///
/// The entries of `U` (rank × rank) are uniform on [-0.05, 0.05)·`in_span`, those of `N` uniform on
/// [-0.05, 0.05)·`out_of_span`. `U` mixes the true components with each other and stays in their span; `N`
/// leaves it. With components as rows this reads `(I + U)ᵀ·truth + Nᵀ`. With many components already `in_span = 1` is a
/// poor start: each row contains more of all other components combined than of its own.
///
/// Both scales should be finite ([`DatasetSpec`](crate::synth::DatasetSpec) refuses others), or the start is not
/// finite. `U` and `N` do not depend on the scales, so a sweep over a scale stretches one fixed perturbation.
///
/// ```
/// let truth = ndarray::array![[1.0, 0.0, 2.0], [0.0, 1.0, 1.0]];
/// let start = andnmf::init::perturbed_truth(truth.view(), 1.0, 0.0, 0);
/// assert!((&start - &truth).iter().all(|change| change.abs() < 0.2));
/// ```
pub fn perturbed_truth(truth: ArrayView2<'_, f64>, in_span: f64, out_of_span: f64, seed: u64) -> Array2<f64> {
    let mut rng = generator(seed, Stream::Start);
    let rank = truth.nrows();
    let mut mixing =
        Array2::from_shape_simple_fn((rank, rank), || in_span * rng.random_range(-HALF_WIDTH..HALF_WIDTH));
    mixing.diag_mut().mapv_inplace(|own| 1.0 + own);
    let mut start = multiply(mixing.t(), truth);
    if out_of_span != 0.0 {
        start.mapv_inplace(|entry| entry + out_of_span * rng.random_range(-HALF_WIDTH..HALF_WIDTH));
    }
    start
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::basis::orthonormal_rows;
    use crate::testing::{assert_close, random_matrix};

    #[test]
    fn without_perturbation_the_start_is_the_truth() {
        let truth = random_matrix::<f64>(6, 20, 1);
        assert_eq!(perturbed_truth(truth.view(), 0.0, 0.0, 3), truth);
    }

    #[test]
    fn in_span_entries_are_uniform_in_their_range() {
        let truth = Array2::eye(100);
        let added = perturbed_truth(truth.view(), 2.0, 0.0, 4) - &truth;
        assert!(added.iter().all(|v| v.abs() <= 0.1));
        assert!(added.iter().any(|&v| v < -0.0999) && added.iter().any(|&v| v > 0.0999));
        // A uniform variable on [-h, h) has mean 0 and variance h²/3; 10 000 of them are averaged.
        assert!(added.mean().unwrap().abs() < 4.0 * 0.1 / 3_f64.sqrt() / 100.0);
        let variance = added.mapv(|v| v * v).mean().unwrap();
        assert!((variance / (0.01 / 3.0) - 1.0).abs() < 0.04, "variance {variance}");
    }

    #[test]
    fn in_span_perturbation_never_leaves_the_span() {
        let truth = random_matrix::<f64>(5, 40, 5);
        let start = perturbed_truth(truth.view(), 3.0, 0.0, 6);
        let basis = orthonormal_rows(truth.view(), 1e-12);
        assert_close(&multiply(multiply(start.view(), basis.t()).view(), basis.view()), &start, 1e-13);
        assert!((&start - &truth).iter().any(|v| v.abs() > 0.01));
    }

    #[test]
    fn out_of_span_perturbation_is_bounded_and_scales_alone() {
        let truth = random_matrix::<f64>(5, 40, 7);
        let mixed = perturbed_truth(truth.view(), 1.0, 0.0, 8);
        let once = perturbed_truth(truth.view(), 1.0, 1.0, 8) - &mixed;
        let twice = perturbed_truth(truth.view(), 1.0, 2.0, 8) - &mixed;
        assert!(once.iter().all(|v| v.abs() < 0.05 + 1e-12) && once.iter().any(|v| v.abs() > 0.045));
        assert_close(&twice, &(once * 2.0), 1e-13);
    }

    #[test]
    fn the_seed_determines_the_start() {
        let truth = random_matrix::<f64>(4, 9, 9);
        let start = |seed| perturbed_truth(truth.view(), 1.0, 1.0, seed);
        assert_eq!(start(1), start(1));
        assert_ne!(start(1), start(2));
    }
}
