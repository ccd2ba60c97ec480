//! Reading rows of a store where they stand.

use std::ops::Range;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use flate2::Crc;

use super::layout::{FOOT, Foot, HEAD, Index, not_a_store, parse_head};
use crate::files::Table;
use crate::files::error::Fault;
use crate::files::on_disk::SteadyFile;
use andnmf::samples::{CsrSamples, CsrView, Samples};
use andnmf::{Real, SamplesError};

/// Bytes looked at in one go where only their checksum matters.
const PIECE: usize = 1 << 18;

/// A store of sparse rows in a file.
#[derive(Debug)]
pub(crate) struct Store {
    file: SteadyFile,
    index: Index,
    chunks: Vec<Place>,
}

/// Where a chunk is.
#[derive(Debug)]
struct Place {
    first_row: usize,
    begin: u64,
    /// Whether its checksum was found right.
    good: AtomicBool,
}

/// Rows being put together.
struct Parts<T> {
    starts: Vec<usize>,
    features: Vec<u32>,
    values: Vec<T>,
}

impl Store {
    pub(crate) fn open(path: &Path) -> Result<Self, Fault> {
        let file = SteadyFile::open(path)?;
        let length = file.length();
        if length < (HEAD + FOOT) as u64 {
            return Err(not_a_store("it is too short"));
        }
        let (mut head, mut foot) = ([0; HEAD], [0; FOOT]);
        file.read_at(&mut head, 0)?;
        let value_size = parse_head(&head)?;
        file.read_at(&mut foot, length - FOOT as u64)?;
        let foot = Foot::parse(&foot, length)?;
        let mut bytes = vec![0; foot.index_bytes];
        file.read_at(&mut bytes, length - (FOOT + foot.index_bytes) as u64)?;
        let index = Index::parse(value_size, &foot, &bytes, length)?;
        let (mut first_row, mut begin) = (0, HEAD as u64);
        let mut chunks = Vec::with_capacity(index.chunks.len());
        for chunk in &index.chunks {
            chunks.push(Place { first_row, begin, good: AtomicBool::new(false) });
            // Both sums were compared with the file.
            first_row += chunk.rows as usize;
            begin += chunk.bytes(value_size).unwrap_or_default();
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

    /// These rows, which exist.
    pub(crate) fn rows<T: Real>(&self, rows: &Range<usize>) -> Result<CsrView<'static, T>, SamplesError> {
        let mut parts = Parts { starts: vec![0], features: Vec::new(), values: Vec::new() };
        let first = self.chunks.partition_point(|chunk| chunk.first_row <= rows.start).saturating_sub(1);
        for number in first..self.chunks.len() {
            let (place, chunk) = (&self.chunks[number], &self.index.chunks[number]);
            let held = place.first_row..place.first_row + chunk.rows as usize;
            if held.start >= rows.end {
                break;
            }
            let wanted = rows.start.max(held.start)..rows.end.min(held.end);
            if wanted.is_empty() {
                continue;
            }
            if !place.good.load(Ordering::Relaxed) {
                self.verify(number, &held)?;
            }
            self.read_part(number, wanted, &mut parts)?;
        }
        self.file.check()?;
        let Parts { starts, features, values } = parts;
        Ok(CsrView::from_owned_parts(self.n_features(), starts, features, values))
    }

    /// Compares a chunk with its checksum, once.
    fn verify(&self, number: usize, held: &Range<usize>) -> Result<(), SamplesError> {
        let (place, chunk) = (&self.chunks[number], &self.index.chunks[number]);
        let mut left = chunk.bytes(self.index.value_size).unwrap_or_default();
        let mut begin = place.begin;
        let mut piece = vec![0; PIECE.min(left as usize)];
        let mut crc = Crc::new();
        while left > 0 {
            let piece = &mut piece[..PIECE.min(left as usize)];
            self.file.read_at(piece, begin).map_err(|error| self.file.failed(held, &error))?;
            crc.update(piece);
            begin += piece.len() as u64;
            left -= piece.len() as u64;
        }
        if crc.sum() != chunk.checksum {
            return Err(self.file.damaged(held, "they do not have the checksum that they should have"));
        }
        place.good.store(true, Ordering::Relaxed);
        Ok(())
    }

    /// Appends rows of one chunk.
    fn read_part<T: Real>(
        &self,
        number: usize,
        rows: Range<usize>,
        parts: &mut Parts<T>,
    ) -> Result<(), SamplesError> {
        let (place, chunk) = (&self.chunks[number], &self.index.chunks[number]);
        let wrong = |reason: &str| self.file.damaged(&rows, reason);
        let read = |bytes: u64, begin: u64| {
            let mut buffer = vec![0; bytes as usize];
            self.file.read_at(&mut buffer, begin).map_err(|error| self.file.failed(&rows, &error))?;
            Ok::<Vec<u8>, SamplesError>(buffer)
        };
        let within = rows.start - place.first_row;
        let pointers = read((rows.len() as u64 + 1) * 8, place.begin + 8 * within as u64)?;
        let pointers = pointers.as_chunks::<8>().0.iter().map(|&bytes| u64::from_le_bytes(bytes));
        let pointers: Vec<u64> = pointers.collect();
        let (first, last) = (pointers[0], pointers[rows.len()]);
        let whole = within == 0 && rows.len() == chunk.rows as usize;
        if !pointers.is_sorted() || last > chunk.values || (whole && (first, last) != (0, chunk.values)) {
            return Err(wrong("their row pointers contradict each other"));
        }
        let count = last - first;
        let indices = place.begin + (u64::from(chunk.rows) + 1) * 8;
        let features = read(count * 4, indices + first * 4)?;
        let (features, _) = features.as_chunks::<4>();
        parts.features.extend(features.iter().map(|&bytes| u32::from_le_bytes(bytes)));
        let size = self.index.value_size as u64;
        let values = read(count * size, indices + chunk.values * 4 + first * size)?;
        match self.index.value_size {
            4 => parts.push_values(values.as_chunks::<4>().0, |bytes| f32::from_le_bytes(bytes).into()),
            _ => parts.push_values(values.as_chunks::<8>().0, f64::from_le_bytes),
        }
        let before = parts.starts[parts.starts.len() - 1];
        parts.starts.extend(pointers[1..].iter().map(|pointer| before + (pointer - first) as usize));
        self.check_part(&rows, parts)
    }

    /// Refuses features that are out of range or order, and values that are not finite.
    fn check_part<T: Real>(&self, rows: &Range<usize>, parts: &Parts<T>) -> Result<(), SamplesError> {
        let n_features = self.n_features();
        let starts = &parts.starts[parts.starts.len() - rows.len() - 1..];
        for (row, ends) in rows.clone().zip(starts.windows(2)) {
            let (features, values) = (&parts.features[ends[0]..ends[1]], &parts.values[ends[0]..ends[1]]);
            if features.last().is_some_and(|&last| last as usize >= n_features)
                || !features.is_sorted_by(|a, b| a < b)
            {
                let reason = format!("features must rise and stay below {n_features}");
                return Err(self.file.damaged(&(row..row + 1), reason));
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

impl<T: Real> Parts<T> {
    fn push_values<const SIZE: usize>(&mut self, bytes: &[[u8; SIZE]], decode: impl Fn([u8; SIZE]) -> f64) {
        self.values.extend(bytes.iter().map(|&bytes| T::from_f64(decode(bytes))));
    }
}

/// The whole matrix of a file.
pub(crate) fn read<T: Real>(path: &Path) -> Result<Table<T>, Fault> {
    let store = Store::open(path)?;
    let (mut starts, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
    for chunk in 0..store.chunks.len() {
        let first = store.chunks[chunk].first_row;
        let rows: CsrView<'_, T> = store.rows(&(first..first + store.index.chunks[chunk].rows as usize))?;
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
    Ok(Table { feature_names, ..samples.into() })
}
