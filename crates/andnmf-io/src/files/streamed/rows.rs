//! Where rows go, one after another: a store of sparse rows, or a `.npy` file.

use std::fs::File;
use std::io::{BufWriter, Seek, Write};

use crate::files::csr_store::StoreWriter;
use crate::files::error::{Fault, Problem};
use crate::files::npy::{self, header::Header};
use andnmf::Real;

/// The file that is written.
pub(super) type Out<'a> = BufWriter<&'a File>;

/// Writes rows; what goes wrong with the file that is written is kept apart from what is wrong with the one that is
/// read, since both come out of the same reader.
pub(super) struct RowWriter<'o, 'f, T: Real> {
    target: Target<'o, 'f, T>,
    /// Why the file could not be written.
    pub(super) failed: Option<Fault>,
}

enum Target<'o, 'f, T: Real> {
    Store { store: StoreWriter<&'o mut Out<'f>>, features: Vec<u32>, values: Vec<T> },
    Npy(NpyWriter<'o, 'f, T>),
}

/// What was written.
pub(super) struct Written {
    pub(super) n_samples: u64,
    pub(super) n_values: u64,
}

impl<'o, 'f, T: Real> RowWriter<'o, 'f, T> {
    pub(super) fn store(out: &'o mut Out<'f>) -> Result<Self, Fault> {
        let store = StoreWriter::new::<T>(out)?;
        let target = Target::Store { store, features: Vec::new(), values: Vec::new() };
        Ok(Self { target, failed: None })
    }

    pub(super) fn npy(out: &'o mut Out<'f>) -> Result<Self, Fault> {
        Ok(Self { target: Target::Npy(NpyWriter::new(out)?), failed: None })
    }

    /// A row with every value; all rows have as many.
    pub(super) fn dense(&mut self, row: &[T]) -> Result<(), Fault> {
        let written = match &mut self.target {
            Target::Npy(npy) => npy.row(row),
            Target::Store { store, features, values } => {
                features.clear();
                values.clear();
                for (feature, &value) in row.iter().enumerate().filter(|(_, v)| **v != T::default()) {
                    features.push(feature as u32);
                    values.push(value);
                }
                store.row(features, values)
            }
        };
        self.keep(written)
    }

    /// A row of so many features, of which these, in rising order, have values.
    pub(super) fn sparse(&mut self, width: usize, features: &[u32], row: &[T]) -> Result<(), Fault> {
        let written = match &mut self.target {
            Target::Store { store, .. } => store.row(features, row),
            Target::Npy(npy) => npy.filled_up(width, features, row),
        };
        self.keep(written)
    }

    fn keep(&mut self, written: Result<(), Fault>) -> Result<(), Fault> {
        written.map_err(|fault| {
            self.failed = Some(fault);
            Problem::CalledOff.into()
        })
    }

    pub(super) fn finish(self, n_features: u64, names: Option<Vec<String>>) -> Result<Written, Fault> {
        match self.target {
            Target::Npy(npy) => npy.finish(n_features),
            Target::Store { store, .. } => {
                let written = Written { n_samples: store.n_samples(), n_values: store.n_values() };
                store.finish(n_features, names)?;
                Ok(written)
            }
        }
    }
}

/// Writes a `.npy` file of a number of rows that only its end tells.
struct NpyWriter<'o, 'f, T> {
    out: &'o mut Out<'f>,
    rows: u64,
    bytes: Vec<u8>,
    filled: Vec<T>,
}

impl<'o, 'f, T: Real> NpyWriter<'o, 'f, T> {
    fn new(out: &'o mut Out<'f>) -> Result<Self, Fault> {
        // Workspace for the header, which is written last.
        out.write_all(&Header::bytes_with_room(npy::descr::<T>(), &[0, 0])).map_err(Problem::Io)?;
        Ok(Self { out, rows: 0, bytes: Vec::new(), filled: Vec::new() })
    }

    fn row(&mut self, row: &[T]) -> Result<(), Fault> {
        self.bytes.clear();
        row.iter().for_each(|&value| npy::push_value(&mut self.bytes, value));
        self.rows += 1;
        self.out.write_all(&self.bytes).map_err(|error| Problem::Io(error).into())
    }

    fn filled_up(&mut self, width: usize, features: &[u32], values: &[T]) -> Result<(), Fault> {
        let mut row = std::mem::take(&mut self.filled);
        row.clear();
        row.resize(width, T::default());
        features.iter().zip(values).for_each(|(&feature, &value)| row[feature as usize] = value);
        let written = self.row(&row);
        self.filled = row;
        written
    }

    fn finish(self, n_features: u64) -> Result<Written, Fault> {
        if self.rows == 0 || n_features == 0 {
            return Err(Problem::Empty.into());
        }
        let shape = [self.rows as usize, n_features as usize];
        let header = Header::bytes_with_room(npy::descr::<T>(), &shape);
        let put = self.out.rewind().and_then(|()| self.out.write_all(&header));
        put.and_then(|()| self.out.flush()).map_err(Problem::Io)?;
        Ok(Written { n_samples: self.rows, n_values: self.rows.saturating_mul(n_features) })
    }
}
