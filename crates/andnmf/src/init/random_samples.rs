//! Random samples: the initialization of the paper's real-data experiments.

use ndarray::Array2;
use rand::seq::SliceRandom;

use crate::random::{Stream, generator};
use crate::samples::{Samples, dense_rows};
use crate::{FitError, Real, SettingError};

/// `rank` different random samples as components, none of them zero.
///
/// ```
/// use andnmf::samples::DenseSamples;
/// let samples = DenseSamples::new(ndarray::array![[1.0, 0.0], [0.0, 0.0], [0.5, 2.0]])?;
/// assert_eq!(andnmf::init::random_samples(&samples, 2, 0)?.dim(), (2, 2));
/// # Ok::<(), andnmf::FitError>(())
/// ```
///
/// # Errors
/// If fewer than `rank` samples are nonzero.
pub fn random_samples<T: Real>(
    samples: &dyn Samples<T>,
    rank: usize,
    seed: u64,
) -> Result<Array2<T>, FitError> {
    let mut order: Vec<usize> = (0..samples.n_samples()).collect();
    order.shuffle(&mut generator(seed, Stream::RandomSamples));
    let mut selected = Vec::with_capacity(rank.min(order.len()));
    for i in order {
        if selected.len() == rank {
            break;
        }
        // A zero component could never become active.
        if dense_rows(samples, &[i])?.iter().any(|&v| v != T::from_f64(0.0)) {
            selected.push(i);
        }
    }
    if selected.len() < rank {
        let expected = format!("it must be at most {}, the number of nonzero samples", selected.len());
        return Err(SettingError::new("rank", rank, expected).into());
    }
    Ok(dense_rows(samples, &selected)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::DenseSamples;
    use crate::testing::random_matrix;

    #[test]
    fn the_samples_are_different_and_change_with_the_seed() {
        let data = random_matrix::<f64>(40, 5, 1);
        let samples = DenseSamples::new(data.view()).unwrap();
        let draw = |seed| {
            let start = random_samples(&samples, 10, seed).unwrap();
            let number =
                |row: ndarray::ArrayView1<'_, f64>| data.outer_iter().position(|s| s == row).unwrap();
            start.outer_iter().map(number).collect::<Vec<_>>()
        };
        let mut first = draw(1);
        assert_ne!(first, draw(2));
        assert_eq!(first, draw(1));
        first.sort_unstable();
        first.dedup();
        assert_eq!(first.len(), 10);
    }

    #[test]
    fn zero_samples_are_skipped_and_too_few_others_refused() {
        let mut data = random_matrix::<f64>(6, 3, 1);
        data.slice_mut(ndarray::s![2.., ..]).fill(0.0);
        let samples = DenseSamples::new(data.view()).unwrap();
        for seed in 0..5 {
            let start = random_samples(&samples, 2, seed).unwrap();
            assert!(start.outer_iter().all(|row| row.iter().any(|&v| v != 0.0)));
        }
        let error = random_samples(&samples, 3, 0).unwrap_err();
        assert!(error.to_string().contains("at most 2, the number of nonzero samples"), "{error}");
    }
}
