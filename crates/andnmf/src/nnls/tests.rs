//! The solver against reference solvers, the optimality conditions, and degenerate problems.

use ndarray::{Array1, Array2, ArrayView2, Axis, array};
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::oracle::{exhaustive, lawson_hanson, loss};
use super::*;
use crate::testing::{assert_close, random_matrix};

fn problem(components: &Array2<f64>, samples: &Array2<f64>) -> (Array2<f64>, Array2<f64>) {
    (components.dot(&components.t()), samples.dot(&components.t()))
}

fn solved(components: &Array2<f64>, samples: &Array2<f64>) -> Array2<f64> {
    let (gram, products) = problem(components, samples);
    solve(gram.view(), products.view(), None).unwrap()
}

fn by_lawson_hanson(components: &Array2<f64>, samples: ArrayView2<'_, f64>) -> Array2<f64> {
    let mut weights = Array2::zeros((samples.nrows(), components.nrows()));
    for (sample, mut row) in samples.outer_iter().zip(weights.outer_iter_mut()) {
        row.assign(&lawson_hanson(components.view(), sample));
    }
    weights
}

#[test]
fn equals_the_best_of_all_passive_sets() {
    for rank in 1..=6 {
        for seed in 0..4 {
            let components = random_matrix::<f64>(rank, 9, seed);
            let samples = random_matrix::<f64>(20, 9, seed + 50);
            let (gram, products) = problem(&components, &samples);
            let expected: Vec<_> =
                products.outer_iter().map(|p| exhaustive(gram.view(), p).insert_axis(Axis(0))).collect();
            let expected =
                ndarray::concatenate(Axis(0), &expected.iter().map(|x| x.view()).collect::<Vec<_>>());
            assert_close(&solved(&components, &samples), &expected.unwrap(), 1e-10);
        }
    }
}

#[test]
fn equals_lawson_hanson() {
    for (rank, features, n) in [(1, 1, 3), (7, 30, 40), (33, 60, 40), (70, 150, 20)] {
        for lift in [0.0, 1.0] {
            let components = random_matrix::<f64>(rank, features, 3) + lift;
            let samples = random_matrix::<f64>(n, features, 4) + lift;
            let expected = by_lawson_hanson(&components, samples.view());
            assert_close(&solved(&components, &samples), &expected, 1e-9);
        }
    }
}

#[test]
fn many_samples_of_few_sets_equal_the_oracle() {
    // Few components, many samples: most sets occur often, and in groups of every length.
    for (rank, n) in [(1, 5), (2, 9), (3, 100), (5, 700)] {
        let components = random_matrix::<f64>(rank, 12, 5);
        let samples = random_matrix::<f64>(n, 12, 6);
        let expected = by_lawson_hanson(&components, samples.view());
        assert_close(&solved(&components, &samples), &expected, 1e-11);
    }
}

#[test]
fn weights_of_exact_mixtures_are_recovered() {
    let components = random_matrix::<f64>(12, 40, 1);
    let weights = random_matrix::<f64>(300, 12, 2).mapv(|v| v.max(0.0));
    assert_close(&solved(&components, &weights.dot(&components)), &weights, 1e-12);
}

#[test]
fn any_start_gives_the_same_solution() {
    let (components, samples) = (random_matrix::<f64>(24, 60, 7), random_matrix::<f64>(90, 60, 8));
    let (gram, products) = problem(&components, &samples);
    let cold = solve(gram.view(), products.view(), None).unwrap();
    for start in [cold.clone(), Array2::zeros(cold.dim()), Array2::ones(cold.dim()), random_matrix(90, 24, 9)]
    {
        let warm = solve(gram.view(), products.view(), Some(start.view())).unwrap();
        assert_close(&warm, &cold, 1e-12);
    }
}

#[test]
fn a_sample_gets_the_same_bits_on_any_threads_and_with_any_other_samples() {
    let (components, samples) = (random_matrix::<f64>(11, 30, 7), random_matrix::<f64>(1500, 30, 8));
    let (gram, products) = problem(&components, &samples);
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| solve(gram.view(), products.view(), None).unwrap())
    };
    let one = on(1);
    assert!(on(2) == one && on(5) == one);
    let prepared = ScaledGram::new(gram.view()).unwrap();
    let mut workspace = BlockWorkspace::default();
    for rows in [0..1, 3..8, 700..1010] {
        let rows = ndarray::s![rows, ..];
        let mut weights = Array2::zeros(one.slice(rows).dim());
        solve_block(&prepared, products.slice(rows), weights.view_mut(), NnlsStart::Cold, &mut workspace)
            .unwrap();
        assert!(weights == one.slice(rows));
    }
}

#[test]
fn single_precision_is_optimal_to_its_own_digits() {
    let (components, samples) = (random_matrix::<f32>(40, 90, 1), random_matrix::<f32>(120, 90, 2));
    let (gram, products) = (components.dot(&components.t()), samples.dot(&components.t()));
    let weights = solve(gram.view(), products.view(), None).unwrap();
    assert!(kkt_violation(gram.view(), products.view(), weights.view()).unwrap() < 1e-6);
    let wide = solved(&components.mapv(f64::from), &samples.mapv(f64::from));
    assert_close(&weights.mapv(f64::from), &wide, 1e-4);
}

/// Degenerate components and samples of many kinds, chosen by the seed.
fn degenerate(seed: u64, rank: usize, features: usize) -> (Array2<f64>, Array2<f64>) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let lift = if rng.random::<bool>() { 1.0 } else { 0.0 };
    let mut components = random_matrix::<f64>(rank, features, seed) + lift;
    if rng.random_range(0..4) == 0 {
        let inner = rng.random_range(1..=rank);
        components =
            random_matrix::<f64>(rank, inner, seed).dot(&random_matrix::<f64>(inner, features, seed + 1));
    }
    for _ in 0..rng.random_range(0..4) {
        let (from, to) = (rng.random_range(0..rank), rng.random_range(0..rank));
        let factor = [1.0, -1.0, 3.0, 0.0][rng.random_range(0..4)];
        let copy = &components.row(from) * factor;
        components.row_mut(to).assign(&copy);
    }
    let mut samples = random_matrix::<f64>(12, features, seed + 2) + lift;
    samples.row_mut(3).fill(0.0);
    // Some samples mix the components exactly, so that slopes outside the passive set are zero too.
    for row in 4..8 {
        let weights = Array1::from_shape_simple_fn(rank, || rng.random_range(-2.0_f64..1.0).max(0.0));
        samples.row_mut(row).assign(&weights.dot(&components));
    }
    if rng.random::<bool>() {
        for mut row in components.outer_iter_mut() {
            let scale = 10f64.powi(rng.random_range(-60..60));
            row.mapv_inplace(|v| v * scale);
        }
        for mut row in samples.outer_iter_mut() {
            let scale = 10f64.powi(rng.random_range(-60..60));
            row.mapv_inplace(|v| v * scale);
        }
    }
    (components, samples)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn degenerate_problems_end_at_an_optimum(seed in 0_u64..1 << 40, rank in 1_usize..20, features in 1_usize..25) {
        let (components, samples) = degenerate(seed, rank, features);
        let (gram, products) = problem(&components, &samples);
        let cold = solve(gram.view(), products.view(), None).unwrap();
        let start = random_matrix::<f64>(12, rank, seed + 9);
        let warm = solve(gram.view(), products.view(), Some(start.view())).unwrap();
        for weights in [&cold, &warm] {
            prop_assert!(weights.iter().all(|&v| v >= 0.0 && v.is_finite()));
            let violation = kkt_violation(gram.view(), products.view(), weights.view()).unwrap();
            prop_assert!(violation <= 1e-8, "{violation:e}");
        }
    }

    #[test]
    fn degenerate_problems_reach_the_smallest_loss(seed in 0_u64..1 << 40, rank in 1_usize..7, features in 1_usize..9) {
        let (mut components, mut samples) = degenerate(seed, rank, features);
        // The reference solver does not handle extreme scales.
        for matrix in [&mut components, &mut samples] {
            for mut row in matrix.outer_iter_mut() {
                let length = row.iter().fold(0.0, |top: f64, v| top.max(v.abs()));
                if length > 0.0 {
                    row.mapv_inplace(|v| v / length);
                }
            }
        }
        let (gram, products) = problem(&components, &samples);
        let weights = solve(gram.view(), products.view(), None).unwrap();
        for (p, x) in products.outer_iter().zip(weights.outer_iter()) {
            let best = exhaustive(gram.view(), p);
            let (reached, best) = (loss(gram.view(), p, x), loss(gram.view(), p, best.view()));
            prop_assert!(reached <= best + 1e-9 * (1.0 + best.abs()), "{reached} instead of {best}");
        }
    }
}

#[test]
fn nearly_dependent_components_still_end_close_to_an_optimum() {
    for distance in [1e-3, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-12] {
        for seed in 0..20 {
            let mut components = random_matrix::<f64>(9, 20, seed);
            for (to, from, sign) in [(3, 0, 1.0), (5, 1, -1.0), (7, 0, -1.0)] {
                let near = &components.row(from) * sign
                    + random_matrix::<f64>(1, 20, seed + 30).row(0).mapv(|v| v * distance);
                components.row_mut(to).assign(&near);
            }
            let samples = random_matrix::<f64>(30, 20, seed + 60);
            let (gram, products) = problem(&components, &samples);
            let weights = solve(gram.view(), products.view(), None).unwrap();
            let violation = kkt_violation(gram.view(), products.view(), weights.view()).unwrap();
            assert!(violation <= 1e-6, "{violation:e} at {distance:e}, seed {seed}");
        }
    }
}

#[test]
fn zero_samples_and_zero_components_get_zero_weights() {
    let zeros = |n, k| Array2::<f64>::zeros((n, k));
    assert_eq!(solve(zeros(3, 3).view(), zeros(5, 3).view(), None).unwrap(), zeros(5, 3));
    assert_eq!(solve(zeros(0, 0).view(), zeros(5, 0).view(), None).unwrap(), zeros(5, 0));
    assert_eq!(solve(zeros(2, 2).view(), zeros(0, 2).view(), None).unwrap(), zeros(0, 2));
    let start = Array2::ones((5, 2));
    let eye = Array2::eye(2);
    assert_eq!(solve(eye.view(), zeros(5, 2).view(), Some(start.view())).unwrap(), zeros(5, 2));
}

#[test]
fn invalid_problems_are_refused_with_the_location() {
    let (gram, products) = (array![[1.0_f64, 0.0], [0.0, 1.0]], array![[1.0, 2.0], [3.0, f64::NAN]]);
    let error = solve(gram.view(), products.view(), None).unwrap_err().to_string();
    assert!(error.starts_with("the products, row 1, column 1 is NaN"), "{error}");
    let error = solve(gram.view(), array![[1.0, 2.0, 3.0]].view(), None).unwrap_err().to_string();
    assert!(error.starts_with("the Gram matrix must be 3 × 3"), "{error}");
    let start = array![[1.0, 2.0]];
    let products = array![[1.0, 2.0], [3.0, 4.0]];
    let error = solve(gram.view(), products.view(), Some(start.view())).unwrap_err().to_string();
    assert!(error.starts_with("the weights must be 2 × 2"), "{error}");
    let start = array![[1.0, 2.0], [f64::INFINITY, 0.0]];
    let error = solve(gram.view(), products.view(), Some(start.view())).unwrap_err().to_string();
    assert!(error.starts_with("the start, row 1, column 0 is inf"), "{error}");
}

#[test]
fn weights_too_large_for_the_type_are_an_error_that_names_the_sample() {
    // Too large after scaling back, and already before.
    for large in [1e155, 1e200] {
        let (gram, products) = (array![[1e-300_f64]], array![[1e-150], [large]]);
        let error = solve(gram.view(), products.view(), None).unwrap_err();
        assert_eq!(error, NnlsError::Overflow { sample: 1 });
    }
}

#[test]
fn an_indefinite_matrix_gives_finite_weights_or_an_error() {
    // Symmetric with a positive diagonal, but indefinite: there may be no optimum, but the solver must not panic.
    for seed in 0..200 {
        let half = random_matrix::<f64>(6, 6, seed);
        let gram = &half + &half.t() + &Array2::<f64>::eye(6);
        let gram =
            Array2::from_shape_fn((6, 6), |(i, j)| if i == j { gram[[i, i]].abs() } else { gram[[i, j]] });
        match solve(gram.view(), random_matrix::<f64>(10, 6, seed + 1).view(), None) {
            Ok(weights) => assert!(weights.iter().all(|v| v.is_finite() && *v >= 0.0)),
            Err(error) => assert!(matches!(error, NnlsError::Overflow { .. })),
        }
    }
}
