//! What settings are called outside of the library, where that is not their own name.

/// Setting, option of the command (without dashes), parameter in Python.
const RENAMED: [(&str, &str, &str); 7] = [
    ("rank", "rank", "n_components"),
    ("max_stages", "stages", "max_stages"),
    ("tolerance", "tolerance", "tol"),
    ("seed", "seed", "random_state"),
    ("batch", "batch", "batch_size"),
    ("e_step_tolerance", "e-step-tolerance", "e_step_tol"),
    // The Python parameter says the opposite, as it does elsewhere in scikit-learn's world.
    ("signed", "signed", "nonnegative"),
];

/// The option of the command for a setting, without its dashes.
#[must_use]
pub fn option_name(setting: &str) -> String {
    let renamed = RENAMED.iter().find(|(name, ..)| *name == setting);
    renamed.map_or(setting, |(_, option, _)| option).replace('_', "-")
}

/// The parameter of the Python estimators for a setting.
#[must_use]
pub fn parameter_name(setting: &'static str) -> &'static str {
    RENAMED.iter().find(|(name, ..)| *name == setting).map_or(setting, |(.., parameter)| parameter)
}
