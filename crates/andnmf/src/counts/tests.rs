//! Kernels against naive ones, and recognition on data that are counts and that are not.

use ndarray::{Array2, Axis};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, Poisson};

use super::model::{Model, filled, improved, likelihood_steps};
use super::momentum::Momentum;
use super::noise::{Noise, recognised};
use super::pass::{ByFeature, ShareRule, pass};
use super::profiles::{ProfileCourse, Profiles, profile_steps};
use super::rows::{copied, thinned};
use crate::fit::{Run, StopMonitor};
use crate::linalg::special::digamma;
use crate::samples::{CsrSamples, DenseSamples, Samples, dense_rows};
use crate::testing::{assert_close, random_matrix, sparse_copy};

/// Poisson counts of mixtures of `rank` components, among them a sample and a feature without counts.
pub(super) fn counts(n: usize, features: usize, rank: usize, mean: f64) -> (Array2<f64>, Array2<f64>) {
    let mut truth = random_matrix::<f64>(rank, features, 1).mapv(|v| v.max(0.0) + 1e-3);
    truth.axis_iter_mut(Axis(0)).for_each(|mut row| row /= row.sum());
    let mut shares = random_matrix::<f64>(n, rank, 2).mapv(|v| v.max(0.0) + 1e-3);
    shares.axis_iter_mut(Axis(0)).for_each(|mut row| row /= row.sum());
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let means = shares.dot(&truth) * mean;
    let mut data = means.mapv(|mean| Poisson::new(mean).unwrap().sample(&mut rng));
    data.row_mut(2).fill(0.0);
    data.column_mut(3).fill(0.0);
    (data, truth)
}

pub(super) fn csr(data: &Array2<f64>) -> CsrSamples<'static, f64> {
    let (pointers, indices, values) = sparse_copy(data);
    CsrSamples::new(data.ncols(), &pointers, indices, values).unwrap()
}

pub(super) fn single(data: &Array2<f64>) -> CsrSamples<'static, f32> {
    copied(&csr(data), usize::MAX, 0).unwrap().0
}

pub(super) fn monitor() -> StopMonitor<'static> {
    StopMonitor::new(&Run::<f64>::new(), None, 0.0)
}

/// The sweeps and sums of a pass, value by value.
fn naive(
    data: &Array2<f64>,
    components: &Array2<f64>,
    prior: Option<&[f64]>,
    sweeps: usize,
    shares: &mut Array2<f64>,
) -> (Array2<f64>, f64) {
    let mut quotients = Array2::<f64>::zeros(components.t().dim());
    let mut log_likelihood = 0.0;
    for (sample, mut theta) in data.outer_iter().zip(shares.outer_iter_mut()) {
        if sample.sum() == 0.0 {
            continue;
        }
        for _ in 0..sweeps {
            let fitted = theta.dot(components);
            let ratio = &sample / &fitted;
            let gained = components.dot(&ratio.mapv(|v| if v.is_finite() { v } else { 0.0 }));
            match prior {
                None => theta *= &(&gained / sample.sum()),
                Some(prior) => {
                    let gamma = &theta * &gained + ndarray::ArrayView1::from(prior);
                    let exponential = gamma.mapv(|g| digamma(g).exp());
                    theta.assign(&(&exponential / exponential.sum()));
                }
            }
        }
        let fitted = theta.dot(components);
        for (w, &count) in sample.indexed_iter().filter(|(_, count)| **count > 0.0) {
            log_likelihood += count * fitted[w].ln();
            quotients.row_mut(w).scaled_add(count / fitted[w], &theta);
        }
    }
    (quotients, log_likelihood)
}

#[test]
fn a_pass_equals_the_naive_one_dense_and_sparse_in_both_precisions() {
    for (rank, features) in [(1, 9), (3, 40), (9, 33)] {
        let (data, _) = counts(150, features, rank, 30.0);
        let mut components = random_matrix::<f64>(rank, features, 5).mapv(|v| v.abs() + 0.01);
        components.axis_iter_mut(Axis(0)).for_each(|mut row| row /= row.sum());
        let prior = vec![0.3; rank];
        for prior in [None, Some(&prior[..])] {
            let even = Array2::from_elem((150, rank), 1.0 / rank as f64);
            let mut expected = even.clone();
            let (quotients, log_likelihood) = naive(&data, &components, prior, 3, &mut expected);
            let rule = prior.map_or(ShareRule::Likelihood, ShareRule::Dirichlet);
            let dense = DenseSamples::new(data.view()).unwrap();
            for samples in [&dense as &dyn Samples<f64>, &csr(&data)] {
                // Rows of zeros begin at equal shares.
                let mut shares = Array2::zeros((150, rank));
                let sums = pass(samples, &ByFeature::new(&components), rule, 3, shares.view_mut()).unwrap();
                assert_close(&shares, &expected, 1e-12);
                assert_close(&sums.quotients.slice(ndarray::s![.., ..rank]), &quotients, 1e-11);
                assert!((sums.log_likelihood / log_likelihood - 1.0).abs() < 1e-12);
                assert_eq!(sums.used, data.outer_iter().filter(|row| row.sum() > 0.0).count() as f64);
            }
            let mut shares = Array2::zeros((150, rank));
            let single_components = ByFeature::new(&components.mapv(|v| v as f32));
            let sums = pass(&single(&data), &single_components, rule, 3, shares.view_mut()).unwrap();
            assert_close(&shares.mapv(f64::from), &expected, 1e-4);
            assert!((sums.log_likelihood / log_likelihood - 1.0).abs() < 1e-5);
        }
    }
}

#[test]
fn sums_have_the_same_bits_on_any_number_of_threads() {
    let (data, _) = counts(3000, 20, 4, 20.0);
    let samples = csr(&data);
    let components = filled(&random_matrix(4, 20, 6), &[1.0; 20], 0.1).mapv(f64::from);
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut shares = Array2::zeros((3000, 4));
            let sums =
                pass(&samples, &ByFeature::new(&components), ShareRule::Likelihood, 2, shares.view_mut());
            let sums = sums.unwrap();
            (shares, sums.quotients, sums.log_likelihood.to_bits())
        })
    };
    assert_eq!(on(1), on(3));
}

#[test]
fn steps_with_momentum_need_fewer_passes_than_plain_ones() {
    let (data, _) = counts(600, 30, 4, 60.0);
    let samples = csr(&data);
    let start = filled(&random_matrix(4, 30, 6), &[1.0; 30], 0.1).mapv(f64::from);
    let course = |momentum: bool, steps: usize| -> Vec<f64> {
        let (mut components, mut shares) = (start.clone(), Array2::zeros((600, 4)));
        let mut ahead = Momentum::new();
        let step = |_| {
            let by_feature = ByFeature::new(&components);
            let sums = pass(&samples, &by_feature, ShareRule::Likelihood, 1, shares.view_mut()).unwrap();
            let next = improved(&components, &sums);
            components = if momentum { ahead.climb(next, &mut shares, sums.log_likelihood) } else { next };
            sums.log_likelihood
        };
        (0..steps).map(step).collect()
    };
    let (plain, fast) = (course(false, 300), course(true, 250));
    // The likelihood of plain steps never falls.
    assert!(plain.windows(2).all(|pair| pair[1] >= pair[0] - 1e-9 * pair[0].abs()));
    // Components that overlap more gain more: up to a fifth of the passes on signatures.
    let needed = fast.iter().position(|&v| v >= plain[299]).unwrap_or(fast.len());
    assert!(3 * needed <= 2 * 300, "{needed} passes instead of 300");
}

#[test]
fn thinned_counts_are_whole_and_sum_to_all() {
    let (data, _) = counts(80, 12, 3, 50.0);
    let samples = single(&data);
    let (kept, held) = thinned(&samples, 0.2, 4).unwrap();
    let all: Vec<usize> = (0..80).collect();
    let [whole, kept, held] = [&samples, &kept, &held].map(|s| dense_rows(s, &all).unwrap());
    assert_eq!(&kept + &held, whole);
    assert!(held.iter().all(|v| v.fract() == 0.0 && *v >= 0.0));
    assert!((held.sum() / whole.sum() - 0.2).abs() < 0.02, "{}", held.sum() / whole.sum());
}

#[test]
fn a_large_source_is_represented_by_some_of_its_samples() {
    let (data, _) = counts(80, 12, 3, 50.0);
    let source = csr(&data);
    let (part, chosen) = copied(&source, source.stored_values() / 4, 4).unwrap();
    let chosen = chosen.unwrap();
    assert_eq!(part.n_samples(), chosen.len());
    assert!((15..=20).contains(&chosen.len()), "{}", chosen.len());
    let rows: Vec<usize> = (0..chosen.len()).collect();
    assert_eq!(dense_rows(&part, &rows).unwrap().mapv(f64::from), data.select(Axis(0), &chosen));
}

#[test]
fn profiles_raise_the_likelihood_and_memberships_of_candidates_are_those_of_all() {
    let (data, _) = counts(400, 25, 3, 25.0);
    let samples = single(&data);
    let start = Profiles {
        components: filled(&random_matrix(3, 25, 6), &[1.0; 25], 0.1),
        profiles: random_matrix::<f32>(20, 3, 7).mapv(|v| v.abs() + 0.1),
        weights: vec![0.05; 20],
    };
    let mut profiles = start.clone();
    profiles.profiles.axis_iter_mut(Axis(0)).for_each(|mut row| row /= row.sum());
    let course = ProfileCourse { steps: 1, sweeps: 1, candidates: 20, refresh: 1, heat: 1.0 };
    let mut last = f64::NEG_INFINITY;
    for _ in 0..30 {
        let (next, reached) = profile_steps(&samples, profiles, &course, &monitor()).unwrap();
        // Memberships below 1e-4 are left out, and numbers are single.
        assert!(reached >= last - 1e-4 * reached.abs(), "{last} to {reached}");
        (profiles, last) = (next, reached);
    }
    let mut given = start;
    given.profiles.axis_iter_mut(Axis(0)).for_each(|mut row| row /= row.sum());
    let often = ProfileCourse { steps: 12, ..course };
    let rarely = ProfileCourse { refresh: 5, ..often };
    let (all, _) = profile_steps(&samples, given.clone(), &often, &monitor()).unwrap();
    let (few, _) = profile_steps(&samples, given, &rarely, &monitor()).unwrap();
    assert_close(&few.components, &all.components, 1e-3);
}

#[test]
fn likelihood_steps_find_the_components_of_many_counts() {
    let (data, truth) = counts(1500, 25, 3, 2000.0);
    let samples = single(&data);
    let start = filled(&(&truth + &(random_matrix::<f64>(3, 25, 8).mapv(f64::abs) * 0.02)), &[1.0; 25], 1e-3);
    let model =
        Model { components: start, shares: Array2::zeros((1500, 3)), prior: Vec::new(), smoothed: false };
    let (found, _) = likelihood_steps(&samples, model, 200, 1e-6, &monitor()).unwrap();
    let mut known = truth;
    known.column_mut(3).fill(0.0);
    known.axis_iter_mut(Axis(0)).for_each(|mut row| row /= row.sum());
    assert!((&found.components.mapv(f64::from) - &known).mapv(f64::abs).sum() < 0.1);
}

#[test]
fn counts_are_recognised_and_other_values_are_not() {
    let (data, _) = counts(300, 25, 3, 60.0);
    let found = |data: &Array2<f64>, noise| {
        let dense = DenseSamples::new(data.view()).unwrap();
        let one = recognised(&dense, noise, 3, 0, &monitor()).unwrap();
        let other = recognised(&csr(data), noise, 3, 0, &monitor()).unwrap();
        assert_eq!(one.as_ref().map(|n| n.dispersion), other.as_ref().map(|n| n.dispersion));
        one
    };
    let noise = found(&data, Noise::Auto).unwrap();
    assert!((noise.dispersion - 1.0).abs() < 0.15, "{}", noise.dispersion);
    assert!(noise.overdispersion < 0.02, "{}", noise.overdispersion);
    assert!(found(&data, Noise::Gaussian).is_none());
    // Scaled counts, signed ones, the mere presence of features, and whole numbers without noise.
    assert!(found(&(&data * 0.5), Noise::Auto).is_none());
    assert!(found(&(&data - 1.0), Noise::Auto).is_none());
    assert!(found(&data.mapv(|v| v.min(1.0)), Noise::Auto).is_none());
    let weights = random_matrix::<f64>(300, 3, 2).mapv(|v| (20.0 * v).max(0.0).round());
    let components = random_matrix::<f64>(3, 25, 1).mapv(|v| (20.0 * v).max(0.0).round());
    assert!(found(&weights.dot(&components), Noise::Auto).is_none());
    // Pixels: the brighter, the less they vary.
    let pixels = random_matrix::<f64>(300, 25, 9);
    let brightness = Array2::from_shape_fn((300, 25), |(i, j)| {
        (200.0 + 2.0 * j as f64 + (30.0 - j as f64) * pixels[[i, j]]).round()
    });
    assert!(found(&brightness, Noise::Auto).is_none());
    // Single precision has whole numbers alone from 2²³ on.
    let large = DenseSamples::new(data.mapv(|v| 1.1e15 * v as f32)).unwrap();
    assert!(recognised(&large, Noise::Auto, 3, 0, &monitor()).unwrap().is_none());
    let wrong = recognised(&DenseSamples::new(&data * 0.5).unwrap(), Noise::Poisson, 3, 0, &monitor());
    assert!(format!("{:?}", wrong.unwrap_err()).contains("whole numbers"));
}

#[test]
fn the_metric_makes_the_noise_of_frequent_and_rare_features_even() {
    let (data, _) = counts(2000, 12, 1, 400.0);
    let dense = DenseSamples::new(data.view()).unwrap();
    let noise = recognised(&dense, Noise::Poisson, 1, 0, &monitor()).unwrap().unwrap();
    let metric = noise.metric().unwrap();
    let scaled = crate::objective::ScaledSamples::new(&dense, &metric);
    let rows = dense_rows(&scaled, &(0..2000).filter(|i| *i != 2).collect::<Vec<_>>()).unwrap();
    let variances: Vec<f64> = (0..12).filter(|j| *j != 3).map(|j| rows.column(j).var(1.0)).collect();
    let mean = variances.iter().sum::<f64>() / variances.len() as f64;
    assert!(variances.iter().all(|v| (v / mean - 1.0).abs() < 0.25), "{variances:?}");
    // The same features before: far from even.
    let plain: Vec<f64> = (0..12).filter(|j| *j != 3).map(|j| data.column(j).var(1.0)).collect();
    assert!(
        plain.iter().copied().fold(0.0, f64::max) > 5.0 * plain.iter().copied().fold(f64::INFINITY, f64::min)
    );
}

#[test]
fn weights_are_those_of_largest_likelihood_whatever_the_scale_of_components() {
    let (data, truth) = counts(200, 25, 3, 40.0);
    let components = &truth * &ndarray::arr2(&[[2.0], [0.1], [7.0]]);
    let dense = DenseSamples::new(data.view()).unwrap();
    let found = super::weights(&dense, components.view(), &Run::new()).unwrap();
    assert_close(&super::weights(&csr(&data), components.view(), &Run::new()).unwrap(), &found, 1e-12);
    let likelihood = |weights: &Array2<f64>| -> f64 {
        let fitted = weights.dot(&components);
        data.iter().zip(&fitted).map(|(y, f)| if *y > 0.0 { y * f.ln() - f } else { -f }).sum()
    };
    let best = likelihood(&found);
    for seed in 0..20 {
        let other = &found * &random_matrix::<f64>(200, 3, seed).mapv(|v| 1.0 + 0.05 * v);
        assert!(likelihood(&other) < best, "{seed}");
    }
    assert!(found.row(2).iter().all(|&v| v == 0.0));
    assert!((found.dot(&components).sum() / data.sum() - 1.0).abs() < 1e-9);
}
