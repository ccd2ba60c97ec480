//! The leading singular directions of the samples, by randomized subspace iteration (block power method).

use ndarray::{Array2, s};

use super::basis::orthonormal_rows;
use super::coordinates::project;
use super::product::{gram_add_lower, mirror_lower, multiply};
use super::sketch::{combinations, random_sketch, rounding_cutoff, unit_rows};
use super::symmetric::eigen;
use crate::query::{self, Part, Query, Sums, Wire, WireError, WireReader, WireWriter, wire};
use crate::samples::Samples;
use crate::samples::fold::{FoldPlan, fold};
use crate::{Real, SamplesError};

/// Number of power iterations; each takes two passes.
const POWER_ITERATIONS: usize = 2;

/// The leading right singular directions of the samples.
pub(crate) struct LeadingDirections<T: Real> {
    /// Orthonormal basis (rows), largest singular value first.
    pub(crate) basis: Array2<T>,
    /// Norm of the residual outside the basis, relative to the norm of all samples.
    pub(crate) discarded: f64,
    /// Passes over the samples.
    pub(crate) passes: usize,
}

/// The span of the `size` leading right singular vectors of the samples, by randomized subspace iteration.
pub(crate) fn leading_directions<T: Real>(
    samples: &dyn Samples<T>,
    size: usize,
    seed: u64,
) -> Result<LeadingDirections<T>, SamplesError> {
    let largest = samples.n_samples().min(samples.n_features());
    let size = size.min(largest);
    let width = (size + 10.max(size / 4)).min(largest);
    let cutoff = rounding_cutoff::<T>();
    let mut basis = orthonormal_rows(unit_rows(random_sketch(samples, width, seed)?).view(), cutoff);
    let mut passes = 1;
    for _ in 0..POWER_ITERATIONS {
        let projected = scale_to_unit_max(project(samples, basis.view())?).0;
        let back = combinations(samples, projected.view())?;
        // One common factor: row norms separate strong directions from weak ones.
        basis = orthonormal_rows(scale_to_unit_max(back).0.view(), cutoff);
        passes += 2;
    }
    let (projected, scale) = scale_to_unit_max(project(samples, basis.view())?);
    let total = squared_norm(samples, scale)?;
    passes += 2;
    let mut gram = Array2::zeros((basis.nrows(), basis.nrows()));
    gram_add_lower(gram.view_mut(), projected.view());
    mirror_lower(&mut gram);
    let Some((values, vectors)) = eigen(gram.view()) else {
        // Even the scaled samples are not finite; the stages report the overflow.
        return Ok(LeadingDirections { basis, discarded: 1.0, passes });
    };
    // Eigenvalues are ascending: the leading directions are the last columns.
    let keep = size.min(values.len());
    let leading = vectors.slice(s![.., vectors.ncols() - keep..]);
    let rotated = multiply(leading.slice(s![.., ..;-1]).t(), basis.view());
    let kept: f64 = values.iter().rev().take(keep).sum();
    let discarded = if total > 0.0 { ((total - kept) / total).max(0.0).sqrt() } else { 0.0 };
    Ok(LeadingDirections { basis: rotated, discarded, passes })
}

/// Divides a matrix by its largest magnitude, so that squares do not overflow; returns both.
pub(crate) fn scale_to_unit_max<T: Real>(mut matrix: Array2<T>) -> (Array2<T>, f64) {
    let largest = matrix.iter().fold(0.0, |top: f64, v| top.max(v.as_f64().abs()));
    if largest > 0.0 && largest.is_finite() {
        matrix.mapv_inplace(|v| T::from_f64(v.as_f64() / largest));
        (matrix, largest)
    } else {
        (matrix, 1.0)
    }
}

/// Σ (value/scale)² over all samples; takes one pass.
pub(crate) fn squared_norm<T: Real>(samples: &dyn Samples<T>, scale: f64) -> Result<f64, SamplesError> {
    Ok(query::run(samples, &SquaredNorm { scale })?.sum)
}

/// The sum of squares of all values, each divided by a scale.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SquaredNorm {
    pub(crate) scale: f64,
}

/// The result of [`SquaredNorm`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct SquareSum {
    pub(crate) sum: f64,
}

wire!(impl [] SquareSum { sum });

impl Sums for SquareSum {
    fn merge(&mut self, next: Self) -> Result<(), WireError> {
        self.sum += next.sum;
        Ok(())
    }
}

impl<T: Real> Query<T> for SquaredNorm {
    const NAME: &'static str = "squared-norm";
    type Partial = SquareSum;
    type Error = SamplesError;

    fn write(&self, to: &mut WireWriter) {
        self.scale.write(to);
    }

    fn read(from: &mut WireReader<'_>, _: &mut WireReader<'_>, _: &Part<'_, T>) -> Result<Self, WireError> {
        Ok(Self { scale: Wire::read(from)? })
    }

    fn check(&self, _: &Part<'_, T>) -> Result<(), SamplesError> {
        Ok(())
    }

    fn run(&self, part: &Part<'_, T>) -> Result<SquareSum, SamplesError> {
        let sum = fold(
            part.samples,
            &FoldPlan::new(part.samples, 1),
            &|| 0.0,
            &|sum: &mut f64, _, block| {
                block.for_each(|_, _, v| *sum += (v.as_f64() / self.scale).powi(2));
                Ok::<(), SamplesError>(())
            },
            &|left, right| *left += right,
        )?;
        Ok(SquareSum { sum })
    }

    fn accepts(&self, _: &SquareSum, _: &Part<'_, T>) -> bool {
        true
    }

    #[cfg(test)]
    fn examples(check: &mut query::testing::ExampleCheck<T>) {
        check.check(&Self { scale: 0.7 }, |result| vec![result.sum]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::symmetric::eigenvalues;
    use crate::samples::{Block, CsrSamples, DenseSamples};
    use crate::testing::{assert_close, low_rank, random_matrix, sparse_copy};

    /// A source whose `is_sparse` is wrong: sparse blocks declared dense, and the reverse.
    struct Misdeclared<'a>(&'a dyn Samples<f64>);

    impl Samples<f64> for Misdeclared<'_> {
        fn n_samples(&self) -> usize {
            self.0.n_samples()
        }
        fn n_features(&self) -> usize {
            self.0.n_features()
        }
        fn is_sparse(&self) -> bool {
            !self.0.is_sparse()
        }
        fn block(&self, rows: std::ops::Range<usize>) -> Result<Block<'_, f64>, SamplesError> {
            self.0.block(rows)
        }
    }

    #[test]
    fn sketches_follow_the_blocks_not_the_declared_sparsity() {
        let data = low_rank::<f64>(300, 5, 40);
        let (pointers, indices, values) = sparse_copy(&data);
        let sparse = CsrSamples::new(40, &pointers, indices, values).unwrap();
        let dense = DenseSamples::new(data.view()).unwrap();
        for samples in [&dense as &dyn Samples<f64>, &sparse] {
            let leading = leading_directions(&Misdeclared(samples), 5, 1).unwrap();
            assert!(leading.discarded < 1e-6, "{}", leading.discarded);
        }
    }

    #[test]
    fn the_discarded_norm_agrees_with_the_singular_values() {
        let mut data = low_rank::<f64>(400, 6, 50);
        data.scaled_add(1e-3, &random_matrix::<f64>(400, 50, 9));
        let samples = DenseSamples::new(data.view()).unwrap();
        let leading = leading_directions(&samples, 6, 3).unwrap();
        assert_eq!(leading.basis.nrows(), 6);
        assert_close(&multiply(leading.basis.view(), leading.basis.t()), &Array2::eye(6), 1e-12);
        let values = eigenvalues(multiply(data.t(), data.view()).view()).unwrap();
        let outside: f64 = values[..44].iter().sum();
        let expected = (outside / values.iter().sum::<f64>()).sqrt();
        assert!((leading.discarded / expected - 1.0).abs() < 1e-4, "{} {expected}", leading.discarded);
        for scale in [1e-200, 1e200] {
            let samples = DenseSamples::new(&data * scale).unwrap();
            let scaled = leading_directions(&samples, 6, 3).unwrap();
            assert_eq!(scaled.basis.nrows(), 6);
            assert!((scaled.discarded / expected - 1.0).abs() < 1e-4, "{scale:e}: {}", scaled.discarded);
        }
    }
}
