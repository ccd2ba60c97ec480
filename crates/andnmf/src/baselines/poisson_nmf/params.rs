//! The settings of Poisson NMF.

use crate::SettingError;
use crate::baselines::alternating;
use crate::settings::{About, Compress, Described, Memory, Range, Size, declare_settings};

declare_settings! {
    /// Unchecked settings of Poisson NMF.
    ///
    /// ```
    /// use andnmf::baselines::PoissonNmfParams;
    /// use andnmf::fit::{Run, Solver, Start};
    /// use andnmf::samples::DenseSamples;
    ///
    /// let counts = DenseSamples::new(ndarray::array![[1.0, 0.0, 2.0], [0.0, 3.0, 0.0], [2.0, 3.0, 4.0]])?;
    /// let fit = PoissonNmfParams::new(2).check()?.fit(&counts, Start::Auto, &mut Run::new())?;
    /// assert!(fit.trace.last().unwrap().loss.unwrap() < 1e-3, "two components suffice");
    /// # Ok::<(), andnmf::FitError>(())
    /// ```
    pub struct PoissonNmfParams for PoissonNmf = "poisson-nmf" {
        common rank;
        /// Number of updates of the shares per pass over the samples.
        sweeps: usize = 2, Range::AT_LEAST_ONE;
        /// Number of extrapolated passes over the samples per stage; 1 is plain expectation-maximization.
        passes: usize = 8, Range::AT_LEAST_ONE;
        /// Maximum number of stages, each of several passes over the samples.
        max_stages: usize = 50, Range::AT_LEAST_ONE;
        common tolerance = 1e-4;
        common time_limit;
        common seed;
    }
}

impl PoissonNmfParams {
    fn check_combinations(&self) -> Result<(), SettingError> {
        Ok(())
    }
}

impl Described for PoissonNmfParams {
    const ABOUT: About = About {
        class: "PoissonNMF",
        title: "Poisson NMF",
        summary: "Non-negative matrix factorization of largest likelihood for counts with Poisson noise, by extrapolated expectation-maximization.",
        counts: true,
        loss: Some("Kullback–Leibler divergence"),
    };

    fn default_start(&self, negative: bool) -> &'static str {
        alternating::default_start(negative)
    }

    fn needs_nonnegative(&self) -> bool {
        true
    }

    fn weighs_counts(&self) -> bool {
        true
    }

    fn memory(&self, size: &Size) -> Memory {
        alternating::memory(self.rank, Compress::Off, size)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_out_of_range_are_refused_by_name() {
        let base = PoissonNmfParams::new(3);
        let refused = |params: PoissonNmfParams| params.check().unwrap_err().name;
        assert_eq!(refused(PoissonNmfParams { rank: 0, ..base }), "rank");
        assert_eq!(refused(PoissonNmfParams { sweeps: 0, ..base }), "sweeps");
        assert_eq!(refused(PoissonNmfParams { passes: 0, ..base }), "passes");
        assert_eq!(refused(PoissonNmfParams { max_stages: 0, ..base }), "max_stages");
        assert_eq!(refused(PoissonNmfParams { tolerance: f64::NAN, ..base }), "tolerance");
        assert_eq!(refused(PoissonNmfParams { time_limit: Some(-1.0), ..base }), "time_limit");
        assert!(base.check().is_ok());
    }
}
