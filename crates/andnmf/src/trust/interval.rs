//! From the evidence of a fit to an interval for the error of each component.
//!
//! Every piece of evidence is a sine that may be the error, or part of it. The estimate is the root of the sum of their squares,
//! each with a factor; the interval reaches from a share of the estimate to a multiple of it. Factors and limits were set on
//! data with a known truth ([`TrustConstants`]).

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{Ending, FitReport, Origin};
use crate::constants::TrustConstants;

/// The error of a component, the sine of its angle to the true one, with an interval that should contain it. As JSON, a list
/// of the three.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ComponentError {
    /// The lower end.
    pub low: f64,
    /// The estimate.
    pub estimate: f64,
    /// The upper end.
    pub high: f64,
}

impl ComponentError {
    /// Nothing is known of the component, or it is zero.
    pub const UNKNOWN: Self = Self { low: 0.0, estimate: 1.0, high: 1.0 };
}

impl Serialize for ComponentError {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        [self.low, self.estimate, self.high].serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for ComponentError {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let [low, estimate, high] = Deserialize::deserialize(deserializer)?;
        Ok(Self { low, estimate, high })
    }
}

/// What an error comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Source {
    /// The choice of samples, and noise.
    Chance,
    /// Other answers that fit as well.
    Ambiguity,
    /// Parts of other components, as negative values show.
    Mixing,
    /// A residual that noise does not explain.
    Misfit,
}

/// The error of a component, and what most of it comes from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Assessed {
    pub(super) error: ComponentError,
    pub(super) source: Source,
}

/// The errors of the components found.
pub(super) fn assessed(report: &FitReport, constants: &TrustConstants) -> Vec<Assessed> {
    (0..report.on_shares.len()).map(|k| assessed_component(report, k, constants)).collect()
}

fn assessed_component(report: &FitReport, k: usize, constants: &TrustConstants) -> Assessed {
    if report.is_certain() {
        let error = ComponentError { low: 0.0, estimate: 0.0, high: 0.0 };
        return Assessed { error, source: Source::Chance };
    }
    let at = |values: &[f64]| values.get(k).copied().unwrap_or(0.0);
    let mut parts: Vec<(Source, f64)> = Vec::new();
    let mut squares = |source: Source, terms: &[(f64, f64)]| {
        parts.push((source, terms.iter().map(|(factor, sine)| (factor * sine).powi(2)).sum::<f64>()));
    };
    // Components of another start, or of the likelihood of counts, are judged by their own runs.
    let own = report.rerun.is_empty();
    let sampled = if own { at(&report.resampled).hypot(at(&report.noise_errors)) } else { 0.0 };
    // Where the zeros of the components have decided, weights that are always on leave nothing open.
    let (refit, towards, away) = match &report.errors {
        Some(errors) if report.origin != Origin::Features => {
            (at(&errors.refit), at(&errors.towards), at(&errors.away))
        }
        _ => (0.0, 0.0, 0.0),
    };
    let misfit = report.errors.as_ref().map_or(0.0, |errors| errors.misfit);
    // Fits to half of the counts each differ by twice the error of one to all.
    let rerun = at(&report.rerun) * if report.ending.is_of_counts() { 0.5 } else { 1.0 };
    squares(
        Source::Chance,
        &[(constants.by_refit, refit), (constants.by_rerun, rerun), (constants.by_samples, sampled)],
    );
    let ends = if report.ending.is_of_counts() { &[] } else { &report.other_ends[..] };
    let other = |name: &str| ends.iter().find(|end| end.0 == name).map_or(0.0, |end| at(&end.1));
    squares(
        Source::Ambiguity,
        &[
            (constants.by_towards, towards),
            (constants.by_away, away),
            (constants.by_hals, other("and+hals")),
            (constants.by_volume, other("min-volume")),
            (constants.by_stages, other("and")),
        ],
    );
    let negative = match report.ending {
        Ending::Signed => 0.0,
        _ if own => (at(&report.negative_shares) - constants.small_share).max(0.0),
        _ => 0.0,
    };
    squares(
        Source::Mixing,
        &[
            (constants.mixed, if own { at(&report.mixed) } else { 0.0 }),
            (constants.by_moved, if own { at(&report.moved) } else { 0.0 }),
            (constants.negative, negative),
        ],
    );
    squares(Source::Misfit, &[(constants.by_misfit, misfit)]);
    let estimate = parts.iter().map(|part| part.1).sum::<f64>().sqrt().min(1.0);
    let source =
        parts.iter().fold((Source::Chance, 0.0), |most, part| if part.1 > most.1 { *part } else { most }).0;
    // Without refits nothing tells how wide it should be.
    let wider = if report.errors.is_some() { 1.0 } else { constants.unchecked };
    let error = ComponentError {
        low: estimate / (constants.below_estimate * wider),
        estimate,
        high: (estimate * constants.above_estimate * wider).min(1.0),
    };
    Assessed { error, source }
}
