//! The recovery measures of reports and result files.

use ndarray::ArrayView2;
use serde::Serialize;

use super::{correlation_error, match_components};
use crate::{Real, ShapeError};

/// How well a fit recovered the truth.
///
/// The field names are keys of `summary.json`.
#[derive(Serialize, Clone, Debug, PartialEq)]
pub struct Recovery {
    /// The paper's total correlation error, see [`correlation_error`].
    pub total_correlation_error: f64,
    /// The total correlation error for true components scaled to unit length.
    pub relative_total_correlation_error: f64,
    /// The sum of squared relative errors, as printed by the authors' released program.
    pub squared_relative_total_correlation_error: f64,
    /// The absolute cosine between each true component and its match, see [`match_components`].
    pub matched_cosines: Vec<f64>,
    /// The mean of the matched cosines.
    pub mean_matched_cosine: f64,
}

impl Recovery {
    /// Compares `components` with `truth`, one component per row in both; the numbers of rows may differ.
    ///
    /// # Errors
    /// If the two have different numbers of features.
    ///
    /// ```
    /// use andnmf::metrics::Recovery;
    /// let truth = ndarray::array![[2.0, 0.0], [0.0, 5.0]];
    /// let components = ndarray::array![[0.0, 1.0], [3.0, 4.0]];
    /// let recovery = Recovery::measure(components.view(), truth.view())?;
    /// assert!((recovery.relative_total_correlation_error - 0.8).abs() < 1e-12);
    /// # Ok::<(), andnmf::ShapeError>(())
    /// ```
    pub fn measure<T: Real>(
        components: ArrayView2<'_, T>,
        truth: ArrayView2<'_, T>,
    ) -> Result<Self, ShapeError> {
        let error = correlation_error(components, truth)?;
        let matching = match_components(components, truth)?;
        Ok(Self {
            total_correlation_error: error.total(),
            relative_total_correlation_error: error.relative_total(),
            squared_relative_total_correlation_error: error.squared_relative_total(),
            mean_matched_cosine: matching.mean_cosine(),
            matched_cosines: matching.cosines,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::{Array2, array};

    #[test]
    fn a_small_case_by_hand_under_the_names_of_the_file_format() {
        let truth = array![[2.0, 0.0], [0.0, 5.0]];
        let components = array![[0.0, 1.0], [3.0, 4.0]];
        let recovery = Recovery::measure(components.view(), truth.view()).unwrap();
        let json = serde_json::to_value(&recovery).unwrap();
        let names = [
            ("total_correlation_error", 1.6),
            ("relative_total_correlation_error", 0.8),
            ("squared_relative_total_correlation_error", 0.64),
            ("mean_matched_cosine", 0.8),
        ];
        for (name, expected) in names {
            let given = json[name].as_f64().unwrap();
            assert!((given - expected).abs() < 1e-15, "{name}: {given}");
        }
        assert_eq!(json["matched_cosines"].as_array().unwrap().len(), 2);
        assert_eq!(json.as_object().unwrap().len(), 5);
    }

    #[test]
    fn components_of_another_width_are_refused() {
        assert!(Recovery::measure(Array2::<f64>::ones((1, 2)).view(), Array2::ones((1, 3)).view()).is_err());
    }
}
