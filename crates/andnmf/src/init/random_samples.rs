//! Samples drawn at random: the start of the paper's real-data experiments.

use ndarray::Array2;
use rand::seq::SliceRandom;

use crate::random::{Stream, generator};
use crate::samples::{Samples, dense_rows};
use crate::{FitError, Real, SettingError};

/// `rank` different samples as components, none of them all zero.
///
/// # Errors
/// Where fewer samples than that are not all zero.
pub fn random_samples<T: Real>(
    samples: &dyn Samples<T>,
    rank: usize,
    seed: u64,
) -> Result<Array2<T>, FitError> {
    let mut order: Vec<usize> = (0..samples.n_samples()).collect();
    order.shuffle(&mut generator(seed, Stream::Picks));
    let mut picked = Vec::with_capacity(rank.min(order.len()));
    for i in order {
        if picked.len() == rank {
            break;
        }
        // A zero component could never become active.
        if dense_rows(samples, &[i])?.iter().any(|&v| v != T::from_f64(0.0)) {
            picked.push(i);
        }
    }
    if picked.len() < rank {
        let expected = format!("only {} samples are not all zero; it can be at most that", picked.len());
        return Err(SettingError::new("rank", rank, expected).into());
    }
    Ok(dense_rows(samples, &picked)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::DenseSamples;
    use crate::testing::random_matrix;

    #[test]
    fn picks_are_different_samples_and_change_with_the_seed() {
        let data = random_matrix::<f64>(40, 5, 1);
        let samples = DenseSamples::new(data.view()).unwrap();
        let pick = |seed| {
            let start = random_samples(&samples, 10, seed).unwrap();
            let number =
                |row: ndarray::ArrayView1<'_, f64>| data.outer_iter().position(|s| s == row).unwrap();
            start.outer_iter().map(number).collect::<Vec<_>>()
        };
        let mut first = pick(1);
        assert_ne!(first, pick(2));
        assert_eq!(first, pick(1));
        first.sort_unstable();
        first.dedup();
        assert_eq!(first.len(), 10);
    }

    #[test]
    fn zero_samples_are_passed_over_and_too_few_others_refused() {
        let mut data = random_matrix::<f64>(6, 3, 1);
        data.slice_mut(ndarray::s![2.., ..]).fill(0.0);
        let samples = DenseSamples::new(data.view()).unwrap();
        for seed in 0..5 {
            let start = random_samples(&samples, 2, seed).unwrap();
            assert!(start.outer_iter().all(|row| row.iter().any(|&v| v != 0.0)));
        }
        let error = random_samples(&samples, 3, 0).unwrap_err();
        assert!(error.to_string().contains("only 2 samples"), "{error}");
    }
}
