//! Reads rows of a store at their offset.

use std::ops::Range;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use flate2::Crc;

use super::layout::{FOOTER_SIZE, Footer, HEADER_SIZE, Index, not_a_store, parse_header};
use crate::files::SampleTable;
use crate::files::budget::Budget;
use crate::files::error::LocatedProblem;
use crate::files::on_disk::UnchangedFile;
use andnmf::samples::{CsrSamples, CsrView, Samples};
use andnmf::{Real, SamplesError};

/// Bytes read at a time to verify a checksum.
const BYTES_PER_READ: usize = 1 << 18;

/// An open `.csrstore` file.
#[derive(Debug)]
pub(crate) struct Store {
    file: UnchangedFile,
    index: Index,
    chunks: Vec<ChunkLocation>,
}

/// The location of a chunk.
#[derive(Debug)]
struct ChunkLocation {
    first_row: usize,
    offset: u64,
    /// True once the checksum has been verified.
    verified: AtomicBool,
}

/// The arrays of a CSR matrix under construction.
struct CsrParts<T> {
    starts: Vec<usize>,
    features: Vec<u32>,
    values: Vec<T>,
}

impl Store {
    pub(crate) fn open(path: &Path) -> Result<Self, LocatedProblem> {
        let file = UnchangedFile::open(path)?;
        let length = file.length();
        if length < (HEADER_SIZE + FOOTER_SIZE) as u64 {
            return Err(not_a_store("it is too short"));
        }
        let (mut header, mut footer) = ([0; HEADER_SIZE], [0; FOOTER_SIZE]);
        file.read_at(&mut header, 0)?;
        let value_size = parse_header(&header)?;
        file.read_at(&mut footer, length - FOOTER_SIZE as u64)?;
        let footer = Footer::parse(&footer, length)?;
        let mut bytes = vec![0; footer.index_bytes];
        file.read_at(&mut bytes, length - (FOOTER_SIZE + footer.index_bytes) as u64)?;
        let index = Index::parse(value_size, &footer, &bytes, length)?;
        let (mut first_row, mut offset) = (0, HEADER_SIZE as u64);
        let mut chunks = Vec::with_capacity(index.chunks.len());
        for chunk in &index.chunks {
            chunks.push(ChunkLocation { first_row, offset, verified: AtomicBool::new(false) });
            // `Index::parse` has compared both sums with the file.
            first_row += chunk.rows as usize;
            offset += chunk.bytes(value_size).unwrap_or_default();
        }
        Ok(Self { file, index, chunks })
    }

    pub(crate) fn n_samples(&self) -> usize {
        self.index.n_samples as usize
    }

    pub(crate) fn n_features(&self) -> usize {
        self.index.n_features as usize
    }

    pub(crate) fn n_values(&self) -> usize {
        self.index.n_values as usize
    }

    pub(crate) fn feature_names(&self) -> Option<&[String]> {
        self.index.feature_names.as_deref()
    }

    /// Reads these rows, which must exist.
    pub(crate) fn rows<T: Real>(&self, rows: &Range<usize>) -> Result<CsrView<'static, T>, SamplesError> {
        let mut csr = CsrParts { starts: vec![0], features: Vec::new(), values: Vec::new() };
        let first = self.chunks.partition_point(|chunk| chunk.first_row <= rows.start).saturating_sub(1);
        for number in first..self.chunks.len() {
            let (location, chunk) = (&self.chunks[number], &self.index.chunks[number]);
            let chunk_rows = location.first_row..location.first_row + chunk.rows as usize;
            if chunk_rows.start >= rows.end {
                break;
            }
            let requested = rows.start.max(chunk_rows.start)..rows.end.min(chunk_rows.end);
            if requested.is_empty() {
                continue;
            }
            if !location.verified.load(Ordering::Relaxed) {
                self.verify(number, &chunk_rows)?;
            }
            self.read_rows_of_chunk(number, requested, &mut csr)?;
        }
        self.file.check()?;
        let CsrParts { starts, features, values } = csr;
        Ok(CsrView::from_owned_parts(self.n_features(), starts, features, values))
    }

    /// Verifies the checksum of a chunk.
    fn verify(&self, number: usize, chunk_rows: &Range<usize>) -> Result<(), SamplesError> {
        let (location, chunk) = (&self.chunks[number], &self.index.chunks[number]);
        let mut left = chunk.bytes(self.index.value_size).unwrap_or_default();
        let mut offset = location.offset;
        let mut buffer = vec![0; BYTES_PER_READ.min(left as usize)];
        let mut crc = Crc::new();
        while left > 0 {
            let buffer = &mut buffer[..BYTES_PER_READ.min(left as usize)];
            self.file.read_at(buffer, offset).map_err(|error| self.file.read_error(chunk_rows, &error))?;
            crc.update(buffer);
            offset += buffer.len() as u64;
            left -= buffer.len() as u64;
        }
        if crc.sum() != chunk.checksum {
            return Err(self.file.damaged_error(chunk_rows, "wrong checksum"));
        }
        location.verified.store(true, Ordering::Relaxed);
        Ok(())
    }

    /// Appends rows of one chunk.
    fn read_rows_of_chunk<T: Real>(
        &self,
        number: usize,
        rows: Range<usize>,
        csr: &mut CsrParts<T>,
    ) -> Result<(), SamplesError> {
        let (location, chunk) = (&self.chunks[number], &self.index.chunks[number]);
        let wrong = |reason: &str| self.file.damaged_error(&rows, reason);
        let read = |bytes: u64, offset: u64| {
            let mut buffer = vec![0; bytes as usize];
            self.file.read_at(&mut buffer, offset).map_err(|error| self.file.read_error(&rows, &error))?;
            Ok::<Vec<u8>, SamplesError>(buffer)
        };
        let within = rows.start - location.first_row;
        let pointers = read((rows.len() as u64 + 1) * 8, location.offset + 8 * within as u64)?;
        let pointers = pointers.as_chunks::<8>().0.iter().map(|&bytes| u64::from_le_bytes(bytes));
        let pointers: Vec<u64> = pointers.collect();
        let (first, last) = (pointers[0], pointers[rows.len()]);
        let whole = within == 0 && rows.len() == chunk.rows as usize;
        if !pointers.is_sorted() || last > chunk.values || (whole && (first, last) != (0, chunk.values)) {
            return Err(wrong("the row pointers are inconsistent"));
        }
        let count = last - first;
        let indices = location.offset + (u64::from(chunk.rows) + 1) * 8;
        let features = read(count * 4, indices + first * 4)?;
        let (features, _) = features.as_chunks::<4>();
        csr.features.extend(features.iter().map(|&bytes| u32::from_le_bytes(bytes)));
        let size = self.index.value_size as u64;
        let values = read(count * size, indices + chunk.values * 4 + first * size)?;
        match self.index.value_size {
            4 => csr.push_values(values.as_chunks::<4>().0, |bytes| f32::from_le_bytes(bytes).into()),
            _ => csr.push_values(values.as_chunks::<8>().0, f64::from_le_bytes),
        }
        let before = csr.starts[csr.starts.len() - 1];
        csr.starts.extend(pointers[1..].iter().map(|pointer| before + (pointer - first) as usize));
        self.check_rows(&rows, csr)
    }

    /// Rejects features that are out of range or not ascending, and values that are not finite.
    fn check_rows<T: Real>(&self, rows: &Range<usize>, csr: &CsrParts<T>) -> Result<(), SamplesError> {
        let n_features = self.n_features();
        let starts = &csr.starts[csr.starts.len() - rows.len() - 1..];
        for (row, ends) in rows.clone().zip(starts.windows(2)) {
            let (features, values) = (&csr.features[ends[0]..ends[1]], &csr.values[ends[0]..ends[1]]);
            if features.last().is_some_and(|&last| last as usize >= n_features)
                || !features.is_sorted_by(|a, b| a < b)
            {
                let reason = format!("feature indices must ascend and be less than {n_features}");
                return Err(self.file.damaged_error(&(row..row + 1), reason));
            }
            if let Some(at) = values.iter().position(|value| !value.finite()) {
                self.file.check()?;
                let (column, value) = (features[at] as usize, values[at].as_f64());
                return Err(SamplesError::NotFinite { row, column, value });
            }
        }
        Ok(())
    }
}

impl<T: Real> CsrParts<T> {
    fn push_values<const SIZE: usize>(&mut self, bytes: &[[u8; SIZE]], decode: impl Fn([u8; SIZE]) -> f64) {
        self.values.extend(bytes.iter().map(|&bytes| T::from_f64(decode(bytes))));
    }
}

/// Reads the whole matrix in a file.
pub(crate) fn read<T: Real>(path: &Path, budget: Budget) -> Result<SampleTable<T>, LocatedProblem> {
    let store = Store::open(path)?;
    let (mut starts, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
    for chunk in 0..store.chunks.len() {
        let first = store.chunks[chunk].first_row;
        let rows: CsrView<'_, T> = store.rows(&(first..first + store.index.chunks[chunk].rows as usize))?;
        let count = usize::try_from(store.index.chunks[chunk].values).unwrap_or(usize::MAX);
        budget.grow(&mut values, count, 4 + size_of::<T>())?;
        for i in 0..rows.n_samples() {
            for (feature, value) in rows.row(i) {
                indices.push(feature as u32);
                values.push(value);
            }
            starts.push(values.len());
        }
    }
    let samples = CsrSamples::new::<u32, usize>(store.n_features(), &starts, indices, values)?;
    debug_assert_eq!(samples.n_samples(), store.n_samples());
    let feature_names = store.index.feature_names;
    Ok(SampleTable { feature_names, ..samples.into() })
}
