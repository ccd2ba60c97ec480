//! From the properties of weights to a verdict. The limits are in [`DiagnosisConstants`].

use super::{ComponentUsage, WeightDiagnosis};
use crate::constants::DiagnosisConstants;
use crate::trust::{Judgement, Reason, Verdict};

pub(super) fn is_always_on(component: &ComponentUsage, constants: &DiagnosisConstants) -> bool {
    component.floor >= constants.always_on_floor
}

pub(super) fn is_rarely_on(component: &ComponentUsage, constants: &DiagnosisConstants) -> bool {
    component.on < constants.rare
}

/// The reasons against recovery from such weights; `lambda` is that of weights in units of each component's largest.
pub(super) fn judge(diagnosis: &WeightDiagnosis, lambda: f64, constants: &DiagnosisConstants) -> Judgement {
    let mut judgement = Judgement::default();
    background(diagnosis, constants, &mut judgement);
    rarely_on(diagnosis, constants, &mut judgement);
    density(diagnosis, constants, &mut judgement);
    dependence(diagnosis, lambda, constants, &mut judgement);
    let (n_samples, rank) = (diagnosis.conditions.n_samples, diagnosis.conditions.rank);
    let required = constants.samples_per_component;
    if n_samples < rank {
        judgement.add(Reason::FewerSamplesThanComponents { n_samples, rank });
    } else if n_samples / required.max(1) < rank {
        judgement.add(Reason::FewSamples { n_samples, rank, wanted: required });
    }
    judgement
}

/// Weights that are always on: the paper's example of components that cannot be recovered.
fn background(diagnosis: &WeightDiagnosis, constants: &DiagnosisConstants, judgement: &mut Judgement) {
    let (share, components) = (diagnosis.background_share, diagnosis.always_on.clone());
    let severity = match share {
        _ if share >= constants.much_background => Verdict::Poor,
        _ if share >= constants.some_background || !components.is_empty() => Verdict::Doubtful,
        _ => return,
    };
    judgement.add(Reason::BackgroundWeight { share, components, severity });
}

fn rarely_on(diagnosis: &WeightDiagnosis, constants: &DiagnosisConstants, judgement: &mut Judgement) {
    let (never, rarely): (Vec<usize>, Vec<usize>) =
        diagnosis.rarely_on.iter().partition(|&&i| diagnosis.usage[i].on == 0);
    if never.len() == diagnosis.usage.len() {
        judgement.add(Reason::NoWeights);
    } else if !never.is_empty() {
        judgement.add(Reason::NeverUsed { components: never });
    }
    if !rarely.is_empty() {
        judgement.add(Reason::RarelyUsed { components: rarely, fewest: constants.rare });
    }
}

fn density(diagnosis: &WeightDiagnosis, constants: &DiagnosisConstants, judgement: &mut Judgement) {
    let mut shares: Vec<f64> = diagnosis.usage.iter().map(|component| component.on_share).collect();
    shares.sort_unstable_by(f64::total_cmp);
    let typical = shares.get(shares.len() / 2).copied().unwrap_or(0.0);
    // A single component cannot be confused with another.
    if typical > constants.dense && shares.len() > 1 {
        judgement.add(Reason::DenseWeights { typical });
    }
}

fn dependence(
    diagnosis: &WeightDiagnosis,
    lambda: f64,
    constants: &DiagnosisConstants,
    judgement: &mut Judgement,
) {
    // Components that are never on make λ zero without being dependent.
    let all_used = diagnosis.usage.iter().all(|component| component.on > 0);
    if all_used && lambda <= constants.dependent {
        judgement.add(Reason::DependentWeights);
    }
    let correlated = diagnosis.correlations.iter();
    let correlated = correlated.filter(|pair| pair.correlation >= constants.hard_to_tell_apart);
    let pairs: Vec<_> = correlated.map(|pair| (pair.first, pair.second, pair.correlation)).collect();
    if !pairs.is_empty() {
        judgement.add(Reason::Inseparable { pairs });
    }
}
