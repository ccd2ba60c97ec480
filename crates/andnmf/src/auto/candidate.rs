//! Candidate components of a search, and their assessment without a known truth.

use ndarray::Array2;
use serde::{Deserialize, Serialize};

use super::projected::Projected;
use crate::Real;
use crate::constants::SearchConstants;
use crate::fit::bits;
use crate::trust::Origin;

/// Components with the evidence for or against them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(bound = "T: Real")]
pub(crate) struct Candidate<T: Real> {
    #[serde(with = "bits::matrix")]
    pub(super) components: Array2<T>,
    pub(super) origin: Origin,
    pub(super) inclusions: usize,
    #[serde(with = "bits::number")]
    pub(super) negative_part: f64,
    /// The least number of samples that lie on the facet of a component.
    pub(super) fewest_contacts: usize,
    /// The level that enough weights of every component stay below to determine its facet, relative to its largest weight.
    #[serde(with = "bits::number")]
    pub(super) contact_level: f64,
    /// The largest weight, relative to the largest of its component, that nearly all samples of a component exceed: well
    /// above zero where a component is a background.
    #[serde(with = "bits::number")]
    pub(super) background_level: f64,
    /// The negative part beyond what noise makes of it.
    #[serde(with = "bits::number")]
    pub(super) excess_negative: f64,
}

impl<T: Real> Candidate<T> {
    /// Returns true if the components are certain: no negative decoded weights, no inclusions, and far more samples on
    /// each facet than determine it.
    pub(super) fn certain(&self, constants: &SearchConstants) -> bool {
        let rank = self.components.nrows();
        self.inclusions == 0
            && zeros_beyond_doubt::<T>(rank, self.negative_part, self.fewest_contacts, constants)
    }

    /// The level below which inactive weights count as zero: contacts and negative weights near it are no evidence.
    pub(super) fn zero_level(&self) -> f64 {
        self.contact_level.max(self.excess_negative)
    }

    /// Returns true if no other start needs to be tried.
    pub(super) fn good(&self, projected: &Projected<T>, constants: &SearchConstants) -> bool {
        let noise = projected.noise * (projected.dimension() as f64 * projected.n_samples() as f64).sqrt();
        let allowed = constants.good + constants.good_noise * noise / projected.size.max(f64::MIN_POSITIVE);
        self.inclusions == 0 && self.negative_part < allowed
    }

    pub(super) fn better_than(&self, other: &Self, constants: &SearchConstants) -> bool {
        let key = |c: &Self| (c.negative_part >= constants.lost, c.inclusions);
        match key(self).cmp(&key(other)) {
            std::cmp::Ordering::Less => true,
            std::cmp::Ordering::Greater => false,
            std::cmp::Ordering::Equal => self.negative_part < other.negative_part,
        }
    }
}

/// Returns true if inactive weights are certainly zero: no negative decoded weights, and far more samples on each facet
/// than determine it.
pub(super) fn zeros_beyond_doubt<T: Real>(
    rank: usize,
    negative_part: f64,
    fewest_contacts: usize,
    constants: &SearchConstants,
) -> bool {
    negative_part < constants.certain.max(64.0 * T::EPSILON.as_f64())
        && fewest_contacts >= constants.certain_contacts * rank
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_facets_with_many_contacts_and_nothing_against_them_are_certain() {
        let components = Array2::<f64>::eye(3);
        let sure = Candidate {
            components,
            origin: Origin::Normalised,
            inclusions: 0,
            negative_part: 1e-12,
            fewest_contacts: 6,
            contact_level: 1e-9,
            background_level: 0.0,
            excess_negative: 1e-12,
        };
        let certain = |candidate: Candidate<f64>| candidate.certain(&SearchConstants::default());
        assert!(certain(sure.clone()));
        // A wrong cone that is as tight as can be touches about one sample per dimension.
        assert!(!certain(Candidate { fewest_contacts: 5, ..sure.clone() }));
        assert!(!certain(Candidate { inclusions: 1, ..sure.clone() }));
        assert!(!certain(Candidate { negative_part: 1e-6, ..sure }));
    }
}
