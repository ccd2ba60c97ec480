//! Rows of one matrix, handed out block by block to the threads that fill them.

use std::sync::Mutex;

use ndarray::{Array2, ArrayViewMut2, Axis};

use crate::Real;
use crate::pool::lock;
use crate::samples::fold::FoldPlan;

/// The rows of a matrix, cut along the blocks of a fold.
pub(crate) struct Slots<'a, T> {
    first_rows: Vec<usize>,
    rows: Vec<Mutex<ArrayViewMut2<'a, T>>>,
}

impl<'a, T: Real> Slots<'a, T> {
    pub(crate) fn new(plan: &FoldPlan, matrix: &'a mut Array2<T>) -> Self {
        let (mut first_rows, mut rows) = (Vec::new(), Vec::new());
        let mut rest = matrix.view_mut();
        for block in plan.all_blocks() {
            let (head, tail) = rest.split_at(Axis(0), block.len());
            first_rows.push(block.start);
            rows.push(Mutex::new(head));
            rest = tail;
        }
        Self { first_rows, rows }
    }

    /// Works on the rows of the block that begins with this row.
    pub(crate) fn with<R>(&self, first: usize, work: impl FnOnce(ArrayViewMut2<'_, T>) -> R) -> R {
        let block = self.first_rows.binary_search(&first).expect("the fold uses the plan of the slots");
        work(lock(&self.rows[block]).view_mut())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::DenseSamples;

    #[test]
    fn every_row_belongs_to_the_block_that_reads_it() {
        let samples = DenseSamples::new(Array2::<f64>::zeros((5000, 2))).unwrap();
        let plan = FoldPlan::new(&samples, 1);
        let mut matrix = Array2::<f64>::zeros((5000, 1));
        let slots = Slots::new(&plan, &mut matrix);
        for block in plan.all_blocks() {
            slots.with(block.start, |mut rows| {
                assert_eq!(rows.nrows(), block.len());
                rows.column_mut(0).iter_mut().enumerate().for_each(|(i, v)| *v = (block.start + i) as f64);
            });
        }
        assert!(matrix.column(0).iter().enumerate().all(|(i, &v)| v == i as f64));
    }
}
