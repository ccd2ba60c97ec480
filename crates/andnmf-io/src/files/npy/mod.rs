//! numpy arrays: `.npy`.

pub(crate) mod header;
pub(crate) mod values;

use std::fs::File;
use std::io::{self, BufReader, Read, Write};
use std::path::Path;

use ndarray::{Array2, ArrayView2, ShapeBuilder};

use header::{NpyHeader, NpyKind};
use values::{InvalidValue, Reals, UnsignedIntegers, ValueConversion, ValueReadError};

use super::SampleTable;
use super::budget::Budget;
use super::error::{LocatedProblem, Location, Problem};
use andnmf::Real;

/// Reads the matrix in a file.
pub(crate) fn read<T: Real>(path: &Path, budget: Budget) -> Result<SampleTable<T>, LocatedProblem> {
    let file = File::open(path)?;
    let length = file.metadata()?.len();
    read_matrix(&mut BufReader::new(file), Some(length), budget)
}

/// Reads a matrix that must end with its source; `source_length` is the number of bytes of the source, if known.
pub(crate) fn read_matrix<T: Real>(
    source: &mut impl Read,
    source_length: Option<u64>,
    budget: Budget,
) -> Result<SampleTable<T>, LocatedProblem> {
    let header = NpyHeader::read(source)?;
    let (rows, columns) = matrix_shape(&header)?;
    let value_count = rows * columns;
    let numbers = values::read::<Reals<T>>(source, header.dtype, value_count, source_length, budget)
        .map_err(|failure| match failure {
            ValueReadError::File(problem) => problem.into(),
            ValueReadError::Value(invalid) => {
                let (at, rows, columns) = (invalid.at as u64, rows.max(1) as u64, columns.max(1) as u64);
                let (row, column) =
                    if header.column_major { (at % rows, at / rows) } else { (at / columns, at % columns) };
                Problem::NotFinite { value: invalid.value }
                    .at(Location::Value { row: row + 1, column: column + 1 })
            }
        })?;
    expect_end(source)?;
    let shape = (rows, columns).set_f(header.column_major);
    let array = Array2::from_shape_vec(shape, numbers).map_err(|_| Problem::Empty)?;
    Ok(SampleTable::of_finite(array)?)
}

/// The numbers of rows and columns of a numeric matrix; their product does not overflow.
pub(crate) fn matrix_shape(header: &NpyHeader) -> Result<(usize, usize), LocatedProblem> {
    if matches!(header.dtype.kind, NpyKind::Bytes | NpyKind::Unicode) {
        let what = "an array of text".to_owned();
        return Err(
            Problem::Unsupported { what, instead: "save it as an array of numbers".to_owned() }.into()
        );
    }
    let &[rows, columns] = &header.shape[..] else { return Err(not_two_dimensional(&header.shape).into()) };
    value_count(&header.shape)?;
    let size = |size: u64| usize::try_from(size).map_err(|_| LocatedProblem::from(Problem::Empty));
    Ok((size(rows)?, size(columns)?))
}

/// Reads a few unsigned integers: the sizes of a sparse matrix.
pub(crate) fn read_unsigned<N: TryFrom<u64> + Default>(
    source: &mut impl Read,
) -> Result<Vec<N>, LocatedProblem> {
    read_unsigned_within(source, Budget::default())
}

/// Reads a one-dimensional array of unsigned integers: indices of a sparse matrix.
pub(crate) fn read_unsigned_within<N: TryFrom<u64> + Default>(
    source: &mut impl Read,
    budget: Budget,
) -> Result<Vec<N>, LocatedProblem> {
    read_vector::<UnsignedIntegers<N>>(source, budget, |invalid| Problem::Unsupported {
        what: format!("value {} is {:?}", invalid.at + 1, invalid.value),
        instead: format!(
            "indices and sizes must be integers of 0 or more with at most {} bits",
            8 * size_of::<N>()
        ),
    })
}

/// Reads a one-dimensional array of finite numbers: the values of a sparse matrix.
pub(crate) fn read_reals<T: Real>(source: &mut impl Read, budget: Budget) -> Result<Vec<T>, LocatedProblem> {
    read_vector::<Reals<T>>(source, budget, |invalid| Problem::NotFinite { value: invalid.value })
}

fn read_vector<C: ValueConversion>(
    source: &mut impl Read,
    budget: Budget,
    refuse: impl Fn(InvalidValue) -> Problem,
) -> Result<Vec<C::Value>, LocatedProblem> {
    let header = NpyHeader::read(source)?;
    let value_count = vector_length(&header)?;
    let numbers =
        values::read::<C>(source, header.dtype, value_count, None, budget).map_err(
            |failure| match failure {
                ValueReadError::File(problem) => problem,
                ValueReadError::Value(invalid) => refuse(invalid),
            },
        )?;
    expect_end(source)?;
    Ok(numbers)
}

/// The length of a one-dimensional array.
pub(crate) fn vector_length(header: &NpyHeader) -> Result<usize, LocatedProblem> {
    if header.shape.len() != 1 {
        let given = header.shape.len() as u64;
        return Err(Problem::Count { expected: "1 dimension".to_owned(), given }.into());
    }
    value_count(&header.shape)
}

/// Reads a single string.
pub(crate) fn read_string(source: &mut impl Read) -> Result<String, LocatedProblem> {
    let header = NpyHeader::read(source)?;
    let is_text = matches!(header.dtype.kind, NpyKind::Bytes | NpyKind::Unicode);
    if !is_text || !header.shape.iter().all(|&size| size == 1) {
        return Err(
            Problem::NotThisFormat { expected: "a string", reason: "it is an array".to_owned() }.into()
        );
    }
    let mut bytes = vec![0; header.dtype.size];
    source.read_exact(&mut bytes)?;
    // Unicode characters have four bytes each; the expected strings are ASCII.
    Ok(bytes.into_iter().filter(|&byte| byte != 0).map(char::from).collect())
}

/// The number of values of a shape.
fn value_count(shape: &[u64]) -> Result<usize, LocatedProblem> {
    let value_count = shape.iter().try_fold(1_u64, |product, &size| product.checked_mul(size));
    let fits = value_count
        .and_then(|value_count| usize::try_from(value_count).ok())
        .filter(|&value_count| value_count <= isize::MAX as usize / 8);
    fits.ok_or_else(|| {
        let declared = format!("{} values", shape_text(shape));
        Problem::DeclaredSize { declared, limit: "2⁶⁰ values".to_owned() }.into()
    })
}

fn shape_text(shape: &[u64]) -> String {
    shape.iter().map(u64::to_string).collect::<Vec<_>>().join(" × ")
}

fn not_two_dimensional(shape: &[u64]) -> Problem {
    let instead = match shape {
        [] => "a matrix has rows and columns",
        [_] => {
            "a matrix has 2 dimensions: make it one column with .reshape(-1, 1), or one row with .reshape(1, -1)"
        }
        _ => "a matrix has 2 dimensions: flatten each sample into a row with .reshape(len(array), -1)",
    };
    let what = match shape {
        [] => "a single value".to_owned(),
        [n] => format!("an array of {n} values in one dimension"),
        _ => format!("an array of {} values in {} dimensions", shape_text(shape), shape.len()),
    };
    Problem::Unsupported { what, instead: instead.to_owned() }
}

/// Rejects trailing bytes. Also reads to the end of archive members, where checksums are verified.
pub(crate) fn expect_end(source: &mut impl Read) -> Result<(), LocatedProblem> {
    let more = io::copy(&mut source.take(1 << 20), &mut io::sink())?;
    if more > 0 { Err(trailing_bytes()) } else { Ok(()) }
}

pub(crate) fn trailing_bytes() -> LocatedProblem {
    let instead = "the shape in the header does not match the values".to_owned();
    Problem::Unsupported { what: "there are bytes after the values".to_owned(), instead }.into()
}

/// Writes a matrix in row order and in its own precision.
pub(crate) fn write_matrix<T: Real>(out: &mut dyn Write, array: ArrayView2<'_, T>) -> io::Result<()> {
    out.write_all(&NpyHeader::bytes(descr::<T>(), &[array.nrows(), array.ncols()]))?;
    let mut row_bytes = Vec::new();
    for row in array.outer_iter() {
        row_bytes.clear();
        row.iter().for_each(|&value| push_value(&mut row_bytes, value));
        out.write_all(&row_bytes)?;
    }
    Ok(())
}

/// The numpy type string (`descr`) of `T`.
pub(crate) fn descr<T: Real>() -> &'static str {
    if size_of::<T>() == 4 { "<f4" } else { "<f8" }
}

/// Appends a number in little-endian order.
pub(crate) fn push_value<T: Real>(bytes: &mut Vec<u8>, value: T) {
    bytes.extend_from_slice(&value.bits().to_le_bytes()[..size_of::<T>()]);
}

#[cfg(test)]
mod tests;
