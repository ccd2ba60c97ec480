//! Rows of a `.npy` file, read where they stand.

use std::ops::Range;
use std::path::Path;

use super::steady_file::SteadyFile;
use crate::io::error::{Fault, Problem};
use crate::io::npy::header::Header;
use crate::io::npy::values::{self, Failure, Reals};
use crate::io::npy::{self, header::Item};
use crate::{Real, SamplesError};

/// A matrix in a `.npy` file.
#[derive(Debug)]
pub(crate) struct DenseFile {
    file: SteadyFile,
    item: Item,
    /// Where the values begin.
    begin: u64,
    pub(crate) n_samples: usize,
    pub(crate) n_features: usize,
}

impl DenseFile {
    pub(crate) fn open(path: &Path) -> Result<Self, Fault> {
        let file = SteadyFile::open(path)?;
        let mut source = file.from(0);
        let header = Header::read(&mut source)?;
        let begin = source.place();
        let (n_samples, n_features) = npy::matrix_shape(&header)?;
        if n_samples == 0 || n_features == 0 {
            return Err(Problem::Empty.into());
        }
        // A single row or column is the same in either order.
        if header.column_major && n_samples > 1 && n_features > 1 {
            return Err(Problem::Unsupported {
                what: "the values stand in column order, so that the rows cannot be read one after another"
                    .to_owned(),
                instead: "turn it into a file in row order (andnmf convert), or save it with \
                          numpy.ascontiguousarray"
                    .to_owned(),
            }
            .into());
        }
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
        Ok(Self { file, item: header.item, begin, n_samples, n_features })
    }

    /// The values of these rows, all of them finite.
    pub(crate) fn rows<T: Real>(&self, rows: &Range<usize>) -> Result<Vec<T>, SamplesError> {
        let row_bytes = self.n_features * self.item.size;
        let place = self.begin + (rows.start * row_bytes) as u64;
        let count = rows.len() * self.n_features;
        let room = (rows.len() * row_bytes) as u64;
        let read = values::read::<Reals<T>>(&mut self.file.from(place), self.item, count, Some(room));
        match read {
            Ok(values) => self.file.check().map(|()| values),
            Err(Failure::Value(wrong)) => {
                self.file.check()?;
                let (row, column) = (rows.start + wrong.at / self.n_features, wrong.at % self.n_features);
                Err(SamplesError::NotFinite { row, column, value: wrong.value })
            }
            Err(Failure::File(Problem::Io(error))) => Err(self.file.failed(rows, &error)),
            Err(Failure::File(problem)) => Err(self.file.damaged(rows, problem.to_string())),
        }
    }
}
