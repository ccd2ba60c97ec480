//! Archives of numpy: `.npz` with one matrix, or with a sparse matrix as scipy saves it.

mod stream;
mod write;

use std::fs::File;
use std::io::{BufReader, Read, Seek};
use std::path::Path;

use zip::ZipArchive;
use zip::result::ZipError;

use super::Table;
use super::entries::{Entries, check_sizes, position};
use super::error::{Fault, Place, Problem};
use super::npy;
use super::text::shorten;
use andnmf::Real;
use andnmf::samples::{CsrSamples, Samples};
pub(crate) use stream::stream;
pub(crate) use write::write;

/// The matrix of a file; `array` names it where there are several.
pub(crate) fn read<T: Real>(path: &Path, array: Option<&str>) -> Result<Table<T>, Fault> {
    read_archive(BufReader::new(File::open(path)?), array)
}

/// The matrix of an archive.
pub(crate) fn read_archive<T: Real>(
    source: impl Read + Seek,
    array: Option<&str>,
) -> Result<Table<T>, Fault> {
    let mut archive = Archive::open(source)?;
    if let Some(array) = array {
        if archive.place_of(array).is_none() {
            let what = format!("there is no array '{}'", shorten(array));
            let instead = format!("there are {}", listed(&archive.names));
            return Err(Problem::Unsupported { what, instead }.into());
        }
        return archive.part(array, |mut member| npy::read_matrix(&mut member, None));
    }
    if ["format", "shape", "data"].iter().all(|part| archive.place_of(part).is_some()) {
        return archive.sparse();
    }
    match &archive.names[..] {
        [] => Err(Problem::Empty.into()),
        [name] => {
            let name = name.clone();
            archive.part(&name, |mut member| npy::read_matrix(&mut member, None))
        }
        several => Err(Problem::Unsupported {
            what: format!("there are several arrays: {}", listed(several)),
            instead: "say which one is meant, or save it alone".to_owned(),
        }
        .into()),
    }
}

fn listed(names: &[String]) -> String {
    const SHOWN: usize = 20;
    let mut shown: Vec<String> = names.iter().take(SHOWN).map(|name| shorten(name)).collect();
    if names.len() > SHOWN {
        shown.push("…".to_owned());
    }
    shown.join(", ")
}

fn array_place(name: &str) -> Place {
    Place::Part(format!("array '{}'", shorten(name)))
}

fn damaged(error: ZipError) -> Fault {
    match error {
        ZipError::Io(error) => error.into(),
        error => Problem::NotThisFormat { expected: "a .npz file", reason: error.to_string() }.into(),
    }
}

struct Archive<R> {
    zip: ZipArchive<R>,
    /// The names of the arrays in their order, without `.npy`.
    names: Vec<String>,
}

impl<R: Read + Seek> Archive<R> {
    fn open(source: R) -> Result<Self, Fault> {
        let zip = ZipArchive::new(source).map_err(damaged)?;
        let mut names = Vec::with_capacity(zip.len());
        for name in zip.file_names() {
            let name = name.map_err(damaged)?;
            names.push(name.strip_suffix(".npy").unwrap_or(&name).to_owned());
        }
        Ok(Self { zip, names })
    }

    fn place_of(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|known| known == name)
    }

    /// An array as a stream.
    fn member(&mut self, name: &str) -> Result<impl Read + '_, Fault> {
        let index = self.place_of(name).ok_or_else(|| Problem::Truncated {
            missing: format!("a sparse matrix needs the array '{name}'"),
        })?;
        self.zip.by_index(index).map_err(damaged)
    }

    /// Reads one array.
    fn part<V>(
        &mut self,
        name: &str,
        read: impl FnOnce(&mut dyn Read) -> Result<V, Fault>,
    ) -> Result<V, Fault> {
        let here = |fault: Fault| match fault.place {
            Place::Whole => fault.problem.at(array_place(name)),
            _ => fault,
        };
        let mut member = self.member(name).map_err(here)?;
        read(&mut member).map_err(here)
    }

    /// A sparse matrix in one of the forms of scipy.
    fn sparse<T: Real>(&mut self) -> Result<Table<T>, Fault> {
        let form = self.part("format", |mut member| npy::read_word(&mut member))?;
        let sizes: Vec<u64> = self.part("shape", |mut member| npy::read_wholes(&mut member))?;
        let &[rows, columns] = &sizes[..] else {
            let problem = Problem::Count { expected: "2 sizes".to_owned(), given: sizes.len() as u64 };
            return Err(problem.at(array_place("shape")));
        };
        match form.as_str() {
            "csr" => {
                let samples = self.compressed(rows, columns)?;
                check_sizes(rows, columns, samples.stored_values())?;
                Ok(samples.into())
            }
            // Compressed columns are the compressed rows of what is turned around.
            "csc" => {
                let turned = self.compressed(columns, rows)?;
                check_sizes(rows, columns, turned.stored_values())?;
                Ok(Table::from(turned).transposed()?)
            }
            "coo" => self.coordinates(rows, columns).map(Table::from),
            other => Err(Problem::Unsupported {
                what: format!("a sparse matrix in the form '{}'", shorten(other)),
                instead: "save it as csr, with .tocsr()".to_owned(),
            }
            .into()),
        }
    }

    fn compressed<T: Real>(&mut self, lines: u64, across: u64) -> Result<CsrSamples<'static, T>, Fault> {
        let starts: Vec<u64> = self.part("indptr", |mut member| npy::read_wholes(&mut member))?;
        if starts.len() as u64 != lines.saturating_add(1) {
            let problem = Problem::Count {
                expected: format!("{} values", lines.saturating_add(1)),
                given: starts.len() as u64,
            };
            return Err(problem.at(array_place("indptr")));
        }
        let indices: Vec<u32> = self.part("indices", |mut member| npy::read_wholes(&mut member))?;
        let values: Vec<T> = self.part("data", |mut member| npy::read_reals(&mut member))?;
        let across = usize::try_from(across).unwrap_or(usize::MAX);
        Ok(CsrSamples::new(across, &starts, indices, values)?)
    }

    fn coordinates<T: Real>(&mut self, rows: u64, columns: u64) -> Result<CsrSamples<'static, T>, Fault> {
        let mut indices = |name: &str, n: u64| {
            self.part(name, |mut member| {
                let indices: Vec<u32> = npy::read_wholes(&mut member)?;
                let outside = indices.iter().find(|&&index| u64::from(index) >= n);
                outside.map_or(Ok(()), |&index| position(index.into(), 0, n).map(drop))?;
                Ok(indices)
            })
        };
        let (row, column) = (indices("row", rows)?, indices("col", columns)?);
        let values: Vec<T> = self.part("data", |mut member| npy::read_reals(&mut member))?;
        if row.len() != values.len() || column.len() != values.len() {
            let given = row.len().min(column.len()) as u64;
            let expected = format!("as many rows and columns as values, {},", values.len());
            return Err(Problem::Count { expected, given }.into());
        }
        let mut entries = Entries::new();
        for ((row, column), value) in row.into_iter().zip(column).zip(values) {
            entries.push(row, column, value);
        }
        entries.into_samples(rows, columns)
    }
}

#[cfg(test)]
mod tests;
