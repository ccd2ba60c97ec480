//! What the scores come to, in plain words.

use super::spectrum::Spectrum;
use super::{RankScore, RankSuggestion};
use crate::trust::Verdict;

/// The weakest direction must stand this far above the noise for the rank to be sure. In trials with 20 to 100
/// components no rank was wrong above it; below, three in four were, all of them too low: weak components drown in noise.
const CLEAR: f64 = 1.1;
/// More unstable components than this are worth a word. They put components in doubt, not the rank: under strong noise
/// it was still found where hardly a component was stable.
const MANY_UNSTABLE: f64 = 0.2;

/// The suggestion that the scores lead to.
pub(super) fn suggestion(
    spectrum: &Spectrum,
    noise_rank: Option<usize>,
    scores: Vec<RankScore>,
) -> RankSuggestion {
    let claim = noise_rank.and_then(|rank| scores.iter().find(|score| score.rank == rank));
    let (verdict, mut sentences) = match claim {
        Some(score) => claimed(spectrum, score),
        None => (Verdict::Poor, vec![not_claimed(spectrum, noise_rank, &scores)]),
    };
    let rank = claim.map(|score| score.rank);
    if rank.is_none() && !spectrum.values.is_empty() {
        sentences.extend(what_the_table_says(&scores));
    }
    RankSuggestion { rank, verdict, reason: sentences.join(" "), noise_rank, scores }
}

fn claimed(spectrum: &Spectrum, score: &RankScore) -> (Verdict, Vec<String>) {
    let rank = score.rank;
    let clearance = spectrum.clearance(rank);
    let mut verdict = Verdict::Good;
    let mut sentences = Vec::new();
    if clearance.is_infinite() {
        sentences.push(format!("The samples have {rank} directions and, but for rounding, no other."));
    } else if clearance >= CLEAR {
        sentences.push(format!(
            "What {rank} directions leave of the samples looks like white noise, and the weakest of them is \
             {clearance:.2} times as strong as noise can be."
        ));
    } else {
        verdict = Verdict::Doubtful;
        sentences.push(format!(
            "What {rank} directions leave of the samples looks like white noise, but the weakest of them is only \
             {clearance:.2} times as strong as noise can be: further components may be drowned in it. Compare this \
             rank with higher ones; more samples would set components and noise further apart."
        ));
    }
    if let Some(share) = score.unstable_share.filter(|&share| share > MANY_UNSTABLE) {
        sentences.push(format!(
            "At this rank {:.0}% of the components come out differently on two halves of the samples: the \
             number of components may be right, and yet not each of them. More samples may help.",
            100.0 * share
        ));
    }
    (verdict, sentences)
}

fn not_claimed(spectrum: &Spectrum, noise_rank: Option<usize>, scores: &[RankScore]) -> String {
    let ends = || (scores[0].rank, scores[scores.len() - 1].rank);
    match noise_rank {
        _ if spectrum.values.is_empty() => "All samples are zero: they have no components.".into(),
        Some(rank) => format!(
            "Only {rank} directions of the samples stand out from noise, fewer than the lowest rank looked at \
             ({}). Look at ranks from {rank} on.",
            ends().0
        ),
        None => format!(
            "Even beyond rank {} the samples do not look like white noise: there are more components than that, \
             noise of another kind, or no true rank at all. Nothing is suggested. Look at higher ranks{}.",
            ends().1,
            if scores.iter().any(says_something) { ", or choose one from the table" } else { "" }
        ),
    }
}

/// Whether more is known of a rank than how strong its directions are.
fn says_something(score: &RankScore) -> bool {
    score.held_out_error.is_some() || score.unstable_share.is_some()
}

/// What else there is to choose by where there is no suggestion.
fn what_the_table_says(scores: &[RankScore]) -> Vec<String> {
    let mut sentences = Vec::new();
    let predicted = scores.iter().filter_map(|score| Some((score.rank, score.held_out_error?)));
    if let Some((rank, _)) = predicted.min_by(|a, b| a.1.total_cmp(&b.1)) {
        sentences.push(format!("Held-out values are predicted best at rank {rank}."));
    }
    let judged: Vec<(usize, f64)> =
        scores.iter().filter_map(|score| Some((score.rank, score.unstable_share?))).collect();
    let stable: Vec<String> =
        judged.iter().filter(|(_, share)| *share == 0.0).map(|(r, _)| r.to_string()).collect();
    if !stable.is_empty() {
        let plural = if stable.len() == 1 { "" } else { "s" };
        sentences.push(format!("All components are stable at rank{plural} {}.", stable.join(", ")));
    } else if let Some(share) = judged.iter().map(|&(_, share)| share).min_by(f64::total_cmp) {
        let many = if share >= 1.0 {
            "no component comes out the same".to_owned()
        } else {
            format!("at least {:.0}% of the components come out differently", 100.0 * share)
        };
        sentences.push(format!(
            "At every rank that was looked at, {many} on two halves of the samples: no rank is stable."
        ));
    }
    sentences
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::DenseSamples;
    use crate::testing::{low_rank, random_matrix};

    /// Seven directions that stand out from noise.
    fn seven() -> Spectrum {
        let data = low_rank::<f64>(400, 7, 90) + random_matrix::<f64>(400, 90, 50) * 0.3;
        Spectrum::of(&DenseSamples::new(data).unwrap(), 20, 1).unwrap()
    }

    fn about(rank: usize, unstable_share: Option<f64>) -> RankSuggestion {
        let (noise_edge, held_out_error) = (None, None);
        let score = RankScore {
            rank,
            last_kept: 0.0,
            first_left_out: 0.0,
            noise_edge,
            held_out_error,
            unstable_share,
        };
        suggestion(&seven(), Some(rank), vec![score])
    }

    #[test]
    fn a_rank_that_hardly_stands_above_the_noise_is_doubtful() {
        let (clear, near) = (about(7, None), about(9, None));
        assert_eq!((clear.rank, clear.verdict), (Some(7), Verdict::Good), "{}", clear.reason);
        assert_eq!((near.rank, near.verdict), (Some(9), Verdict::Doubtful), "{}", near.reason);
        assert!(near.reason.contains("drowned") && !clear.reason.contains("drowned"), "{}", near.reason);
    }

    #[test]
    fn a_table_that_says_nothing_is_not_referred_to() {
        let told = |share| suggestion(&seven(), None, about(7, share).scores).reason;
        assert!(!told(None).contains("table") && told(Some(0.5)).contains("table"), "{}", told(None));
    }

    #[test]
    fn without_a_stable_rank_the_share_of_what_changes_is_told() {
        let told = |share| {
            let score = about(7, Some(share)).scores.remove(0);
            suggestion(&seven(), None, vec![score]).reason
        };
        assert!(told(1.0).contains("no component comes out the same"), "{}", told(1.0));
        assert!(told(0.4).contains("at least 40% of the components come out differently"), "{}", told(0.4));
        assert!(told(0.0).contains("All components are stable at rank 7"), "{}", told(0.0));
    }

    #[test]
    fn unstable_components_are_mentioned_and_leave_the_rank_alone() {
        let (few, many) = (about(7, Some(0.1)), about(7, Some(0.5)));
        assert_eq!((few.verdict, many.verdict), (Verdict::Good, Verdict::Good));
        assert!(many.reason.contains("50% of the components come out differently"), "{}", many.reason);
        assert!(!few.reason.contains("differently"), "{}", few.reason);
    }
}
