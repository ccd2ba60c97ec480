//! Working in a smaller space.
//!
//! Samples often span far fewer dimensions than they have features. In an orthonormal basis of their span every
//! product with them is narrower and comes out the same.

use ndarray::{Array2, ArrayView2};

use crate::fit::Warning;
use crate::linalg::coordinates::project;
use crate::linalg::product::{PartialSumPool, multiply, multiply_long, multiply_long_into};
use crate::linalg::span::{Effort, span};
use crate::linalg::subspace_iteration::leading_directions;
use crate::samples::{DenseSamples, Samples};
use crate::settings::{Compress, Size};
use crate::{FitError, Real};

/// A smaller space must be this many times narrower to pay for finding it and for mapping into it.
const WORTHWHILE: usize = 3;
/// Finding it costs about as much as this many stages.
const FEWEST_STAGES: usize = 4;
/// One value of a sparse sample costs about as much as this many of a dense one.
const SPARSE_VALUE_COST: usize = 4;

impl Compress {
    /// Bytes that samples in the smaller space take at most.
    pub(crate) fn memory(self, size: &Size) -> u64 {
        let columns = match self {
            Self::Off => 0,
            Self::Auto => {
                let narrow = SPARSE_VALUE_COST * size.stored_values / size.n_samples.max(1);
                size.n_features.min(narrow) / WORTHWHILE
            }
            Self::Lossless => size.n_features,
            Self::Leading(columns) => columns,
        };
        size.smaller_space(columns)
    }
}

/// The space the stages run in.
#[derive(Debug)]
pub(crate) enum Space<T: Real> {
    /// That of the samples as they are.
    Original,
    /// The span of these orthonormal rows, with the samples in its coordinates.
    Compressed { basis: Array2<T>, samples: DenseSamples<'static, T> },
}

/// A chosen space and what choosing it took.
#[derive(Debug)]
pub(crate) struct Chosen<T: Real> {
    pub(crate) space: Space<T>,
    pub(crate) passes: usize,
    pub(crate) warning: Option<Warning>,
}

impl<T: Real> Chosen<T> {
    pub(crate) fn original() -> Self {
        Self { space: Space::Original, passes: 0, warning: None }
    }
}

impl<T: Real> Space<T> {
    /// Chooses the space for a run of at most so many stages, about `guess` wide or more. It will hold the rows
    /// of `also` besides the samples.
    pub(crate) fn choose(
        compress: Compress,
        max_stages: usize,
        samples: &dyn Samples<T>,
        also: ArrayView2<'_, T>,
        guess: usize,
        seed: u64,
    ) -> Result<Chosen<T>, FitError> {
        let features = samples.n_features();
        let most = match compress {
            Compress::Auto if max_stages < FEWEST_STAGES => return Ok(Chosen::original()),
            Compress::Off => return Ok(Chosen::original()),
            Compress::Auto => effective_width(samples) / WORTHWHILE,
            Compress::Lossless => features.saturating_sub(1),
            Compress::Leading(dimension) => return Self::leading(samples, dimension, seed),
        };
        let effort = match compress {
            Compress::Lossless => Effort::Thorough,
            _ => Effort::Within(stage_operations(samples, guess)),
        };
        let found = span(samples, also, guess, most, effort, seed)?;
        Ok(match found.basis {
            Some(basis) => {
                let space = Self::with_basis(basis, samples)?;
                Chosen { space, passes: found.passes + 1, warning: None }
            }
            None => Chosen { space: Self::Original, passes: found.passes, warning: None },
        })
    }

    fn leading(samples: &dyn Samples<T>, dimension: usize, seed: u64) -> Result<Chosen<T>, FitError> {
        let leading = leading_directions(samples, dimension, seed)?;
        let dimension = leading.basis.nrows();
        let warning = Warning::LossyProjection { dimension, discarded: leading.discarded };
        let space = Self::with_basis(leading.basis, samples)?;
        Ok(Chosen { space, passes: leading.passes + 1, warning: Some(warning) })
    }

    /// The space of a known basis.
    pub(crate) fn with_basis(basis: Array2<T>, samples: &dyn Samples<T>) -> Result<Self, FitError> {
        if basis.nrows() == 0 {
            // All samples and the whole start are zero: there is nothing to narrow down to.
            return Ok(Self::Original);
        }
        // Finite values may still overflow when they are added up; a place in these coordinates would mean nothing.
        let projected = DenseSamples::new(project(samples, basis.view())?);
        let samples = projected.map_err(|_| FitError::Overflow { stage: 0 })?;
        Ok(Self::Compressed { basis, samples })
    }

    /// Components of the samples' space in the coordinates of this one.
    pub(crate) fn enter(&self, components: &Array2<T>) -> Array2<T> {
        match self {
            Self::Original => components.clone(),
            Self::Compressed { basis, .. } => multiply_long(components.view(), basis.t()),
        }
    }

    /// [`enter`](Self::enter) in place of what a matrix of that shape holds.
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

    /// Components of this space in the space of the samples.
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

/// Operations of one stage with so many components: decoding, and the sums over decoded samples.
fn stage_operations<T: Real>(samples: &dyn Samples<T>, rank: usize) -> f64 {
    4.0 * samples.n_samples() as f64 * effective_width(samples) as f64 * rank as f64
}

/// Features of a dense matrix whose stages would cost the same.
fn effective_width<T: Real>(samples: &dyn Samples<T>) -> usize {
    if samples.is_sparse() {
        let per_sample = samples.stored_values() / samples.n_samples().max(1);
        per_sample.saturating_mul(SPARSE_VALUE_COST).min(samples.n_features())
    } else {
        samples.n_features()
    }
}
