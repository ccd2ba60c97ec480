//! The E-step against a naive implementation.

use ndarray::{Array1, Array2, Axis};

use super::*;
use crate::linalg::special::digamma;
use crate::testing::random_matrix;

/// Textbook γ and exp E[log θ] of one document, with exp E[log β] as rank × features.
pub(in super::super) fn naive_document(
    step: &EStep,
    beta: &Array2<f64>,
    counts: &Array1<f64>,
) -> (Array1<f64>, Array1<f64>) {
    let rank = beta.nrows();
    let expected = |gamma: &Array1<f64>| gamma.mapv(|g| (digamma(g) - digamma(gamma.sum())).exp());
    let mut gamma = Array1::ones(rank);
    let mut theta = expected(&gamma);
    for _ in 0..step.max_iterations {
        // φ for each word in turn.
        let mut next = Array1::from_elem(rank, step.prior);
        for (w, &count) in counts.indexed_iter().filter(|&(_, &count)| count > 0.0) {
            let phi = &theta * &beta.column(w);
            next.scaled_add(count / phi.sum(), &phi);
        }
        let change = (&next - &gamma).mapv(f64::abs).mean().unwrap();
        theta = expected(&next);
        gamma = next;
        if change < step.tolerance {
            break;
        }
    }
    (gamma, theta)
}

fn data(rank: usize, n_words: usize) -> (Array2<f64>, Array1<f64>) {
    let beta = random_matrix::<f64>(rank, n_words, 1).mapv(|v| v * v);
    let counts = random_matrix::<f64>(1, n_words, 2).index_axis_move(Axis(0), 0);
    (beta, counts.mapv(|v| (5.0 * v).ceil().max(0.0)))
}

fn solve<T: Real>(step: &EStep, beta: &Array2<f64>, counts: &Array1<f64>) -> DocumentPosterior<T> {
    let mut document = DocumentPosterior::new(beta.nrows());
    let by_word = beta.t().mapv(T::from_f64).as_standard_layout().into_owned();
    let words: Vec<usize> = (0..counts.len()).filter(|&w| counts[w] > 0.0).collect();
    let counts: Vec<T> = words.iter().map(|&w| T::from_f64(counts[w])).collect();
    // An earlier, longer document must not affect the result.
    document.solve(step, by_word.as_slice().unwrap(), &[0; 200], &[T::from_f64(1.0); 200]);
    document.solve(step, by_word.as_slice().unwrap(), &words, &counts);
    document
}

#[test]
fn e_steps_of_any_size_equal_the_textbook() {
    for (rank, n_words) in [(1, 5), (3, 1), (5, 64), (8, 65), (20, 100), (9, 300)] {
        for (tolerance, max_iterations) in [(1e-3, 100), (1e-9, 3)] {
            let step = EStep { prior: 0.1, tolerance, max_iterations };
            let (beta, counts) = data(rank, n_words);
            let (gamma, theta) = naive_document(&step, &beta, &counts);
            let found = solve::<f64>(&step, &beta, &counts);
            let used = (0..n_words).filter(|&w| counts[w] > 0.0);
            for (k, found) in found.gamma().iter().enumerate() {
                assert!((found - gamma[k]).abs() < 1e-11 * gamma[k], "{rank} × {n_words}, topic {k}");
            }
            let factor = (found.ln_scale() - digamma(gamma.sum())).exp();
            for (k, found) in found.theta().iter().enumerate() {
                assert!((found * factor - theta[k]).abs() < 1e-11, "{rank} × {n_words}, topic {k}");
            }
            assert_eq!(found.ratios().len(), used.clone().count());
            for (found, w) in found.ratios().iter().zip(used) {
                let expected = counts[w] / theta.dot(&beta.column(w)) * factor;
                assert!((found / expected - 1.0).abs() < 1e-11, "{rank} × {n_words}, word {w}");
            }
        }
    }
}

/// Topics with few words in common, so that most have a negligible share in a document.
fn sparse_topics() -> (Array2<f64>, Array1<f64>) {
    let (beta, mut counts) = data(12, 96);
    counts.iter_mut().skip(24).for_each(|c| *c = 0.0);
    (Array2::from_shape_fn((12, 96), |(k, w)| beta[[k, w]] * if w / 8 == k { 1.0 } else { 1e-6 }), counts)
}

#[test]
fn inactive_topics_change_nothing_above_rounding() {
    let step = EStep { prior: 0.02, tolerance: 1e-3, max_iterations: 100 };
    let (beta, counts) = sparse_topics();
    let (gamma, _) = naive_document(&step, &beta, &counts);
    let found = solve::<f64>(&step, &beta, &counts);
    assert!(found.inactive.len() >= 6, "only {:?} are inactive", found.inactive);
    for (found, expected) in found.gamma().iter().zip(&gamma) {
        assert!((found - expected).abs() < 1e-12 * expected, "{found} for {expected}");
    }
}

#[test]
fn topics_that_became_inactive_too_early_are_reactivated() {
    let step = EStep { prior: 0.02, tolerance: 1e-9, max_iterations: 1000 };
    let (beta, counts) = sparse_topics();
    let (gamma, _) = naive_document(&step, &beta, &counts);
    let mut document = solve::<f64>(&step, &beta, &counts);
    let negligible = document.negligible;
    document.reset();
    document.negligible = 12.0;
    document.update(step.prior);
    assert!((1..12).contains(&document.active.len()), "{:?}", document.active);
    document.negligible = negligible;
    document.iterate(&step);
    assert_eq!(document.active.len(), 12);
    for (found, expected) in document.gamma().iter().zip(&gamma) {
        assert!((found - expected).abs() < 1e-6, "{found} for {expected}");
    }
}

#[test]
fn single_precision_is_near_double() {
    let step = EStep { prior: 0.05, tolerance: 1e-3, max_iterations: 100 };
    let (beta, counts) = data(20, 100);
    let (double, single) = (solve::<f64>(&step, &beta, &counts), solve::<f32>(&step, &beta, &counts));
    for (a, b) in double.gamma().iter().zip(single.gamma()) {
        assert!((a - b).abs() < 1e-2, "{a} and {b}");
    }
}

#[test]
fn an_empty_document_has_the_prior() {
    let step = EStep { prior: 0.3, tolerance: 1e-3, max_iterations: 100 };
    let (beta, _) = data(4, 6);
    let found = solve::<f64>(&step, &beta, &Array1::zeros(6));
    assert_eq!(found.gamma(), [0.3; 4]);
    assert!(found.ratios().is_empty());
}

#[test]
fn words_that_no_topic_contains_give_finite_results() {
    let step = EStep { prior: 1e-3, tolerance: 1e-3, max_iterations: 100 };
    let mut beta = Array2::from_elem((2, 3), 0.0);
    beta[[0, 0]] = 1.0;
    beta[[1, 1]] = 1.0;
    for found in [
        solve::<f32>(&step, &beta, &Array1::from_elem(3, 1e6)).gamma().to_vec(),
        solve::<f64>(&step, &beta, &Array1::from_elem(3, 1e6)).gamma().to_vec(),
    ] {
        assert!(found.iter().all(|g| g.is_finite()), "{found:?}");
    }
}
