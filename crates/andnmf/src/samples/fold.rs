//! The deterministic, parallel fold over all samples.
//!
//! The samples are split into parts whose boundaries depend only on the shape of the data, each part is folded in
//! order on one thread, and the parts are merged along a fixed binary tree. Scheduling affects only when and where
//! work runs, never the order of additions: any number of threads gives the same bits.

use std::ops::Range;

use ndarray::{ArrayViewMut2, Axis};

use super::read_ahead::for_each_block;
use super::{Block, Samples};
use crate::{Real, SamplesError};

/// More parts would not help even on large machines, and each part in progress has its own sums.
const MAX_PARTS: usize = 64;
/// With fewer samples per part, the cost of merging would be noticeable…
const GOOD_ROWS_PER_PART: usize = 512;
/// …but small data are split further, so that there is work for a few threads.
const MIN_ROWS_PER_PART: usize = 128;
const WANTED_PARTS: usize = 4;
/// Rows per block: enough for the product kernels to run at full speed.
const MAX_ROWS_PER_BLOCK: usize = 640;
/// Maximum values per block of wide dense rows (32 MiB in double precision).
const MAX_VALUES_PER_BLOCK: usize = 1 << 22;

/// The partition of the samples into parts and blocks. It depends only on their shape, never on the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FoldPlan {
    n_samples: usize,
    n_parts: usize,
    rows_per_block: usize,
}

impl FoldPlan {
    /// The plan for these samples if the sums of a part have about `sums` values.
    ///
    /// All parts may be in progress at the same time, so their number is limited to keep all sums within half the
    /// size of the samples, or within four parts if that is more.
    pub(crate) fn new<T: Real>(samples: &dyn Samples<T>, sums: usize) -> Self {
        let n_samples = samples.n_samples();
        let affordable = (samples.stored_values() / sums.max(1) / 2).max(WANTED_PARTS);
        let values_per_row = (samples.stored_values() / n_samples.max(1)).max(1);
        // A power of two: all branches of the merge tree are equally deep and the parts equally long.
        let fine = (n_samples / MIN_ROWS_PER_PART).min(WANTED_PARTS);
        let parts = (n_samples / GOOD_ROWS_PER_PART).max(fine).min(affordable).clamp(1, MAX_PARTS);
        let n_parts = if parts.is_power_of_two() { parts } else { parts.next_power_of_two() / 2 };
        let rows_per_block = (MAX_VALUES_PER_BLOCK / values_per_row).clamp(16, MAX_ROWS_PER_BLOCK);
        Self { n_samples, n_parts, rows_per_block }
    }

    /// The samples of one part.
    fn part(&self, index: usize) -> Range<usize> {
        let start = |i: usize| (i as u128 * self.n_samples as u128 / self.n_parts as u128) as usize;
        start(index)..start(index + 1)
    }

    pub(crate) fn n_samples(&self) -> usize {
        self.n_samples
    }

    /// The blocks that contain any of these samples.
    pub(crate) fn blocks_meeting(&self, samples: &Range<usize>) -> Vec<Range<usize>> {
        let meets = |range: &Range<usize>| range.start < samples.end && samples.start < range.end;
        let parts = (0..self.n_parts).map(|i| self.part(i)).filter(meets);
        parts.flat_map(|part| self.blocks(part)).filter(meets).collect()
    }

    pub(crate) fn numbers(self) -> [usize; 3] {
        [self.n_samples, self.n_parts, self.rows_per_block]
    }

    /// `None` if the numbers do not form a valid partition.
    pub(crate) fn from_numbers([n_samples, n_parts, rows_per_block]: [usize; 3]) -> Option<Self> {
        let valid = (1..=MAX_PARTS).contains(&n_parts) && rows_per_block > 0;
        valid.then_some(Self { n_samples, n_parts, rows_per_block })
    }

    /// The blocks of one part, in order and of about equal length.
    fn blocks(
        &self,
        part: Range<usize>,
    ) -> impl ExactSizeIterator<Item = Range<usize>> + Clone + Send + use<> {
        let n_blocks = part.len().div_ceil(self.rows_per_block);
        let (start, rows) = (part.start, part.len());
        (0..n_blocks).map(move |i| start + i * rows / n_blocks..start + (i + 1) * rows / n_blocks)
    }
}

/// Folds `step` over all blocks of samples and merges the parts.
///
/// `step` receives the number of the block's first sample. An error in any block stops the fold.
pub(crate) fn fold<T, A, E>(
    samples: &dyn Samples<T>,
    plan: &FoldPlan,
    new: &(impl Fn() -> A + Sync),
    step: &(impl Fn(&mut A, usize, Block<'_, T>) -> Result<(), E> + Sync),
    merge: &(impl Fn(&mut A, A) + Sync),
) -> Result<A, E>
where
    T: Real,
    A: Send,
    E: From<SamplesError> + Send,
{
    let no_columns =
        ArrayViewMut2::from_shape((plan.n_samples, 0), &mut []).expect("a matrix without values");
    fold_with_rows(samples, plan, no_columns, new, &|sums, first, block, _| step(sums, first, block), merge)
}

/// [`fold`] with a matrix that has one row per sample: `step` also receives the rows of its block, to read and write.
pub(crate) fn fold_with_rows<T, A, E>(
    samples: &dyn Samples<T>,
    plan: &FoldPlan,
    matrix: ArrayViewMut2<'_, T>,
    new: &(impl Fn() -> A + Sync),
    step: &(impl Fn(&mut A, usize, Block<'_, T>, ArrayViewMut2<'_, T>) -> Result<(), E> + Sync),
    merge: &(impl Fn(&mut A, A) + Sync),
) -> Result<A, E>
where
    T: Real,
    A: Send,
    E: From<SamplesError> + Send,
{
    let leaf = |part, rows| {
        let (mut sums, mut rest) = (new(), Some(rows));
        for_each_block(samples, plan.blocks(plan.part(part)), |first, block| {
            let rows: ArrayViewMut2<'_, T> = rest.take().expect("the remaining rows are put back");
            let (rows, others) = rows.split_at(Axis(0), block.n_samples());
            rest = Some(others);
            step(&mut sums, first, block, rows)
        })?;
        Ok(sums)
    };
    fold_parts(plan, 0..plan.n_parts, matrix, &leaf, merge)
}

fn fold_parts<'m, T: Real, A: Send, E: Send>(
    plan: &FoldPlan,
    parts: Range<usize>,
    rows: ArrayViewMut2<'m, T>,
    leaf: &(impl Fn(usize, ArrayViewMut2<'m, T>) -> Result<A, E> + Sync),
    merge: &(impl Fn(&mut A, A) + Sync),
) -> Result<A, E> {
    if parts.len() <= 1 {
        return leaf(parts.start, rows);
    }
    let middle = parts.start + parts.len() / 2;
    let (above, below) = rows.split_at(Axis(0), plan.part(middle).start - plan.part(parts.start).start);
    let (left, right) = rayon::join(
        || fold_parts(plan, parts.start..middle, above, leaf, merge),
        || fold_parts(plan, middle..parts.end, below, leaf, merge),
    );
    let mut sums = left?;
    merge(&mut sums, right?);
    Ok(sums)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::DenseSamples;
    use crate::testing::random_matrix;

    #[test]
    fn every_sample_is_read_exactly_once_and_in_order_within_a_part() {
        for n in [1, 2, 255, 256, 513, 5000, 40_000] {
            let samples = DenseSamples::new(random_matrix::<f64>(n, 1, 1)).unwrap();
            let rows = fold(
                &samples,
                &FoldPlan::new(&samples, 1),
                &Vec::new,
                &|seen: &mut Vec<usize>, first, block| {
                    seen.extend(first..first + block.n_samples());
                    Ok::<(), SamplesError>(())
                },
                &|left, right| left.extend(right),
            )
            .unwrap();
            assert_eq!(rows, (0..n).collect::<Vec<_>>());
        }
    }

    #[test]
    fn every_row_of_a_matrix_belongs_to_the_block_that_reads_its_sample() {
        let samples = DenseSamples::new(ndarray::Array2::<f64>::zeros((5000, 2))).unwrap();
        let plan = FoldPlan::new(&samples, 1);
        let mut matrix = ndarray::Array2::<f64>::zeros((5000, 3));
        let step = |n: &mut usize, first: usize, block: Block<'_, f64>, mut rows: ArrayViewMut2<'_, f64>| {
            assert_eq!(rows.nrows(), block.n_samples());
            rows.outer_iter_mut().enumerate().for_each(|(i, mut row)| row.fill((first + i) as f64));
            *n += rows.nrows();
            Ok::<(), SamplesError>(())
        };
        let n = fold_with_rows(&samples, &plan, matrix.view_mut(), &|| 0, &step, &|a, b| *a += b).unwrap();
        assert_eq!(n, 5000);
        assert!(matrix.indexed_iter().all(|((i, _), &v)| v == i as f64));
    }

    #[test]
    fn sums_have_the_same_bits_for_any_number_of_threads() {
        let samples = DenseSamples::new(random_matrix::<f32>(20_000, 3, 2)).unwrap();
        let sum = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                fold(
                    &samples,
                    &FoldPlan::new(&samples, 1),
                    &|| 0.0_f32,
                    &|sum: &mut f32, _, block| {
                        block.for_each(|_, _, v| *sum += v);
                        Ok::<(), SamplesError>(())
                    },
                    &|left, right| *left += right,
                )
                .unwrap()
            })
        };
        let one = sum(1);
        for threads in [2, 3, 8] {
            assert_eq!(sum(threads).to_bits(), one.to_bits());
        }
    }

    #[test]
    fn large_sums_are_split_into_few_parts() {
        let samples = DenseSamples::new(ndarray::Array2::<f64>::zeros((40_000, 3))).unwrap();
        let parts = |sums| FoldPlan::new(&samples, sums).n_parts;
        assert_eq!((parts(1), parts(3_750), parts(1_000_000)), (64, 16, 4));
    }

    #[test]
    fn wide_samples_are_read_in_short_blocks() {
        let samples = DenseSamples::new(ndarray::Array2::<f64>::zeros((64, 100_000))).unwrap();
        let plan = FoldPlan::new(&samples, 1);
        assert!(plan.blocks(0..64).all(|rows| rows.len() <= 42));
        assert_eq!(plan.blocks(0..64).map(|rows| rows.len()).sum::<usize>(), 64);
    }
}
