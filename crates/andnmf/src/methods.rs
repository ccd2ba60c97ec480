//! Every method by name, with its description: the one list of methods.
//!
//! A method joins by one line of `methods!`. What the command, the Python package and the documentation say of it comes
//! from the description that its settings carry ([`crate::settings`]).

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::and::AndParams;
use crate::baselines::{
    AnchorWordsParams, AnlsParams, HalsParams, MinVolumeParams, MuParams, OnlineLdaParams,
};
use crate::fit::Solver;
use crate::settings::{About, Described, Memory, Setting, Settings, Size};
use crate::{Real, SettingError};

/// What there is to know of a method before a fit.
#[derive(Debug, Clone, Copy)]
pub struct MethodInfo {
    /// The name that users write.
    pub name: &'static str,
    /// The method in words.
    pub about: About,
    /// Its settings, in order.
    pub settings: &'static [Setting],
    /// Whether runs have several stages, up to the setting `max_stages`.
    pub staged: bool,
    /// Whether a start may be given.
    pub takes_start: bool,
    /// Whether samples must not be negative, with default settings.
    pub needs_nonnegative: bool,
    /// The start that `auto` stands for, with default settings and samples that are not negative.
    pub default_start: &'static str,
}

impl MethodInfo {
    /// The setting of this name.
    #[must_use]
    pub fn setting(&self, name: &str) -> Option<&'static Setting> {
        self.settings.iter().find(|setting| setting.name == name)
    }

    fn of<P: Described>(name: &'static str) -> Self {
        let usual = P::default();
        Self {
            name,
            about: P::ABOUT,
            settings: P::SETTINGS,
            staged: P::staged(),
            takes_start: P::takes_start(),
            needs_nonnegative: usual.needs_nonnegative(),
            default_start: usual.default_start(false),
        }
    }
}

macro_rules! methods {
    ($($(#[$meta:meta])* $method:ident = $name:literal: $params:ty,)*) => {
        /// A method that can factorize samples.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[non_exhaustive]
        pub enum Method {
            $($(#[$meta])* #[serde(rename = $name)] $method,)*
        }

        impl Method {
            /// Every method.
            pub const ALL: [Self; [$($name),*].len()] = [$(Self::$method),*];

            /// The name that users write.
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

        /// The settings of one of the methods, whichever it is: for callers that let their users choose.
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

            /// Which method it is.
            #[must_use]
            pub fn method(&self) -> Method {
                match self {
                    $(Self::$method(_) => Method::$method,)*
                }
            }
        }

        /// The same expression for the settings of every method.
        macro_rules! whichever {
            ($self:expr, $inner:ident => $result:expr) => {
                match $self {
                    $(MethodParams::$method($inner) => $result,)*
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
        whichever!(self, params => params.rank)
    }

    /// Time limit in seconds.
    #[must_use]
    pub fn time_limit(&self) -> Option<f64> {
        whichever!(self, params => params.time_limit)
    }

    /// Random seed.
    #[must_use]
    pub fn seed(&self) -> u64 {
        whichever!(self, params => params.seed)
    }

    /// Most stages that a fit can have.
    #[must_use]
    pub fn most_stages(&self) -> usize {
        whichever!(self, params => params.most_stages())
    }

    /// The start that `auto` stands for; `negative` says whether samples have negative values.
    #[must_use]
    pub fn default_start(&self, negative: bool) -> &'static str {
        whichever!(self, params => params.default_start(negative))
    }

    /// Whether samples must not be negative.
    #[must_use]
    pub fn needs_nonnegative(&self) -> bool {
        whichever!(self, params => params.needs_nonnegative())
    }

    /// An upper bound of the memory that a fit takes beside its samples.
    #[must_use]
    pub fn memory(&self, size: &Size) -> Memory {
        whichever!(self, params => params.memory(size))
    }

    /// Changes a setting to what a user wrote.
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
    /// Where the method has no such setting, or the text is not one of its values. Ranges are left to
    /// [`check`](Self::check).
    pub fn set(&mut self, name: &str, text: &str) -> Result<(), SettingError> {
        whichever!(self, params => params.set(name, text))
    }

    /// Changes a setting to a JSON value: a number, a word, null, or the form in which it is serialized.
    ///
    /// # Errors
    /// As [`set`](Self::set).
    pub fn set_json(&mut self, name: &str, value: &Value) -> Result<(), SettingError> {
        whichever!(self, params => params.set_json(name, value))
    }

    /// With at most this many stages; a method with a single stage stays as it is.
    #[must_use]
    pub fn with_max_stages(mut self, stages: usize) -> Self {
        if self.method().info().staged {
            // The setting is there, and any whole number is one of its values.
            let _ = self.set_json("max_stages", &stages.into());
        }
        self
    }

    /// With this tolerance.
    #[must_use]
    pub fn with_tolerance(mut self, tolerance: f64) -> Self {
        whichever!(&mut self, params => params.tolerance = tolerance);
        self
    }

    /// With this time limit in seconds.
    #[must_use]
    pub fn with_time_limit(mut self, seconds: Option<f64>) -> Self {
        whichever!(&mut self, params => params.time_limit = seconds);
        self
    }

    /// With this random seed.
    #[must_use]
    pub fn with_seed(mut self, seed: u64) -> Self {
        whichever!(&mut self, params => params.seed = seed);
        self
    }

    /// Checks every setting.
    ///
    /// # Errors
    /// Names the first setting outside its range and what would be right.
    pub fn check<T: Real>(self) -> Result<Box<dyn Solver<T>>, SettingError> {
        Ok(whichever!(self, params => Box::new(params.check()?)))
    }
}

#[cfg(test)]
mod tests;
