//! Rows of a `.npy` file, read where they stand.

use std::ops::Range;
use std::path::Path;

use super::steady_file::SteadyFile;
use crate::files::error::{Fault, Problem};
use crate::files::npy::header::Header;
use crate::files::npy::values::{self, Failure, Reals};
use crate::files::npy::{self, header::Item};
use andnmf::{Real, SamplesError};

/// A matrix in a `.npy` file.
#[derive(Debug)]
pub(crate) struct DenseFile {
    file: SteadyFile,
    item: Item,
    /// Where the values begin.
    begin: u64,
    column_major: bool,
    pub(crate) n_samples: usize,
    pub(crate) n_features: usize,
}

impl DenseFile {
    /// Opens a file in row order.
    pub(crate) fn open(path: &Path) -> Result<Self, Fault> {
        let file = Self::open_in_any_order(path)?;
        if file.column_major {
            return Err(Problem::Unsupported {
                what: "the values stand in column order, so that the rows cannot be read one after another"
                    .to_owned(),
                instead: "turn it into a file in row order (andnmf convert), or save it with \
                          numpy.ascontiguousarray"
                    .to_owned(),
            }
            .into());
        }
        Ok(file)
    }

    /// Opens a file in either order: in that of columns, many rows at once are much cheaper than a few.
    pub(crate) fn open_in_any_order(path: &Path) -> Result<Self, Fault> {
        let file = SteadyFile::open(path)?;
        let mut source = file.from(0);
        let header = Header::read(&mut source)?;
        let begin = source.place();
        let (n_samples, n_features) = npy::matrix_shape(&header)?;
        if n_samples == 0 || n_features == 0 {
            return Err(Problem::Empty.into());
        }
        // A single row or column is the same in either order.
        let column_major = header.column_major && n_samples > 1 && n_features > 1;
        // The number of values is one that fits into memory, so it fits into 64 bits in bytes.
        let wanted = (n_samples * n_features * header.item.size) as u64;
        let held = file.length().saturating_sub(begin);
        if held < wanted {
            let missing = format!("its values take {wanted} bytes, there are {held}");
            return Err(Problem::Truncated { missing }.into());
        }
        if held > wanted {
            return Err(npy::bytes_left_over());
        }
        Ok(Self { file, item: header.item, begin, column_major, n_samples, n_features })
    }

    /// The values of these rows, all of them finite.
    pub(crate) fn rows<T: Real>(&self, rows: &Range<usize>) -> Result<Vec<T>, SamplesError> {
        let width = self.n_features;
        let values = if self.column_major {
            let mut all = vec![T::default(); rows.len() * width];
            for column in 0..width {
                let from = column * self.n_samples + rows.start;
                let values = self.values(rows, from, rows.len(), |at| (rows.start + at, column))?;
                all[column..].iter_mut().step_by(width).zip(values).for_each(|(place, value)| *place = value);
            }
            all
        } else {
            let place = |at| (rows.start + at / width, at % width);
            self.values(rows, rows.start * width, rows.len() * width, place)?
        };
        self.file.check().map(|()| values)
    }

    /// So many values from one on, in the order of the file, which belong to these rows.
    fn values<T: Real>(
        &self,
        rows: &Range<usize>,
        from: usize,
        count: usize,
        place: impl Fn(usize) -> (usize, usize),
    ) -> Result<Vec<T>, SamplesError> {
        let size = self.item.size;
        let mut source = self.file.from(self.begin + (from * size) as u64);
        match values::read::<Reals<T>>(&mut source, self.item, count, Some((count * size) as u64)) {
            Ok(values) => Ok(values),
            Err(Failure::Value(wrong)) => {
                self.file.check()?;
                let (row, column) = place(wrong.at);
                Err(SamplesError::NotFinite { row, column, value: wrong.value })
            }
            Err(Failure::File(Problem::Io(error))) => Err(self.file.failed(rows, &error)),
            Err(Failure::File(problem)) => Err(self.file.damaged(rows, problem.to_string())),
        }
    }
}
