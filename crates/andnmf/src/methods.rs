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
mod tests {
    use super::*;
    use crate::settings::Kind;

    #[test]
    fn every_method_has_settings_that_bear_its_name_in_json_too() {
        for method in Method::ALL {
            let params = MethodParams::new(method, 7).with_seed(5).with_time_limit(Some(2.0));
            assert_eq!((params.method(), params.rank(), params.seed()), (method, 7, 5));
            assert_eq!(params.time_limit(), Some(2.0));
            let solver = params.clone().check::<f32>().unwrap();
            assert_eq!(solver.method(), method.name());
            let text = serde_json::to_string(&params).unwrap();
            assert!(text.starts_with(&format!(r#"{{"method":"{method}""#)), "{text}");
            assert_eq!(serde_json::from_str::<MethodParams>(&text).unwrap(), params);
            assert_eq!(serde_json::to_string(&method).unwrap(), format!("\"{method}\""));
            assert_eq!(method.name().parse(), Ok(method));
        }
        assert!(serde_json::from_str::<MethodParams>(r#"{"method":"hals","rnak":3}"#).is_err());
        assert_eq!(MethodParams::new(Method::Mu, 0).check::<f64>().err().unwrap().name, "rank");
        assert_eq!("halls".parse::<Method>().unwrap_err().name, "method");
    }

    #[test]
    fn stages_and_tolerance_are_set_where_there_are_any() {
        for method in Method::ALL {
            let params = MethodParams::new(method, 3).with_max_stages(17).with_tolerance(0.25);
            assert_eq!(params.most_stages(), if method.info().staged { 17 } else { 1 }, "{method}");
            let json = serde_json::to_value(&params).unwrap();
            assert_eq!(json["tolerance"], 0.25, "{method}");
        }
        assert!(!Method::AnchorWords.info().staged && Method::Hals.info().staged);
    }

    #[test]
    fn the_description_has_every_setting_with_its_default_and_help() {
        for method in Method::ALL {
            let info = method.info();
            let Value::Object(mut defaults) = serde_json::to_value(MethodParams::new(method, 10)).unwrap()
            else {
                panic!("settings are an object");
            };
            defaults.remove("method");
            for setting in info.settings {
                assert_eq!(
                    defaults.remove(setting.name),
                    Some(setting.default()),
                    "{method}: {}",
                    setting.name
                );
                assert!(setting.help().len() > 10 && setting.help().ends_with('.'), "{}", setting.name);
            }
            assert!(defaults.is_empty(), "{method}: {defaults:?}");
            assert!(!info.about.title.is_empty() && info.about.summary.ends_with('.'), "{method}");
        }
    }

    #[test]
    fn a_setting_of_several_methods_is_the_same_kind_everywhere() {
        let mut known: Vec<&Setting> = Vec::new();
        for setting in Method::ALL.iter().flat_map(|method| method.info().settings) {
            match known.iter().find(|other| other.name == setting.name) {
                Some(other) => assert_eq!(other.kind, setting.kind, "{}", setting.name),
                None => known.push(setting),
            }
        }
        for common in ["rank", "tolerance", "time_limit", "seed"] {
            for method in Method::ALL {
                assert!(method.info().setting(common).is_some(), "{method} has no {common}");
            }
        }
    }

    #[test]
    fn every_default_can_be_written_and_read_back() {
        for method in Method::ALL {
            let usual = MethodParams::new(method, 10);
            let (mut by_text, mut by_json) = (usual.clone(), usual.clone());
            for setting in method.info().settings {
                by_text.set(setting.name, &setting.default_text()).unwrap();
                by_json.set_json(setting.name, &setting.default()).unwrap();
                for word in setting.kind.words() {
                    by_text.clone().set(setting.name, word).unwrap();
                }
                if !matches!(setting.kind, Kind::Threshold) {
                    let error = by_text.set(setting.name, "no such value").unwrap_err();
                    assert!(
                        error.name == setting.name && error.expected == setting.kind.expected(),
                        "{error}"
                    );
                }
            }
            assert_eq!((&by_text, &by_json), (&usual, &usual));
            assert_eq!(by_text.set("rnak", "3").unwrap_err().name, "setting");
        }
    }

    #[test]
    fn numbers_and_serialized_forms_are_read_from_json() {
        let mut params = MethodParams::new(Method::And, 3);
        for (name, value, meant) in [
            ("inner", serde_json::json!(50), serde_json::json!({"steps": 50})),
            ("inner", serde_json::json!({"steps": 7}), serde_json::json!({"steps": 7})),
            ("step", serde_json::json!(0.25), serde_json::json!({"value": 0.25})),
            ("batch", serde_json::json!("all"), serde_json::json!("all")),
            ("compress", serde_json::json!(30), serde_json::json!({"leading": 30})),
            ("time_limit", serde_json::json!(null), serde_json::json!(null)),
            ("time_limit", serde_json::json!(3), serde_json::json!(3.0)),
        ] {
            params.set_json(name, &value).unwrap();
            assert_eq!(serde_json::to_value(&params).unwrap()[name], meant, "{name}");
        }
        let scheduled = |value| {
            let mut params = MethodParams::new(Method::And, 3);
            params.set_json("threshold", &value).unwrap();
            serde_json::to_value(&params).unwrap()["threshold"]["scheduled"]["schedule"].clone()
        };
        assert_eq!(scheduled(serde_json::json!(0.5)), serde_json::json!({"constant": 0.5}));
        assert_eq!(scheduled(serde_json::json!([0.5, 0.25])), serde_json::json!({"list": [0.5, 0.25]}));
        let constant = serde_json::json!({"schedule": {"constant": 0.5}});
        assert_eq!(scheduled(constant.clone()), constant["schedule"]);
        assert_eq!(scheduled(serde_json::json!({"scheduled": constant})), constant["schedule"]);
        assert_eq!(params.set_json("signed", &serde_json::json!(3)).unwrap_err().name, "signed");
    }
}
