//! The settings of multiplicative updates.

use crate::SettingError;
use crate::baselines::alternating;
use crate::settings::Compress;
use crate::settings::{About, Described, Memory, Range, Size, declare_choice, declare_settings};

declare_choice! {
    /// The loss of multiplicative updates; ŷ are the entries of X·A.
    #[derive(Eq)]
    pub enum MuLoss for "loss" {
        /// The squared error Σ (y − ŷ)².
        Frobenius = "frobenius",
        /// The generalized Kullback–Leibler divergence Σ y·ln(y/ŷ) − y + ŷ, for counts. Samples must be non-negative.
        KullbackLeibler = "kullback-leibler",
    }
}

declare_settings! {
    /// Unchecked settings of multiplicative updates.
    ///
    /// ```
    /// use andnmf::baselines::{MuLoss, MuParams};
    /// use andnmf::fit::{Run, Solver, Start};
    /// use andnmf::samples::DenseSamples;
    ///
    /// let samples = DenseSamples::new(ndarray::array![[1.0, 0.0, 2.0], [0.0, 3.0, 0.0], [2.0, 3.0, 4.0]])?;
    /// let mu = MuParams { loss: MuLoss::KullbackLeibler, ..MuParams::new(2) }.check()?;
    /// let fit = mu.fit(&samples, Start::Auto, &mut Run::new())?;
    /// assert!(fit.trace.last().unwrap().loss.unwrap() < 1e-3, "two components suffice");
    /// # Ok::<(), andnmf::FitError>(())
    /// ```
    pub struct MuParams for Mu = "mu" {
        common rank;
        /// The loss to minimize: the squared error (frobenius), or the generalized Kullback–Leibler divergence, which
        /// is for counts and needs non-negative samples.
        loss: MuLoss = MuLoss::Frobenius;
        /// Allow negative components (semi-NMF; with the Frobenius loss only). Weights are always non-negative.
        signed: bool = false;
        /// Number of weight updates per pass over the samples, and with the Frobenius loss also of component updates.
        /// More than one is the accelerated form of Gillis & Glineur (2012): further updates are cheap compared to the
        /// pass.
        sweeps: usize = 1, Range::AT_LEAST_ONE;
        common compress;
        common max_stages = 200;
        common tolerance = 1e-5;
        common time_limit;
        common seed;
    }
}

impl MuParams {
    fn check_combinations(&self) -> Result<(), SettingError> {
        self.compress.check(self.rank)?;
        if self.loss == MuLoss::KullbackLeibler {
            if self.signed {
                let expected =
                    "the Kullback–Leibler loss needs non-negative components; use the Frobenius loss";
                return Err(SettingError::new("signed", true, expected));
            }
            if !matches!(self.compress, Compress::Auto | Compress::Off) {
                let expected = "the Kullback–Leibler loss does not support compression; use auto or off";
                return Err(SettingError::new("compress", self.compress, expected));
            }
        }
        Ok(())
    }
}

impl Described for MuParams {
    const ABOUT: About = About {
        class: "MU",
        title: "Multiplicative updates",
        summary: "Non-negative matrix factorization by multiplicative updates, for the squared error or the Kullback–Leibler divergence of counts.",
        counts: false,
        loss: Some("squared error or Kullback–Leibler divergence, by the setting loss"),
    };

    fn default_start(&self, negative: bool) -> &'static str {
        alternating::default_start(negative)
    }

    fn needs_nonnegative(&self) -> bool {
        self.loss == MuLoss::KullbackLeibler
    }

    fn weighs_counts(&self) -> bool {
        self.loss == MuLoss::KullbackLeibler
    }

    fn memory(&self, size: &Size) -> Memory {
        alternating::memory(self.rank, self.compress, size)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(params: MuParams) -> &'static str {
        params.check().unwrap_err().name
    }

    #[test]
    fn rank_sweeps_and_limits_cannot_be_zero_or_worse() {
        assert_eq!(refused(MuParams::new(0)), "rank");
        assert_eq!(refused(MuParams { sweeps: 0, ..MuParams::default() }), "sweeps");
        assert_eq!(refused(MuParams { max_stages: 0, ..MuParams::default() }), "max_stages");
        assert_eq!(refused(MuParams { tolerance: -1.0, ..MuParams::default() }), "tolerance");
        assert_eq!(refused(MuParams { time_limit: Some(-1.0), ..MuParams::default() }), "time_limit");
        assert_eq!(refused(MuParams { compress: Compress::Leading(3), ..MuParams::new(4) }), "compress");
    }

    #[test]
    fn kullback_leibler_allows_neither_signed_components_nor_compression() {
        let params = || MuParams { loss: MuLoss::KullbackLeibler, ..MuParams::default() };
        assert_eq!(refused(MuParams { signed: true, ..params() }), "signed");
        for compress in [Compress::Lossless, Compress::Leading(20)] {
            assert_eq!(refused(MuParams { compress, ..params() }), "compress");
        }
        assert!(MuParams { compress: Compress::Off, ..params() }.check().is_ok());
        assert!(params().check().is_ok());
    }

    #[test]
    fn settings_survive_json_and_unknown_ones_are_refused() {
        let params = MuParams { loss: MuLoss::KullbackLeibler, sweeps: 3, ..MuParams::new(7) };
        let text = serde_json::to_string(&params).unwrap();
        assert!(text.contains(r#""kullback-leibler""#), "{text}");
        assert_eq!(serde_json::from_str::<MuParams>(&text).unwrap(), params);
        assert!(serde_json::from_str::<MuParams>(r#"{"rnak": 5}"#).is_err());
    }
}
