//! Non-negative least squares (NNLS) for many samples with the same components: the weights x ≥ 0 that minimize
//! ‖y − Aᵀx‖² for every sample y, where the rows of A are the components, of any sign.
//!
//! The method is block principal pivoting of Kim & Park (2008, 2011) on the Gram matrix G = A·Aᵀ and the
//! products p = A·y. All arithmetic is in double precision; single-precision data lose digits only on input and output.
//!
//! Zero components get zero weights. If components are linearly dependent, several weights may reach the same smallest
//! loss, and one of them is returned. A Gram matrix determines its components to half the digits only: for components
//! that are dependent up to 1e-6 of their length (1e-3 in single precision) the optimality conditions hold to that
//! accuracy, and to rounding for all others.

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

pub(crate) use block::{BlockWorkspace, NnlsStart, OutOfRange, solve_block};
pub(crate) use gram::ScaledGram;
pub(crate) use weights::WeightsQuery;

use crate::{Real, SamplesError, ShapeError};

/// Samples per block and thread: enough to have equal passive sets among them.
const ROWS_PER_BLOCK: usize = 256;

/// The error of an NNLS problem.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum NnlsError {
    /// The shapes of the matrices do not match.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// A value that is NaN or infinite.
    #[error(
        "{what}, row {row}, column {column} is {value} (counted from 0); every value must be a finite number"
    )]
    NotFinite {
        /// The matrix.
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
        /// The requirement.
        reason: &'static str,
    },
    /// Numbers left the range of the floating-point type.
    #[error(
        "the weights of sample {sample} (counted from 0) overflow the range of the floating-point type; scale \
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
    #[error("cannot start {threads} worker threads: {reason}; use fewer threads")]
    Threads {
        /// Number of requested threads.
        threads: usize,
        /// The error of the system.
        reason: String,
    },
}

/// The non-negative least-squares weights (n × rank) from the Gram matrix of the components (rank × rank) and
/// the products of samples and components (n × rank).
///
/// `start` is an optional warm start, such as the weights of similar components: it affects only the speed, through the
/// set of its positive weights. The weights of a sample have the same bits on any number of threads, and do not
/// depend on other samples.
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
/// If shapes do not match, a value is not finite, `gram` is no Gram matrix (not symmetric, or a negative diagonal),
/// or the weights overflow.
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
    let (mut weights, nnls_start) = match start {
        Some(start) => (start.as_standard_layout().into_owned(), NnlsStart::Warm),
        None => (Array2::zeros(products.dim()), NnlsStart::Cold),
    };
    let blocks: Vec<_> = weights
        .axis_chunks_iter_mut(Axis(0), ROWS_PER_BLOCK)
        .zip(products.axis_chunks_iter(Axis(0), ROWS_PER_BLOCK))
        .enumerate()
        .collect();
    blocks.into_par_iter().try_for_each_init(
        BlockWorkspace::default,
        |workspace, (block, (weights, products))| {
            solve_block(&gram, products, weights, nnls_start, workspace)
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
        let expected = format!("{rank} × {rank}, because the products have {rank} columns");
        return Err(ShapeError::new("the Gram matrix", gram.dim(), expected).into());
    }
    match weights {
        Some(weights) if weights.dim() != products.dim() => {
            let expected = format!("{} × {rank}, like the products", products.nrows());
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
