//! The registry of methods.
//!
//! One line of `methods!` adds a method. Its options in the command, its Python class and its documentation are
//! generated from the description in its settings ([`crate::settings`]).

use std::fmt;
use std::str::FromStr;

use ndarray::{Array2, ArrayView2};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::and::AndParams;
use crate::baselines::{
    AnchorWordsParams, AnlsParams, HalsParams, LdaTopics, MinVolumeParams, MuParams, OnlineLdaParams,
    PoissonNmfParams,
};
use crate::counts::summary::count_totals;
use crate::counts::{self, Noise};
use crate::fit::{Fit, Run, Solver, is_cancelled};
use crate::nnls::{self, NnlsError};
use crate::samples::{CancellableSamples, Samples};
use crate::settings::{About, Described, Memory, Setting, Settings, Size};
use crate::{FitError, Real, SettingError};

/// The description of a method.
#[derive(Debug, Clone, Copy)]
pub struct MethodInfo {
    /// The name.
    pub name: &'static str,
    /// Titles and summary.
    pub about: About,
    /// Its settings, in order.
    pub settings: &'static [Setting],
    /// True if runs have several stages, up to the setting `max_stages`.
    pub staged: bool,
    /// True if users may set a start.
    pub takes_start: bool,
    /// True if samples must be non-negative, with default settings.
    pub needs_nonnegative: bool,
    /// Name of the start that `auto` selects, with default settings and non-negative samples.
    pub default_start: &'static str,
}

impl MethodInfo {
    /// The setting with this name; `None` if the method has no such setting.
    #[must_use]
    pub fn setting(&self, name: &str) -> Option<&'static Setting> {
        self.settings.iter().find(|setting| setting.name == name)
    }

    fn of<P: Described>(name: &'static str) -> Self {
        let defaults = P::default();
        Self {
            name,
            about: P::ABOUT,
            settings: P::SETTINGS,
            staged: P::staged(),
            takes_start: P::takes_start(),
            needs_nonnegative: defaults.needs_nonnegative(),
            default_start: defaults.default_start(false),
        }
    }
}

macro_rules! methods {
    ($($(#[$meta:meta])* $method:ident = $name:literal: $params:ty,)*) => {
        /// A method that factorizes samples.
        ///
        /// ```
        /// use andnmf::Method;
        /// assert_eq!("hals".parse(), Ok(Method::Hals));
        /// assert!(Method::And.info().setting("threshold").is_some());
        /// ```
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[non_exhaustive]
        pub enum Method {
            $($(#[$meta])* #[serde(rename = $name)] $method,)*
        }

        impl Method {
            /// Every method.
            pub const ALL: [Self; [$($name),*].len()] = [$(Self::$method),*];

            /// The name.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$method => $name,)*
                }
            }

            /// Its description.
            #[must_use]
            pub fn info(self) -> MethodInfo {
                match self {
                    $(Self::$method => MethodInfo::of::<$params>($name),)*
                }
            }
        }

        /// The settings of any method, for callers that let their users choose the method.
        ///
        /// ```
        /// use andnmf::fit::{Run, Start};
        /// use andnmf::samples::DenseSamples;
        /// use andnmf::{Method, MethodParams};
        ///
        /// let samples =
        ///     DenseSamples::new(ndarray::array![[1.0, 0.0, 2.0], [0.0, 3.0, 0.0], [2.0, 3.0, 4.0]])?;
        /// for method in [Method::Hals, Method::Anls, Method::Mu] {
        ///     let solver = MethodParams::new(method, 2).with_max_stages(500).check()?;
        ///     let fit = solver.fit(&samples, Start::Auto, &mut Run::new())?;
        ///     assert!(fit.trace.last().unwrap().loss.unwrap() < 1e-3, "{method}");
        /// }
        /// # Ok::<(), andnmf::FitError>(())
        /// ```
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        #[serde(tag = "method")]
        #[non_exhaustive]
        #[allow(missing_docs)] // each variant is the settings of the method it names
        pub enum MethodParams {
            $(#[serde(rename = $name)] $method($params),)*
        }

        impl MethodParams {
            /// Default settings of a method with this many components.
            #[must_use]
            pub fn new(method: Method, rank: usize) -> Self {
                match method {
                    $(Method::$method => Self::$method(<$params>::new(rank)),)*
                }
            }

            /// The method.
            #[must_use]
            pub fn method(&self) -> Method {
                match self {
                    $(Self::$method(_) => Method::$method,)*
                }
            }
        }

        /// Evaluates the same expression for the settings of any method.
        macro_rules! for_any_method {
            ($self:expr, $own:ident => $result:expr) => {
                match $self {
                    $(MethodParams::$method($own) => $result,)*
                }
            };
        }
    };
}

methods! {
    /// Alternating non-negative gradient descent: [`mod@crate::and`].
    And = "and": AndParams,
    /// Hierarchical alternating least squares: [`crate::baselines::Hals`].
    Hals = "hals": HalsParams,
    /// Alternating non-negative least squares: [`crate::baselines::Anls`].
    Anls = "anls": AnlsParams,
    /// Multiplicative updates: [`crate::baselines::Mu`].
    Mu = "mu": MuParams,
    /// Poisson NMF: [`crate::baselines::PoissonNmf`].
    PoissonNmf = "poisson-nmf": PoissonNmfParams,
    /// Minimum-volume factorization: [`crate::baselines::MinVolume`].
    MinVolume = "min-volume": MinVolumeParams,
    /// Online variational Bayes for latent Dirichlet allocation: [`crate::baselines::OnlineLda`].
    OnlineLda = "lda": OnlineLdaParams,
    /// Anchor words: [`mod@crate::baselines::anchor_words`].
    AnchorWords = "anchor-words": AnchorWordsParams,
}

impl fmt::Display for Method {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(self.name())
    }
}

impl FromStr for Method {
    type Err = SettingError;

    fn from_str(name: &str) -> Result<Self, SettingError> {
        Self::ALL.into_iter().find(|method| method.name() == name).ok_or_else(|| {
            let names = Self::ALL.map(Self::name).join(", ");
            SettingError::new("method", format!("'{name}'"), format!("it must be one of {names}"))
        })
    }
}

impl MethodParams {
    /// Number of components.
    #[must_use]
    pub fn rank(&self) -> usize {
        for_any_method!(self, params => params.rank)
    }

    /// Time limit in seconds.
    #[must_use]
    pub fn time_limit(&self) -> Option<f64> {
        for_any_method!(self, params => params.time_limit)
    }

    /// Random seed.
    #[must_use]
    pub fn seed(&self) -> u64 {
        for_any_method!(self, params => params.seed)
    }

    /// Maximum number of stages of a fit.
    #[must_use]
    pub fn stage_limit(&self) -> usize {
        for_any_method!(self, params => params.stage_limit())
    }

    /// Name of the start that `auto` selects; `negative` is true if samples have negative values.
    #[must_use]
    pub fn default_start(&self, negative: bool) -> &'static str {
        for_any_method!(self, params => params.default_start(negative))
    }

    /// Returns true if samples must be non-negative.
    #[must_use]
    pub fn needs_nonnegative(&self) -> bool {
        for_any_method!(self, params => params.needs_nonnegative())
    }

    /// Upper bound of the memory of a fit, without its samples.
    #[must_use]
    pub fn memory(&self, size: &Size) -> Memory {
        for_any_method!(self, params => params.memory(size))
    }

    /// The noise that the settings name; auto for methods without such a setting.
    #[must_use]
    pub fn noise(&self) -> Noise {
        match self {
            Self::And(params) => params.noise,
            _ => Noise::Auto,
        }
    }

    /// The settings with what a fit resolved: noise that it recognised.
    #[must_use]
    pub fn resolved<T: Real>(mut self, fit: &Fit<T>) -> Self {
        if let Self::And(params) = &mut self
            && fit.of_counts()
        {
            params.noise = Noise::Poisson;
        }
        self
    }

    /// Returns true if weights are those of largest likelihood of counts ([`counts::weights`]), false if they are those of
    /// least squares ([`nnls::weights`]), or for topics of LDA those of their posterior.
    #[must_use]
    pub fn weighs_counts(&self) -> bool {
        for_any_method!(self, params => params.weighs_counts())
    }

    /// The weights (n × rank) of samples under the components of a fit with these settings: of largest likelihood where that
    /// is what the method maximizes, otherwise of least squares. With `topic_totals` ([`LdaTopics::totals_of`]) those of
    /// LDA are the posterior means of the shares of a document times its words. Of `run`, only the threads and the
    /// cancel flag are used.
    ///
    /// # Errors
    /// As for [`counts::weights`] and [`nnls::weights`].
    pub fn weights<T: Real>(
        &self,
        samples: &dyn Samples<T>,
        components: ArrayView2<'_, T>,
        topic_totals: Option<&[f64]>,
        run: &Run<'_, T>,
    ) -> Result<Array2<T>, NnlsError> {
        match (self, topic_totals) {
            (Self::OnlineLda(params), Some(totals)) => {
                lda_weights(params, samples, (components, totals), run).map_err(counts::as_weights_error)
            }
            _ if self.weighs_counts() => counts::weights(samples, components, run),
            _ => nnls::weights(samples, components, run),
        }
    }

    /// Parses text and sets a setting.
    ///
    /// ```
    /// use andnmf::{Method, MethodParams};
    /// let mut settings = MethodParams::new(Method::And, 5);
    /// settings.set("threshold", "geometric:0.1:1.5")?;
    /// settings.set("inner", "50")?;
    /// let error = settings.set("inner", "fifty").unwrap_err();
    /// assert_eq!(error.to_string(), "inner is 'fifty', but it must be exact or a number of steps");
    /// # Ok::<(), andnmf::SettingError>(())
    /// ```
    ///
    /// # Errors
    /// If the method has no such setting, or the text is not one of its values. [`check`](Self::check) checks ranges.
    pub fn set(&mut self, name: &str, text: &str) -> Result<(), SettingError> {
        for_any_method!(self, params => params.set(name, text))
    }

    /// Sets a setting from a JSON value: a number, a word, null, or the serialized form.
    ///
    /// # Errors
    /// As [`set`](Self::set).
    pub fn set_json(&mut self, name: &str, value: &Value) -> Result<(), SettingError> {
        for_any_method!(self, params => params.set_json(name, value))
    }

    /// Sets the maximum number of stages; no effect on a method with a single stage.
    #[must_use]
    pub fn with_max_stages(mut self, stages: usize) -> Self {
        if self.method().info().staged {
            // This cannot fail: the setting exists and accepts any whole number.
            let _ = self.set_json("max_stages", &stages.into());
        }
        self
    }

    /// Sets the convergence tolerance.
    #[must_use]
    pub fn with_tolerance(mut self, tolerance: f64) -> Self {
        for_any_method!(&mut self, params => params.tolerance = tolerance);
        self
    }

    /// Sets the time limit in seconds.
    #[must_use]
    pub fn with_time_limit(mut self, seconds: Option<f64>) -> Self {
        for_any_method!(&mut self, params => params.time_limit = seconds);
        self
    }

    /// Sets the random seed.
    #[must_use]
    pub fn with_seed(mut self, seed: u64) -> Self {
        for_any_method!(&mut self, params => params.seed = seed);
        self
    }

    /// Checks every setting.
    ///
    /// # Errors
    /// The first setting outside its range, with the requirement.
    pub fn check<T: Real>(self) -> Result<Box<dyn Solver<T>>, SettingError> {
        Ok(for_any_method!(self, params => Box::new(params.check()?)))
    }
}

/// Posterior means of the shares of documents, times their words.
fn lda_weights<T: Real>(
    params: &OnlineLdaParams,
    samples: &dyn Samples<T>,
    (components, totals): (ArrayView2<'_, T>, &[f64]),
    run: &Run<'_, T>,
) -> Result<Array2<T>, FitError> {
    let topics = LdaTopics::from_components(&params.clone().check()?, components, totals)?;
    let flag = run.cancel_flag();
    let stop = || is_cancelled(flag);
    let watched = CancellableSamples { samples, stop: &stop };
    run.workers()?.run(|| {
        let mut weights = topics.weights(&watched)?;
        for (mut row, words) in weights.outer_iter_mut().zip(count_totals(&watched)?) {
            row.mapv_inplace(|share| T::from_f64(share.as_f64() * words));
        }
        Ok(weights)
    })
}

#[cfg(test)]
mod tests;
