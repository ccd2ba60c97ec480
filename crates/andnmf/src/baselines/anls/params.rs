//! The settings of ANLS.

use serde::{Deserialize, Serialize};

use crate::SettingError;
use crate::compression::Compress;
use crate::fit::Limits;

/// Settings of alternating non-negative least squares, as users give them.
///
/// ```
/// use andnmf::baselines::AnlsParams;
/// use andnmf::fit::{Run, Solver, Start};
/// use andnmf::samples::DenseSamples;
///
/// let samples = DenseSamples::new(ndarray::array![[1.0, 0.0, 2.0], [0.0, 3.0, 0.0], [2.0, 3.0, 4.0]])?;
/// let fit = AnlsParams::new(2).check()?.fit(&samples, Start::Auto, &mut Run::new())?;
/// assert!(fit.trace.last().unwrap().loss.unwrap() < 1e-9, "two components suffice");
/// # Ok::<(), andnmf::FitError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AnlsParams {
    /// Number of components.
    pub rank: usize,
    /// Whether components may be negative. Weights never are.
    pub signed: bool,
    /// Whether to read the samples in a smaller space.
    pub compress: Compress,
    /// Most stages to run, each a pass over the samples.
    pub max_stages: usize,
    /// Converged when a stage changes the components by no more than this, relative to their size.
    pub tolerance: f64,
    /// Seconds after which to stop; a fit that goes on from a checkpoint has all of them again.
    pub time_limit: Option<f64>,
    /// Seed of everything random: start, sketches.
    pub seed: u64,
}

impl Default for AnlsParams {
    fn default() -> Self {
        Self {
            rank: 10,
            signed: false,
            compress: Compress::Auto,
            max_stages: 200,
            tolerance: 1e-5,
            time_limit: None,
            seed: 0,
        }
    }
}

impl AnlsParams {
    /// Default settings with this many components.
    #[must_use]
    pub fn new(rank: usize) -> Self {
        Self { rank, ..Self::default() }
    }

    /// Checks every setting.
    ///
    /// # Errors
    /// Names the first setting outside its range and what would be right.
    pub fn check(self) -> Result<Anls, SettingError> {
        self.limits().check()?;
        self.compress.check(self.rank)?;
        Ok(Anls { params: self })
    }

    pub(super) fn limits(&self) -> Limits {
        let &Self { rank, max_stages, tolerance, time_limit, .. } = self;
        Limits { rank, max_stages, tolerance, time_limit }
    }
}

/// ANLS with checked settings: a [`Solver`](crate::fit::Solver).
#[derive(Debug, Clone, PartialEq)]
pub struct Anls {
    params: AnlsParams,
}

impl Anls {
    /// The settings.
    #[must_use]
    pub fn params(&self) -> &AnlsParams {
        &self.params
    }
}
