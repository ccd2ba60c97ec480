//! The settings of AND: unchecked [`AndParams`] become a checked [`And`], and only that can run.

use std::fmt::Debug;

use serde::{Deserialize, Serialize};

use super::threshold::{Threshold, ThresholdParams};
use crate::SettingError;
use crate::compression::Compress;
use crate::fit::Limits;

/// Settings of AND, as users give them.
///
/// By default everything but the rank comes from the data (see [`crate::auto`]). [`AndParams::paper`] is the paper's
/// experiment to the letter, [`AndParams::scheduled`] its thresholds with exact stages.
///
/// ```
/// use andnmf::and::{AndParams, Inner};
/// let and = AndParams { inner: Inner::Steps(100), ..AndParams::scheduled(20) }.check()?;
/// assert_eq!(and.params().rank, 20);
/// assert!(AndParams::new(0).check().is_err());
/// # Ok::<(), andnmf::SettingError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AndParams {
    /// Number of components.
    pub rank: usize,
    /// Where the thresholds come from: found from the data, or a schedule.
    pub threshold: Threshold,
    /// Gradient steps per stage.
    pub inner: Inner,
    /// Length of a gradient step.
    pub step: Step,
    /// Samples per gradient step.
    pub batch: Batch,
    /// Whether to work in a smaller space.
    pub compress: Compress,
    /// Whether components may be negative although the samples are not. Only thresholds from the data know how to
    /// keep components from being negative; with a schedule they always may be.
    pub signed: bool,
    /// Most stages to run. With thresholds from the data: most stages of the long descent, while the short ones that
    /// look for a start have a limit of their own.
    pub max_stages: usize,
    /// Converged when a stage changes the components by no more than this, relative to their size, and the
    /// threshold is at its floor. Changes of a few units of rounding count as none whatever is asked; with thresholds
    /// from the data, so do changes of 1e-8.
    pub tolerance: f64,
    /// Seconds after which to stop; a fit that goes on from a checkpoint has all of them again.
    pub time_limit: Option<f64>,
    /// Seed of everything random: start, order of samples, sketches.
    pub seed: u64,
}

/// Gradient steps per stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Inner {
    /// The limit of infinitely many steps: least squares. With batches: one pass over the samples.
    Exact,
    /// This many steps (the paper's T). With batches, each step takes the next batch.
    Steps(u64),
}

/// Length of a gradient step. A step always multiplies the **sum** over the samples it uses, never the mean.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Step {
    /// 1/λmax of the second moments at hand: never diverges.
    Safe,
    /// The paper's 0.5/rank.
    Paper,
    /// This value.
    Value(f64),
}

/// Samples per gradient step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Batch {
    /// All samples: the form of the paper's experiments.
    All,
    /// This many, in an order shuffled for each stage; 1 is Algorithm 1 as printed.
    Size(usize),
}

impl Default for AndParams {
    fn default() -> Self {
        Self {
            rank: 10,
            threshold: Threshold::Auto,
            inner: Inner::Exact,
            step: Step::Safe,
            batch: Batch::All,
            compress: Compress::Auto,
            signed: false,
            max_stages: 200,
            tolerance: 1e-12,
            time_limit: None,
            seed: 0,
        }
    }
}

impl AndParams {
    /// Default settings with this many components.
    #[must_use]
    pub fn new(rank: usize) -> Self {
        Self { rank, ..Self::default() }
    }

    /// Algorithm 1 with exact stages and the paper's thresholds 0.1/1.1ʲ, for starts near the truth.
    #[must_use]
    pub fn scheduled(rank: usize) -> Self {
        Self { threshold: ThresholdParams::default().into(), ..Self::new(rank) }
    }

    /// The settings of the paper's experiments: 50 steps of 0.5/rank per stage, thresholds 0.1/1.1ʲ.
    #[must_use]
    pub fn paper(rank: usize) -> Self {
        Self { inner: Inner::Steps(50), step: Step::Paper, ..Self::scheduled(rank) }
    }

    /// Checks every setting.
    ///
    /// # Errors
    /// Names the first setting outside its range and what would be right.
    pub fn check(self) -> Result<And, SettingError> {
        self.limits().check()?;
        if self.inner == Inner::Steps(0) {
            return Err(SettingError::new("inner", 0, "a stage needs at least 1 step, or exact"));
        }
        if let Step::Value(step) = self.step
            && !(step.is_finite() && step > 0.0)
        {
            return Err(SettingError::new("step", step, "it must be a positive number, safe or paper"));
        }
        if self.batch == Batch::Size(0) {
            return Err(SettingError::new("batch", 0, "it must be at least 1 sample, or all"));
        }
        self.compress.check(self.rank)?;
        match &self.threshold {
            Threshold::Scheduled(schedule) => schedule.check()?,
            Threshold::Auto => self.check_auto()?,
        }
        Ok(And { params: self })
    }

    /// Thresholds from the data come with stages of their own, which leave nothing to choose.
    fn check_auto(&self) -> Result<(), SettingError> {
        let refused = |name, value: &dyn Debug, only: &str| {
            let expected =
                format!("with threshold auto it must be {only}; other values need a threshold schedule");
            // Users write a number, not the name of the variant that holds it.
            let text = format!("{value:?}").to_lowercase();
            let given = text.split_once('(').map_or(text.as_str(), |(_, held)| held.trim_end_matches(')'));
            Err(SettingError::new(name, given, expected))
        };
        if self.inner != Inner::Exact {
            return refused("inner", &self.inner, "exact");
        }
        if self.step != Step::Safe {
            return refused("step", &self.step, "safe");
        }
        if self.batch != Batch::All {
            return refused("batch", &self.batch, "all");
        }
        if self.compress != Compress::Auto {
            return refused("compress", &self.compress, "auto");
        }
        Ok(())
    }

    pub(crate) fn limits(&self) -> Limits {
        let &Self { rank, max_stages, tolerance, time_limit, .. } = self;
        Limits { rank, max_stages, tolerance, time_limit }
    }
}

/// AND with checked settings: a [`Solver`](crate::fit::Solver).
#[derive(Debug, Clone, PartialEq)]
pub struct And {
    params: AndParams,
}

impl And {
    /// The settings.
    #[must_use]
    pub fn params(&self) -> &AndParams {
        &self.params
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(params: AndParams) -> &'static str {
        params.check().unwrap_err().name
    }

    #[test]
    fn rank_cannot_be_zero() {
        assert_eq!(refused(AndParams::new(0)), "rank");
    }

    #[test]
    fn a_stage_cannot_have_no_steps() {
        assert_eq!(refused(AndParams { inner: Inner::Steps(0), ..AndParams::default() }), "inner");
    }

    #[test]
    fn step_cannot_be_zero_negative_or_infinite() {
        for step in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(refused(AndParams { step: Step::Value(step), ..AndParams::default() }), "step");
        }
    }

    #[test]
    fn batch_cannot_be_empty() {
        assert_eq!(refused(AndParams { batch: Batch::Size(0), ..AndParams::default() }), "batch");
    }

    #[test]
    fn projection_cannot_be_smaller_than_rank() {
        let leading = |size| AndParams { compress: Compress::Leading(size), ..AndParams::scheduled(10) };
        assert_eq!(refused(leading(9)), "compress");
        assert!(leading(10).check().is_ok());
    }

    #[test]
    fn thresholds_from_the_data_leave_nothing_else_to_choose() {
        let auto = AndParams::default;
        assert_eq!(refused(AndParams { inner: Inner::Steps(50), ..auto() }), "inner");
        assert_eq!(refused(AndParams { step: Step::Paper, ..auto() }), "step");
        assert_eq!(refused(AndParams { batch: Batch::Size(1), ..auto() }), "batch");
        assert_eq!(refused(AndParams { compress: Compress::Off, ..auto() }), "compress");
        let told = AndParams { batch: Batch::Size(10), ..auto() }.check().unwrap_err().to_string();
        assert!(told.starts_with("batch is 10, but"), "{told}");
        assert!(auto().check().is_ok() && AndParams { signed: true, ..auto() }.check().is_ok());
    }

    #[test]
    fn stages_cannot_be_zero() {
        assert_eq!(refused(AndParams { max_stages: 0, ..AndParams::default() }), "max_stages");
    }

    #[test]
    fn tolerance_cannot_be_negative_or_nan() {
        for tolerance in [-1e-9, f64::NAN] {
            assert_eq!(refused(AndParams { tolerance, ..AndParams::default() }), "tolerance");
        }
    }

    #[test]
    fn time_limit_cannot_be_negative_or_nan() {
        for seconds in [-1.0, f64::NAN] {
            assert_eq!(
                refused(AndParams { time_limit: Some(seconds), ..AndParams::default() }),
                "time_limit"
            );
        }
    }

    #[test]
    fn settings_survive_json_and_unknown_ones_are_refused() {
        let params = AndParams { compress: Compress::Leading(30), ..AndParams::paper(20) };
        let text = serde_json::to_string(&params).unwrap();
        assert_eq!(serde_json::from_str::<AndParams>(&text).unwrap(), params);
        assert!(serde_json::from_str::<AndParams>(r#"{"rnak": 5}"#).is_err());
    }
}
