//! Types of settings whose value is one of several words, or a word or a number.

/// Declares an enum of words and, after a semicolon, at most one variant with a number. It is parsed by `FromStr`,
/// formatted by `Display`, and serialized: a word as a string, a number under the name of its variant.
macro_rules! declare_choice {
    (
        $(#[$meta:meta])*
        pub enum $type:ident for $setting:literal {
            $($(#[doc = $word_doc:literal])* $word:ident = $text:literal,)+
            $(; $(#[doc = $number_doc:literal])* $variant:ident($number:ty) = $meaning:literal $(,)?)?
        }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, ::serde::Serialize, ::serde::Deserialize)]
        #[serde(rename_all = "kebab-case")]
        pub enum $type {
            $($(#[doc = $word_doc])* #[serde(rename = $text)] $word,)+
            $($(#[doc = $number_doc])* $variant($number),)?
        }

        impl $type {
            /// The words that users write.
            pub const WORDS: &'static [&'static str] = &[$($text),+];
        }

        impl ::std::fmt::Display for $type {
            fn fmt(&self, to: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                match self {
                    $(Self::$word => to.write_str($text),)+
                    $(Self::$variant(number) => <$number as ::std::fmt::Display>::fmt(number, to),)?
                }
            }
        }

        impl ::std::str::FromStr for $type {
            type Err = $crate::SettingError;

            fn from_str(text: &str) -> Result<Self, $crate::SettingError> {
                let wrong =
                    |expected| $crate::SettingError::new($setting, format!("'{text}'"), expected);
                <Self as $crate::settings::SettingValue>::from_text(text).map_err(wrong)
            }
        }

        impl $crate::settings::SettingValue for $type {
            const KIND: $crate::settings::SettingKind = declare_choice!(@kind $type $($number, $meaning)?);

            fn from_text(text: &str) -> Result<Self, String> {
                match text.trim() {
                    $($text => Ok(Self::$word),)+
                    $(number if number.parse::<$number>().is_ok() => {
                        number.parse().map(Self::$variant).map_err(|_| Self::KIND.expected())
                    })?
                    _ => Err(Self::KIND.expected()),
                }
            }

            fn number(&self) -> Option<f64> {
                match self {
                    $(Self::$word => None,)+
                    $(Self::$variant(number) => <$number as $crate::settings::SettingValue>::number(number),)?
                }
            }
        }
    };
    (@kind $type:ident) => {
        $crate::settings::SettingKind::Words { words: $type::WORDS }
    };
    (@kind $type:ident $number:ty, $meaning:literal) => {
        $crate::settings::SettingKind::WordsOrNumber {
            words: $type::WORDS,
            number: match <$number as $crate::settings::SettingValue>::KIND {
                $crate::settings::SettingKind::Number { number } => number,
                _ => $crate::settings::NumberKind::Real,
            },
            meaning: $meaning,
        }
    };
}

pub(crate) use declare_choice;
