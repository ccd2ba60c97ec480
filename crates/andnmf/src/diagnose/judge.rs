//! From figures to a verdict.
//!
//! The limits come from fits of data with a known truth (30 to 100 components, 50 samples for each): the sines between
//! true and found components, and how many were wrong, by more than 0.1.

use super::{ComponentUsage, WeightDiagnosis};
use crate::trust::{Judgement, Verdict};

/// A component whose floor is at least this is always on. Sparse and Dirichlet weights stay at or below a thousandth,
/// even where they are dense; with one component at two hundredths all were off, by sines from 0.003 on.
const ALWAYS_ON_FLOOR: f64 = 0.01;
/// From this background on components were visibly off, by a sine of about 0.01 each; without one they were exact…
const SOME_BACKGROUND: f64 = 0.02;
/// …and from this on 4 to all 30 components were wrong in 11 of 13 trials.
const MUCH_BACKGROUND: f64 = 0.1;
/// A component that fewer samples have than this rests on single samples.
const RARE: usize = 10;
/// Where a typical component is on in more of the samples than this, errors no longer vanish: Dirichlet weights of
/// concentration 40 for 100 components (0.63) were recovered to 0.4 in all, of 80 (0.86) to 3.
const DENSE: f64 = 0.75;
/// Pairs up to 0.92 were recovered from the data alone; at 0.99 the start failed.
const HARD_TO_TELL_APART: f64 = 0.97;
/// A smallest eigenvalue of the second moments this far below the largest diagonal is rounding.
const DEPENDENT: f64 = 1e-9;
/// With five samples per component a few components came out wrong; twice that, to be on the safe side.
const FEW_SAMPLES_PER_COMPONENT: usize = 10;

/// How many components a reason names before it only counts them.
const NAMED: usize = 8;

pub(super) fn is_always_on(component: &ComponentUsage) -> bool {
    component.floor >= ALWAYS_ON_FLOOR
}

pub(super) fn is_rarely_on(component: &ComponentUsage) -> bool {
    component.on < RARE
}

/// What speaks against recovery from such weights.
pub(super) fn judge(diagnosis: &WeightDiagnosis) -> Judgement {
    let mut judgement = Judgement::default();
    background(diagnosis, &mut judgement);
    rarely_on(diagnosis, &mut judgement);
    density(diagnosis, &mut judgement);
    dependence(diagnosis, &mut judgement);
    let (n_samples, rank) = (diagnosis.conditions.n_samples, diagnosis.conditions.rank);
    if n_samples < rank {
        let reason = format!(
            "there are fewer samples ({n_samples}) than components ({rank}), so that no method can tell the components; \
             add samples, or lower the rank"
        );
        judgement.object(Verdict::Poor, reason);
    } else if n_samples / FEW_SAMPLES_PER_COMPONENT < rank {
        let reason = format!(
            "there are {n_samples} samples for {rank} components, fewer than {FEW_SAMPLES_PER_COMPONENT} for each: \
             some components may be wrong; add samples, or lower the rank"
        );
        judgement.object(Verdict::Doubtful, reason);
    }
    judgement
}

/// Weights that are always on: the paper's example of what cannot be recovered.
fn background(diagnosis: &WeightDiagnosis, judgement: &mut Judgement) {
    let share = diagnosis.background_share;
    let percent = 100.0 * share;
    let advice = "part of what is always there cannot be assigned to any one component; HALS bears it better where \
                  components must fit rather than be true, otherwise take samples without it, or take the constant \
                  part out of the samples";
    let who = match diagnosis.always_on.as_slice() {
        [] => "every component a little".into(),
        always_on => list("component", always_on),
    };
    if share >= MUCH_BACKGROUND {
        let reason = format!("{percent:.0}% of all weight is there in nearly every sample ({who}): {advice}");
        judgement.object(Verdict::Poor, reason);
    } else if share >= SOME_BACKGROUND || !diagnosis.always_on.is_empty() {
        let reason = format!("{percent:.1}% of all weight is there in nearly every sample ({who}): {advice}");
        judgement.object(Verdict::Doubtful, reason);
    }
}

fn rarely_on(diagnosis: &WeightDiagnosis, judgement: &mut Judgement) {
    let (never, rarely): (Vec<usize>, Vec<usize>) =
        diagnosis.rarely_on.iter().partition(|&&i| diagnosis.usage[i].on == 0);
    if never.len() == diagnosis.usage.len() {
        judgement.object(
            Verdict::Poor,
            "no sample uses any component, so there is nothing to recover; look at the samples, or fit again",
        );
    } else if !never.is_empty() {
        let reason = format!("no sample uses {}; lower the rank", list("component", &never));
        judgement.object(Verdict::Doubtful, reason);
    }
    if !rarely.is_empty() {
        let reason = format!(
            "fewer than {RARE} samples use {}: what is found there rests on single samples; add samples, or lower \
             the rank",
            list("component", &rarely)
        );
        judgement.object(Verdict::Doubtful, reason);
    }
}

fn density(diagnosis: &WeightDiagnosis, judgement: &mut Judgement) {
    let mut shares: Vec<f64> = diagnosis.usage.iter().map(|component| component.on_share).collect();
    shares.sort_unstable_by(f64::total_cmp);
    let typical = shares.get(shares.len() / 2).copied().unwrap_or(0.0);
    // A single component has nothing to be confused with.
    if typical > DENSE && shares.len() > 1 {
        let reason = format!(
            "a typical component is on in {:.0}% of the samples: hardly a sample shows what the others are like \
             without it; expect errors of some percent, which more samples lessen",
            100.0 * typical
        );
        judgement.object(Verdict::Doubtful, reason);
    }
}

fn dependence(diagnosis: &WeightDiagnosis, judgement: &mut Judgement) {
    let together: Vec<String> = diagnosis
        .correlations
        .iter()
        .filter(|pair| pair.correlation >= HARD_TO_TELL_APART)
        .map(|pair| format!("{} and {} ({:.3})", pair.first, pair.second, pair.correlation))
        .take(NAMED)
        .collect();
    // Components that are never on depend on nothing, but leave no second moment either.
    let all_used = diagnosis.usage.iter().all(|component| component.on > 0);
    let dependent = all_used && diagnosis.conditions.lambda <= DEPENDENT;
    if dependent {
        let reason = "the weights of some components follow from those of others, so that they cannot be told apart; \
                      lower the rank, or take samples in which they differ";
        judgement.object(Verdict::Poor, reason);
    }
    if !together.is_empty() {
        let reason = format!(
            "some components hardly ever occur without each other and may be found mixed: {}; take samples in which \
             they differ, or lower the rank to have them as one",
            together.join(", ")
        );
        judgement.object(Verdict::Doubtful, reason);
    }
}

/// "component 3", "components 1, 4, 7", or the first few and how many more.
fn list(noun: &str, numbers: &[usize]) -> String {
    let named: Vec<String> = numbers.iter().take(NAMED).map(usize::to_string).collect();
    let plural = if numbers.len() == 1 { "" } else { "s" };
    let more = match numbers.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("{noun}{plural} {}{more}", named.join(", "))
}
