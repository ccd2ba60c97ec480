//! Starts with a part outside the span of the truth, relative to its norm.

use andnmf::SettingError;
use andnmf::synth::{Dataset, DatasetSpec};
use ndarray::ArrayView1;
use serde::{Deserialize, Serialize};

/// Half the range of the uniform perturbation of a start, at scale 1.
const PERTURBATION: f64 = 0.05;

/// The norm in which the part of a start outside the span of the truth is compared with the truth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Norm {
    /// The sum of absolute values, in which the authors' program prints it.
    Absolute,
    /// The Euclidean norm. Noise spread over thousands of features is longer in it, relative to components with few
    /// large entries.
    Euclidean,
}

impl Norm {
    fn of(self, row: ArrayView1<'_, f64>) -> f64 {
        match self {
            Self::Absolute => row.iter().map(|value| value.abs()).sum(),
            Self::Euclidean => row.dot(&row).sqrt(),
        }
    }

    /// The norm of `length` numbers uniform on ±1, on average.
    fn of_uniform(self, length: usize) -> f64 {
        match self {
            Self::Absolute => length as f64 / 2.0,
            Self::Euclidean => (length as f64 / 3.0).sqrt(),
        }
    }
}

/// The same dataset with a new start, whose part outside the span of the truth has this norm relative to the true
/// components, on average. (The scale of a [`DatasetSpec`] is absolute.)
///
/// ```
/// use andnmf::synth::{DatasetKind, DatasetSpec};
/// use andnmf_lab::Norm;
///
/// let spec = DatasetSpec { n_features: 50, rank: 3, n_samples: 10, ..DatasetSpec::new(DatasetKind::Dir) };
/// let data = andnmf_lab::with_out_of_span_share(spec.generate()?, Norm::Euclidean, 0.5)?;
/// assert_eq!(data.init.dim(), (3, 50));
/// # Ok::<(), andnmf::SettingError>(())
/// ```
///
/// # Errors
/// Returns an error if the share is not a finite number of at least 0.
pub fn with_out_of_span_share(data: Dataset, norm: Norm, share: f64) -> Result<Dataset, SettingError> {
    let unit = PERTURBATION * norm.of_uniform(data.truth.ncols());
    let mean = data.truth.rows().into_iter().map(|row| norm.of(row)).sum::<f64>() / data.truth.nrows() as f64;
    let spec = DatasetSpec { out_of_span: share * mean / unit, ..data.spec };
    spec.generate_with_truth(data.truth)
}

#[cfg(test)]
mod tests {
    use super::*;
    use andnmf::synth::DatasetKind;

    #[test]
    fn the_part_outside_has_the_requested_norm() {
        let spec = DatasetSpec {
            n_features: 3000,
            rank: 5,
            n_samples: 10,
            in_span: 0.0,
            ..DatasetSpec::new(DatasetKind::Dir)
        };
        let plain = spec.generate().unwrap();
        for norm in [Norm::Absolute, Norm::Euclidean] {
            let data = with_out_of_span_share(plain.clone(), norm, 0.7).unwrap();
            let length = |matrix: &ndarray::Array2<f64>| {
                matrix.rows().into_iter().map(|row| norm.of(row)).sum::<f64>() / 5.0
            };
            let share = length(&(&data.init - &data.truth)) / length(&data.truth);
            assert!((share - 0.7).abs() < 0.02, "{norm:?}: {share}");
            assert_eq!((&data.samples, &data.truth), (&plain.samples, &plain.truth));
        }
        assert_eq!(with_out_of_span_share(plain, Norm::Absolute, -1.0).unwrap_err().name, "out_of_span");
    }
}
