//! Methods that alternate: weights from components, then components from weights.
//!
//! One stage is one pass over the samples. Each block gets new weights from the components as they are, and adds
//! to the sums from which the components are then renewed. [`engine`] runs the stages of any such method;
//! [`gram`] is what the methods for the squared error share.

mod engine;
mod gram;
mod moments;
mod revive;
mod state;
mod weights;

use ndarray::{Array2, ArrayViewMut2};

pub(crate) use engine::Factors;
pub(super) use engine::{fit, improve};
pub(super) use gram::{GramMethod, GramRule};
pub(super) use moments::Moments;
pub(super) use weights::{PreparedGram, WeightProblem};

use crate::compression::Space;
use crate::fit::Limits;
use crate::samples::{Block, Samples};
use crate::settings::Compress;
use crate::settings::{Memory, Size};
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

    /// Empty sums over samples of this width.
    fn new_sums(&self, width: usize, sparse: bool) -> Self::Sums;

    /// Renews the weights of a block, which come as the last stage left them, and adds the block to the sums.
    /// Before the first stage there are no weights yet: they come as zeros.
    ///
    /// # Errors
    /// Where a value of the samples is none that the method can work with.
    fn block(
        &self,
        pass: &Self::Pass,
        sums: &mut Self::Sums,
        block: &BlockAt<'_, T>,
        weights: ArrayViewMut2<'_, T>,
    ) -> Result<(), FitError>;

    fn merge(&self, into: &mut Self::Sums, other: Self::Sums);

    /// The same for all samples at once where they are elsewhere, and the method knows what to ask there; nothing
    /// where they have to be read.
    ///
    /// # Errors
    /// Where the samples are out of reach.
    fn ask(
        &self,
        _pass: &Self::Pass,
        _samples: &dyn Samples<T>,
        _first: bool,
        _weights: &mut Array2<T>,
    ) -> Result<Option<Self::Sums>, FitError> {
        Ok(None)
    }

    /// Renews the components from the sums over all samples.
    fn renew(&self, sums: Self::Sums, now: Now<'_, T>) -> Result<Renewed<T, Self>, FitError>;
}

/// A block of samples and when it is read.
pub(super) struct BlockAt<'a, T: Real> {
    pub(super) rows: Block<'a, T>,
    /// Whether there are no weights yet.
    pub(super) first: bool,
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
