//! The entries of a sparse matrix of scipy, a few at a time: each of its arrays is read as a stream of its own.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

use super::{Archive, array_place};
use crate::files::entries::{EntrySink, position};
use crate::files::error::{Fault, Problem};
use crate::files::npy::header::Header;
use crate::files::npy::values::{self, Failure, Reals, Target, Wholes};
use crate::files::npy::{self, header::Item};
use andnmf::Real;

/// Values decoded in one go.
const AT_ONCE: usize = 1 << 13;

/// Hands on the entries of a sparse matrix; the number of rows, or `None` where the archive holds no such matrix, or one
/// in a form that is only read as a whole. `begun` is told the numbers of rows, columns and entries before the first
/// of those.
pub(crate) fn stream<T: Real, S: EntrySink<T>>(
    path: &Path,
    entries: &mut S,
    begun: impl FnOnce(&mut S, [u64; 3]) -> Result<(), Fault>,
) -> Result<Option<u64>, Fault> {
    let open = || Archive::open(BufReader::new(File::open(path)?));
    let mut archive = open()?;
    if ["format", "shape", "data"].iter().any(|part| archive.place_of(part).is_none()) {
        return Ok(None);
    }
    let form = archive.part("format", |mut member| npy::read_word(&mut member))?;
    let sizes: Vec<u64> = archive.part("shape", |mut member| npy::read_wholes(&mut member))?;
    let &[rows, columns] = &sizes[..] else { return Ok(None) };
    let (mut first, mut second) = (open()?, open()?);
    let mut values = Numbers::<Reals<T>, _>::new(archive.member("data")?, "data")?;
    begun(entries, [rows, columns, values.left as u64])?;
    match form.as_str() {
        "coo" => {
            let mut row = Numbers::<Wholes<u64>, _>::new(first.member("row")?, "row")?;
            let mut column = Numbers::<Wholes<u64>, _>::new(second.member("col")?, "col")?;
            while let Some(value) = values.next()? {
                let (row, column) = (row.some()?, column.some()?);
                entries.take(
                    position(row.into(), 0, rows).map_err(|problem| problem.at(array_place("row")))?,
                    position(column.into(), 0, columns).map_err(|problem| problem.at(array_place("col")))?,
                    value,
                )?;
            }
            row.end()?;
            column.end()?;
        }
        "csr" | "csc" => {
            let by_rows = form == "csr";
            let (lines, across) = if by_rows { (rows, columns) } else { (columns, rows) };
            let mut pointers = Numbers::<Wholes<u64>, _>::new(first.member("indptr")?, "indptr")?;
            let mut indices = Numbers::<Wholes<u64>, _>::new(second.member("indices")?, "indices")?;
            let wrong = |what: String| {
                let instead =
                    "they must begin with 0, not decrease, and end with the number of values".to_owned();
                Problem::Unsupported { what, instead }.at(array_place("indptr"))
            };
            let mut before = pointers.some()?;
            if before != 0 {
                return Err(wrong(format!("the first pointer is {before}")));
            }
            for line in 0..lines {
                let until = pointers.some()?;
                if until < before {
                    return Err(wrong(format!("pointer {until} follows {before}")));
                }
                for _ in before..until {
                    let (index, value) = (indices.some()?, values.some()?);
                    let outside = |problem: Problem| problem.at(array_place("indices"));
                    let index = position(index.into(), 0, across).map_err(outside)?;
                    let line = position(line.into(), 0, lines)?;
                    let (row, column) = if by_rows { (line, index) } else { (index, line) };
                    entries.take(row, column, value)?;
                }
                before = until;
            }
            pointers.end()?;
            indices.end()?;
        }
        _ => return Ok(None),
    }
    values.end()?;
    Ok(Some(rows))
}

/// The numbers of one array, in order.
struct Numbers<'n, G: Target, R> {
    source: R,
    name: &'n str,
    item: Item,
    left: usize,
    /// What was decoded, the next one last.
    ready: Vec<G::Value>,
}

impl<'n, G: Target, R: Read> Numbers<'n, G, R> {
    fn new(mut source: R, name: &'n str) -> Result<Self, Fault> {
        let header = Header::read(&mut source)?;
        let left = npy::vector_length(&header).map_err(|fault| fault.problem.at(array_place(name)))?;
        Ok(Self { source, name, item: header.item, left, ready: Vec::new() })
    }

    fn next(&mut self) -> Result<Option<G::Value>, Fault> {
        if self.ready.is_empty() && self.left > 0 {
            let count = self.left.min(AT_ONCE);
            let here = array_place(self.name);
            let read = values::read::<G>(&mut self.source, self.item, count, None);
            self.ready = read.map_err(|failure| match failure {
                Failure::File(problem) => problem.at(here),
                Failure::Value(wrong) => Problem::Unsupported {
                    what: format!("the value {:?}", wrong.value),
                    instead: "values are finite numbers, indices whole ones of zero or more".to_owned(),
                }
                .at(here),
            })?;
            self.left -= count;
            self.ready.reverse();
        }
        Ok(self.ready.pop())
    }

    /// The next number, which must be there.
    fn some(&mut self) -> Result<G::Value, Fault> {
        let missing = || Problem::Truncated { missing: "other arrays have more values".to_owned() };
        self.next()?.ok_or_else(|| missing().at(array_place(self.name)))
    }

    /// Refuses numbers that are left over. Archives compare checksums only at the end.
    fn end(&mut self) -> Result<(), Fault> {
        if self.next()?.is_some() {
            let what = "there are more values than in other arrays".to_owned();
            let instead = "the matrix in the file is damaged".to_owned();
            return Err(Problem::Unsupported { what, instead }.at(array_place(self.name)));
        }
        npy::at_end(&mut self.source)
    }
}
