//! Assembles entries into rows: directly if they are sorted by row, otherwise after an external merge sort on disk.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::Path;

use super::row_writer::RowWriter;
use crate::files::entries::EntrySink;
use crate::files::error::{LocatedProblem, Location, Problem};
use crate::files::npy::push_value;
use crate::files::on_disk::read_at_offset;
use andnmf::Real;

/// Entries between two cancellation checks.
pub(super) const ENTRIES_PER_CHECK: usize = 1 << 12;

/// Returns true if the caller has cancelled.
pub(super) type CancelCheck<'a> = &'a (dyn Fn() -> bool + Sync);

/// Assembles entries that are sorted by row; duplicates (same row and column) are summed.
pub(super) struct RowAssembler<'w, 'o, 'f, T: Real> {
    pub(super) writer: &'w mut RowWriter<'o, 'f, T>,
    pub(super) n_features: usize,
    stop: CancelCheck<'w>,
    /// The current row.
    row: u32,
    entries: Vec<(u32, T)>,
    features: Vec<u32>,
    values: Vec<T>,
    taken: usize,
    /// True if an entry of an already written row was received.
    pub(super) out_of_order: bool,
}

impl<'w, 'o, 'f, T: Real> RowAssembler<'w, 'o, 'f, T> {
    pub(super) fn new(writer: &'w mut RowWriter<'o, 'f, T>, stop: CancelCheck<'w>) -> Self {
        let (features, values, entries) = (Vec::new(), Vec::new(), Vec::new());
        Self { writer, n_features: 0, stop, row: 0, entries, features, values, taken: 0, out_of_order: false }
    }

    /// Writes the current row.
    fn finish_row(&mut self) -> Result<(), LocatedProblem> {
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
                let location =
                    Location::Value { row: u64::from(self.row) + 1, column: u64::from(feature) + 1 };
                return Err(Problem::NotFinite { value: value.as_f64() }.at(location));
            }
            self.features.push(feature);
            self.values.push(value);
        }
        self.entries.clear();
        self.row += 1;
        self.writer.sparse(self.n_features, &self.features, &self.values)
    }

    /// Writes the current row and empty rows up to `n_samples`.
    pub(super) fn finish(mut self, n_samples: u64) -> Result<(), LocatedProblem> {
        while u64::from(self.row) < n_samples {
            self.finish_row()?;
        }
        Ok(())
    }
}

impl<T: Real> EntrySink<T> for RowAssembler<'_, '_, '_, T> {
    fn take(&mut self, row: u32, column: u32, value: T) -> Result<(), LocatedProblem> {
        self.taken += 1;
        if self.taken.is_multiple_of(ENTRIES_PER_CHECK) && (self.stop)() {
            return Err(Problem::Cancelled.into());
        }
        if row < self.row {
            self.out_of_order = true;
            return Err(Problem::Cancelled.into());
        }
        while self.row < row {
            self.finish_row()?;
        }
        self.entries.push((column, value));
        Ok(())
    }
}

/// External merge sort: sorts runs that fit into memory, writes them to an unnamed temporary file (deleted when the
/// process ends), then merges them.
pub(super) struct ExternalSorter<'s, T> {
    folder: &'s Path,
    stop: CancelCheck<'s>,
    /// The current run and its maximum number of entries.
    run: Vec<(u32, u32, T)>,
    max_entries: usize,
    file: Option<BufWriter<File>>,
    /// The end of each run in the file.
    run_ends: Vec<u64>,
    memory: u64,
    /// The error of writing the temporary file.
    pub(super) write_error: Option<LocatedProblem>,
}

/// Bytes per entry in the temporary file.
fn entry_size<T>() -> usize {
    8 + size_of::<T>()
}

impl<'s, T: Real> ExternalSorter<'s, T> {
    pub(super) fn new(folder: &'s Path, memory: u64, stop: CancelCheck<'s>) -> Self {
        // A stable sort needs up to half of the run as scratch space.
        let max_entries = (memory / 2 / size_of::<(u32, u32, T)>() as u64).max(1024) as usize;
        Self {
            folder,
            stop,
            run: Vec::new(),
            max_entries,
            file: None,
            run_ends: Vec::new(),
            memory,
            write_error: None,
        }
    }

    fn spill(&mut self) -> Result<(), LocatedProblem> {
        if (self.stop)() {
            return Err(Problem::Cancelled.into());
        }
        let written = self.write_run();
        written.map_err(|error| {
            self.write_error = Some(Problem::Io(error).into());
            Problem::Cancelled.into()
        })
    }

    fn write_run(&mut self) -> std::io::Result<()> {
        // A stable sort, so that duplicates are summed in input order.
        self.run.sort_by_key(|&(row, column, _)| (row, column));
        let out = match &mut self.file {
            Some(out) => out,
            None => {
                let file = tempfile::tempfile_in(self.folder)?;
                self.file.insert(BufWriter::with_capacity(1 << 17, file))
            }
        };
        let mut bytes = Vec::with_capacity(entry_size::<T>());
        for &(row, column, value) in &self.run {
            bytes.clear();
            bytes.extend(row.to_le_bytes());
            bytes.extend(column.to_le_bytes());
            push_value(&mut bytes, value);
            out.write_all(&bytes)?;
        }
        let before = self.run_ends.last().copied().unwrap_or(0);
        self.run_ends.push(before + (self.run.len() * entry_size::<T>()) as u64);
        self.run.clear();
        Ok(())
    }

    /// Passes all entries to `sink`, sorted by row and column.
    pub(super) fn merge(mut self, sink: &mut impl EntrySink<T>) -> Result<(), LocatedProblem> {
        if self.run_ends.is_empty() {
            self.run.sort_by_key(|&(row, column, _)| (row, column));
            return self.run.drain(..).try_for_each(|(row, column, value)| sink.take(row, column, value));
        }
        if !self.run.is_empty() {
            self.spill()?;
        }
        self.run = Vec::new();
        let file = match self.file.take().map(BufWriter::into_inner) {
            Some(Ok(file)) => file,
            Some(Err(error)) => return Err(Problem::Io(error.into_error()).into()),
            None => return Ok(()),
        };
        let buffer_size = (self.memory / 4 / self.run_ends.len() as u64).clamp(1 << 12, 1 << 20) as usize;
        let mut start = 0;
        let mut runs: Vec<_> = self
            .run_ends
            .iter()
            .map(|&end| {
                let run = SortedRun { file: &file, start, end };
                start = end;
                BufReader::with_capacity(buffer_size, run)
            })
            .collect();
        // Duplicates of earlier runs come first.
        let mut next = BinaryHeap::with_capacity(runs.len());
        let mut values = vec![T::default(); runs.len()];
        for (number, run) in runs.iter_mut().enumerate() {
            if let Some((row, column, value)) = read_entry(run)? {
                next.push(Reverse((row, column, number)));
                values[number] = value;
            }
        }
        while let Some(Reverse((row, column, number))) = next.pop() {
            sink.take(row, column, values[number])?;
            if let Some((row, column, value)) = read_entry(&mut runs[number])? {
                next.push(Reverse((row, column, number)));
                values[number] = value;
            }
        }
        Ok(())
    }
}

impl<T: Real> EntrySink<T> for ExternalSorter<'_, T> {
    fn take(&mut self, row: u32, column: u32, value: T) -> Result<(), LocatedProblem> {
        if self.run.len() == self.max_entries {
            self.spill()?;
        }
        if self.run.capacity() == self.run.len() {
            // Grows by at most doubling, and never beyond the limit.
            let more = (self.max_entries - self.run.len()).min(self.run.len().max(1024));
            self.run.reserve_exact(more);
        }
        self.run.push((row, column, value));
        Ok(())
    }
}

/// A sorted run in the temporary file.
struct SortedRun<'f> {
    file: &'f File,
    start: u64,
    end: u64,
}

impl Read for SortedRun<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let buffer_size = buffer.len().min((self.end - self.start) as usize);
        let n = read_at_offset(self.file, &mut buffer[..buffer_size], self.start)?;
        self.start += n as u64;
        Ok(n)
    }
}

/// Reads the next entry of a run; `None` at its end.
fn read_entry<T: Real>(run: &mut BufReader<SortedRun<'_>>) -> Result<Option<(u32, u32, T)>, LocatedProblem> {
    let mut bytes = [0; 16];
    let bytes = &mut bytes[..entry_size::<T>()];
    if run.buffer().is_empty() && run.get_ref().start == run.get_ref().end {
        return Ok(None);
    }
    run.read_exact(bytes).map_err(Problem::Io)?;
    let u32_at = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
    let mut bits = [0; 8];
    bits[..bytes.len() - 8].copy_from_slice(&bytes[8..]);
    Ok(Some((u32_at(0), u32_at(4), T::try_from_bits(u64::from_le_bytes(bits)).unwrap_or_default())))
}

/// Empties the output file to start over.
pub(super) fn truncate(out: &mut super::row_writer::OutputFile<'_>) -> std::io::Result<()> {
    out.flush()?;
    out.seek(SeekFrom::Start(0))?;
    out.get_ref().set_len(0)
}
