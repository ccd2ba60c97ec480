//! The description of a method beyond its settings.

use super::{Memory, Settings, Size};

/// The description of a method.
#[derive(Debug, Clone, Copy)]
pub struct About {
    /// Name of the Python class.
    pub class: &'static str,
    /// Full name.
    pub title: &'static str,
    /// One line: the result and the purpose of the method.
    pub summary: &'static str,
    /// True if the samples are word counts.
    pub counts: bool,
    /// The function that the method minimizes and reports as `loss`, if any.
    pub loss: Option<&'static str>,
}

/// The description of a method beyond its settings, which each method implements.
pub trait Described: Settings {
    /// Names and summary.
    const ABOUT: About;

    /// Name of the start that [`Start::Auto`](crate::fit::Start::Auto) selects; `negative` is true if samples have
    /// negative values.
    fn default_start(&self, negative: bool) -> &'static str;

    /// Returns true if users may set a start.
    #[must_use]
    fn takes_start() -> bool {
        true
    }

    /// Returns true if samples must be non-negative.
    fn needs_nonnegative(&self) -> bool;

    /// Upper bound of the memory of a fit, without the samples.
    fn memory(&self, size: &Size) -> Memory;
}
