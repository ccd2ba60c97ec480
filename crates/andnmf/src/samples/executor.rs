//! Distributed samples, processed where they are stored: by worker processes, or on other machines.

use std::ops::Range;

use crate::SamplesError;

/// Runs queries where the samples are stored: the interface for distributed execution.
///
/// A query computes sums over samples, and possibly a row for each. An executor sends the [`Request`] to every part
/// of the samples, where [`distributed::execute`](crate::distributed::execute) computes a [`Reply`]; merges the sums
/// of neighbouring parts with [`distributed::merge`](crate::distributed::merge); and joins the rows in the order of
/// the samples. Everything that crosses this boundary is bytes.
pub trait Executor: Sync {
    /// The merged reply of all samples.
    ///
    /// The shape of the merge tree must not depend on timing, or the last bits of results will. The call comes from a
    /// thread of the pool that the fit runs in: blocking on work in the same pool deadlocks.
    ///
    /// # Errors
    /// If the workers cannot be reached, or a part failed.
    fn execute(&self, request: &Request) -> Result<Reply, SamplesError>;
}

/// A query in a form that can be sent to other processes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// Name of the query and of its number type, such as `stage.f64`. Merging needs only this name.
    pub query: String,
    /// Arguments that every part receives.
    pub arguments: Vec<u8>,
    /// Arguments that belong to single samples, [`row_bytes`](Self::row_bytes) for each; a part receives its own.
    pub rows: Vec<u8>,
    /// Bytes per sample in [`rows`](Self::rows).
    pub row_bytes: usize,
    /// True if replies have rows.
    pub returns_rows: bool,
}

impl Request {
    /// The bytes of [`rows`](Self::rows) that belong to these samples; `None` if there are not that many samples.
    #[must_use]
    pub fn rows_of(&self, samples: Range<usize>) -> Option<&[u8]> {
        let (start, end) =
            (samples.start.checked_mul(self.row_bytes)?, samples.end.checked_mul(self.row_bytes)?);
        self.rows.get(start..end)
    }
}

/// The result of a query on some samples.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    /// Sums over the samples, to be merged.
    pub sums: Vec<u8>,
    /// Results for single samples, the same number of bytes for each, in the order of the samples.
    pub rows: Vec<u8>,
}
