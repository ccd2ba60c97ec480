//! Suggested ranks of counts: Poisson and overdispersed, with totals over decades, and what is no count.

use std::sync::atomic::AtomicBool;

use ndarray::{Array2, Axis};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, Gamma, Poisson};

use super::tests::QUICK;
use super::*;
use crate::samples::{CsrSamples, DenseSamples};
use crate::testing::sparse_copy;
use crate::trust::Verdict;

/// Counts of `rank` sparse components over 60 features in samples of 40 to 400 counts, among them a sample and a feature
/// without counts. The variance of a count of mean μ is μ + φμ².
fn counts(n: usize, rank: usize, overdispersion: f64, seed: u64) -> Array2<f64> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let sparse = Gamma::new(0.2, 1.0).unwrap();
    let mut draw = |rows: usize, columns: usize| {
        let mut rows = Array2::from_shape_simple_fn((rows, columns), || sparse.sample(&mut rng) + 1e-6);
        rows.axis_iter_mut(Axis(0)).for_each(|mut row| row /= row.sum());
        rows
    };
    let (components, mut weights) = (draw(rank, 60), draw(n, rank));
    weights.axis_iter_mut(Axis(0)).for_each(|mut row| row *= 40.0 * 10.0_f64.powf(rng.random()));
    let mut counts = weights.dot(&components).mapv(|mean| {
        let factor = match overdispersion {
            0.0 => 1.0,
            _ => Gamma::new(1.0 / overdispersion, overdispersion).unwrap().sample(&mut rng),
        };
        Poisson::new((mean * factor).max(1e-12)).unwrap().sample(&mut rng)
    });
    counts.row_mut(2).fill(0.0);
    counts.column_mut(3).fill(0.0);
    counts
}

fn suggest(data: &Array2<f64>, ranks: RangeInclusive<usize>, settings: &RankSettings) -> RankSuggestion {
    suggest_rank(&DenseSamples::new(data.view()).unwrap(), ranks, settings, &Run::new()).unwrap()
}

#[test]
fn the_rank_of_counts_is_found_whatever_the_totals_of_samples() {
    for (rank, seed) in [(3, 1), (3, 2), (8, 3), (8, 4)] {
        let found = suggest(&counts(1000, rank, 0.0, seed), 1..=20, &QUICK);
        assert_eq!(found.rank, Some(rank), "seed {seed}: {}", found.reason());
        assert_eq!(found.judgement.verdict, Verdict::Good, "{}", found.reason());
        let scaling = found.counts.unwrap();
        assert!(scaling.overdispersion < 0.02 && scaling.n_samples == 999, "{scaling:?}");
        assert!(found.reason().contains("are counts"), "{}", found.reason());
        let errors: Vec<f64> = found.scores.iter().map(|score| score.held_out_error.unwrap()).collect();
        let best = (0..20).min_by(|&a, &b| errors[a].total_cmp(&errors[b])).unwrap() + 1;
        assert_eq!(best, rank, "{errors:?}");
        // Without scaling the frequent features alone stand out.
        let gaussian = suggest(
            &counts(1000, rank, 0.0, seed),
            1..=20,
            &RankSettings { noise: Noise::Gaussian, ..QUICK },
        );
        assert!(gaussian.counts.is_none() && gaussian.rank != Some(rank), "{}", gaussian.reason());
    }
}

#[test]
fn overdispersion_is_estimated_and_not_taken_for_components() {
    for (overdispersion, seed) in [(0.05, 1), (0.3, 2)] {
        let data = counts(2000, 5, overdispersion, seed);
        let found = suggest(&data, 1..=20, &QUICK);
        assert_eq!(found.rank, Some(5), "{}", found.reason());
        let estimate = found.counts.unwrap().overdispersion;
        assert!((estimate / overdispersion).ln().abs() < 0.4, "{estimate} for {overdispersion}");
        // Nor is it by a range that ends below the rank.
        let narrow = suggest(&data, 1..=4, &QUICK);
        assert_eq!((narrow.rank, narrow.judgement.verdict), (None, Verdict::Poor), "{}", narrow.reason());
    }
}

#[test]
fn the_answer_is_the_same_in_all_forms_and_on_any_number_of_threads() {
    let data = counts(600, 4, 0.1, 7);
    let settings = RankSettings { folds: 2, ..RankSettings::default() };
    let dense = DenseSamples::new(data.view()).unwrap();
    let on = |threads| suggest_rank(&dense, 3..=5, &settings, &Run::new().threads(threads)).unwrap();
    let one = on(1);
    assert_eq!(one.rank, Some(4), "{}", one.reason());
    assert_eq!(one, on(3));
    let (pointers, indices, values) = sparse_copy(&data);
    let sparse = CsrSamples::new(60, &pointers, indices.clone(), values.clone()).unwrap();
    assert_eq!(one, suggest_rank(&sparse, 3..=5, &settings, &Run::new()).unwrap());
    let values: Vec<f32> = values.into_iter().map(|v| v as f32).collect();
    let single = CsrSamples::new(60, &pointers, indices, values).unwrap();
    assert_eq!(one, suggest_rank(&single, 3..=5, &settings, &Run::new()).unwrap());
}

#[test]
fn halves_of_the_counts_agree_on_the_true_components_alone() {
    let data = counts(1500, 4, 0.0, 5);
    let found = suggest(&data, 4..=7, &RankSettings { stability: true, ..QUICK });
    let shares: Vec<f64> = found.scores.iter().map(|score| score.unstable_share.unwrap()).collect();
    assert!(shares[0] == 0.0 && shares[3] > 0.3, "{shares:?}");
}

#[test]
fn scaled_counts_are_no_counts() {
    let data = counts(300, 4, 0.0, 1);
    let scaled = &data * 0.3;
    assert!(suggest(&scaled, 1..=8, &QUICK).counts.is_none());
    let poisson = RankSettings { noise: Noise::Poisson, ..QUICK };
    let error =
        suggest_rank(&DenseSamples::new(scaled.view()).unwrap(), 1..=8, &poisson, &Run::new()).unwrap_err();
    assert!(error.to_string().contains("whole numbers"), "{error}");
}

#[test]
fn counts_too_few_to_look_at_are_said_to_be_so_by_other_means() {
    let poisson = RankSettings { noise: Noise::Poisson, ..RankSettings::default() };
    for data in [Array2::zeros((6, 5)), Array2::eye(4), Array2::from_elem((1, 30), 2.0)] {
        let found = suggest(&data, 1..=3, &poisson);
        assert_eq!(found.rank, None, "{}", found.reason());
    }
}

#[test]
fn a_suggestion_for_counts_can_be_cancelled() {
    let flag = AtomicBool::new(true);
    let data = counts(300, 4, 0.0, 1);
    let samples = DenseSamples::new(data.view()).unwrap();
    let error = suggest_rank(&samples, 2..=5, &QUICK, &Run::new().cancel_with(&flag)).unwrap_err();
    assert_eq!(error, SamplesError::Cancelled.into());
}
