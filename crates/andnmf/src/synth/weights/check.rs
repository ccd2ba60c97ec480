//! Checks of the settings of weight distributions.

use super::Weights;
use crate::SettingError;
use crate::synth::{ensure_at_least_one, ensure_not_negative};

impl Weights {
    /// Checks these settings for `rank` components.
    ///
    /// # Errors
    /// If a setting is out of range; the error names the first one.
    pub fn check(&self, rank: usize) -> Result<(), SettingError> {
        ensure_at_least_one("rank", rank)?;
        match *self {
            Self::Dirichlet { concentration } => ensure_positive("concentration", concentration),
            Self::LogisticNormal { scale, correlation }
            | Self::LogisticNormalUneven { scale, correlation }
            | Self::LogisticNormalBlocks { scale, correlation } => {
                ensure_not_negative("scale", scale)?;
                ensure_probability("correlation", correlation)
            }
            // Their values are checked where they are given.
            Self::LogisticNormalReleased | Self::Given => Ok(()),
            Self::LogisticNormalOfPapers { mean_share } => ensure_probability("mean_share", mean_share),
            Self::SparseBinary { sparsity } => {
                if (1..=rank).contains(&sparsity) {
                    Ok(())
                } else {
                    Err(SettingError::new(
                        "sparsity",
                        sparsity,
                        format!("it must be between 1 and {rank}, the rank"),
                    ))
                }
            }
            Self::BernoulliBinary { sparsity } => ensure_sparsity(sparsity, rank as f64),
            Self::Decay { sparsity, order } => {
                ensure_sparsity(sparsity, rank as f64)?;
                ensure_positive("decay_order", order)
            }
            Self::Paired { sparsity, co_occurrence, decay_order } => {
                ensure_probability("co_occurrence", co_occurrence)?;
                // The probability that a pair is on must not exceed 1; a single component has no such limit.
                let max_sparsity = if rank == 1 { 1.0 } else { rank as f64 * (1.0 + co_occurrence) / 2.0 };
                ensure_sparsity(sparsity, max_sparsity)?;
                decay_order.map_or(Ok(()), |order| ensure_positive("decay_order", order))
            }
        }
    }
}

/// Weights that only the caller has cannot be drawn.
pub(super) fn given() -> SettingError {
    SettingError::new("weights", "given", "they cannot be drawn again; give them to generate_with_weights")
}

fn ensure_positive(name: &'static str, given: f64) -> Result<(), SettingError> {
    if given.is_finite() && given > 0.0 {
        Ok(())
    } else {
        Err(SettingError::new(name, given, "it must be a finite number above 0"))
    }
}

fn ensure_probability(name: &'static str, given: f64) -> Result<(), SettingError> {
    if (0.0..=1.0).contains(&given) {
        Ok(())
    } else {
        Err(SettingError::new(name, given, "it must be between 0 and 1"))
    }
}

fn ensure_sparsity(given: f64, max_sparsity: f64) -> Result<(), SettingError> {
    if given > 0.0 && given <= max_sparsity {
        Ok(())
    } else {
        Err(SettingError::new(
            "sparsity",
            given,
            format!("it must be above 0 and at most {max_sparsity} here"),
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::EXAMPLES;
    use super::*;

    #[track_caller]
    fn assert_refused(kind: Weights, rank: usize, name: &str) {
        assert_eq!(kind.check(rank).unwrap_err().name, name, "{kind:?}");
        assert_eq!(kind.draw(3, rank, 1).unwrap_err().name, name, "{kind:?}");
        assert_eq!(kind.moments(rank), None, "{kind:?}");
    }

    #[test]
    fn a_rank_of_zero_is_refused() {
        for kind in EXAMPLES {
            assert_refused(kind, 0, "rank");
        }
    }

    #[test]
    fn a_concentration_that_is_not_positive_is_refused() {
        for concentration in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert_refused(Weights::Dirichlet { concentration }, 5, "concentration");
        }
    }

    #[test]
    fn a_negative_scale_or_a_correlation_above_one_is_refused() {
        for scale in [-1.0, f64::NAN, f64::INFINITY] {
            assert_refused(Weights::LogisticNormal { scale, correlation: 0.5 }, 5, "scale");
            assert_refused(Weights::LogisticNormalUneven { scale, correlation: 0.5 }, 5, "scale");
        }
        for correlation in [-0.1, 1.1, f64::NAN] {
            assert_refused(Weights::LogisticNormal { scale: 1.0, correlation }, 5, "correlation");
            assert_refused(Weights::LogisticNormalUneven { scale: 1.0, correlation }, 5, "correlation");
        }
    }

    #[test]
    fn a_share_of_the_mean_outside_zero_to_one_is_refused() {
        for mean_share in [-0.1, 1.1, f64::NAN] {
            assert_refused(Weights::LogisticNormalOfPapers { mean_share }, 5, "mean_share");
        }
    }

    #[test]
    fn a_sparsity_of_zero_or_above_the_rank_is_refused() {
        for sparsity in [0, 6, usize::MAX] {
            assert_refused(Weights::SparseBinary { sparsity }, 5, "sparsity");
        }
        for sparsity in [0.0, -1.0, 5.1, f64::NAN, f64::INFINITY] {
            assert_refused(Weights::BernoulliBinary { sparsity }, 5, "sparsity");
            assert_refused(Weights::Decay { sparsity, order: 1.0 }, 5, "sparsity");
            assert_refused(
                Weights::Paired { sparsity, co_occurrence: 1.0, decay_order: None },
                5,
                "sparsity",
            );
        }
    }

    #[test]
    fn pairs_with_a_probability_above_one_are_refused() {
        let paired = |sparsity| Weights::Paired { sparsity, co_occurrence: 0.5, decay_order: None };
        assert_eq!(paired(7.5).check(10), Ok(()));
        assert_refused(paired(7.6), 10, "sparsity");
    }

    #[test]
    fn a_co_occurrence_outside_zero_to_one_is_refused() {
        for co_occurrence in [-0.1, 1.1, f64::NAN] {
            let kind = Weights::Paired { sparsity: 1.0, co_occurrence, decay_order: None };
            assert_refused(kind, 4, "co_occurrence");
        }
    }

    #[test]
    fn a_decay_order_that_is_not_positive_is_refused() {
        for order in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert_refused(Weights::Decay { sparsity: 1.0, order }, 4, "decay_order");
            let kind = Weights::Paired { sparsity: 1.0, co_occurrence: 0.5, decay_order: Some(order) };
            assert_refused(kind, 4, "decay_order");
        }
    }
}
