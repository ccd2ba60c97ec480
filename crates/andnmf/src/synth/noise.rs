//! Gaussian noise.

use ndarray::Array2;
use rand::RngExt;
use rand_distr::StandardNormal;

use super::ensure_not_negative;
use crate::SettingError;
use crate::random::{Stream, generator};

/// Adds Gaussian noise of level `gamma` to every entry of `samples` (one per row).
///
/// Entries are independent with standard deviation `gamma / √n_features`, the paper's γ·N(0, I/W): the noise
/// of one sample has a Euclidean norm close to `gamma` for any number of features. The standardized noise depends
/// on the seed alone, so a sweep over `gamma` scales the same noise.
///
/// # Errors
/// If `gamma` is negative or not finite; `samples` are then unchanged.
///
/// ```
/// let mut samples = ndarray::Array2::zeros((10, 400));
/// andnmf::synth::add_gaussian(&mut samples, 0.5, 0)?;
/// let norm = samples.row(0).dot(&samples.row(0)).sqrt();
/// assert!((norm - 0.5).abs() < 0.1);
/// # Ok::<(), andnmf::SettingError>(())
/// ```
pub fn add_gaussian(samples: &mut Array2<f64>, gamma: f64, seed: u64) -> Result<(), SettingError> {
    ensure_not_negative("noise", gamma)?;
    if gamma == 0.0 || samples.is_empty() {
        return Ok(());
    }
    let deviation = gamma / (samples.ncols() as f64).sqrt();
    let mut rng = generator(seed, Stream::Noise);
    for entry in samples.iter_mut() {
        *entry += deviation * rng.sample::<f64, _>(StandardNormal);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_close, random_matrix};

    #[test]
    fn the_noise_of_a_sample_has_norm_gamma() {
        for n_features in [50, 2940] {
            let mut samples = Array2::zeros((200, n_features));
            add_gaussian(&mut samples, 0.3, 1).unwrap();
            let squares: Vec<f64> = samples.rows().into_iter().map(|row| row.dot(&row)).collect();
            // ‖ζ‖²/γ² is χ²(W)/W: mean 1, standard deviation √(2/W) for one sample.
            let mean = squares.iter().sum::<f64>() / 200.0 / 0.09;
            let error = (2.0 / n_features as f64 / 200.0).sqrt();
            assert!((mean - 1.0).abs() < 4.0 * error, "{n_features} features: {mean}");
            assert!(samples.mean().unwrap().abs() < 4.0 * 0.3 / (200.0_f64.sqrt() * n_features as f64));
        }
    }

    #[test]
    fn another_level_scales_the_same_noise() {
        let clean = random_matrix::<f64>(20, 30, 2);
        let noise = |gamma, seed| {
            let mut samples = clean.clone();
            add_gaussian(&mut samples, gamma, seed).unwrap();
            samples - &clean
        };
        assert_close(&noise(0.6, 5), &(noise(0.2, 5) * 3.0), 1e-13);
        assert_ne!(noise(0.2, 5), noise(0.2, 6));
        assert_eq!(noise(0.0, 5), Array2::<f64>::zeros((20, 30)));
    }

    #[test]
    fn a_negative_or_non_finite_level_is_refused_and_changes_nothing() {
        let clean = random_matrix::<f64>(3, 4, 3);
        for gamma in [-0.1, f64::NAN, f64::INFINITY] {
            let mut samples = clean.clone();
            assert_eq!(add_gaussian(&mut samples, gamma, 1).unwrap_err().name, "noise");
            assert_eq!(samples, clean);
        }
    }
}
