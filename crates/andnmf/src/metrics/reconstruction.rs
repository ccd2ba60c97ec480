//! The reconstruction error: how well weights and components reproduce the samples.

use ndarray::{Array2, ArrayView2, CowArray, Ix2, s};

use crate::linalg::product::multiply;
use crate::query::{self, Part, Query, Sums, Wire, WireError, WireReader, WireWriter, check_shape, wire};
use crate::samples::fold::{FoldPlan, fold};
use crate::samples::{Block, CsrView, Samples};
use crate::{Real, SamplesError, ShapeError, entry_point};

/// Sparse samples that store less than 1 / this share of their values are never made dense.
const SPARSE_RATIO: usize = 16;

/// The reasons why a reconstruction error cannot be computed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ReconstructionError {
    /// The shapes of the matrices do not match.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// The samples could not be read.
    #[error(transparent)]
    Samples(#[from] SamplesError),
}

entry_point! {
    /// The relative reconstruction error ‖samples − weights·components‖ / ‖samples‖ in the Frobenius norm.
    ///
    /// Weights are n × rank, components rank × features. If all samples are zero, the result is the norm of the
    /// residual itself. For very sparse samples, which are never made dense, errors below about 1e-8 are rounding.
    ///
    /// # Errors
    /// If the shapes do not match, or the samples cannot be read.
    ///
    /// ```
    /// use andnmf::metrics::reconstruction_error;
    /// use andnmf::samples::DenseSamples;
    /// use ndarray::array;
    /// let samples = DenseSamples::new(array![[3.0, 4.0]])?;
    /// let (weights, components) = (array![[1.0]], array![[3.0, 0.0]]);
    /// assert_eq!(reconstruction_error(&samples, weights.view(), components.view())?, 0.8);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn reconstruction_error<'a; T>(samples: &'a dyn Samples<T>, weights: ArrayView2<'a, T>, components: ArrayView2<'a, T>) -> Result<f64, ReconstructionError> = relative_error;
}

entry_point! {
    /// The squared Frobenius norms of the samples and of their residual, samples − weights·components.
    ///
    /// Weights are n × rank, components rank × features.
    ///
    /// # Errors
    /// If the shapes do not match, or the samples cannot be read.
    ///
    /// ```
    /// use andnmf::metrics::reconstruction_norms;
    /// use andnmf::samples::DenseSamples;
    /// use ndarray::array;
    /// let samples = DenseSamples::new(array![[3.0, 4.0]])?;
    /// let (weights, components) = (array![[1.0]], array![[3.0, 0.0]]);
    /// let norms = reconstruction_norms(&samples, weights.view(), components.view())?;
    /// assert_eq!((norms.residual, norms.samples, norms.relative_error()), (16.0, 25.0, 0.8));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn reconstruction_norms<'a; T>(samples: &'a dyn Samples<T>, weights: ArrayView2<'a, T>, components: ArrayView2<'a, T>) -> Result<SquaredNorms, ReconstructionError> = norms;
}

fn relative_error<T: Real>(
    samples: &dyn Samples<T>,
    weights: ArrayView2<'_, T>,
    components: ArrayView2<'_, T>,
) -> Result<f64, ReconstructionError> {
    Ok(norms(samples, weights, components)?.relative_error())
}

fn norms<T: Real>(
    samples: &dyn Samples<T>,
    weights: ArrayView2<'_, T>,
    components: ArrayView2<'_, T>,
) -> Result<SquaredNorms, ReconstructionError> {
    if weights.nrows() != samples.n_samples() {
        let expected = format!("{} samples × rank", samples.n_samples());
        return Err(ShapeError::new("weights", weights.dim(), expected).into());
    }
    if components.dim() != (weights.ncols(), samples.n_features()) {
        let expected = format!("{} × {} (rank × features)", weights.ncols(), samples.n_features());
        return Err(ShapeError::new("components", components.dim(), expected).into());
    }
    let query = Residual { weights: weights.into(), components: components.into() };
    Ok(query::run(samples, &query)?)
}

/// The query for the squared norms of the samples and of their residual under weights and components.
#[derive(Debug)]
pub(crate) struct Residual<'a, T: Real> {
    /// Samples × components.
    pub(crate) weights: CowArray<'a, T, Ix2>,
    /// Components × features.
    pub(crate) components: CowArray<'a, T, Ix2>,
}

/// Squared Frobenius norms.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SquaredNorms {
    /// Of the residual, samples − weights·components.
    pub residual: f64,
    /// Of the samples.
    pub samples: f64,
}

impl SquaredNorms {
    /// The norm of the residual over that of the samples; of zeros alone, the norm of the residual itself.
    #[must_use]
    pub fn relative_error(&self) -> f64 {
        (self.residual / if self.samples > 0.0 { self.samples } else { 1.0 }).sqrt()
    }
}

wire!(impl [] SquaredNorms { residual, samples });

impl Sums for SquaredNorms {
    fn merge(&mut self, next: Self) -> Result<(), WireError> {
        self.residual += next.residual;
        self.samples += next.samples;
        Ok(())
    }
}

impl<T: Real> Query<T> for Residual<'_, T> {
    const NAME: &'static str = "residual";
    type Partial = SquaredNorms;
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

    fn run(&self, part: &Part<'_, T>) -> Result<SquaredNorms, SamplesError> {
        let samples = part.samples;
        let all = samples.n_samples().saturating_mul(samples.n_features());
        let very_sparse = samples.is_sparse() && samples.stored_values().saturating_mul(SPARSE_RATIO) < all;
        let sparse = very_sparse.then(|| SparseResidual::new(self.components.view()));
        fold(
            samples,
            &FoldPlan::new(samples, 1),
            &|| SquaredNorms { residual: 0.0, samples: 0.0 },
            &|sums: &mut SquaredNorms, first, block| {
                let weights = self.weights.slice(s![first..first + block.n_samples(), ..]);
                sums.residual += match (&block, &sparse) {
                    (Block::Sparse(rows), Some(sparse)) => sparse.residual(rows, weights),
                    _ => dense_residual(&block, weights, self.components.view()),
                };
                sums.samples += squared_norm(&block);
                Ok::<(), SamplesError>(())
            },
            &|left, right| {
                left.residual += right.residual;
                left.samples += right.samples;
            },
        )
    }

    fn accepts(&self, _: &SquaredNorms, _: &Part<'_, T>) -> bool {
        true
    }

    #[cfg(test)]
    fn examples(check: &mut query::testing::ExampleCheck<T>) {
        let (weights, components) = (check.weights().into(), check.components().into());
        check.check(&Residual { weights, components }, |result| vec![result.residual, result.samples]);
    }
}

/// The squared residual norm of a block, by its definition.
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

/// The squared residual norm of sparse rows from their stored values alone: with ŷ = x·A, it is the sum of (y − ŷ)²
/// over the stored entries plus the part of ‖ŷ‖² = x·AAᵀ·xᵀ that lies outside them.
struct SparseResidual {
    /// The transposed components: one contiguous row per feature.
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
                let predicted = self.columns.row(feature).dot(&x);
                stored += (value.as_f64() - predicted).powi(2);
                unstored -= predicted * predicted;
            }
            // Rounding can make the difference slightly negative.
            sum += stored + unstored.max(0.0);
        }
        sum
    }
}

fn squared_norm<T: Real>(block: &Block<'_, T>) -> f64 {
    let mut sum = 0.0;
    block.for_each(|_, _, v| sum += v.as_f64().powi(2));
    sum
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
            let error = reconstruction_error(samples, weights.view(), components.view()).unwrap();
            assert!((error - expected).abs() < 1e-14);
        }
    }

    #[test]
    fn very_sparse_samples_give_the_error_of_dense_ones() {
        let (weights, components) = (random_matrix::<f64>(40, 3, 1), random_matrix::<f64>(3, 500, 2));
        let mut y = Array2::zeros((40, 500));
        for i in 0..40 {
            y[[i, 7 * i]] = 3.0;
            y[[i, 499 - i]] -= 2.0;
        }
        let (pointers, indices, values) = sparse_copy(&y);
        let sparse = CsrSamples::new(500, &pointers, indices, values).unwrap();
        assert!(sparse.stored_values() * SPARSE_RATIO < 40 * 500);
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
        // Every sample but one has an error of 1 at its own feature and of 1 at the last.
        let error = reconstruction_error(&sparse, weights.view(), components.view()).unwrap();
        assert!((error - (2.0_f64 * 999.0 / 1000.0).sqrt()).abs() < 1e-12, "{error}");
    }

    #[test]
    fn mismatched_shapes_are_refused() {
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
