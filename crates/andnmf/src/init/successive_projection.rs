//! Successive projection (SPA): samples that span the data.
//!
//! If some samples are (nearly) pure, the sample farthest from the span of those already selected is one of them,
//! provided that all samples are first scaled so that mixtures lie between their components. Division by a linear
//! measure of size does that: the sum of a sample if the data are non-negative, its projection on the mean sample if
//! they are signed. (Division by the norm does not: mixtures would lie outside.) Samples that are very small by that
//! measure are omitted, since after scaling they are mostly noise.
//!
//! Reference: Araújo et al., 2001; Gillis & Vavasis, 2014 (robustness to noise).

use ndarray::{Array1, Array2, Axis};

use super::sample_sizes::{SampleSizes, measure_samples};
use crate::linalg::coordinates::project;
use crate::linalg::product::frobenius;
use crate::samples::{Samples, dense_rows};
use crate::{FitError, Real, SamplesError, SettingError, entry_point};

/// Samples smaller than this share of the median size (of those above zero) are omitted.
const SMALLEST: f64 = 0.1;

entry_point! {
    /// `rank` samples, each the farthest from the span of those before it.
    ///
    /// ```
    /// use andnmf::samples::DenseSamples;
    /// let samples = DenseSamples::new(ndarray::array![[1.0, 0.0], [0.5, 0.5], [0.0, 2.0]])?;
    /// let start = andnmf::init::successive_projection(&samples, 2)?;
    /// assert_eq!(start, ndarray::array![[1.0, 0.0], [0.0, 2.0]]);
    /// # Ok::<(), andnmf::FitError>(())
    /// ```
    ///
    /// # Errors
    /// If the samples span fewer than `rank` dimensions.
    pub fn successive_projection<'a; T>(samples: &'a dyn Samples<T>, rank: usize) -> Result<Array2<T>, FitError> = far_samples;
}

fn far_samples<T: Real>(samples: &dyn Samples<T>, rank: usize) -> Result<Array2<T>, FitError> {
    let Measured { sizes, lengths } = measure(samples)?;
    let smallest = SMALLEST * median_of_positive(&sizes);
    // The squared residual of each scaled sample, updated after each new direction.
    let scaled = |(&size, &length): (&f64, &f64)| {
        if size > 0.0 && size >= smallest { (length / size).powi(2) } else { 0.0 }
    };
    let mut residuals: Vec<f64> = sizes.iter().zip(&lengths).map(scaled).collect();
    let mut directions = Array2::<T>::zeros((0, samples.n_features()));
    let mut selected = Vec::new();
    // Residuals below this are rounding errors.
    let longest = residuals.iter().copied().fold(0.0, f64::max);
    let negligible = 1e4 * T::EPSILON.as_f64().powi(2) * samples.n_features() as f64 * longest;
    while selected.len() < rank {
        let Some((i, residual)) = farthest(samples, &sizes, &mut residuals, &directions, negligible)? else {
            let expected = format!(
                "it must be at most {}, the number of dimensions that the samples span",
                selected.len()
            );
            return Err(SettingError::new("rank", rank, expected).into());
        };
        let direction = residual.insert_axis(Axis(0));
        let projected = project(samples, direction.view())?;
        for ((residuals, projected), &size) in residuals.iter_mut().zip(&projected).zip(&sizes) {
            if *residuals > 0.0 {
                *residuals = (*residuals - (projected.as_f64() / size).powi(2)).max(0.0);
            }
        }
        residuals[i] = 0.0;
        directions.append(Axis(0), direction.view()).expect("one column per feature");
        selected.push(i);
    }
    Ok(dense_rows(samples, &selected)?)
}

/// The sample with the largest residual outside the directions, and the direction of the residual.
///
/// Differences of squares lose digits, so the residual of the best sample is computed again; if it is smaller than
/// the stored one, the stored one is corrected and the search continues.
fn farthest<T: Real>(
    samples: &dyn Samples<T>,
    sizes: &[f64],
    residuals: &mut [f64],
    directions: &Array2<T>,
    negligible: f64,
) -> Result<Option<(usize, Array1<T>)>, SamplesError> {
    loop {
        let best = residuals.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1).then(b.0.cmp(&a.0)));
        let Some((i, &stored)) = best.filter(|(_, stored)| **stored > negligible) else {
            return Ok(None);
        };
        let sample = dense_rows(samples, &[i])?;
        let mut residual = sample.row(0).mapv(|v| T::from_f64(v.as_f64() / sizes[i]));
        // Two passes are enough for orthogonality to working precision.
        for _ in 0..2 {
            let inside = directions.dot(&residual);
            residual = residual - directions.t().dot(&inside);
        }
        let measured: f64 = residual.iter().map(|v| v.as_f64().powi(2)).sum();
        if measured > negligible && measured >= 0.5 * stored {
            let length = measured.sqrt();
            return Ok(Some((i, residual.mapv(|v| T::from_f64(v.as_f64() / length)))));
        }
        residuals[i] = if measured > negligible { measured } else { 0.0 };
    }
}

/// Size (a linear measure) and norm of every sample.
struct Measured {
    sizes: Vec<f64>,
    lengths: Vec<f64>,
}

fn measure<T: Real>(samples: &dyn Samples<T>) -> Result<Measured, SamplesError> {
    let SampleSizes { sums, lengths, lowest, total } = measure_samples(samples)?;
    if lowest == 0.0 {
        return Ok(Measured { sizes: sums, lengths });
    }
    let total = Array1::from(total).insert_axis(Axis(0));
    let length = frobenius(total.view());
    if length == 0.0 {
        // Signed data without a common direction: use the norm.
        return Ok(Measured { sizes: lengths.clone(), lengths });
    }
    let mean = total.mapv(|v| T::from_f64(v / length));
    let sizes = project(samples, mean.view())?.iter().map(|v| v.as_f64()).collect();
    Ok(Measured { sizes, lengths })
}

fn median_of_positive(values: &[f64]) -> f64 {
    let mut positive: Vec<f64> = values.iter().copied().filter(|&v| v > 0.0).collect();
    if positive.is_empty() {
        return 0.0;
    }
    let middle = positive.len() / 2;
    *positive.select_nth_unstable_by(middle, f64::total_cmp).1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::product::multiply;
    use crate::samples::{CsrSamples, DenseSamples};
    use crate::testing::{random_matrix, sparse_copy};

    /// Mixtures of four components in which samples 3, 17, 20 and 31 are pure, of very different lengths.
    fn separable() -> Array2<f64> {
        let components = random_matrix::<f64>(4, 30, 1).mapv(f64::abs);
        let mut weights = random_matrix::<f64>(60, 4, 2).mapv(f64::abs);
        for (k, (i, scale)) in [(3, 1.0), (17, 0.5), (20, 7.0), (31, 2.0)].into_iter().enumerate() {
            weights.row_mut(i).fill(0.0);
            weights[[i, k]] = scale;
        }
        multiply(weights.view(), components.view())
    }

    fn selection(data: &Array2<f64>, start: &Array2<f64>) -> Vec<usize> {
        let number = |row: ndarray::ArrayView1<'_, f64>| data.outer_iter().position(|s| s == row).unwrap();
        let mut numbers: Vec<usize> = start.outer_iter().map(number).collect();
        numbers.sort_unstable();
        numbers
    }

    #[test]
    fn pure_samples_are_found_dense_and_sparse() {
        let data = separable();
        let dense = DenseSamples::new(data.view()).unwrap();
        assert_eq!(selection(&data, &successive_projection(&dense, 4).unwrap()), [3, 17, 20, 31]);
        let (pointers, indices, values) = sparse_copy(&data);
        let sparse = CsrSamples::new(30, &pointers, indices, values).unwrap();
        assert_eq!(selection(&data, &successive_projection(&sparse, 4).unwrap()), [3, 17, 20, 31]);
    }

    #[test]
    fn pure_samples_are_found_for_signed_components() {
        let components = random_matrix::<f64>(4, 30, 11);
        let mut weights = random_matrix::<f64>(60, 4, 12).mapv(f64::abs);
        for (k, i) in [5, 6, 7, 8].into_iter().enumerate() {
            weights.row_mut(i).fill(0.0);
            weights[[i, k]] = 0.5 + k as f64;
        }
        let data = multiply(weights.view(), components.view());
        let samples = DenseSamples::new(data.view()).unwrap();
        assert_eq!(selection(&data, &successive_projection(&samples, 4).unwrap()), [5, 6, 7, 8]);
    }

    #[test]
    fn noise_does_not_change_the_selection() {
        let mut data = separable();
        data.scaled_add(1e-3, &random_matrix::<f64>(60, 30, 5));
        let samples = DenseSamples::new(data.view()).unwrap();
        assert_eq!(selection(&data, &successive_projection(&samples, 4).unwrap()), [3, 17, 20, 31]);
    }

    #[test]
    fn near_zero_samples_do_not_change_the_selection() {
        let mut data = separable();
        // Scaled up, this sample would be farther from all others than any of them.
        data.row_mut(40).fill(0.0);
        data[[40, 7]] = 1e-6;
        let samples = DenseSamples::new(data.view()).unwrap();
        assert_eq!(selection(&data, &successive_projection(&samples, 4).unwrap()), [3, 17, 20, 31]);
    }

    #[test]
    fn scale_does_not_matter() {
        for scale in [1e-250, 1e-10, 1e10, 1e250] {
            let data = separable() * scale;
            let samples = DenseSamples::new(data.view()).unwrap();
            assert_eq!(
                selection(&data, &successive_projection(&samples, 4).unwrap()),
                [3, 17, 20, 31],
                "{scale:e}"
            );
        }
    }

    #[test]
    fn more_components_than_dimensions_are_refused() {
        let samples = DenseSamples::new(separable()).unwrap();
        let error = successive_projection(&samples, 5).unwrap_err();
        assert!(error.to_string().contains("at most 4, the number of dimensions"), "{error}");
        let zero = DenseSamples::new(Array2::<f64>::zeros((3, 3))).unwrap();
        assert!(successive_projection(&zero, 1).is_err());
    }
}
