//! The kinds of values of settings.

use serde::Serialize;

/// The numbers that a setting accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum NumberKind {
    /// Whole numbers, 0 or more.
    Whole,
    /// Real numbers.
    Real,
}

/// The values that a setting accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "type")]
pub enum SettingKind {
    /// True or false: a flag of the command.
    Flag,
    /// A number.
    Number {
        /// The accepted numbers.
        number: NumberKind,
    },
    /// A number, or none.
    OptionalNumber {
        /// The accepted numbers.
        number: NumberKind,
    },
    /// One of these words.
    Words {
        /// The words.
        words: &'static [&'static str],
    },
    /// One of these words, or a number.
    WordsOrNumber {
        /// The words.
        words: &'static [&'static str],
        /// The accepted numbers.
        number: NumberKind,
        /// Meaning of the number: "a number of steps".
        meaning: &'static str,
    },
    /// `auto`, or a threshold schedule.
    Threshold,
}

impl SettingKind {
    /// The words that it accepts.
    #[must_use]
    pub fn words(&self) -> &'static [&'static str] {
        match self {
            Self::Flag | Self::Number { .. } => &[],
            Self::OptionalNumber { .. } => &["none"],
            Self::Words { words } | Self::WordsOrNumber { words, .. } => words,
            Self::Threshold => &["auto"],
        }
    }

    /// The numbers that it accepts, if any.
    #[must_use]
    pub fn number(&self) -> Option<NumberKind> {
        match self {
            Self::Flag | Self::Words { .. } | Self::Threshold => None,
            Self::Number { number }
            | Self::OptionalNumber { number }
            | Self::WordsOrNumber { number, .. } => Some(*number),
        }
    }

    /// The requirement as a half-sentence, for error messages.
    #[must_use]
    pub fn expected(&self) -> String {
        let numbers = |number: &NumberKind| match number {
            NumberKind::Whole => "a whole number",
            NumberKind::Real => "a number",
        };
        match self {
            Self::Flag => "it must be true or false".to_owned(),
            Self::Number { number } => format!("it must be {}", numbers(number)),
            Self::OptionalNumber { number } => format!("it must be {} or none", numbers(number)),
            Self::Words { words: [first, last] } => format!("it must be {first} or {last}"),
            Self::Words { words } => format!("it must be one of {}", words.join(", ")),
            Self::WordsOrNumber { words, meaning, .. } => {
                format!("it must be {} or {meaning}", words.join(", "))
            }
            Self::Threshold => "it must be auto or a schedule, such as geometric:0.1:1.1".to_owned(),
        }
    }

    /// The placeholder of a value in the help of the command: `exact|N`.
    #[must_use]
    pub fn placeholder(&self) -> String {
        let numbers = match self.number() {
            Some(NumberKind::Whole) => "N",
            Some(NumberKind::Real) => "X",
            None => "",
        };
        match self {
            Self::Threshold => "SCHEDULE".to_owned(),
            Self::Flag => String::new(),
            _ => {
                let words = self.words().iter().copied().filter(|word| *word != "none");
                let mut parts: Vec<&str> = words.collect();
                parts.extend((!numbers.is_empty()).then_some(numbers));
                parts.join("|")
            }
        }
    }
}
