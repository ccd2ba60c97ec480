//! Distributed execution: the functions that workers call.
//!
//! Solvers do not read samples that have an [`Executor`](crate::samples::Executor). They send queries instead: the
//! executor passes each [`Request`](crate::samples::Request) to the workers that store the samples, which run it by
//! [`execute`] and combine their results by [`merge`]. An executor only moves bytes and need not know any query.
//!
//! ```
//! use std::ops::Range;
//!
//! use andnmf::samples::{Block, DenseSamples, Executor, Reply, Request, Samples};
//! use andnmf::{SamplesError, distributed};
//! use ndarray::{array, s};
//!
//! /// Two halves, which could be on two machines.
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
//!         unreachable!("weights need no rows")
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

use crate::and::{DecodeQuery, StageQuery};
use crate::baselines::{ExactRule, MultiplicativeRule, SweepRule, WeightPass};
use crate::init::SampleSizesQuery;
use crate::linalg::coordinates::ProjectionQuery;
use crate::linalg::sample_products::{Combinations, NormalProduct, RandomSketch};
use crate::linalg::subspace_iteration::SquaredNorm;
use crate::metrics::{NnlsResidual, Residual};
use crate::nnls::WeightsQuery;
use crate::query::{self, Part, Query, WireError};
use crate::samples::{Reply, Samples};
use crate::{Real, SamplesError, entry_point};

/// The registry of all queries, one line each.
fn registry<T: Real>() -> impl Iterator<Item = RegisteredQuery<T>> {
    [
        register::<T, ProjectionQuery<'_, T>>(),
        register::<T, RandomSketch>(),
        register::<T, Combinations<'_, T>>(),
        register::<T, NormalProduct<'_, T>>(),
        register::<T, SquaredNorm>(),
        register::<T, SampleSizesQuery>(),
        register::<T, StageQuery<'_, T>>(),
        register::<T, DecodeQuery<'_, T>>(),
        register::<T, WeightPass<'_, T, SweepRule>>(),
        register::<T, WeightPass<'_, T, ExactRule>>(),
        register::<T, WeightPass<'_, T, MultiplicativeRule>>(),
        register::<T, WeightsQuery<'_, T>>(),
        register::<T, Residual<'_, T>>(),
        register::<T, NnlsResidual<'_, T>>(),
    ]
    .into_iter()
}

type Execute<T> = fn(&Part<'_, T>, &[u8], &[u8]) -> Result<Reply, SamplesError>;
type Merge = fn(&[u8], &[u8]) -> Result<Vec<u8>, WireError>;

/// The operations of a registered query.
struct RegisteredQuery<T: Real> {
    name: String,
    execute: Execute<T>,
    merge: Merge,
    #[cfg(test)]
    examples: fn(&mut query::testing::ExampleCheck<T>),
}

fn register<T: Real, Q: Query<T>>() -> RegisteredQuery<T> {
    RegisteredQuery {
        name: query::full_name::<T, Q>(),
        execute: query::execute::<T, Q>,
        merge: query::merge::<T, Q>,
        #[cfg(test)]
        examples: Q::examples,
    }
}

/// The query with this name.
fn find<T: Real>(name: &str) -> Option<RegisteredQuery<T>> {
    registry().find(|entry| entry.name == name)
}

entry_point! {
    /// Runs the query of a [`Request`](crate::samples::Request) on a part of the samples. `first` is the number of the
    /// part's first sample, `rows` the bytes of the request that belong to the part.
    ///
    /// # Errors
    /// If the samples cannot be read, the query does not match them, or the request is malformed.
    pub fn execute<'a; T>(
        samples: &'a dyn Samples<T>, first: usize, query: &'a str, arguments: &'a [u8], rows: &'a [u8],
    ) -> Result<Reply, SamplesError> = execute_in_this_pool;
}

fn execute_in_this_pool<T: Real>(
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
/// If one of them is malformed, or they belong to different requests.
pub fn merge(query: &str, left: &[u8], right: &[u8]) -> Result<Vec<u8>, SamplesError> {
    let single = find::<f32>(query).map(|entry| entry.merge);
    let merge = single.or_else(|| find::<f64>(query).map(|entry| entry.merge));
    Ok(merge.ok_or_else(|| unknown(query))?(left, right)?)
}

fn unknown(query: &str) -> SamplesError {
    let reason = format!(
        "there is no query '{query}' for these samples; install the same version of andnmf on all workers"
    );
    SamplesError::Executor { reason }
}
