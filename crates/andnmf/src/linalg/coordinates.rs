//! Projection of samples onto directions.

use ndarray::{Array2, ArrayView2, CowArray, Ix2, s};
use rayon::prelude::*;

use super::linear_map::LinearMap;
use crate::query::{
    self, Part, Partial, Query, Sums, Wire, WireError, WireReader, WireWriter, check_shape, wire,
};
use crate::samples::read_ahead::for_each_block;
use crate::samples::{Block, Samples};
use crate::{Real, SamplesError};

/// Rows per block.
const BLOCK_ROWS: usize = 256;

/// All samples in the coordinates of an orthonormal basis (rows): samples × basis size.
pub(crate) fn project<T: Real>(
    samples: &dyn Samples<T>,
    basis: ArrayView2<'_, T>,
) -> Result<Array2<T>, SamplesError> {
    let projection = ProjectionQuery { directions: basis.into(), with_lowest: false };
    Ok(query::run(samples, &projection)?.rows)
}

/// Like [`project`], and finds the lowest value of the samples in the same pass.
pub(crate) fn project_with_lowest<T: Real>(
    samples: &dyn Samples<T>,
    basis: ArrayView2<'_, T>,
) -> Result<Coordinates<T>, SamplesError> {
    query::run(samples, &ProjectionQuery { directions: basis.into(), with_lowest: true })
}

/// Computes the coordinates of each sample along directions.
#[derive(Debug)]
pub(crate) struct ProjectionQuery<'a, T: Real> {
    /// Directions × features.
    pub(crate) directions: CowArray<'a, T, Ix2>,
    /// Also find the lowest value.
    pub(crate) with_lowest: bool,
}

/// The result of [`ProjectionQuery`].
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Coordinates<T: Real> {
    /// Samples × directions.
    pub(crate) rows: Array2<T>,
    /// The lowest value of the samples; zero if none is negative or it was not requested.
    pub(crate) lowest: f64,
}

/// The merged part of [`Coordinates`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Lowest {
    lowest: f64,
}

wire!(impl [] Lowest { lowest });

impl Sums for Lowest {
    fn merge(&mut self, next: Self) -> Result<(), WireError> {
        self.lowest = self.lowest.min(next.lowest);
        Ok(())
    }
}

impl<T: Real> Partial for Coordinates<T> {
    type Sums = Lowest;

    fn split(self, rows: &mut WireWriter) -> Lowest {
        rows.rows(self.rows.view());
        Lowest { lowest: self.lowest }
    }

    fn join(sums: Lowest, rows: &mut WireReader<'_>, n_samples: usize) -> Result<Self, WireError> {
        Ok(Self { rows: rows.all_rows(n_samples)?, lowest: sums.lowest })
    }
}

impl<T: Real> Query<T> for ProjectionQuery<'_, T> {
    const NAME: &'static str = "projection";
    const RETURNS_ROWS: bool = true;
    type Partial = Coordinates<T>;
    type Error = SamplesError;

    fn write(&self, to: &mut WireWriter) {
        self.directions.write(to);
        self.with_lowest.write(to);
    }

    fn read(from: &mut WireReader<'_>, _: &mut WireReader<'_>, _: &Part<'_, T>) -> Result<Self, WireError> {
        Ok(Self { directions: Wire::read(from)?, with_lowest: Wire::read(from)? })
    }

    fn check(&self, part: &Part<'_, T>) -> Result<(), SamplesError> {
        let expected = (self.directions.nrows(), part.samples.n_features());
        check_shape("the matrix of directions", self.directions.dim(), expected, part)
    }

    fn run(&self, part: &Part<'_, T>) -> Result<Coordinates<T>, SamplesError> {
        let samples = part.samples;
        let (n, size) = (samples.n_samples(), self.directions.nrows());
        let map = LinearMap::new(self.directions.to_owned(), samples.is_sparse());
        let mut rows = Array2::zeros((n, size));
        // Blocks are read ahead only within a group.
        let group = BLOCK_ROWS * if samples.is_slow() { 16 } else { 1 };
        let lowest = rows
            .as_slice_mut()
            .expect("row-major")
            .par_chunks_mut(group * size.max(1))
            .enumerate()
            .map(|(i, out)| {
                let (start, rows) = (i * group, out.len() / size);
                let mut out =
                    ndarray::ArrayViewMut2::from_shape((rows, size), out).expect("cut to whole rows");
                let end = start + rows;
                let blocks = (start..end).step_by(BLOCK_ROWS).map(|first| first..end.min(first + BLOCK_ROWS));
                let mut lowest = 0.0_f64;
                for_each_block(samples, blocks, |first, block| {
                    let own = first - start..first - start + block.n_samples();
                    map.apply(&block, out.slice_mut(s![own, ..]));
                    if self.with_lowest {
                        lowest = lowest.min(lowest_value(&block));
                    }
                    Ok::<(), SamplesError>(())
                })?;
                Ok(lowest)
            })
            .try_reduce(|| 0.0, |a, b| Ok::<f64, SamplesError>(a.min(b)))?;
        Ok(Coordinates { rows, lowest })
    }

    fn accepts(&self, partial: &Coordinates<T>, part: &Part<'_, T>) -> bool {
        partial.rows.dim() == (part.samples.n_samples(), self.directions.nrows())
    }

    #[cfg(test)]
    fn examples(check: &mut query::testing::ExampleCheck<T>) {
        for with_lowest in [false, true] {
            let directions = check.components().into();
            check.check(&ProjectionQuery { directions, with_lowest }, |result| {
                [query::testing::values(&result.rows), vec![result.lowest]].concat()
            });
        }
    }
}

/// The lowest value of a block; zero if none is negative.
fn lowest_value<T: Real>(block: &Block<'_, T>) -> f64 {
    let mut lowest = T::from_f64(0.0);
    let mut update = |v: T| {
        if v < lowest {
            lowest = v;
        }
    };
    match block {
        Block::Dense(values) => values.iter().for_each(|&v| update(v)),
        Block::Sparse(_) => block.for_each(|_, _, v| update(v)),
    }
    lowest.as_f64()
}
