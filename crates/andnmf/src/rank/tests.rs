//! Suggested ranks for data with a known truth, and for degenerate samples.

use std::sync::atomic::AtomicBool;

use ndarray::Array2;

use super::*;
use crate::samples::{CsrSamples, DenseSamples};
use crate::synth::{DatasetKind, DatasetSpec, Weights};
use crate::testing::{low_rank, random_matrix, sparse_copy};
use crate::trust::Verdict;

/// Settings without fits, for fast tests.
pub(super) const QUICK: RankSettings =
    RankSettings { stability: false, folds: 2, seed: 0, noise: Noise::Auto };

fn samples_of(kind: DatasetKind, noise: f64, seed: u64) -> Array2<f64> {
    let weights = match kind {
        DatasetKind::Paired => Weights::Paired { sparsity: 2.0, co_occurrence: 0.5, decay_order: None },
        _ => Weights::Dirichlet { concentration: 1.0 },
    };
    let sizes = DatasetSpec { n_features: 120, rank: 10, n_samples: 500, ..DatasetSpec::new(kind) };
    DatasetSpec { weights, noise, seed, ..sizes }.generate().unwrap().samples
}

fn suggest(data: &Array2<f64>, ranks: RangeInclusive<usize>, settings: &RankSettings) -> RankSuggestion {
    suggest_rank(&DenseSamples::new(data.view()).unwrap(), ranks, settings, &Run::new()).unwrap()
}

#[test]
fn the_true_rank_is_found_with_and_without_noise() {
    for kind in [DatasetKind::Dir, DatasetKind::Paired] {
        for noise in [0.0, 0.01] {
            for seed in 0..3 {
                let suggestion = suggest(&samples_of(kind, noise, seed), 2..=25, &QUICK);
                let what = format!("{kind}, noise {noise}, seed {seed}: {}", suggestion.reason());
                assert_eq!((suggestion.rank, suggestion.noise_rank), (Some(10), Some(10)), "{what}");
                assert_eq!(suggestion.judgement.verdict, Verdict::Good, "{what}");
                assert!(suggestion.scores[8].held_out_error < suggestion.scores[6].held_out_error, "{what}");
            }
        }
    }
}

#[test]
fn stability_is_tested_at_up_to_nine_ranks_if_requested() {
    let data = samples_of(DatasetKind::Dir, 0.0, 1);
    let suggestion = suggest(&data, 9..=40, &RankSettings::default());
    let judged: Vec<usize> =
        suggestion.scores.iter().filter(|s| s.unstable_share.is_some()).map(|s| s.rank).collect();
    assert_eq!(judged.len(), 9);
    assert!(judged.contains(&9) && judged.contains(&10) && judged.contains(&40), "{judged:?}");
    assert_eq!(suggestion.scores[1].unstable_share, Some(0.0));
    assert!(suggest(&data, 9..=12, &QUICK).scores.iter().all(|score| score.unstable_share.is_none()));
}

#[test]
fn a_range_without_the_rank_gives_a_reason_instead_of_a_suggestion() {
    let data = samples_of(DatasetKind::Dir, 0.01, 0);
    let above = suggest(&data, 12..=20, &QUICK);
    assert_eq!((above.rank, above.noise_rank, above.judgement.verdict), (None, Some(10), Verdict::Poor));
    assert!(above.reason().contains("only 10 directions"), "{}", above.reason());
    let below = suggest(&data, 2..=8, &RankSettings { stability: true, ..QUICK });
    assert_eq!((below.rank, below.noise_rank, below.judgement.verdict), (None, None, Verdict::Poor));
    assert!(below.reason().contains("even beyond rank 8"), "{}", below.reason());
    assert!(below.reason().contains("predicted best at rank 8"), "{}", below.reason());
    assert!(below.reason().contains("stable"), "{}", below.reason());
}

#[test]
fn dense_and_sparse_samples_get_the_same_answer() {
    let data = samples_of(DatasetKind::Paired, 0.0, 2).mapv(|v| if v < 1e-4 { 0.0 } else { v });
    let (pointers, indices, values) = sparse_copy(&data);
    let sparse = CsrSamples::new(120, &pointers, indices, values).unwrap();
    let settings = RankSettings { stability: true, ..QUICK };
    let (dense, sparse) =
        (suggest(&data, 8..=12, &settings), suggest_rank(&sparse, 8..=12, &settings, &Run::new()).unwrap());
    assert_eq!((dense.rank, dense.judgement.verdict), (sparse.rank, sparse.judgement.verdict));
    for (a, b) in dense.scores.iter().zip(&sparse.scores) {
        assert!((a.first_omitted - b.first_omitted).abs() < 1e-6, "{a:?} {b:?}");
        assert!((a.held_out_error.unwrap() - b.held_out_error.unwrap()).abs() < 1e-9, "{a:?} {b:?}");
    }
    // Only at the true rank: at others, small differences may lead to other components.
    assert_eq!((dense.scores[2].unstable_share, sparse.scores[2].unstable_share), (Some(0.0), Some(0.0)));
}

#[test]
fn scale_and_precision_do_not_matter() {
    let data = samples_of(DatasetKind::Dir, 0.01, 3);
    let plain = suggest(&data, 5..=15, &QUICK);
    for scale in [1e-200, 1e-6, 1e6, 1e200] {
        let scaled = suggest(&(&data * scale), 5..=15, &QUICK);
        assert_eq!(
            (scaled.rank, scaled.judgement.verdict),
            (plain.rank, plain.judgement.verdict),
            "{scale:e}"
        );
        for (a, b) in scaled.scores.iter().zip(&plain.scores) {
            assert!(
                (a.noise_edge.unwrap() / b.noise_edge.unwrap() - 1.0).abs() < 1e-6,
                "{scale:e}: {a:?} {b:?}"
            );
            assert!((a.held_out_error.unwrap() / b.held_out_error.unwrap() - 1.0).abs() < 1e-6, "{scale:e}");
        }
    }
    let single = DenseSamples::new(data.mapv(|v| v as f32)).unwrap();
    assert_eq!(suggest_rank(&single, 5..=15, &QUICK, &Run::new()).unwrap().rank, Some(10));
    let single = DenseSamples::new(samples_of(DatasetKind::Dir, 0.0, 3).mapv(|v| v as f32)).unwrap();
    assert_eq!(suggest_rank(&single, 5..=15, &QUICK, &Run::new()).unwrap().rank, Some(10));
}

#[test]
fn degenerate_samples_have_a_defined_answer() {
    let settings = RankSettings::default();
    let zeros = suggest(&Array2::zeros((6, 5)), 1..=3, &settings);
    assert_eq!((zeros.rank, zeros.judgement.verdict), (None, Verdict::Poor));
    assert!(zeros.reason().contains("all samples are zero"), "{}", zeros.reason());
    for data in [random_matrix::<f64>(1, 7, 1), random_matrix(7, 1, 1), random_matrix(2, 2, 1)] {
        let suggestion = suggest(&data, 1..=9, &settings);
        assert_eq!(suggestion.rank, None, "{}", suggestion.reason());
        assert_eq!(suggestion.scores.len(), data.nrows().min(data.ncols()));
    }
    let same = Array2::from_shape_fn((30, 6), |(_, j)| 1.0 + j as f64);
    assert_eq!(suggest(&same, 1..=4, &settings).rank, Some(1));
}

#[test]
fn ranks_above_that_of_the_samples_are_scored_but_not_suggested() {
    let data = low_rank::<f64>(60, 3, 12).mapv(f64::abs);
    let spanned = low_rank::<f64>(60, 3, 12);
    let suggestion = suggest(&spanned, 1..=usize::MAX, &RankSettings::default());
    assert_eq!((suggestion.rank, suggestion.scores.len()), (Some(3), 12));
    for score in suggest(&data, 1..=12, &RankSettings::default()).scores.iter().chain(&suggestion.scores) {
        let figures =
            [Some(score.last_kept), Some(score.first_omitted), score.noise_edge, score.held_out_error];
        assert!(figures.into_iter().flatten().all(|v| v.is_finite() && v >= 0.0), "{score:?}");
    }
}

#[test]
fn invalid_ranges_and_folds_are_refused() {
    let samples = DenseSamples::new(random_matrix::<f64>(20, 6, 1)).unwrap();
    let refused = |ranks, folds| {
        let settings = RankSettings { folds, ..QUICK };
        match suggest_rank(&samples, ranks, &settings, &Run::new()).unwrap_err() {
            FitError::Setting(error) => (error.name, error.to_string()),
            other => panic!("{other}"),
        }
    };
    assert_eq!(refused(0..=3, 1).0, "ranks");
    #[allow(clippy::reversed_empty_ranges)]
    let backwards = 5..=3;
    assert_eq!(refused(backwards, 1).0, "ranks");
    assert!(refused(7..=9, 1).1.contains("rank 6 at most"));
    assert_eq!(refused(1..=3, usize::MAX).0, "folds");
}

#[test]
fn the_same_seed_gives_the_same_bits_on_any_number_of_threads() {
    let data = samples_of(DatasetKind::Paired, 0.02, 4);
    let samples = DenseSamples::new(data.view()).unwrap();
    let settings = RankSettings { seed: 7, ..RankSettings::default() };
    let on = |threads| suggest_rank(&samples, 9..=11, &settings, &Run::new().threads(threads)).unwrap();
    let one = on(1);
    assert_eq!(one, on(2));
    assert_eq!(one, on(3));
    let other = suggest(&data, 9..=11, &RankSettings { seed: 8, ..QUICK });
    assert_ne!(one.scores[0].held_out_error, other.scores[0].held_out_error);
}

#[test]
fn cancelling_returns_an_error() {
    let flag = AtomicBool::new(true);
    let samples = DenseSamples::new(samples_of(DatasetKind::Dir, 0.0, 0)).unwrap();
    let error = suggest_rank(&samples, 2..=5, &QUICK, &Run::new().cancel_with(&flag)).unwrap_err();
    assert_eq!(error, SamplesError::Cancelled.into());
    let error = stability::unstable_share(&samples, 3, &QUICK, &Run::new().cancel_with(&flag)).unwrap_err();
    assert_eq!(error, SamplesError::Cancelled.into());
}

#[test]
fn the_suggestion_is_written_as_json() {
    let suggestion = suggest(&samples_of(DatasetKind::Dir, 0.01, 0), 9..=11, &QUICK);
    let json = serde_json::to_value(&suggestion).unwrap();
    assert_eq!((json["rank"].as_u64(), json["verdict"].as_str()), (Some(10), Some("good")));
    assert_eq!(json["scores"][1]["rank"], 10);
    assert!(json["scores"][0]["unstable_share"].is_null() && json["scores"][0]["first_left_out"].is_number());
}
