//! The settings of multiplicative updates.

use serde::{Deserialize, Serialize};

use crate::SettingError;
use crate::compression::Compress;
use crate::fit::Limits;

/// Settings of multiplicative updates, as users give them.
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
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MuParams {
    /// Number of components.
    pub rank: usize,
    /// What is minimised.
    pub loss: MuLoss,
    /// Whether components may be negative (semi-NMF; with the Frobenius loss only). Weights never are.
    pub signed: bool,
    /// Updates of the weights for one pass over the samples, and with the Frobenius loss as many of the
    /// components. More than one is the accelerated form of Gillis & Glineur (2012): further updates are cheap
    /// beside the pass.
    pub sweeps: usize,
    /// Whether to read the samples in a smaller space (with the Frobenius loss; the other one has none).
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

/// What multiplicative updates minimise, with ŷ standing for the entries of X·A.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MuLoss {
    /// The squared error Σ (y − ŷ)².
    Frobenius,
    /// The generalised Kullback–Leibler divergence Σ y·ln(y/ŷ) − y + ŷ, for counts. Samples must not be negative.
    KullbackLeibler,
}

impl Default for MuParams {
    fn default() -> Self {
        Self {
            rank: 10,
            loss: MuLoss::Frobenius,
            signed: false,
            sweeps: 1,
            compress: Compress::Auto,
            max_stages: 200,
            tolerance: 1e-5,
            time_limit: None,
            seed: 0,
        }
    }
}

impl MuParams {
    /// Default settings with this many components.
    #[must_use]
    pub fn new(rank: usize) -> Self {
        Self { rank, ..Self::default() }
    }

    /// Checks every setting.
    ///
    /// # Errors
    /// Names the first setting outside its range and what would be right.
    pub fn check(self) -> Result<Mu, SettingError> {
        self.limits().check()?;
        self.compress.check(self.rank)?;
        if self.sweeps == 0 {
            return Err(SettingError::new("sweeps", 0, "it must be at least 1"));
        }
        if self.loss == MuLoss::KullbackLeibler {
            if self.signed {
                let expected =
                    "the Kullback–Leibler loss needs non-negative components; use the Frobenius loss";
                return Err(SettingError::new("signed", true, expected));
            }
            if !matches!(self.compress, Compress::Auto | Compress::Off) {
                let expected = "the Kullback–Leibler loss cannot be had in a smaller space; use auto or off";
                return Err(SettingError::new("compress", format!("{:?}", self.compress), expected));
            }
        }
        Ok(Mu { params: self })
    }

    pub(super) fn limits(&self) -> Limits {
        let &Self { rank, max_stages, tolerance, time_limit, .. } = self;
        Limits { rank, max_stages, tolerance, time_limit }
    }
}

/// Multiplicative updates with checked settings: a [`Solver`](crate::fit::Solver).
#[derive(Debug, Clone, PartialEq)]
pub struct Mu {
    params: MuParams,
}

impl Mu {
    /// The settings.
    #[must_use]
    pub fn params(&self) -> &MuParams {
        &self.params
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
    fn kullback_leibler_has_neither_signs_nor_a_smaller_space() {
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
