//! One-to-one matching of true and fitted components.

use ndarray::ArrayView2;
use serde::Serialize;

use super::assignment::cheapest_assignment;
use super::unit_rows::{UnitRows, same_width};
use crate::linalg::product::multiply;
use crate::{Real, ShapeError};

/// Which fitted component stands for which true one, each used at most once.
///
/// The correlation error lets one fitted component cover several true ones; here two true components merged
/// into one cost a match.
#[derive(Serialize, Clone, Debug, PartialEq)]
pub struct Matching {
    /// For each true component its fitted partner; `None` where there are too few, or where either of the
    /// two has no direction (all zero or not finite).
    pub component_of_truth: Vec<Option<usize>>,
    /// For each true component the absolute cosine of the angle to its partner, 0 without one.
    pub cosines: Vec<f64>,
}

impl Matching {
    /// Mean of the absolute cosines over all true components, unmatched ones counting 0; 0 when there are no
    /// true components.
    pub fn mean_cosine(&self) -> f64 {
        if self.cosines.is_empty() {
            0.0
        } else {
            self.cosines.iter().sum::<f64>() / self.cosines.len() as f64
        }
    }
}

/// Pairs the rows of `truth` with rows of `components` such that the sum of absolute cosines is greatest.
///
/// Takes time in proportion to the smaller number of rows squared times the larger.
///
/// # Errors
/// When the two have different numbers of features.
pub fn match_components<T: Real>(
    components: ArrayView2<'_, T>,
    truth: ArrayView2<'_, T>,
) -> Result<Matching, ShapeError> {
    same_width(components, truth)?;
    let (fitted, truth) = (UnitRows::of(components), UnitRows::of(truth));
    // Rounding may carry a cosine just past 1.
    let gains = multiply(truth.directions.view(), fitted.directions.t()).mapv(|c| c.abs().min(1.0));
    let mut component_of_truth = cheapest_assignment((-&gains).view());
    for (i, partner) in component_of_truth.iter_mut().enumerate() {
        // The assignment also uses up rows without a direction, at no gain.
        *partner = partner.filter(|&j| truth.has_direction(i) && fitted.has_direction(j));
    }
    let cosines =
        component_of_truth.iter().enumerate().map(|(i, j)| j.map_or(0.0, |j| gains[[i, j]])).collect();
    Ok(Matching { component_of_truth, cosines })
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
        for (place, &true_row) in order.iter().enumerate() {
            assert_eq!(matching.component_of_truth[true_row], Some(place));
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
            "components must be as wide as the truth (4 features), but is 2 × 3"
        );
    }
}
