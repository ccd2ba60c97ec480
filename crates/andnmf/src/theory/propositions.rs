//! Tests of what the paper states with numbers, and of the corrections in docs/paper-to-code.md.

use ndarray::{Array1, Array2};

use super::GeneralCorrelationConditions;
use crate::linalg::product::multiply;
use crate::linalg::pseudo_inverse::pseudo_inverse_of_rows;
use crate::linalg::symmetric::spectral_norm;
use crate::synth::Weights;
use crate::testing::random_matrix;
use crate::theory::bounds::noisy_inverse_error;

#[test]
fn proposition_1_2_dirichlet_weights_have_m_and_lambda_of_the_correction() {
    // At k = 1: m = s/(s + 1) and λ = 1/(s + 1), where the paper has 1/(sD) and 1 − 1/s.
    for (rank, s) in [(10, 0.5), (10, 2.0), (20, 5.0)] {
        let weights = Weights::Dirichlet { concentration: s }.draw(200_000, rank, 1).unwrap();
        let given = GeneralCorrelationConditions::of(weights.view()).unwrap();
        let (m, lambda) = (given.m, given.lambda * given.k);
        assert!((given.r - 1.0).abs() < 1e-9 && given.k <= 1.0);
        // m is the largest of many estimates, λ the smallest.
        assert!(m > s / (s + 1.0) && m < 1.12 * s / (s + 1.0), "m {m} for s = {s}");
        assert!((lambda * (s + 1.0) - 1.0).abs() < 0.05, "λ {lambda} for s = {s}");
    }
}

#[test]
fn proposition_1_1_the_stated_lambda_holds_exactly_up_to_s_times_s_minus_one_of_d_minus_one() {
    for rank in [4_usize, 7, 13, 21] {
        for s in 2..rank {
            // All s-sparse binary vectors: the smallest eigenvalue of Δ is E[xᵢ²] − E[xᵢxⱼ], and k = s.
            let moments = Weights::SparseBinary { sparsity: s }.moments(rank).unwrap();
            let lambda = rank as f64 / s as f64 * (moments.square - moments.largest_product);
            let stated = 1.0 - 1.0 / s as f64;
            assert_eq!(lambda >= stated - 1e-12, s * (s - 1) < rank, "D = {rank}, s = {s}");
        }
    }
}

#[test]
fn corollary_12_needs_a_smaller_start_than_it_states() {
    let worst = |mixing: f64| (0..60).fold(1.0 / 17.0, |scale, j| scale + 4.0 * mixing / 40_f64.powi(j));
    assert!(worst(1.0 / 8.0) > 0.5, "with ‖E‖ = 1/8, as the lemma allows");
    assert!(worst(1.0 / 62.0) <= 1.0 / 8.0 && worst(1.0 / 61.0) > 1.0 / 8.0);
}

#[test]
fn lemma_24_the_noisy_inverse_stays_within_its_explicit_bound() {
    let (rank, n_features) = (6, 15);
    for seed in 0..20 {
        let truth = random_matrix::<f64>(rank, n_features, seed);
        let smallest = 1.0 / spectral_norm(pseudo_inverse_of_rows(truth.view()).unwrap().matrix.view());
        let mut mixing = random_matrix::<f64>(rank, rank, 100 + seed);
        mixing.diag_mut().fill(0.0);
        mixing *= 0.12 / spectral_norm(mixing.view());
        // Rows are components: A = (Σ + E)ᵀ·A* + N.
        let diagonal = Array1::from_shape_fn(rank, |i| 0.5 + 0.2 * i as f64);
        let shares = mixing + Array2::from_diag(&diagonal);
        let noise = random_matrix::<f64>(rank, n_features, 200 + seed);
        let noise = &noise * (0.2 * smallest / spectral_norm(noise.view()));
        let noisy = multiply(shares.t(), truth.view()) + &noise;
        // A†·A*: the decoder of A on the true components.
        let decoder = pseudo_inverse_of_rows(noisy.view()).unwrap().matrix;
        let decoded = multiply(decoder.view(), truth.t());
        let exact = pseudo_inverse_of_rows(shares.t()).unwrap().matrix;
        let error = spectral_norm((&decoded - &exact).view());
        let bound = noisy_inverse_error(0.12, 0.2 * smallest, smallest).unwrap();
        assert!(error <= bound && bound <= 32.0 * 0.2, "{error} {bound}");
    }
}
