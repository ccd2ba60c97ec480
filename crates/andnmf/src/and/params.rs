//! The settings of AND: unchecked [`AndParams`] become a checked [`And`], and only that can run.

use std::fmt::Display;

use super::threshold::{Threshold, ThresholdParams};
use crate::SettingError;
use crate::constants::Constants;
use crate::objective::Objective;
use crate::settings::{About, Compress, Described, Memory, Range, Size, declare_choice, declare_settings};

/// Directions beyond the components that the default form looks for, and of these the ones that it keeps.
const SPARE: usize = 20;
const KEPT: usize = 10;
/// Arrays of samples × (components and kept directions) at once in the default form, where the end is NMF and other
/// runs vouch for it. Measured; see docs/scale.md.
const PROJECTED: usize = 11;

declare_choice! {
    /// Gradient steps per stage.
    #[derive(Eq)]
    pub enum Inner for "inner" {
        /// The limit of infinitely many steps: least squares. With batches: one pass over the samples.
        Exact = "exact",
        ;
        /// This many steps (the paper's T). With batches, each step takes the next batch.
        Steps(u64) = "a number of steps",
    }
}

declare_choice! {
    /// Length of a gradient step. A step always multiplies the **sum** over the samples it uses, never the mean.
    pub enum Step for "step" {
        /// 1/λmax of the second moments at hand: never diverges.
        Safe = "safe",
        /// The paper's 0.5/rank.
        Paper = "paper",
        ;
        /// This value.
        Value(f64) = "a number",
    }
}

declare_choice! {
    /// Samples per gradient step.
    #[derive(Eq)]
    pub enum Batch for "batch" {
        /// All samples: the form of the paper's experiments.
        All = "all",
        ;
        /// This many, in an order shuffled for each stage; 1 is Algorithm 1 as printed.
        Size(usize) = "a number of samples",
    }
}

impl Batch {
    /// The sizes that make sense.
    pub(crate) const RANGE: Range = Range::from(1.0, "it must be at least 1 sample, or all");
}

declare_settings! {
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
    pub struct AndParams for And = "and" with constants: Constants, objective: Objective {
        common rank;
        /// Thresholds of decoded weights: auto, or a schedule (`constant:C`, `geometric:START:RATIO[:FLOOR]`,
        /// `theory:LAMBDA:R:Q`, `list:A,B,...`). With auto, the thresholds and all other settings are computed from the
        /// data. A schedule runs the paper's Algorithm 1 exactly; stage j = 0, 1, ... of geometric uses START/RATIO^j.
        threshold: Threshold = Threshold::Auto;
        /// Maximum number of stages (outer iterations). With threshold auto this limits the main descent; the short
        /// descents that search for a start have their own limit.
        max_stages: usize = 200, Range::AT_LEAST_ONE;
        /// Gradient steps per stage: a number, or the least-squares limit of infinitely many steps (exact). With
        /// threshold auto, only exact.
        inner: Inner = Inner::Exact, Range::from(1.0, "a stage needs at least 1 step, or exact");
        /// Gradient step size: one that cannot diverge (safe), 0.5/rank (paper), or a value that multiplies the sum over
        /// samples. With threshold auto, only safe.
        step: Step = Step::Safe, Range::above(0.0, "it must be a positive number, safe or paper");
        /// Samples per gradient step: all, or a number; for standard input, samples per batch. With threshold auto,
        /// only all.
        batch: Batch = Batch::All, Batch::RANGE;
        /// Compression of the samples into a smaller space: lossless if that saves work (auto), none (off), always
        /// lossless (lossless), or a projection on this many leading directions. With threshold auto, only auto.
        compress: Compress = Compress::Auto;
        /// Allow negative components even if the samples are non-negative. With a threshold schedule, components may
        /// always be negative.
        signed: bool = false;
        /// Convergence tolerance: stop when a stage changes the components by no more than this, relative to their
        /// norm, and the threshold is at its floor. Changes within rounding error always count as zero; with threshold
        /// auto, so do changes below 1e-8.
        tolerance: f64 = 1e-12, Range::NOT_NEGATIVE;
        common time_limit;
        common seed;
    }
}

impl AndParams {
    fn check_together(&self) -> Result<(), SettingError> {
        self.compress.check(self.rank)?;
        match &self.threshold {
            Threshold::Scheduled(schedule) => schedule.check(),
            Threshold::Auto => self.check_auto(),
        }
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

    /// Thresholds from the data come with stages of their own, which leave nothing to choose.
    fn check_auto(&self) -> Result<(), SettingError> {
        let refused = |name, value: &dyn Display, only: &str| {
            let expected =
                format!("with threshold auto it must be {only}; other values need a threshold schedule");
            Err(SettingError::new(name, value, expected))
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
}

impl Described for AndParams {
    const ABOUT: About = About {
        class: "AND",
        title: "Alternating non-negative gradient descent",
        summary: "Recovers the true components behind non-negative mixtures, also where weights are strongly correlated; by default everything but the rank comes from the data.",
        counts: false,
        loss: None,
    };

    fn default_start(&self, _negative: bool) -> &'static str {
        if self.threshold == Threshold::Auto { "auto" } else { "spa" }
    }

    fn needs_nonnegative(&self) -> bool {
        false
    }

    fn memory(&self, size: &Size) -> Memory {
        let rank = self.rank;
        if self.threshold == Threshold::Auto {
            return size.memory(size.wide(rank + SPARE) + size.rows(rank + KEPT, PROJECTED), 0);
        }
        let space = if self.batch == Batch::All { self.compress.memory(size) } else { 0 };
        size.memory(size.wide(rank) + size.rows(rank, 2), space)
    }
}

impl And {
    /// The same with other constants of the search and of the judgement, for experiments: see [`Constants`].
    #[doc(hidden)]
    #[must_use]
    pub fn with_constants(self, constants: Constants) -> Self {
        Self { constants, ..self }
    }

    pub(crate) fn constants(&self) -> &Constants {
        &self.constants
    }

    /// The same with another objective: weights of features and samples in the squared error. It needs thresholds from
    /// the data.
    ///
    /// ```
    /// use andnmf::and::AndParams;
    /// use andnmf::fit::{Run, Solver, Start};
    /// use andnmf::objective::{Metric, Objective};
    /// use andnmf::samples::DenseSamples;
    ///
    /// let samples = DenseSamples::new(ndarray::array![[1.0_f64, 0.0, 1.0], [0.0, 1.0, 1.0], [1.0, 1.0, 2.0], [2.0, 0.0, 2.0]])?;
    /// let metric = Metric::default().with_feature_weights(vec![1.0, 100.0, 1.0])?;
    /// let objective = Objective { metric, ..Objective::default() };
    /// let fit = AndParams::new(2).check()?.with_objective(objective).fit(&samples, Start::Auto, &mut Run::new())?;
    /// assert_eq!(fit.components.dim(), (2, 3));
    /// # Ok::<(), andnmf::FitError>(())
    /// ```
    #[must_use]
    pub fn with_objective(self, objective: Objective) -> Self {
        Self { objective, ..self }
    }

    pub(crate) fn objective(&self) -> &Objective {
        &self.objective
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
