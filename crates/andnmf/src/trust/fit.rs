//! Confidence in the components of a fit.

use serde::{Deserialize, Serialize};

use super::{Ending, FitReport, Judgement, Origin, Reason, Verdict};
use crate::constants::TrustConstants;

/// A judgement on a fit, and the stability of each component.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Trust {
    /// The verdict and its reasons.
    #[serde(flatten)]
    pub judgement: Judgement,
    /// The estimated error of each component as a sine: 0 is stable, above [`UNSTABLE`](super::UNSTABLE) is unreliable.
    pub component_stability: Vec<f64>,
}

impl Trust {
    /// Judges a fit of `rank` components by the evidence it collected; `out_of_stages` if only the limit on stages
    /// ended it.
    pub(crate) fn of(
        report: &FitReport,
        rank: usize,
        out_of_stages: bool,
        constants: &TrustConstants,
    ) -> Self {
        let mut component_stability = scores(report, constants);
        let found = component_stability.len();
        component_stability.resize(rank, 1.0);
        let mut judgement = Judgement::default();
        if found < rank {
            judgement.add(Reason::SurplusComponents { found, components: (found..rank).collect() });
        }
        // What the stages saw in their metric says nothing about components that the likelihood of counts has moved since.
        if !report.ending.is_of_counts() {
            judge_rank(&mut judgement, report, constants);
            judge_weights(&mut judgement, report, found, constants);
        }
        if report.ending == Ending::Nmf {
            judgement.add(Reason::NmfInstead);
        }
        judge_stability(&mut judgement, report, &component_stability[..found], constants);
        // Components of another start have had stages of their own.
        if out_of_stages && !report.certain && report.origin != Origin::Hals {
            judgement.add(Reason::OutOfStages);
        }
        if !report.set_aside.is_empty() {
            let (samples, of) = (report.set_aside.clone(), report.n_samples);
            judgement.add(Reason::OutliersSetAside { samples, of });
        }
        Self { judgement, component_stability }
    }

    /// The verdict on a fit without evidence, because nothing could be checked or time ran out.
    pub(crate) fn without_evidence(reason: Reason, rank: usize) -> Self {
        Self { judgement: Judgement::of(vec![reason]), component_stability: vec![1.0; rank] }
    }
}

/// The estimated error of each component.
fn scores(report: &FitReport, constants: &TrustConstants) -> Vec<f64> {
    let count = report.on_shares.len();
    if report.certain && !report.ending.is_of_counts() {
        return vec![0.0; count];
    }
    if !report.rerun.is_empty() {
        // Earlier evidence is about other components.
        return report.rerun.iter().map(|&sine| sine.min(1.0)).collect();
    }
    let score = |k: usize| {
        let negative = if report.negative_shares[k] > constants.small_share && report.ending != Ending::Signed
        {
            constants.negative * report.negative_shares[k]
        } else {
            0.0
        };
        sampled(report, k).max(constants.mixed * report.mixed[k]).max(report.moved[k]).max(negative).min(1.0)
    };
    (0..count).map(score).collect()
}

fn judge_rank(judgement: &mut Judgement, report: &FitReport, constants: &TrustConstants) {
    if report.singular_gap >= constants.no_gap {
        return;
    }
    let leaking = report.negative_part > 2.0 * constants.leak_factor * report.expected_negative_part;
    judgement.add(Reason::NoSpectralGap { next_strength: 1.0 / report.singular_gap, leaking });
}

fn judge_weights(judgement: &mut Judgement, report: &FitReport, found: usize, constants: &TrustConstants) {
    if report.inclusions > 0 {
        judgement.add(Reason::Inclusions { pairs: report.inclusions });
    }
    let allowed = constants.leak_factor * report.expected_negative_part + constants.leak_offset;
    if report.negative_part > allowed {
        let foreign = report.negative_share > constants.foreign && report.ending != Ending::Signed;
        judgement.add(Reason::NegativeWeights { share: report.negative_part, foreign });
    }
    let many = found >= constants.many_components;
    if !report.always_on.is_empty() && !report.certain {
        judgement.add(Reason::AlwaysOn { components: report.always_on.clone() });
    } else if report.drift > 0.0 {
        judgement.add(Reason::HiddenLevel);
    } else if report.background > constants.shared_background && many && report.origin != Origin::Features {
        judgement.add(Reason::SharedBackground { share: report.background });
    }
}

fn judge_stability(
    judgement: &mut Judgement,
    report: &FitReport,
    scores: &[f64],
    constants: &TrustConstants,
) {
    let of = scores.len();
    let unstable: Vec<usize> = (0..of).filter(|&k| scores[k] > constants.unstable).collect();
    let share = unstable.len() as f64 / of.max(1) as f64;
    // One of three materials may be wrong while the others are right.
    let most = unstable.len() > 1 || unstable.len() == of;
    let severity = match share {
        _ if share > constants.many_unstable && most => Verdict::Poor,
        _ if share > constants.some_unstable => Verdict::Doubtful,
        _ => Verdict::Good,
    };
    if !report.rerun.is_empty() && !unstable.is_empty() {
        judgement.add(match report.ending.is_of_counts() {
            true => Reason::UnstableCounts { components: unstable, of, severity },
            false => Reason::UnstableStart { components: unstable, of, severity },
        });
        return;
    }
    let by_chance = |k: &usize| !report.certain && sampled(report, *k) > constants.unstable;
    let (by_chance, mixed_up): (Vec<usize>, Vec<usize>) = unstable.into_iter().partition(by_chance);
    if !by_chance.is_empty() {
        judgement.add(Reason::UnstableSamples { components: by_chance, of, severity });
    }
    if !mixed_up.is_empty() {
        judgement.add(Reason::MixedComponents { components: mixed_up, of, severity });
    }
}

/// The error of a component by chance: from the choice of samples and from noise.
fn sampled(report: &FitReport, k: usize) -> f64 {
    report.resampled[k].hypot(report.noise_errors[k])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report() -> FitReport {
        let zeros = vec![0.0; 10];
        FitReport {
            origin: Origin::Normalised,
            ending: Ending::Swept,
            certain: false,
            inclusions: 0,
            negative_part: 0.01,
            expected_negative_part: 0.01,
            negative_share: 0.0,
            negative_shares: zeros.clone(),
            noise: 0.01,
            singular_gap: 3.0,
            pile_up: None,
            ending_margin: None,
            on_shares: vec![0.1; 10],
            always_on: Vec::new(),
            drift: 0.0,
            background: 0.0,
            moved: zeros.clone(),
            resampled: vec![0.01; 10],
            noise_errors: vec![0.02; 10],
            mixed: zeros,
            rerun: Vec::new(),
            set_aside: Vec::new(),
            n_samples: 0,
            counts: None,
        }
    }

    fn judged_trust(report: &FitReport, rank: usize, out_of_stages: bool) -> Trust {
        Trust::of(report, rank, out_of_stages, &TrustConstants::default())
    }

    fn judged(report: &FitReport) -> (Verdict, Vec<String>) {
        let Judgement { verdict, reasons } = judged_trust(report, 10, false).judgement;
        (verdict, reasons.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn a_fit_without_objections_is_good() {
        assert_eq!(judged(&report()), (Verdict::Good, Vec::new()));
        let trust = judged_trust(&report(), 10, false);
        assert!(trust.component_stability.iter().all(|s| (s - 0.0005_f64.sqrt()).abs() < 1e-12));
    }

    #[test]
    fn every_kind_of_evidence_counts_and_says_what_to_do() {
        let base = report();
        let some = |count: usize, value: f64| (0..10).map(|k| if k < count { value } else { 0.0 }).collect();
        let cases: Vec<(FitReport, Verdict, &str)> = vec![
            (FitReport { inclusions: 2, ..base.clone() }, Verdict::Doubtful, "never occurs without"),
            (FitReport { singular_gap: 1.05, ..base.clone() }, Verdict::Doubtful, "another rank"),
            (
                FitReport { singular_gap: 1.05, negative_part: 0.1, ..base.clone() },
                Verdict::Poor,
                "a larger rank",
            ),
            (FitReport { negative_part: 0.07, ..base.clone() }, Verdict::Doubtful, "negative weights"),
            (
                FitReport { negative_part: 0.07, negative_share: 0.2, ..base.clone() },
                Verdict::Poor,
                "negative weights",
            ),
            (FitReport { always_on: vec![3], ..base.clone() }, Verdict::Doubtful, "nearly every sample"),
            (FitReport { background: 0.3, ..base.clone() }, Verdict::Doubtful, "share a background"),
            (FitReport { drift: 0.8, ..base.clone() }, Verdict::Doubtful, "small but never zero"),
            (FitReport { ending: Ending::Nmf, ..base.clone() }, Verdict::Poor, "NMF was used"),
            (
                FitReport { rerun: some(1, 0.2), resampled: some(4, 0.2), ..base.clone() },
                Verdict::Doubtful,
                "1 of 10 components change with another start",
            ),
            (
                FitReport { resampled: some(1, 0.2), ..base.clone() },
                Verdict::Doubtful,
                "1 of 10 components would",
            ),
            (
                FitReport { noise_errors: some(4, 0.2), ..base.clone() },
                Verdict::Poor,
                "4 of 10 components would",
            ),
            (
                FitReport { mixed: some(4, 0.02), ..base.clone() },
                Verdict::Poor,
                "4 of 10 components may contain",
            ),
            (
                FitReport { moved: some(1, 0.2), ..base.clone() },
                Verdict::Doubtful,
                "1 of 10 components may contain",
            ),
            (FitReport { negative_shares: some(1, 0.06), ..base.clone() }, Verdict::Doubtful, "1 of 10"),
        ];
        for (report, verdict, words) in cases {
            let (given, reasons) = judged(&report);
            assert_eq!(given, verdict, "{words}: {reasons:?}");
            assert!(reasons.iter().any(|reason| reason.contains(words)), "{words}: {reasons:?}");
        }
        let out_of_stages = judged_trust(&base, 10, true);
        assert_eq!(out_of_stages.judgement.verdict, Verdict::Doubtful);
    }

    #[test]
    fn other_runs_of_hals_replace_earlier_evidence() {
        let rerun: Vec<f64> = (0..10).map(|k| 0.2 * f64::from(k)).collect();
        let nmf = FitReport { ending: Ending::Nmf, rerun, mixed: vec![1.0; 10], ..report() };
        let scores = judged_trust(&nmf, 11, false).component_stability;
        assert_eq!((scores[0], scores[1], scores[9], scores[10]), (0.0, 0.2, 1.0, 1.0));
    }

    #[test]
    fn components_of_the_likelihood_of_counts_are_judged_by_split_counts_alone() {
        let rerun = vec![0.3, 0.3, 0.3, 0.3, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
        let ending = Ending::Priors;
        let counts =
            FitReport { ending, rerun, inclusions: 3, singular_gap: 1.01, certain: true, ..report() };
        let (verdict, reasons) = judged(&counts);
        assert_eq!((verdict, reasons.len()), (Verdict::Poor, 1), "{reasons:?}");
        assert!(reasons[0].contains("4 of 10 components would change with other counts"), "{reasons:?}");
        let sure = FitReport { rerun: vec![0.02; 10], ..counts };
        assert_eq!(judged(&sure), (Verdict::Good, Vec::new()));
    }

    #[test]
    fn certainty_outweighs_the_weights_and_surplus_components_are_named() {
        let certain = FitReport { certain: true, always_on: vec![0, 1], ..report() };
        assert_eq!(judged(&certain), (Verdict::Good, Vec::new()));
        let trust = judged_trust(&certain, 12, false);
        assert_eq!(trust.judgement.verdict, Verdict::Doubtful);
        assert!(
            trust.judgement.reasons[0].text().contains("only 10 components"),
            "{:?}",
            trust.judgement.reasons
        );
        assert_eq!(trust.component_stability[9..], [0.0, 1.0, 1.0]);
        // One of three components is not most of them, one of one is.
        for (count, verdict) in [(3, Verdict::Doubtful), (1, Verdict::Poor)] {
            let one = FitReport { on_shares: vec![0.1; count], mixed: vec![0.2, 0.0, 0.0], ..report() };
            assert_eq!(judged_trust(&one, count, false).judgement.verdict, verdict);
        }
        let few = FitReport { background: 0.3, on_shares: vec![0.1; 3], ..report() };
        assert_eq!(judged_trust(&few, 3, false).judgement.verdict, Verdict::Good);
    }
}
