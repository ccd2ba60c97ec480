//! The settings of HALS.

use serde::{Deserialize, Serialize};

use crate::SettingError;
use crate::compression::Compress;
use crate::fit::Limits;

/// Settings of hierarchical alternating least squares, as users give them.
///
/// ```
/// use andnmf::baselines::HalsParams;
/// use andnmf::fit::{Run, Solver, Start};
/// use andnmf::samples::DenseSamples;
///
/// let samples = DenseSamples::new(ndarray::array![[1.0, 0.0, 2.0], [0.0, 3.0, 0.0], [2.0, 3.0, 4.0]])?;
/// let fit = HalsParams::new(2).check()?.fit(&samples, Start::Auto, &mut Run::new())?;
/// assert!(fit.trace.last().unwrap().loss.unwrap() < 1e-9, "two components suffice");
/// # Ok::<(), andnmf::FitError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct HalsParams {
    /// Number of components.
    pub rank: usize,
    /// Whether components may be negative. Weights never are.
    pub signed: bool,
    /// Most sweeps over the weights, and over the components, for one pass over the samples. Sweeps that have
    /// become small beside the first one of the pass are left out.
    pub sweeps: usize,
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

impl Default for HalsParams {
    fn default() -> Self {
        Self {
            rank: 10,
            signed: false,
            sweeps: 2,
            compress: Compress::Auto,
            max_stages: 200,
            tolerance: 1e-5,
            time_limit: None,
            seed: 0,
        }
    }
}

impl HalsParams {
    /// Default settings with this many components.
    #[must_use]
    pub fn new(rank: usize) -> Self {
        Self { rank, ..Self::default() }
    }

    /// Checks every setting.
    ///
    /// # Errors
    /// Names the first setting outside its range and what would be right.
    pub fn check(self) -> Result<Hals, SettingError> {
        self.limits().check()?;
        self.compress.check(self.rank)?;
        if self.sweeps == 0 {
            return Err(SettingError::new("sweeps", 0, "it must be at least 1"));
        }
        Ok(Hals { params: self })
    }

    pub(super) fn limits(&self) -> Limits {
        let &Self { rank, max_stages, tolerance, time_limit, .. } = self;
        Limits { rank, max_stages, tolerance, time_limit }
    }
}

/// HALS with checked settings: a [`Solver`](crate::fit::Solver).
#[derive(Debug, Clone, PartialEq)]
pub struct Hals {
    params: HalsParams,
}

impl Hals {
    /// The settings.
    #[must_use]
    pub fn params(&self) -> &HalsParams {
        &self.params
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_out_of_range_are_refused_by_name() {
        let base = HalsParams::new(3);
        let refused = |params: HalsParams| params.check().unwrap_err().name;
        assert_eq!(refused(HalsParams { rank: 0, ..base }), "rank");
        assert_eq!(refused(HalsParams { sweeps: 0, ..base }), "sweeps");
        assert_eq!(refused(HalsParams { max_stages: 0, ..base }), "max_stages");
        assert_eq!(refused(HalsParams { tolerance: f64::NAN, ..base }), "tolerance");
        assert_eq!(refused(HalsParams { time_limit: Some(-1.0), ..base }), "time_limit");
        assert_eq!(refused(HalsParams { compress: Compress::Leading(2), ..base }), "compress");
        assert!(base.check().is_ok());
    }
}
