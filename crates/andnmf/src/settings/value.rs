//! The types that settings have.

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::kind::{Kind, NumberKind};

/// A type of settings: how its values are written, and the number that one holds.
pub trait SettingValue: DeserializeOwned {
    /// Which values there are.
    const KIND: Kind;

    /// The value that a user wrote.
    ///
    /// # Errors
    /// What would be right, as a half-sentence.
    fn from_text(text: &str) -> Result<Self, String>;

    /// The value that JSON holds: as users write it, or as it is serialized.
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

    /// The number whose range counts.
    fn number(&self) -> Option<f64>;
}

macro_rules! numbers {
    ($($type:ty: $kind:ident),*) => {
        $(
            impl SettingValue for $type {
                const KIND: Kind = Kind::Number { number: NumberKind::$kind };

                fn from_text(text: &str) -> Result<Self, String> {
                    text.trim().parse().map_err(|_| Self::KIND.expected())
                }

                fn number(&self) -> Option<f64> {
                    Some(*self as f64)
                }
            }

            impl SettingValue for Option<$type> {
                const KIND: Kind = Kind::OptionalNumber { number: NumberKind::$kind };

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
    const KIND: Kind = Kind::Flag;

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
