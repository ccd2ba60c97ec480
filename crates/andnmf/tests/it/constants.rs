//! Constants from JSON take effect, and the defaults change nothing.

use andnmf::and::AndParams;
use andnmf::constants::Constants;
use andnmf::fit::{Fit, Run, Solver, Start};
use andnmf::samples::DenseSamples;
use andnmf::synth::{Dataset, DatasetKind, DatasetSpec, Weights};

use crate::common::small;

fn noisy() -> Dataset {
    let sizes = DatasetSpec { n_features: 120, rank: 8, n_samples: 600, ..small(DatasetKind::Dir) };
    let weights = Weights::Dirichlet { concentration: 0.5 };
    DatasetSpec { noise: 0.01, weights, ..sizes }.generate().unwrap()
}

fn fit(data: &Dataset, json: &str) -> Fit<f64> {
    let constants: Constants = serde_json::from_str(json).unwrap();
    let samples = DenseSamples::new(data.samples.view()).unwrap();
    let and = AndParams::new(8).check().unwrap().with_constants(constants);
    and.fit(&samples, Start::Auto, &mut Run::new()).unwrap()
}

#[test]
fn the_default_constants_are_those_of_every_fit() {
    let data = noisy();
    let samples = DenseSamples::new(data.samples.view()).unwrap();
    let plain = AndParams::new(8).check().unwrap().fit(&samples, Start::Auto, &mut Run::new()).unwrap();
    let same = fit(&data, "{}");
    assert_eq!((same.components, same.report, same.trust), (plain.components, plain.report, plain.trust));
}

#[test]
fn one_constant_from_json_changes_what_it_decides() {
    let data = noisy();
    let base = fit(&data, "{}");
    let report = |json| fit(&data, json).report.unwrap();
    let own = base.report.unwrap();
    assert_ne!(report(r#"{"schedule": {"noise_floor": 6.0}}"#).on_shares, own.on_shares);
    assert_ne!(report(r#"{"stability": {"part_share": 0.5}}"#).resampled, own.resampled);
    assert_ne!(report(r#"{"end": {"background_ignored": 0.9}}"#).background, own.background);
    assert!(!report(r#"{"end": {"mostly_on": 0.0, "low_quantile": 0.95}}"#).always_on.is_empty());
    // Only the judgement changes: the same components under another limit.
    let strict = fit(&data, r#"{"trust": {"unstable": 1e-9}}"#);
    assert_eq!(strict.components, base.components);
    let codes = |fit: &Fit<f64>| -> Vec<String> {
        let reasons = &fit.trust.as_ref().unwrap().judgement.reasons;
        reasons.iter().map(|reason| reason.code().to_owned()).collect()
    };
    assert!(codes(&strict).contains(&"unstable-samples".to_owned()), "{:?}", codes(&strict));
}
