//! Alternating methods: weights from components, then components from weights.
//!
//! One stage is one pass over the samples. Each block gets new weights from the current components and adds to the sums
//! from which the components are then updated. [`run`] runs the stages of any such method; [`gram`] has the shared
//! code of the methods for the squared error.

mod gram;
mod moments;
mod pass;
mod revive;
mod run;
mod state;
mod weights;

use ndarray::Array2;

pub(super) use gram::{GramMethod, GramRule};
pub(super) use moments::Moments;
pub(crate) use pass::{WeightPass, WeightRule};
pub(crate) use run::Factors;
pub(super) use run::{fit, improve};
pub(super) use weights::{PreparedGram, WeightProblem};

use crate::compression::Space;
use crate::fit::Limits;
use crate::samples::Samples;
use crate::settings::{Compress, Memory, Size};
use crate::{FitError, Real};

/// The settings that alternating methods share.
#[derive(Debug, Clone, Copy)]
pub(super) struct AlternatingSettings {
    pub(super) limits: Limits,
    /// Components may be negative.
    pub(super) signed: bool,
    pub(super) compress: Compress,
    pub(super) seed: u64,
}

/// Number of samples × rank arrays alive at a time: two of weights, one in a checkpoint, one in the result.
const WEIGHT_ARRAYS: usize = 4;

/// The name of the default initialization of alternating methods.
pub(super) fn default_start(negative: bool) -> &'static str {
    // NNDSVD needs non-negative samples.
    if negative { "random-samples" } else { "nndsvda" }
}

/// The memory that alternating methods need in addition to the samples.
pub(super) fn memory(rank: usize, compress: Compress, size: &Size) -> Memory {
    size.memory(size.wide(rank).saturating_add(size.rows(rank, WEIGHT_ARRAYS)), compress.memory(size))
}

/// An alternating method.
pub(super) trait Alternation<T: Real>: Sync {
    /// The name of the method.
    const METHOD: &'static str;
    /// Input of a pass, derived from the components.
    type Pass: Send + Sync;
    /// Sums over all samples from which the components are updated.
    type Sums: Send;

    fn settings(&self) -> AlternatingSettings;

    /// Passes over the samples in a stage.
    fn passes_per_stage(&self) -> usize {
        1
    }

    /// Adapts the initial components to the constraints of the method.
    fn prepare_start(&self, start: Array2<T>) -> Array2<T>;

    fn prepare_pass(&self, components: &Array2<T>, space: &Space<T>, sparse: bool) -> Self::Pass;

    /// Returns the input of a finished pass, so that later passes can reuse its memory.
    fn recycle_pass(&self, _pass: Self::Pass) {}

    /// Updates the weights of all samples and accumulates the sums for the component update. `last` are the weights
    /// of the last stage, if any. The content of `weights` is ignored and its memory is reused.
    ///
    /// # Errors
    /// If the samples cannot be read or the method does not support a value.
    fn pass(
        &self,
        pass: &Self::Pass,
        samples: &dyn Samples<T>,
        last: Option<&Array2<T>>,
        weights: &mut Array2<T>,
    ) -> Result<Self::Sums, FitError>;

    /// Updates the components from the sums over all samples.
    fn update_components(
        &self,
        sums: Self::Sums,
        context: UpdateContext<'_, T>,
    ) -> Result<ComponentUpdate<T, Self>, FitError>;
}

/// The state of a run when its components are updated.
pub(super) struct UpdateContext<'a, T: Real> {
    pub(super) stage: usize,
    pub(super) components: &'a Array2<T>,
    /// Output: the new components.
    pub(super) next: &'a mut Array2<T>,
    pub(super) space: &'a Space<T>,
    /// The samples in that space.
    pub(super) samples: &'a dyn Samples<T>,
    /// The new weights of all samples.
    pub(super) weights: &'a mut Array2<T>,
    /// The number of revivals of each component so far.
    pub(super) revivals: &'a [usize],
}

/// The result of a component update.
pub(super) struct ComponentUpdate<T: Real, A: Alternation<T> + ?Sized> {
    /// Input of the next pass.
    pub(super) pass: A::Pass,
    pub(super) loss: f64,
    /// Fraction of non-zero weights.
    pub(super) active_fraction: f64,
    /// Dead components that were reinitialized.
    pub(super) revived: Vec<usize>,
}
