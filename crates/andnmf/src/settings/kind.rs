//! Which values a setting takes.

use serde::Serialize;

/// The numbers of a setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum NumberKind {
    /// Whole numbers from 0 on.
    Whole,
    /// Real numbers.
    Real,
}

/// Which values a setting takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "type")]
pub enum Kind {
    /// Yes or no: a flag of the command.
    Flag,
    /// A number.
    Number {
        /// Which numbers.
        number: NumberKind,
    },
    /// A number, or none.
    OptionalNumber {
        /// Which numbers.
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
        /// Which numbers.
        number: NumberKind,
        /// What the number is: "a number of steps".
        meaning: &'static str,
    },
    /// `auto`, or a schedule of thresholds as text.
    Threshold,
}

impl Kind {
    /// The words it takes.
    #[must_use]
    pub fn words(&self) -> &'static [&'static str] {
        match self {
            Self::Flag | Self::Number { .. } => &[],
            Self::OptionalNumber { .. } => &["none"],
            Self::Words { words } | Self::WordsOrNumber { words, .. } => words,
            Self::Threshold => &["auto"],
        }
    }

    /// The numbers it takes.
    #[must_use]
    pub fn number(&self) -> Option<NumberKind> {
        match self {
            Self::Flag | Self::Words { .. } | Self::Threshold => None,
            Self::Number { number }
            | Self::OptionalNumber { number }
            | Self::WordsOrNumber { number, .. } => Some(*number),
        }
    }

    /// What a value must be, as a half-sentence.
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
            Self::Threshold => "it must be auto or a schedule".to_owned(),
        }
    }

    /// The form of a value, for the help of the command: `exact|N`.
    #[must_use]
    pub fn form(&self) -> String {
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
