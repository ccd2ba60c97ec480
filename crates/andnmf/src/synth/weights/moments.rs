//! First and second moments of the weights, if they have closed forms.

use super::Weights;
use super::supports::pair_probability;

/// Moments of the weights `x`, the same for every component.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WeightMoments {
    /// E\[xᵢ\].
    pub mean: f64,
    /// E\[xᵢ²\].
    pub square: f64,
    /// The largest E\[xᵢxⱼ\] over i ≠ j; 0 for a single component.
    pub largest_product: f64,
}

impl Weights {
    /// The exact moments with `rank` components; `None` for the logistic-normal kinds, which have no closed
    /// forms, and for settings that [`Weights::check`] refuses.
    pub fn moments(&self, rank: usize) -> Option<WeightMoments> {
        self.check(rank).ok()?;
        let k = rank as f64;
        let moments = match *self {
            Self::Dirichlet { concentration } => {
                let parameter = concentration / k;
                let spread = concentration + 1.0;
                WeightMoments {
                    mean: 1.0 / k,
                    square: (parameter + 1.0) / spread / k,
                    largest_product: parameter / spread / k,
                }
            }
            Self::LogisticNormal { .. }
            | Self::LogisticNormalUneven { .. }
            | Self::LogisticNormalBlocks { .. }
            | Self::LogisticNormalOfPapers { .. }
            | Self::LogisticNormalReleased
            | Self::Given => return None,
            Self::SparseBinary { sparsity } => {
                let s = sparsity as f64;
                // A single component has no pairs; the bound avoids 0/0.
                let pairs = (k * (k - 1.0)).max(1.0);
                WeightMoments { mean: s / k, square: s / k, largest_product: s * (s - 1.0) / pairs }
            }
            Self::BernoulliBinary { sparsity } => independent(sparsity / k, None),
            Self::Decay { sparsity, order } => independent(sparsity / k, Some(order)),
            Self::Paired { sparsity, co_occurrence, decay_order } => {
                let on = sparsity / k;
                let across = independent(on, decay_order);
                let (first, _) = magnitude_moments(decay_order);
                let within = first * first * pair_probability(on, co_occurrence) * co_occurrence;
                // Two components are a single pair: there is no product across pairs.
                let largest_product = if rank == 2 { within } else { within.max(across.largest_product) };
                WeightMoments { largest_product, ..across }
            }
        };
        Some(if rank == 1 { WeightMoments { largest_product: 0.0, ..moments } } else { moments })
    }
}

/// Components that switch on independently.
fn independent(on: f64, order: Option<f64>) -> WeightMoments {
    let (first, second) = magnitude_moments(order);
    let mean = on * first;
    WeightMoments { mean, square: on * second, largest_product: mean * mean }
}

/// Mean and mean square of a weight that is on: moments of the density q·x^(q−1), or of the constant 1.
fn magnitude_moments(order: Option<f64>) -> (f64, f64) {
    order.map_or((1.0, 1.0), |q| (q / (q + 1.0), q / (q + 2.0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAMPLES: usize = 40_000;

    /// Mean of a per-sample quantity must lie within four and a half standard errors of its expectation.
    #[track_caller]
    fn assert_mean(values: impl Iterator<Item = f64>, expected: f64, what: &str) {
        let (mut sum, mut squares) = (0.0, 0.0);
        for value in values {
            sum += value;
            squares += value * value;
        }
        let mean = sum / SAMPLES as f64;
        let error = ((squares / SAMPLES as f64 - mean * mean) / SAMPLES as f64).max(0.0).sqrt();
        assert!((mean - expected).abs() <= 4.5 * error + 1e-12, "{what}: {mean} ± {error} for {expected}");
    }

    fn assert_moments(kind: Weights, rank: usize) {
        let stated = kind.moments(rank).unwrap();
        let x = kind.draw(SAMPLES, rank, 11).unwrap();
        for i in 0..rank {
            assert_mean(x.column(i).iter().copied(), stated.mean, &format!("{kind:?} mean {i}"));
            assert_mean(x.column(i).iter().map(|x| x * x), stated.square, &format!("{kind:?} square {i}"));
        }
        // Components 0 and 1 are the most correlated pair of every kind here.
        if rank > 1 {
            let products = x.rows().into_iter().map(|row| row[0] * row[1]);
            assert_mean(products, stated.largest_product, &format!("{kind:?} product"));
        } else {
            assert_eq!(stated.largest_product, 0.0);
        }
    }

    #[test]
    fn empirical_moments_agree_with_the_stated_ones() {
        for rank in [1, 2, 5, 8] {
            for concentration in [0.05, 0.8, 3.0, 40.0] {
                assert_moments(Weights::Dirichlet { concentration }, rank);
            }
            assert_moments(Weights::SparseBinary { sparsity: rank.div_ceil(3) }, rank);
            assert_moments(Weights::SparseBinary { sparsity: rank }, rank);
            let sparsity = 0.4 * rank as f64;
            assert_moments(Weights::BernoulliBinary { sparsity }, rank);
            for order in [0.7, 1.0, 3.0] {
                assert_moments(Weights::Decay { sparsity, order }, rank);
                let paired = Weights::Paired { sparsity, co_occurrence: 0.8, decay_order: Some(order) };
                assert_moments(paired, rank);
            }
            assert_moments(Weights::Paired { sparsity, co_occurrence: 0.9, decay_order: None }, rank);
        }
    }

    #[test]
    fn weights_across_pairs_are_independent() {
        let kind = Weights::Paired { sparsity: 2.0, co_occurrence: 0.0, decay_order: None };
        let stated = kind.moments(5).unwrap();
        let x = kind.draw(SAMPLES, 5, 12).unwrap();
        // Without co-occurrence the largest product is the one across pairs, single component included.
        for (i, j) in [(0, 2), (1, 3), (0, 4), (3, 4)] {
            let products = x.rows().into_iter().map(|row| row[i] * row[j]);
            assert_mean(products, stated.largest_product, "across");
        }
        assert!(x.rows().into_iter().all(|row| row[0] * row[1] == 0.0));
    }

    #[test]
    fn the_papers_sparse_example_has_the_papers_constants() {
        // Proposition "Examples of GCC": k = s and m = s² bound the moments as 2k/D and m/D².
        let moments = Weights::SparseBinary { sparsity: 5 }.moments(100).unwrap();
        assert_eq!(moments.square, 0.05);
        assert!(moments.largest_product <= 25.0 / 1e4 && moments.largest_product > 0.8 * 20.0 / 1e4);
    }

    #[test]
    fn logistic_normal_kinds_state_no_moments() {
        assert_eq!(Weights::LogisticNormalReleased.moments(5), None);
        assert_eq!(Weights::LogisticNormal { scale: 1.0, correlation: 0.5 }.moments(5), None);
    }
}
