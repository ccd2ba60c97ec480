//! The settings of AND: unchecked [`AndParams`], and the checked [`And`], which can fit samples.

use std::fmt::Display;

use super::threshold::{Threshold, ThresholdParams};
use crate::SettingError;
use crate::constants::Constants;
use crate::counts::Noise;
use crate::objective::Objective;
use crate::settings::{About, Compress, Described, Memory, Range, Size, declare_choice, declare_settings};

/// Memory estimate of the default form: directions beyond the rank that it computes, and those of them that it stores.
const SPARE: usize = 20;
const STORED: usize = 10;
/// Arrays of samples × (components and stored directions) at the same time, at most (if the fit ends with NMF and
/// repeated runs check it). Measured; see docs/scale.md.
const PROJECTED: usize = 11;

declare_choice! {
    /// Gradient steps per stage.
    #[derive(Eq)]
    pub enum StepsPerStage for "inner" {
        /// The limit of infinitely many steps: least squares. With batches, one pass over the samples.
        Exact = "exact",
        ;
        /// This many steps (the paper's T). With batches, each step takes the next batch.
        Steps(u64) = "a number of steps",
    }
}

declare_choice! {
    /// Length of a gradient step. A step always multiplies the **sum** over the samples it uses, never the mean.
    pub enum Step for "step" {
        /// 1/λmax of the second moments of the stage: never diverges.
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
    /// The valid sizes.
    pub(crate) const RANGE: Range = Range::from(1.0, "it must be at least 1 sample, or all");
}

declare_choice! {
    /// The checks of a finished fit.
    #[derive(Eq)]
    pub enum Checks for "trust" {
        /// The error of each component is estimated, which takes about as long as the fit.
        Auto = "auto",
        /// None: the fit has no verdict.
        Off = "off",
    }
}

declare_settings! {
    /// The settings of AND, unchecked.
    ///
    /// By default everything except the rank comes from the data (see [`crate::auto`]). [`AndParams::paper`] has the
    /// settings of the paper's experiments, [`AndParams::scheduled`] the paper's thresholds with exact stages.
    ///
    /// ```
    /// use andnmf::and::{AndParams, StepsPerStage};
    /// let and = AndParams { inner: StepsPerStage::Steps(100), ..AndParams::scheduled(20) }.check()?;
    /// assert_eq!(and.params().rank, 20);
    /// assert!(AndParams::new(0).check().is_err());
    /// # Ok::<(), andnmf::SettingError>(())
    /// ```
    pub struct AndParams for And = "and" with constants: Constants, objective: Objective {
        common rank;
        /// Thresholds below which decoded weights count as zero: auto, or a schedule (`constant:C`,
        /// `geometric:START:RATIO[:FLOOR]`, `theory:LAMBDA:R:Q`, `list:A,B,...`). With auto, thresholds and everything
        /// else come from the data. A schedule is the paper's Algorithm 1 as printed; stage j = 0, 1, ... of geometric
        /// uses START/RATIO^j.
        threshold: Threshold = Threshold::Auto;
        /// Maximum number of stages. With threshold auto, those of the search for a start have their own limit and are
        /// counted separately.
        max_stages: usize = 200, Range::AT_LEAST_ONE;
        /// Gradient steps per stage: a number, or the limit of infinitely many (exact). With threshold auto, exact
        /// only.
        inner: StepsPerStage = StepsPerStage::Exact, Range::from(1.0, "a stage needs at least 1 step, or exact");
        /// Length of a gradient step: one that cannot diverge (safe), 0.5/rank (paper), or a value that multiplies sums
        /// over samples. With threshold auto, safe only.
        step: Step = Step::Safe, Range::above(0.0, "it must be a positive number, safe or paper");
        /// Samples per gradient step: all, or a number; on standard input, samples per batch. With threshold auto, all
        /// only.
        batch: Batch = Batch::All, Batch::RANGE;
        /// Compression of the samples into a smaller space: lossless if that is faster (auto), never (off), always
        /// lossless (lossless), or by projection on this many leading directions. With threshold auto, auto only.
        compress: Compress = Compress::Auto;
        /// The noise of the samples: gaussian (equal in all values), poisson (counts, whose noise grows with the mean), or auto,
        /// which recognizes counts. With a threshold schedule and with batches it is gaussian.
        noise: Noise = Noise::Auto;
        /// Allow negative components although the samples are non-negative. With a threshold schedule components may
        /// always be negative.
        signed: bool = false;
        /// Convergence tolerance: stop when a stage changes the components by no more than this, relative to their
        /// size, and the threshold is at its floor. Changes at the level of rounding always count as convergence; with
        /// threshold auto, so do changes of 1e-8.
        tolerance: f64 = 1e-12, Range::NOT_NEGATIVE;
        /// The verdict and the error of each component: estimated by refits to simulated samples and by other answers that fit
        /// as well (auto), or none, which saves about half of the time (off). Without thresholds from the data there is none.
        trust: Checks = Checks::Auto;
        common time_limit;
        common seed;
    }
}

impl AndParams {
    fn check_combinations(&self) -> Result<(), SettingError> {
        self.compress.check(self.rank)?;
        if self.noise == Noise::Poisson {
            if self.threshold != Threshold::Auto {
                let expected =
                    "a threshold schedule is the paper's algorithm, for gaussian noise; use threshold auto";
                return Err(SettingError::new("noise", self.noise, expected));
            }
            if self.signed {
                let expected = "counts have non-negative components; use signed only with gaussian";
                return Err(SettingError::new("noise", self.noise, expected));
            }
        }
        match &self.threshold {
            Threshold::Scheduled(schedule) => schedule.check(),
            Threshold::Auto => self.check_auto(),
        }
    }

    /// Algorithm 1 with exact stages and the paper's thresholds 0.1/1.1ʲ, for a start near the truth.
    #[must_use]
    pub fn scheduled(rank: usize) -> Self {
        Self { threshold: ThresholdParams::default().into(), ..Self::new(rank) }
    }

    /// The settings of the paper's experiments: 50 steps of 0.5/rank per stage, thresholds 0.1/1.1ʲ.
    #[must_use]
    pub fn paper(rank: usize) -> Self {
        Self { inner: StepsPerStage::Steps(50), step: Step::Paper, ..Self::scheduled(rank) }
    }

    /// Refuses the settings that thresholds from the data do not support.
    fn check_auto(&self) -> Result<(), SettingError> {
        let refused = |name, value: &dyn Display, only: &str| {
            let expected = format!(
                "it must be {only} with threshold auto; set a schedule, such as geometric:0.1:1.1, for others"
            );
            Err(SettingError::new(name, value, expected))
        };
        if self.inner != StepsPerStage::Exact {
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
        summary: "Recovers the true components of non-negative mixtures, even if their weights are strongly correlated; by default everything except the rank comes from the data.",
        counts: false,
        loss: None,
    };

    fn default_start(&self, _negative: bool) -> &'static str {
        if self.threshold == Threshold::Auto { "auto" } else { "spa" }
    }

    fn needs_nonnegative(&self) -> bool {
        false
    }

    fn weighs_counts(&self) -> bool {
        self.noise == Noise::Poisson
    }

    fn memory(&self, size: &Size) -> Memory {
        let rank = self.rank;
        if self.threshold == Threshold::Auto {
            let (wide, stored) = (rank.saturating_add(SPARE), rank.saturating_add(STORED));
            return size.memory(size.wide(wide).saturating_add(size.rows(stored, PROJECTED)), 0);
        }
        let space = if self.batch == Batch::All { self.compress.memory(size) } else { 0 };
        size.memory(size.wide(rank).saturating_add(size.rows(rank, 2)), space)
    }
}

impl And {
    /// Replaces the tuned constants, for experiments: see [`Constants`].
    #[doc(hidden)]
    #[must_use]
    pub fn with_constants(self, constants: Constants) -> Self {
        Self { constants, ..self }
    }

    pub(crate) fn constants(&self) -> &Constants {
        &self.constants
    }

    /// Replaces the objective: weights of features and samples in the squared error. It needs thresholds from the data.
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
        assert_eq!(refused(AndParams { inner: StepsPerStage::Steps(0), ..AndParams::default() }), "inner");
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
    fn thresholds_from_the_data_refuse_other_settings_of_the_stages() {
        let auto = AndParams::default;
        assert_eq!(refused(AndParams { inner: StepsPerStage::Steps(50), ..auto() }), "inner");
        assert_eq!(refused(AndParams { step: Step::Paper, ..auto() }), "step");
        assert_eq!(refused(AndParams { batch: Batch::Size(1), ..auto() }), "batch");
        assert_eq!(refused(AndParams { compress: Compress::Off, ..auto() }), "compress");
        let message = AndParams { batch: Batch::Size(10), ..auto() }.check().unwrap_err().to_string();
        assert!(message.starts_with("batch is 10, but"), "{message}");
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
