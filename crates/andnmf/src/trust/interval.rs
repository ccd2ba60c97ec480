//! From the evidence of a fit to an interval for the error of each component.
//!
//! Every piece of evidence is a sine that may be the error, or part of it. The estimate is their sum, each with a factor. Kinds of
//! evidence differ in how well they predict errors: refits in white noise to a seventh, moves that other answers allow hardly
//! to a factor of four. The logarithm of the error over the estimate has a deviation that is the mean of those of the pieces, by
//! their shares of the estimate, plus what speaks against the fit as a whole; the interval reaches some deviations to both
//! sides. Factors and deviations were set on data with a known truth ([`TrustConstants`], `bench/trust_factors.py`).

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
    /// More of the samples unexplained than noise would leave.
    Misfit,
}

/// The error of a component, and what most of it comes from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Assessed {
    pub(super) error: ComponentError,
    pub(super) source: Source,
}

/// A piece of evidence on a component: times its factor, with the deviation of the logarithm of errors of which it is all.
struct Piece {
    source: Source,
    sine: f64,
    deviation: f64,
}

/// The errors of the components found.
pub(super) fn assessed(report: &FitReport, constants: &TrustConstants) -> Vec<Assessed> {
    let against = AgainstFit::new(report, constants);
    (0..report.on_shares.len()).map(|k| assessed_component(report, k, &against, constants)).collect()
}

/// The deviations that evidence on the whole fit adds.
struct AgainstFit {
    unexplained: f64,
    set_aside: f64,
}

impl AgainstFit {
    fn new(report: &FitReport, constants: &TrustConstants) -> Self {
        let shares = report.errors.as_ref().map_or((0.0, 0.0), |errors| {
            // Refits have as many negative weights as an answer that is right.
            let leak = match report.negative_part > 0.0 && !report.ending.is_of_counts() {
                true => (1.0 - errors.negative_part / report.negative_part).max(0.0),
                false => 0.0,
            };
            (leak, errors.misfit.min(1.0))
        });
        let (n, rank) = (report.n_samples.max(1) as f64, report.on_shares.len() as f64);
        // As many samples as a component has may be a component.
        let aside = (report.set_aside.len() as f64 * rank / n).min(1.0);
        Self {
            unexplained: constants.unexplained * (1.0 - (1.0 - shares.0) * (1.0 - shares.1)),
            set_aside: constants.set_aside * aside * aside,
        }
    }
}

fn assessed_component(
    report: &FitReport,
    k: usize,
    against: &AgainstFit,
    constants: &TrustConstants,
) -> Assessed {
    if report.is_certain() {
        let error = ComponentError { low: 0.0, estimate: 0.0, high: 0.0 };
        return Assessed { error, source: Source::Chance };
    }
    let pieces = pieces(report, k, constants);
    let sum: f64 = pieces.iter().map(|piece| piece.sine).sum();
    let mean =
        pieces.iter().map(|piece| piece.sine * piece.deviation).sum::<f64>() / sum.max(f64::MIN_POSITIVE);
    // Without refits nothing tells how wide it should be.
    let wider = if report.errors.is_some() { 1.0 } else { constants.unchecked };
    let interval = |deviation: f64| {
        let deviation = wider * deviation.hypot(constants.least_deviation);
        let estimate = sum.min(1.0);
        ComponentError {
            low: estimate * (-constants.below * deviation).exp(),
            estimate,
            high: (sum * (constants.above * deviation).exp()).min(1.0),
        }
    };
    let error = interval(mean + against.unexplained + against.set_aside);
    let of = |source: Source| pieces.iter().filter(|of| of.source == source).map(|of| of.sine).sum::<f64>();
    let sources = [Source::Chance, Source::Ambiguity, Source::Mixing];
    let largest = |most, source| if of(source) > of(most) { source } else { most };
    // What is in doubt for the whole fit alone is no matter of one component.
    let source = match error.high > constants.unstable && interval(mean).high <= constants.unstable {
        true => Source::Misfit,
        false => sources.into_iter().fold(Source::Chance, largest),
    };
    Assessed { error, source }
}

/// All evidence on a component.
fn pieces(report: &FitReport, k: usize, constants: &TrustConstants) -> Vec<Piece> {
    let at = |values: &[f64]| values.get(k).copied().unwrap_or(0.0);
    let piece = |source, factor: f64, sine: f64, deviation| Piece { source, sine: factor * sine, deviation };
    let (of_counts, of_nmf) =
        (report.ending.is_of_counts(), matches!(report.ending, Ending::Hals | Ending::Nmf));
    // Components of another start, or of the likelihood of counts, are judged by their own runs.
    let own = report.rerun.is_empty();
    // Where the zeros of the components have decided, weights that are always on leave nothing open.
    let checked = report.errors.as_ref().filter(|_| report.origin != Origin::Features);
    let refit = match &report.errors {
        Some(_) => checked.map_or(0.0, |errors| at(&errors.refit)),
        // What other samples and noise do to the components of the stages is the next best.
        None if own => at(&report.resampled).hypot(at(&report.noise_errors)),
        None => 0.0,
    };
    let (by_refit, deviation_refit) = match report.ending {
        _ if of_counts => (constants.by_refit_counts, constants.deviation_refit_counts),
        _ if of_nmf => (constants.by_refit_nmf, constants.deviation_refit_nmf),
        Ending::MinVolume => (constants.by_refit_volume, constants.deviation_refit_volume),
        _ => (constants.by_refit, constants.deviation_refit),
    };
    let moves = checked.map_or(0.0, |errors| at(&errors.towards).hypot(at(&errors.away)));
    let forced = checked.map_or(0.0, |errors| at(&errors.forced));
    let (by_forced, deviation_forced) = match of_nmf {
        true => (constants.by_forced_nmf, constants.deviation_forced_nmf),
        false => (constants.by_forced, constants.deviation_forced),
    };
    // Fits to half of the counts each differ by twice the error of one to all.
    let rerun = at(&report.rerun) * if of_counts { 0.5 } else { 1.0 };
    let ends = if of_counts { &[] } else { &report.other_ends[..] };
    let other = |name: &str| ends.iter().find(|end| end.0 == name).map_or(0.0, |end| at(&end.1));
    vec![
        piece(Source::Chance, by_refit, refit, deviation_refit),
        piece(Source::Chance, constants.by_rerun, rerun, constants.deviation_rerun),
        piece(Source::Ambiguity, constants.by_moves, moves, constants.deviation_moves),
        piece(Source::Ambiguity, constants.by_hals, other("and+hals"), constants.deviation_ends),
        piece(Source::Ambiguity, constants.by_volume, other("min-volume"), constants.deviation_ends),
        piece(Source::Ambiguity, constants.by_stages, other("and"), constants.deviation_ends),
        piece(
            Source::Mixing,
            constants.by_mixed,
            if own { at(&report.mixed) } else { 0.0 },
            constants.deviation_mixed,
        ),
        piece(Source::Mixing, by_forced, forced, deviation_forced),
    ]
}
