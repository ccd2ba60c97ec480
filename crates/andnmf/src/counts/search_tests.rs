//! Gamma steps against naive ones, what they know of overdispersion, and a search that mends a start.

use ndarray::{Array2, Axis};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, Gamma, Poisson};

use super::gamma::{GammaModel, GammaRule, evidence, gamma_steps};
use super::model::from_singular_pairs;
use super::overdispersion::overdispersion;
use super::search::searched;
use super::tests::{counts, csr, monitor, single};
use crate::constants::CountConstants;
use crate::linalg::special::{digamma, ln_gamma};
use crate::testing::{assert_close, random_matrix};

fn rows_of_sum_one(rows: Array2<f64>) -> Array2<f64> {
    let sums = rows.sum_axis(Axis(1)).insert_axis(Axis(1));
    rows / sums
}

/// The sweep of one sample, value by value: its weights, γ and rates.
fn naive_sweep(y: &[f64], components: &Array2<f64>, x: &[f64], shape: f64, phi: f64) -> [Vec<f64>; 3] {
    let mean = |w: usize| (0..x.len()).map(|k| x[k] * components[[k, w]]).sum::<f64>();
    let (mut weights, mut shapes, mut rates) = (Vec::new(), Vec::new(), Vec::new());
    for k in 0..x.len() {
        let gained: f64 = (0..y.len()).map(|w| y[w] / mean(w) * components[[k, w]]).sum();
        let rate: f64 =
            (0..y.len()).map(|w| (1.0 + phi * y[w]) / (1.0 + phi * mean(w)) * components[[k, w]]).sum();
        shapes.push(shape + x[k] * gained);
        rates.push(rate);
        weights.push(digamma(shape + x[k] * gained).exp() / rate);
    }
    [weights, shapes, rates]
}

#[test]
fn gamma_steps_and_evidence_equal_naive_ones_with_and_without_overdispersion() {
    let (data, truth) = counts(60, 17, 3, 40.0);
    let components = rows_of_sum_one(truth + 0.01);
    for phi in [0.0, 0.3] {
        let rule = GammaRule { first: 0.4, fall: 1.0, last: 0.4, overdispersion: phi, of_components: 0.0 };
        let (mut numerator, mut denominator) = (Array2::<f64>::zeros((3, 17)), Array2::<f64>::zeros((3, 17)));
        let (mut expected, mut weights) = (0.0, Array2::zeros((60, 3)));
        for (i, row) in data.outer_iter().enumerate() {
            let (y, total) = (row.to_vec(), row.sum());
            if total == 0.0 {
                continue;
            }
            let [x, shapes, rates] = naive_sweep(&y, &components, &[total / 3.0; 3], 0.4, phi);
            for (w, &y) in y.iter().enumerate() {
                let at = |v: &dyn Fn(usize) -> f64| (0..3).map(|k| v(k) * components[[k, w]]).sum::<f64>();
                let (mean, posterior) = (at(&|k| x[k]), at(&|k| shapes[k] / rates[k]));
                for k in 0..3 {
                    numerator[[k, w]] += components[[k, w]] * x[k] * y / mean;
                    denominator[[k, w]] += x[k] * (1.0 + phi * y) / (1.0 + phi * mean);
                }
                expected += if y > 0.0 { y * mean.ln() } else { 0.0 };
                expected -=
                    if phi > 0.0 { (y + 1.0 / phi) * (1.0 + phi * posterior).ln() } else { posterior };
            }
            let prior_rate = 0.4 * 3.0 / total;
            for k in 0..3 {
                // The divergence of Gamma(γ, r) from Gamma(α, b).
                let (own, rate) = (shapes[k], rates[k]);
                expected -= (own - 0.4) * digamma(own) - ln_gamma(own)
                    + ln_gamma(0.4)
                    + 0.4 * (rate / prior_rate).ln()
                    + own * (prior_rate - rate) / rate;
                weights[[i, k]] = x[k];
            }
        }
        let (found, own) = evidence(&csr(&data), &components, &rule, 1).unwrap();
        assert!((found / expected - 1.0).abs() < 1e-10, "{found} and {expected}");
        assert_close(&own, &weights, 1e-9);
        let next = rows_of_sum_one(numerator / denominator);
        let start = GammaModel { components: components.mapv(|v| v as f32), weights: Array2::zeros((60, 3)) };
        let stepped = gamma_steps(&single(&data), start, &rule, 1, &monitor()).unwrap();
        // A feature without counts keeps the smallest value.
        assert_close(&stepped.components.mapv(f64::from), &next, 1e-5);
    }
}

/// Counts whose rates are multiplied by gamma variables of this variance.
pub(super) fn dispersed(n: usize, rank: usize, mean: f64, phi: f64) -> (Array2<f64>, Array2<f64>) {
    let truth = rows_of_sum_one(random_matrix::<f64>(rank, 30, 1).mapv(|v| v.max(0.0).powi(2) + 1e-3));
    let active = random_matrix::<f64>(n, rank, 2).mapv(|v| (v - 0.2).max(0.0));
    let shares = rows_of_sum_one(active + 1e-4);
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let data = (shares.dot(&truth) * mean).mapv(|mean| {
        let factor = if phi > 0.0 { Gamma::new(1.0 / phi, phi).unwrap().sample(&mut rng) } else { 1.0 };
        Poisson::new((mean * factor).max(1e-9)).unwrap().sample(&mut rng)
    });
    (data, truth)
}

#[test]
fn overdispersion_is_learned_and_poisson_counts_have_none() {
    for phi in [0.0, 0.1, 0.5] {
        let (data, truth) = dispersed(800, 4, 2000.0, phi);
        let rule = GammaRule { first: 1.0, fall: 0.95, last: 0.1, overdispersion: phi, of_components: 0.0 };
        let start = GammaModel { components: truth.mapv(|v| v as f32), weights: Array2::zeros((800, 4)) };
        let samples = single(&data);
        let fit = gamma_steps(&samples, start, &rule, 100, &monitor()).unwrap();
        let found = overdispersion(&samples, &fit.components, &fit.weights).unwrap();
        if phi > 0.0 {
            assert!((found.value / phi - 1.0).abs() < 0.15, "{found:?} for {phi}");
            assert!(found.gain > 1000.0, "{found:?}");
        } else {
            assert!(found.gain < 10.0, "{found:?}");
        }
    }
}

#[test]
fn a_search_mends_components_that_a_start_has_merged() {
    for phi in [0.0, 0.2] {
        let (data, truth) = dispersed(300, 5, 3000.0, phi);
        let mut start = truth.clone();
        let merged = (&truth.row(0) + &truth.row(1)) * 0.5;
        start.row_mut(0).assign(&merged);
        start.row_mut(1).assign(&truth.mean_axis(Axis(0)).unwrap());
        let samples = single(&data);
        let constants = CountConstants { most_moves: 12, ..CountConstants::default() };
        let start = start.mapv(|v| v as f32);
        let means = data.sum_axis(Axis(0)).to_vec();
        let pairs = from_singular_pairs(&samples, 5, (&means, constants.filled), 0).unwrap();
        let found = searched(&samples, (&start, &pairs), &constants, (0, &monitor())).unwrap().unwrap();
        assert_eq!(found.dispersed, phi > 0.0);
        let unit = |rows: Array2<f64>| {
            let norms = rows.mapv(|v| v * v).sum_axis(Axis(1)).mapv(f64::sqrt).insert_axis(Axis(1));
            rows / norms
        };
        let cosines = unit(truth).dot(&unit(found.model.components.mapv(f64::from)).t());
        let least = cosines.outer_iter().map(|row| row.fold(0.0, |a: f64, &b| a.max(b)));
        let least = least.fold(1.0, f64::min);
        assert!(least > 0.98, "{least} with overdispersion {phi}");
    }
}

#[test]
fn large_data_are_not_searched() {
    let (data, truth) = dispersed(100, 3, 100.0, 0.0);
    let constants = CountConstants { search_work: 1e3, overdispersed_work: 1e3, ..CountConstants::default() };
    let start = truth.mapv(|v| v as f32);
    assert!(searched(&single(&data), (&start, &start), &constants, (0, &monitor())).unwrap().is_none());
}
