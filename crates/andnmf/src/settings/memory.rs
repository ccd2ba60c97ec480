//! Bounds of the memory of a fit, without its samples. They were measured; see docs/scale.md.

use crate::memory::product;

/// The sizes that determine the memory of a fit.
#[derive(Debug, Clone, Copy)]
pub struct Size {
    /// Number of samples.
    pub n_samples: usize,
    /// Number of features.
    pub n_features: usize,
    /// Number of stored values: all values of dense samples, the explicit ones of sparse samples.
    pub stored_values: usize,
    /// True if the samples are sparse.
    pub sparse: bool,
    /// Bytes per number.
    pub value: usize,
    /// Number of threads.
    pub threads: usize,
}

/// Bytes of the program itself and the buffers of its threads.
const PROGRAM: u64 = 24_000_000;
/// Maximum size of a block of samples: rows, and values.
const ROWS_PER_BLOCK: usize = 640;
const VALUES_PER_BLOCK: usize = 1 << 22;
/// Arrays of components or directions at the same time: blocks of directions, their images, partial sums.
const WIDE: usize = 16;
/// Arrays that every fit has at the same time, at least: of components × features, and of components × components.
const LEAST_WIDE: usize = 4;
const LEAST_SQUARE: usize = 4;

/// Bytes of a fit, without its samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Memory {
    /// Total.
    pub total: u64,
    /// The part for samples in a smaller space, which `compress = off` saves.
    pub space: u64,
}

impl Size {
    /// The memory of a fit whose method needs `own` bytes, and `space` bytes for samples in a smaller space.
    #[must_use]
    pub fn memory(&self, own: u64, space: u64) -> Memory {
        // Row numbers, norms and other lists with one entry per sample.
        let lists = product(&[self.n_samples, 8, 4]);
        let parts = [PROGRAM, self.blocks(), lists, own, space];
        Memory { total: parts.iter().fold(0, |sum: u64, part| sum.saturating_add(*part)), space }
    }

    /// Bytes of all arrays of `columns` × features of a fit.
    #[must_use]
    pub fn wide(&self, columns: usize) -> u64 {
        // For sparse samples, rows are padded to whole SIMD vectors.
        let lanes = if self.sparse { 32 / self.value } else { 1 };
        let padded = columns.checked_next_multiple_of(lanes).unwrap_or(usize::MAX);
        let times = self.threads.saturating_mul(2).saturating_add(WIDE);
        product(&[padded, self.n_features, self.value, times])
    }

    /// Bytes that any fit of this many components takes, at least.
    #[must_use]
    pub fn least(&self, rank: usize) -> u64 {
        let parts = [
            product(&[self.n_samples, rank, self.value]),
            product(&[rank, self.n_features, self.value, LEAST_WIDE]),
            product(&[rank, rank, self.value, LEAST_SQUARE]),
        ];
        parts.iter().fold(0, |sum: u64, part| sum.saturating_add(*part))
    }

    /// Bytes of this many arrays of samples × `columns`.
    #[must_use]
    pub fn rows(&self, columns: usize, times: usize) -> u64 {
        product(&[self.n_samples, columns, self.value, times])
    }

    /// Bytes of samples in a smaller space of at most this many columns, twice: a copy exists while they are assembled.
    #[must_use]
    pub fn smaller_space(&self, columns: usize) -> u64 {
        product(&[self.n_samples, columns, 2, self.value])
    }

    /// Bytes of the blocks in progress, one read ahead for each, and their results.
    fn blocks(&self) -> u64 {
        let per_row = (self.stored_values / self.n_samples.max(1)).max(1);
        let rows = (VALUES_PER_BLOCK / per_row).clamp(16, ROWS_PER_BLOCK);
        let bytes = if self.sparse { self.value + 4 } else { self.value };
        product(&[rows, per_row, 3, self.threads, bytes])
    }
}
