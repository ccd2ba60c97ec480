//! Starts from the data alone.

use ndarray::Array2;
use serde::{Deserialize, Serialize};

use super::averaged_projection::{Measure, averaged_projection};
use super::decoded::Evaluator;
use super::independent::independent_components;
use crate::Real;
use crate::fit::StageInterrupt;
use crate::trust::Origin;

/// A kind of start from the data alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum StartKind {
    /// Averages of samples that stick out, measured like this.
    Projection(Measure),
    /// Directions with heavy tails.
    Independent,
}

impl StartKind {
    /// In the order in which they are tried.
    pub(super) const ALL: [Self; 4] = [
        Self::Projection(Measure::Normalised),
        Self::Independent,
        Self::Projection(Measure::Whitened),
        Self::Projection(Measure::Plain),
    ];

    pub(super) fn origin(self) -> Origin {
        match self {
            Self::Projection(Measure::Normalised) => Origin::Normalised,
            Self::Projection(Measure::Whitened) => Origin::Whitened,
            Self::Projection(Measure::Plain) => Origin::Plain,
            Self::Independent => Origin::Independent,
        }
    }

    /// The start, if the samples have one of this kind.
    pub(super) fn initialize<T: Real>(
        self,
        evaluator: &Evaluator<'_, T>,
    ) -> Result<Option<Array2<T>>, StageInterrupt> {
        match self {
            Self::Projection(measure) => {
                Ok(Some(stick_out(evaluator, measure, evaluator.projected.dimension())))
            }
            Self::Independent => evaluator.workers.run(|| {
                independent_components(&evaluator.projected.samples, &evaluator.constants.start, &|| {
                    evaluator.monitor.check()
                })
            }),
        }
    }
}

/// A start from samples that stick out; where they give too few components, their directions fill up.
pub(super) fn stick_out<T: Real>(evaluator: &Evaluator<'_, T>, measure: Measure, rank: usize) -> Array2<T> {
    let samples = evaluator.projected.samples.view();
    let mut found =
        evaluator.workers.run(|| averaged_projection(samples, measure, rank, &evaluator.constants.start));
    for k in found.nrows()..rank {
        let mut direction = ndarray::Array1::zeros(rank);
        direction[k] = T::from_f64(1.0);
        found.push_row(direction.view()).expect("as wide as the samples");
    }
    found
}
