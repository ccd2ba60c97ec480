//! Samples that are processed where they are stored: the side of the workers.
//!
//! Samples with an [`Executor`](crate::samples::Executor) are not read by solvers. Solvers send queries instead; the executor
//! passes each [`Request`](crate::samples::Request) to the workers that hold the samples, which run it by [`execute`] and
//! combine their results by [`merge`]. Whoever writes an executor moves bytes and knows no query.
//!
//! ```
//! use std::ops::Range;
//!
//! use andnmf::samples::{Block, DenseSamples, Executor, Reply, Request, Samples};
//! use andnmf::{SamplesError, distributed};
//! use ndarray::{array, s};
//!
//! /// Two halves that might as well be on two machines.
//! struct Halves([DenseSamples<'static, f64>; 2]);
//!
//! impl Executor for Halves {
//!     fn execute(&self, request: &Request) -> Result<Reply, SamplesError> {
//!         let (mut first, mut replies) = (0, Vec::new());
//!         for half in &self.0 {
//!             let own = first..first + half.n_samples();
//!             let rows = request.rows_of(own.clone()).unwrap_or_default();
//!             replies.push(distributed::execute(half, first, &request.query, &request.arguments, rows)?);
//!             first = own.end;
//!         }
//!         let sums = distributed::merge(&request.query, &replies[0].sums, &replies[1].sums)?;
//!         Ok(Reply { sums, rows: replies.into_iter().flat_map(|reply| reply.rows).collect() })
//!     }
//! }
//!
//! impl Samples<f64> for Halves {
//!     fn n_samples(&self) -> usize {
//!         self.0.iter().map(|half| half.n_samples()).sum()
//!     }
//!     fn n_features(&self) -> usize {
//!         self.0[0].n_features()
//!     }
//!     fn executor(&self) -> Option<&dyn Executor> {
//!         Some(self)
//!     }
//!     fn block(&self, _: Range<usize>) -> Result<Block<'_, f64>, SamplesError> {
//!         unimplemented!("weights need no rows")
//!     }
//! }
//!
//! let samples = array![[2.0, 2.0, 6.0], [1.0, 1.0, 0.0], [0.0, 0.0, 4.0]];
//! let half = |rows: Range<usize>| DenseSamples::new(samples.slice(s![rows, ..]).to_owned());
//! let (components, run) = (array![[1.0, 1.0, 0.0], [0.0, 0.0, 2.0]], andnmf::fit::Run::new());
//! let weights = andnmf::nnls::weights(&Halves([half(0..1)?, half(1..3)?]), components.view(), &run)?;
//! assert_eq!(weights, andnmf::nnls::weights(&half(0..3)?, components.view(), &run)?);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#[cfg(test)]
mod each_query;
#[cfg(test)]
mod tests;

use crate::and::{Decode, Stage};
use crate::baselines::{ExactRule, MultiplicativeRule, SweepRule, WeightPass};
use crate::init::Sizes;
use crate::linalg::coordinates::Projection;
use crate::linalg::leading::SquaredNorm;
use crate::linalg::sample_products::{Combinations, NormalProduct, RandomCombinations};
use crate::metrics::{NnlsResidual, Residual};
use crate::nnls::Weights;
use crate::query::{self, Part, Query, WireError};
use crate::samples::{Reply, Samples};
use crate::{Real, SamplesError, entry_point};

/// All queries, a line each.
fn registry<T: Real>() -> impl Iterator<Item = Entry<T>> {
    [
        entry::<T, Projection<'_, T>>(),
        entry::<T, RandomCombinations>(),
        entry::<T, Combinations<'_, T>>(),
        entry::<T, NormalProduct<'_, T>>(),
        entry::<T, SquaredNorm>(),
        entry::<T, Sizes>(),
        entry::<T, Stage<'_, T>>(),
        entry::<T, Decode<'_, T>>(),
        entry::<T, WeightPass<'_, T, SweepRule>>(),
        entry::<T, WeightPass<'_, T, ExactRule>>(),
        entry::<T, WeightPass<'_, T, MultiplicativeRule>>(),
        entry::<T, Weights<'_, T>>(),
        entry::<T, Residual<'_, T>>(),
        entry::<T, NnlsResidual<'_, T>>(),
    ]
    .into_iter()
}

type Execute<T> = fn(&Part<'_, T>, &[u8], &[u8]) -> Result<Reply, SamplesError>;
type Merge = fn(&[u8], &[u8]) -> Result<Vec<u8>, WireError>;

/// What workers can do with a query.
struct Entry<T: Real> {
    name: String,
    execute: Execute<T>,
    merge: Merge,
}

fn entry<T: Real, Q: Query<T>>() -> Entry<T> {
    Entry { name: query::full_name::<T, Q>(), execute: query::execute::<T, Q>, merge: query::merge::<T, Q> }
}

/// The query with this name.
fn find<T: Real>(name: &str) -> Option<Entry<T>> {
    registry().find(|entry| entry.name == name)
}

entry_point! {
    /// Runs the query of a [`Request`](crate::samples::Request) on a part of the samples, the first of which is number
    /// `first` of all. `rows` are the part's own of the request.
    ///
    /// # Errors
    /// Where the samples cannot be read, the query does not fit them, or the request is malformed.
    pub fn execute<'a; T>(
        samples: &'a dyn Samples<T>, first: usize, query: &'a str, arguments: &'a [u8], rows: &'a [u8],
    ) -> Result<Reply, SamplesError> = execute_on_these_threads;
}

fn execute_on_these_threads<T: Real>(
    samples: &dyn Samples<T>,
    first: usize,
    query: &str,
    arguments: &[u8],
    rows: &[u8],
) -> Result<Reply, SamplesError> {
    let entry = find::<T>(query).ok_or_else(|| unknown(query))?;
    (entry.execute)(&Part { samples, first }, arguments, rows)
}

/// Merges the sums of two [`Reply`]s of neighbouring samples, those of the earlier samples first.
///
/// # Errors
/// Where one of them is malformed, or they belong to different requests.
pub fn merge(query: &str, left: &[u8], right: &[u8]) -> Result<Vec<u8>, SamplesError> {
    let single = find::<f32>(query).map(|entry| entry.merge);
    let merge = single.or_else(|| find::<f64>(query).map(|entry| entry.merge));
    Ok(merge.ok_or_else(|| unknown(query))?(left, right)?)
}

fn unknown(query: &str) -> SamplesError {
    let reason =
        format!("there is no query '{query}' for these samples; do all processes have the same version?");
    SamplesError::Executor { reason }
}
