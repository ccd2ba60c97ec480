//! Arrays of numpy: `.npy`.

pub(crate) mod header;
pub(crate) mod values;

use std::fs::File;
use std::io::{self, BufReader, Read, Write};
use std::path::Path;

use ndarray::{Array2, ArrayView2, ShapeBuilder};

use header::{Header, Kind};
use values::{Failure, Reals, Target, Unusable, Wholes};

use super::Table;
use super::error::{Fault, Place, Problem};
use andnmf::Real;

/// The matrix of a file.
pub(crate) fn read<T: Real>(path: &Path) -> Result<Table<T>, Fault> {
    let file = File::open(path)?;
    let length = file.metadata()?.len();
    read_matrix(&mut BufReader::new(file), Some(length))
}

/// The matrix of a source that ends with it; `room` is the length of the source, where that is known.
pub(crate) fn read_matrix<T: Real>(source: &mut impl Read, room: Option<u64>) -> Result<Table<T>, Fault> {
    let header = Header::read(source)?;
    let (rows, columns) = matrix_shape(&header)?;
    let count = rows * columns;
    let numbers =
        values::read::<Reals<T>>(source, header.item, count, room).map_err(|failure| match failure {
            Failure::File(problem) => problem.into(),
            Failure::Value(wrong) => {
                let (at, rows, columns) = (wrong.at as u64, rows.max(1) as u64, columns.max(1) as u64);
                let (row, column) =
                    if header.column_major { (at % rows, at / rows) } else { (at / columns, at % columns) };
                Problem::NotFinite { value: wrong.value }
                    .at(Place::Value { row: row + 1, column: column + 1 })
            }
        })?;
    at_end(source)?;
    let shape = (rows, columns).set_f(header.column_major);
    let array = Array2::from_shape_vec(shape, numbers).map_err(|_| Problem::Empty)?;
    Ok(Table::of_finite(array)?)
}

/// Rows and columns of a matrix of numbers; their product fits into memory as far as numbers go.
pub(crate) fn matrix_shape(header: &Header) -> Result<(usize, usize), Fault> {
    if matches!(header.item.kind, Kind::Bytes | Kind::Letters) {
        let what = "an array of text".to_owned();
        return Err(
            Problem::Unsupported { what, instead: "save it as an array of numbers".to_owned() }.into()
        );
    }
    let &[rows, columns] = &header.shape[..] else { return Err(other_shape(&header.shape).into()) };
    count(&header.shape)?;
    let size = |size: u64| usize::try_from(size).map_err(|_| Fault::from(Problem::Empty));
    Ok((size(rows)?, size(columns)?))
}

/// Whole numbers in one dimension: the indices and sizes of a sparse matrix.
pub(crate) fn read_wholes<N: TryFrom<u64> + Default>(source: &mut impl Read) -> Result<Vec<N>, Fault> {
    read_vector::<Wholes<N>>(source, |wrong| Problem::Unsupported {
        what: format!("value {} is {:?}", wrong.at + 1, wrong.value),
        instead: format!(
            "indices and sizes are whole numbers of zero or more, of {} bits",
            8 * size_of::<N>()
        ),
    })
}

/// Finite numbers in one dimension: the values of a sparse matrix.
pub(crate) fn read_reals<T: Real>(source: &mut impl Read) -> Result<Vec<T>, Fault> {
    read_vector::<Reals<T>>(source, |wrong| Problem::NotFinite { value: wrong.value })
}

fn read_vector<G: Target>(
    source: &mut impl Read,
    refuse: impl Fn(Unusable) -> Problem,
) -> Result<Vec<G::Value>, Fault> {
    let header = Header::read(source)?;
    let count = vector_length(&header)?;
    let numbers = values::read::<G>(source, header.item, count, None).map_err(|failure| match failure {
        Failure::File(problem) => problem,
        Failure::Value(wrong) => refuse(wrong),
    })?;
    at_end(source)?;
    Ok(numbers)
}

/// How many values an array of one dimension has.
pub(crate) fn vector_length(header: &Header) -> Result<usize, Fault> {
    if header.shape.len() != 1 {
        let given = header.shape.len() as u64;
        return Err(Problem::Count { expected: "1 dimension".to_owned(), given }.into());
    }
    count(&header.shape)
}

/// A single word, as bytes or letters.
pub(crate) fn read_word(source: &mut impl Read) -> Result<String, Fault> {
    let header = Header::read(source)?;
    let is_text = matches!(header.item.kind, Kind::Bytes | Kind::Letters);
    if !is_text || !header.shape.iter().all(|&size| size == 1) {
        return Err(Problem::NotThisFormat { expected: "a word", reason: "it is an array".to_owned() }.into());
    }
    let mut bytes = vec![0; header.item.size];
    source.read_exact(&mut bytes)?;
    // Letters are four bytes each; the words looked for are plain ASCII, in either form.
    Ok(bytes.into_iter().filter(|&byte| byte != 0).map(char::from).collect())
}

/// How many values a shape has.
fn count(shape: &[u64]) -> Result<usize, Fault> {
    let count = shape.iter().try_fold(1_u64, |product, &size| product.checked_mul(size));
    let fits =
        count.and_then(|count| usize::try_from(count).ok()).filter(|&count| count <= isize::MAX as usize / 8);
    fits.ok_or_else(|| {
        let declared = format!("{} values", in_words(shape));
        Problem::DeclaredSize { declared, held: "what fits into memory".to_owned() }.into()
    })
}

fn in_words(shape: &[u64]) -> String {
    shape.iter().map(u64::to_string).collect::<Vec<_>>().join(" × ")
}

fn other_shape(shape: &[u64]) -> Problem {
    let instead = match shape {
        [] => "a matrix has rows and columns",
        [_] => "a matrix needs two: make it one column with .reshape(-1, 1), or one row with .reshape(1, -1)",
        _ => "a matrix needs two: put everything of a sample into one row with .reshape(len(array), -1)",
    };
    let what = match shape {
        [] => "a single value".to_owned(),
        [n] => format!("an array of {n} values in one dimension"),
        _ => format!("an array of {} values in {} dimensions", in_words(shape), shape.len()),
    };
    Problem::Unsupported { what, instead: instead.to_owned() }
}

/// Whatever follows the values would be lost; and archives compare checksums only at the end.
pub(crate) fn at_end(source: &mut impl Read) -> Result<(), Fault> {
    let more = io::copy(&mut source.take(1 << 20), &mut io::sink())?;
    if more > 0 { Err(bytes_left_over()) } else { Ok(()) }
}

pub(crate) fn bytes_left_over() -> Fault {
    let instead = "the shape in the header does not fit the values".to_owned();
    Problem::Unsupported { what: "there are bytes after the values".to_owned(), instead }.into()
}

/// Writes a matrix in rows, in its own precision.
pub(crate) fn write_matrix<T: Real>(out: &mut dyn Write, array: ArrayView2<'_, T>) -> io::Result<()> {
    out.write_all(&Header::bytes(descr::<T>(), &[array.nrows(), array.ncols()]))?;
    let mut row_bytes = Vec::new();
    for row in array.outer_iter() {
        row_bytes.clear();
        row.iter().for_each(|&value| push_value(&mut row_bytes, value));
        out.write_all(&row_bytes)?;
    }
    Ok(())
}

/// The type of numpy that holds these numbers.
pub(crate) fn descr<T: Real>() -> &'static str {
    if size_of::<T>() == 4 { "<f4" } else { "<f8" }
}

/// Appends a number, least byte first.
pub(crate) fn push_value<T: Real>(bytes: &mut Vec<u8>, value: T) {
    bytes.extend_from_slice(&value.bits().to_le_bytes()[..size_of::<T>()]);
}

#[cfg(test)]
mod tests;
