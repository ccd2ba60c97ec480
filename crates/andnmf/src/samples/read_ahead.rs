//! Sequential reading of blocks, with read-ahead: the next block is read while this one is processed.

use std::ops::Range;
use std::sync::mpsc::sync_channel;
use std::thread;

use super::{Block, Samples, read};
use crate::{Real, SamplesError};

/// Calls `work(number of the first sample, block)` for each of these blocks, in their order.
///
/// A separate thread reads blocks of [slow](Samples::is_slow) samples, at most one block ahead. The order is the same
/// either way.
pub(crate) fn for_each_block<T: Real, E: From<SamplesError>>(
    samples: &dyn Samples<T>,
    blocks: impl ExactSizeIterator<Item = Range<usize>> + Clone + Send,
    mut work: impl FnMut(usize, Block<'_, T>) -> Result<(), E>,
) -> Result<(), E> {
    if samples.is_slow() && blocks.len() > 1 {
        return thread::scope(|scope| {
            // A channel without capacity: the reader waits until its block is received.
            let (sender, receiver) = sync_channel(0);
            let to_read = blocks.clone();
            let reader = move || {
                for rows in to_read {
                    let first = rows.start;
                    let block = read(samples, rows);
                    let failed = block.is_err();
                    if sender.send((first, block)).is_err() || failed {
                        return;
                    }
                }
            };
            if thread::Builder::new().spawn_scoped(scope, reader).is_err() {
                // The system has no thread to spare.
                return without_read_ahead(samples, blocks, work);
            }
            for (first, block) in receiver {
                work(first, block?)?;
            }
            Ok(())
        });
    }
    without_read_ahead(samples, blocks, work)
}

fn without_read_ahead<T: Real, E: From<SamplesError>>(
    samples: &dyn Samples<T>,
    blocks: impl Iterator<Item = Range<usize>>,
    mut work: impl FnMut(usize, Block<'_, T>) -> Result<(), E>,
) -> Result<(), E> {
    for rows in blocks {
        let first = rows.start;
        work(first, read(samples, rows)?)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use ndarray::{Array2, CowArray};

    use super::*;
    use crate::samples::fold::{FoldPlan, fold};

    /// 5000 samples, the numbers from 0 on, and a record of the blocks read.
    #[derive(Default)]
    struct Slow {
        read: Mutex<Vec<usize>>,
        worked: AtomicUsize,
        most_ahead: AtomicUsize,
        fails_at: Option<usize>,
    }

    impl Samples<f64> for Slow {
        fn n_samples(&self) -> usize {
            5000
        }
        fn n_features(&self) -> usize {
            1
        }
        fn is_slow(&self) -> bool {
            true
        }
        fn block(&self, rows: Range<usize>) -> Result<Block<'_, f64>, SamplesError> {
            if self.fails_at.is_some_and(|at| rows.contains(&at)) {
                let (first, last) = (rows.start, rows.end - 1);
                return Err(SamplesError::Read { first, last, reason: "as a bad disk would".into() });
            }
            let mut read = self.read.lock().unwrap();
            read.push(rows.start);
            self.most_ahead.fetch_max(read.len() - self.worked.load(Ordering::SeqCst), Ordering::SeqCst);
            let column = rows.clone().map(|i| i as f64).collect();
            Ok(Block::Dense(CowArray::from(Array2::from_shape_vec((rows.len(), 1), column).unwrap())))
        }
    }

    fn blocks() -> impl ExactSizeIterator<Item = Range<usize>> + Clone + Send {
        (0..50).map(|block| block * 100..(block + 1) * 100)
    }

    #[test]
    fn blocks_come_in_order_and_no_more_than_one_is_read_ahead() {
        let samples = Slow::default();
        let mut seen = Vec::new();
        for_each_block(&samples, blocks(), |first, block| {
            thread::sleep(std::time::Duration::from_millis(1));
            block.for_each(|_, _, value| seen.push(value));
            assert_eq!(seen.len(), first + 100);
            samples.worked.fetch_add(1, Ordering::SeqCst);
            Ok::<(), SamplesError>(())
        })
        .unwrap();
        assert_eq!(seen, (0..5000).map(f64::from).collect::<Vec<_>>());
        // The block in progress, the one that waits to be received, and one received before the count rose.
        let ahead = samples.most_ahead.load(Ordering::SeqCst);
        assert!((2..=3).contains(&ahead), "{ahead} blocks at once");
    }

    #[test]
    fn an_error_of_the_reader_is_returned_after_the_blocks_before_it() {
        let samples = Slow { fails_at: Some(777), ..Slow::default() };
        let mut seen = 0;
        let work = |_: usize, block: Block<'_, f64>| {
            seen += block.n_samples();
            Ok(())
        };
        let error = for_each_block::<f64, SamplesError>(&samples, blocks(), work).unwrap_err();
        assert!(matches!(error, SamplesError::Read { first: 700, last: 799, .. }), "{error}");
        assert_eq!(seen, 700);
    }

    #[test]
    fn an_error_of_the_work_ends_the_reading() {
        let samples = Slow::default();
        let error = for_each_block(&samples, blocks(), |first, _| match first {
            300 => Err(SamplesError::Cancelled),
            _ => Ok(()),
        });
        assert_eq!(error.unwrap_err(), SamplesError::Cancelled);
        assert!(samples.read.lock().unwrap().len() <= 6);
    }

    #[test]
    fn a_fold_over_slow_samples_reads_each_of_them_once() {
        let samples = Slow::default();
        let plan = FoldPlan::new(&samples, 1);
        let add = |sum: &mut f64, _: usize, block: Block<'_, f64>| {
            block.for_each(|_, _, value| *sum += value);
            Ok::<(), SamplesError>(())
        };
        let sum = fold(&samples, &plan, &|| 0.0, &add, &|left, right| *left += right).unwrap();
        assert_eq!(sum, 5000.0 * 4999.0 / 2.0);
        let mut read = samples.read.lock().unwrap().clone();
        read.sort_unstable();
        assert_eq!(read, plan.blocks_meeting(&(0..5000)).iter().map(|rows| rows.start).collect::<Vec<_>>());
    }
}
