//! Queries: what fits compute from samples, wherever the samples are stored.
//!
//! A stage is a fold, so samples need not come to the solver. Every computation over all samples that may run in another
//! process is a [`Query`]: it computes a [`Partial`] result from a [`Part`] of the samples, and partial results merge. [`run`] runs
//! a query on samples in memory by the deterministic fold of [`samples::fold`](crate::samples::fold), and hands it to the
//! [`Executor`](crate::samples::Executor) of samples that have one.
//!
//! A query type lives where its computation lives; [`distributed`](crate::distributed) lists all of them.

mod wire;

use std::ops::Deref;

use ndarray::Array2;

pub(crate) use wire::{Reader, Wire, WireError, Writer, from_bytes, to_bytes, wire, write_matrix};

use crate::samples::{Reply, Request, Samples};
use crate::{Real, SamplesError};

/// Consecutive samples: all of them, or those that one worker holds.
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
    /// Whether partial results hold a row for each sample.
    const RETURNS_ROWS: bool = false;
    type Partial: Partial;
    type Error: QueryError;

    /// Writes what every part needs.
    fn write(&self, to: &mut Writer);

    /// Writes what belongs to single samples, sample by sample, equally long for each.
    fn write_rows(&self, _to: &mut Writer) {}

    /// Reads both again for a part of the samples, whose `rows` are there alone.
    fn read(from: &mut Reader<'_>, rows: &mut Reader<'_>, part: &Part<'_, T>) -> Result<Self, WireError>;

    /// Refuses samples that the arguments do not fit.
    fn check(&self, part: &Part<'_, T>) -> Result<(), SamplesError>;

    fn run(&self, part: &Part<'_, T>) -> Result<Self::Partial, Self::Error>;

    /// Whether a result from outside has the shape that belongs to these samples.
    fn accepts(&self, partial: &Self::Partial, part: &Part<'_, T>) -> bool;
}

/// What a query finds in a part of the samples: sums, and possibly a row for each sample.
pub(crate) trait Partial: Sized + Send {
    type Sums: Sums;

    /// Writes the rows, equally long for each sample; returns the sums.
    fn split(self, rows: &mut Writer) -> Self::Sums;

    /// The opposite of [`split`](Self::split) for so many samples.
    fn join(sums: Self::Sums, rows: &mut Reader<'_>, n_samples: usize) -> Result<Self, WireError>;
}

/// Sums over samples, which merge in the order of the samples.
pub(crate) trait Sums: Wire + Send {
    /// Adds the sums of the samples that follow.
    fn merge(&mut self, next: Self) -> Result<(), WireError>;
}

/// Sums alone are a result without rows.
impl<S: Sums> Partial for S {
    type Sums = S;

    fn split(self, _: &mut Writer) -> S {
        self
    }

    fn join(sums: S, _: &mut Reader<'_>, _: usize) -> Result<S, WireError> {
        Ok(sums)
    }
}

impl Sums for () {
    fn merge(&mut self, (): ()) -> Result<(), WireError> {
        Ok(())
    }
}

/// Why a query has no result.
pub(crate) trait QueryError: From<SamplesError> {
    /// The error as a worker reports it.
    fn sendable(self) -> SamplesError;
}

impl QueryError for SamplesError {
    fn sendable(self) -> SamplesError {
        self
    }
}

/// The result of a query for all samples: the one place that distinguishes samples with and without an executor.
pub(crate) fn run<T: Real, Q: Query<T>>(samples: &dyn Samples<T>, query: &Q) -> Result<Q::Partial, Q::Error> {
    let all = Part { samples, first: 0 };
    query.check(&all)?;
    let Some(executor) = samples.executor() else { return query.run(&all) };
    let reply = executor.execute(&request(query, samples.n_samples()))?;
    let partial: Q::Partial = read_reply(&reply, samples.n_samples()).map_err(SamplesError::from)?;
    if !query.accepts(&partial, &all) {
        let reason = format!("the result of the query '{}' does not have the shape of the samples", Q::NAME);
        return Err(SamplesError::Executor { reason }.into());
    }
    Ok(partial)
}

/// A query as an executor sends it.
pub(crate) fn request<T: Real, Q: Query<T>>(query: &Q, n_samples: usize) -> Request {
    let (mut arguments, mut rows) = (Writer::default(), Writer::default());
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

/// The name of a query with that of its numbers.
pub(crate) fn full_name<T: Real, Q: Query<T>>() -> String {
    format!("{}.{}", Q::NAME, T::NAME)
}

/// Runs a query that came as bytes on a part of the samples.
pub(crate) fn execute<T: Real, Q: Query<T>>(
    part: &Part<'_, T>,
    arguments: &[u8],
    rows: &[u8],
) -> Result<Reply, SamplesError> {
    let (mut from, mut own) = (Reader::new(arguments), Reader::new(rows));
    let query = Q::read(&mut from, &mut own, part)?;
    from.finish()?;
    own.finish()?;
    query.check(part)?;
    let mut rows = Writer::default();
    let sums = query.run(part).map_err(QueryError::sendable)?.split(&mut rows);
    Ok(Reply { sums: to_bytes(&sums), rows: rows.into_bytes() })
}

/// The result that a reply holds.
pub(crate) fn read_reply<P: Partial>(reply: &Reply, n_samples: usize) -> Result<P, WireError> {
    let mut rows = Reader::new(&reply.rows);
    let partial = P::join(from_bytes(&reply.sums)?, &mut rows, n_samples)?;
    rows.finish()?;
    Ok(partial)
}

/// Merges two sums over neighbouring samples that came as bytes.
pub(crate) fn merge<T: Real, Q: Query<T>>(left: &[u8], right: &[u8]) -> Result<Vec<u8>, WireError> {
    let mut merged: <Q::Partial as Partial>::Sums = from_bytes(left)?;
    merged.merge(from_bytes(right)?)?;
    Ok(to_bytes(&merged))
}

/// Something that a query borrows from its caller, or owns after it was read.
#[derive(Debug)]
pub(crate) enum Held<'a, B> {
    Borrowed(&'a B),
    Owned(B),
}

impl<B> Deref for Held<'_, B> {
    type Target = B;

    fn deref(&self) -> &B {
        match self {
            Self::Borrowed(value) => value,
            Self::Owned(value) => value,
        }
    }
}

impl<B: Default> Default for Held<'_, B> {
    fn default() -> Self {
        Self::Owned(B::default())
    }
}

/// Refuses a matrix that does not have this shape.
pub(crate) fn check_shape<T: Real>(
    what: &str,
    given: (usize, usize),
    wanted: (usize, usize),
    part: &Part<'_, T>,
) -> Result<(), SamplesError> {
    if given == wanted {
        return Ok(());
    }
    let (n, features) = (part.samples.n_samples(), part.samples.n_features());
    let reason = format!(
        "{what} must be {} × {} for {n} samples of {features} features, but is {} × {}",
        wanted.0, wanted.1, given.0, given.1
    );
    Err(SamplesError::Executor { reason })
}

/// Adds a matrix to one of the same shape.
pub(crate) fn add_matrix<T: Real>(to: &mut Array2<T>, next: &Array2<T>) -> Result<(), WireError> {
    same_length(to.dim(), next.dim(), to.len(), next.len())?;
    *to += next;
    Ok(())
}

/// Adds numbers to as many others.
pub(crate) fn add_values(to: &mut [f64], next: &[f64]) -> Result<(), WireError> {
    same_length(to.len(), next.len(), to.len(), next.len())?;
    to.iter_mut().zip(next).for_each(|(to, next)| *to += next);
    Ok(())
}

/// Refuses shapes that differ.
pub(crate) fn same_length<S: PartialEq>(a: S, b: S, left: usize, right: usize) -> Result<(), WireError> {
    if a == b { Ok(()) } else { Err(WireError::Shape { left, right }) }
}
