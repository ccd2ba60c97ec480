//! Finds an orthonormal basis of the span of the samples if its dimension is small.

use ndarray::{Array2, ArrayView2, Axis, concatenate};

use super::basis::orthonormal_rows;
use super::sketch::{combinations, random_sketch, rounding_cutoff, unit_rows};
use crate::samples::{Samples, dense_rows};
use crate::{Real, SamplesError};

/// A sketch is complete if it has this many rows more than its rank: a random sketch that misses a direction has so
/// many dependent rows with negligible probability.
const SPARE_ROWS: usize = 8;
/// A subset of the samples consists of this many contiguous runs, spread over all samples.
const RUNS: usize = 8;

/// The effort to spend on the search for a span.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Effort {
    /// Search until the span is found or known to be too large.
    Thorough,
    /// Stop once ruling out the next size on a subset of the samples takes more than this many operations.
    Within(f64),
}

/// The result of a search for a span.
pub(crate) struct SpanSearchResult<T: Real> {
    /// Orthonormal basis (rows); `None` if no small span was found.
    pub(crate) basis: Option<Array2<T>>,
    /// Passes over the samples.
    pub(crate) passes: usize,
}

/// An orthonormal basis of the span of all samples and the rows of `also`, if its dimension is at most `max_dimension`.
///
/// Tries sketches of growing size, starting with slightly more than `guess` rows. A thorough search ends with a sketch
/// large enough for any span of at most `max_dimension` dimensions. Otherwise sizes double, and a size is ruled out
/// without a pass if a subset of that many samples is linearly independent, as noisy samples are; the search ends
/// once that check exceeds the effort.
pub(crate) fn span<T: Real>(
    samples: &dyn Samples<T>,
    also: ArrayView2<'_, T>,
    guess: usize,
    max_dimension: usize,
    effort: Effort,
    seed: u64,
) -> Result<SpanSearchResult<T>, SamplesError> {
    let n = samples.n_samples();
    let largest = max_dimension + SPARE_ROWS;
    let mut size = guess + 2 * SPARE_ROWS;
    let mut passes = 0;
    let mut tried = 0;
    loop {
        if size.min(n) > largest {
            if matches!(effort, Effort::Within(_)) || tried >= largest {
                return Ok(SpanSearchResult { basis: None, passes });
            }
            size = largest;
        }
        tried = size;
        // If there are few samples, the samples themselves are the sketch.
        let complete = size >= n;
        if let Effort::Within(operations) = effort
            && !complete
        {
            if factorization_operations(size, samples.n_features()) > operations {
                return Ok(SpanSearchResult { basis: None, passes });
            }
            if subset_is_independent(samples, size)? {
                size *= 2;
                continue;
            }
        }
        passes += 1;
        let sketch = if complete {
            combinations(samples, Array2::eye(n).view())?
        } else {
            random_sketch(samples, size, seed)?
        };
        let sketch = unit_rows(sketch);
        let sketch_basis = orthonormal_rows(sketch.view(), rounding_cutoff::<T>());
        if complete || sketch_basis.nrows() + SPARE_ROWS <= size {
            let both = concatenate(Axis(0), &[sketch_basis.view(), unit_rows(also.to_owned()).view()])
                .expect("both have one column per feature");
            let basis = orthonormal_rows(both.view(), rounding_cutoff::<T>());
            return Ok(SpanSearchResult { basis: (basis.nrows() <= max_dimension).then_some(basis), passes });
        }
        size *= 2;
    }
}

/// The number of operations of a QR factorization.
fn factorization_operations(rows: usize, features: usize) -> f64 {
    4.0 * (rows as f64).powi(2) * features as f64
}

/// Returns true if a subset of `size` samples has a higher rank than a complete sketch of that size could have.
fn subset_is_independent<T: Real>(samples: &dyn Samples<T>, size: usize) -> Result<bool, SamplesError> {
    let n = samples.n_samples();
    let run = size.div_ceil(RUNS);
    let indices: Vec<usize> = (0..RUNS)
        .flat_map(|k| {
            let first = (k * n / RUNS).min(n.saturating_sub(run));
            first..(first + run).min(n)
        })
        .take(size)
        .collect();
    let rows = unit_rows(dense_rows(samples, &indices)?);
    Ok(orthonormal_rows(rows.view(), rounding_cutoff::<T>()).nrows() + SPARE_ROWS > size)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::coordinates::project;
    use crate::linalg::product::multiply;
    use crate::samples::DenseSamples;
    use crate::testing::{assert_close, low_rank, random_matrix, sparse_copy};

    /// Enough for all sizes in these tests.
    const EFFORT: Effort = Effort::Within(1e9);

    #[test]
    fn the_span_of_low_rank_samples_is_found_and_lossless() {
        let data = low_rank::<f64>(700, 12, 90);
        let also = random_matrix::<f64>(3, 90, 4);
        let (pointers, indices, values) = sparse_copy(&data);
        let sparse = crate::samples::CsrSamples::new(90, &pointers, indices, values).unwrap();
        let dense = DenseSamples::new(data.view()).unwrap();
        for samples in [&dense as &dyn Samples<f64>, &sparse] {
            let basis = span(samples, also.view(), 10, 45, EFFORT, 7).unwrap().basis.unwrap();
            assert_eq!(basis.nrows(), 15);
            let back = multiply(project(samples, basis.view()).unwrap().view(), basis.view());
            assert_close(&back, &data, 1e-13);
            assert_close(&multiply(multiply(also.view(), basis.t()).view(), basis.view()), &also, 1e-13);
        }
    }

    #[test]
    fn single_precision_finds_the_same_dimension() {
        let samples = DenseSamples::new(low_rank::<f32>(5000, 12, 90)).unwrap();
        let basis = span(&samples, Array2::zeros((1, 90)).view(), 10, 45, EFFORT, 7).unwrap().basis.unwrap();
        assert_eq!(basis.nrows(), 12);
    }

    #[test]
    fn full_rank_samples_have_no_small_span() {
        let samples = DenseSamples::new(random_matrix::<f64>(500, 60, 1)).unwrap();
        assert!(span(&samples, Array2::zeros((1, 60)).view(), 4, 30, EFFORT, 7).unwrap().basis.is_none());
    }

    #[test]
    fn a_thorough_search_finds_spans_that_doubling_would_miss() {
        let samples = DenseSamples::new(low_rank::<f64>(500, 50, 60)).unwrap();
        let dimension = |effort| {
            let found = span(&samples, Array2::zeros((1, 60)).view(), 30, 59, effort, 7).unwrap();
            found.basis.map(|basis| basis.nrows())
        };
        assert_eq!((dimension(EFFORT), dimension(Effort::Thorough)), (None, Some(50)));
    }

    #[test]
    fn few_samples_are_their_own_span() {
        let samples = DenseSamples::new(random_matrix::<f64>(5, 400, 1)).unwrap();
        let also = random_matrix::<f64>(2, 400, 2);
        assert_eq!(span(&samples, also.view(), 2, 100, EFFORT, 7).unwrap().basis.unwrap().nrows(), 7);
    }

    #[test]
    fn samples_with_noise_cost_no_pass() {
        let noisy = low_rank::<f64>(4000, 5, 200) + random_matrix::<f64>(4000, 200, 3) * 1e-6;
        let samples = DenseSamples::new(noisy).unwrap();
        let found = span(&samples, Array2::zeros((1, 200)).view(), 5, 66, EFFORT, 7).unwrap();
        assert!(found.basis.is_none());
        assert_eq!(found.passes, 0);
    }

    #[test]
    fn a_span_that_is_too_expensive_to_rule_out_is_not_searched_for() {
        let samples = DenseSamples::new(low_rank::<f64>(700, 12, 90)).unwrap();
        let search = |operations| {
            span(&samples, Array2::zeros((1, 90)).view(), 10, 45, Effort::Within(operations), 7).unwrap()
        };
        let operations = factorization_operations(10 + 2 * SPARE_ROWS, 90);
        assert_eq!(search(operations).basis.map(|basis| basis.nrows()), Some(12));
        assert!(search(operations - 1.0).basis.is_none());
    }

    #[test]
    fn samples_beyond_a_small_subset_count() {
        // The subset spans one direction; later samples have others.
        let mut data = Array2::from_elem((2000, 40), 1.0);
        data.row_mut(777).assign(&random_matrix::<f64>(1, 40, 5).row(0));
        data.row_mut(1111).assign(&random_matrix::<f64>(1, 40, 6).row(0));
        let samples = DenseSamples::new(data).unwrap();
        let found = span(&samples, Array2::zeros((1, 40)).view(), 2, 13, EFFORT, 7).unwrap();
        assert_eq!(found.basis.map(|basis| basis.nrows()), Some(3));
    }
}
