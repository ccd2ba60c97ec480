//! Whether the components of a fit are to be believed.

use serde::{Deserialize, Serialize};

use super::{Ending, FitReport, Judgement, Origin, Verdict};

/// Components with a higher score are not to be believed.
pub const UNSTABLE: f64 = 0.1;

/// Shares of other components that negative values show in a component understate its error by about this factor.
const MIXED: f64 = 10.0;
/// Negative shares of a component below this say nothing…
const SMALL_SHARE: f64 = 0.05;
/// …and others this many times themselves.
const NEGATIVE: f64 = 2.0;
/// Share of unstable components that makes a fit doubtful, and poor.
const SOME: f64 = 0.05;
const MANY: f64 = 0.3;
/// Without this factor between the last singular value kept and the first discarded nothing speaks for the rank.
const NO_GAP: f64 = 1.15;
/// A negative part may be this many times what noise makes of it, and this much more.
const LEAK: (f64, f64) = (4.0, 0.02);
/// Components as negative as this are not what non-negative samples are made of.
const FOREIGN: f64 = 0.1;
/// What many components have in common beyond this share may stand for weights that are always on; few components
/// (the spectra of three materials, say) can be alike by nature.
const SHARED: f64 = 0.02;
const MANY_COMPONENTS: usize = 8;

/// A judgement on a fit, and how stable each of its components is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Trust {
    /// The verdict and its reasons.
    #[serde(flatten)]
    pub judgement: Judgement,
    /// For each component an estimate of its error as a sine: 0 is stable, above [`UNSTABLE`] is not to be believed.
    pub component_stability: Vec<f64>,
}

impl Trust {
    /// Judges a fit of `rank` components by the evidence it collected; `out_of_stages` if only the limit on stages
    /// ended it.
    pub(crate) fn of(report: &FitReport, rank: usize, out_of_stages: bool) -> Self {
        let mut component_stability = scores(report);
        let found = component_stability.len();
        component_stability.resize(rank, 1.0);
        let mut judgement = Judgement::default();
        if found < rank {
            judgement.object(
                Verdict::Doubtful,
                format!("the samples have room for only {found} components: the other {} are zero; a rank of {found} gives the same", rank - found),
            );
        }
        judge_rank(&mut judgement, report);
        judge_weights(&mut judgement, report, found);
        if report.ending == Ending::Nmf {
            judgement.object(
                Verdict::Poor,
                "the samples do not look like sparse mixtures of this many components, so NMF was used instead: it fits \
                 them, but nothing vouches that its components are the true ones; try another rank, or more samples",
            );
        }
        judge_stability(&mut judgement, report, &component_stability[..found]);
        // Components of another start have had stages of their own.
        if out_of_stages && !report.certain && report.origin != Origin::Hals {
            judgement.object(
                Verdict::Doubtful,
                "the components were still moving when the stages ended; allow more stages",
            );
        }
        Self { judgement, component_stability }
    }
}

/// The estimated error of each component.
fn scores(report: &FitReport) -> Vec<f64> {
    let count = report.on_shares.len();
    if report.certain {
        return vec![0.0; count];
    }
    if !report.rerun.is_empty() {
        // What was learned about the components before says little about these.
        return report.rerun.iter().map(|&sine| sine.min(1.0)).collect();
    }
    let score = |k: usize| {
        let negative = if report.negative_shares[k] > SMALL_SHARE && report.ending != Ending::Signed {
            NEGATIVE * report.negative_shares[k]
        } else {
            0.0
        };
        sampled(report, k).max(MIXED * report.mixed[k]).max(report.moved[k]).max(negative).min(1.0)
    };
    (0..count).map(score).collect()
}

fn judge_rank(judgement: &mut Judgement, report: &FitReport) {
    if report.singular_gap >= NO_GAP {
        return;
    }
    let leaking = report.negative_part > 2.0 * LEAK.0 * report.expected_negative_part;
    let (at_best, guess) = if leaking { (Verdict::Poor, "a larger") } else { (Verdict::Doubtful, "another") };
    judgement.object(
        at_best,
        format!(
            "nothing in the samples sets this number of components apart (the next direction is {:.0} % as strong as the \
             last one kept); try {guess} rank",
            100.0 / report.singular_gap
        ),
    );
}

fn judge_weights(judgement: &mut Judgement, report: &FitReport, found: usize) {
    if report.inclusions > 0 {
        judgement.object(
            Verdict::Doubtful,
            format!(
                "{} components never come without a share of another, so mixtures may have been taken for components; \
                 more samples may show them apart",
                report.inclusions
            ),
        );
    }
    let allowed = LEAK.0 * report.expected_negative_part + LEAK.1;
    if report.negative_part > allowed {
        let at_best = if report.negative_share > FOREIGN && report.ending != Ending::Signed {
            Verdict::Poor
        } else {
            Verdict::Doubtful
        };
        judgement.object(
            at_best,
            format!(
                "{:.0} % of the samples are explained by negative weights, more than noise would: the rank may be too \
                 small or the weights not sparse; compare HALS",
                100.0 * report.negative_part
            ),
        );
    }
    if !report.always_on.is_empty() && !report.certain {
        judgement.object(
            Verdict::Doubtful,
            format!(
                "{} components are on in nearly every sample: weights that are never zero leave room for more than one \
                 answer; compare HALS",
                report.always_on.len()
            ),
        );
    } else if report.drift > 0.0 {
        judgement.object(
            Verdict::Doubtful,
            "weights seem to be on at a low level in all samples, below what noise lets one see: the zeros of the \
             components decided instead, which leaves room for more than one answer; compare HALS",
        );
    } else if report.background > SHARED && found >= MANY_COMPONENTS && report.origin != Origin::Features {
        judgement.object(
            Verdict::Doubtful,
            format!(
                "all components share a background ({:.0} % of their mean): weights that are always on would look the \
                 same; subtract a known background from the samples, or compare HALS",
                100.0 * report.background
            ),
        );
    }
}

fn judge_stability(judgement: &mut Judgement, report: &FitReport, scores: &[f64]) {
    let count = scores.len();
    let unstable: Vec<usize> = (0..count).filter(|&k| scores[k] > UNSTABLE).collect();
    let share = unstable.len() as f64 / count.max(1) as f64;
    // One of three materials may be wrong while the others are right.
    let most = unstable.len() > 1 || unstable.len() == count;
    let at_best = match share {
        _ if share > MANY && most => Verdict::Poor,
        _ if share > SOME => Verdict::Doubtful,
        _ => Verdict::Good,
    };
    if !report.rerun.is_empty() && !unstable.is_empty() {
        judgement.object(
            at_best,
            format!(
                "{} of {count} components come out differently from another start (see component_stability); more \
                 samples or another rank may settle them",
                unstable.len()
            ),
        );
        return;
    }
    let (by_chance, mixed_up): (Vec<usize>, Vec<usize>) =
        unstable.into_iter().partition(|&k| !report.certain && sampled(report, k) > UNSTABLE);
    if !by_chance.is_empty() {
        judgement.object(
            at_best,
            format!(
                "{} of {count} components would come out differently from other samples of the same kind (see \
                 component_stability); more samples or a smaller rank would help",
                by_chance.len()
            ),
        );
    }
    if !mixed_up.is_empty() {
        judgement.object(
            at_best,
            format!(
                "{} of {count} components may hold a share of others, by negative values that they leave (see \
                 component_stability); look at them beside those of HALS, or of another rank",
                mixed_up.len()
            ),
        );
    }
}

/// What chance makes of a component: the choice of the samples, and noise.
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
            on_shares: vec![0.1; 10],
            always_on: Vec::new(),
            drift: 0.0,
            background: 0.0,
            moved: zeros.clone(),
            resampled: vec![0.01; 10],
            noise_errors: vec![0.02; 10],
            mixed: zeros,
            rerun: Vec::new(),
        }
    }

    fn judged(report: &FitReport) -> (Verdict, Vec<String>) {
        let trust = Trust::of(report, 10, false);
        (trust.judgement.verdict, trust.judgement.reasons)
    }

    #[test]
    fn nothing_against_it_is_good() {
        assert_eq!(judged(&report()), (Verdict::Good, Vec::new()));
        let trust = Trust::of(&report(), 10, false);
        assert!(trust.component_stability.iter().all(|s| (s - 0.0005_f64.sqrt()).abs() < 1e-12));
    }

    #[test]
    fn every_kind_of_evidence_counts_and_says_what_to_do() {
        let base = report();
        let some = |count: usize, value: f64| (0..10).map(|k| if k < count { value } else { 0.0 }).collect();
        let cases: Vec<(FitReport, Verdict, &str)> = vec![
            (FitReport { inclusions: 2, ..base.clone() }, Verdict::Doubtful, "never come without"),
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
            (FitReport { drift: 0.8, ..base.clone() }, Verdict::Doubtful, "at a low level"),
            (FitReport { ending: Ending::Nmf, ..base.clone() }, Verdict::Poor, "NMF was used"),
            (
                FitReport { rerun: some(1, 0.2), resampled: some(4, 0.2), ..base.clone() },
                Verdict::Doubtful,
                "1 of 10 components come out differently from another start",
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
                "4 of 10 components may hold",
            ),
            (
                FitReport { moved: some(1, 0.2), ..base.clone() },
                Verdict::Doubtful,
                "1 of 10 components may hold",
            ),
            (FitReport { negative_shares: some(1, 0.06), ..base.clone() }, Verdict::Doubtful, "1 of 10"),
        ];
        for (report, verdict, words) in cases {
            let (given, reasons) = judged(&report);
            assert_eq!(given, verdict, "{words}: {reasons:?}");
            assert!(reasons.iter().any(|reason| reason.contains(words)), "{words}: {reasons:?}");
        }
        let out_of_stages = Trust::of(&base, 10, true);
        assert_eq!(out_of_stages.judgement.verdict, Verdict::Doubtful);
    }

    #[test]
    fn other_runs_of_hals_take_the_place_of_what_was_known_before() {
        let rerun: Vec<f64> = (0..10).map(|k| 0.2 * f64::from(k)).collect();
        let nmf = FitReport { ending: Ending::Nmf, rerun, mixed: vec![1.0; 10], ..report() };
        let scores = Trust::of(&nmf, 11, false).component_stability;
        assert_eq!((scores[0], scores[1], scores[9], scores[10]), (0.0, 0.2, 1.0, 1.0));
    }

    #[test]
    fn certainty_outweighs_what_weights_look_like_and_surplus_components_are_named() {
        let certain = FitReport { certain: true, always_on: vec![0, 1], ..report() };
        assert_eq!(judged(&certain), (Verdict::Good, Vec::new()));
        let trust = Trust::of(&certain, 12, false);
        assert_eq!(trust.judgement.verdict, Verdict::Doubtful);
        assert!(trust.judgement.reasons[0].contains("only 10 components"), "{:?}", trust.judgement.reasons);
        assert_eq!(trust.component_stability[9..], [0.0, 1.0, 1.0]);
        // One of three components is not most of them, one of one is.
        for (count, verdict) in [(3, Verdict::Doubtful), (1, Verdict::Poor)] {
            let one = FitReport { on_shares: vec![0.1; count], mixed: vec![0.2, 0.0, 0.0], ..report() };
            assert_eq!(Trust::of(&one, count, false).judgement.verdict, verdict);
        }
        let few = FitReport { background: 0.3, on_shares: vec![0.1; 3], ..report() };
        assert_eq!(Trust::of(&few, 3, false).judgement.verdict, Verdict::Good);
    }
}
