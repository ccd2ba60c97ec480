//! Samples from a stream, a batch at a time: rows of text, or `.npy` files one after another.

use std::io::BufRead;
use std::path::Path;

use ndarray::Array2;

use super::delimited::RowReader;
use super::error::{Fault, FileError, Place, Problem};
use super::npy::header::Header;
use super::npy::values::{self, Failure, Reals};
use super::npy::{self, header::Item};
use super::{ReadOptions, source};
use andnmf::Real;

/// What `.npy` files begin with; no text does.
const NPY: u8 = 0x93;

/// Samples that come one after another from somewhere that can be read only once.
///
/// Text is read as `.csv` files are. Of a `.npy` file fewer rows may come than its header declares, and another file
/// with as many columns may follow. Either may be packed with gzip.
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
    kind: Kind<'a, T>,
    rows: u64,
}

enum Kind<'a, T: Real> {
    Text(Box<RowReader<Box<dyn BufRead + Send + 'a>, T>>),
    Npy(Arrays<'a>),
}

/// Arrays one after another.
struct Arrays<'a> {
    source: Box<dyn BufRead + Send + 'a>,
    /// What the values of the array under way are, and how many rows of it may follow.
    now: Option<(Item, u64)>,
    width: Option<usize>,
}

impl<'a, T: Real> SampleStream<'a, T> {
    /// Looks at the beginning of a stream; `name` is what errors call it.
    ///
    /// # Errors
    /// Where nothing comes, or what comes is no matrix.
    pub fn new(
        stream: impl BufRead + Send + 'a,
        name: &str,
        options: &ReadOptions,
    ) -> Result<Self, FileError> {
        let open = || {
            let mut source = source::unpacked_anywhere(stream)?;
            if source.fill_buf()?.first() == Some(&NPY) {
                return Ok(Kind::Npy(Arrays { source, now: None, width: None }));
            }
            RowReader::new(source, ',', options).map(|reader| Kind::Text(Box::new(reader)))
        };
        let kind = open().map_err(|fault: Fault| fault.in_file(Path::new(name)))?;
        Ok(Self { name: name.to_owned(), kind, rows: 0 })
    }

    /// The next samples: as many as are wanted, fewer at the end of the stream, and `None` after it.
    ///
    /// # Errors
    /// Where the stream cannot be read or is malformed: with the line, or with row and column counted over all arrays.
    pub fn next_batch(&mut self, wanted: usize) -> Result<Option<Array2<T>>, FileError> {
        let mut values = Vec::new();
        let (mut rows, mut width) = (0, 0);
        while rows < wanted {
            let more = match &mut self.kind {
                Kind::Text(reader) => {
                    reader.next_row().map(|row| row.map(|row| values.extend_from_slice(row)))
                }
                Kind::Npy(arrays) => arrays.next_row(self.rows, &mut values),
            };
            if more.map_err(|fault| fault.in_file(Path::new(&self.name)))?.is_none() {
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
        batch.map(Some).map_err(|_| Fault::from(Problem::Empty).in_file(Path::new(&self.name)))
    }

    /// How many samples have come.
    #[must_use]
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// The names of the columns, where the stream begins with them; known from the first batch on.
    #[must_use]
    pub fn feature_names(&self) -> Option<Vec<String>> {
        match &self.kind {
            Kind::Text(reader) => reader.names().ok()?.0,
            Kind::Npy(_) => None,
        }
    }
}

impl Arrays<'_> {
    /// Appends the next row; `None` at the end. `before` is the number of rows that came before.
    fn next_row<T: Real>(&mut self, before: u64, values: &mut Vec<T>) -> Result<Option<()>, Fault> {
        let item = loop {
            if self.source.fill_buf()?.is_empty() {
                return Ok(None);
            }
            match &mut self.now {
                Some((item, left)) if *left > 0 => {
                    *left -= 1;
                    break *item;
                }
                _ => self.begin_array(before)?,
            }
        };
        let width = self.width.unwrap_or(0);
        let place = |column: usize| Place::Value { row: before + 1, column: column as u64 + 1 };
        let row = values::read::<Reals<T>>(&mut self.source, item, width, None);
        values.extend(row.map_err(|failure| match failure {
            Failure::Value(wrong) => Problem::NotFinite { value: wrong.value }.at(place(wrong.at)),
            Failure::File(problem) => problem.at(place(0)),
        })?);
        Ok(Some(()))
    }

    fn begin_array(&mut self, before: u64) -> Result<(), Fault> {
        let here = |fault: Fault| fault.problem.at(Place::Value { row: before + 1, column: 1 });
        let header = Header::read(&mut self.source).map_err(here)?;
        let (rows, width) = npy::matrix_shape(&header).map_err(here)?;
        if header.column_major && rows > 1 && width > 1 {
            let what = "the values come in column order".to_owned();
            let instead = "save the array with numpy.ascontiguousarray".to_owned();
            return Err(here(Problem::Unsupported { what, instead }.into()));
        }
        if width == 0 {
            return Err(here(Problem::Empty.into()));
        }
        if self.width.is_some_and(|before| before != width) {
            let (expected, given) = (self.width.unwrap_or(0) as u64, width as u64);
            return Err(here(Problem::Ragged { name: None, expected, given }.into()));
        }
        self.width = Some(width);
        self.now = Some((header.item, rows as u64));
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
        let found = batches(&bytes, 4).unwrap();
        assert_eq!(found.iter().map(Array2::nrows).collect::<Vec<_>>(), [4, 3]);
        assert_eq!(found[1].row(0), first.row(4));
        assert_eq!(found[1].row(2), second.row(1));
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
        let said = |bytes: &[u8]| batches(bytes, 2).unwrap_err().to_string();
        assert!(said(b"1,2\n3,4\n5,x\n").starts_with("standard input, line 3, field 2"));
        assert!(said(b"1,2\n3,4\n5\n").contains("line 3"));
        assert!(said(b"").contains("no values"));
        let (wide, other) = (npy(&random_matrix(3, 3, 1)), npy(&random_matrix(3, 4, 1)));
        assert!(said(&[wide.clone(), other].concat()).contains("row 4, column 1: this row has 4 values"));
        let mut wrong = random_matrix::<f64>(3, 3, 1);
        wrong[[1, 2]] = f64::NAN;
        assert!(said(&[wide.clone(), npy(&wrong)].concat()).contains("row 5, column 3: the value is NaN"));
        assert!(said(&wide[..wide.len() - 10]).contains("row 3, column 1: the file ends too early"));
        let garbage = [wide, b"more".to_vec()].concat();
        assert!(said(&garbage).contains("row 4"), "{}", said(&garbage));
    }
}
