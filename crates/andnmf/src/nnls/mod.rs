//! Non-negative least squares for many samples under the same components: the weights x ≥ 0 that minimise
//! ‖y − Aᵀx‖² for every sample y, where the rows of A are the components, of any sign.
//!
//! The method is block principal pivoting of Kim & Park (2008, 2011) on the Gram matrix G = A·Aᵀ and the
//! products p = A·y. All arithmetic inside is in double precision, whatever the type of the data, so single
//! precision loses digits only where it is read and written.
//!
//! Components that are zero get the weight zero. Where components depend on each other, several weights may reach
//! the same smallest loss, and one of them is returned. A Gram matrix knows its components to half the digits
//! only: for components that depend on each other up to 1e-6 of their length or less (1e-3 in single precision)
//! the conditions of the optimum hold to that much, and to rounding for all others.

mod active_set;
mod block;
mod gram;
mod kkt;
#[cfg(test)]
pub(crate) mod oracle;
mod passive_sets;
mod pivoting;
mod systems;
#[cfg(test)]
mod tests;
mod weights;

use ndarray::{Array2, ArrayView2, Axis};
use rayon::prelude::*;

pub use kkt::kkt_violation;
pub use weights::weights;

pub(crate) use block::{Begin, BlockWorkspace, OutOfRange, solve_block};
pub(crate) use gram::ScaledGram;
pub(crate) use weights::Weights;

use crate::{Real, SamplesError, ShapeError};

/// Samples that one thread takes at a time: many enough to find equal passive sets among them.
const ROWS_PER_BLOCK: usize = 256;

/// Why there are no weights.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum NnlsError {
    /// The matrices do not fit together.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// A value that is NaN or infinite.
    #[error(
        "{what}, row {row}, column {column} is {value} (counted from 0); every value must be a finite number"
    )]
    NotFinite {
        /// Which matrix.
        what: &'static str,
        /// Row, counted from 0.
        row: usize,
        /// Column, counted from 0.
        column: usize,
        /// The offending value.
        value: f64,
    },
    /// A matrix that is not the Gram matrix of any components.
    #[error("the Gram matrix is wrong in row {row}, column {column} (counted from 0): {reason}")]
    NotGram {
        /// Row, counted from 0.
        row: usize,
        /// Column, counted from 0.
        column: usize,
        /// What it must be.
        reason: &'static str,
    },
    /// Numbers left the range of the floating-point type.
    #[error(
        "the weights of sample {sample} (counted from 0) leave the range of the floating-point type; scale \
         samples and components so that their values are near 1"
    )]
    Overflow {
        /// Sample, counted from 0.
        sample: usize,
    },
    /// The samples cannot be read, or reading them was cancelled.
    #[error(transparent)]
    Samples(#[from] SamplesError),
    /// The worker threads could not be started.
    #[error("the {threads} worker threads could not be started: {reason}")]
    Threads {
        /// How many were asked for.
        threads: usize,
        /// What the system said.
        reason: String,
    },
}

/// The non-negative least-squares weights (n × rank) from the Gram matrix of the components (rank × rank) and
/// the products of samples and components (n × rank).
///
/// `start` may give weights that are probably close, such as those of similar components: only which of them
/// are positive matters, and only for the time it takes. The weights of a sample are the same bits on any number
/// of threads and whatever other samples there are.
///
/// ```
/// use ndarray::array;
/// // Two orthogonal components of length 1; two samples.
/// let (gram, products) = (array![[1.0, 0.0], [0.0, 1.0]], array![[2.0, -1.0], [0.5, 3.0]]);
/// let weights = andnmf::nnls::solve(gram.view(), products.view(), None)?;
/// assert_eq!(weights, array![[2.0, 0.0], [0.5, 3.0]]);
/// # Ok::<(), andnmf::nnls::NnlsError>(())
/// ```
///
/// # Errors
/// Where shapes do not fit, a value is not finite, the Gram matrix is seen to be none (it is not symmetric, or has a
/// negative diagonal), or the weights leave the range of the type.
pub fn solve<T: Real>(
    gram: ArrayView2<'_, T>,
    products: ArrayView2<'_, T>,
    start: Option<ArrayView2<'_, T>>,
) -> Result<Array2<T>, NnlsError> {
    check_problem(gram, products, start)?;
    let gram = ScaledGram::new(gram)?;
    check_finite("the products", products)?;
    if let Some(start) = start {
        check_finite("the start", start)?;
    }
    let (mut weights, begin) = match start {
        Some(start) => (start.as_standard_layout().into_owned(), Begin::Warm),
        None => (Array2::zeros(products.dim()), Begin::Cold),
    };
    let blocks: Vec<_> = weights
        .axis_chunks_iter_mut(Axis(0), ROWS_PER_BLOCK)
        .zip(products.axis_chunks_iter(Axis(0), ROWS_PER_BLOCK))
        .enumerate()
        .collect();
    blocks.into_par_iter().try_for_each_init(
        BlockWorkspace::default,
        |room, (block, (weights, products))| {
            solve_block(&gram, products, weights, begin, room)
                .map_err(|OutOfRange { row }| NnlsError::Overflow { sample: block * ROWS_PER_BLOCK + row })
        },
    )?;
    Ok(weights)
}

fn check_problem<T: Real>(
    gram: ArrayView2<'_, T>,
    products: ArrayView2<'_, T>,
    weights: Option<ArrayView2<'_, T>>,
) -> Result<(), NnlsError> {
    let rank = products.ncols();
    if gram.dim() != (rank, rank) {
        let expected = format!("{rank} × {rank}, as the products have {rank} columns");
        return Err(ShapeError::new("the Gram matrix", gram.dim(), expected).into());
    }
    match weights {
        Some(weights) if weights.dim() != products.dim() => {
            let expected = format!("{} × {rank}, as the products are", products.nrows());
            Err(ShapeError::new("the weights", weights.dim(), expected).into())
        }
        _ => Ok(()),
    }
}

fn check_finite<T: Real>(what: &'static str, matrix: ArrayView2<'_, T>) -> Result<(), NnlsError> {
    match matrix.indexed_iter().find(|(_, v)| !v.finite()) {
        Some(((row, column), v)) => Err(NnlsError::NotFinite { what, row, column, value: v.as_f64() }),
        None => Ok(()),
    }
}
