//! Streams the entries of a scipy sparse matrix: each of its arrays is read as a separate stream.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

use super::{Archive, array_location};
use crate::files::budget::Budget;
use crate::files::entries::{EntrySink, zero_based_index};
use crate::files::error::{LocatedProblem, Problem};
use crate::files::npy::header::NpyHeader;
use crate::files::npy::values::{self, Reals, UnsignedIntegers, ValueConversion, ValueReadError};
use crate::files::npy::{self, header::NpyDtype};
use andnmf::Real;

/// Values decoded at a time.
const VALUES_PER_READ: usize = 1 << 13;

/// Passes the entries of a sparse matrix to `entries` and returns the number of rows; `None` if the archive has no
/// sparse matrix, or one in a format that cannot be streamed. `on_sizes` receives the numbers of rows, columns and
/// entries before the first entry.
pub(crate) fn stream<T: Real, S: EntrySink<T>>(
    path: &Path,
    entries: &mut S,
    on_sizes: impl FnOnce(&mut S, [u64; 3]) -> Result<(), LocatedProblem>,
) -> Result<Option<u64>, LocatedProblem> {
    let open = || Archive::open(BufReader::new(File::open(path)?));
    let mut archive = open()?;
    if ["format", "shape", "data"].iter().any(|part| archive.index_of(part).is_none()) {
        return Ok(None);
    }
    let sparse_format = archive.read_array("format", |mut member| npy::read_string(&mut member))?;
    let sizes: Vec<u64> = archive.read_array("shape", |mut member| npy::read_unsigned(&mut member))?;
    let &[rows, columns] = &sizes[..] else { return Ok(None) };
    let (mut first, mut second) = (open()?, open()?);
    let mut values = ArrayStream::<Reals<T>, _>::new(archive.member("data")?, "data")?;
    on_sizes(entries, [rows, columns, values.remaining as u64])?;
    match sparse_format.as_str() {
        "coo" => {
            let mut row = ArrayStream::<UnsignedIntegers<u64>, _>::new(first.member("row")?, "row")?;
            let mut column = ArrayStream::<UnsignedIntegers<u64>, _>::new(second.member("col")?, "col")?;
            while let Some(value) = values.next()? {
                let (row, column) = (row.next_required()?, column.next_required()?);
                entries.take(
                    zero_based_index(row.into(), 0, rows)
                        .map_err(|problem| problem.at(array_location("row")))?,
                    zero_based_index(column.into(), 0, columns)
                        .map_err(|problem| problem.at(array_location("col")))?,
                    value,
                )?;
            }
            row.expect_end()?;
            column.expect_end()?;
        }
        "csr" | "csc" => {
            let by_rows = sparse_format == "csr";
            let (major, minor) = if by_rows { (rows, columns) } else { (columns, rows) };
            let mut pointers =
                ArrayStream::<UnsignedIntegers<u64>, _>::new(first.member("indptr")?, "indptr")?;
            let mut indices =
                ArrayStream::<UnsignedIntegers<u64>, _>::new(second.member("indices")?, "indices")?;
            let wrong = |what: String| {
                let instead =
                    "row pointers must start at 0, not decrease, and end at the number of values".to_owned();
                Problem::Unsupported { what, instead }.at(array_location("indptr"))
            };
            let mut start = pointers.next_required()?;
            if start != 0 {
                return Err(wrong(format!("the first pointer is {start}")));
            }
            for row_or_column in 0..major {
                let end_pointer = pointers.next_required()?;
                if end_pointer < start {
                    return Err(wrong(format!("pointer {end_pointer} follows {start}")));
                }
                for _ in start..end_pointer {
                    let (index, value) = (indices.next_required()?, values.next_required()?);
                    let locate = |problem: Problem| problem.at(array_location("indices"));
                    let index = zero_based_index(index.into(), 0, minor).map_err(locate)?;
                    let outer = zero_based_index(row_or_column.into(), 0, major)?;
                    let (row, column) = if by_rows { (outer, index) } else { (index, outer) };
                    entries.take(row, column, value)?;
                }
                start = end_pointer;
            }
            pointers.expect_end()?;
            indices.expect_end()?;
        }
        _ => return Ok(None),
    }
    values.expect_end()?;
    Ok(Some(rows))
}

/// The values of one array, in order.
struct ArrayStream<'n, C: ValueConversion, R> {
    source: R,
    name: &'n str,
    dtype: NpyDtype,
    remaining: usize,
    /// Decoded values in reverse order.
    decoded: Vec<C::Value>,
}

impl<'n, C: ValueConversion, R: Read> ArrayStream<'n, C, R> {
    fn new(mut source: R, name: &'n str) -> Result<Self, LocatedProblem> {
        let header = NpyHeader::read(&mut source)?;
        let remaining =
            npy::vector_length(&header).map_err(|error| error.problem.at(array_location(name)))?;
        Ok(Self { source, name, dtype: header.dtype, remaining, decoded: Vec::new() })
    }

    fn next(&mut self) -> Result<Option<C::Value>, LocatedProblem> {
        if self.decoded.is_empty() && self.remaining > 0 {
            let count = self.remaining.min(VALUES_PER_READ);
            let location = array_location(self.name);
            let read = values::read::<C>(&mut self.source, self.dtype, count, None, Budget::NO_CHECK);
            self.decoded = read.map_err(|failure| match failure {
                ValueReadError::File(problem) => problem.at(location),
                ValueReadError::Value(invalid) => Problem::Unsupported {
                    what: format!("the value {:?}", invalid.value),
                    instead: "values must be finite numbers, indices integers of 0 or more".to_owned(),
                }
                .at(location),
            })?;
            self.remaining -= count;
            self.decoded.reverse();
        }
        Ok(self.decoded.pop())
    }

    /// The next value; an error at the end of the array.
    fn next_required(&mut self) -> Result<C::Value, LocatedProblem> {
        let missing =
            || Problem::Truncated { missing: "other arrays of the matrix have more values".to_owned() };
        self.next()?.ok_or_else(|| missing().at(array_location(self.name)))
    }

    /// Rejects extra values. Also reads to the end of the archive member, where its checksum is verified.
    fn expect_end(&mut self) -> Result<(), LocatedProblem> {
        if self.next()?.is_some() {
            let what = "the array has more values than the other arrays of the matrix".to_owned();
            let instead = "the file is damaged".to_owned();
            return Err(Problem::Unsupported { what, instead }.at(array_location(self.name)));
        }
        npy::expect_end(&mut self.source)
    }
}
