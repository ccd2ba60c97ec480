//! The macro that turns the entries of `reason.rs` into the enum and its methods.

use serde::{Deserialize, Serialize};

use super::Verdict;

/// A reason that another version wrote: its texts only.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct UnknownReason {
    /// Its code.
    pub code: String,
    /// The best verdict that it allows.
    pub severity: Verdict,
    /// The observation.
    pub text: String,
    /// The recommended action.
    pub advice: String,
    /// The components concerned.
    pub components: Vec<usize>,
}

impl Default for UnknownReason {
    fn default() -> Self {
        Self {
            code: "unknown".into(),
            severity: Verdict::Doubtful,
            text: String::new(),
            advice: String::new(),
            components: Vec::new(),
        }
    }
}

/// Declares [`Reason`](super::Reason). In severity, components, text and advice, the fields are references.
macro_rules! declare_reasons {
    ($(
        #[doc = $doc:literal]
        $name:ident $({ $($field:ident: $type:ty = $example:expr),* $(,)? })? => {
            code: $code:literal, severity: $severity:expr,
            $(components: $components:expr,)?
            text: ($($text:tt)+),
            advice: $advice:expr,
        }
    )+) => {
        /// A piece of evidence for or against a result. Components are counted from 0.
        ///
        /// As JSON, a reason is an object with `code`, `severity`, `text`, `advice`, `components`, and its own data.
        ///
        /// ```
        /// use andnmf::trust::{Reason, Verdict};
        /// let reason = Reason::NeverUsed { components: vec![4] };
        /// assert_eq!((reason.code(), reason.severity()), ("never-used", Verdict::Doubtful));
        /// assert_eq!(reason.to_string(), "no sample uses component 4; lower the rank");
        /// ```
        #[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
        #[serde(remote = "Self", tag = "code")]
        #[non_exhaustive]
        #[allow(missing_docs)] // The texts in `reason.rs` explain the fields.
        pub enum Reason {
            $(
                #[doc = $doc]
                #[serde(rename = $code)]
                $name $({ $($field: $type),* })?,
            )+
            /// A reason that another version wrote.
            #[serde(skip)]
            Unknown(Box<super::UnknownReason>),
        }

        #[allow(unused_variables, reason = "a text need not mention every field")]
        impl Reason {
            /// The stable name of its kind, in kebab case.
            #[must_use]
            pub fn code(&self) -> &str {
                match self {
                    $(Self::$name { .. } => $code,)+
                    Self::Unknown(reason) => &reason.code,
                }
            }

            /// The best verdict that it allows.
            #[must_use]
            pub fn severity(&self) -> Verdict {
                match self {
                    $(Self::$name { $($($field),*)? } => $severity,)+
                    Self::Unknown(reason) => reason.severity,
                }
            }

            /// The observation, in plain English.
            #[must_use]
            pub fn text(&self) -> String {
                match self {
                    $(Self::$name { $($($field),*)? } => format!($($text)+),)+
                    Self::Unknown(reason) => reason.text.clone(),
                }
            }

            /// The recommended action; empty if there is none.
            #[must_use]
            pub fn advice(&self) -> &str {
                match self {
                    $(Self::$name { $($($field),*)? } => $advice,)+
                    Self::Unknown(reason) => &reason.advice,
                }
            }

            /// The components concerned, if known.
            #[must_use]
            pub fn components(&self) -> Vec<usize> {
                match self {
                    $(Self::$name { $($($field),*)? } => {
                        let named: [Vec<usize>; _] = [$($components)?];
                        named.concat()
                    })+
                    Self::Unknown(reason) => reason.components.clone(),
                }
            }

            /// One of each kind.
            #[cfg(test)]
            pub(super) fn examples() -> Vec<Self> {
                vec![$(Self::$name { $($($field: $example),*)? }),+]
            }
        }
    };
}
pub(super) use declare_reasons;
