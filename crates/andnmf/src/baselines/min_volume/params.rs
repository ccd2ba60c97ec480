//! The settings of minimum-volume factorization.

use serde::{Deserialize, Serialize};

use crate::SettingError;
use crate::compression::Compress;
use crate::fit::Limits;

/// Settings of minimum-volume factorization, as users give them.
///
/// ```
/// use andnmf::baselines::MinVolumeParams;
/// use andnmf::fit::{Run, Solver, Start};
/// use andnmf::samples::DenseSamples;
///
/// let samples = DenseSamples::new(ndarray::array![[1.0, 0.0, 2.0], [0.0, 3.0, 0.0], [2.0, 3.0, 4.0]])?;
/// let fit = MinVolumeParams::new(2).check()?.fit(&samples, Start::Auto, &mut Run::new())?;
/// assert!(fit.components.outer_iter().all(|component| (component.sum() - 1.0_f64).abs() < 1e-12));
/// # Ok::<(), andnmf::FitError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MinVolumeParams {
    /// Number of components.
    pub rank: usize,
    /// Weight of the volume in the first stage: λ is this times ‖Y‖² / rank.
    pub volume_weight: f64,
    /// The weight is multiplied by this after every stage: 1 keeps it, less lets it fade, which suits samples
    /// with little noise.
    pub weight_ratio: f64,
    /// δ, relative to the mean square length of the components: keeps the volume of dependent components finite.
    pub offset: f64,
    /// Whether components may be negative. Weights never are.
    pub signed: bool,
    /// Sweeps over the weights, and over the components, for one pass over the samples.
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

impl Default for MinVolumeParams {
    fn default() -> Self {
        Self {
            rank: 10,
            volume_weight: 1e-4,
            weight_ratio: 1.0,
            offset: 1e-3,
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

impl MinVolumeParams {
    /// Default settings with this many components.
    #[must_use]
    pub fn new(rank: usize) -> Self {
        Self { rank, ..Self::default() }
    }

    /// Checks every setting.
    ///
    /// # Errors
    /// Names the first setting outside its range and what would be right.
    pub fn check(self) -> Result<MinVolume, SettingError> {
        self.limits().check()?;
        self.compress.check(self.rank)?;
        if self.sweeps == 0 {
            return Err(SettingError::new("sweeps", 0, "it must be at least 1"));
        }
        if !(self.volume_weight.is_finite() && self.volume_weight >= 0.0) {
            let expected = "it must be zero or a positive number";
            return Err(SettingError::new("volume_weight", self.volume_weight, expected));
        }
        if !(self.weight_ratio > 0.0 && self.weight_ratio <= 1.0) {
            let expected = "it must be above 0 and at most 1";
            return Err(SettingError::new("weight_ratio", self.weight_ratio, expected));
        }
        if !(self.offset.is_finite() && self.offset > 0.0) {
            return Err(SettingError::new("offset", self.offset, "it must be a positive number"));
        }
        Ok(MinVolume { params: self })
    }

    pub(super) fn limits(&self) -> Limits {
        let &Self { rank, max_stages, tolerance, time_limit, .. } = self;
        Limits { rank, max_stages, tolerance, time_limit }
    }
}

/// Minimum-volume factorization with checked settings: a [`Solver`](crate::fit::Solver).
#[derive(Debug, Clone, PartialEq)]
pub struct MinVolume {
    params: MinVolumeParams,
}

impl MinVolume {
    /// The settings.
    #[must_use]
    pub fn params(&self) -> &MinVolumeParams {
        &self.params
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_out_of_range_are_refused_by_name() {
        let base = MinVolumeParams::new(3);
        let refused = |params: MinVolumeParams| params.check().unwrap_err().name;
        assert_eq!(refused(MinVolumeParams { rank: 0, ..base }), "rank");
        assert_eq!(refused(MinVolumeParams { sweeps: 0, ..base }), "sweeps");
        for wrong in [-1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(refused(MinVolumeParams { volume_weight: wrong, ..base }), "volume_weight");
        }
        for wrong in [0.0, 1.1, f64::NAN] {
            assert_eq!(refused(MinVolumeParams { weight_ratio: wrong, ..base }), "weight_ratio");
        }
        for wrong in [0.0, -1.0, f64::NAN] {
            assert_eq!(refused(MinVolumeParams { offset: wrong, ..base }), "offset");
        }
        assert!(base.check().is_ok());
    }
}
