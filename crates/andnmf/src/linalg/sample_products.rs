//! Queries for products of matrices with all samples.

use std::ops::Range;

use ndarray::{Array2, CowArray, Ix2, s};
use rand::RngExt;

use super::linear_map::LinearMap;
use super::product_accumulator::ProductAccumulator;
use crate::pool::Pool;
#[cfg(test)]
use crate::query::testing::{ExampleCheck, values};
use crate::query::{
    Part, Query, Sums, Wire, WireError, WireReader, WireWriter, add_matrix, check_shape, wire,
};
use crate::random::{Stream, numbered_generator};
use crate::samples::fold::{FoldPlan, fold};
use crate::samples::{Block, Samples};
use crate::{Real, SamplesError};

/// Σ_i left_i · (sample i)ᵀ: the product of a (k × samples) matrix with the samples, k × features.
///
/// `left` maps the index of a block's first sample, and the block, to the columns of the matrix for that block.
fn left_product<T: Real>(
    samples: &dyn Samples<T>,
    k: usize,
    left: &(impl Fn(usize, &Block<'_, T>) -> Array2<T> + Sync),
) -> Result<Array2<T>, SamplesError> {
    let (features, scratch) = (samples.n_features(), Pool::<Vec<u32>>::default());
    let sum = fold(
        samples,
        &FoldPlan::new(samples, k * features),
        &|| ProductAccumulator::new(k, features, samples.is_sparse()),
        &|sum: &mut ProductAccumulator<T>, first, block| {
            scratch.lend(|scratch| sum.add(&block, left(first, &block).t(), scratch));
            Ok::<(), SamplesError>(())
        },
        &|left, right| left.merge(&right),
    )?;
    Ok(sum.into_matrix())
}

/// The product of a matrix with the samples.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ProductSum<T: Real> {
    /// Rows of the matrix × features.
    pub(crate) products: Array2<T>,
}

wire!(impl [T: Real] ProductSum<T> { products });

impl<T: Real> Sums for ProductSum<T> {
    fn merge(&mut self, next: Self) -> Result<(), WireError> {
        add_matrix(&mut self.products, &next.products)
    }
}

/// A random sketch: random linear combinations of all samples.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RandomSketch {
    pub(crate) size: usize,
    pub(crate) seed: u64,
    /// The partition of *all* samples into blocks. Each block has its own random stream, so results do not depend on
    /// how the samples are stored.
    pub(crate) plan: FoldPlan,
}

impl Wire for FoldPlan {
    fn write(&self, to: &mut WireWriter) {
        self.numbers().iter().for_each(|number| number.write(to));
    }

    fn read(from: &mut WireReader<'_>) -> Result<Self, WireError> {
        let numbers = [usize::read(from)?, usize::read(from)?, usize::read(from)?];
        let [_, parts, _] = numbers;
        let invalid = WireError::Value { what: "the number of parts of the samples", value: parts as u64 };
        Self::from_numbers(numbers).ok_or(invalid)
    }
}

impl<T: Real> Query<T> for RandomSketch {
    const NAME: &'static str = "random-combinations";
    type Partial = ProductSum<T>;
    type Error = SamplesError;

    fn write(&self, to: &mut WireWriter) {
        self.size.write(to);
        self.seed.write(to);
        self.plan.write(to);
    }

    fn read(from: &mut WireReader<'_>, _: &mut WireReader<'_>, _: &Part<'_, T>) -> Result<Self, WireError> {
        Ok(Self { size: Wire::read(from)?, seed: Wire::read(from)?, plan: Wire::read(from)? })
    }

    fn check(&self, part: &Part<'_, T>) -> Result<(), SamplesError> {
        let (end, all) = (part.first.saturating_add(part.samples.n_samples()), self.plan.n_samples());
        if end > all {
            let reason = format!("the part ends at sample {end}, but there are only {all} samples");
            return Err(SamplesError::Executor { reason });
        }
        if self.size > all {
            let reason = format!("sketch size {} exceeds the number of samples ({all})", self.size);
            return Err(SamplesError::Executor { reason });
        }
        Ok(())
    }

    fn run(&self, part: &Part<'_, T>) -> Result<ProductSum<T>, SamplesError> {
        let products = left_product(part.samples, self.size, &|start, block| {
            let first = part.first + start;
            self.coefficients(first..first + block.n_samples())
        })?;
        Ok(ProductSum { products })
    }

    fn accepts(&self, partial: &ProductSum<T>, part: &Part<'_, T>) -> bool {
        partial.products.dim() == (self.size, part.samples.n_features())
    }

    #[cfg(test)]
    fn examples(check: &mut ExampleCheck<T>) {
        let plan = FoldPlan::new(check.samples().as_ref(), 5 * check.components().ncols());
        check.check(&Self { size: 5, seed: 3, plan }, |result| values(&result.products));
    }
}

impl RandomSketch {
    /// The random coefficients of these samples, size × samples.
    fn coefficients<T: Real>(&self, samples: Range<usize>) -> Array2<T> {
        let blocks = self.plan.blocks_meeting(&samples);
        if blocks == [samples.clone()] {
            return self.block_coefficients(&samples);
        }
        let mut coefficients = Array2::zeros((self.size, samples.len()));
        for block in blocks {
            let all: Array2<T> = self.block_coefficients(&block);
            let both = block.start.max(samples.start)..block.end.min(samples.end);
            let from = all.slice(s![.., both.start - block.start..both.end - block.start]);
            coefficients
                .slice_mut(s![.., both.start - samples.start..both.end - samples.start])
                .assign(&from);
        }
        coefficients
    }

    /// Draws from the random stream of a block, which is identified by the block's first sample.
    fn block_coefficients<T: Real>(&self, block: &Range<usize>) -> Array2<T> {
        let mut rng = numbered_generator(self.seed, Stream::Sketch, block.start);
        Array2::from_shape_simple_fn((self.size, block.len()), || T::from_f64(rng.random_range(-1.0..1.0)))
    }
}

/// Zᵀ·Y for weights Z of the samples Y.
#[derive(Debug)]
pub(crate) struct Combinations<'a, T: Real> {
    /// One row per sample.
    pub(crate) weights: CowArray<'a, T, Ix2>,
}

impl<T: Real> Query<T> for Combinations<'_, T> {
    const NAME: &'static str = "combinations";
    type Partial = ProductSum<T>;
    type Error = SamplesError;

    fn write(&self, to: &mut WireWriter) {
        self.weights.ncols().write(to);
    }

    fn write_rows(&self, to: &mut WireWriter) {
        to.rows(self.weights.view());
    }

    fn read(
        from: &mut WireReader<'_>,
        rows: &mut WireReader<'_>,
        part: &Part<'_, T>,
    ) -> Result<Self, WireError> {
        let columns = usize::read(from)?;
        Ok(Self { weights: rows.matrix(part.samples.n_samples(), columns)?.into() })
    }

    fn check(&self, part: &Part<'_, T>) -> Result<(), SamplesError> {
        let expected = (part.samples.n_samples(), self.weights.ncols());
        check_shape("the matrix of weights", self.weights.dim(), expected, part)
    }

    fn run(&self, part: &Part<'_, T>) -> Result<ProductSum<T>, SamplesError> {
        let products = left_product(part.samples, self.weights.ncols(), &|first, block| {
            let rows = s![first..first + block.n_samples(), ..];
            self.weights.slice(rows).t().as_standard_layout().into_owned()
        })?;
        Ok(ProductSum { products })
    }

    fn accepts(&self, partial: &ProductSum<T>, part: &Part<'_, T>) -> bool {
        partial.products.dim() == (self.weights.ncols(), part.samples.n_features())
    }

    #[cfg(test)]
    fn examples(check: &mut ExampleCheck<T>) {
        let weights = check.weights().into();
        check.check(&Combinations { weights }, |result| values(&result.products));
    }
}

/// D·YᵀY for directions D and samples Y.
#[derive(Debug)]
pub(crate) struct NormalProduct<'a, T: Real> {
    /// Directions × features.
    pub(crate) directions: CowArray<'a, T, Ix2>,
}

impl<T: Real> Query<T> for NormalProduct<'_, T> {
    const NAME: &'static str = "normal-product";
    type Partial = ProductSum<T>;
    type Error = SamplesError;

    fn write(&self, to: &mut WireWriter) {
        self.directions.write(to);
    }

    fn read(from: &mut WireReader<'_>, _: &mut WireReader<'_>, _: &Part<'_, T>) -> Result<Self, WireError> {
        Ok(Self { directions: Wire::read(from)? })
    }

    fn check(&self, part: &Part<'_, T>) -> Result<(), SamplesError> {
        let expected = (self.directions.nrows(), part.samples.n_features());
        check_shape("the matrix of directions", self.directions.dim(), expected, part)
    }

    fn run(&self, part: &Part<'_, T>) -> Result<ProductSum<T>, SamplesError> {
        let map = LinearMap::new(self.directions.to_owned(), part.samples.is_sparse());
        let size = self.directions.nrows();
        let products = left_product(part.samples, size, &|_, rows| {
            let mut projected = Array2::zeros((rows.n_samples(), size));
            map.apply(rows, projected.view_mut());
            projected.reversed_axes()
        })?;
        Ok(ProductSum { products })
    }

    fn accepts(&self, partial: &ProductSum<T>, part: &Part<'_, T>) -> bool {
        partial.products.dim() == (self.directions.nrows(), part.samples.n_features())
    }

    #[cfg(test)]
    fn examples(check: &mut ExampleCheck<T>) {
        let directions = check.components().into();
        check.check(&NormalProduct { directions }, |result| values(&result.products));
    }
}
