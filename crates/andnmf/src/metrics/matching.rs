//! One-to-one matching of true and fitted components.

use ndarray::ArrayView2;
use serde::Serialize;

use super::assignment::min_cost_assignment;
use super::unit_rows::{UnitRows, check_same_width};
use crate::linalg::product::multiply;
use crate::{Real, ShapeError};

/// A one-to-one matching of true and fitted components.
///
/// Unlike the correlation error, it does not let one fitted component cover several true ones: two true components
/// merged into one leave one of them unmatched.
#[derive(Serialize, Clone, Debug, PartialEq)]
pub struct Matching {
    /// The fitted component matched to each true one; `None` if there are too few fitted components, or if either
    /// of the two is zero or not finite.
    pub component_of_truth: Vec<Option<usize>>,
    /// The absolute cosine between each true component and its match; 0 without a match.
    pub cosines: Vec<f64>,
}

impl Matching {
    /// The mean absolute cosine over all true components, with unmatched ones counted as 0; 0 without true
    /// components.
    pub fn mean_cosine(&self) -> f64 {
        if self.cosines.is_empty() {
            0.0
        } else {
            self.cosines.iter().sum::<f64>() / self.cosines.len() as f64
        }
    }
}

/// Matches rows of `truth` with rows of `components` so that the sum of absolute cosines is largest.
///
/// Time: O(short² · long) in the two numbers of rows.
///
/// # Errors
/// If the two have different numbers of features.
///
/// ```
/// use andnmf::metrics::match_components;
/// let truth = ndarray::array![[1.0, 0.0], [0.0, 1.0]];
/// let components = ndarray::array![[0.0, 3.0], [2.0, 0.0]];
/// let matching = match_components(components.view(), truth.view())?;
/// assert_eq!(matching.component_of_truth, [Some(1), Some(0)]);
/// assert_eq!(matching.mean_cosine(), 1.0);
/// # Ok::<(), andnmf::ShapeError>(())
/// ```
pub fn match_components<T: Real>(
    components: ArrayView2<'_, T>,
    truth: ArrayView2<'_, T>,
) -> Result<Matching, ShapeError> {
    check_same_width(components, truth)?;
    let (fitted, truth) = (UnitRows::of(components), UnitRows::of(truth));
    // Rounding can push a cosine slightly above 1.
    let cosines = multiply(truth.directions.view(), fitted.directions.t()).mapv(|c| c.abs().min(1.0));
    let mut component_of_truth = min_cost_assignment((-&cosines).view());
    for (i, partner) in component_of_truth.iter_mut().enumerate() {
        // The assignment may also pair rows without a direction; these are not matches.
        *partner = partner.filter(|&j| truth.has_direction(i) && fitted.has_direction(j));
    }
    let matched = component_of_truth.iter().enumerate().map(|(i, j)| j.map_or(0.0, |j| cosines[[i, j]]));
    Ok(Matching { cosines: matched.collect(), component_of_truth })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::random_matrix;
    use ndarray::{Array2, Axis, array};

    #[test]
    fn undoes_permutation_scale_and_sign() {
        let truth = random_matrix::<f64>(20, 50, 1);
        let order: Vec<usize> = (0..20).map(|i| (7 * i + 2) % 20).collect();
        let mut components = truth.select(Axis(0), &order) * -3.0;
        components.row_mut(4).mapv_inplace(|v| v * -1e-6);
        let matching = match_components(components.view(), truth.view()).unwrap();
        for (fitted_row, &true_row) in order.iter().enumerate() {
            assert_eq!(matching.component_of_truth[true_row], Some(fitted_row));
        }
        assert!(matching.cosines.iter().all(|&c| (1.0 - 1e-14..=1.0).contains(&c)));
        assert!((matching.mean_cosine() - 1.0).abs() < 1e-14);
    }

    #[test]
    fn no_component_is_used_twice() {
        // Both true components lie nearest to the first fitted one.
        let truth = array![[1.0, 0.0], [1.0, 0.1]];
        let components = array![[1.0, 0.05], [1.0, 1.0]];
        let matching = match_components(components.view(), truth.view()).unwrap();
        assert_eq!(matching.component_of_truth, [Some(0), Some(1)]);
        let cosine = 1.1 / (2.0_f64 * 1.01).sqrt();
        assert!((matching.cosines[1] - cosine).abs() < 1e-15);
    }

    #[test]
    fn surplus_and_directionless_rows_stay_unmatched() {
        let truth = array![[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]];
        let components = array![[0.0, 2.0], [0.0, 0.0]];
        let matching = match_components(components.view(), truth.view()).unwrap();
        assert_eq!(matching.component_of_truth, [None, Some(0), None]);
        assert_eq!(matching.cosines, [0.0, 1.0, 0.0]);
        assert!((matching.mean_cosine() - 1.0 / 3.0).abs() < 1e-15);

        let odd = array![[f64::NAN, 1.0], [1.0, 0.0]];
        let matching = match_components(odd.view(), truth.view()).unwrap();
        assert_eq!(matching.component_of_truth, [Some(1), None, None]);
        assert!(matching.mean_cosine().is_finite());
    }

    #[test]
    fn an_empty_truth_has_no_cosine() {
        let matching =
            match_components(Array2::<f64>::ones((2, 3)).view(), Array2::zeros((0, 3)).view()).unwrap();
        assert_eq!(matching.mean_cosine(), 0.0);
    }

    #[test]
    fn components_of_another_width_are_refused() {
        let refused = match_components(Array2::<f64>::ones((2, 3)).view(), Array2::ones((2, 4)).view());
        assert_eq!(
            refused.unwrap_err().to_string(),
            "components must be rank × 4 (the features of the truth), but is 2 × 3"
        );
    }
}
