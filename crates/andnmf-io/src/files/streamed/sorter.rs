//! Entries into rows: at once where they come row by row, else by sorting them in pieces on the disk.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::Path;

use super::rows::RowWriter;
use crate::files::entries::EntrySink;
use crate::files::error::{Fault, Place, Problem};
use crate::files::npy::push_value;
use crate::files::on_disk::read_some;
use andnmf::Real;

/// How often whoever waits is asked whether it is still wanted.
const ASKED_EVERY: usize = 1 << 12;

/// Whether the work is still wanted.
pub(super) type Stop<'a> = &'a (dyn Fn() -> bool + Sync);

/// Puts entries that come row by row together to rows; those of the same place are added up.
pub(super) struct InOrder<'w, 'o, 'f, T: Real> {
    pub(super) writer: &'w mut RowWriter<'o, 'f, T>,
    pub(super) n_features: usize,
    stop: Stop<'w>,
    /// The row under way.
    row: u32,
    entries: Vec<(u32, T)>,
    features: Vec<u32>,
    values: Vec<T>,
    taken: usize,
    /// Whether an entry came that belongs to a row that is written already.
    pub(super) out_of_order: bool,
}

impl<'w, 'o, 'f, T: Real> InOrder<'w, 'o, 'f, T> {
    pub(super) fn new(writer: &'w mut RowWriter<'o, 'f, T>, stop: Stop<'w>) -> Self {
        let (features, values, entries) = (Vec::new(), Vec::new(), Vec::new());
        Self { writer, n_features: 0, stop, row: 0, entries, features, values, taken: 0, out_of_order: false }
    }

    /// Writes the row under way.
    fn close_row(&mut self) -> Result<(), Fault> {
        if !self.entries.is_sorted_by(|a, b| a.0 < b.0) {
            self.entries.sort_by_key(|&(feature, _)| feature);
        }
        self.features.clear();
        self.values.clear();
        for same in self.entries.chunk_by(|a, b| a.0 == b.0) {
            let (feature, mut value) = same[0];
            if same.len() > 1 {
                value = same.iter().map(|&(_, value)| value).sum();
            }
            if !value.finite() {
                let place = Place::Value { row: u64::from(self.row) + 1, column: u64::from(feature) + 1 };
                return Err(Problem::NotFinite { value: value.as_f64() }.at(place));
            }
            self.features.push(feature);
            self.values.push(value);
        }
        self.entries.clear();
        self.row += 1;
        self.writer.sparse(self.n_features, &self.features, &self.values)
    }

    /// Writes what is left, and rows without entries up to `n_samples`.
    pub(super) fn finish(mut self, n_samples: u64) -> Result<(), Fault> {
        while u64::from(self.row) < n_samples {
            self.close_row()?;
        }
        Ok(())
    }
}

impl<T: Real> EntrySink<T> for InOrder<'_, '_, '_, T> {
    fn take(&mut self, row: u32, column: u32, value: T) -> Result<(), Fault> {
        self.taken += 1;
        if self.taken.is_multiple_of(ASKED_EVERY) && (self.stop)() {
            return Err(Problem::CalledOff.into());
        }
        if row < self.row {
            self.out_of_order = true;
            return Err(Problem::CalledOff.into());
        }
        while self.row < row {
            self.close_row()?;
        }
        self.entries.push((column, value));
        Ok(())
    }
}

/// Sorts entries in pieces that fit into memory, each of which goes to a file that has no name: it is gone with the
/// process, however that ends.
pub(super) struct Sorter<'s, T> {
    folder: &'s Path,
    stop: Stop<'s>,
    /// Entries of the piece under way, and how many it may have.
    piece: Vec<(u32, u32, T)>,
    most: usize,
    file: Option<BufWriter<File>>,
    /// Where each piece ends in the file.
    ends: Vec<u64>,
    memory: u64,
    /// Why the file could not be written.
    pub(super) failed: Option<Fault>,
}

/// Bytes of an entry in the file.
fn entry_size<T>() -> usize {
    8 + size_of::<T>()
}

impl<'s, T: Real> Sorter<'s, T> {
    pub(super) fn new(folder: &'s Path, memory: u64, stop: Stop<'s>) -> Self {
        // Sorting takes half as much again as the entries.
        let most = (memory / 2 / size_of::<(u32, u32, T)>() as u64).max(1024) as usize;
        Self { folder, stop, piece: Vec::new(), most, file: None, ends: Vec::new(), memory, failed: None }
    }

    fn spill(&mut self) -> Result<(), Fault> {
        if (self.stop)() {
            return Err(Problem::CalledOff.into());
        }
        let written = self.write_piece();
        written.map_err(|error| {
            self.failed = Some(Problem::Io(error).into());
            Problem::CalledOff.into()
        })
    }

    fn write_piece(&mut self) -> std::io::Result<()> {
        // Entries of the same place stay in the order in which they came.
        self.piece.sort_by_key(|&(row, column, _)| (row, column));
        let out = match &mut self.file {
            Some(out) => out,
            None => {
                let file = tempfile::tempfile_in(self.folder)?;
                self.file.insert(BufWriter::with_capacity(1 << 17, file))
            }
        };
        let mut bytes = Vec::with_capacity(entry_size::<T>());
        for &(row, column, value) in &self.piece {
            bytes.clear();
            bytes.extend(row.to_le_bytes());
            bytes.extend(column.to_le_bytes());
            push_value(&mut bytes, value);
            out.write_all(&bytes)?;
        }
        let before = self.ends.last().copied().unwrap_or(0);
        self.ends.push(before + (self.piece.len() * entry_size::<T>()) as u64);
        self.piece.clear();
        Ok(())
    }

    /// Hands on all entries in the order of rows and columns.
    pub(super) fn merge(mut self, sink: &mut impl EntrySink<T>) -> Result<(), Fault> {
        if self.ends.is_empty() {
            self.piece.sort_by_key(|&(row, column, _)| (row, column));
            return self.piece.drain(..).try_for_each(|(row, column, value)| sink.take(row, column, value));
        }
        if !self.piece.is_empty() {
            self.spill()?;
        }
        self.piece = Vec::new();
        let file = match self.file.take().map(BufWriter::into_inner) {
            Some(Ok(file)) => file,
            Some(Err(failed)) => return Err(Problem::Io(failed.into_error()).into()),
            None => return Ok(()),
        };
        let room = (self.memory / 4 / self.ends.len() as u64).clamp(1 << 12, 1 << 20) as usize;
        let mut begin = 0;
        let mut pieces: Vec<_> = self
            .ends
            .iter()
            .map(|&end| {
                let piece = Piece { file: &file, begin, end };
                begin = end;
                BufReader::with_capacity(room, piece)
            })
            .collect();
        // Of entries of the same place those of the earlier piece come first.
        let mut next = BinaryHeap::with_capacity(pieces.len());
        let mut values = vec![T::default(); pieces.len()];
        for (number, piece) in pieces.iter_mut().enumerate() {
            if let Some((row, column, value)) = read_entry(piece)? {
                next.push(Reverse((row, column, number)));
                values[number] = value;
            }
        }
        while let Some(Reverse((row, column, number))) = next.pop() {
            sink.take(row, column, values[number])?;
            if let Some((row, column, value)) = read_entry(&mut pieces[number])? {
                next.push(Reverse((row, column, number)));
                values[number] = value;
            }
        }
        Ok(())
    }
}

impl<T: Real> EntrySink<T> for Sorter<'_, T> {
    fn take(&mut self, row: u32, column: u32, value: T) -> Result<(), Fault> {
        if self.piece.len() == self.most {
            self.spill()?;
        }
        if self.piece.capacity() == self.piece.len() {
            // Never twice what is allowed, as growing by doubling would be.
            let more = (self.most - self.piece.len()).min(self.piece.len().max(1024));
            self.piece.reserve_exact(more);
        }
        self.piece.push((row, column, value));
        Ok(())
    }
}

/// A sorted piece in the file.
struct Piece<'f> {
    file: &'f File,
    begin: u64,
    end: u64,
}

impl Read for Piece<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let room = buffer.len().min((self.end - self.begin) as usize);
        let n = read_some(self.file, &mut buffer[..room], self.begin)?;
        self.begin += n as u64;
        Ok(n)
    }
}

/// The next entry of a piece; `None` at its end.
fn read_entry<T: Real>(piece: &mut BufReader<Piece<'_>>) -> Result<Option<(u32, u32, T)>, Fault> {
    let mut bytes = [0; 16];
    let bytes = &mut bytes[..entry_size::<T>()];
    if piece.buffer().is_empty() && piece.get_ref().begin == piece.get_ref().end {
        return Ok(None);
    }
    piece.read_exact(bytes).map_err(Problem::Io)?;
    let small = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
    let mut bits = [0; 8];
    bits[..bytes.len() - 8].copy_from_slice(&bytes[8..]);
    Ok(Some((small(0), small(4), T::try_from_bits(u64::from_le_bytes(bits)).unwrap_or_default())))
}

/// Begins a file anew.
pub(super) fn start_over(out: &mut super::rows::Out<'_>) -> std::io::Result<()> {
    out.flush()?;
    out.seek(SeekFrom::Start(0))?;
    out.get_ref().set_len(0)
}
