//! Compression: stages in a smaller space.
//!
//! Samples often span far fewer dimensions than they have features. In an orthonormal basis of their span all
//! products with them have the same values and cost less.

use ndarray::{Array2, ArrayView2};

use crate::fit::Warning;
use crate::linalg::coordinates::project;
use crate::linalg::product::{PartialSumPool, multiply, multiply_long, multiply_long_into};
use crate::linalg::span::{Effort, span};
use crate::linalg::subspace_iteration::leading_directions;
use crate::samples::{DenseSamples, Samples};
use crate::settings::{Compress, Size};
use crate::{FitError, Real};

/// Compression pays if the space is at least this many times narrower, given the cost of computing it.
const WORTHWHILE: usize = 3;
/// Computing the space costs about as much as this many stages.
const MIN_STAGES: usize = 4;
/// One value of a sparse sample costs about as much as this many of a dense one.
const SPARSE_VALUE_COST: usize = 4;

impl Compress {
    /// Maximum bytes of the samples in the smaller space.
    pub(crate) fn memory(self, size: &Size) -> u64 {
        let columns = match self {
            Self::Off => 0,
            Self::Auto => {
                let narrow = (size.stored_values / size.n_samples.max(1)).saturating_mul(SPARSE_VALUE_COST);
                size.n_features.min(narrow) / WORTHWHILE
            }
            Self::Lossless => size.n_features,
            Self::Leading(columns) => columns.min(size.n_features),
        };
        size.smaller_space(columns)
    }
}

/// The space of the stages.
#[derive(Debug)]
pub(crate) enum Space<T: Real> {
    /// The original space of the samples.
    Original,
    /// The span of the orthonormal rows of `basis`, and the samples in its coordinates.
    Compressed { basis: Array2<T>, samples: DenseSamples<'static, T> },
}

/// A chosen space, the passes over the samples to compute it, and a warning if it is lossy.
#[derive(Debug)]
pub(crate) struct ChosenSpace<T: Real> {
    pub(crate) space: Space<T>,
    pub(crate) passes: usize,
    pub(crate) warning: Option<Warning>,
}

impl<T: Real> ChosenSpace<T> {
    pub(crate) fn original() -> Self {
        Self { space: Space::Original, passes: 0, warning: None }
    }
}

impl<T: Real> Space<T> {
    /// Chooses the space for a run of at most `max_stages` stages. It contains the rows of `also` beside the samples;
    /// `guess` is a first guess of its dimension.
    pub(crate) fn choose(
        compress: Compress,
        max_stages: usize,
        samples: &dyn Samples<T>,
        also: ArrayView2<'_, T>,
        guess: usize,
        seed: u64,
    ) -> Result<ChosenSpace<T>, FitError> {
        let features = samples.n_features();
        let most = match compress {
            Compress::Auto if max_stages < MIN_STAGES => return Ok(ChosenSpace::original()),
            Compress::Off => return Ok(ChosenSpace::original()),
            Compress::Auto => effective_width(samples) / WORTHWHILE,
            Compress::Lossless => features.saturating_sub(1),
            Compress::Leading(dimension) => return Self::leading(samples, dimension, seed),
        };
        let effort = match compress {
            Compress::Lossless => Effort::Thorough,
            _ => Effort::Within(stage_operations(samples, guess)),
        };
        let result = span(samples, also, guess, most, effort, seed)?;
        Ok(match result.basis {
            Some(basis) => {
                let space = Self::with_basis(basis, samples)?;
                ChosenSpace { space, passes: result.passes + 1, warning: None }
            }
            None => ChosenSpace { space: Self::Original, passes: result.passes, warning: None },
        })
    }

    fn leading(samples: &dyn Samples<T>, dimension: usize, seed: u64) -> Result<ChosenSpace<T>, FitError> {
        let leading = leading_directions(samples, dimension, seed)?;
        let dimension = leading.basis.nrows();
        let warning = Warning::LossyProjection { dimension, discarded: leading.discarded };
        let space = Self::with_basis(leading.basis, samples)?;
        Ok(ChosenSpace { space, passes: leading.passes + 1, warning: Some(warning) })
    }

    /// The space of a given basis.
    pub(crate) fn with_basis(basis: Array2<T>, samples: &dyn Samples<T>) -> Result<Self, FitError> {
        if basis.nrows() == 0 {
            // All samples and the start are zero: there is nothing to compress.
            return Ok(Self::Original);
        }
        // Sums of finite values may overflow. Report that without a location, which would be in the compressed
        // coordinates.
        let projected = DenseSamples::new(project(samples, basis.view())?);
        let samples = projected.map_err(|_| FitError::Overflow { stage: 0 })?;
        Ok(Self::Compressed { basis, samples })
    }

    /// Converts components from the original space into this one.
    pub(crate) fn enter(&self, components: &Array2<T>) -> Array2<T> {
        match self {
            Self::Original => components.clone(),
            Self::Compressed { basis, .. } => multiply_long(components.view(), basis.t()),
        }
    }

    /// [`enter`](Self::enter) that writes into a matrix of that shape.
    pub(crate) fn enter_into(
        &self,
        matrix: &mut Array2<T>,
        components: &Array2<T>,
        parts: &PartialSumPool<T>,
    ) {
        match self {
            Self::Original => matrix.assign(components),
            Self::Compressed { basis, .. } => multiply_long_into(matrix, components.view(), basis.t(), parts),
        }
    }

    /// Converts components from this space into the original one.
    pub(crate) fn leave(&self, working: &Array2<T>) -> Array2<T> {
        match self {
            Self::Original => working.clone(),
            Self::Compressed { basis, .. } => multiply(working.view(), basis.view()),
        }
    }

    /// The samples in this space.
    pub(crate) fn samples<'a>(&'a self, original: &'a dyn Samples<T>) -> &'a dyn Samples<T> {
        match self {
            Self::Original => original,
            Self::Compressed { samples, .. } => samples,
        }
    }

    pub(crate) fn basis(&self) -> Option<&Array2<T>> {
        match self {
            Self::Original => None,
            Self::Compressed { basis, .. } => Some(basis),
        }
    }
}

/// Operations of one stage with `rank` components: decoding, and the sums over decoded samples.
fn stage_operations<T: Real>(samples: &dyn Samples<T>, rank: usize) -> f64 {
    4.0 * samples.n_samples() as f64 * effective_width(samples) as f64 * rank as f64
}

/// The number of features of a dense matrix with the same cost per stage.
fn effective_width<T: Real>(samples: &dyn Samples<T>) -> usize {
    if samples.is_sparse() {
        let per_sample = samples.stored_values() / samples.n_samples().max(1);
        per_sample.saturating_mul(SPARSE_VALUE_COST).min(samples.n_features())
    } else {
        samples.n_features()
    }
}
