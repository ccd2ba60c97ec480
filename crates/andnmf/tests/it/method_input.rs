//! Every method with difficult samples, starts and checkpoints.

use andnmf::baselines::MuLoss;
use andnmf::fit::{Fit, Start};
use andnmf::samples::{CsrSamples, DenseSamples, Samples};
use andnmf::{FitError, Method, MethodParams, SamplesError};
use ndarray::Array2;

use crate::common::{distance, sparse_parts};
use crate::methods::{RANK, all_finite, corpus, every_form, run, staged_forms, start_for};

#[test]
fn degenerate_samples_never_give_nan() {
    let (counts, _) = corpus();
    let mut holes = counts.clone();
    holes.row_mut(3).fill(0.0);
    holes.column_mut(5).fill(0.0);
    let low_rank = Array2::from_shape_fn((40, 9), |(i, j)| ((i % 2) * (1 + j % 2) + (1 - i % 2)) as f64);
    let cases = [
        ("zero row and column", holes),
        ("rank 2", low_rank),
        ("all zero", Array2::zeros((30, 8))),
        ("all equal", Array2::from_elem((30, 8), 2.0)),
        ("one sample", counts.slice(ndarray::s![..1, ..]).to_owned()),
        ("one feature", counts.slice(ndarray::s![.., ..1]).to_owned()),
        ("fewer samples than components", counts.slice(ndarray::s![..3, ..]).to_owned()),
        ("one huge value", {
            let mut one = Array2::from_elem((20, 5), 1.0);
            one[[7, 2]] = 1e12;
            one
        }),
    ];
    for (name, samples) in &cases {
        let (pointers, indices, values) = sparse_parts(samples);
        let sparse = CsrSamples::new(samples.ncols(), &pointers, indices, values).unwrap();
        let dense = DenseSamples::new(samples.view()).unwrap();
        for form in every_form() {
            for samples in [&dense as &dyn Samples<f64>, &sparse] {
                for zeros in [false, true] {
                    let start = match form.method() {
                        Method::AnchorWords => Start::Auto,
                        _ if zeros => Start::Given(Array2::zeros((RANK, samples.n_features()))),
                        _ => Start::Auto,
                    };
                    match run(&form, samples, start) {
                        Ok(fit) => assert!(all_finite(&fit), "{name}: {form:?}"),
                        // Anchor words may find too few anchors, and AND too few samples for its start.
                        Err(error) => {
                            let may_fail = [Method::AnchorWords, Method::And].contains(&form.method());
                            assert!(may_fail, "{name}: {form:?}: {error}");
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn negative_samples_are_refused_with_their_location_by_methods_that_cannot_use_them() {
    let (mut counts, start) = corpus();
    counts[[12, 7]] = -3.0;
    let dense = DenseSamples::new(counts.view()).unwrap();
    for form in every_form() {
        let divergence = matches!(&form, MethodParams::Mu(params) if params.loss == MuLoss::KullbackLeibler);
        let of_counts = [Method::OnlineLda, Method::AnchorWords, Method::PoissonNmf];
        let refuses = divergence || of_counts.contains(&form.method());
        match run(&form, &dense, start_for(&form, &start)) {
            Ok(fit) => assert!(!refuses && all_finite(&fit), "{form:?}"),
            Err(FitError::Samples(SamplesError::Negative { row: 12, column: 7, .. })) => {
                assert!(refuses, "{form:?}");
            }
            Err(other) => panic!("{form:?}: {other}"),
        }
    }
}

#[test]
fn samples_without_a_positive_value_are_refused_unless_components_may_be_negative() {
    let (counts, start) = corpus();
    let below = DenseSamples::new(counts.mapv(|count| -count)).unwrap();
    for form in every_form() {
        for start in [start_for(&form, &start), Start::Auto] {
            let signed = match &form {
                MethodParams::And(_) => true,
                MethodParams::Hals(params) => params.signed,
                MethodParams::Anls(params) => params.signed,
                MethodParams::Mu(params) => params.signed,
                MethodParams::MinVolume(params) => params.signed,
                _ => false,
            };
            match run(&form, &below, start) {
                Ok(fit) => assert!(signed && all_finite(&fit), "{form:?}"),
                Err(FitError::Samples(SamplesError::Negative { .. } | SamplesError::Unusable { .. })) => {
                    assert!(!signed, "{form:?}");
                }
                Err(other) => assert_eq!(form.method(), Method::And, "{form:?}: {other}"),
            }
        }
    }
}

#[test]
fn wrong_starts_are_refused_by_every_method() {
    let (counts, start) = corpus();
    let dense = DenseSamples::new(counts.view()).unwrap();
    for form in staged_forms() {
        let narrow = start.slice(ndarray::s![.., 1..]).to_owned();
        assert!(matches!(run(&form, &dense, Start::Given(narrow)), Err(FitError::Shape(_))), "{form:?}");
        let mut nan = start.clone();
        nan[[2, 4]] = f64::NAN;
        let error = run(&form, &dense, Start::Given(nan)).unwrap_err();
        assert!(
            matches!(error, FitError::StartNotFinite { component: 2, feature: 4, .. }),
            "{form:?}: {error}"
        );
    }
}

#[test]
fn a_checkpoint_with_negative_components_is_refused_by_non_negative_methods() {
    let (counts, start) = corpus();
    let dense = DenseSamples::new(counts.view()).unwrap();
    for method in [Method::Hals, Method::Anls, Method::Mu, Method::MinVolume] {
        let form = MethodParams::new(method, RANK).with_max_stages(2);
        let checkpoint = run(&form, &dense, Start::Given(start.clone())).unwrap().checkpoint();
        let mut stored = serde_json::to_value(checkpoint).unwrap();
        stored["state"]["matrices"]["components"]["bits"][RANK + 3] = (-0.5_f64).to_bits().into();
        let checkpoint = serde_json::from_value(stored).unwrap();
        let error = run(&form.with_max_stages(3), &dense, Start::Resume(Box::new(checkpoint))).unwrap_err();
        assert!(error.to_string().contains("negative"), "{method}: {error}");
    }
}

#[test]
fn a_feature_stored_twice_counts_as_its_sum_for_every_method() {
    let (counts, start) = corpus();
    let dense = DenseSamples::new(counts.view()).unwrap();
    let (pointers, indices, values) = sparse_parts(&counts);
    let twice: Vec<usize> = pointers.iter().map(|p| 2 * p).collect();
    let indices: Vec<u32> = indices.iter().flat_map(|&i| [i, i]).collect();
    let values: Vec<f64> = values.iter().flat_map(|&v| [100.0 * v, -99.0 * v]).collect();
    let sparse = CsrSamples::new(counts.ncols(), &twice, indices, values).unwrap();
    for form in every_form() {
        let expected = run(&form, &dense, start_for(&form, &start)).unwrap();
        let other = run(&form, &sparse, start_for(&form, &start)).unwrap();
        assert!(distance(other.components.view(), expected.components.view()) < 1e-8, "{form:?}");
        let losses = |fit: &Fit<f64>| fit.trace.iter().map(|r| r.loss.unwrap_or(1.0)).collect::<Vec<_>>();
        let close = losses(&other).iter().zip(losses(&expected)).all(|(a, b)| (a - b).abs() < 1e-8 * b.abs());
        assert!(close, "{form:?}");
    }
}
