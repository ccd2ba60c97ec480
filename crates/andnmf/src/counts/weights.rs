//! Weights of largest likelihood of counts under given components.

use ndarray::{Array2, ArrayView2, Axis};

use super::pass::{ByFeature, ShareRule, pass};
use super::summary::count_totals;
use crate::fit::Run;
use crate::nnls::NnlsError;
use crate::samples::{CancellableSamples, NonNegative, Samples};
use crate::{FitError, Real, ShapeError};

/// Updates of the shares between two looks at their change.
const SWEEPS: usize = 20;
/// Looks, at most.
const ROUNDS: usize = 25;
/// Shares that change by less than this in a round are final.
const TOLERANCE: f64 = 1e-4;

/// The weights (n × rank) under which counts are most likely, for given components: those of Poisson noise, where
/// [`nnls::weights`](crate::nnls::weights) are those of equal noise. The fit of a sample has the sum of its counts.
///
/// Negative values of the components count as zero. A sample without counts has weights of zero.
///
/// ```
/// use andnmf::fit::Run;
/// use andnmf::samples::DenseSamples;
/// let components = ndarray::array![[0.5, 0.5, 0.0], [0.0, 0.0, 2.0]];
/// let counts = DenseSamples::new(ndarray::array![[3.0, 1.0, 4.0], [0.0, 0.0, 0.0]])?;
/// let weights = andnmf::counts::weights(&counts, components.view(), &Run::new())?;
/// assert_eq!(weights, ndarray::array![[4.0, 2.0], [0.0, 0.0]]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If the components do not have the features of the samples, a value is negative or not finite, or reading is cancelled.
pub fn weights<T: Real>(
    samples: &dyn Samples<T>,
    components: ArrayView2<'_, T>,
    run: &Run<'_, T>,
) -> Result<Array2<T>, NnlsError> {
    if components.ncols() != samples.n_features() || components.nrows() == 0 {
        let expected = format!("any number of components × {}", samples.n_features());
        return Err(ShapeError::new("the components", components.dim(), expected).into());
    }
    if let Some(((row, column), v)) = components.indexed_iter().find(|(_, v)| !v.finite()) {
        return Err(NnlsError::NotFinite { what: "the components", row, column, value: v.as_f64() });
    }
    let workers = run.workers().map_err(as_weights_error)?;
    let flag = run.cancel_flag();
    let stop = || crate::fit::is_cancelled(flag);
    let checked = NonNegative::new(samples, "the likelihood of counts");
    let watched = CancellableSamples { samples: &checked, stop: &stop };
    workers.run(|| found(&watched, components)).map_err(as_weights_error)
}

fn found<T: Real>(samples: &dyn Samples<T>, components: ArrayView2<'_, T>) -> Result<Array2<T>, FitError> {
    let zero = T::from_f64(0.0);
    let mut scaled = components.mapv(|v| if v > zero { v } else { zero });
    let mut sums = Vec::with_capacity(scaled.nrows());
    for mut row in scaled.axis_iter_mut(Axis(0)) {
        let largest = row.iter().fold(0.0_f64, |largest, v| largest.max(v.as_f64()));
        let relative: f64 = row.iter().map(|v| v.as_f64() / largest.max(f64::MIN_POSITIVE)).sum();
        let sum = if largest > 0.0 { largest * relative } else { 0.0 };
        if sum > 0.0 {
            row.mapv_inplace(|v| T::from_f64(v.as_f64() / largest / relative));
        }
        sums.push(sum);
    }
    let by_feature = ByFeature::new(&scaled);
    let totals = count_totals(samples)?;
    let mut shares = Array2::zeros((samples.n_samples(), scaled.nrows()));
    for _ in 0..ROUNDS {
        let before = shares.clone();
        pass(samples, &by_feature, ShareRule::Likelihood, SWEEPS, shares.view_mut())?;
        let moved = shares.iter().zip(&before).map(|(a, b)| (a.as_f64() - b.as_f64()).abs());
        if moved.fold(0.0, f64::max) < TOLERANCE {
            break;
        }
    }
    for (mut row, total) in shares.axis_iter_mut(Axis(0)).zip(totals) {
        for (share, &sum) in row.iter_mut().zip(&sums) {
            let weight = if sum > 0.0 { share.as_f64() * total / sum } else { 0.0 };
            *share = T::from_f64(if total > 0.0 { weight } else { 0.0 });
        }
    }
    Ok(shares)
}

/// An error of a computation of weights by other means than least squares.
pub(crate) fn as_weights_error(error: FitError) -> NnlsError {
    match error {
        FitError::Samples(error) => error.into(),
        FitError::Shape(error) => error.into(),
        FitError::Threads { threads, reason } => NnlsError::Threads { threads, reason },
        _ => NnlsError::Overflow { sample: 0 },
    }
}
