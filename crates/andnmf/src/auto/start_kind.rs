//! Starts from the data alone.

use ndarray::Array2;
use serde::{Deserialize, Serialize};

use super::averaged_projection::{Measure, averaged_projection};
use super::decoded::Bench;
use super::independent::independent_components;
use crate::Real;
use crate::fit::Halt;
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
    pub(super) fn begin<T: Real>(self, bench: &Bench<'_, T>) -> Result<Option<Array2<T>>, Halt> {
        match self {
            Self::Projection(measure) => Ok(Some(stick_out(bench, measure, bench.projected.dimension()))),
            Self::Independent => bench.workers.run(|| {
                independent_components(&bench.projected.samples, &bench.constants.start, &|| {
                    bench.watch.check()
                })
            }),
        }
    }
}

/// A start from samples that stick out; where they give too few components, their directions fill up.
pub(super) fn stick_out<T: Real>(bench: &Bench<'_, T>, measure: Measure, rank: usize) -> Array2<T> {
    let samples = bench.projected.samples.view();
    let mut found = bench.workers.run(|| averaged_projection(samples, measure, rank, &bench.constants.start));
    for k in found.nrows()..rank {
        let mut direction = ndarray::Array1::zeros(rank);
        direction[k] = T::from_f64(1.0);
        found.push_row(direction.view()).expect("as wide as the samples");
    }
    found
}
