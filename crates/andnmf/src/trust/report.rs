//! The evidence that a fit collects about its result.

use serde::{Deserialize, Serialize};

/// The start or method that produced the components of a fit.
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

/// The method that made the components non-negative.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ending {
    /// None: the samples are signed, or the components may be.
    Signed,
    /// Clipping: the components were non-negative up to rounding.
    Clipped,
    /// One sweep of HALS.
    Swept,
    /// A run of HALS from the components found.
    Hals,
    /// Minimum volume: the weights of the samples are hardly ever zero.
    MinVolume,
    /// NMF from its own start.
    Nmf,
    /// Counts: steps of largest likelihood from the components found.
    Likelihood,
    /// Counts: steps of likelihood under priors learned from the data.
    Priors,
    /// Counts: steps of likelihood with shares from a finite set of learned profiles.
    Profiles,
}

impl Ending {
    /// Returns true for steps of the likelihood of counts.
    pub(crate) fn is_of_counts(self) -> bool {
        matches!(self, Self::Likelihood | Self::Priors | Self::Profiles)
    }
}

/// The evidence that a fit collects about its own result. None of it needs a known truth.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FitReport {
    /// The start or method that produced the components.
    pub origin: Origin,
    /// The method that made them non-negative.
    pub ending: Ending,
    /// True if the components are certain: no value is decoded as negative, and each component has far more
    /// weights of zero than an accident could explain.
    pub certain: bool,
    /// Pairs of components of which one always comes with a share of the other.
    pub inclusions: usize,
    /// Norm of what is decoded as negative weights, relative to the samples.
    pub negative_part: f64,
    /// The value of `negative_part` that noise alone would cause.
    pub expected_negative_part: f64,
    /// Norm of the negative values of the components before the end, relative to all: for non-negative samples.
    pub negative_share: f64,
    /// The same for each component.
    pub negative_shares: Vec<f64>,
    /// Standard deviation of the noise of one value, relative to the root mean square of the samples' values.
    pub noise: f64,
    /// The last singular value that was kept over the first that was not; infinite without noise.
    pub singular_gap: f64,
    /// The ratio of decoded weights within the noise of zero to those just beyond. `None` without noise, or if no
    /// decision depended on it.
    pub pile_up: Option<f64>,
    /// The logarithm of the pile-up over the limit from which the components of the stages are kept: near zero, another
    /// ending was close.
    pub ending_margin: Option<f64>,
    /// For each component the share of samples whose weight is above what could be error.
    pub on_shares: Vec<f64>,
    /// Components that are active in nearly all samples, and hardly anywhere near zero.
    pub always_on: Vec<usize>,
    /// The distance by which HALS moves the components of noisy samples towards more zeros, in multiples of their noise
    /// errors; 0 if noise explains it. Weights that are never zero, at a low level, cause it.
    pub drift: f64,
    /// The share that all components have in common, from 0 to 1: a large one may mean weights that are never zero.
    pub background: f64,
    /// For each component, the sine between before and after it was made non-negative.
    pub moved: Vec<f64>,
    /// For each component, its distance (a sine) from a fit to other samples of the same kind, estimated from fits to
    /// parts of the samples. Empty if `rerun` replaces it.
    pub resampled: Vec<f64>,
    /// For each component, its error by noise: a sine.
    pub noise_errors: Vec<f64>,
    /// For each component, the share of other components in it, as its negative decoded values show. Empty if `rerun`
    /// replaces it.
    pub mixed: Vec<f64>,
    /// For each component, its distance (a sine) from other runs of HALS, from other starts or on part of the
    /// samples: an estimate of its error. Empty if the result does not come from such a run.
    pub rerun: Vec<f64>,
    /// The numbers of the samples that the fit set aside as outliers, in order: they took no part in it.
    #[serde(default)]
    pub set_aside: Vec<usize>,
    /// The number of samples, those set aside included.
    #[serde(default)]
    pub n_samples: usize,
    /// What the fit found about the counts, if the samples are counts.
    pub counts: Option<CountReport>,
    /// For each component, its distance (a sine) from other answers that fit about as well, by the name of the ending that
    /// they have.
    #[serde(default)]
    pub other_ends: Vec<(String, Vec<f64>)>,
    /// What refits to simulated samples and the search for other answers found; `None` if they were not made.
    #[serde(default)]
    pub errors: Option<ErrorEvidence>,
}

impl FitReport {
    /// Returns true if the components need no further check.
    pub(crate) fn is_certain(&self) -> bool {
        self.certain && !self.ending.is_of_counts()
    }
}

/// What checks of a finished fit found about the error of each component.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ErrorEvidence {
    /// The distance (a sine) of each component from that of the same fit to samples drawn from the answer.
    pub refit: Vec<f64>,
    /// The `negative_part` of the refit.
    #[serde(default)]
    pub negative_part: f64,
    /// The number of samples drawn.
    pub simulated: usize,
    /// How far (a sine) each component could move towards others while no weight becomes negative.
    pub towards: Vec<f64>,
    /// How far each could move away from others while neither its values become negative nor weights leave a gap above zero.
    pub away: Vec<f64>,
    /// How far each must move, since other components have negative weights where it is on.
    #[serde(default)]
    pub forced: Vec<f64>,
    /// The share of the residual that noise does not explain: of small ones, what it could do to components.
    pub misfit: f64,
    /// The pairs of components that can trade with each other.
    pub trades: Vec<Trade>,
}

/// Two components that can take part of each other, so that another answer fits as well.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Trade {
    /// Their numbers, the smaller first.
    pub components: [usize; 2],
    /// The distance (a sine) by which one of them can move.
    pub sine: f64,
}

/// The noise of counts, and the choice between the finishes of their fit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CountReport {
    /// Mean square of the residuals of a quick fit over the mean: 1 for Poisson noise, more with overdispersion.
    pub dispersion: f64,
    /// φ of the variance μ + φμ² of a value with mean μ.
    pub overdispersion: f64,
    /// The mean logarithm of the probability of a held-out count under each finish that was tried; empty if the finish was
    /// not chosen by held-out counts.
    pub held_out: Vec<(String, f64)>,
    /// The mean share of each component in the counts of a sample.
    pub mean_shares: Vec<f64>,
    /// The covariance of the shares over the samples, rank × rank.
    pub share_covariance: Vec<Vec<f64>>,
}
