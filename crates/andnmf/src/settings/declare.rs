//! The macro that declares the settings of a method.

/// Declares the settings of a method, each with its documentation, type, default and range:
///
/// ```text
/// declare_settings! {
///     /// Documentation of the struct.
///     pub struct HalsParams for Hals = "hals" {
///         common rank;
///         common signed;
///         /// Documentation of a setting of its own.
///         own: f64 = 0.5, Range::POSITIVE;
///         common seed;
///     }
/// }
/// ```
///
/// `common` names a setting that several methods share; its documentation, type and range are in this macro. The
/// result is the struct of unchecked settings with `Default`, `new` and [`Settings`](crate::settings::Settings), and
/// the struct of checked settings, which `check` returns. Rules for combinations of settings are in a method
/// `check_combinations(&self) -> Result<(), SettingError>` of the unchecked settings. `with name: Type` after the
/// name of the method adds a field to the checked struct, set to its default, for options that are no settings.
macro_rules! declare_settings {
    (
        $(#[$meta:meta])*
        pub struct $params:ident for $solver:ident = $name:literal $(with $($beside:ident: $beside_type:ty),+)? {
            $($fields:tt)*
        }
    ) => {
        declare_settings!(
            @fields [$(#[$meta])* $params $solver $name { $($($beside: $beside_type,)+)? }] one [] $($fields)*
        );
    };

    // The common settings.
    (@fields $head:tt $stages:ident [$($done:tt)*] common rank; $($rest:tt)*) => {
        declare_settings!(@fields $head $stages [$($done)*
            /// Number of components.
            rank: usize = 10, $crate::settings::Range::AT_LEAST_ONE;
        ] $($rest)*);
    };
    (@fields $head:tt $stages:ident [$($done:tt)*] common max_stages = $default:expr; $($rest:tt)*) => {
        declare_settings!(@fields $head many [$($done)*
            /// Maximum number of stages (outer iterations), each one pass over the samples.
            max_stages: usize = $default, $crate::settings::Range::AT_LEAST_ONE;
        ] $($rest)*);
    };
    (@fields $head:tt $stages:ident [$($done:tt)*] common tolerance = $default:expr; $($rest:tt)*) => {
        declare_settings!(@fields $head $stages [$($done)*
            /// Convergence tolerance: stop when a stage changes the components by no more than this, relative to
            /// their norm.
            tolerance: f64 = $default, $crate::settings::Range::NOT_NEGATIVE;
        ] $($rest)*);
    };
    (@fields $head:tt $stages:ident [$($done:tt)*] common time_limit; $($rest:tt)*) => {
        declare_settings!(@fields $head $stages [$($done)*
            /// Time limit in seconds; the best result so far is kept. A resumed fit has the full limit again.
            time_limit: Option<f64> = None, $crate::settings::Range::SECONDS;
        ] $($rest)*);
    };
    (@fields $head:tt $stages:ident [$($done:tt)*] common seed; $($rest:tt)*) => {
        declare_settings!(@fields $head $stages [$($done)*
            /// Random seed.
            seed: u64 = 0, $crate::settings::Range::ANY;
        ] $($rest)*);
    };
    (@fields $head:tt $stages:ident [$($done:tt)*] common signed; $($rest:tt)*) => {
        declare_settings!(@fields $head $stages [$($done)*
            /// Allow negative components. Weights are always non-negative.
            signed: bool = false, $crate::settings::Range::ANY;
        ] $($rest)*);
    };
    (@fields $head:tt $stages:ident [$($done:tt)*] common compress; $($rest:tt)*) => {
        declare_settings!(@fields $head $stages [$($done)*
            /// Compression of the samples into a smaller space: lossless if that is faster (auto), never (off), always
            /// lossless (lossless), or by projection on this many leading directions.
            compress: $crate::settings::Compress = $crate::settings::Compress::Auto,
                $crate::settings::Range::ANY;
        ] $($rest)*);
    };
    (@fields $head:tt $stages:ident [$($done:tt)*] common sweeps = $default:expr; $($rest:tt)*) => {
        declare_settings!(@fields $head $stages [$($done)*
            /// Maximum number of updates of the weights, and of the components, per pass over the samples.
            sweeps: usize = $default, $crate::settings::Range::AT_LEAST_ONE;
        ] $($rest)*);
    };

    // A method with `max_stages` has several stages, also if it documents the setting itself.
    (@fields $head:tt $stages:ident [$($done:tt)*]
        $(#[doc = $doc:literal])* max_stages: $type:ty = $default:expr, $range:expr; $($rest:tt)*
    ) => {
        declare_settings!(@fields $head many [$($done)*
            $(#[doc = $doc])* max_stages: $type = $default, $range;
        ] $($rest)*);
    };

    // A setting of a single method, with or without a range.
    (@fields $head:tt $stages:ident [$($done:tt)*]
        $(#[doc = $doc:literal])* $field:ident: $type:ty = $default:expr, $range:expr; $($rest:tt)*
    ) => {
        declare_settings!(@fields $head $stages [$($done)*
            $(#[doc = $doc])* $field: $type = $default, $range;
        ] $($rest)*);
    };
    (@fields $head:tt $stages:ident [$($done:tt)*]
        $(#[doc = $doc:literal])* $field:ident: $type:ty = $default:expr; $($rest:tt)*
    ) => {
        declare_settings!(@fields $head $stages [$($done)*
            $(#[doc = $doc])* $field: $type = $default, $crate::settings::Range::ANY;
        ] $($rest)*);
    };

    // All settings are collected.
    (@fields [
        $(#[$meta:meta])* $params:ident $solver:ident $name:literal { $($beside:ident: $beside_type:ty,)* }
    ] $stages:ident
        [$($(#[doc = $doc:literal])* $field:ident: $type:ty = $default:expr, $range:expr;)*]
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq, ::serde::Serialize, ::serde::Deserialize)]
        #[serde(default, deny_unknown_fields)]
        pub struct $params {
            $($(#[doc = $doc])* pub $field: $type,)*
        }

        impl Default for $params {
            fn default() -> Self {
                Self { $($field: $default,)* }
            }
        }

        impl $params {
            /// The name of the method.
            pub const NAME: &'static str = $name;

            /// Default settings with this many components.
            #[must_use]
            pub fn new(rank: usize) -> Self {
                Self { rank, ..Self::default() }
            }

            /// Checks every setting.
            ///
            /// # Errors
            /// The first setting outside its range, with the requirement.
            pub fn check(self) -> Result<$solver, $crate::SettingError> {
                $crate::settings::Settings::check_ranges(&self)?;
                self.check_combinations()?;
                Ok($solver { params: self, $($beside: <$beside_type>::default(),)* })
            }
        }

        impl $crate::settings::Settings for $params {
            const SETTINGS: &'static [$crate::settings::Setting] = &[$(
                $crate::settings::Setting::new(
                    stringify!($field),
                    <$type as $crate::settings::SettingValue>::KIND,
                    $range,
                    concat!($($doc, "\n"),*),
                    || $crate::settings::json_of::<$type>(&$default),
                ),
            )*];

            fn stage_limit(&self) -> usize {
                declare_settings!(@stage_limit $stages self)
            }

            fn set(&mut self, name: &str, text: &str) -> Result<(), $crate::SettingError> {
                match name {
                    $(stringify!($field) => {
                        let wrong = |expected| {
                            $crate::SettingError::new(stringify!($field), format!("'{text}'"), expected)
                        };
                        self.$field =
                            <$type as $crate::settings::SettingValue>::from_text(text).map_err(wrong)?;
                    })*
                    _ => return Err($crate::settings::unknown($name, Self::SETTINGS, name)),
                }
                Ok(())
            }

            fn set_json(
                &mut self,
                name: &str,
                value: &::serde_json::Value,
            ) -> Result<(), $crate::SettingError> {
                match name {
                    $(stringify!($field) => {
                        let wrong = |expected| {
                            let given = match value {
                                ::serde_json::Value::String(text) => format!("'{text}'"),
                                other => other.to_string(),
                            };
                            $crate::SettingError::new(stringify!($field), given, expected)
                        };
                        self.$field =
                            <$type as $crate::settings::SettingValue>::from_json(value).map_err(wrong)?;
                    })*
                    _ => return Err($crate::settings::unknown($name, Self::SETTINGS, name)),
                }
                Ok(())
            }

            fn check_ranges(&self) -> Result<(), $crate::SettingError> {
                $(
                    let range: $crate::settings::Range = $range;
                    if let Some(number) = $crate::settings::SettingValue::number(&self.$field)
                        && !range.contains(number)
                    {
                        return Err($crate::SettingError::new(
                            stringify!($field),
                            number,
                            range.expected(),
                        ));
                    }
                )*
                Ok(())
            }
        }

        #[doc = concat!("The method `", $name, "` with checked settings: a [`Solver`](crate::fit::Solver).")]
        #[derive(Debug, Clone, PartialEq)]
        pub struct $solver {
            params: $params,
            $($beside: $beside_type,)*
        }

        impl $solver {
            /// The settings.
            #[must_use]
            pub fn params(&self) -> &$params {
                &self.params
            }

            /// Refuses samples of which so many components take more memory than there is.
            pub(crate) fn check_memory<T: $crate::Real>(
                &self,
                samples: &dyn $crate::samples::Samples<T>,
            ) -> Result<(), $crate::SettingError> {
                $crate::settings::Described::check_memory(&self.params, self.params.rank, samples)
            }
        }

        declare_settings!(@limits $stages $params);
    };

    (@stage_limit one $settings:ident) => { 1 };
    (@stage_limit many $settings:ident) => { $settings.max_stages };

    (@limits one $params:ident) => {};
    (@limits many $params:ident) => {
        impl $params {
            pub(crate) fn limits(&self) -> $crate::fit::Limits {
                let &Self { rank, max_stages, tolerance, time_limit, .. } = self;
                $crate::fit::Limits { rank, max_stages, tolerance, time_limit }
            }
        }
    };
}

pub(crate) use declare_settings;
