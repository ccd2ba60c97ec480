//! The description of a method beyond its settings.

use super::{Memory, Settings, Size};
use crate::samples::Samples;
use crate::{Real, SettingError, memory};

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

    /// Returns true if weights are those of largest likelihood of counts, false if they are those of least squares.
    fn weighs_counts(&self) -> bool;

    /// Upper bound of the memory of a fit, without the samples.
    fn memory(&self, size: &Size) -> Memory;

    /// Lower bound of the memory of a fit of `rank` components, without the samples.
    fn least_memory(&self, rank: usize, size: &Size) -> u64 {
        size.least(rank)
    }

    /// Refuses to fit `rank` components if the process cannot get the memory that this takes at least.
    ///
    /// # Errors
    /// If it takes more than there is.
    fn check_memory<T: Real>(&self, rank: usize, samples: &dyn Samples<T>) -> Result<(), SettingError> {
        // What grows with distributed samples is in the memory of others.
        let n_samples = if samples.executor().is_some() { 0 } else { samples.n_samples() };
        let size = Size {
            n_samples,
            n_features: samples.n_features(),
            stored_values: samples.stored_values(),
            sparse: samples.is_sparse(),
            value: size_of::<T>(),
            threads: 1,
        };
        let what =
            format!("{rank} components of {} samples × {} features", samples.n_samples(), size.n_features);
        memory::check("rank", rank, &what, self.least_memory(rank, &size))
    }
}
