//! The errors of components that default fits estimate, and the verdict on them.

use std::ops::ControlFlow;

use andnmf::Real;
use andnmf::and::{AndParams, Checks};
use andnmf::fit::{Fit, Observer, Run, Solver, StageRecord, StageView, Start};
use andnmf::metrics::match_components;
use andnmf::samples::{CsrSamples, DenseSamples, Samples};
use andnmf::synth::{Dataset, DatasetKind, DatasetSpec, Weights};
use andnmf::trust::{Reason, Verdict};
use ndarray::{Array2, array};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, Gamma, StandardNormal};

use crate::common::sparse_parts;

const RANK: usize = 8;

fn noisy(noise: f64, seed: u64) -> Dataset {
    let weights = Weights::Dirichlet { concentration: 2.0 };
    let base = DatasetSpec { noise, seed, weights, ..DatasetSpec::new(DatasetKind::Dir) };
    DatasetSpec { n_features: 80, rank: RANK, n_samples: 500, ..base }.generate().unwrap()
}

fn fitted<T: Real>(samples: &dyn Samples<T>, params: AndParams, run: &mut Run<'_, T>) -> Fit<T> {
    params.check().unwrap().fit(samples, Start::Auto, run).unwrap()
}

fn dense(data: &Dataset) -> DenseSamples<'_, f64> {
    DenseSamples::new(data.samples.view()).unwrap()
}

/// The sine between each component and the true one that it is matched to.
fn sines(fit: &Fit<f64>, truth: &Array2<f64>) -> Vec<f64> {
    let matched = match_components(fit.components.view(), truth.view()).unwrap();
    let mut sines = vec![1.0; fit.components.nrows()];
    for (component, cosine) in matched.component_of_truth.iter().zip(&matched.cosines) {
        if let Some(k) = component {
            sines[*k] = (1.0 - cosine * cosine).max(0.0).sqrt();
        }
    }
    sines
}

#[test]
fn intervals_contain_the_errors_that_noise_makes() {
    let (mut covered, mut all) = (0, 0);
    for (noise, seed) in [(0.01, 1), (0.03, 2), (0.1, 3), (0.1, 4), (0.3, 5)] {
        let data = noisy(noise, seed);
        let fit = fitted(&dense(&data), AndParams::new(RANK), &mut Run::new());
        let trust = fit.trust.clone().unwrap();
        for (error, sine) in trust.component_error.iter().zip(sines(&fit, &data.truth)) {
            assert!(error.low <= error.estimate && error.estimate <= error.high && error.high <= 1.0);
            covered += usize::from(error.low <= sine && sine <= error.high);
            all += 1;
        }
        let report = fit.report.unwrap().errors.unwrap();
        assert!(report.simulated == 500 && report.negative_part > 0.0, "{report:?}");
    }
    assert!(covered * 10 >= all * 8, "{covered} of {all}");
}

#[test]
fn checks_change_nothing_but_the_verdict_and_have_the_same_bits_on_any_number_of_threads() {
    let data = noisy(0.03, 1);
    let samples = dense(&data);
    let on = fitted(&samples, AndParams::new(RANK), &mut Run::new().threads(1));
    let same = fitted(&samples, AndParams::new(RANK), &mut Run::new().threads(2));
    assert_eq!((&on.components, &on.trust), (&same.components, &same.trust));
    let off = AndParams { trust: Checks::Off, ..AndParams::new(RANK) };
    let off = fitted(&samples, off, &mut Run::new());
    assert_eq!((&on.components, &None), (&off.components, &off.trust));
}

/// Counts the stages of the refit, and ends it after `limit` of them.
struct Refits {
    seen: usize,
    limit: usize,
}

impl Observer<f64> for Refits {
    fn stage(&mut self, _: &StageView<'_, f64>) -> ControlFlow<()> {
        assert_eq!(self.seen, 0, "the fit comes first");
        ControlFlow::Continue(())
    }

    fn refit_stage(&mut self, _: &StageRecord) -> ControlFlow<()> {
        self.seen += 1;
        if self.seen < self.limit { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }
}

#[test]
fn an_observer_sees_the_stages_of_the_refit_and_can_end_it() {
    let data = noisy(0.03, 1);
    let mut whole = Refits { seen: 0, limit: usize::MAX };
    let fit = fitted(&dense(&data), AndParams::new(RANK), &mut Run::new().observe(&mut whole));
    assert!(whole.seen > 2 && fit.report.unwrap().errors.is_some(), "{}", whole.seen);
    let mut part = Refits { seen: 0, limit: 2 };
    let ended = fitted(&dense(&data), AndParams::new(RANK), &mut Run::new().observe(&mut part));
    assert_eq!((part.seen, &ended.components, ended.stop), (2, &fit.components, fit.stop));
    assert!(ended.report.unwrap().errors.is_none());
    let reasons = ended.trust.unwrap().judgement.reasons;
    assert!(reasons.iter().any(|reason| matches!(reason, Reason::Unchecked)), "{reasons:?}");
}

#[test]
fn counts_are_checked_by_simulated_counts() {
    let truth = noisy(0.0, 1).truth;
    let mut counts = Array2::<f64>::zeros((600, truth.ncols()));
    for (i, mut row) in counts.outer_iter_mut().enumerate() {
        // Whole numbers whose remainders are as good as Poisson noise.
        for (j, v) in row.iter_mut().enumerate() {
            let jitter = ((i * 7919 + j * 104_729) % 1000) as f64 / 1000.0;
            let mean = 300.0 * (truth[[i % RANK, j]] + 0.5 * truth[[(i / RANK) % RANK, j]]);
            *v = (mean + mean.sqrt() * 3.4 * (jitter - 0.5)).max(0.0).round();
        }
    }
    let (starts, features, values) = sparse_parts(&counts);
    let samples = CsrSamples::new(truth.ncols(), &starts, features, values).unwrap();
    let fit = fitted(&samples, AndParams::new(RANK), &mut Run::new());
    let report = fit.report.unwrap();
    let found = report.errors.unwrap();
    assert!(report.counts.is_some() && found.simulated == 600);
    assert!(found.refit.iter().all(|sine| *sine < 0.3), "{:?}", found.refit);
}

#[test]
fn two_documents_are_never_good() {
    let rows = array![[1.0, 2.0, 0.0, 0.0, 1.0], [0.0, 0.0, 3.0, 1.0, 1.0]];
    let fit = fitted(&DenseSamples::new(rows.view()).unwrap(), AndParams::new(2), &mut Run::new());
    let judgement = fit.trust.unwrap().judgement;
    assert!(judgement.verdict < Verdict::Good);
    assert!(judgement.reasons.iter().any(|r| matches!(r, Reason::FewSamples { n_samples: 2, .. })));
}

#[test]
fn components_that_weights_far_from_zero_leave_open_are_not_good() {
    // Smooth spectra, and shares that rarely come near zero: smaller and larger simplices hold the samples as well.
    let spectra = Array2::from_shape_fn((4, 120), |(k, band)| {
        let x = band as f64 / 120.0;
        let peak = |center: f64, width: f64| (-((x - center) / width).powi(2)).exp();
        0.2 + peak(0.15 + 0.7 * k as f64 / 4.0, 0.25) + 0.5 * peak(0.9 - 0.23 * k as f64, 0.15)
    });
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let gamma = Gamma::new(4.0, 1.0).unwrap();
    let mut shares = Array2::from_shape_simple_fn((900, 4), || -> f64 { gamma.sample(&mut rng) });
    for mut row in shares.outer_iter_mut() {
        let sum = row.sum();
        row /= sum;
    }
    let samples = shares.dot(&spectra).mapv(|v| {
        let drawn: f64 = StandardNormal.sample(&mut rng);
        v + 0.01 * drawn
    });
    let fit = fitted(&DenseSamples::new(samples.view()).unwrap(), AndParams::new(4), &mut Run::new());
    let (trust, sines) = (fit.trust.clone().unwrap(), sines(&fit, &spectra));
    let wrong: Vec<usize> = (0..4).filter(|k| sines[*k] > 0.1).collect();
    assert!(trust.judgement.verdict < Verdict::Good, "{sines:?} {trust:?}");
    assert!(wrong.iter().all(|k| trust.component_error[*k].high > 0.1), "{sines:?} {trust:?}");
}
