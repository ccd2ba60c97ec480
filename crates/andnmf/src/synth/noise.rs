//! Noise: the paper's Gaussian noise, and other kinds that its general theorem covers or comes near to.

use std::fmt;
use std::str::FromStr;

use ndarray::{Array1, Array2};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Poisson, StandardNormal, StudentT};
use serde::{Deserialize, Serialize};

use super::ensure_not_negative;
use crate::SettingError;
use crate::random::{Stream, generator};

/// Degrees of freedom of heavy-tailed noise: the fewest whole ones with a finite variance.
const FREEDOM: f64 = 3.0;
/// Poisson means above this lose digits, and their noise is below rounding.
const LARGEST_COUNT: f64 = 1e15;

/// The distribution of the noise ζ of a sample in W features; γ² is the mean of ‖ζ‖².
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NoiseKind {
    /// γ·N(0, I/W): the paper's NOISE. ‖E\[ζζᵀ\]‖ = γ²/W.
    #[default]
    Gaussian,
    /// γ·g·u for a standard normal g and one unit vector u for all samples: ‖E\[ζζᵀ\]‖ = γ², the largest possible.
    Directional,
    /// Uniform on the sphere of radius γ: ‖ζ‖ is bounded, as the general noise theorem demands.
    Bounded,
    /// Independent Student's t entries with three degrees of freedom: outliers, and no fourth moment.
    HeavyTailed,
    /// Counts: each entry y becomes Poisson(c·y)/c, with one c for all. Samples must not be negative.
    Counts,
}

impl NoiseKind {
    /// Every kind.
    pub const ALL: [Self; 5] =
        [Self::Gaussian, Self::Directional, Self::Bounded, Self::HeavyTailed, Self::Counts];

    /// The name in commands and files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Gaussian => "gaussian",
            Self::Directional => "directional",
            Self::Bounded => "bounded",
            Self::HeavyTailed => "heavy-tailed",
            Self::Counts => "counts",
        }
    }
}

impl fmt::Display for NoiseKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for NoiseKind {
    type Err = SettingError;

    fn from_str(name: &str) -> Result<Self, SettingError> {
        Self::ALL.into_iter().find(|kind| kind.name() == name).ok_or_else(|| {
            let names = Self::ALL.map(Self::name).join(", ");
            SettingError::new("noise_kind", format!("\"{name}\""), format!("it must be one of {names}"))
        })
    }
}

/// Adds noise of a kind and of level `gamma` to `samples` (one per row), where γ² is the mean squared norm of the noise
/// of a sample.
///
/// # Errors
/// If `gamma` is negative or not finite, or samples with noise of counts are negative or too large; `samples` are then
/// unchanged.
///
/// ```
/// use andnmf::synth::{NoiseKind, add_noise};
/// let mut samples = ndarray::Array2::zeros((10, 400));
/// add_noise(&mut samples, NoiseKind::Bounded, 0.5, 0)?;
/// let norm = samples.row(0).dot(&samples.row(0)).sqrt();
/// assert!((norm - 0.5).abs() < 1e-12);
/// # Ok::<(), andnmf::SettingError>(())
/// ```
pub fn add_noise(
    samples: &mut Array2<f64>,
    kind: NoiseKind,
    gamma: f64,
    seed: u64,
) -> Result<(), SettingError> {
    ensure_not_negative("noise", gamma)?;
    if gamma == 0.0 || samples.is_empty() {
        return Ok(());
    }
    let mut rng = generator(seed, Stream::Noise);
    match kind {
        NoiseKind::Gaussian => return add_gaussian(samples, gamma, seed),
        NoiseKind::Directional => {
            let direction = unit(samples.ncols(), &mut rng);
            for mut sample in samples.rows_mut() {
                sample.scaled_add(gamma * rng.sample::<f64, _>(StandardNormal), &direction);
            }
        }
        NoiseKind::Bounded => {
            for mut sample in samples.rows_mut() {
                let direction = unit(sample.len(), &mut rng);
                sample.scaled_add(gamma, &direction);
            }
        }
        NoiseKind::HeavyTailed => {
            let law = StudentT::new(FREEDOM)
                .map_err(|_| SettingError::new("noise_kind", kind, "its degrees of freedom are invalid"))?;
            let deviation = gamma / (samples.ncols() as f64 * FREEDOM / (FREEDOM - 2.0)).sqrt();
            samples.mapv_inplace(|entry| entry + deviation * rng.sample::<f64, _>(law));
        }
        NoiseKind::Counts => add_counts(samples, gamma, &mut rng)?,
    }
    Ok(())
}

/// A direction, evenly distributed.
fn unit(length: usize, rng: &mut ChaCha8Rng) -> Array1<f64> {
    let direction = Array1::from_shape_simple_fn(length, || rng.sample::<f64, _>(StandardNormal));
    let norm = direction.dot(&direction).sqrt();
    direction / norm
}

fn add_counts(samples: &mut Array2<f64>, gamma: f64, rng: &mut ChaCha8Rng) -> Result<(), SettingError> {
    if let Some(((row, column), entry)) =
        samples.indexed_iter().find(|(_, entry)| entry.is_nan() || **entry < 0.0)
    {
        let given = format!("{entry} in row {row}, column {column}");
        return Err(SettingError::new("samples", given, "with noise of counts they must be at least 0"));
    }
    // The variance of Poisson(c·y)/c is y/c: summed over a sample, its mean is γ².
    let scale = samples.sum() / samples.nrows() as f64 / (gamma * gamma);
    let largest = samples.iter().copied().fold(0.0, f64::max) * scale;
    if largest.is_nan() || largest > LARGEST_COUNT {
        return Err(SettingError::new(
            "noise",
            gamma,
            "it is too small for noise of counts on these samples",
        ));
    }
    for entry in samples.iter_mut().filter(|entry| **entry > 0.0) {
        // Means that round to zero give no counts.
        *entry = Poisson::new(*entry * scale).map_or(0.0, |law| rng.sample::<f64, _>(law) / scale);
    }
    Ok(())
}

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
    fn every_kind_has_the_mean_squared_norm_of_its_level() {
        for kind in NoiseKind::ALL {
            let clean = Array2::from_elem((4000, 20), 1.0);
            let mut samples = clean.clone();
            add_noise(&mut samples, kind, 0.4, 1).unwrap();
            let noise = &samples - &clean;
            let square = noise.mapv(|v| v * v).sum() / 4000.0 / 0.16;
            // The squares of heavy-tailed noise have no variance.
            let limit = if kind == NoiseKind::HeavyTailed { 0.3 } else { 0.1 };
            assert!((square - 1.0).abs() < limit, "{kind}: {square}");
            assert!(noise.mean().unwrap().abs() < 0.01, "{kind}");
            let covariance = noise.t().dot(&noise) / 4000.0;
            let trace = covariance.diag().sum();
            let shared = covariance.sum() - trace;
            let rank_one = (covariance.mapv(|v| v * v).sum() / (trace * trace) - 1.0).abs() < 1e-6;
            assert_eq!(rank_one, kind == NoiseKind::Directional, "{kind}: {shared}");
            assert_eq!(kind.to_string().parse::<NoiseKind>().unwrap(), kind);
        }
        assert_eq!("shot".parse::<NoiseKind>().unwrap_err().name, "noise_kind");
    }

    #[test]
    fn counts_are_whole_multiples_and_refuse_negative_samples() {
        let mut samples = Array2::from_elem((50, 10), 0.7);
        samples[[3, 2]] = 0.0;
        add_noise(&mut samples, NoiseKind::Counts, 0.5, 2).unwrap();
        let scale = (0.7 * 499.0 / 50.0) / 0.25;
        assert!(samples.iter().all(|v| (v * scale - (v * scale).round()).abs() < 1e-9));
        assert_eq!(samples[[3, 2]], 0.0);
        let mut negative = Array2::from_elem((5, 4), -1.0);
        assert_eq!(add_noise(&mut negative, NoiseKind::Counts, 0.5, 2).unwrap_err().name, "samples");
        let mut ones = Array2::from_elem((5, 4), 1.0);
        assert_eq!(add_noise(&mut ones, NoiseKind::Counts, 1e-20, 2).unwrap_err().name, "noise");
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
