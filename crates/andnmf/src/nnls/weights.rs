//! The NNLS weights of samples for given components.

use ndarray::{Array2, ArrayView2, CowArray, Ix2};

use super::gram::{exponent, power_of_two};
use super::{BlockWorkspace, NnlsError, NnlsStart, OutOfRange, ScaledGram, check_finite, solve_block};
use crate::fit::{Run, is_cancelled};
use crate::linalg::linear_map::LinearMap;
use crate::linalg::product::multiply;
use crate::memory::{self, product};
use crate::pool::Pool;
use crate::query::{
    self, Part, Partial, Query, QueryError, Wire, WireError, WireReader, WireWriter, check_shape,
};
use crate::samples::fold::{FoldPlan, fold};
use crate::samples::{CancellableSamples, Samples};
use crate::{FitError, Real, SamplesError, ShapeError, entry_point};

/// The non-negative least-squares weights (n × rank) of samples for `components` (rank × features) of any sign. Uses
/// the threads and the cancel flag of `run`; cancellation returns
/// [`SamplesError::Cancelled`](crate::SamplesError::Cancelled).
///
/// ```
/// use andnmf::fit::Run;
/// use andnmf::samples::DenseSamples;
/// use ndarray::array;
/// let samples = DenseSamples::new(array![[2.0_f64, 2.0, 6.0], [-1.0, 0.0, 1.0]])?;
/// let components = array![[1.0, 1.0, 0.0], [0.0, 0.0, 2.0]];
/// let weights = andnmf::nnls::weights(&samples, components.view(), &Run::new())?;
/// let error = weights - array![[2.0, 3.0], [0.0, 0.5]];
/// assert!(error.iter().all(|v| v.abs() < 1e-12));
/// # Ok::<(), andnmf::nnls::NnlsError>(())
/// ```
///
/// # Errors
/// If the components do not have the features of the samples or are not finite, the samples cannot be read, or the
/// weights overflow.
pub fn weights<T: Real>(
    samples: &dyn Samples<T>,
    components: ArrayView2<'_, T>,
    run: &Run<'_, T>,
) -> Result<Array2<T>, NnlsError> {
    if components.ncols() != samples.n_features() {
        let expected = format!("any number of components × {} features", samples.n_features());
        return Err(ShapeError::new("the components", components.dim(), expected).into());
    }
    check_finite("the components", components)?;
    let rank = components.nrows();
    let n_samples = if samples.executor().is_some() { 0 } else { samples.n_samples() };
    let bytes = product(&[rank, rank.saturating_add(n_samples), size_of::<T>()]);
    memory::check_shape("the components", components.dim(), "the weights and their Gram matrix", bytes)?;
    let workers = run.workers().map_err(|error| match error {
        FitError::Threads { threads, reason } => NnlsError::Threads { threads, reason },
        other => NnlsError::Threads { threads: 0, reason: other.to_string() },
    })?;
    let cancel = run.cancel_flag();
    let stop = || is_cancelled(cancel);
    workers.run(|| compiled(&CancellableSamples { samples, stop: &stop }, components))
}

entry_point! {
    fn compiled<'a; T>(samples: &'a dyn Samples<T>, components: ArrayView2<'a, T>) -> Result<Array2<T>, NnlsError> = weights_in_this_pool;
}

fn weights_in_this_pool<T: Real>(
    samples: &dyn Samples<T>,
    components: ArrayView2<'_, T>,
) -> Result<Array2<T>, NnlsError> {
    Ok(query::run(samples, &WeightsQuery { components: components.into() })?.rows)
}

/// The query for the non-negative least-squares weights of each sample.
#[derive(Debug)]
pub(crate) struct WeightsQuery<'a, T: Real> {
    /// Components × features.
    pub(crate) components: CowArray<'a, T, Ix2>,
}

/// The result of [`WeightsQuery`].
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct WeightRows<T: Real> {
    /// Samples × components.
    pub(crate) rows: Array2<T>,
}

impl<T: Real> Partial for WeightRows<T> {
    type Sums = ();

    fn split(self, rows: &mut WireWriter) {
        rows.rows(self.rows.view());
    }

    fn join((): (), rows: &mut WireReader<'_>, n_samples: usize) -> Result<Self, WireError> {
        Ok(Self { rows: rows.all_rows(n_samples)? })
    }
}

impl QueryError for NnlsError {
    fn sendable(self) -> SamplesError {
        match self {
            Self::Samples(error) => error,
            other => SamplesError::Executor { reason: other.to_string() },
        }
    }
}

impl<T: Real> Query<T> for WeightsQuery<'_, T> {
    const NAME: &'static str = "weights";
    const RETURNS_ROWS: bool = true;
    type Partial = WeightRows<T>;
    type Error = NnlsError;

    fn write(&self, to: &mut WireWriter) {
        self.components.write(to);
    }

    fn read(from: &mut WireReader<'_>, _: &mut WireReader<'_>, _: &Part<'_, T>) -> Result<Self, WireError> {
        Ok(Self { components: Wire::read(from)? })
    }

    fn check(&self, part: &Part<'_, T>) -> Result<(), SamplesError> {
        let expected = (self.components.nrows(), part.samples.n_features());
        check_shape("the matrix of components", self.components.dim(), expected, part)
    }

    fn run(&self, part: &Part<'_, T>) -> Result<WeightRows<T>, NnlsError> {
        let (samples, rank) = (part.samples, self.components.nrows());
        // Powers of two keep the products in range and change no digit.
        let scales: Vec<f64> = self
            .components
            .outer_iter()
            .map(|row| row.iter().fold(0.0, |top: f64, v| top.max(v.as_f64().abs())))
            .map(|largest| if largest > 0.0 { power_of_two(-exponent(largest)) } else { 0.0 })
            .collect();
        let mut wide = self.components.mapv(Real::as_f64);
        for (mut row, &scale) in wide.outer_iter_mut().zip(&scales) {
            row.mapv_inplace(|v| v * scale);
        }
        let gram = ScaledGram::new(multiply(wide.view(), wide.t()).view())?;
        let map = LinearMap::new(wide.mapv(T::from_f64), samples.is_sparse());
        let workspace = Pool::<BlockWorkspace>::default();
        let values = fold(
            samples,
            &FoldPlan::new(samples, rank),
            &Vec::new,
            &|values: &mut Vec<T>, first, block| {
                let mut products = Array2::zeros((block.n_samples(), rank));
                map.apply(&block, products.view_mut());
                let mut weights = Array2::zeros(products.dim());
                let overflow = |row| NnlsError::Overflow { sample: part.first + first + row };
                workspace
                    .lend(|workspace| {
                        solve_block(&gram, products.view(), weights.view_mut(), NnlsStart::Cold, workspace)
                    })
                    .map_err(|OutOfRange { row }| overflow(row))?;
                for (row, mut weights) in weights.outer_iter_mut().enumerate() {
                    for (weight, &scale) in weights.iter_mut().zip(&scales) {
                        *weight = T::from_f64(weight.as_f64() * scale);
                        if !weight.finite() {
                            return Err(overflow(row));
                        }
                    }
                }
                values.extend(weights);
                Ok(())
            },
            &|left, right| left.extend(right),
        )?;
        let rows = Array2::from_shape_vec((samples.n_samples(), rank), values);
        Ok(WeightRows { rows: rows.expect("one row per sample, in order") })
    }

    fn accepts(&self, partial: &WeightRows<T>, part: &Part<'_, T>) -> bool {
        partial.rows.dim() == (part.samples.n_samples(), self.components.nrows())
    }

    #[cfg(test)]
    fn examples(check: &mut query::testing::ExampleCheck<T>) {
        let components = check.components().into();
        check.check(&WeightsQuery { components }, |result| query::testing::values(&result.rows));
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use super::*;
    use crate::nnls::kkt_violation;
    use crate::nnls::oracle::lawson_hanson;
    use crate::samples::{CsrSamples, DenseSamples};
    use crate::testing::{assert_close, random_matrix, sparse_copy};

    #[test]
    fn dense_and_sparse_samples_get_the_weights_of_the_oracle_on_any_number_of_threads() {
        let components = random_matrix::<f64>(6, 25, 1);
        let rows = random_matrix::<f64>(1300, 25, 2).mapv(|v| if v.abs() < 0.6 { 0.0 } else { v });
        let mut expected = Array2::zeros((1300, 6));
        for (sample, mut weights) in rows.outer_iter().zip(expected.outer_iter_mut()) {
            weights.assign(&lawson_hanson(components.view(), sample));
        }
        let (pointers, indices, values) = sparse_copy(&rows);
        let sparse = CsrSamples::new(25, &pointers, indices, values).unwrap();
        let dense = DenseSamples::new(rows.view()).unwrap();
        for samples in [&dense as &dyn Samples<f64>, &sparse] {
            let on = |threads| weights(samples, components.view(), &Run::new().threads(threads)).unwrap();
            let one = on(1);
            assert_close(&one, &expected, 1e-11);
            assert!(on(2) == one && on(3) == one);
        }
    }

    #[test]
    fn single_precision_is_optimal_to_its_own_digits() {
        let (components, rows) = (random_matrix::<f32>(20, 70, 3), random_matrix::<f32>(50, 70, 4));
        let result =
            weights(&DenseSamples::new(rows.view()).unwrap(), components.view(), &Run::new()).unwrap();
        let (components, rows) = (components.mapv(f64::from), rows.mapv(f64::from));
        let (gram, products) = (components.dot(&components.t()), rows.dot(&components.t()));
        assert!(kkt_violation(gram.view(), products.view(), result.mapv(f64::from).view()).unwrap() < 1e-6);
    }

    #[test]
    fn tiny_and_huge_components_get_huge_and_tiny_weights() {
        // The squares of these components overflow or underflow.
        let (small, large) = (1e-200_f64, 1e200);
        let components = ndarray::array![[small, 0.0], [large, large], [0.0, 0.0]];
        let samples = DenseSamples::new(ndarray::array![[3.0, 2.0], [0.0, 0.0]]).unwrap();
        let result = weights(&samples, components.view(), &Run::new()).unwrap();
        assert!((result[[0, 0]] * small - 1.0).abs() < 1e-14 && (result[[0, 1]] * large - 2.0).abs() < 1e-14);
        assert!(result[[0, 2]] == 0.0 && result.row(1).iter().all(|&v| v == 0.0));
    }

    #[test]
    fn weights_that_overflow_are_an_error_with_the_sample() {
        let mut rows = Array2::<f64>::ones((600, 1));
        rows[[555, 0]] = 1e200;
        let samples = DenseSamples::new(rows).unwrap();
        let error = weights(&samples, ndarray::array![[1e-200]].view(), &Run::new()).unwrap_err();
        assert_eq!(error, NnlsError::Overflow { sample: 555 });
    }

    #[test]
    fn components_that_do_not_match_are_refused() {
        let samples = DenseSamples::new(random_matrix::<f64>(4, 3, 1)).unwrap();
        let message = |components: Array2<f64>| {
            weights(&samples, components.view(), &Run::new()).unwrap_err().to_string()
        };
        assert!(message(Array2::zeros((2, 5))).starts_with("the components must be any number"));
        let nan = ndarray::array![[1.0, 2.0, f64::NAN]];
        assert!(message(nan).starts_with("the components, row 0, column 2 is NaN"));
    }

    #[test]
    fn a_cancelled_run_ends_early() {
        let flag = AtomicBool::new(true);
        let samples = DenseSamples::new(random_matrix::<f64>(4, 3, 1)).unwrap();
        let run = Run::new().cancel_with(&flag);
        let error = weights(&samples, random_matrix::<f64>(2, 3, 2).view(), &run).unwrap_err();
        assert_eq!(error, NnlsError::Samples(SamplesError::Cancelled));
    }
}
