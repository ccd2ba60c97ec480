//! Queries: computations over all samples, local or distributed.
//!
//! Every computation over all samples that may run in another process is a [`Query`]: it computes a [`Partial`]
//! result from a [`Part`] of the samples, and partial results merge. [`run`] runs a query by the deterministic local
//! fold of [`samples::fold`](crate::samples::fold), or by the [`Executor`](crate::samples::Executor) of distributed
//! samples.
//!
//! The type of a query is in the module of its computation; [`distributed`](crate::distributed) has the registry.

#[cfg(test)]
pub(crate) mod testing;
mod wire;

use std::ops::Deref;

use ndarray::Array2;

pub(crate) use wire::{Wire, WireError, WireReader, WireWriter, from_bytes, to_bytes, wire, write_matrix};

use crate::samples::{Reply, Request, Samples};
use crate::{Real, SamplesError};

/// Consecutive samples: all of them, or those that one worker stores.
#[derive(Clone, Copy)]
pub(crate) struct Part<'a, T: Real> {
    pub(crate) samples: &'a dyn Samples<T>,
    /// Number of the first sample among all.
    pub(crate) first: usize,
}

/// A computation over all samples.
pub(crate) trait Query<T: Real>: Sized + Sync {
    /// Identifies the query in requests.
    const NAME: &'static str;
    /// True if partial results have one row per sample.
    const RETURNS_ROWS: bool = false;
    type Partial: Partial;
    type Error: QueryError;

    /// Writes the arguments that every part needs.
    fn write(&self, to: &mut WireWriter);

    /// Writes the arguments of single samples, in order, the same number of bytes for each.
    fn write_rows(&self, _to: &mut WireWriter) {}

    /// Reads the arguments for a part of the samples; `rows` has only those of the part.
    fn read(
        from: &mut WireReader<'_>,
        rows: &mut WireReader<'_>,
        part: &Part<'_, T>,
    ) -> Result<Self, WireError>;

    /// Checks that the arguments match the samples.
    fn check(&self, part: &Part<'_, T>) -> Result<(), SamplesError>;

    fn run(&self, part: &Part<'_, T>) -> Result<Self::Partial, Self::Error>;

    /// Returns true if a result of the executor has the right shape for these samples.
    fn accepts(&self, partial: &Self::Partial, part: &Part<'_, T>) -> bool;

    /// Passes examples of the query to the check that every registered query undergoes.
    #[cfg(test)]
    fn examples(check: &mut testing::ExampleCheck<T>);
}

/// The result of a query on a part of the samples: sums, and possibly one row per sample.
pub(crate) trait Partial: Sized + Send {
    type Sums: Sums;

    /// Writes the rows, the same number of bytes for each sample; returns the sums.
    fn split(self, rows: &mut WireWriter) -> Self::Sums;

    /// The inverse of [`split`](Self::split) for `n_samples` samples.
    fn join(sums: Self::Sums, rows: &mut WireReader<'_>, n_samples: usize) -> Result<Self, WireError>;
}

/// Sums over samples, merged in the order of the samples.
pub(crate) trait Sums: Wire + Send {
    /// Adds the sums of the next samples.
    fn merge(&mut self, next: Self) -> Result<(), WireError>;
}

/// Sums alone are a result without rows.
impl<S: Sums> Partial for S {
    type Sums = S;

    fn split(self, _: &mut WireWriter) -> S {
        self
    }

    fn join(sums: S, _: &mut WireReader<'_>, _: usize) -> Result<S, WireError> {
        Ok(sums)
    }
}

impl Sums for () {
    fn merge(&mut self, (): ()) -> Result<(), WireError> {
        Ok(())
    }
}

/// The error of a query.
pub(crate) trait QueryError: From<SamplesError> {
    /// Converts the error into one that a worker can send.
    fn sendable(self) -> SamplesError;
}

impl QueryError for SamplesError {
    fn sendable(self) -> SamplesError {
        self
    }
}

/// Runs a query on all samples. This is the only place that distinguishes local and distributed execution.
pub(crate) fn run<T: Real, Q: Query<T>>(samples: &dyn Samples<T>, query: &Q) -> Result<Q::Partial, Q::Error> {
    let all = Part { samples, first: 0 };
    query.check(&all)?;
    let Some(executor) = samples.executor() else { return query.run(&all) };
    let reply = executor.execute(&request(query, samples.n_samples()))?;
    let partial: Q::Partial = read_reply(&reply, samples.n_samples()).map_err(SamplesError::from)?;
    if !query.accepts(&partial, &all) {
        let reason = format!(
            "the result of the query '{}' does not have the shape of the samples; check the executor",
            Q::NAME
        );
        return Err(SamplesError::Executor { reason }.into());
    }
    Ok(partial)
}

/// The query in the form that an executor sends.
pub(crate) fn request<T: Real, Q: Query<T>>(query: &Q, n_samples: usize) -> Request {
    let (mut arguments, mut rows) = (WireWriter::default(), WireWriter::default());
    query.write(&mut arguments);
    query.write_rows(&mut rows);
    let rows = rows.into_bytes();
    Request {
        query: full_name::<T, Q>(),
        arguments: arguments.into_bytes(),
        row_bytes: rows.len() / n_samples.max(1),
        rows,
        returns_rows: Q::RETURNS_ROWS,
    }
}

/// The name of a query and of its number type.
pub(crate) fn full_name<T: Real, Q: Query<T>>() -> String {
    format!("{}.{}", Q::NAME, T::NAME)
}

/// Runs a query received as bytes on a part of the samples.
pub(crate) fn execute<T: Real, Q: Query<T>>(
    part: &Part<'_, T>,
    arguments: &[u8],
    rows: &[u8],
) -> Result<Reply, SamplesError> {
    let (mut arguments, mut own_rows) = (WireReader::new(arguments), WireReader::new(rows));
    let query = Q::read(&mut arguments, &mut own_rows, part)?;
    arguments.finish()?;
    own_rows.finish()?;
    query.check(part)?;
    let mut rows = WireWriter::default();
    let sums = query.run(part).map_err(QueryError::sendable)?.split(&mut rows);
    Ok(Reply { sums: to_bytes(&sums), rows: rows.into_bytes() })
}

/// Reads the result from a reply.
pub(crate) fn read_reply<P: Partial>(reply: &Reply, n_samples: usize) -> Result<P, WireError> {
    let mut rows = WireReader::new(&reply.rows);
    let partial = P::join(from_bytes(&reply.sums)?, &mut rows, n_samples)?;
    rows.finish()?;
    Ok(partial)
}

/// Merges two sums over neighbouring samples, received as bytes.
pub(crate) fn merge<T: Real, Q: Query<T>>(left: &[u8], right: &[u8]) -> Result<Vec<u8>, WireError> {
    let mut merged: <Q::Partial as Partial>::Sums = from_bytes(left)?;
    merged.merge(from_bytes(right)?)?;
    Ok(to_bytes(&merged))
}

/// A value that a query borrows from its caller, or owns if it was received as bytes.
#[derive(Debug)]
pub(crate) enum MaybeOwned<'a, B> {
    Borrowed(&'a B),
    Owned(B),
}

impl<B> Deref for MaybeOwned<'_, B> {
    type Target = B;

    fn deref(&self) -> &B {
        match self {
            Self::Borrowed(value) => value,
            Self::Owned(value) => value,
        }
    }
}

impl<B: Default> Default for MaybeOwned<'_, B> {
    fn default() -> Self {
        Self::Owned(B::default())
    }
}

/// Checks the shape of a matrix.
pub(crate) fn check_shape<T: Real>(
    what: &str,
    given: (usize, usize),
    expected: (usize, usize),
    part: &Part<'_, T>,
) -> Result<(), SamplesError> {
    if given == expected {
        return Ok(());
    }
    let (n, features) = (part.samples.n_samples(), part.samples.n_features());
    let reason = format!(
        "{what} must be {} × {} for {n} samples of {features} features, but is {} × {}",
        expected.0, expected.1, given.0, given.1
    );
    Err(SamplesError::Executor { reason })
}

/// Adds a matrix to one of the same shape.
pub(crate) fn add_matrix<T: Real>(to: &mut Array2<T>, next: &Array2<T>) -> Result<(), WireError> {
    same_length(to.dim(), next.dim(), to.len(), next.len())?;
    *to += next;
    Ok(())
}

/// Adds a list to one of the same length.
pub(crate) fn add_values(to: &mut [f64], next: &[f64]) -> Result<(), WireError> {
    same_length(to.len(), next.len(), to.len(), next.len())?;
    to.iter_mut().zip(next).for_each(|(to, next)| *to += next);
    Ok(())
}

/// Checks that two shapes are equal.
pub(crate) fn same_length<S: PartialEq>(a: S, b: S, left: usize, right: usize) -> Result<(), WireError> {
    if a == b { Ok(()) } else { Err(WireError::Shape { left, right }) }
}
