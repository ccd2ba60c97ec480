//! Settings as data: every method declares its settings once, and everything else is generated from the declaration.
//!
//! `declare_settings!` turns a list of settings (documentation, type, default, range) into the struct that users
//! fill in, its defaults, its range checks and a description, [`Settings::SETTINGS`]. The command's options, the
//! Python classes and the tables of the documentation are generated from the description. `declare_choice!` does
//! the same for the type of a setting that is one of several words, or a word or a number.
//!
//! The module knows no method: [`crate::methods`] collects them.

mod choice;
mod compress;
mod declare;
mod described;
mod kind;
mod memory;
mod names;
mod range;
mod value;

pub(crate) use choice::declare_choice;
pub use compress::Compress;
pub(crate) use declare::declare_settings;
pub use described::{About, Described};
pub use kind::{NumberKind, SettingKind};
pub use memory::{Memory, Size};
pub use names::{option_name, parameter_name};
pub use range::Range;
pub use value::SettingValue;

use serde::Serialize;
use serde_json::Value;

use crate::SettingError;

/// One setting of a method.
#[derive(Debug, Clone, Copy)]
pub struct Setting {
    /// The name in the library and in files.
    pub name: &'static str,
    /// The values that it accepts.
    pub kind: SettingKind,
    /// The valid range of numbers.
    pub range: Range,
    /// The documentation of the declaration, one line per source line.
    documentation: &'static str,
    default: fn() -> Value,
}

impl Setting {
    /// A setting, for `declare_settings!`.
    pub(crate) const fn new(
        name: &'static str,
        kind: SettingKind,
        range: Range,
        documentation: &'static str,
        default: fn() -> Value,
    ) -> Self {
        Self { name, kind, range, documentation, default }
    }

    /// The default as JSON.
    #[must_use]
    pub fn default(&self) -> Value {
        (self.default)()
    }

    /// The default as text: `exact`, `200`, `none`.
    #[must_use]
    pub fn default_text(&self) -> String {
        text_of(&self.default())
    }

    /// The documentation as plain text, for help pages.
    #[must_use]
    pub fn help(&self) -> String {
        let words: Vec<&str> = self.documentation.split_whitespace().collect();
        words.join(" ").replace('`', "")
    }

    /// The option of the command, without its dashes: `stages` for `max_stages`.
    #[must_use]
    pub fn option(&self) -> String {
        option_name(self.name)
    }

    /// The parameter of the Python estimators: `tol` for `tolerance`.
    #[must_use]
    pub fn parameter(&self) -> &'static str {
        parameter_name(self.name)
    }
}

/// Numbers below this are formatted with an exponent.
const SMALL: f64 = 1e-3;

/// Formats a value as text. A variant with a number is formatted as the number.
fn text_of(value: &Value) -> String {
    match value {
        Value::Null => "none".to_owned(),
        Value::String(text) => text.clone(),
        Value::Object(variant) if variant.len() == 1 => {
            variant.values().next().map_or_else(String::new, text_of)
        }
        Value::Number(number) => match number.as_f64().filter(|_| number.is_f64()) {
            Some(small) if small != 0.0 && small.abs() < SMALL => format!("{small:e}"),
            Some(value) => value.to_string(),
            None => number.to_string(),
        },
        other => other.to_string(),
    }
}

/// The settings of a method, implemented by `declare_settings!`.
pub trait Settings: Default {
    /// Every setting, in the order of the fields.
    const SETTINGS: &'static [Setting];

    /// Maximum number of stages of a run.
    fn stage_limit(&self) -> usize;

    /// Returns true if a run has more than one stage.
    #[must_use]
    fn staged() -> bool {
        Self::SETTINGS.iter().any(|setting| setting.name == "max_stages")
    }

    /// Parses `text` and sets the setting `name`.
    ///
    /// # Errors
    /// If there is no such setting, or the text is not one of its values. [`check_ranges`](Self::check_ranges) checks
    /// ranges.
    fn set(&mut self, name: &str, text: &str) -> Result<(), SettingError>;

    /// Sets the setting `name` from a JSON value: a number, a word, null, or the serialized form.
    ///
    /// # Errors
    /// As [`set`](Self::set).
    fn set_json(&mut self, name: &str, value: &Value) -> Result<(), SettingError>;

    /// Checks the range of every setting.
    ///
    /// # Errors
    /// The first setting outside its range, with the requirement.
    fn check_ranges(&self) -> Result<(), SettingError>;
}

/// The serialized form of a value.
pub(crate) fn json_of<V: Serialize>(value: &V) -> Value {
    serde_json::to_value(value).unwrap_or_default()
}

/// The error of an unknown setting.
pub(crate) fn unknown(method: &str, settings: &[Setting], name: &str) -> SettingError {
    let names: Vec<&str> = settings.iter().map(|setting| setting.name).collect();
    let expected = format!("it must be one of the settings of {method}: {}", names.join(", "));
    SettingError::new("setting", format!("'{name}'"), expected)
}

#[cfg(test)]
mod tests;
