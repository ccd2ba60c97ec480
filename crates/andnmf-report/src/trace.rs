//! The trace of a fit: one column per quantity, one entry per stage.

use andnmf::fit::StageRecord;
use serde::Serialize;

use crate::rounding::{round_all, rounded};

/// The columns of `trace.csv`, each with one entry per stage.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Trace {
    /// The stage, counted from 0.
    pub stage: Vec<usize>,
    /// Solver time in seconds up to the end of the stage.
    pub seconds: Vec<f64>,
    /// The smallest threshold of any component; `None` if the method has no thresholds.
    pub threshold_min: Vec<Option<f64>>,
    /// The median threshold of the components; `None` if the method has no thresholds.
    pub threshold_median: Vec<Option<f64>>,
    /// The share of non-zero weights.
    pub active_fraction: Vec<f64>,
    /// The relative change of the components.
    pub change: Vec<f64>,
    /// The loss; `None` if the method does not compute one.
    pub loss: Vec<Option<f64>>,
    /// The error against the truth; empty without a truth.
    pub relative_correlation_error: Vec<f64>,
}

impl Trace {
    /// The columns of these records.
    #[must_use]
    pub fn of(records: &[StageRecord]) -> Self {
        Self {
            stage: records.iter().map(|record| record.stage).collect(),
            seconds: records.iter().map(|record| record.seconds).collect(),
            threshold_min: records.iter().map(|record| record.threshold_min).collect(),
            threshold_median: records.iter().map(|record| record.threshold_median).collect(),
            active_fraction: records.iter().map(|record| record.active_fraction).collect(),
            change: records.iter().map(|record| record.change).collect(),
            loss: records.iter().map(|record| record.loss).collect(),
            relative_correlation_error: Vec::new(),
        }
    }

    /// Adds the error against the truth after each stage.
    #[must_use]
    pub fn with_errors(mut self, errors: Vec<f64>) -> Self {
        self.relative_correlation_error = errors;
        self
    }

    pub(crate) fn rounded(mut self) -> Self {
        for column in [
            &mut self.seconds,
            &mut self.active_fraction,
            &mut self.change,
            &mut self.relative_correlation_error,
        ] {
            round_all(column);
        }
        let optional = [&mut self.threshold_min, &mut self.threshold_median, &mut self.loss];
        for value in optional.into_iter().flatten().flatten() {
            *value = rounded(*value);
        }
        self
    }
}
