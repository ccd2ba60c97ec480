//! `.npz` archives of numpy: a dense matrix, or a sparse one as `scipy.sparse.save_npz` writes it.

mod stream;
mod write;

use std::fs::File;
use std::io::{BufReader, Read, Seek};
use std::path::Path;

use zip::ZipArchive;
use zip::result::ZipError;

use super::SampleTable;
use super::budget::Budget;
use super::entries::{CooBuilder, check_sizes, zero_based_index};
use super::error::{LocatedProblem, Location, Problem};
use super::npy;
use super::plain_text::shorten;
use andnmf::Real;
use andnmf::memory::product;
use andnmf::samples::{CsrSamples, Samples};
pub(crate) use stream::stream;
pub(crate) use write::write;

/// Reads the matrix in a file; `array` selects one of several.
pub(crate) fn read<T: Real>(
    path: &Path,
    array: Option<&str>,
    budget: Budget,
) -> Result<SampleTable<T>, LocatedProblem> {
    read_archive(BufReader::new(File::open(path)?), array, budget)
}

/// Reads the matrix in an archive.
pub(crate) fn read_archive<T: Real>(
    source: impl Read + Seek,
    array: Option<&str>,
    budget: Budget,
) -> Result<SampleTable<T>, LocatedProblem> {
    let mut archive = Archive { budget, ..Archive::open(source)? };
    if let Some(array) = array {
        if archive.index_of(array).is_none() {
            let what = format!("there is no array '{}'", shorten(array));
            let instead = format!("the file has {}", name_list(&archive.names));
            return Err(Problem::Unsupported { what, instead }.into());
        }
        return archive.read_array(array, |mut member| npy::read_matrix(&mut member, None, budget));
    }
    if ["format", "shape", "data"].iter().all(|part| archive.index_of(part).is_some()) {
        return archive.sparse();
    }
    match &archive.names[..] {
        [] => Err(Problem::Empty.into()),
        [name] => {
            let name = name.clone();
            archive.read_array(&name, |mut member| npy::read_matrix(&mut member, None, budget))
        }
        several => Err(Problem::Unsupported {
            what: format!("the file has several arrays: {}", name_list(several)),
            instead: "select one by name, or save it alone".to_owned(),
        }
        .into()),
    }
}

fn name_list(names: &[String]) -> String {
    const SHOWN: usize = 20;
    let mut shown: Vec<String> = names.iter().take(SHOWN).map(|name| shorten(name)).collect();
    if names.len() > SHOWN {
        shown.push("…".to_owned());
    }
    shown.join(", ")
}

fn array_location(name: &str) -> Location {
    Location::Part(format!("array '{}'", shorten(name)))
}

fn damaged(error: ZipError) -> LocatedProblem {
    match error {
        ZipError::Io(error) => error.into(),
        ZipError::UnsupportedArchive(what) => {
            let instead = "write the file again with numpy.savez or scipy.sparse.save_npz".to_owned();
            Problem::Unsupported { what: what.to_string(), instead }.into()
        }
        error => Problem::NotThisFormat { expected: "a .npz file", reason: error.to_string() }.into(),
    }
}

struct Archive<R> {
    budget: Budget,
    zip: ZipArchive<R>,
    /// The names of the arrays in file order, without `.npy`.
    names: Vec<String>,
}

impl<R: Read + Seek> Archive<R> {
    fn open(source: R) -> Result<Self, LocatedProblem> {
        let zip = ZipArchive::new(source).map_err(damaged)?;
        let mut names = Vec::with_capacity(zip.len());
        for name in zip.file_names() {
            let name = name.map_err(damaged)?;
            names.push(name.strip_suffix(".npy").unwrap_or(&name).to_owned());
        }
        Ok(Self { budget: Budget::default(), zip, names })
    }

    fn index_of(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|known| known == name)
    }

    /// Opens an array as a stream.
    fn member(&mut self, name: &str) -> Result<impl Read + '_, LocatedProblem> {
        let index = self.index_of(name).ok_or_else(|| Problem::Truncated {
            missing: format!("a sparse matrix needs the array '{name}'"),
        })?;
        self.zip.by_index(index).map_err(damaged)
    }

    /// Reads an array with `read`, and adds its name to errors.
    fn read_array<V>(
        &mut self,
        name: &str,
        read: impl FnOnce(&mut dyn Read) -> Result<V, LocatedProblem>,
    ) -> Result<V, LocatedProblem> {
        let locate = |error: LocatedProblem| match error.location {
            Location::Whole => error.problem.at(array_location(name)),
            _ => error,
        };
        let mut member = self.member(name).map_err(locate)?;
        read(&mut member).map_err(locate)
    }

    /// Reads a sparse matrix in one of scipy's formats.
    fn sparse<T: Real>(&mut self) -> Result<SampleTable<T>, LocatedProblem> {
        let sparse_format = self.read_array("format", |mut member| npy::read_string(&mut member))?;
        let sizes: Vec<u64> = self.read_array("shape", |mut member| npy::read_unsigned(&mut member))?;
        let &[rows, columns] = &sizes[..] else {
            let problem = Problem::Count { expected: "2 sizes".to_owned(), given: sizes.len() as u64 };
            return Err(problem.at(array_location("shape")));
        };
        match sparse_format.as_str() {
            "csr" => {
                let samples = self.read_compressed(rows, columns)?;
                check_sizes(rows, columns, samples.stored_values())?;
                Ok(samples.into())
            }
            // CSC is the CSR form of the transposed matrix.
            "csc" => {
                let transposed = self.read_compressed(columns, rows)?;
                check_sizes(rows, columns, transposed.stored_values())?;
                let bytes = product(&[transposed.stored_values(), 4 + size_of::<T>()]);
                self.budget.check(bytes.saturating_mul(2), bytes)?;
                Ok(SampleTable::from(transposed).transposed()?)
            }
            "coo" => self.read_coordinates(rows, columns).map(SampleTable::from),
            other => Err(Problem::Unsupported {
                what: format!("the sparse format '{}' is not supported", shorten(other)),
                instead: "save it as csr, with .tocsr()".to_owned(),
            }
            .into()),
        }
    }

    fn read_compressed<T: Real>(
        &mut self,
        major: u64,
        minor: u64,
    ) -> Result<CsrSamples<'static, T>, LocatedProblem> {
        let budget = self.budget;
        let starts: Vec<u64> =
            self.read_array("indptr", |mut member| npy::read_unsigned_within(&mut member, budget))?;
        if starts.len() as u64 != major.saturating_add(1) {
            let problem = Problem::Count {
                expected: format!("{} values", major.saturating_add(1)),
                given: starts.len() as u64,
            };
            return Err(problem.at(array_location("indptr")));
        }
        let budget = budget.after(product(&[starts.len(), 16]));
        let indices: Vec<u32> =
            self.read_array("indices", |mut member| npy::read_unsigned_within(&mut member, budget))?;
        let budget = budget.after(product(&[indices.len(), 4]));
        let values: Vec<T> = self.read_array("data", |mut member| npy::read_reals(&mut member, budget))?;
        let minor = usize::try_from(minor).unwrap_or(usize::MAX);
        Ok(CsrSamples::new(minor, &starts, indices, values)?)
    }

    fn read_coordinates<T: Real>(
        &mut self,
        rows: u64,
        columns: u64,
    ) -> Result<CsrSamples<'static, T>, LocatedProblem> {
        let mut budget = self.budget;
        let mut indices = |name: &str, n: u64| {
            self.read_array(name, |mut member| {
                let indices: Vec<u32> = npy::read_unsigned_within(&mut member, budget)?;
                budget = budget.after(product(&[indices.len(), 4]));
                let outside = indices.iter().find(|&&index| u64::from(index) >= n);
                outside.map_or(Ok(()), |&index| zero_based_index(index.into(), 0, n).map(drop))?;
                Ok(indices)
            })
        };
        let (row, column) = (indices("row", rows)?, indices("col", columns)?);
        let values: Vec<T> = self.read_array("data", |mut member| npy::read_reals(&mut member, budget))?;
        // The arrays exist until the entries are sorted.
        let budget = budget.after(product(&[values.len(), size_of::<T>()]));
        if row.len() != values.len() || column.len() != values.len() {
            let given = row.len().min(column.len()) as u64;
            let expected = format!("{} row and column indices, one per value", values.len());
            return Err(Problem::Count { expected, given }.into());
        }
        let mut entries = CooBuilder::new(budget);
        for ((row, column), value) in row.into_iter().zip(column).zip(values) {
            entries.push(row, column, value)?;
        }
        entries.into_samples(rows, columns)
    }
}

#[cfg(test)]
mod tests;
