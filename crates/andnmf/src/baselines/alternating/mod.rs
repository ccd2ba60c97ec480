//! Methods that alternate: weights from components, then components from weights.
//!
//! One stage is one pass over the samples. Each block gets new weights from the components as they are, and adds
//! to the sums from which the components are then renewed. [`engine`] runs the stages of any such method;
//! [`gram`] is what the methods for the squared error share.

mod engine;
mod gram;
mod moments;
mod pass;
mod revive;
mod state;
mod weights;

use ndarray::Array2;

pub(crate) use engine::Factors;
pub(super) use engine::{fit, improve};
pub(super) use gram::{GramMethod, GramRule};
pub(super) use moments::Moments;
#[cfg(test)]
pub(crate) use pass::Passed;
pub(crate) use pass::{WeightPass, WeightRule};
pub(super) use weights::{PreparedGram, WeightProblem};

use crate::compression::Space;
use crate::fit::Limits;
use crate::samples::Samples;
use crate::settings::{Compress, Memory, Size};
use crate::{FitError, Real};

/// The settings that alternating methods share.
#[derive(Debug, Clone, Copy)]
pub(super) struct Settings {
    pub(super) limits: Limits,
    /// Whether components may be negative.
    pub(super) signed: bool,
    pub(super) compress: Compress,
    pub(super) seed: u64,
}

/// Arrays of samples × components at once: two of weights, one in a checkpoint, one at the end.
const WEIGHTS: usize = 4;

/// The start that alternating methods take by default, by name.
pub(super) fn default_start(negative: bool) -> &'static str {
    // Singular vectors of samples with negative values have no non-negative parts to begin with.
    if negative { "random-samples" } else { "nndsvda" }
}

/// The memory that alternating methods take beside the samples.
pub(super) fn memory(rank: usize, compress: Compress, size: &Size) -> Memory {
    size.memory(size.wide(rank) + size.rows(rank, WEIGHTS), compress.memory(size))
}

/// A method that alternates.
pub(super) trait Alternation<T: Real>: Sync {
    /// The name of the method.
    const METHOD: &'static str;
    /// What every block of a pass needs to know of the components.
    type Pass: Send + Sync;
    /// What the components need to know of all samples.
    type Sums: Send;

    fn settings(&self) -> Settings;

    /// The start as the method can use it.
    fn admit(&self, start: Array2<T>) -> Array2<T>;

    fn prepare(&self, components: &Array2<T>, space: &Space<T>, sparse: bool) -> Self::Pass;

    /// Takes back the preparation for a pass that is over, for the next one to use what it holds.
    fn take_back(&self, _pass: Self::Pass) {}

    /// Renews the weights of all samples and sums up what the components need. `last` are the weights of the last stage,
    /// if there was one; what is in `weights` before means nothing, and its memory is used again.
    ///
    /// # Errors
    /// Where the samples cannot be read, or a value is none that the method can work with.
    fn pass(
        &self,
        pass: &Self::Pass,
        samples: &dyn Samples<T>,
        last: Option<&Array2<T>>,
        weights: &mut Array2<T>,
    ) -> Result<Self::Sums, FitError>;

    /// Renews the components from the sums over all samples.
    fn renew(&self, sums: Self::Sums, now: Now<'_, T>) -> Result<Renewed<T, Self>, FitError>;
}

/// Where a run stands when its components are to be renewed.
pub(super) struct Now<'a, T: Real> {
    pub(super) stage: usize,
    pub(super) components: &'a Array2<T>,
    /// Where the new ones go. What is there now means nothing.
    pub(super) next: &'a mut Array2<T>,
    pub(super) space: &'a Space<T>,
    /// The samples in that space.
    pub(super) samples: &'a dyn Samples<T>,
    /// The new weights of all samples.
    pub(super) weights: &'a mut Array2<T>,
    /// How often each component has been revived so far.
    pub(super) revivals: &'a [usize],
}

/// What renewing the components came to.
pub(super) struct Renewed<T: Real, A: Alternation<T> + ?Sized> {
    /// The preparation for the next pass with them.
    pub(super) pass: A::Pass,
    pub(super) loss: f64,
    /// Share of weights that are not zero.
    pub(super) active_fraction: f64,
    /// Components that were dead and got a new direction.
    pub(super) revived: Vec<usize>,
}
