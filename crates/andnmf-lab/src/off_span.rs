//! Starts with a part outside the span of the truth, relative to its norm.

use andnmf::SettingError;
use andnmf::synth::{Dataset, DatasetSpec};

/// Half the range of the uniform perturbation of a start, at scale 1.
const PERTURBATION: f64 = 0.05;

/// The same dataset with a new start, whose part outside the span of the truth has this norm relative to the true
/// components, on average. (The scale of a [`DatasetSpec`] is absolute.)
///
/// ```
/// use andnmf::synth::{DatasetKind, DatasetSpec};
///
/// let spec = DatasetSpec { n_features: 50, rank: 3, n_samples: 10, ..DatasetSpec::new(DatasetKind::Dir) };
/// let data = andnmf_lab::with_out_of_span_share(spec.generate()?, 0.5)?;
/// assert_eq!(data.init.dim(), (3, 50));
/// # Ok::<(), andnmf::SettingError>(())
/// ```
///
/// # Errors
/// Returns an error if the share is not a finite number of at least 0.
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
    fn the_part_outside_has_the_requested_norm() {
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
