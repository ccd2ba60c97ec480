//! The verdicts on all weight distributions of `synth`, and on degenerate weights.

use ndarray::{Array2, array, s};

use super::*;
use crate::synth::Weights;
use crate::testing::random_matrix;
use crate::trust::Verdict;

fn draw(kind: Weights, seed: u64) -> Array2<f64> {
    kind.draw(2500, 50, seed).unwrap()
}

fn judged(weights: &Array2<f64>) -> Judgement {
    diagnose_weights(weights.view()).unwrap().judgement
}

fn paired(co_occurrence: f64, decay_order: Option<f64>) -> Weights {
    Weights::Paired { sparsity: 5.0, co_occurrence, decay_order }
}

/// Sparse weights that are recovered exactly.
const EASY: Weights = Weights::Decay { sparsity: 5.0, order: 1.0 };

#[test]
fn weights_that_are_recovered_are_good() {
    let kinds = [
        Weights::Dirichlet { concentration: 0.5 },
        Weights::Dirichlet { concentration: 2.5 },
        Weights::Dirichlet { concentration: 10.0 },
        Weights::LogisticNormal { scale: 5.0, correlation: 0.5 },
        Weights::LogisticNormal { scale: 3.0, correlation: 0.5 },
        Weights::LogisticNormal { scale: 2.0, correlation: 0.5 },
        Weights::LogisticNormalReleased,
        Weights::SparseBinary { sparsity: 5 },
        Weights::BernoulliBinary { sparsity: 5.0 },
        EASY,
        paired(0.5, None),
        paired(0.8, None),
        paired(0.8, Some(2.0)),
        paired(0.8, Some(1.0)),
        paired(0.95, Some(1.0)),
    ];
    for kind in kinds {
        for seed in 0..3 {
            assert_eq!(judged(&draw(kind, seed)), Judgement::default(), "{kind:?}");
        }
    }
}

#[test]
fn dense_weights_are_doubtful() {
    for kind in
        [Weights::Dirichlet { concentration: 40.0 }, Weights::LogisticNormal { scale: 1.2, correlation: 0.5 }]
    {
        let judgement = judged(&draw(kind, 1));
        assert_eq!(judgement.verdict, Verdict::Doubtful, "{kind:?}: {judgement:?}");
        let named = judgement.reasons.iter().any(|reason| reason.code() == "dense-weights");
        assert!(named, "{judgement:?}");
    }
}

#[test]
fn one_component_that_is_always_on_is_doubtful_and_a_background_is_poor() {
    let mut weights = draw(EASY, 2);
    weights.column_mut(3).mapv_inplace(|weight| 0.05 + 0.95 * weight);
    let one = diagnose_weights(weights.view()).unwrap();
    assert_eq!((one.always_on.as_slice(), one.judgement.verdict), (&[3][..], Verdict::Doubtful));
    assert!(one.judgement.reasons[0].text().contains("(component 3)"), "{:?}", one.judgement);
    assert!((one.usage[3].smallest - 0.05).abs() < 1e-3 && one.usage[3].on_share == 1.0);

    let everywhere = |share: f64| {
        let mut weights = draw(Weights::Dirichlet { concentration: 2.5 }, 2);
        let level = share * weights.mean().unwrap();
        weights.mapv_inplace(|weight| weight * (1.0 - share) + level);
        diagnose_weights(weights.view()).unwrap()
    };
    for (share, verdict) in [(0.01, Verdict::Good), (0.05, Verdict::Doubtful), (0.2, Verdict::Poor)] {
        let diagnosis = everywhere(share);
        assert_eq!(diagnosis.judgement.verdict, verdict, "{share}: {:?}", diagnosis.judgement);
        assert!((diagnosis.background_share - share).abs() < 0.1 * share, "{}", diagnosis.background_share);
    }
    assert!(everywhere(0.2).judgement.reasons[0].advice().contains("subtract the constant part"));
}

#[test]
fn a_single_zero_does_not_hide_a_background() {
    let mut weights = draw(EASY, 3) * 0.5 + 0.1;
    weights.row_mut(7).fill(0.0);
    assert_eq!(judged(&weights).verdict, Verdict::Poor);
}

#[test]
fn components_that_are_rarely_or_never_on_are_named() {
    let mut weights = draw(EASY, 4);
    weights.slice_mut(s![5.., 8]).fill(0.0);
    weights.slice_mut(s![..5, 8]).fill(1.0);
    weights.column_mut(9).fill(0.0);
    let diagnosis = diagnose_weights(weights.view()).unwrap();
    assert_eq!(
        (diagnosis.rarely_on.as_slice(), diagnosis.judgement.verdict),
        (&[8, 9][..], Verdict::Doubtful)
    );
    assert_eq!(diagnosis.judgement.reasons.len(), 2, "{:?}", diagnosis.judgement);
    assert!(
        diagnosis.judgement.reasons[0].to_string().starts_with("no sample uses component 9;"),
        "{:?}",
        diagnosis.judgement
    );
    assert!(diagnosis.judgement.reasons[1].text().contains("component 8:"), "{:?}", diagnosis.judgement);
}

#[test]
fn identical_components_are_poor_and_nearly_identical_ones_doubtful() {
    let near = judged(&draw(paired(0.98, None), 1));
    assert_eq!(near.verdict, Verdict::Doubtful, "{near:?}");
    assert!(near.reasons[0].text().contains("hardly ever occur without each other"), "{near:?}");
    let mut weights = draw(EASY, 1);
    let twin = weights.column(4).to_owned() * 3.0;
    weights.column_mut(5).assign(&twin);
    let twins = judged(&weights);
    assert_eq!((twins.verdict, twins.reasons.len()), (Verdict::Poor, 2), "{twins:?}");
    assert!(twins.reasons[1].text().contains("4 and 5 (1.000)"), "{twins:?}");
}

#[test]
fn too_few_samples_are_reported() {
    let weights = draw(EASY, 1);
    let with = |n: usize| judged(&weights.slice(s![..n, ..]).to_owned());
    assert!(with(2500).reasons.is_empty());
    assert!(with(499).reasons.iter().any(|reason| reason.text().contains("fewer than 10 for each")));
    let poor = with(30);
    assert_eq!(poor.verdict, Verdict::Poor);
    assert!(poor.reasons.iter().any(|reason| reason.text().contains("fewer samples (30)")), "{poor:?}");
}

#[test]
fn other_constants_lead_to_other_verdicts() {
    let weights = draw(EASY, 1);
    let constants = DiagnosisConstants { samples_per_component: 1000, ..DiagnosisConstants::default() };
    let strict = diagnose_weights_with(weights.view(), &constants).unwrap().judgement;
    assert_eq!(strict.reasons.iter().map(|reason| reason.code()).collect::<Vec<_>>(), ["few-samples"]);
}

#[test]
fn the_scale_of_components_does_not_matter() {
    let weights = draw(paired(0.8, Some(1.0)), 5);
    let scaled =
        Array2::from_shape_fn(weights.dim(), |(i, j)| weights[[i, j]] * [1e-6, 1.0, 1024.0, 1e200][j % 4]);
    let (plain, scaled) =
        (diagnose_weights(weights.view()).unwrap(), diagnose_weights(scaled.view()).unwrap());
    assert_eq!((&plain.judgement, plain.bound_met), (&scaled.judgement, scaled.bound_met));
    assert!((plain.conditions.m / scaled.conditions.m - 1.0).abs() < 1e-9);
    assert!((plain.background_share - scaled.background_share).abs() < 1e-12);
}

#[test]
fn the_bound_of_the_theorem_is_compared_with_m() {
    let one_hot = Array2::from_shape_fn((400, 4), |(i, j)| f64::from(u8::from(i % 4 == j)));
    let diagnosis = diagnose_weights(one_hot.view()).unwrap();
    assert!(diagnosis.bound_met && diagnosis.conditions.m == 0.0, "{diagnosis:?}");
    assert!(!diagnose_weights(draw(paired(0.8, None), 1).view()).unwrap().bound_met);
}

#[test]
fn degenerate_weights_have_a_defined_diagnosis() {
    let zeros = diagnose_weights(Array2::<f32>::zeros((30, 3)).view()).unwrap();
    assert_eq!((zeros.judgement.verdict, zeros.background_share), (Verdict::Poor, 0.0));
    let one = diagnose_weights(random_matrix::<f64>(40, 1, 1).mapv(|v| v.max(0.0)).view()).unwrap();
    assert_eq!((one.correlations.len(), one.judgement.verdict), (0, Verdict::Good));
    let single = diagnose_weights(array![[1.0, 0.0]].view()).unwrap();
    assert!(single.usage.iter().all(|component| component.mean.is_finite()));
    assert!(diagnose_weights(array![[1.0, -1.0]].view()).is_err());
    assert!(diagnose_weights(Array2::<f64>::zeros((0, 3)).view()).is_err());
}

#[test]
fn json_carries_the_verdict_and_the_components() {
    let json = serde_json::to_value(diagnose_weights(draw(EASY, 1).view()).unwrap()).unwrap();
    assert_eq!(json["judgement"]["verdict"], "good");
    assert_eq!(json["usage"].as_array().unwrap().len(), 50);
    assert_eq!(json["correlations"].as_array().unwrap().len(), 10);
}
