//! The types of settings: parsing, and the number that is checked against the range.

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::kind::{NumberKind, SettingKind};

/// A type of settings.
pub trait SettingValue: DeserializeOwned {
    /// The kind of its values.
    const KIND: SettingKind;

    /// Parses text.
    ///
    /// # Errors
    /// The requirement as a half-sentence.
    fn from_text(text: &str) -> Result<Self, String>;

    /// Reads a JSON value: text as users write it, a number, or the serialized form.
    ///
    /// # Errors
    /// As [`from_text`](Self::from_text).
    fn from_json(value: &Value) -> Result<Self, String> {
        match value {
            Value::String(text) => Self::from_text(text),
            Value::Number(number) => Self::from_text(&number.to_string()),
            Value::Object(_) | Value::Array(_) => {
                serde_json::from_value(value.clone()).map_err(|error| error.to_string())
            }
            Value::Null | Value::Bool(_) => Err(Self::KIND.expected()),
        }
    }

    /// The number to check against the range, if any.
    fn number(&self) -> Option<f64>;
}

macro_rules! numbers {
    ($($type:ty: $kind:ident),*) => {
        $(
            impl SettingValue for $type {
                const KIND: SettingKind = SettingKind::Number { number: NumberKind::$kind };

                fn from_text(text: &str) -> Result<Self, String> {
                    text.trim().parse().map_err(|_| Self::KIND.expected())
                }

                fn number(&self) -> Option<f64> {
                    Some(*self as f64)
                }
            }

            impl SettingValue for Option<$type> {
                const KIND: SettingKind = SettingKind::OptionalNumber { number: NumberKind::$kind };

                fn from_text(text: &str) -> Result<Self, String> {
                    match text.trim() {
                        "none" => Ok(None),
                        text => text.parse().map(Some).map_err(|_| Self::KIND.expected()),
                    }
                }

                fn from_json(value: &Value) -> Result<Self, String> {
                    match value {
                        Value::Null => Ok(None),
                        Value::String(text) => Self::from_text(text),
                        other => <$type>::from_json(other).map(Some).map_err(|_| Self::KIND.expected()),
                    }
                }

                fn number(&self) -> Option<f64> {
                    self.map(|number| number as f64)
                }
            }
        )*
    };
}

numbers!(usize: Whole, u64: Whole, f64: Real);

impl SettingValue for bool {
    const KIND: SettingKind = SettingKind::Flag;

    fn from_text(text: &str) -> Result<Self, String> {
        text.trim().parse().map_err(|_| Self::KIND.expected())
    }

    fn from_json(value: &Value) -> Result<Self, String> {
        match value {
            Value::Bool(flag) => Ok(*flag),
            Value::String(text) => Self::from_text(text),
            _ => Err(Self::KIND.expected()),
        }
    }

    fn number(&self) -> Option<f64> {
        None
    }
}
