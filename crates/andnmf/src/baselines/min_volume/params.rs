//! The settings of minimum-volume factorization.

use crate::SettingError;
use crate::baselines::alternating;
use crate::settings::{About, Described, Memory, Range, Size, declare_settings};

declare_settings! {
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
    pub struct MinVolumeParams for MinVolume = "min-volume" {
        common rank;
        /// Weight of the volume penalty in the first stage, relative to ‖Y‖² / rank.
        volume_weight: f64 = 1e-4, Range::NOT_NEGATIVE;
        /// Factor applied to the volume weight after every stage: 1 keeps it constant; smaller values reduce it,
        /// which suits samples with little noise.
        weight_ratio: f64 = 1.0, Range::above_up_to(0.0, 1.0, "it must be above 0 and at most 1");
        /// Offset δ added to the diagonal of the components' Gram matrix, relative to their mean squared length;
        /// keeps the penalty finite for linearly dependent components.
        offset: f64 = 1e-3, Range::POSITIVE;
        common signed;
        common sweeps = 2;
        common compress;
        common max_stages = 200;
        common tolerance = 1e-5;
        common time_limit;
        common seed;
    }
}

impl MinVolumeParams {
    fn check_combinations(&self) -> Result<(), SettingError> {
        self.compress.check(self.rank)
    }
}

impl Described for MinVolumeParams {
    const ABOUT: About = About {
        class: "MinVolume",
        title: "Minimum-volume factorization",
        summary: "Non-negative matrix factorization with a penalty on the volume that the components span, for widely spread weights without pure samples of each component.",
        counts: false,
        loss: Some("squared error plus the weighted log-determinant of the components"),
    };

    fn default_start(&self, negative: bool) -> &'static str {
        alternating::default_start(negative)
    }

    fn needs_nonnegative(&self) -> bool {
        false
    }

    fn weighs_counts(&self) -> bool {
        false
    }

    fn memory(&self, size: &Size) -> Memory {
        alternating::memory(self.rank, self.compress, size)
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
