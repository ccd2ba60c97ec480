//! The settings of ANLS.

use crate::SettingError;
use crate::baselines::alternating;
use crate::settings::{About, Described, Memory, Size, declare_settings};

declare_settings! {
    /// Unchecked settings of alternating non-negative least squares.
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
    pub struct AnlsParams for Anls = "anls" {
        common rank;
        common signed;
        common compress;
        common max_stages = 200;
        common tolerance = 1e-5;
        common time_limit;
        common seed;
    }
}

impl AnlsParams {
    fn check_combinations(&self) -> Result<(), SettingError> {
        self.compress.check(self.rank)
    }
}

impl Described for AnlsParams {
    const ABOUT: About = About {
        class: "ANLS",
        title: "Alternating non-negative least squares",
        summary: "Non-negative matrix factorization by exact least-squares solutions for the weights and the components in turn (block principal pivoting).",
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
