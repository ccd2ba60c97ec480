//! Samples in the space of their leading directions, where the stages run.
//!
//! With as many directions as components the stages cost n·rank² whatever the number of features, and the full
//! samples are read for the directions, once for the projection, and once or twice at the end. The
//! discarded part gives the noise level.

use ndarray::{Array2, ArrayView2, Axis, concatenate, s};
use serde::{Deserialize, Serialize};

use super::outliers::Hold;
use super::shares::{median, squares};
use crate::constants::ProjectionConstants;
use crate::fit::bits;
use crate::linalg::coordinates::{Coordinates, project_with_lowest};
use crate::linalg::product::{frobenius, length, scale_rows};
use crate::linalg::randomized_svd::{SvdRequest, randomized_svd};
use crate::samples::{DenseSamples, Samples};
use crate::{FitError, Real};

/// Singular values and noise level from the decomposition.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Spectrum {
    /// Singular values of the kept directions, largest first.
    #[serde(with = "bits::list")]
    pub(super) values: Vec<f64>,
    /// The first discarded one; zero where it is nothing but rounding.
    #[serde(with = "bits::number")]
    pub(super) discarded: f64,
    /// A later discarded one: how fast they fall shows whether what is left out is white noise.
    #[serde(with = "bits::number")]
    pub(super) later_discarded: f64,
    /// Strength of the samples in the leading direction: the unit in which projected samples are measured.
    #[serde(with = "bits::number")]
    pub(super) unit: f64,
    /// Standard deviation of the noise of one value of the samples, in that unit.
    #[serde(with = "bits::number")]
    pub(super) noise: f64,
}

impl Spectrum {
    /// The decay of the discarded singular values: near 1 for white noise, larger for noise with structure.
    pub(super) fn structure(&self) -> f64 {
        if self.discarded > 0.0 {
            self.discarded / self.later_discarded.max(1e-3 * self.discarded)
        } else {
            1.0
        }
    }

    /// The last kept singular value over the first discarded one.
    pub(super) fn gap(&self) -> f64 {
        let kept = self.values.last().copied().unwrap_or(0.0);
        if self.discarded > 0.0 { kept / self.discarded } else { f64::INFINITY }
    }
}

/// Projected samples, in the space where the stages run.
#[derive(Debug, Clone)]
pub(super) struct Projected<T: Real> {
    /// Samples × directions, in units and by their multipliers.
    pub(super) samples: DenseSamples<'static, T>,
    /// Standard deviation of the noise of one value: the root mean square over all samples.
    pub(super) noise: f64,
    /// The noise of each sample, where they differ.
    pub(super) sample_noise: Option<Vec<f64>>,
    /// The factor of each sample, if lengths were equalized.
    pub(super) multipliers: Option<Vec<f64>>,
    /// Frobenius norm of the projected samples.
    pub(super) size: f64,
}

/// The leading directions (rows), what is known beside them, and the passes they took.
pub(super) struct Directions<T: Real> {
    pub(super) basis: Array2<T>,
    /// Further directions, the strongest of those discarded.
    pub(super) spare: Array2<T>,
    pub(super) spectrum: Spectrum,
    pub(super) passes: usize,
}

/// Discarded singular values between the first and the one that shows how fast they fall.
const LATER: usize = 5;

/// Finds the `rank` leading directions of the samples, or as many as they have.
pub(super) fn directions<T: Real>(
    samples: &dyn Samples<T>,
    rank: usize,
    seed: u64,
    constants: &ProjectionConstants,
) -> Result<Directions<T>, FitError> {
    let ProjectionConstants { spare_directions, most_passes, noiseless, .. } = *constants;
    let request = SvdRequest { size: rank + spare_directions, converged: rank, max_passes: most_passes };
    let found = randomized_svd(samples, request, seed)?;
    let (n, features) = (samples.n_samples() as f64, samples.n_features() as f64);
    let kept = found.vectors.nrows().min(rank);
    let value = |k: usize| found.values.get(k).copied().unwrap_or(0.0);
    if kept > 0 && !(value(0) > 0.0 && value(0).is_finite()) {
        return Err(FitError::Overflow { stage: 0 });
    }
    let unit = if kept > 0 { value(0) / n.sqrt() } else { 1.0 };
    let discarded = if value(rank) > noiseless * value(0) { value(rank) } else { 0.0 };
    // The largest singular value of n × W values of standard deviation σ is close to σ(√n + √W).
    let noise = discarded / unit / (n.sqrt() + features.sqrt());
    let later = (rank + LATER).min(found.values.len().saturating_sub(1));
    let later_discarded = if discarded > 0.0 { value(later).min(discarded) } else { 0.0 };
    let values = (0..kept).map(value).collect();
    let basis = found.vectors.slice(s![..kept, ..]).to_owned();
    let spare = if discarded > 0.0 { kept.. } else { found.vectors.nrows().. };
    let spare = found.vectors.slice(s![spare, ..]).to_owned();
    Ok(Directions {
        basis,
        spare,
        spectrum: Spectrum { values, discarded, later_discarded, unit, noise },
        passes: found.passes,
    })
}

/// The signs that the values of samples have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Signs {
    /// None is negative.
    Positive,
    /// None is further below zero than noise explains.
    PositiveButNoise,
    /// Some are negative.
    Any,
}

/// The result of one pass over the full samples.
pub(super) struct SampleProjection<T: Real> {
    pub(super) projected: Projected<T>,
    /// The samples along the spare directions.
    pub(super) spare: Array2<T>,
    pub(super) signs: Signs,
    /// The hold of each sample on the directions.
    pub(super) hold: Hold,
}

impl<T: Real> SampleProjection<T> {
    /// Projects the samples in one pass.
    pub(super) fn new(
        samples: &dyn Samples<T>,
        basis: &Array2<T>,
        spare: &Array2<T>,
        spectrum: &Spectrum,
        constants: &ProjectionConstants,
    ) -> Result<Self, FitError> {
        let all = concatenate(Axis(0), &[basis.view(), spare.view()]).expect("equally wide");
        let Coordinates { rows, lowest } = project_with_lowest(samples, all.view())?;
        let hold = Hold::new(rows.view(), basis.nrows(), &[]);
        let spare = rows.slice(s![.., basis.nrows()..]).to_owned();
        let rows = rows.slice(s![.., ..basis.nrows()]).mapv(|v| T::from_f64(v.as_f64() / spectrum.unit));
        // Noise too weak to separate from rounding explains negative values as small as itself.
        let (n, features) = (samples.n_samples() as f64, samples.n_features() as f64);
        let unseen = constants.noiseless * n.sqrt() / (n.sqrt() + features.sqrt());
        let reach = constants.noise_reach * spectrum.noise.max(unseen) * spectrum.unit;
        // Values around zero may all be noise, too: those of mixtures have one sign along the strongest direction.
        let signs = if lowest == 0.0 {
            Signs::Positive
        } else if lowest >= -reach
            && one_sign(rows.view(), constants.other_sign)
            && one_sign(basis.t(), constants.other_sign)
        {
            Signs::PositiveButNoise
        } else {
            Signs::Any
        };
        let projected = Projected::of_rows(rows, spectrum.noise, constants.few_long, constants)?;
        Ok(Self { projected, spare, signs, hold })
    }
}

impl<T: Real> Projected<T> {
    /// The other side: features as samples, whose weights are the values of the components. In coordinates in which the
    /// samples are what they are in their own space, the noise too.
    pub(super) fn of_features(
        basis: &Array2<T>,
        spectrum: &Spectrum,
        n_samples: usize,
        constants: &ProjectionConstants,
    ) -> Result<Self, FitError> {
        let unit = spectrum.values[0] / (basis.ncols() as f64).sqrt();
        let rows = Array2::from_shape_fn((basis.ncols(), basis.nrows()), |(feature, k)| {
            T::from_f64(basis[[k, feature]].as_f64() * spectrum.values[k] / unit)
        });
        let noise = spectrum.noise * (basis.ncols() as f64 / n_samples as f64).sqrt();
        Self::of_rows(rows, noise, 0.0, constants)
    }

    /// Of samples that are much longer than others a share of `few_long` is only shortened; with more of them, all are
    /// brought to equal length.
    fn of_rows(
        mut rows: Array2<T>,
        noise: f64,
        few_long: f64,
        constants: &ProjectionConstants,
    ) -> Result<Self, FitError> {
        let ProjectionConstants { uneven, noise_share, nothing, .. } = *constants;
        let lengths: Vec<f64> = rows.outer_iter().map(length).collect();
        let longest = lengths.iter().copied().fold(0.0, f64::max);
        let usual = uneven * median(lengths.iter().copied());
        let long = lengths.iter().filter(|length| **length > usual).count();
        let mut multipliers = None;
        if long > 0 {
            let share = noise_share * rows.ncols() as f64 * noise.powi(2);
            let even = |&length: &f64| {
                if length > nothing * longest { 1.0 / (length * length + share).sqrt() } else { 0.0 }
            };
            let shortened = |&length: &f64| if length > usual { usual / length } else { 1.0 };
            let mut factors: Vec<f64> = match usual > 0.0 && long as f64 <= few_long * lengths.len() as f64 {
                true => lengths.iter().map(shortened).collect(),
                false => lengths.iter().map(even).collect(),
            };
            let mean_square = factors.iter().map(|f| f * f).sum::<f64>() / factors.len() as f64;
            factors.iter_mut().for_each(|f| *f /= mean_square.sqrt());
            scale_rows(&mut rows, &factors);
            multipliers = Some(factors);
        }
        let sample_noise = multipliers
            .as_ref()
            .filter(|_| noise > 0.0)
            .map(|factors| factors.iter().map(|f| f * noise).collect());
        let size = frobenius(rows.view());
        // Finite values may still overflow when they are added up; a position in these coordinates would be meaningless.
        let samples = DenseSamples::new(rows).map_err(|_| FitError::Overflow { stage: 0 })?;
        Ok(Self { samples, noise, sample_noise, multipliers, size })
    }

    pub(super) fn n_samples(&self) -> usize {
        self.samples.n_samples()
    }

    pub(super) fn dimension(&self) -> usize {
        self.samples.n_features()
    }

    /// Some of the samples, by their numbers.
    pub(super) fn part(&self, numbers: &[usize]) -> Self {
        let rows = self.samples.view().select(Axis(0), numbers);
        let pick = |all: &Option<Vec<f64>>| all.as_ref().map(|all| numbers.iter().map(|&i| all[i]).collect());
        let size = frobenius(rows.view());
        Self {
            samples: DenseSamples::new(rows).expect("rows of finite samples"),
            noise: self.noise,
            sample_noise: pick(&self.sample_noise),
            multipliers: pick(&self.multipliers),
            size,
        }
    }
}

/// Returns true if the first column has a single sign, up to a small share.
fn one_sign<T: Real>(values: ArrayView2<'_, T>, other_sign: f64) -> bool {
    let (negative, all) = values.columns().into_iter().next().map_or((0.0, 0.0), squares);
    negative.min(all - negative) <= other_sign.powi(2) * all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::random_matrix;

    fn signs(values: &Array2<f64>) -> Signs {
        let constants = ProjectionConstants::default();
        let samples = DenseSamples::new(values.view()).unwrap();
        let Directions { basis, spare, spectrum, .. } = directions(&samples, 4, 0, &constants).unwrap();
        SampleProjection::new(&samples, &basis, &spare, &spectrum, &constants).unwrap().signs
    }

    #[test]
    fn values_below_zero_count_unless_noise_explains_them() {
        let part = |rows, columns, seed| random_matrix::<f64>(rows, columns, seed).mapv(|v| v.max(0.0));
        let mixtures = part(400, 4, 1).dot(&part(4, 60, 2));
        assert_eq!(signs(&mixtures), Signs::Positive);
        let mut touched = mixtures.clone();
        touched[[3, 5]] = -1e-9;
        assert_eq!(signs(&touched), Signs::PositiveButNoise, "as small as noise that is not seen");
        touched[[3, 5]] = -1e-3;
        assert_eq!(signs(&touched), Signs::Any, "without noise nothing explains a negative value");
        let noisy = &mixtures + &(random_matrix::<f64>(400, 60, 3) * 0.05);
        assert!(noisy.iter().any(|&v| v < -0.03));
        assert_eq!(signs(&noisy), Signs::PositiveButNoise);
        let mut outlier = noisy;
        outlier[[3, 5]] = -0.5;
        assert_eq!(signs(&outlier), Signs::Any);
    }

    #[test]
    fn few_long_samples_are_shortened_and_leave_the_others_as_they_are() {
        let constants = ProjectionConstants::default();
        let mut rows = random_matrix::<f64>(400, 4, 1);
        let usual = rows.clone();
        rows.row_mut(7).mapv_inplace(|v| 1e3 * v);
        let projected = Projected::of_rows(rows.clone(), 0.0, constants.few_long, &constants).unwrap();
        let (seen, factor) = (projected.samples.view(), projected.multipliers.unwrap()[0]);
        assert!((factor - 1.0).abs() < 0.01, "{factor}");
        for i in (0..400).filter(|i| *i != 7) {
            assert!((seen[[i, 0]] - factor * usual[[i, 0]]).abs() < 1e-12, "{i}");
        }
        let lengths: Vec<f64> = seen.outer_iter().map(length).collect();
        assert!((lengths[7] / median(lengths.iter().copied()) - constants.uneven).abs() < 0.1);
        // More of them are how the samples are: all are brought to equal length.
        (0..10).for_each(|i| rows.row_mut(i).mapv_inplace(|v| 1e3 * v));
        let projected = Projected::of_rows(rows, 0.0, constants.few_long, &constants).unwrap();
        let lengths: Vec<f64> = projected.samples.view().outer_iter().map(length).collect();
        assert!((lengths[7] / lengths[300] - 1.0).abs() < 1e-9);
    }

    #[test]
    fn values_around_zero_are_signed_however_noisy() {
        let noisy = random_matrix::<f64>(400, 4, 1).dot(&random_matrix::<f64>(4, 60, 2)) * 0.1
            + random_matrix::<f64>(400, 60, 3);
        assert_eq!(signs(&noisy), Signs::Any);
        // As standardised tables are: each feature around its mean.
        let part = |rows, columns, seed| random_matrix::<f64>(rows, columns, seed).mapv(|v| v.max(0.0));
        let mixtures = part(400, 4, 1).dot(&part(4, 60, 2)) + random_matrix::<f64>(400, 60, 4);
        let centred = &mixtures - &mixtures.mean_axis(Axis(0)).unwrap();
        assert_eq!(signs(&centred), Signs::Any);
    }
}
