//! What a method says of itself beyond its settings.

use super::{Memory, Settings, Size};

/// A method in words.
#[derive(Debug, Clone, Copy)]
pub struct About {
    /// The class in Python.
    pub class: &'static str,
    /// The name in full.
    pub title: &'static str,
    /// One line: what it finds, and what it is for.
    pub summary: &'static str,
    /// Whether it takes values for counts of words.
    pub counts: bool,
    /// What the method minimizes and reports as `loss`, where there is such a thing.
    pub loss: Option<&'static str>,
}

/// A method's description beyond its settings, which the method writes itself.
pub trait Described: Settings {
    /// The method in words.
    const ABOUT: About;

    /// The start that [`Start::Auto`](crate::fit::Start::Auto) stands for, by name; `negative` says whether samples
    /// have negative values.
    fn default_start(&self, negative: bool) -> &'static str;

    /// Whether a start may be given.
    #[must_use]
    fn takes_start() -> bool {
        true
    }

    /// Whether samples must not be negative.
    fn needs_nonnegative(&self) -> bool;

    /// Memory beside the samples.
    fn memory(&self, size: &Size) -> Memory;
}
