//! Confidence in the components of a fit.

use serde::{Deserialize, Serialize};

use super::interval::{Assessed, Source, assessed};
use super::{ComponentError, Ending, FitReport, Judgement, Origin, Reason, Verdict};
use crate::constants::TrustConstants;

/// A judgement on a fit, and the error of each component.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Trust {
    /// The verdict and its reasons.
    #[serde(flatten)]
    pub judgement: Judgement,
    /// The estimated error of each component as a sine: 0 is stable, above [`UNSTABLE`](super::UNSTABLE) is unreliable.
    pub component_stability: Vec<f64>,
    /// The same with an interval that should contain the error. Empty in models of earlier versions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub component_error: Vec<ComponentError>,
    /// Other answers that fit as well.
    #[serde(default)]
    pub alternatives: Vec<Alternative>,
}

/// Another answer that fits as well: two components take part of each other.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Alternative {
    /// Their numbers, the smaller first.
    pub components: [usize; 2],
    /// The distance (a sine) by which one of them can move.
    pub sine: f64,
    /// The same in words.
    pub text: String,
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
        let assessed = assessed(report, constants);
        let found = assessed.len();
        let mut component_error: Vec<ComponentError> = assessed.iter().map(|of| of.error).collect();
        component_error.resize(rank, ComponentError::UNKNOWN);
        let mut judgement = Judgement::default();
        if found < rank {
            judgement.add(Reason::SurplusComponents { found, components: (found..rank).collect() });
        }
        judge_samples(&mut judgement, report, found, constants);
        // What the stages saw in their metric says nothing about components that the likelihood of counts has moved since.
        if !report.ending.is_of_counts() {
            judge_rank(&mut judgement, report, constants);
            judge_weights(&mut judgement, report, found, constants);
        }
        if report.ending == Ending::Nmf {
            judgement.add(Reason::NmfInstead);
        }
        let alternatives = alternatives(report);
        judge_errors(&mut judgement, (report, &alternatives), &assessed, constants);
        // Components of another start have had stages of their own.
        if out_of_stages && !report.certain && report.origin != Origin::Hals {
            judgement.add(Reason::OutOfStages);
        }
        if !report.set_aside.is_empty() {
            let (samples, of) = (report.set_aside.clone(), report.n_samples);
            judgement.add(Reason::OutliersSetAside { samples, of });
        }
        let component_stability = component_error.iter().map(|error| error.estimate).collect();
        Self { judgement, component_stability, component_error, alternatives }
    }

    /// The verdict on a fit without evidence, because nothing could be checked or time ran out.
    pub(crate) fn without_evidence(reason: Reason, rank: usize) -> Self {
        Self {
            judgement: Judgement::of(vec![reason]),
            component_stability: vec![1.0; rank],
            component_error: vec![ComponentError::UNKNOWN; rank],
            alternatives: Vec::new(),
        }
    }
}

fn alternatives(report: &FitReport) -> Vec<Alternative> {
    let trades = report.errors.iter().flat_map(|errors| &errors.trades);
    trades
        .map(|trade| {
            let [first, second] = trade.components;
            let text = format!(
                "components {first} and {second} can trade: one of them can move by a sine of {:.2}",
                trade.sine
            );
            Alternative { components: trade.components, sine: trade.sine, text }
        })
        .collect()
}

/// What can be known at all.
fn judge_samples(judgement: &mut Judgement, report: &FitReport, rank: usize, constants: &TrustConstants) {
    let n_samples = report.n_samples.saturating_sub(report.set_aside.len());
    let wanted = match report.is_certain() {
        true => constants.few_samples,
        false => constants.few_noisy_samples,
    };
    if n_samples < rank {
        judgement.add(Reason::FewerSamplesThanComponents { n_samples, rank });
    } else if n_samples < wanted * rank && rank > 1 {
        judgement.add(Reason::FewSamples { n_samples, rank, wanted });
    }
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

fn judge_errors(
    judgement: &mut Judgement,
    (report, alternatives): (&FitReport, &[Alternative]),
    assessed: &[Assessed],
    constants: &TrustConstants,
) {
    let of = assessed.len();
    let uncertain = |source: Source| -> Vec<usize> {
        let named = |k: &usize| assessed[*k].error.high > constants.unstable && assessed[*k].source == source;
        (0..of).filter(named).collect()
    };
    let wrong = assessed.iter().filter(|of| of.error.estimate > constants.unstable).count();
    // One of three materials may be wrong while the others are right.
    let most = wrong > 1 || wrong == of;
    let severity = match wrong as f64 / of.max(1) as f64 > constants.many_unstable && most {
        true => Verdict::Poor,
        false => Verdict::Doubtful,
    };
    let by_chance = uncertain(Source::Chance);
    if !by_chance.is_empty() {
        let components = by_chance;
        judgement.add(match (report.ending.is_of_counts(), report.rerun.is_empty()) {
            (true, _) => Reason::UnstableCounts { components, of, severity },
            (_, false) => Reason::UnstableStart { components, of, severity },
            _ => Reason::UnstableSamples { components, of, severity },
        });
    }
    let ambiguous = uncertain(Source::Ambiguity);
    if !ambiguous.is_empty() {
        let concerned = |of: &&Alternative| of.components.iter().any(|k| ambiguous.contains(k));
        let trades: Vec<[usize; 2]> = alternatives.iter().filter(concerned).map(|of| of.components).collect();
        judgement.add(Reason::Ambiguous { components: ambiguous, of, trades, severity });
    }
    let mixed_up = uncertain(Source::Mixing);
    if !mixed_up.is_empty() {
        judgement.add(Reason::MixedComponents { components: mixed_up, of, severity });
    }
    let unfitting = uncertain(Source::Misfit);
    if !unfitting.is_empty() {
        judgement.add(Reason::Misfit { components: unfitting, of, severity });
    }
    if report.errors.is_none() && !report.is_certain() {
        judgement.add(Reason::Unchecked);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trust::{ErrorEvidence, Trade};

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
            resampled: vec![0.003; 10],
            noise_errors: vec![0.004; 10],
            mixed: zeros,
            rerun: Vec::new(),
            set_aside: Vec::new(),
            n_samples: 500,
            counts: None,
            other_ends: Vec::new(),
            errors: Some(errors()),
        }
    }

    fn errors() -> ErrorEvidence {
        let (towards, away, trades) = (vec![0.0; 10], vec![0.0; 10], Vec::new());
        ErrorEvidence {
            refit: vec![0.005; 10],
            negative_part: 0.01,
            simulated: 500,
            towards,
            away,
            forced: vec![0.0; 10],
            misfit: 0.0,
            trades,
        }
    }

    fn some(count: usize, value: f64) -> Vec<f64> {
        (0..10).map(|k| if k < count { value } else { 0.0 }).collect()
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
        assert!(
            trust.component_error.iter().all(|e| e.low < e.estimate && e.estimate < e.high && e.high < 0.1)
        );
        assert!(trust.component_error.iter().zip(&trust.component_stability).all(|(e, s)| e.estimate == *s));
    }

    #[test]
    fn every_kind_of_evidence_counts_and_says_what_to_do() {
        let base = report();
        let trades = vec![Trade { components: [0, 1], sine: 0.5 }];
        let (good, doubtful, poor) = (Verdict::Good, Verdict::Doubtful, Verdict::Poor);
        let cases: Vec<(FitReport, Verdict, &str)> = vec![
            (FitReport { inclusions: 2, ..base.clone() }, doubtful, "never occurs without"),
            (FitReport { singular_gap: 1.05, ..base.clone() }, doubtful, "another rank"),
            (FitReport { singular_gap: 1.05, negative_part: 0.1, ..base.clone() }, doubtful, "a larger rank"),
            (FitReport { negative_part: 0.07, ..base.clone() }, doubtful, "negative weights"),
            (FitReport { always_on: vec![3], ..base.clone() }, good, "nearly every sample"),
            (FitReport { background: 0.3, ..base.clone() }, good, "share a background"),
            (FitReport { drift: 0.8, ..base.clone() }, good, "small but never zero"),
            (FitReport { ending: Ending::Nmf, ..base.clone() }, doubtful, "NMF was used"),
            (FitReport { n_samples: 20, ..base.clone() }, doubtful, "20 samples for 10 components"),
            (FitReport { n_samples: 119, ..base.clone() }, doubtful, "119 samples for 10 components"),
            (FitReport { n_samples: 9, ..base.clone() }, poor, "fewer samples (9) than components"),
            (FitReport { errors: None, ..base.clone() }, doubtful, "no refit has checked"),
            (
                FitReport { rerun: some(1, 0.9), resampled: some(4, 0.9), ..base.clone() },
                doubtful,
                "1 of 10 components change with another start",
            ),
            (
                FitReport { errors: Some(ErrorEvidence { refit: some(4, 0.9), ..errors() }), ..base.clone() },
                poor,
                "4 of 10 components would",
            ),
            (
                FitReport {
                    errors: Some(ErrorEvidence { away: some(2, 0.9), trades, ..errors() }),
                    ..base.clone()
                },
                doubtful,
                "2 of 10 components have other versions that fit as well: 0 trades with 1",
            ),
            (
                FitReport { other_ends: vec![("and".into(), some(4, 1.0))], ..base.clone() },
                doubtful,
                "4 of 10 components have other versions",
            ),
            (
                FitReport {
                    errors: Some(ErrorEvidence { misfit: 0.9, refit: vec![0.05; 10], ..errors() }),
                    ..base.clone()
                },
                doubtful,
                "10 of 10 components leave more of the samples than noise",
            ),
            (FitReport { mixed: some(4, 0.9), ..base.clone() }, poor, "4 of 10 components may contain"),
            (
                FitReport {
                    errors: Some(ErrorEvidence { forced: some(1, 0.9), ..errors() }),
                    ..base.clone()
                },
                doubtful,
                "1 of 10 components may contain",
            ),
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
    fn more_evidence_never_makes_an_error_smaller() {
        let base = report();
        let estimate = |report: &FitReport| judged_trust(report, 10, false).component_stability[0];
        let mut last = estimate(&base);
        for step in 1..10 {
            let sine = 0.05 * f64::from(step);
            let refit = ErrorEvidence { refit: some(1, sine), ..errors() };
            let next = estimate(&FitReport { errors: Some(refit), ..base.clone() });
            assert!(next > last || next == 1.0, "{next} {last}");
            last = next;
        }
    }

    #[test]
    fn intervals_are_as_wide_as_the_evidence_is_weak() {
        let ratio = |report: &FitReport| {
            let error = judged_trust(report, 10, false).component_error[0];
            error.high / error.estimate
        };
        let with = |errors: ErrorEvidence| FitReport { errors: Some(errors), ..report() };
        let noise = ratio(&report());
        assert!(noise > 1.2 && noise < 1.5, "{noise}");
        // The more of the estimate other answers make, the wider.
        let mut last = noise;
        for step in 1..6 {
            let next = ratio(&with(ErrorEvidence { away: some(10, 0.1 * f64::from(step)), ..errors() }));
            assert!(next > last, "{next} {last}");
            last = next;
        }
        // What speaks against the fit as a whole: negative weights that the refit has not, a residual that noise does not
        // explain, samples set aside.
        assert!(ratio(&with(ErrorEvidence { negative_part: 0.005, ..errors() })) > 1.3 * noise);
        assert!(ratio(&with(ErrorEvidence { negative_part: 0.02, ..errors() })) == noise);
        assert!(ratio(&with(ErrorEvidence { misfit: 0.5, ..errors() })) > 1.3 * noise);
        let aside = |count: usize| FitReport { set_aside: (0..count).collect(), ..report() };
        assert!(ratio(&aside(2)) < 1.1 * noise && ratio(&aside(40)) > 3.0 * noise);
        assert!(ratio(&FitReport { errors: None, ..report() }) > 1.2 * noise);
    }

    #[test]
    fn other_runs_replace_the_evidence_of_the_stages() {
        let rerun: Vec<f64> = (0..10).map(|k| 0.2 * f64::from(k)).collect();
        let nmf = FitReport { ending: Ending::Nmf, rerun, mixed: vec![1.0; 10], ..report() };
        let scores = judged_trust(&nmf, 11, false).component_stability;
        assert!(scores[0] < 0.1 && scores[1] < scores[2] && scores[10] == 1.0, "{scores:?}");
    }

    #[test]
    fn components_of_the_likelihood_of_counts_are_judged_by_counts_alone() {
        let refit = ErrorEvidence { refit: some(4, 0.9), ..errors() };
        let (ending, rerun) = (Ending::Priors, vec![0.001; 10]);
        let counts = FitReport {
            ending,
            rerun,
            inclusions: 3,
            singular_gap: 1.01,
            certain: true,
            errors: Some(refit),
            ..report()
        };
        let (verdict, reasons) = judged(&counts);
        assert_eq!((verdict, reasons.len()), (Verdict::Poor, 1), "{reasons:?}");
        assert!(reasons[0].contains("4 of 10 components would change with other counts"), "{reasons:?}");
        let sure = FitReport { errors: Some(errors()), ..counts };
        assert_eq!(judged(&sure), (Verdict::Good, Vec::new()));
    }

    #[test]
    fn certainty_outweighs_the_weights_and_surplus_components_are_named() {
        let certain = FitReport { certain: true, always_on: vec![0, 1], errors: None, ..report() };
        assert_eq!(judged(&certain), (Verdict::Good, Vec::new()));
        // Exact components need fewer samples than noisy ones.
        assert_eq!(judged(&FitReport { n_samples: 50, ..certain.clone() }), (Verdict::Good, Vec::new()));
        let trust = judged_trust(&certain, 12, false);
        assert_eq!(trust.judgement.verdict, Verdict::Doubtful);
        let first = trust.judgement.reasons[0].text();
        assert!(first.contains("only 10 components"), "{first}");
        assert_eq!(trust.component_stability[9..], [0.0, 1.0, 1.0]);
        // One of three components is not most of them, one of one is.
        for (count, verdict) in [(3, Verdict::Doubtful), (1, Verdict::Poor)] {
            let one = FitReport { on_shares: vec![0.1; count], mixed: vec![0.9, 0.0, 0.0], ..report() };
            assert_eq!(judged_trust(&one, count, false).judgement.verdict, verdict);
        }
        let few = FitReport { background: 0.3, on_shares: vec![0.1; 3], ..report() };
        assert_eq!(judged_trust(&few, 3, false).judgement.verdict, Verdict::Good);
    }
}
