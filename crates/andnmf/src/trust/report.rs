//! The evidence a fit hands over to be judged.

use serde::{Deserialize, Serialize};

/// Where the components of a fit came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Origin {
    /// The start that was given.
    Given,
    /// The start that was given, with mixed-up components repaired.
    GivenRepaired,
    /// Successive projection of samples brought to equal length.
    Normalised,
    /// Directions in which samples have the heaviest tails.
    Independent,
    /// HALS, taken through the stages.
    Hals,
    /// Successive projection of whitened samples.
    Whitened,
    /// Successive projection of the samples as they are.
    Plain,
    /// The zeros of the components: features taken as samples, and samples as features.
    Features,
    /// NMF, where the samples do not look like sparse mixtures of this many components.
    Nmf,
}

/// How components were made non-negative.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ending {
    /// Not at all: the samples are signed, or the components may be.
    Signed,
    /// They were already, up to rounding.
    Clipped,
    /// By one sweep of HALS.
    Swept,
    /// By a run of HALS from the components found.
    Hals,
    /// By least volume: the weights of the samples are hardly ever zero.
    MinVolume,
    /// By NMF from a start of its own.
    Nmf,
}

/// The evidence that a fit collects about its own result. None of it needs a known truth.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FitReport {
    /// Where the components came from.
    pub origin: Origin,
    /// How they were made non-negative.
    pub ending: Ending,
    /// Whether the components are beyond doubt: no value is decoded as negative, and each component has far more
    /// weights of zero than an accident could explain.
    pub certain: bool,
    /// Pairs of components of which one always comes with a share of the other.
    pub inclusions: usize,
    /// Norm of what is decoded as negative weights, relative to the samples.
    pub negative_part: f64,
    /// What the noise alone would make of it.
    pub expected_negative_part: f64,
    /// Norm of the negative values of the components before the end, relative to all: for non-negative samples.
    pub negative_share: f64,
    /// The same for each component.
    pub negative_shares: Vec<f64>,
    /// Standard deviation of the noise of one value, relative to the root mean square of the samples' values.
    pub noise: f64,
    /// The last singular value that was kept over the first that was not; infinite without noise.
    pub singular_gap: f64,
    /// Decoded weights within the noise of zero over those just beyond: how much they pile up there. `None` without noise,
    /// or where nothing had to be decided by it.
    pub pile_up: Option<f64>,
    /// The logarithm of the pile-up over the limit from which the components of the stages are kept: near zero, another
    /// ending was close.
    pub ending_margin: Option<f64>,
    /// For each component the share of samples whose weight is above what could be error.
    pub on_shares: Vec<f64>,
    /// Components that are on in nearly all samples, and hardly anywhere near zero.
    pub always_on: Vec<usize>,
    /// How far HALS carries the components of noisy samples on towards more zeros, in multiples of what noise does to
    /// them, where that is more than noise explains; else 0. Weights that are on at a low level do this.
    pub drift: f64,
    /// What all components have in common, from 0 to 1: much of it may stand for weights that are always on.
    pub background: f64,
    /// For each component how far the non-negative end moved it: the sine between before and after.
    pub moved: Vec<f64>,
    /// For each component how far a fit to other samples of the same kind would be from it, judged by fits to parts of
    /// the samples: a sine. Empty where `rerun` stands instead.
    pub resampled: Vec<f64>,
    /// For each component what the noise makes of it: a sine.
    pub noise_errors: Vec<f64>,
    /// For each component the share of other components that its negative decoded values show in it. Empty where
    /// `rerun` stands instead.
    pub mixed: Vec<f64>,
    /// For each component how far other runs of HALS, from other starts or to a part of the samples, end from it, as an
    /// estimate of its error: a sine. Empty where the end is not that of such a run.
    pub rerun: Vec<f64>,
}
