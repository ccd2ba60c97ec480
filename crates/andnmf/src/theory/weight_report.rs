//! How strongly the weights of a dataset are correlated, in the measures of the paper.

use ndarray::ArrayView2;
use serde::Serialize;

use super::bounds::CorrelationBounds;
use super::conditions::GeneralCorrelationConditions;
use super::correlations::strongest_correlations;
use super::input::MatrixError;
use crate::Real;

/// Two components, counted from 0, and a number about both.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct PairValue {
    /// The first component.
    pub first: usize,
    /// The second component, with a larger number.
    pub second: usize,
    /// The number.
    pub value: f64,
}

/// The correlations of weights, and the conditions of the theorems with their bounds.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WeightReport {
    /// The largest Pearson correlation of two weights; `None` for a single component.
    pub largest_correlation: Option<PairValue>,
    /// The largest E\[xᵢxⱼ\] / (E\[xᵢ\]·E\[xⱼ\]): how many times more often two components occur together than if they
    /// were independent; 1 for independent components. `None` if no two components are ever active.
    pub largest_co_occurrence: Option<PairValue>,
    /// The conditions at the scaling that is best for the bound.
    pub conditions: GeneralCorrelationConditions,
    /// The bounds of the theorems on m, with their unstated constant set to 1.
    pub bounds: CorrelationBounds,
}

impl WeightReport {
    /// Measures weights (n samples × K components).
    ///
    /// # Errors
    /// If there are no samples or no components, or a weight is negative or not finite.
    ///
    /// ```
    /// use andnmf::synth::Weights;
    /// use andnmf::theory::WeightReport;
    /// let weights = Weights::Paired { sparsity: 2.0, co_occurrence: 0.9, decay_order: None }.draw(2000, 20, 0)?;
    /// let report = WeightReport::of(weights.view())?;
    /// // Both components of a pair occur in one of twenty samples, and together in nearly as many.
    /// assert!(report.largest_correlation.unwrap().value > 0.9);
    /// assert!(report.largest_co_occurrence.unwrap().value > 8.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn of<T: Real>(weights: ArrayView2<'_, T>) -> Result<Self, MatrixError> {
        let mut pairs = strongest_correlations(weights, usize::MAX)?;
        pairs.sort_by(|a, b| b.2.total_cmp(&a.2));
        let conditions = GeneralCorrelationConditions::best_for_bound(weights)?;
        Ok(Self {
            largest_correlation: pairs.first().map(|&(first, second, value)| PairValue {
                first,
                second,
                value,
            }),
            largest_co_occurrence: largest_co_occurrence(weights),
            bounds: CorrelationBounds::of(&conditions),
            conditions,
        })
    }
}

/// The largest mean product of two weights over the product of their means.
fn largest_co_occurrence<T: Real>(weights: ArrayView2<'_, T>) -> Option<PairValue> {
    let n = weights.nrows() as f64;
    // In units of each component's largest weight, products do not overflow.
    let mut units = weights.mapv(Real::as_f64);
    for mut column in units.columns_mut() {
        let largest = column.iter().copied().fold(0.0, f64::max);
        column.mapv_inplace(|v| if largest > 0.0 { v / largest } else { 0.0 });
    }
    let means: Vec<f64> = units.columns().into_iter().map(|x| x.sum() / n).collect();
    let products = crate::linalg::product::multiply(units.t(), units.view());
    let mut largest: Option<PairValue> = None;
    for first in 0..means.len() {
        for second in first + 1..means.len() {
            let value = products[[first, second]] / n / (means[first] * means[second]);
            if value.is_finite() && largest.is_none_or(|known| value > known.value) {
                largest = Some(PairValue { first, second, value });
            }
        }
    }
    largest
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn a_small_case_by_hand() {
        // Means 1/2, 1/2, 3/4; products 1/2 (0 and 1), 1/4 and 1/4 (with 2).
        let weights = array![[2.0, 1.0, 1.0], [2.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, 1.0]];
        let report = WeightReport::of(weights.view()).unwrap();
        assert_eq!(report.largest_co_occurrence, Some(PairValue { first: 0, second: 1, value: 2.0 }));
        let most = report.largest_correlation.unwrap();
        assert!((most.first, most.second) == (0, 1) && (most.value - 1.0).abs() < 1e-12);
    }

    #[test]
    fn one_component_and_unused_components_have_no_pairs() {
        let single = WeightReport::of(array![[1.0], [0.5]].view()).unwrap();
        assert_eq!((single.largest_correlation, single.largest_co_occurrence), (None, None));
        let unused = WeightReport::of(array![[1.0, 0.0], [0.5, 0.0]].view()).unwrap();
        assert_eq!(unused.largest_co_occurrence, None);
        assert!(WeightReport::of(array![[1.0, -0.5]].view()).is_err());
    }
}
