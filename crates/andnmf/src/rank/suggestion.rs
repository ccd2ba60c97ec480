//! What the scores come to.

use super::spectrum::Spectrum;
use super::{RankScore, RankSuggestion};
use crate::trust::{Judgement, Reason};

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
    let reasons = match claim {
        Some(score) => claimed(spectrum, score),
        None => not_claimed(spectrum, noise_rank, &scores),
    };
    let rank = claim.map(|score| score.rank);
    RankSuggestion { rank, judgement: Judgement::of(reasons), noise_rank, scores }
}

fn claimed(spectrum: &Spectrum, score: &RankScore) -> Vec<Reason> {
    let rank = score.rank;
    let clearance = spectrum.clearance(rank);
    let mut reasons = vec![match clearance {
        _ if clearance.is_infinite() => Reason::ExactRank { rank },
        _ if clearance >= CLEAR => Reason::AboveNoise { rank, clearance },
        _ => Reason::NearNoise { rank, clearance },
    }];
    if let Some(share) = score.unstable_share.filter(|&share| share > MANY_UNSTABLE) {
        reasons.push(Reason::UnstableRank { rank, share });
    }
    reasons
}

fn not_claimed(spectrum: &Spectrum, noise_rank: Option<usize>, scores: &[RankScore]) -> Vec<Reason> {
    if spectrum.values.is_empty() {
        return vec![Reason::ZeroSamples];
    }
    let mut reasons = vec![match noise_rank {
        Some(rank) => Reason::RankBelowRange { rank, lowest: scores[0].rank },
        None => Reason::RankBeyondRange {
            highest: scores[scores.len() - 1].rank,
            table: scores.iter().any(says_something),
        },
    }];
    reasons.extend(table_reasons(scores));
    reasons
}

/// Whether the table has more to say of a rank than how strong its directions are.
fn says_something(score: &RankScore) -> bool {
    score.held_out_error.is_some() || score.unstable_share.is_some()
}

/// What else there is to choose by where there is no suggestion.
fn table_reasons(scores: &[RankScore]) -> Vec<Reason> {
    let mut reasons = Vec::new();
    let predicted = scores.iter().filter_map(|score| Some((score.rank, score.held_out_error?)));
    if let Some((rank, _)) = predicted.min_by(|a, b| a.1.total_cmp(&b.1)) {
        reasons.push(Reason::BestPrediction { rank });
    }
    let judged: Vec<(usize, f64)> =
        scores.iter().filter_map(|score| Some((score.rank, score.unstable_share?))).collect();
    let ranks: Vec<usize> = judged.iter().filter(|(_, share)| *share == 0.0).map(|&(rank, _)| rank).collect();
    if !ranks.is_empty() {
        reasons.push(Reason::StableRanks { ranks });
    } else if let Some(share) = judged.iter().map(|&(_, share)| share).min_by(f64::total_cmp) {
        reasons.push(Reason::NoStableRank { share });
    }
    reasons
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::DenseSamples;
    use crate::testing::{low_rank, random_matrix};
    use crate::trust::Verdict;

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
        assert_eq!((clear.rank, clear.judgement.verdict), (Some(7), Verdict::Good), "{}", clear.reason());
        assert_eq!((near.rank, near.judgement.verdict), (Some(9), Verdict::Doubtful), "{}", near.reason());
        assert!(
            near.reason().contains("drowned") && !clear.reason().contains("drowned"),
            "{}",
            near.reason()
        );
    }

    #[test]
    fn a_table_that_says_nothing_is_not_referred_to() {
        let told = |share| suggestion(&seven(), None, about(7, share).scores).reason();
        assert!(!told(None).contains("table") && told(Some(0.5)).contains("table"), "{}", told(None));
    }

    #[test]
    fn without_a_stable_rank_the_share_of_what_changes_is_told() {
        let told = |share| {
            let score = about(7, Some(share)).scores.remove(0);
            suggestion(&seven(), None, vec![score]).reason()
        };
        assert!(told(1.0).contains("no component comes out the same"), "{}", told(1.0));
        assert!(told(0.4).contains("at least 40 % of the components come out differently"), "{}", told(0.4));
        assert!(told(0.0).contains("all components are stable at rank 7"), "{}", told(0.0));
    }

    #[test]
    fn unstable_components_are_mentioned_and_leave_the_rank_alone() {
        let (few, many) = (about(7, Some(0.1)), about(7, Some(0.5)));
        assert_eq!((few.judgement.verdict, many.judgement.verdict), (Verdict::Good, Verdict::Good));
        assert!(many.reason().contains("50 % of the components come out differently"), "{}", many.reason());
        assert!(!few.reason().contains("differently"), "{}", few.reason());
    }
}
