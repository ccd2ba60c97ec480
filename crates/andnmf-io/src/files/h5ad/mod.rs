//! Annotated data of single cells (AnnData): `.h5ad`, which is HDF5 with a certain order inside.
//!
//! Cells are samples, genes are features. The matrix `X`, or a layer by its name (`raw` stands for `raw/X` where no
//! layer has that name), is dense, or sparse by rows (CSR) or columns (CSC), as anndata writes it now or did before 0.7.
//! Chunks may be packed with gzip or LZF. The names of cells and genes are those of `obs` and `var`.
//!
//! The crate that reads HDF5 is meant to bear any file. Should it panic on one all the same, that is caught and told
//! as an error.

mod arrays;
mod lzf;
mod names;
#[cfg(test)]
mod tests;

use std::fs::File;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;

use hdf5_reader::error::Error;
use hdf5_reader::group::Group;
use hdf5_reader::storage::DynStorage;
use hdf5_reader::{Dataset, FileStorage, FilterRegistry, Hdf5File, OpenOptions};

use super::entries::check_sizes;
use super::error::{Fault, Place, Problem};
use super::table::Table;
use andnmf::Real;
use andnmf::samples::CsrSamples;

/// Deflate makes at most this many bytes of one: a file that declares more has nothing to show for it.
const BYTES_PER_BYTE: u64 = 1040;
/// What small files may declare.
const SMALL: u64 = 1 << 16;

/// The matrix of a file, or one of its layers.
pub(crate) fn read<T: Real>(path: &Path, layer: Option<&str>) -> Result<Table<T>, Fault> {
    let file = File::open(path)?;
    let storage = FileStorage::from_file(file).map_err(fault("the file"))?;
    read_storage(Arc::new(storage), layer)
}

fn read_storage<T: Real>(storage: DynStorage, layer: Option<&str>) -> Result<Table<T>, Fault> {
    catch_unwind(AssertUnwindSafe(|| read_trusting(storage, layer)))
        .unwrap_or_else(|_| Err(damaged("the reader of HDF5 gave up on it".to_owned())))
}

fn read_trusting<T: Real>(storage: DynStorage, layer: Option<&str>) -> Result<Table<T>, Fault> {
    let room = usize::try_from(storage.len().saturating_mul(BYTES_PER_BYTE).max(SMALL)).unwrap_or(usize::MAX);
    let mut filters = FilterRegistry::new();
    filters.register(lzf::ID, Box::new(move |_, packed, _| lzf::unpack(packed, room)));
    let options = OpenOptions::default()
        .with_max_read_bytes(room)
        .with_max_chunk_bytes(room.min(hdf5_reader::HDF5_MAX_CHUNK_BYTES))
        .with_filter_registry(filters);
    let file = Hdf5File::from_storage_with_options(storage, options).map_err(fault("the file"))?;
    let root = file.root_group().map_err(fault("the file"))?;
    let (parent, matrix, genes) = find(&root, layer)?;
    let place = match parent.name() {
        "/" => matrix.to_owned(),
        parent => format!("{parent}/{matrix}"),
    };
    let mut table = match parent.group(matrix) {
        Ok(sparse) => read_sparse(&sparse, &place)?,
        Err(_) => read_dense(&parent, matrix, &place)?,
    };
    table.sample_names = names::of(&root, "obs", table.n_samples())?;
    table.feature_names = names::of(&genes, "var", table.n_features())?;
    Ok(table)
}

/// The group that holds the matrix, the matrix's name in it, and the group that has `var`.
fn find<'a>(root: &Group, layer: Option<&'a str>) -> Result<(Group, &'a str, Group), Fault> {
    let has = |group: &Group, name: &str| group.group(name).is_ok() || group.dataset(name).is_ok();
    let Some(layer) = layer else {
        if has(root, "X") {
            return Ok((root.clone(), "X", root.clone()));
        }
        let instead = format!("name one of its layers: {}", layers(root).join(", "));
        return Err(Problem::Unsupported { what: "there is no X in this file".to_owned(), instead }.into());
    };
    if let Ok(group) = root.group("layers")
        && has(&group, layer)
    {
        return Ok((group, layer, root.clone()));
    }
    if let Ok(raw) = root.group("raw")
        && layer == "raw"
        && has(&raw, "X")
    {
        return Ok((raw.clone(), "X", raw));
    }
    let instead = format!("it has {}", layers(root).join(", "));
    Err(Problem::Unsupported { what: format!("there is no layer '{layer}' in this file"), instead }.into())
}

/// The layers of a file, for those who asked for another.
fn layers(root: &Group) -> Vec<String> {
    let members = root.group("layers").and_then(|group| group.member_names());
    let mut names = members.map(|(groups, arrays)| [groups, arrays].concat()).unwrap_or_default();
    names.sort();
    if names.is_empty() {
        names.push("no layers".to_owned());
    }
    names
}

fn read_dense<T: Real>(parent: &Group, matrix: &str, place: &str) -> Result<Table<T>, Fault> {
    let values = open(parent, matrix, place)?;
    Ok(Table::try_from(arrays::matrix(&values, place)?)?)
}

fn read_sparse<T: Real>(group: &Group, place: &str) -> Result<Table<T>, Fault> {
    let words = |new: &str, old: &str| {
        let attribute = group.attribute(new).or_else(|_| group.attribute(old));
        attribute.and_then(|attribute| attribute.read_string()).unwrap_or_default()
    };
    let by_columns = match words("encoding-type", "h5sparse_format").as_str() {
        "csr_matrix" | "csr" => false,
        "csc_matrix" | "csc" => true,
        other => {
            let what = format!("a matrix in the encoding '{other}'");
            let instead = "it must be an array, a csr_matrix or a csc_matrix".to_owned();
            return Err(Problem::Unsupported { what, instead }.at(Place::Part(place.to_owned())));
        }
    };
    let shape =
        group.attribute("shape").or_else(|_| group.attribute("h5sparse_shape")).map_err(fault(place))?;
    let shape = arrays::attribute(&shape).ok_or_else(|| damaged(format!("{place} has no shape")))?;
    let &[rows, columns] = &shape[..] else {
        return Err(damaged(format!("{place} has the shape {shape:?}, not one of rows and columns")));
    };
    let part = |name: &str| {
        let place = format!("{place}/{name}");
        let array = open(group, name, &place)?;
        Ok::<_, Fault>((array, place))
    };
    let (data, at) = part("data")?;
    let values = arrays::list::<T>(&data, &at)?;
    let (pointers, at) = part("indptr")?;
    let pointers = arrays::wholes(&pointers, &at)?;
    let (indices, at) = part("indices")?;
    let indices = arrays::wholes(&indices, &at)?;
    let (rows, columns) = check_sizes(rows, columns, values.len())?;
    let (along, across) = if by_columns { (columns, rows) } else { (rows, columns) };
    if pointers.len() != along + 1 {
        let expected = format!("{} numbers", along + 1);
        let problem = Problem::Count { expected, given: pointers.len() as u64 };
        return Err(problem.at(Place::Part(format!("{place}/indptr"))));
    }
    let samples = CsrSamples::new(across, &pointers, indices, values)
        .map_err(|error| Fault::from(error).problem.at(Place::Part(place.to_owned())))?;
    // By columns, it is the matrix with columns as rows.
    Ok(if by_columns { Table::from(samples).transposed()? } else { samples.into() })
}

/// An array of a group, if the file can hold its chunks.
///
/// Chunks that were never written cost nothing in a file, but each that is declared costs its reader some memory.
fn open(group: &Group, name: &str, place: &str) -> Result<Dataset, Fault> {
    let array = group.dataset(name).map_err(fault(place))?;
    let chunk = array.chunks().unwrap_or_default();
    let sides = array.shape().iter().zip(&chunk).map(|(&n, &size)| n.div_ceil(u64::from(size.max(1))));
    let (chunks, held) = (sides.fold(1, u64::saturating_mul), group.storage().len());
    if chunks > held {
        let (declared, held) = (format!("{chunks} chunks"), format!("{held} chunks"));
        return Err(Problem::DeclaredSize { declared, held }.at(Place::Part(place.to_owned())));
    }
    Ok(array)
}

fn damaged(reason: String) -> Fault {
    Problem::NotThisFormat { expected: "an undamaged .h5ad file", reason }.into()
}

/// What the reader of HDF5 says about a part of the file.
fn fault(place: &str) -> impl Fn(Error) -> Fault {
    let place = place.to_owned();
    move |error| {
        let problem = match innermost(error) {
            Error::Io(error) => Fault::from(error).problem,
            Error::InvalidMagic => {
                Problem::NotThisFormat { expected: "a .h5ad file", reason: "it is not HDF5".to_owned() }
            }
            Error::UnexpectedEof { .. } | Error::OffsetOutOfBounds(_) => {
                Problem::Truncated { missing: "it points to data behind its end".to_owned() }
            }
            Error::UnsupportedFilter(filter) => Problem::Unsupported {
                what: format!("data packed in a way that is not known here ({filter})"),
                instead: "write the file with gzip, lzf or no compression".to_owned(),
            },
            other => damaged(other.to_string()).problem,
        };
        problem.at(Place::Part(place.clone()))
    }
}

fn innermost(error: Error) -> Error {
    match error {
        Error::Context { source, .. } => innermost(*source),
        other => other,
    }
}
