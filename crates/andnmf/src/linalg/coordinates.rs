//! Samples along some directions.

use std::ops::Range;
use std::sync::Mutex;

use ndarray::{Array2, ArrayView2, s};
use rayon::prelude::*;

use super::row_map::RowMap;
use crate::elsewhere::{Question, ask};
use crate::pool::lock;
use crate::samples::read_ahead::for_each_block;
use crate::samples::{Block, Samples, same_shape_as};
use crate::{Real, SamplesError};

/// All samples in the coordinates of an orthonormal basis (rows): samples × basis size.
pub(crate) fn project<T: Real>(
    samples: &dyn Samples<T>,
    basis: ArrayView2<'_, T>,
) -> Result<Array2<T>, SamplesError> {
    if let Some(answer) = ask(samples, &Question::Coordinates { directions: basis })? {
        return Ok(answer.rows);
    }
    let (n, size) = (samples.n_samples(), basis.nrows());
    let map = RowMap::new(basis.to_owned(), samples.is_sparse());
    let mut projected = Array2::zeros((n, size));
    const ROWS: usize = 256;
    // Only within a group can the next block be read ahead.
    let group = ROWS * if samples.is_slow() { 16 } else { 1 };
    projected
        .as_slice_mut()
        .expect("row-major")
        .par_chunks_mut(group * size.max(1))
        .enumerate()
        .try_for_each(|(i, out)| {
            let (start, rows) = (i * group, out.len() / size);
            let mut out = ndarray::ArrayViewMut2::from_shape((rows, size), out).expect("cut to whole rows");
            let end = start + rows;
            let blocks = (start..end).step_by(ROWS).map(|first| first..end.min(first + ROWS));
            for_each_block(samples, blocks, |first, block| {
                let own = first - start..first - start + block.n_samples();
                map.apply(&block, out.slice_mut(s![own, ..]));
                Ok::<(), SamplesError>(())
            })
        })?;
    Ok(projected)
}

/// [`project`], and the lowest value of the samples, or zero where none is negative, in the same pass.
pub(crate) fn project_with_lowest<T: Real>(
    samples: &dyn Samples<T>,
    basis: ArrayView2<'_, T>,
) -> Result<(Array2<T>, f64), SamplesError> {
    if let Some(answer) = ask(samples, &Question::Coordinates { directions: basis })? {
        return Ok((answer.rows, answer.lowest[0]));
    }
    let watch = LowestWatch { samples, lowest: Mutex::new(0.0) };
    let rows = project(&watch, basis)?;
    let lowest = *lock(&watch.lowest);
    Ok((rows, lowest))
}

/// Other samples; their lowest value, or zero where none is negative, is noticed as they are read.
struct LowestWatch<'a, T: Real> {
    samples: &'a dyn Samples<T>,
    lowest: Mutex<f64>,
}

impl<T: Real> Samples<T> for LowestWatch<'_, T> {
    same_shape_as!(samples);

    fn block(&self, rows: Range<usize>) -> Result<Block<'_, T>, SamplesError> {
        let block = self.samples.block(rows)?;
        let mut lowest = T::from_f64(0.0);
        let mut look = |v: T| {
            if v < lowest {
                lowest = v;
            }
        };
        match &block {
            Block::Dense(values) => values.iter().for_each(|&v| look(v)),
            Block::Sparse(_) => block.for_each(|_, _, v| look(v)),
        }
        let mut all = lock(&self.lowest);
        *all = all.min(lowest.as_f64());
        drop(all);
        Ok(block)
    }
}
