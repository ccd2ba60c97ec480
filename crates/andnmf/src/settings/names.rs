//! Names of settings in the command and in Python, if they differ from those in the library.

/// Setting, option of the command (without dashes), parameter in Python.
const RENAMED: [(&str, &str, &str); 7] = [
    ("rank", "rank", "n_components"),
    ("max_stages", "stages", "max_stages"),
    ("tolerance", "tolerance", "tol"),
    ("seed", "seed", "random_state"),
    ("batch", "batch", "batch_size"),
    ("e_step_tolerance", "e-step-tolerance", "e_step_tol"),
    // The Python parameter has the opposite meaning, as is usual in scikit-learn.
    ("signed", "signed", "nonnegative"),
];

/// The option of the command for a setting, without dashes.
///
/// ```
/// assert_eq!(andnmf::settings::option_name("max_stages"), "stages");
/// ```
#[must_use]
pub fn option_name(setting: &str) -> String {
    let renamed = RENAMED.iter().find(|(name, ..)| *name == setting);
    renamed.map_or(setting, |(_, option, _)| option).replace('_', "-")
}

/// The parameter of the Python estimators for a setting.
///
/// ```
/// assert_eq!(andnmf::settings::parameter_name("tolerance"), "tol");
/// ```
#[must_use]
pub fn parameter_name(setting: &'static str) -> &'static str {
    RENAMED.iter().find(|(name, ..)| *name == setting).map_or(setting, |(.., parameter)| parameter)
}
