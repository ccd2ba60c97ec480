//! Starts that leave the span of the truth by a share of its size.

use andnmf::SettingError;
use andnmf::synth::{Dataset, DatasetSpec};

/// Half the range of the numbers that a start is perturbed with, at scale 1.
const PERTURBATION: f64 = 0.05;

/// The same dataset with a start whose part outside the span of the truth is as long as this share of the true
/// components, on average: the scale of a [`DatasetSpec`] knows nothing of their length.
///
/// # Errors
/// Where the share is not a number of 0 or more.
pub fn with_out_of_span_share(data: Dataset, share: f64) -> Result<Dataset, SettingError> {
    // A row of W numbers uniform on ±h has the norm h·√(W/3).
    let unit = PERTURBATION * (data.truth.ncols() as f64 / 3.0).sqrt();
    let lengths = data.truth.rows().into_iter().map(|row| row.dot(&row).sqrt());
    let mean = lengths.sum::<f64>() / data.truth.nrows() as f64;
    let spec = DatasetSpec { out_of_span: share * mean / unit, ..data.spec };
    spec.generate_with_truth(data.truth)
}

#[cfg(test)]
mod tests {
    use super::*;
    use andnmf::synth::DatasetKind;

    #[test]
    fn the_part_outside_is_as_long_as_asked() {
        let spec = DatasetSpec {
            n_features: 3000,
            rank: 5,
            n_samples: 10,
            in_span: 0.0,
            ..DatasetSpec::new(DatasetKind::Dir)
        };
        let plain = spec.generate().unwrap();
        let data = with_out_of_span_share(plain.clone(), 0.7).unwrap();
        let length = |matrix: &ndarray::Array2<f64>| {
            matrix.rows().into_iter().map(|row| row.dot(&row).sqrt()).sum::<f64>() / 5.0
        };
        let share = length(&(&data.init - &data.truth)) / length(&data.truth);
        assert!((share - 0.7).abs() < 0.02, "{share}");
        assert_eq!((&data.samples, &data.truth), (&plain.samples, &plain.truth));
        assert_eq!(with_out_of_span_share(plain, -1.0).unwrap_err().name, "out_of_span");
    }
}
