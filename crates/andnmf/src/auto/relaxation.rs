//! Over-relaxation: longer steps while successive stages move in the same direction.

use ndarray::Array2;
use serde::{Deserialize, Serialize};

use crate::Real;
use crate::constants::ScheduleConstants;
use crate::fit::bits;

/// The factor by which the change of a stage is extended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(bound = "T: Real")]
pub(crate) struct Relaxation<T: Real> {
    #[serde(with = "bits::number")]
    factor: f64,
    #[serde(with = "bits::optional_matrix")]
    last: Option<Array2<T>>,
}

impl<T: Real> Default for Relaxation<T> {
    fn default() -> Self {
        Self { factor: 1.0, last: None }
    }
}

impl<T: Real> Relaxation<T> {
    /// The change of the last stage.
    pub(super) fn last(&self) -> Option<&Array2<T>> {
        self.last.as_ref()
    }

    /// The factor for this change; 1 leaves the stage as it is.
    pub(super) fn factor(&mut self, stage: usize, change: &Array2<T>, constants: &ScheduleConstants) -> f64 {
        let ScheduleConstants { relax_from, same_way, faster, slower, largest_relaxation, .. } = *constants;
        if stage < relax_from {
            return 1.0;
        }
        if let Some(last) = &self.last {
            let inner = |a: &Array2<T>, b: &Array2<T>| -> f64 {
                a.iter().zip(b).map(|(x, y)| x.as_f64() * y.as_f64()).sum()
            };
            let sizes = (inner(change, change) * inner(last, last)).sqrt();
            let same = inner(change, last) > same_way * sizes;
            self.factor = if same {
                (self.factor * faster).min(largest_relaxation)
            } else {
                (self.factor * slower).max(1.0)
            };
        }
        self.last = Some(change.clone());
        self.factor
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn it_grows_to_its_bound_while_changes_agree_and_falls_back_when_they_do_not() {
        let constants = &ScheduleConstants::default();
        let mut relaxation = Relaxation::default();
        let (there, back) = (array![[0.0, 1.0], [0.5, 0.0]], array![[0.0, -1.0], [-0.5, 0.0]]);
        assert_eq!(relaxation.factor(9, &there, constants), 1.0);
        assert_eq!(relaxation.factor(10, &there, constants), 1.0, "nothing to compare with yet");
        let factors: Vec<f64> = (0..5).map(|i| relaxation.factor(11 + i, &there, constants)).collect();
        assert_eq!(factors[0], 1.3);
        assert!(factors[4] == 2.0 && factors.windows(2).all(|w| w[1] >= w[0]), "{factors:?}");
        assert_eq!(relaxation.factor(20, &back, constants), 1.0);
        assert_eq!(relaxation.factor(21, &there, constants), 1.0, "never less than the stage itself");
    }
}
