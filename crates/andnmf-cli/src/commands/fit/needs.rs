//! How much memory a fit takes beside its samples.

use andnmf::MethodParams;
use andnmf::and::{Batch, Compress, Threshold};

/// The size of a fit.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Size {
    pub(crate) n_samples: usize,
    pub(crate) n_features: usize,
    /// All values of dense samples, those that are not zero of sparse ones.
    pub(crate) stored_values: usize,
    pub(crate) sparse: bool,
    /// Bytes of a number.
    pub(crate) value: usize,
    pub(crate) threads: usize,
}

/// The program itself, with what its threads hold on to.
const PROGRAM: u64 = 24_000_000;
/// A block of samples: so many of them at most, and about so many values.
const ROWS_PER_BLOCK: usize = 640;
const VALUES_PER_BLOCK: usize = 1 << 22;
/// Directions beyond the components that the default form looks for, and of these the ones that it keeps.
const SPARE: usize = 20;
const KEPT: usize = 10;
/// Arrays of components and directions at once: blocks of directions, their images, sums on their way.
const WIDE: usize = 16;
/// Arrays of samples × (components and kept directions) at once in the default form, where the end is NMF and other runs
/// vouch for it. Measured; see docs/scale.md.
const PROJECTED: usize = 11;
/// The same of samples × components for methods with weights of their own: two, one in a checkpoint, one at the end.
const WEIGHTS: usize = 4;

/// Bytes that a fit takes beside its samples, and those of a space of its own that `--compress off` saves.
pub(crate) fn beside_samples(settings: &MethodParams, size: &Size) -> (u64, u64) {
    let rank = settings.rank();
    let Size { n_samples, n_features, value, threads, .. } = *size;
    let product = |a: usize, b: usize, c: usize| (a as u64).saturating_mul(b as u64).saturating_mul(c as u64);
    // Tables for sparse samples have rows of whole vectors.
    let padded = |columns: usize| if size.sparse { columns.next_multiple_of(32 / value) } else { columns };
    let wide = |columns: usize| product(padded(columns), n_features, value * (WIDE + 2 * threads));
    let rows = |columns: usize, times: usize| product(n_samples, columns, value * times);
    // Row numbers, lengths and the like.
    let lists = product(n_samples, 8, 4);
    let (own, space) = match settings {
        MethodParams::And(and) if and.threshold == Threshold::Auto => {
            (wide(rank + SPARE) + rows(rank + KEPT, PROJECTED), 0)
        }
        MethodParams::And(and) => {
            let space = if and.batch == Batch::All { compressed(and.compress, size) } else { 0 };
            (wide(rank) + rows(rank, 2), space)
        }
        MethodParams::Hals(params) => (wide(rank) + rows(rank, WEIGHTS), compressed(params.compress, size)),
        MethodParams::Anls(params) => (wide(rank) + rows(rank, WEIGHTS), compressed(params.compress, size)),
        MethodParams::Mu(params) => (wide(rank) + rows(rank, WEIGHTS), compressed(params.compress, size)),
        MethodParams::MinVolume(params) => {
            (wide(rank) + rows(rank, WEIGHTS), compressed(params.compress, size))
        }
        MethodParams::AnchorWords(_) => (wide(rank) + product(n_features, n_features, 16), 0),
        _ => (wide(rank) + rows(rank, 2), 0),
    };
    let sums = [PROGRAM, blocks(size), lists, own, space];
    (sums.iter().fold(0, |sum: u64, part| sum.saturating_add(*part)), space)
}

/// Samples in a smaller space: in the worst case this many columns of them.
fn compressed(compress: Compress, size: &Size) -> u64 {
    let columns = match compress {
        Compress::Off => 0,
        Compress::Auto => size.n_features.min(4 * size.stored_values / size.n_samples.max(1)) / 3,
        Compress::Lossless => size.n_features,
        Compress::Leading(columns) => columns,
    };
    // Once, and once more while they are put together.
    (size.n_samples as u64).saturating_mul(columns as u64).saturating_mul(2 * size.value as u64)
}

/// The blocks at work, one read ahead for each, and what is made of them.
fn blocks(size: &Size) -> u64 {
    let per_row = (size.stored_values / size.n_samples.max(1)).max(1);
    let rows = (VALUES_PER_BLOCK / per_row).clamp(16, ROWS_PER_BLOCK);
    let bytes = if size.sparse { size.value + 4 } else { size.value };
    ((rows * per_row) as u64).saturating_mul((3 * size.threads * bytes) as u64)
}
