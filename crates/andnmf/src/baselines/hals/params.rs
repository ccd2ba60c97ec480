//! The settings of HALS.

use crate::SettingError;
use crate::baselines::alternating;
use crate::settings::{About, Described, Memory, Range, Size, declare_settings};

declare_settings! {
    /// Unchecked settings of hierarchical alternating least squares.
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
    pub struct HalsParams for Hals = "hals" {
        common rank;
        common signed;
        /// Maximum number of sweeps over the weights, and over the components, per pass over the samples. Sweeps stop
        /// early once the weights change little compared to the first sweep of the pass.
        sweeps: usize = 2, Range::AT_LEAST_ONE;
        common compress;
        common max_stages = 200;
        common tolerance = 1e-5;
        common time_limit;
        common seed;
    }
}

impl HalsParams {
    fn check_combinations(&self) -> Result<(), SettingError> {
        self.compress.check(self.rank)
    }
}

impl Described for HalsParams {
    const ABOUT: About = About {
        class: "HALS",
        title: "Hierarchical alternating least squares",
        summary: "Non-negative matrix factorization by coordinate descent; which of the many factorizations with a small squared error it finds depends on the initialization.",
        counts: false,
        loss: Some("squared error"),
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
    use crate::settings::Compress;

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
