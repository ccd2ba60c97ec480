//! How well weights and components reproduce the samples.

use ndarray::{Array2, ArrayView2, CowArray, Ix2, s};

use crate::linalg::product::multiply;
use crate::query::{self, Part, Query, Sums, Wire, WireError, WireReader, WireWriter, check_shape, wire};
use crate::samples::fold::{FoldPlan, fold};
use crate::samples::{Block, CsrView, Samples};
use crate::{Real, SamplesError, ShapeError, entry_point};

/// Sparse samples with at most one in so many values stored are measured by those alone.
const THIN: usize = 16;

/// Why a reconstruction could not be measured.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ReconstructionError {
    /// The matrices do not fit together.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// The samples could not be read.
    #[error(transparent)]
    Samples(#[from] SamplesError),
}

entry_point! {
    /// ‖samples − weights·components‖ / ‖samples‖ in the Frobenius norm, with weights n × rank and components
    /// rank × features. Samples that are all zero count as size 1, so that the result is the residual itself.
    /// Sparse samples of few values are never made dense; errors below about 1e-8 are then rounding.
    ///
    /// # Errors
    /// Where shapes do not fit, or the samples cannot be read.
    pub fn reconstruction_error<'a; T>(samples: &'a dyn Samples<T>, weights: ArrayView2<'a, T>, components: ArrayView2<'a, T>) -> Result<f64, ReconstructionError> = residual;
}

fn residual<T: Real>(
    samples: &dyn Samples<T>,
    weights: ArrayView2<'_, T>,
    components: ArrayView2<'_, T>,
) -> Result<f64, ReconstructionError> {
    if weights.nrows() != samples.n_samples() {
        let expected = format!("{} samples × rank", samples.n_samples());
        return Err(ShapeError::new("weights", weights.dim(), expected).into());
    }
    if components.dim() != (weights.ncols(), samples.n_features()) {
        let expected = format!("{} × {} (rank × features)", weights.ncols(), samples.n_features());
        return Err(ShapeError::new("components", components.dim(), expected).into());
    }
    let query = Residual { weights: weights.into(), components: components.into() };
    let SquaredSizes { residual, samples: size } = query::run(samples, &query)?;
    Ok((residual / if size > 0.0 { size } else { 1.0 }).sqrt())
}

/// The squared sizes of the samples and of what weights and components leave of them.
#[derive(Debug)]
pub(crate) struct Residual<'a, T: Real> {
    /// Samples × components.
    pub(crate) weights: CowArray<'a, T, Ix2>,
    /// Components × features.
    pub(crate) components: CowArray<'a, T, Ix2>,
}

/// Squared Frobenius norms.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SquaredSizes {
    /// Of what weights and components leave of the samples.
    pub residual: f64,
    /// Of the samples.
    pub samples: f64,
}

wire!(impl [] SquaredSizes { residual, samples });

impl Sums for SquaredSizes {
    fn merge(&mut self, next: Self) -> Result<(), WireError> {
        self.residual += next.residual;
        self.samples += next.samples;
        Ok(())
    }
}

impl<T: Real> Query<T> for Residual<'_, T> {
    const NAME: &'static str = "residual";
    type Partial = SquaredSizes;
    type Error = SamplesError;

    fn write(&self, to: &mut WireWriter) {
        self.components.write(to);
    }

    fn write_rows(&self, to: &mut WireWriter) {
        to.rows(self.weights.view());
    }

    fn read(
        from: &mut WireReader<'_>,
        rows: &mut WireReader<'_>,
        part: &Part<'_, T>,
    ) -> Result<Self, WireError> {
        let components: CowArray<'_, T, Ix2> = Wire::read(from)?;
        let weights = rows.matrix(part.samples.n_samples(), components.nrows())?;
        Ok(Self { weights: weights.into(), components })
    }

    fn check(&self, part: &Part<'_, T>) -> Result<(), SamplesError> {
        let (n, features) = (part.samples.n_samples(), part.samples.n_features());
        let rank = self.components.nrows();
        check_shape("the matrix of weights", self.weights.dim(), (n, rank), part)?;
        check_shape("the matrix of components", self.components.dim(), (rank, features), part)
    }

    fn run(&self, part: &Part<'_, T>) -> Result<SquaredSizes, SamplesError> {
        let samples = part.samples;
        let all = samples.n_samples().saturating_mul(samples.n_features());
        let thin = samples.is_sparse() && samples.stored_values().saturating_mul(THIN) < all;
        let sparse = thin.then(|| SparseResidual::new(self.components.view()));
        fold(
            samples,
            &FoldPlan::new(samples, 1),
            &|| SquaredSizes { residual: 0.0, samples: 0.0 },
            &|sums: &mut SquaredSizes, first, block| {
                let weights = self.weights.slice(s![first..first + block.n_samples(), ..]);
                sums.residual += match (&block, &sparse) {
                    (Block::Sparse(rows), Some(sparse)) => sparse.residual(rows, weights),
                    _ => dense_residual(&block, weights, self.components.view()),
                };
                sums.samples += squared_size(&block);
                Ok::<(), SamplesError>(())
            },
            &|left, right| {
                left.residual += right.residual;
                left.samples += right.samples;
            },
        )
    }

    fn accepts(&self, _: &SquaredSizes, _: &Part<'_, T>) -> bool {
        true
    }
}

/// The squared residual of a block, by its definition.
fn dense_residual<T: Real>(
    block: &Block<'_, T>,
    weights: ArrayView2<'_, T>,
    components: ArrayView2<'_, T>,
) -> f64 {
    let mut difference = multiply(weights, components);
    block.for_each(|i, feature, v| {
        difference[[i, feature]] -= v;
    });
    difference.iter().map(|v| v.as_f64().powi(2)).sum()
}

/// The squared residual of sparse rows from their stored values alone: with ŷ = x·A it is (y − ŷ)² summed over what is
/// stored, and all of ‖ŷ‖² = x·AAᵀ·xᵀ but what ŷ has there.
struct SparseResidual {
    /// One row per feature, so that the values of one lie together.
    columns: Array2<f64>,
    gram: Array2<f64>,
}

impl SparseResidual {
    fn new<T: Real>(components: ArrayView2<'_, T>) -> Self {
        let columns = components.t().mapv(Real::as_f64).as_standard_layout().into_owned();
        Self { gram: multiply(columns.t(), columns.view()), columns }
    }

    fn residual<T: Real>(&self, rows: &CsrView<'_, T>, weights: ArrayView2<'_, T>) -> f64 {
        let mut sum = 0.0;
        for (i, weights) in weights.outer_iter().enumerate() {
            let x = weights.mapv(Real::as_f64);
            let (mut stored, mut unstored) = (0.0, x.dot(&self.gram.dot(&x)));
            for (feature, value) in rows.row(i) {
                let made = self.columns.row(feature).dot(&x);
                stored += (value.as_f64() - made).powi(2);
                unstored -= made * made;
            }
            // A difference of sums that should be equal may be below zero.
            sum += stored + unstored.max(0.0);
        }
        sum
    }
}

fn squared_size<T: Real>(block: &Block<'_, T>) -> f64 {
    let mut size = 0.0;
    block.for_each(|_, _, v| size += v.as_f64().powi(2));
    size
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::{CsrSamples, DenseSamples};
    use crate::testing::{random_matrix, sparse_copy};

    #[test]
    fn equals_the_definition_dense_and_sparse() {
        let (weights, components) = (random_matrix::<f64>(40, 3, 1), random_matrix::<f64>(3, 9, 2));
        let mut y = weights.dot(&components);
        assert!(
            reconstruction_error(&DenseSamples::new(y.view()).unwrap(), weights.view(), components.view())
                .unwrap()
                < 1e-15
        );
        y[[7, 3]] += 2.0;
        y[[30, 0]] = 0.0;
        let difference = &y - &weights.dot(&components);
        let expected = (difference.mapv(|v| v * v).sum() / y.mapv(|v| v * v).sum()).sqrt();
        let (pointers, indices, values) = sparse_copy(&y);
        let sparse = CsrSamples::new(9, &pointers, indices, values).unwrap();
        let dense = DenseSamples::new(y.view()).unwrap();
        for samples in [&dense as &dyn Samples<f64>, &sparse] {
            let found = reconstruction_error(samples, weights.view(), components.view()).unwrap();
            assert!((found - expected).abs() < 1e-14);
        }
    }

    #[test]
    fn few_stored_values_are_enough() {
        let (weights, components) = (random_matrix::<f64>(40, 3, 1), random_matrix::<f64>(3, 500, 2));
        let mut y = Array2::zeros((40, 500));
        for i in 0..40 {
            y[[i, 7 * i]] = 3.0;
            y[[i, 499 - i]] -= 2.0;
        }
        let (pointers, indices, values) = sparse_copy(&y);
        let sparse = CsrSamples::new(500, &pointers, indices, values).unwrap();
        assert!(sparse.stored_values() * THIN < 40 * 500);
        let dense = DenseSamples::new(y.view()).unwrap();
        let error = |samples: &dyn Samples<f64>| {
            reconstruction_error(samples, weights.view(), components.view()).unwrap()
        };
        assert!((error(&sparse) / error(&dense) - 1.0).abs() < 1e-13);
    }

    #[test]
    fn sparse_samples_of_many_features_are_not_made_dense() {
        // As a dense block these would take 400 GB.
        let n_features = 50_000_000;
        let rows: Vec<u32> = (0..=1000).collect();
        let sparse =
            CsrSamples::new(n_features, &rows, (0..1000_u32).collect::<Vec<_>>(), vec![1.0_f64; 1000])
                .unwrap();
        let mut components = Array2::zeros((1, n_features));
        components[[0, 999]] = 2.0;
        let weights = Array2::from_elem((1000, 1), 0.5);
        // Each sample is off by 1 at its own feature and by 1 at the last, but for the one that is right.
        let found = reconstruction_error(&sparse, weights.view(), components.view()).unwrap();
        assert!((found - (2.0_f64 * 999.0 / 1000.0).sqrt()).abs() < 1e-12, "{found}");
    }

    #[test]
    fn shapes_that_do_not_fit_are_refused() {
        let samples = DenseSamples::new(random_matrix::<f64>(5, 4, 1)).unwrap();
        let error = |weights: (usize, usize), components: (usize, usize)| {
            let (w, c) = (
                random_matrix::<f64>(weights.0, weights.1, 1),
                random_matrix::<f64>(components.0, components.1, 1),
            );
            reconstruction_error(&samples, w.view(), c.view()).unwrap_err().to_string()
        };
        assert!(error((6, 2), (2, 4)).starts_with("weights must be 5 samples"));
        assert!(error((5, 2), (3, 4)).starts_with("components must be 2 × 4"));
    }

    #[test]
    fn zero_samples_give_the_residual_itself() {
        let samples = DenseSamples::new(Array2::<f64>::zeros((2, 2))).unwrap();
        let (weights, components) = (ndarray::array![[1.0], [0.0]], ndarray::array![[3.0, 4.0]]);
        assert_eq!(reconstruction_error(&samples, weights.view(), components.view()).unwrap(), 5.0);
    }
}
