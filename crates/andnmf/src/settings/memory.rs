//! How much memory a fit takes beside its samples.
//!
//! The bounds were measured; see docs/scale.md.

/// The size of a fit.
#[derive(Debug, Clone, Copy)]
pub struct Size {
    /// Number of samples.
    pub n_samples: usize,
    /// Number of features.
    pub n_features: usize,
    /// All values of dense samples, the stored ones of sparse samples.
    pub stored_values: usize,
    /// Whether the samples are sparse.
    pub sparse: bool,
    /// Bytes of a number.
    pub value: usize,
    /// Number of threads.
    pub threads: usize,
}

/// The program itself, with the buffers of its threads.
const PROGRAM: u64 = 24_000_000;
/// A block of samples: at most this many, and about this many values.
const ROWS_PER_BLOCK: usize = 640;
const VALUES_PER_BLOCK: usize = 1 << 22;
/// Arrays of components and directions at once: blocks of directions, their images, partial sums.
const WIDE: usize = 16;

/// Bytes that a fit takes beside its samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Memory {
    /// All of them.
    pub total: u64,
    /// Those of the samples in a smaller space, which `compress = off` saves.
    pub space: u64,
}

impl Size {
    /// The memory of a fit whose method takes `own` bytes, and `space` for samples in a smaller space.
    #[must_use]
    pub fn memory(&self, own: u64, space: u64) -> Memory {
        // Row numbers, lengths and the like.
        let lists = product(self.n_samples, 8, 4);
        let parts = [PROGRAM, self.blocks(), lists, own, space];
        Memory { total: parts.iter().fold(0, |sum: u64, part| sum.saturating_add(*part)), space }
    }

    /// All arrays of `columns` × features that a fit holds.
    #[must_use]
    pub fn wide(&self, columns: usize) -> u64 {
        // Tables for sparse samples have rows of whole vectors.
        let padded = if self.sparse { columns.next_multiple_of(32 / self.value) } else { columns };
        product(padded, self.n_features, self.value * (WIDE + 2 * self.threads))
    }

    /// This many arrays of samples × `columns`.
    #[must_use]
    pub fn rows(&self, columns: usize, times: usize) -> u64 {
        product(self.n_samples, columns, self.value * times)
    }

    /// Samples in a smaller space of at most this many columns: once, and once more while it is assembled.
    #[must_use]
    pub fn smaller_space(&self, columns: usize) -> u64 {
        product(self.n_samples, columns, 2 * self.value)
    }

    /// The blocks in progress, one read ahead for each, and their results.
    fn blocks(&self) -> u64 {
        let per_row = (self.stored_values / self.n_samples.max(1)).max(1);
        let rows = (VALUES_PER_BLOCK / per_row).clamp(16, ROWS_PER_BLOCK);
        let bytes = if self.sparse { self.value + 4 } else { self.value };
        ((rows * per_row) as u64).saturating_mul((3 * self.threads * bytes) as u64)
    }
}

pub(crate) fn product(a: usize, b: usize, c: usize) -> u64 {
    (a as u64).saturating_mul(b as u64).saturating_mul(c as u64)
}
