//! From the scores of ranks to a suggestion and its reasons.

use super::spectrum::Spectrum;
use super::{CountScaling, RankScore, RankSuggestion};
use crate::trust::{Judgement, Reason};

/// The weakest direction must exceed the noise edge by this factor for a verdict of good. In trials with 20 to 100
/// components no rank was wrong above it; below, three in four were, all too low: noise hides weak components.
const MIN_CLEARANCE: f64 = 1.1;
/// A larger share of unstable components is reported as a reason. It concerns the components, not the rank: under
/// strong noise the rank was found even when hardly any component was stable.
const MANY_UNSTABLE: f64 = 0.2;

/// The suggestion that follows from the scores.
pub(super) fn suggestion(
    spectrum: &Spectrum,
    noise_rank: Option<usize>,
    scores: Vec<RankScore>,
    counts: Option<CountScaling>,
) -> RankSuggestion {
    let suggested = noise_rank.and_then(|rank| scores.iter().find(|score| score.rank == rank));
    let mut reasons = match suggested {
        Some(score) => reasons_for_rank(spectrum, score),
        None => reasons_without_rank(spectrum, noise_rank, &scores),
    };
    if let Some(CountScaling { overdispersion, n_samples, n_features }) = counts {
        reasons.push(Reason::CountsScaled { overdispersion, n_samples, n_features });
    }
    let rank = suggested.map(|score| score.rank);
    RankSuggestion { rank, judgement: Judgement::of(reasons), noise_rank, counts, scores }
}

fn reasons_for_rank(spectrum: &Spectrum, score: &RankScore) -> Vec<Reason> {
    let rank = score.rank;
    let clearance = spectrum.clearance(rank);
    let mut reasons = vec![match clearance {
        _ if clearance.is_infinite() => Reason::ExactRank { rank },
        _ if clearance >= MIN_CLEARANCE => Reason::AboveNoise { rank, clearance },
        _ => Reason::NearNoise { rank, clearance },
    }];
    if let Some(share) = score.unstable_share.filter(|&share| share > MANY_UNSTABLE) {
        reasons.push(Reason::UnstableRank { rank, share });
    }
    reasons
}

fn reasons_without_rank(spectrum: &Spectrum, noise_rank: Option<usize>, scores: &[RankScore]) -> Vec<Reason> {
    if spectrum.values.is_empty() {
        return vec![Reason::ZeroSamples];
    }
    let mut reasons = vec![match noise_rank {
        Some(rank) => Reason::RankBelowRange { rank, lowest: scores[0].rank },
        None => Reason::RankBeyondRange {
            highest: scores[scores.len() - 1].rank,
            table: scores.iter().any(has_further_scores),
        },
    }];
    reasons.extend(table_reasons(scores));
    reasons
}

/// Returns true if the rank has scores other than its singular values.
fn has_further_scores(score: &RankScore) -> bool {
    score.held_out_error.is_some() || score.unstable_share.is_some()
}

/// Reasons from cross-validation and stability, used if there is no suggestion.
fn table_reasons(scores: &[RankScore]) -> Vec<Reason> {
    let mut reasons = Vec::new();
    let cross_validated = scores.iter().filter_map(|score| Some((score.rank, score.held_out_error?)));
    if let Some((rank, _)) = cross_validated.min_by(|a, b| a.1.total_cmp(&b.1)) {
        reasons.push(Reason::BestPrediction { rank });
    }
    let tested: Vec<(usize, f64)> =
        scores.iter().filter_map(|score| Some((score.rank, score.unstable_share?))).collect();
    let ranks: Vec<usize> = tested.iter().filter(|(_, share)| *share == 0.0).map(|&(rank, _)| rank).collect();
    if !ranks.is_empty() {
        reasons.push(Reason::StableRanks { ranks });
    } else if let Some(share) = tested.iter().map(|&(_, share)| share).min_by(f64::total_cmp) {
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

    /// Seven directions above the noise.
    fn seven() -> Spectrum {
        let data = low_rank::<f64>(400, 7, 90) + random_matrix::<f64>(400, 90, 50) * 0.3;
        Spectrum::of(&DenseSamples::new(data).unwrap(), 20, 1).unwrap()
    }

    fn about(rank: usize, unstable_share: Option<f64>) -> RankSuggestion {
        let (noise_edge, held_out_error) = (None, None);
        let score = RankScore {
            rank,
            last_kept: 0.0,
            first_omitted: 0.0,
            noise_edge,
            held_out_error,
            unstable_share,
        };
        suggestion(&seven(), Some(rank), vec![score], None)
    }

    #[test]
    fn a_rank_just_above_the_noise_is_doubtful() {
        let (clear, near) = (about(7, None), about(9, None));
        assert_eq!((clear.rank, clear.judgement.verdict), (Some(7), Verdict::Good), "{}", clear.reason());
        assert_eq!((near.rank, near.judgement.verdict), (Some(9), Verdict::Doubtful), "{}", near.reason());
        assert!(near.reason().contains("hide") && !clear.reason().contains("hide"), "{}", near.reason());
    }

    #[test]
    fn a_table_without_further_scores_is_not_mentioned() {
        let reason = |share| suggestion(&seven(), None, about(7, share).scores, None).reason();
        assert!(!reason(None).contains("table") && reason(Some(0.5)).contains("table"), "{}", reason(None));
    }

    #[test]
    fn without_a_stable_rank_the_share_of_unstable_components_is_given() {
        let reason = |share| {
            let score = about(7, Some(share)).scores.remove(0);
            suggestion(&seven(), None, vec![score], None).reason()
        };
        assert!(reason(1.0).contains("all components differ"), "{}", reason(1.0));
        assert!(reason(0.4).contains("at least 40 % of the components differ"), "{}", reason(0.4));
        assert!(reason(0.0).contains("all components are stable at rank 7"), "{}", reason(0.0));
    }

    #[test]
    fn unstable_components_are_mentioned_and_leave_the_rank_alone() {
        let (few, many) = (about(7, Some(0.1)), about(7, Some(0.5)));
        assert_eq!((few.judgement.verdict, many.judgement.verdict), (Verdict::Good, Verdict::Good));
        assert!(many.reason().contains("50 % of the components differ"), "{}", many.reason());
        assert!(!few.reason().contains("differ"), "{}", few.reason());
    }
}
