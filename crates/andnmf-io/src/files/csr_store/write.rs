//! Writes a store row by row; memory holds only one chunk and the index.

use std::io::Write;

use flate2::Crc;

use super::layout::{Chunk, Index, header_bytes};
use crate::files::error::{LocatedProblem, Problem};
use crate::files::npy::push_value;
use crate::files::{SampleTable, TableValues};
use andnmf::Real;

/// Maximum rows per chunk.
const ROWS_PER_CHUNK: usize = 4096;
/// A chunk is closed at this many values: large enough for efficient reads, small beside a block of samples.
const VALUES_PER_CHUNK: usize = 1 << 16;

/// Writes rows into a store.
pub(crate) struct StoreWriter<W: Write> {
    out: W,
    index: Index,
    /// The current chunk.
    pointers: Vec<u8>,
    indices: Vec<u8>,
    values: Vec<u8>,
}

impl<W: Write> StoreWriter<W> {
    pub(crate) fn new<T: Real>(mut out: W) -> Result<Self, LocatedProblem> {
        let value_size = size_of::<T>();
        out.write_all(&header_bytes(value_size)).map_err(Problem::Io)?;
        let index = Index {
            value_size,
            n_samples: 0,
            n_features: 0,
            n_values: 0,
            chunks: Vec::new(),
            feature_names: None,
        };
        Ok(Self { out, index, pointers: 0_u64.to_le_bytes().to_vec(), indices: vec![], values: vec![] })
    }

    /// Adds a row; features ascend, and `T` is the type passed to `new`.
    pub(crate) fn row<T: Real>(&mut self, features: &[u32], values: &[T]) -> Result<(), LocatedProblem> {
        for feature in features {
            self.indices.extend(feature.to_le_bytes());
        }
        values.iter().for_each(|&value| push_value(&mut self.values, value));
        self.index.n_samples += 1;
        self.index.n_values += features.len() as u64;
        let in_chunk = self.indices.len() / 4;
        self.pointers.extend((in_chunk as u64).to_le_bytes());
        if self.rows_in_chunk() >= ROWS_PER_CHUNK || in_chunk >= VALUES_PER_CHUNK {
            self.close_chunk()?;
        }
        Ok(())
    }

    fn rows_in_chunk(&self) -> usize {
        self.pointers.len() / 8 - 1
    }

    fn close_chunk(&mut self) -> Result<(), LocatedProblem> {
        let (rows, values) = (self.rows_in_chunk() as u32, (self.indices.len() / 4) as u64);
        let mut crc = Crc::new();
        for part in [&mut self.pointers, &mut self.indices, &mut self.values] {
            crc.update(part);
            self.out.write_all(part).map_err(Problem::Io)?;
            part.clear();
        }
        self.index.chunks.push(Chunk { rows, checksum: crc.sum(), values });
        self.pointers.extend(0_u64.to_le_bytes());
        Ok(())
    }

    /// The number of rows so far.
    pub(crate) fn n_samples(&self) -> u64 {
        self.index.n_samples
    }

    /// The number of values so far.
    pub(crate) fn n_values(&self) -> u64 {
        self.index.n_values
    }

    /// Writes the index. All features must be less than `n_features`.
    pub(crate) fn finish(
        mut self,
        n_features: u64,
        feature_names: Option<Vec<String>>,
    ) -> Result<(), LocatedProblem> {
        if self.index.n_samples == 0 || n_features == 0 {
            return Err(Problem::Empty.into());
        }
        if self.rows_in_chunk() > 0 {
            self.close_chunk()?;
        }
        self.index.n_features = n_features;
        self.index.feature_names = feature_names;
        let bytes = self.index.to_bytes();
        self.out.write_all(&bytes).and_then(|()| self.out.flush()).map_err(Problem::Io)?;
        Ok(())
    }
}

/// Writes a matrix with its feature names; zeros of dense matrices are omitted.
pub(crate) fn write<T: Real>(out: impl Write, table: &SampleTable<T>) -> Result<(), LocatedProblem> {
    let mut store = StoreWriter::new::<T>(out)?;
    let dense = matches!(table.values, TableValues::Dense(_));
    let (mut row, mut features, mut values) = (Vec::<(u32, T)>::new(), Vec::new(), Vec::new());
    for i in 0..table.n_samples() {
        row.clear();
        table.for_each_in(i, |column, value| {
            if !dense || value != T::default() {
                row.push((column as u32, value));
            }
        });
        row.sort_by_key(|&(column, _)| column);
        features.clear();
        values.clear();
        features.extend(row.iter().map(|(column, _)| *column));
        values.extend(row.iter().map(|(_, value)| *value));
        store.row(&features, &values)?;
    }
    store.finish(table.n_features() as u64, table.feature_names.clone())
}
