//! Annotated single-cell data (AnnData): `.h5ad`, an HDF5 file with a fixed structure.
//!
//! Cells are samples, genes are features. The matrix is `X` or a named layer (`raw` means `raw/X` unless a layer has
//! that name): dense, CSR or CSC, in the encoding of anndata 0.7 and later or of earlier versions. Chunks may be
//! compressed with gzip or LZF. Cell and gene names come from `obs` and `var`.
//!
//! A panic of the HDF5 crate on a damaged file is caught and reported as an error.

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

use super::budget::Budget;
use super::entries::check_sizes;
use super::error::{LocatedProblem, Location, Problem};
use super::sample_table::SampleTable;
use andnmf::Real;
use andnmf::samples::CsrSamples;

/// The highest compression ratio of deflate; a file that declares more data is invalid.
const MAX_COMPRESSION_RATIO: u64 = 1040;
/// Small files may declare this many bytes in any case.
const MIN_READ_LIMIT: u64 = 1 << 16;

/// Reads the matrix in a file, or one of its layers.
pub(crate) fn read<T: Real>(
    path: &Path,
    layer: Option<&str>,
    budget: Budget,
) -> Result<SampleTable<T>, LocatedProblem> {
    let file = File::open(path)?;
    let storage = FileStorage::from_file(file).map_err(hdf5_problem("the file"))?;
    read_storage(Arc::new(storage), layer, budget)
}

fn read_storage<T: Real>(
    storage: DynStorage,
    layer: Option<&str>,
    budget: Budget,
) -> Result<SampleTable<T>, LocatedProblem> {
    catch_unwind(AssertUnwindSafe(|| read_unguarded(storage, layer, budget)))
        .unwrap_or_else(|_| Err(damaged("the HDF5 reader failed on it".to_owned())))
}

fn read_unguarded<T: Real>(
    storage: DynStorage,
    layer: Option<&str>,
    budget: Budget,
) -> Result<SampleTable<T>, LocatedProblem> {
    let read_limit = usize::try_from(storage.len().saturating_mul(MAX_COMPRESSION_RATIO).max(MIN_READ_LIMIT))
        .unwrap_or(usize::MAX);
    let mut filters = FilterRegistry::new();
    filters.register(lzf::ID, Box::new(move |_, compressed, _| lzf::decompress(compressed, read_limit)));
    let options = OpenOptions::default()
        .with_max_read_bytes(read_limit)
        .with_max_chunk_bytes(read_limit.min(hdf5_reader::HDF5_MAX_CHUNK_BYTES))
        .with_filter_registry(filters);
    let file = Hdf5File::from_storage_with_options(storage, options).map_err(hdf5_problem("the file"))?;
    let root = file.root_group().map_err(hdf5_problem("the file"))?;
    let (parent, matrix, genes) = find(&root, layer)?;
    let dataset_path = match parent.name() {
        "/" => matrix.to_owned(),
        parent => format!("{parent}/{matrix}"),
    };
    let mut table = match parent.group(matrix) {
        Ok(sparse) => read_sparse(&sparse, &dataset_path, budget)?,
        Err(_) => read_dense(&parent, matrix, &dataset_path, budget)?,
    };
    table.sample_names = names::of(&root, "obs", table.n_samples())?;
    table.feature_names = names::of(&genes, "var", table.n_features())?;
    Ok(table)
}

/// Returns the group that contains the matrix, the name of the matrix in it, and the group that contains `var`.
fn find<'a>(root: &Group, layer: Option<&'a str>) -> Result<(Group, &'a str, Group), LocatedProblem> {
    let has = |group: &Group, name: &str| group.group(name).is_ok() || group.dataset(name).is_ok();
    let Some(layer) = layer else {
        if has(root, "X") {
            return Ok((root.clone(), "X", root.clone()));
        }
        let instead = format!("select one of its layers: {}", layer_names(root).join(", "));
        return Err(Problem::Unsupported { what: "the file has no X".to_owned(), instead }.into());
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
    let instead = format!("it has {}", layer_names(root).join(", "));
    Err(Problem::Unsupported { what: format!("the file has no layer '{layer}'"), instead }.into())
}

/// The names of the layers, for error messages.
fn layer_names(root: &Group) -> Vec<String> {
    let members = root.group("layers").and_then(|group| group.member_names());
    let mut names = members.map(|(groups, arrays)| [groups, arrays].concat()).unwrap_or_default();
    names.sort();
    if names.is_empty() {
        names.push("no layers".to_owned());
    }
    names
}

fn read_dense<T: Real>(
    parent: &Group,
    matrix: &str,
    dataset_path: &str,
    budget: Budget,
) -> Result<SampleTable<T>, LocatedProblem> {
    let values = open(parent, matrix, dataset_path)?;
    check_budget::<T>(&values, budget)?;
    Ok(SampleTable::try_from(arrays::matrix(&values, dataset_path)?)?)
}

fn read_sparse<T: Real>(
    group: &Group,
    dataset_path: &str,
    budget: Budget,
) -> Result<SampleTable<T>, LocatedProblem> {
    let text_attribute = |new: &str, old: &str| {
        let attribute = group.attribute(new).or_else(|_| group.attribute(old));
        attribute.and_then(|attribute| attribute.read_string()).unwrap_or_default()
    };
    let by_columns = match text_attribute("encoding-type", "h5sparse_format").as_str() {
        "csr_matrix" | "csr" => false,
        "csc_matrix" | "csc" => true,
        other => {
            let what = format!("the encoding '{other}' is not supported");
            let instead = "use an array, a csr_matrix or a csc_matrix".to_owned();
            return Err(Problem::Unsupported { what, instead }.at(Location::Part(dataset_path.to_owned())));
        }
    };
    let shape = group
        .attribute("shape")
        .or_else(|_| group.attribute("h5sparse_shape"))
        .map_err(hdf5_problem(dataset_path))?;
    let shape = arrays::attribute(&shape).ok_or_else(|| damaged(format!("{dataset_path} has no shape")))?;
    let &[rows, columns] = &shape[..] else {
        return Err(damaged(format!("{dataset_path} has the shape {shape:?} instead of rows × columns")));
    };
    let part = |name: &str| {
        let dataset_path = format!("{dataset_path}/{name}");
        let array = open(group, name, &dataset_path)?;
        Ok::<_, LocatedProblem>((array, dataset_path))
    };
    let (data, array_path) = part("data")?;
    check_budget::<(u32, T)>(&data, budget)?;
    let values = arrays::vector::<T>(&data, &array_path)?;
    let (pointers, array_path) = part("indptr")?;
    let pointers = arrays::unsigned(&pointers, &array_path)?;
    let (indices, array_path) = part("indices")?;
    let indices = arrays::unsigned(&indices, &array_path)?;
    let (rows, columns) = check_sizes(rows, columns, values.len())?;
    let (major, minor) = if by_columns { (columns, rows) } else { (rows, columns) };
    if pointers.len() != major + 1 {
        let expected = format!("{} numbers", major + 1);
        let problem = Problem::Count { expected, given: pointers.len() as u64 };
        return Err(problem.at(Location::Part(format!("{dataset_path}/indptr"))));
    }
    let samples = CsrSamples::new(minor, &pointers, indices, values)
        .map_err(|error| LocatedProblem::from(error).problem.at(Location::Part(dataset_path.to_owned())))?;
    // CSC is the CSR form of the transposed matrix.
    Ok(if by_columns { SampleTable::from(samples).transposed()? } else { samples.into() })
}

/// Opens an array of a group, if the file can hold its chunks.
///
/// Declared chunks that were never written take no space in the file, but the reader needs memory for each.
fn open(group: &Group, name: &str, dataset_path: &str) -> Result<Dataset, LocatedProblem> {
    let array = group.dataset(name).map_err(hdf5_problem(dataset_path))?;
    let chunk = array.chunks().unwrap_or_default();
    let sides = array.shape().iter().zip(&chunk).map(|(&n, &size)| n.div_ceil(u64::from(size.max(1))));
    let (chunks, limit) = (sides.fold(1, u64::saturating_mul), group.storage().len());
    if chunks > limit {
        let (declared, limit) = (format!("{chunks} chunks"), format!("{limit} chunks"));
        return Err(Problem::DeclaredSize { declared, limit }.at(Location::Part(dataset_path.to_owned())));
    }
    Ok(array)
}

/// Refuses an array whose values, read as `V`, take more memory than is allowed; twice, since they are converted.
fn check_budget<V>(array: &Dataset, budget: Budget) -> Result<(), LocatedProblem> {
    let count = array.shape().iter().fold(1, |count: u64, side| count.saturating_mul(*side));
    let bytes = count.saturating_mul(2 * size_of::<V>() as u64);
    // What a damaged file declares is bounded by its length, whatever the memory.
    if budget.0.is_some() { Ok(budget.check(bytes, bytes)?) } else { Ok(()) }
}

fn damaged(reason: String) -> LocatedProblem {
    Problem::NotThisFormat { expected: "a valid .h5ad file", reason }.into()
}

/// Converts errors of the HDF5 reader about a part of the file.
fn hdf5_problem(dataset_path: &str) -> impl Fn(Error) -> LocatedProblem {
    let dataset_path = dataset_path.to_owned();
    move |error| {
        let problem = match innermost(error) {
            Error::Io(error) => LocatedProblem::from(error).problem,
            Error::InvalidMagic => {
                Problem::NotThisFormat { expected: "a .h5ad file", reason: "it is not HDF5".to_owned() }
            }
            Error::UnexpectedEof { .. } | Error::OffsetOutOfBounds(_) => {
                Problem::Truncated { missing: "it refers to data beyond its end".to_owned() }
            }
            Error::UnsupportedFilter(filter) => Problem::Unsupported {
                what: format!("unsupported compression ({filter})"),
                instead: "write the file with gzip, lzf or no compression".to_owned(),
            },
            other => damaged(other.to_string()).problem,
        };
        problem.at(Location::Part(dataset_path.clone()))
    }
}

fn innermost(error: Error) -> Error {
    match error {
        Error::Context { source, .. } => innermost(*source),
        other => other,
    }
}
