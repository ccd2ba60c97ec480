//! The scale in which weights are compared with the theorems.
//!
//! Components and weights are only determined up to the scale of each component. The theorems want weights between 0
//! and 1; their r, k, m and λ depend on how they get there, and the bound on m with the fifth power of r and the fourth
//! of λ.

use ndarray::ArrayView2;
use serde::Serialize;

use super::bounds::general_bound;
use super::conditions::GeneralCorrelationConditions;
use super::input::{MatrixError, check_weights};
use crate::Real;

/// How weights are scaled to lie between 0 and 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scaling {
    /// Not at all: they are at most 1.
    AsGiven,
    /// All by the same number, the largest weight.
    OneScale,
    /// Each component by its largest weight.
    EachComponent,
    /// Each component to the same mean square, and then all by the same number.
    EqualMoments,
}

impl Scaling {
    /// Those that a diagnosis compares: scales may be chosen freely, but the largest weight is 1.
    pub const FREE: [Self; 3] = [Self::OneScale, Self::EachComponent, Self::EqualMoments];

    /// In words, after "weights".
    #[must_use]
    pub fn text(self) -> &'static str {
        match self {
            Self::AsGiven => "as given",
            Self::OneScale => "divided by the largest of all",
            Self::EachComponent => "divided by the largest of their component",
            Self::EqualMoments => "scaled to equal mean squares of the components",
        }
    }

    /// The divisor of each component. A component that is never active keeps its scale.
    pub(crate) fn divisors<T: Real>(self, weights: ArrayView2<'_, T>) -> Vec<f64> {
        let columns = || weights.columns().into_iter();
        let largest =
            || columns().map(|x| x.iter().fold(0.0, |top: f64, v| top.max(v.as_f64()))).collect::<Vec<_>>();
        let usable = |v: f64| if v > 0.0 && v.is_finite() { v } else { 1.0 };
        match self {
            Self::AsGiven => vec![1.0; weights.ncols()],
            Self::OneScale => vec![usable(largest().into_iter().fold(0.0, f64::max)); weights.ncols()],
            Self::EachComponent => largest().into_iter().map(usable).collect(),
            Self::EqualMoments => {
                let largest = largest();
                // In units of the largest weight, squares neither overflow nor vanish.
                let lengths: Vec<f64> = columns()
                    .zip(&largest)
                    .map(|(x, &top)| {
                        let top = usable(top);
                        usable(x.iter().map(|v| (v.as_f64() / top).powi(2)).sum::<f64>().sqrt() * top)
                    })
                    .collect();
                let top = largest.iter().zip(&lengths).map(|(top, length)| top / length).fold(0.0, f64::max);
                lengths.into_iter().map(|length| usable(length * usable(top))).collect()
            }
        }
    }
}

impl GeneralCorrelationConditions {
    /// The conditions at the scaling of [`Scaling::FREE`] for which m is the smallest multiple of the main theorem's
    /// bound. Decay orders below 1, for which the theorem says nothing, count as 1 in this comparison: their formula would
    /// be a tiny number that only depends on λ.
    ///
    /// ```
    /// use andnmf::synth::Weights;
    /// use andnmf::theory::GeneralCorrelationConditions;
    /// let weights = Weights::Dirichlet { concentration: 0.5 }.draw(2000, 10, 0)?;
    /// let conditions = GeneralCorrelationConditions::best_for_bound(weights.view())?;
    /// println!("weights {}: m = {}", conditions.scaling.text(), conditions.m);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If there are no samples or no components, or a weight is negative or not finite.
    pub fn best_for_bound<T: Real>(weights: ArrayView2<'_, T>) -> Result<Self, MatrixError> {
        check_weights(weights)?;
        let mut best = Self::scaled(weights, Scaling::EachComponent);
        for scaling in [Scaling::OneScale, Scaling::EqualMoments] {
            let other = Self::scaled(weights, scaling);
            // Without a bound the ratio is infinite, or NaN if m is zero, too: the first stays.
            if excess(&other) < excess(&best) {
                best = other;
            }
        }
        Ok(best)
    }
}

/// m as a multiple of the bound, for decay orders of at least 1.
fn excess(conditions: &GeneralCorrelationConditions) -> f64 {
    let GeneralCorrelationConditions { rank, k, lambda, r, m, decay_order, .. } = *conditions;
    m / general_bound(rank, k, lambda, r, decay_order.max(1.0)).unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::synth::Weights;
    use ndarray::{Array2, array};

    #[test]
    fn every_scaling_brings_the_largest_weight_to_one() {
        let weights = array![[2.0, 0.0, 0.0], [8.0, 0.5, 0.0], [4.0, 0.25, 0.0]];
        assert_eq!(Scaling::AsGiven.divisors(weights.view()), [1.0, 1.0, 1.0]);
        assert_eq!(Scaling::OneScale.divisors(weights.view()), [8.0, 8.0, 8.0]);
        assert_eq!(Scaling::EachComponent.divisors(weights.view()), [8.0, 0.5, 1.0]);
        let divisors = Scaling::EqualMoments.divisors(weights.view());
        let scaled = &weights / &ndarray::Array1::from(divisors);
        let square = |j: usize| scaled.column(j).dot(&scaled.column(j));
        assert!((square(0) / square(1) - 1.0).abs() < 1e-14);
        assert!((scaled.iter().copied().fold(0.0, f64::max) - 1.0).abs() < 1e-14);
    }

    #[test]
    fn the_scale_of_a_component_does_not_change_the_best_conditions_at_free_scales() {
        let weights = Weights::Decay { sparsity: 2.0, order: 2.0 }.draw(4000, 8, 1).unwrap();
        let scales = array![1e-3, 1.0, 7.0, 1e4, 0.5, 2.0, 1.0, 30.0];
        for scaling in [Scaling::EachComponent, Scaling::EqualMoments] {
            let of = |x: &Array2<f64>| GeneralCorrelationConditions::scaled(x.view(), scaling);
            let (plain, scaled) = (of(&weights), of(&(&weights * &scales)));
            for (a, b) in [(plain.r, scaled.r), (plain.k, scaled.k), (plain.m, scaled.m)] {
                assert!((a / b - 1.0).abs() < 1e-10, "{scaling:?}: {a} {b}");
            }
            assert!((plain.lambda / scaled.lambda - 1.0).abs() < 1e-8);
        }
    }

    #[test]
    fn the_best_scaling_has_the_smallest_multiple_of_the_bound() {
        for kind in [
            Weights::Dirichlet { concentration: 0.5 },
            Weights::SparseBinary { sparsity: 2 },
            Weights::LogisticNormal { scale: 2.0, correlation: 0.5 },
        ] {
            let x = kind.draw(3000, 12, 2).unwrap();
            let best = GeneralCorrelationConditions::best_for_bound(x.view()).unwrap();
            for scaling in Scaling::FREE {
                let other = GeneralCorrelationConditions::scaled(x.view(), scaling);
                assert!(excess(&best) <= excess(&other), "{kind:?}: {:?} {scaling:?}", best.scaling);
            }
        }
    }

    #[test]
    fn dirichlet_weights_lose_by_dividing_each_component_by_its_largest_weight() {
        // They sum to 1; so divided, sums are up to 2, and mean squares differ.
        let x = Weights::Dirichlet { concentration: 5.0 }.draw(5000, 100, 0).unwrap();
        let best = GeneralCorrelationConditions::best_for_bound(x.view()).unwrap();
        let each = GeneralCorrelationConditions::scaled(x.view(), Scaling::EachComponent);
        assert_eq!(best.scaling, Scaling::EqualMoments);
        assert!(best.r < each.r && best.lambda > each.lambda && excess(&best) < 1e-3 * excess(&each));
    }

    #[test]
    fn weights_that_are_never_active_and_extreme_ones_have_finite_conditions() {
        for x in [Array2::zeros((30, 3)), array![[1e-300, 1e300], [1e300, 1e-300]], array![[5e-324, 0.0]]] {
            let best = GeneralCorrelationConditions::best_for_bound(x.view()).unwrap();
            assert!(best.r.is_finite() && best.k.is_finite() && best.m.is_finite(), "{best:?}");
        }
        assert!(GeneralCorrelationConditions::best_for_bound(array![[-1.0]].view()).is_err());
    }
}
