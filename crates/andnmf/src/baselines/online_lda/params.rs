//! The settings of online LDA.

use super::e_step::EStep;
use crate::SettingError;
use crate::and::Batch;
use crate::settings::{About, Described, Memory, Range, Size, declare_settings};

declare_settings! {
    /// Unchecked settings of online variational Bayes for LDA.
    ///
    /// ```
    /// use andnmf::baselines::OnlineLdaParams;
    /// use andnmf::fit::{Run, Solver, Start};
    /// use andnmf::samples::DenseSamples;
    ///
    /// // Two topics: one has the first two words, the other the last two.
    /// let counts = ndarray::array![[5.0, 4.0, 0.0, 0.0], [0.0, 0.0, 3.0, 6.0], [2.0, 3.0, 0.0, 1.0], [0.0, 0.0, 4.0, 4.0]];
    /// let documents = DenseSamples::new(counts.view())?;
    /// let lda = OnlineLdaParams { max_stages: 50, ..OnlineLdaParams::new(2) }.check()?;
    /// let fit = lda.fit(&documents, Start::Auto, &mut Run::new())?;
    /// assert!(fit.weights.as_ref().is_some_and(|weights| (weights.row(1).sum() - 1.0_f64).abs() < 1e-9));
    /// assert!(lda.topics(&fit)?.bound(&documents)?.document_perplexity() < 4.0);
    /// # Ok::<(), andnmf::FitError>(())
    /// ```
    pub struct OnlineLdaParams for OnlineLda = "lda" {
        common rank;
        /// Dirichlet prior α of the topic proportions of a document; values below 1 favor few topics per document. None
        /// is 1/rank.
        document_prior: Option<f64> = None, Range::POSITIVE;
        /// Dirichlet prior η of the word distribution of a topic; values below 1 favor few words per topic. None is
        /// 1/rank.
        topic_prior: Option<f64> = None, Range::POSITIVE;
        /// Learning-rate decay, above 0.5 and up to 1: batch t has the learning rate (tau0 + t)^−kappa. Within these
        /// bounds the topics converge.
        kappa: f64 = 0.7, Range::above_up_to(0.5, 1.0, "it must be above 0.5 and at most 1");
        /// Learning-rate offset: larger values slow down the first batches.
        tau0: f64 = 10.0, Range::NOT_NEGATIVE;
        /// Batch size in documents: the topics are updated after about this many, as a pass is divided into equal
        /// batches. All of them is batch variational Bayes, with a learning rate of 1.
        batch: Batch = Batch::Size(128), Batch::RANGE;
        /// Convergence tolerance of the E-step: a document has converged if the mean change of its γ is below this.
        e_step_tolerance: f64 = 1e-3, Range::NOT_NEGATIVE;
        /// Maximum number of E-step iterations per document.
        e_step_max: usize = 100, Range::AT_LEAST_ONE;
        /// Factor of every value. LDA interprets values as word counts, which weigh against the priors (like α or η
        /// words per topic): a document of 100 words counts more than one of 10. For mixtures given as frequencies
        /// (rows that sum to 1), which would count as a single word, set the number of words that such a row stands
        /// for.
        sample_scale: f64 = 1.0, Range::POSITIVE;
        common max_stages = 10;
        common tolerance = 1e-5;
        common time_limit;
        common seed;
    }
}

impl OnlineLdaParams {
    fn check_combinations(&self) -> Result<(), SettingError> {
        Ok(())
    }

    /// η.
    pub(super) fn eta(&self) -> f64 {
        self.topic_prior.unwrap_or(1.0 / self.rank as f64)
    }

    pub(super) fn e_step(&self) -> EStep {
        EStep {
            prior: self.document_prior.unwrap_or(1.0 / self.rank as f64),
            tolerance: self.e_step_tolerance,
            max_iterations: self.e_step_max,
        }
    }

    /// The learning rate ρ of batch `number`, counted from 1 over all stages.
    pub(super) fn rate(&self, number: usize) -> f64 {
        match self.batch {
            Batch::All => 1.0,
            Batch::Size(_) => self.online_rate(number),
        }
    }

    /// The same, where more documents come after a batch of all that are at hand.
    pub(super) fn online_rate(&self, number: usize) -> f64 {
        (self.tau0 + number as f64).powf(-self.kappa)
    }
}

impl Described for OnlineLdaParams {
    const ABOUT: About = About {
        class: "OnlineLDA",
        title: "Online latent Dirichlet allocation",
        summary: "Topics from word counts by online variational Bayes; every component is a distribution over words.",
        counts: true,
        loss: None,
    };

    fn default_start(&self, _negative: bool) -> &'static str {
        "random-topics"
    }

    fn needs_nonnegative(&self) -> bool {
        true
    }

    fn weighs_counts(&self) -> bool {
        false
    }

    fn memory(&self, size: &Size) -> Memory {
        size.memory(size.wide(self.rank).saturating_add(size.rows(self.rank, 2)), 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(change: impl FnOnce(&mut OnlineLdaParams)) -> &'static str {
        let mut params = OnlineLdaParams::default();
        change(&mut params);
        params.check().unwrap_err().name
    }

    #[test]
    fn shared_limits_are_checked() {
        assert_eq!(refused(|p| p.rank = 0), "rank");
        assert_eq!(refused(|p| p.max_stages = 0), "max_stages");
        assert_eq!(refused(|p| p.tolerance = f64::NAN), "tolerance");
        assert_eq!(refused(|p| p.time_limit = Some(-1.0)), "time_limit");
    }

    #[test]
    fn priors_and_scale_must_be_positive() {
        for value in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(refused(|p| p.document_prior = Some(value)), "document_prior");
            assert_eq!(refused(|p| p.topic_prior = Some(value)), "topic_prior");
            assert_eq!(refused(|p| p.sample_scale = value), "sample_scale");
        }
    }

    #[test]
    fn kappa_must_be_in_the_range_of_convergence() {
        for kappa in [0.5, 1.1, f64::NAN] {
            assert_eq!(refused(|p| p.kappa = kappa), "kappa");
        }
        assert!(OnlineLdaParams { kappa: 1.0, ..OnlineLdaParams::default() }.check().is_ok());
    }

    #[test]
    fn tau0_cannot_be_negative() {
        for tau0 in [-1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(refused(|p| p.tau0 = tau0), "tau0");
        }
        assert!(OnlineLdaParams { tau0: 0.0, ..OnlineLdaParams::default() }.check().is_ok());
    }

    #[test]
    fn batch_cannot_be_empty() {
        assert_eq!(refused(|p| p.batch = Batch::Size(0)), "batch");
    }

    #[test]
    fn an_e_step_needs_an_iteration_and_a_valid_tolerance() {
        assert_eq!(refused(|p| p.e_step_max = 0), "e_step_max");
        for tolerance in [-1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(refused(|p| p.e_step_tolerance = tolerance), "e_step_tolerance");
        }
    }

    #[test]
    fn learning_rates_decay_and_a_batch_of_all_has_rate_one() {
        let params = OnlineLdaParams { tau0: 3.0, kappa: 0.75, ..OnlineLdaParams::default() };
        assert!((params.rate(13) - 0.125).abs() < 1e-15);
        assert_eq!(OnlineLdaParams { batch: Batch::All, ..params }.rate(13), 1.0);
    }

    #[test]
    fn settings_survive_json_and_unknown_ones_are_refused() {
        let params =
            OnlineLdaParams { batch: Batch::All, topic_prior: Some(0.01), ..OnlineLdaParams::new(3) };
        let text = serde_json::to_string(&params).unwrap();
        assert_eq!(serde_json::from_str::<OnlineLdaParams>(&text).unwrap(), params);
        assert!(serde_json::from_str::<OnlineLdaParams>(r#"{"alpha": 5}"#).is_err());
    }
}
