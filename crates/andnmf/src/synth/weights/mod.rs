//! The distributions of the weights.

mod check;
mod logistic_normal;
mod moments;
mod simplex;
mod supports;

use ndarray::Array2;
use serde::{Deserialize, Serialize};

pub use self::logistic_normal::LogisticNormal;
pub use self::moments::WeightMoments;
use super::ensure_fits_memory;
use crate::SettingError;
use crate::random::{Stream, generator};

/// A distribution of the weights `x` of one sample over K components (K is the `rank`).
///
/// Samples are independent of each other. [`Weights::moments`] gives the moments stated below if closed forms exist;
/// `i ≠ j` throughout.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum Weights {
    /// The Dirichlet distribution with all K parameters equal to `a = concentration / K`.
    ///
    /// Weights sum to 1; a smaller concentration gives weights closer to one-hot. The paper's DIR has
    /// `concentration = 5` at K = 100 (parameters 0.05).
    ///
    /// E\[xᵢ\] = 1/K, E\[xᵢ²\] = (a + 1) / (K·(concentration + 1)), E\[xᵢxⱼ\] = a / (K·(concentration + 1)).
    Dirichlet {
        /// Sum of all parameters.
        concentration: f64,
    },
    /// Softmax of `scale · g` with `g ~ N(0, R)`: the prior of the correlated topic model.
    ///
    /// `R = (1 − correlation)·I + correlation·FFᵀ` is one matrix for all samples, with `F` (K × a few)
    /// of random unit rows drawn from the seed. Weights sum to 1. No closed forms: the moments differ from
    /// component to component with `F`.
    LogisticNormal {
        /// Standard deviation of each logit; larger values give weights closer to one-hot.
        scale: f64,
        /// Share of each logit's variance that comes from the shared factors, from 0 (independent) to 1.
        correlation: f64,
    },
    /// Softmax of `scale · g` with `g ~ N(0, (1 − correlation)·I + correlation·LLᵀ)`, where `L` (K × a few) has
    /// independent normal entries, drawn from the seed, and rows of unit length only in the mean square.
    ///
    /// Like [`Weights::LogisticNormal`], but components depend on the shared factors to different degrees: those with
    /// short rows of `L` vary little and rarely get much weight, since the largest logits take almost all of it. The
    /// few rarest components cause most of the error of a fit.
    LogisticNormalUneven {
        /// Root mean square of the standard deviations of the logits.
        scale: f64,
        /// Share of the logits' variance that comes from the shared factors, on average over the components.
        correlation: f64,
    },
    /// Softmax of `scale · g`, where the standard normal logits come in pairs (0 and 1, 2 and 3, …) with this
    /// correlation and are otherwise independent; the last of an odd number stands alone.
    ///
    /// The most strongly correlated logistic normal weights: whenever one component of a pair has much of a sample, the
    /// other has some.
    LogisticNormalBlocks {
        /// Standard deviation of each logit; larger values give weights closer to one-hot.
        scale: f64,
        /// Correlation of the two logits of a pair, from 0 to 1.
        correlation: f64,
    },
    /// Softmax of logits with the covariance of the topics of the NIPS papers, and a share of their mean: see
    /// [`LogisticNormal::of_papers`].
    ///
    /// With the whole mean, some topics hardly occur: of 5000 samples, none has 4 % of them. Without it, all have equal
    /// means, and what is difficult are the correlations alone.
    LogisticNormalOfPapers {
        /// Factor of the mean of the logits, from 0 to 1.
        mean_share: f64,
    },
    /// Weights supplied by the caller, such as those of any [`LogisticNormal`]: see
    /// [`DatasetSpec::generate_with_weights`](super::DatasetSpec::generate_with_weights).
    Given,
    /// Softmax of `C·(C·g)` with `g ~ N(0, I)` and a fresh K × K matrix `C` of standard normals per sample.
    ///
    /// This is what the released code of the paper draws for CTM: logits have a standard deviation of about
    /// K, so weights are nearly one-hot, and no two components are correlated. E\[xᵢ\] = 1/K by symmetry;
    /// no closed forms for the second moments.
    LogisticNormalReleased,
    /// Exactly `sparsity` weights are 1, the others 0; all such vectors are equally likely.
    ///
    /// E\[xᵢ\] = E\[xᵢ²\] = s/K, E\[xᵢxⱼ\] = s(s − 1) / (K(K − 1)) for the sparsity s.
    SparseBinary {
        /// Number of ones.
        sparsity: usize,
    },
    /// Each weight is 1 with probability `sparsity / K`, independently, and otherwise 0.
    ///
    /// E\[xᵢ\] = E\[xᵢ²\] = s/K, E\[xᵢxⱼ\] = (s/K)² for the sparsity s.
    BernoulliBinary {
        /// Expected number of ones.
        sparsity: f64,
    },
    /// Each weight is on with probability `sparsity / K`, independently, and then obeys the paper's decay
    /// condition with equality: Pr\[x ≤ a | x ≠ 0\] = a^order.
    ///
    /// With the sparsity s and the order q: E\[xᵢ\] = (s/K)·q/(q + 1), E\[xᵢ²\] = (s/K)·q/(q + 2),
    /// E\[xᵢxⱼ\] = E\[xᵢ\]².
    Decay {
        /// Expected number of weights that are on.
        sparsity: f64,
        /// 1: uniform on (0, 1]; larger: small values are rarer.
        order: f64,
    },
    /// Components come in pairs (0 and 1, 2 and 3, …) that tend to occur together.
    ///
    /// A pair is on with probability p. Then, with probability `co_occurrence`, both of its components are;
    /// otherwise exactly one, each equally likely. Every component is on with probability s/K for the
    /// sparsity s, so p = (2s/K) / (1 + co_occurrence); the last component of an odd number stands alone.
    /// A component that is on has the weight 1, or follows the law of [`Weights::Decay`].
    ///
    /// With m₁ = m₂ = 1 for binary weights and m₁ = q/(q + 1), m₂ = q/(q + 2) for decay of order q:
    /// E\[xᵢ\] = m₁·s/K, E\[xᵢ²\] = m₂·s/K, E\[xᵢxⱼ\] = m₁²·p·co_occurrence within a pair and E\[xᵢ\]² across.
    Paired {
        /// Expected number of weights that are on.
        sparsity: f64,
        /// Probability that both components are on, given that the pair is on.
        co_occurrence: f64,
        /// Order of the decay law of the weights; `None` for weights of 1.
        decay_order: Option<f64>,
    },
}

impl Weights {
    /// The same distribution with the sparsity limited to half the number of components.
    ///
    /// ```
    /// use andnmf::synth::Weights;
    /// let usual = Weights::SparseBinary { sparsity: 5 };
    /// assert_eq!(usual.for_rank(100), usual);
    /// assert_eq!(usual.for_rank(6), Weights::SparseBinary { sparsity: 3 });
    /// ```
    #[must_use]
    pub fn for_rank(mut self, rank: usize) -> Self {
        let max_sparsity = (rank / 2).max(1);
        match &mut self {
            Self::SparseBinary { sparsity } => *sparsity = max_sparsity.min(*sparsity),
            Self::BernoulliBinary { sparsity }
            | Self::Decay { sparsity, .. }
            | Self::Paired { sparsity, .. } => {
                *sparsity = sparsity.min(max_sparsity as f64);
            }
            _ => {}
        }
        self
    }

    /// Draws the weights of `n_samples` samples over `rank` components, one sample per row.
    ///
    /// # Errors
    /// If a setting is out of range, or the matrix does not fit into memory.
    ///
    /// ```
    /// let weights = andnmf::synth::Weights::SparseBinary { sparsity: 2 }.draw(100, 6, 0)?;
    /// assert!(weights.rows().into_iter().all(|sample| sample.sum() == 2.0));
    /// # Ok::<(), andnmf::SettingError>(())
    /// ```
    pub fn draw(&self, n_samples: usize, rank: usize, seed: u64) -> Result<Array2<f64>, SettingError> {
        self.check(rank)?;
        ensure_fits_memory("weights", n_samples, rank)?;
        let mut rng = generator(seed, Stream::Weights);
        let mut weights = Array2::zeros((n_samples, rank));
        match *self {
            Self::Dirichlet { concentration } => simplex::dirichlet(&mut weights, concentration, &mut rng)?,
            Self::LogisticNormal { scale, correlation } => {
                let factors = simplex::unit_factors(rank, &mut generator(seed, Stream::Correlations));
                simplex::logistic_normal(&mut weights, scale, correlation, &factors, &mut rng);
            }
            Self::LogisticNormalUneven { scale, correlation } => {
                let factors = simplex::uneven_factors(rank, &mut generator(seed, Stream::Correlations));
                simplex::logistic_normal(&mut weights, scale, correlation, &factors, &mut rng);
            }
            Self::LogisticNormalBlocks { scale, correlation } => {
                simplex::logistic_normal_blocks(&mut weights, scale, correlation, &mut rng);
            }
            Self::LogisticNormalOfPapers { mean_share } => {
                LogisticNormal::of_papers(rank, mean_share)?.fill(&mut weights, &mut rng);
            }
            Self::Given => return Err(check::given()),
            Self::LogisticNormalReleased => {
                ensure_fits_memory("mixing matrix", rank, rank)?;
                simplex::logistic_normal_released(&mut weights, &mut rng);
            }
            Self::SparseBinary { sparsity } => supports::sparse_binary(&mut weights, sparsity, &mut rng),
            Self::BernoulliBinary { sparsity } => {
                supports::independent(&mut weights, sparsity / rank as f64, None, &mut rng);
            }
            Self::Decay { sparsity, order } => {
                supports::independent(&mut weights, sparsity / rank as f64, Some(order), &mut rng);
            }
            Self::Paired { sparsity, co_occurrence, decay_order } => {
                let on = sparsity / rank as f64;
                supports::paired(&mut weights, on, co_occurrence, decay_order, &mut rng);
            }
        }
        Ok(weights)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One of each kind, valid for any rank from 2.
    pub(super) const EXAMPLES: [Weights; 11] = [
        Weights::Dirichlet { concentration: 0.5 },
        Weights::LogisticNormal { scale: 2.0, correlation: 0.5 },
        Weights::LogisticNormalReleased,
        Weights::LogisticNormalBlocks { scale: 2.0, correlation: 0.9 },
        Weights::LogisticNormalOfPapers { mean_share: 1.0 },
        Weights::LogisticNormalUneven { scale: 2.0, correlation: 0.5 },
        Weights::SparseBinary { sparsity: 2 },
        Weights::BernoulliBinary { sparsity: 1.5 },
        Weights::Decay { sparsity: 1.5, order: 2.0 },
        Weights::Paired { sparsity: 1.5, co_occurrence: 0.8, decay_order: None },
        Weights::Paired { sparsity: 1.5, co_occurrence: 0.8, decay_order: Some(1.0) },
    ];

    #[test]
    fn every_kind_lies_between_zero_and_one_and_the_seed_decides() {
        for kind in EXAMPLES {
            for rank in [3, 4, 10] {
                let weights = kind.draw(200, rank, 1).unwrap();
                assert_eq!(weights.dim(), (200, rank));
                assert!(weights.iter().all(|x| (0.0..=1.0).contains(x)), "{kind:?}");
                assert_eq!(weights, kind.draw(200, rank, 1).unwrap());
                assert_ne!(weights, kind.draw(200, rank, 2).unwrap(), "{kind:?}");
            }
            assert_eq!(kind.draw(0, 5, 1).unwrap().dim(), (0, 5));
        }
    }

    #[test]
    fn a_longer_draw_starts_with_the_shorter_one() {
        for kind in EXAMPLES {
            let few = kind.draw(20, 7, 1).unwrap();
            let many = kind.draw(50, 7, 1).unwrap();
            assert_eq!(many.slice(ndarray::s![..20, ..]), few, "{kind:?}");
        }
    }

    #[test]
    fn every_kind_round_trips_through_json() {
        for kind in EXAMPLES {
            let text = serde_json::to_string(&kind).unwrap();
            assert_eq!(serde_json::from_str::<Weights>(&text).unwrap(), kind, "{text}");
        }
        let text = serde_json::to_string(&EXAMPLES[2]).unwrap();
        assert_eq!(text, r#"{"kind":"logistic-normal-released"}"#);
    }

    #[test]
    fn more_weights_than_memory_holds_are_refused() {
        let error = EXAMPLES[0].draw(usize::MAX, 5, 1).unwrap_err();
        assert_eq!(error.name, "weights");
    }
}
