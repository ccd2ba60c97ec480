//! Writes rows one by one to a `.csrstore` or `.npy` file.

use std::fs::File;
use std::io::{BufWriter, Seek, Write};

use crate::files::csr_store::StoreWriter;
use crate::files::error::{LocatedProblem, Problem};
use crate::files::npy::{self, header::NpyHeader};
use andnmf::Real;

/// The output file.
pub(super) type OutputFile<'a> = BufWriter<&'a File>;

/// Writes rows. Write errors are stored in `write_error`, so that they can be told apart from read errors of the
/// source: both pass through the same reader.
pub(super) struct RowWriter<'o, 'f, T: Real> {
    target: RowTarget<'o, 'f, T>,
    /// The first error of writing.
    pub(super) write_error: Option<LocatedProblem>,
}

enum RowTarget<'o, 'f, T: Real> {
    Store { store: StoreWriter<&'o mut OutputFile<'f>>, features: Vec<u32>, values: Vec<T> },
    Npy(NpyWriter<'o, 'f, T>),
}

/// Numbers of rows and values written.
pub(super) struct WrittenCounts {
    pub(super) n_samples: u64,
    pub(super) n_values: u64,
}

impl<'o, 'f, T: Real> RowWriter<'o, 'f, T> {
    pub(super) fn store(out: &'o mut OutputFile<'f>) -> Result<Self, LocatedProblem> {
        let store = StoreWriter::new::<T>(out)?;
        let target = RowTarget::Store { store, features: Vec::new(), values: Vec::new() };
        Ok(Self { target, write_error: None })
    }

    pub(super) fn npy(out: &'o mut OutputFile<'f>) -> Result<Self, LocatedProblem> {
        Ok(Self { target: RowTarget::Npy(NpyWriter::new(out)?), write_error: None })
    }

    /// Writes a dense row; all rows must have the same length.
    pub(super) fn dense(&mut self, row: &[T]) -> Result<(), LocatedProblem> {
        let written = match &mut self.target {
            RowTarget::Npy(npy) => npy.row(row),
            RowTarget::Store { store, features, values } => {
                features.clear();
                values.clear();
                for (feature, &value) in row.iter().enumerate().filter(|(_, v)| **v != T::default()) {
                    features.push(feature as u32);
                    values.push(value);
                }
                store.row(features, values)
            }
        };
        self.record_failure(written)
    }

    /// Writes a sparse row of `width` features; the indices in `features` ascend.
    pub(super) fn sparse(&mut self, width: usize, features: &[u32], row: &[T]) -> Result<(), LocatedProblem> {
        let written = match &mut self.target {
            RowTarget::Store { store, .. } => store.row(features, row),
            RowTarget::Npy(npy) => npy.sparse_row(width, features, row),
        };
        self.record_failure(written)
    }

    fn record_failure(&mut self, written: Result<(), LocatedProblem>) -> Result<(), LocatedProblem> {
        written.map_err(|error| {
            self.write_error = Some(error);
            Problem::Cancelled.into()
        })
    }

    pub(super) fn finish(
        self,
        n_features: u64,
        names: Option<Vec<String>>,
    ) -> Result<WrittenCounts, LocatedProblem> {
        match self.target {
            RowTarget::Npy(npy) => npy.finish(n_features),
            RowTarget::Store { store, .. } => {
                let written = WrittenCounts { n_samples: store.n_samples(), n_values: store.n_values() };
                store.finish(n_features, names)?;
                Ok(written)
            }
        }
    }
}

/// Writes a `.npy` file whose number of rows is known only at the end.
struct NpyWriter<'o, 'f, T> {
    out: &'o mut OutputFile<'f>,
    rows: u64,
    bytes: Vec<u8>,
    dense_row: Vec<T>,
}

impl<'o, 'f, T: Real> NpyWriter<'o, 'f, T> {
    fn new(out: &'o mut OutputFile<'f>) -> Result<Self, LocatedProblem> {
        // Placeholder; the final header is written last.
        out.write_all(&NpyHeader::fixed_length_bytes(npy::descr::<T>(), &[0, 0])).map_err(Problem::Io)?;
        Ok(Self { out, rows: 0, bytes: Vec::new(), dense_row: Vec::new() })
    }

    fn row(&mut self, row: &[T]) -> Result<(), LocatedProblem> {
        self.bytes.clear();
        row.iter().for_each(|&value| npy::push_value(&mut self.bytes, value));
        self.rows += 1;
        self.out.write_all(&self.bytes).map_err(|error| Problem::Io(error).into())
    }

    fn sparse_row(&mut self, width: usize, features: &[u32], values: &[T]) -> Result<(), LocatedProblem> {
        let mut row = std::mem::take(&mut self.dense_row);
        row.clear();
        row.resize(width, T::default());
        features.iter().zip(values).for_each(|(&feature, &value)| row[feature as usize] = value);
        let written = self.row(&row);
        self.dense_row = row;
        written
    }

    fn finish(self, n_features: u64) -> Result<WrittenCounts, LocatedProblem> {
        if self.rows == 0 || n_features == 0 {
            return Err(Problem::Empty.into());
        }
        let shape = [self.rows as usize, n_features as usize];
        let header = NpyHeader::fixed_length_bytes(npy::descr::<T>(), &shape);
        let written = self.out.rewind().and_then(|()| self.out.write_all(&header));
        written.and_then(|()| self.out.flush()).map_err(Problem::Io)?;
        Ok(WrittenCounts { n_samples: self.rows, n_values: self.rows.saturating_mul(n_features) })
    }
}
