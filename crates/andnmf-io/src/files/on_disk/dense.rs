//! Reads rows of a `.npy` file at their offset.

use std::ops::Range;
use std::path::Path;

use super::unchanged_file::UnchangedFile;
use crate::files::budget::Budget;
use crate::files::error::{LocatedProblem, Problem};
use crate::files::npy::header::NpyHeader;
use crate::files::npy::values::{self, Reals, ValueReadError};
use crate::files::npy::{self, header::NpyDtype};
use andnmf::{Real, SamplesError};

/// A matrix in a `.npy` file.
#[derive(Debug)]
pub(crate) struct DenseFile {
    file: UnchangedFile,
    dtype: NpyDtype,
    /// The offset of the first value.
    data_offset: u64,
    column_major: bool,
    pub(crate) n_samples: usize,
    pub(crate) n_features: usize,
}

impl DenseFile {
    /// Opens a file; rejects column order.
    pub(crate) fn open(path: &Path) -> Result<Self, LocatedProblem> {
        let file = Self::open_in_any_order(path)?;
        if file.column_major {
            return Err(Problem::Unsupported {
                what: "the values are in column order, so rows cannot be read one by one".to_owned(),
                instead: "convert it to row order (andnmf convert), or save it with \
                          numpy.ascontiguousarray"
                    .to_owned(),
            }
            .into());
        }
        Ok(file)
    }

    /// Opens a file in either order. In column order, reading many rows at once is much cheaper than a few.
    pub(crate) fn open_in_any_order(path: &Path) -> Result<Self, LocatedProblem> {
        let file = UnchangedFile::open(path)?;
        let mut source = file.stream_from(0);
        let header = NpyHeader::read(&mut source)?;
        let data_offset = source.offset();
        let (n_samples, n_features) = npy::matrix_shape(&header)?;
        if n_samples == 0 || n_features == 0 {
            return Err(Problem::Empty.into());
        }
        // For a single row or column both orders are the same.
        let column_major = header.column_major && n_samples > 1 && n_features > 1;
        // Cannot overflow: `matrix_shape` has checked that the values fit into memory.
        let expected = (n_samples * n_features * header.dtype.size) as u64;
        let available = file.length().saturating_sub(data_offset);
        if available < expected {
            let missing = format!("its values need {expected} bytes, but it has {available}");
            return Err(Problem::Truncated { missing }.into());
        }
        if available > expected {
            return Err(npy::trailing_bytes());
        }
        Ok(Self { file, dtype: header.dtype, data_offset, column_major, n_samples, n_features })
    }

    /// Reads the values of these rows; all are finite.
    pub(crate) fn rows<T: Real>(&self, rows: &Range<usize>) -> Result<Vec<T>, SamplesError> {
        let width = self.n_features;
        let values = if self.column_major {
            let mut all = vec![T::default(); rows.len() * width];
            for column in 0..width {
                let from = column * self.n_samples + rows.start;
                let values = self.values(rows, from, rows.len(), |at| (rows.start + at, column))?;
                all[column..].iter_mut().step_by(width).zip(values).for_each(|(slot, value)| *slot = value);
            }
            all
        } else {
            let row_and_column = |at| (rows.start + at / width, at % width);
            self.values(rows, rows.start * width, rows.len() * width, row_and_column)?
        };
        self.file.check().map(|()| values)
    }

    /// Reads `count` values in file order, starting at value `from`. `rows` are the rows to name in errors.
    fn values<T: Real>(
        &self,
        rows: &Range<usize>,
        from: usize,
        count: usize,
        row_and_column: impl Fn(usize) -> (usize, usize),
    ) -> Result<Vec<T>, SamplesError> {
        let size = self.dtype.size;
        let mut source = self.file.stream_from(self.data_offset + (from * size) as u64);
        let length = Some((count * size) as u64);
        match values::read::<Reals<T>>(&mut source, self.dtype, count, length, Budget::NO_CHECK) {
            Ok(values) => Ok(values),
            Err(ValueReadError::Value(invalid)) => {
                self.file.check()?;
                let (row, column) = row_and_column(invalid.at);
                Err(SamplesError::NotFinite { row, column, value: invalid.value })
            }
            Err(ValueReadError::File(Problem::Io(error))) => Err(self.file.read_error(rows, &error)),
            Err(ValueReadError::File(problem)) => Err(self.file.damaged_error(rows, problem.to_string())),
        }
    }
}
