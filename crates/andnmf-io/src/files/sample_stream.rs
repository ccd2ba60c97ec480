//! Batches of samples from a stream: rows of text, or concatenated `.npy` files.

use std::io::BufRead;
use std::path::Path;

use ndarray::Array2;

use super::budget::Budget;
use super::delimited::RowReader;
use super::error::{FileError, LocatedProblem, Location, Problem};
use super::npy::header::NpyHeader;
use super::npy::values::{self, Reals, ValueReadError};
use super::npy::{self, header::NpyDtype};
use super::{ReadOptions, source};
use andnmf::Real;

/// The first byte of `.npy` files; no UTF-8 text begins with it.
const NPY_FIRST_BYTE: u8 = 0x93;

/// Samples from a source that can be read only once, such as standard input.
///
/// The source is text in the format of `.csv` files, or one or more concatenated `.npy` files with the same number of
/// columns; the last one may have fewer rows than its header declares. Gzip is decompressed.
///
/// ```
/// use andnmf_io::{ReadOptions, SampleStream};
/// let text = &b"1,2\n3,4\n5,6\n"[..];
/// let mut stream = SampleStream::<f64>::new(text, "standard input", &ReadOptions::default())?;
/// assert_eq!(stream.next_batch(2)?.unwrap(), ndarray::array![[1.0, 2.0], [3.0, 4.0]]);
/// assert_eq!(stream.next_batch(2)?.unwrap(), ndarray::array![[5.0, 6.0]]);
/// assert!(stream.next_batch(2)?.is_none());
/// # Ok::<(), andnmf_io::FileError>(())
/// ```
pub struct SampleStream<'a, T: Real> {
    name: String,
    format: StreamFormat<'a, T>,
    rows: u64,
}

enum StreamFormat<'a, T: Real> {
    Text(Box<RowReader<Box<dyn BufRead + Send + 'a>, T>>),
    Npy(NpyStream<'a>),
}

/// Concatenated `.npy` files.
struct NpyStream<'a> {
    source: Box<dyn BufRead + Send + 'a>,
    /// Type of the values and number of remaining rows of the current array.
    current: Option<(NpyDtype, u64)>,
    width: Option<usize>,
}

impl<'a, T: Real> SampleStream<'a, T> {
    /// Detects the format of a stream; `name` stands for it in error messages.
    ///
    /// # Errors
    /// If the stream is empty or not a matrix.
    pub fn new(
        stream: impl BufRead + Send + 'a,
        name: &str,
        options: &ReadOptions,
    ) -> Result<Self, FileError> {
        let open = || {
            let mut source = source::decompressed_send(stream)?;
            if source.fill_buf()?.first() == Some(&NPY_FIRST_BYTE) {
                return Ok(StreamFormat::Npy(NpyStream { source, current: None, width: None }));
            }
            RowReader::new(source, ',', options).map(|reader| StreamFormat::Text(Box::new(reader)))
        };
        let format = open().map_err(|error: LocatedProblem| error.in_file(Path::new(name)))?;
        Ok(Self { name: name.to_owned(), format, rows: 0 })
    }

    /// Reads up to `max_rows` samples; fewer only at the end of the stream, `None` after the end.
    ///
    /// # Errors
    /// If the stream cannot be read or is malformed. Rows count over all arrays.
    pub fn next_batch(&mut self, max_rows: usize) -> Result<Option<Array2<T>>, FileError> {
        let mut values = Vec::new();
        let (mut rows, mut width) = (0, 0);
        while rows < max_rows {
            let more = match &mut self.format {
                StreamFormat::Text(reader) => {
                    reader.next_row().map(|row| row.map(|row| values.extend_from_slice(row)))
                }
                StreamFormat::Npy(arrays) => arrays.next_row(self.rows, &mut values),
            };
            if more.map_err(|error| error.in_file(Path::new(&self.name)))?.is_none() {
                break;
            }
            rows += 1;
            self.rows += 1;
            width = values.len() / rows;
        }
        if rows == 0 {
            return Ok(None);
        }
        let batch = Array2::from_shape_vec((rows, width), values);
        batch.map(Some).map_err(|_| LocatedProblem::from(Problem::Empty).in_file(Path::new(&self.name)))
    }

    /// The number of samples read so far.
    #[must_use]
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// The column names, if the stream begins with them; available after the first batch.
    #[must_use]
    pub fn feature_names(&self) -> Option<Vec<String>> {
        match &self.format {
            StreamFormat::Text(reader) => reader.names().ok()?.0,
            StreamFormat::Npy(_) => None,
        }
    }
}

impl NpyStream<'_> {
    /// Appends the next row; `None` at the end. `rows_before` is the number of rows already read.
    fn next_row<T: Real>(
        &mut self,
        rows_before: u64,
        values: &mut Vec<T>,
    ) -> Result<Option<()>, LocatedProblem> {
        let dtype = loop {
            if self.source.fill_buf()?.is_empty() {
                return Ok(None);
            }
            match &mut self.current {
                Some((dtype, left)) if *left > 0 => {
                    *left -= 1;
                    break *dtype;
                }
                _ => self.start_array(rows_before)?,
            }
        };
        let width = self.width.unwrap_or(0);
        let location = |column: usize| Location::Value { row: rows_before + 1, column: column as u64 + 1 };
        let row = values::read::<Reals<T>>(&mut self.source, dtype, width, None, Budget::default());
        values.extend(row.map_err(|failure| match failure {
            ValueReadError::Value(invalid) => {
                Problem::NotFinite { value: invalid.value }.at(location(invalid.at))
            }
            ValueReadError::File(problem) => problem.at(location(0)),
        })?);
        Ok(Some(()))
    }

    fn start_array(&mut self, rows_before: u64) -> Result<(), LocatedProblem> {
        let locate =
            |error: LocatedProblem| error.problem.at(Location::Value { row: rows_before + 1, column: 1 });
        let header = NpyHeader::read(&mut self.source).map_err(locate)?;
        let (rows, width) = npy::matrix_shape(&header).map_err(locate)?;
        if header.column_major && rows > 1 && width > 1 {
            let what = "the values are in column order".to_owned();
            let instead = "save the array with numpy.ascontiguousarray".to_owned();
            return Err(locate(Problem::Unsupported { what, instead }.into()));
        }
        if width == 0 {
            return Err(locate(Problem::Empty.into()));
        }
        if self.width.is_some_and(|rows_before| rows_before != width) {
            let (expected, given) = (self.width.unwrap_or(0) as u64, width as u64);
            return Err(locate(Problem::Ragged { name: None, expected, given }.into()));
        }
        self.width = Some(width);
        self.current = Some((header.dtype, rows as u64));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use ndarray::{Array2, array};

    use super::*;
    use crate::testing::random_matrix;

    fn npy(array: &Array2<f64>) -> Vec<u8> {
        let mut bytes = Vec::new();
        npy::write_matrix(&mut bytes, array.view()).unwrap();
        bytes
    }

    fn batches(bytes: &[u8], size: usize) -> Result<Vec<Array2<f64>>, FileError> {
        let mut stream = SampleStream::new(bytes, "standard input", &ReadOptions::default())?;
        let mut all = Vec::new();
        while let Some(batch) = stream.next_batch(size)? {
            all.push(batch);
        }
        assert_eq!(stream.rows() as usize, all.iter().map(Array2::nrows).sum::<usize>());
        Ok(all)
    }

    #[test]
    fn arrays_may_follow_each_other_and_end_early() {
        let (first, second) = (random_matrix::<f64>(5, 3, 1), random_matrix::<f64>(4, 3, 2));
        let mut bytes = [npy(&first), npy(&second)].concat();
        bytes.truncate(bytes.len() - 2 * 24);
        let result = batches(&bytes, 4).unwrap();
        assert_eq!(result.iter().map(Array2::nrows).collect::<Vec<_>>(), [4, 3]);
        assert_eq!(result[1].row(0), first.row(4));
        assert_eq!(result[1].row(2), second.row(1));
    }

    #[test]
    fn text_comes_with_its_names() {
        let bytes = b"a,b\n1,2\n3,4\n5,6\n";
        let mut stream =
            SampleStream::<f64>::new(&bytes[..], "standard input", &ReadOptions::default()).unwrap();
        assert_eq!(stream.next_batch(2).unwrap().unwrap(), array![[1.0, 2.0], [3.0, 4.0]]);
        assert_eq!(stream.feature_names().unwrap(), ["a", "b"]);
        assert_eq!(stream.next_batch(9).unwrap().unwrap(), array![[5.0, 6.0]]);
        assert!(stream.next_batch(9).unwrap().is_none());
    }

    #[test]
    fn errors_name_the_row() {
        let message = |bytes: &[u8]| batches(bytes, 2).unwrap_err().to_string();
        assert!(message(b"1,2\n3,4\n5,x\n").starts_with("standard input, line 3, field 2"));
        assert!(message(b"1,2\n3,4\n5\n").contains("line 3"));
        assert!(message(b"").contains("no values"));
        let (wide, other) = (npy(&random_matrix(3, 3, 1)), npy(&random_matrix(3, 4, 1)));
        assert!(
            message(&[wide.clone(), other].concat()).contains("row 4, column 1: this row has 4 value(s)")
        );
        let mut invalid = random_matrix::<f64>(3, 3, 1);
        invalid[[1, 2]] = f64::NAN;
        assert!(
            message(&[wide.clone(), npy(&invalid)].concat()).contains("row 5, column 3: the value is NaN")
        );
        assert!(message(&wide[..wide.len() - 10]).contains("row 3, column 1: the file is truncated"));
        let garbage = [wide, b"more".to_vec()].concat();
        assert!(message(&garbage).contains("row 4"), "{}", message(&garbage));
    }
}
