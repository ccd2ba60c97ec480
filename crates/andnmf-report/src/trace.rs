//! The stages of a fit, column by column.

use andnmf::fit::StageRecord;
use serde::Serialize;

use crate::rounding::{round_all, rounded};

/// The columns of `trace.csv`, each with one entry per stage.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Trace {
    /// Stage, counted from 0.
    pub stage: Vec<usize>,
    /// Time in the solver up to the end of the stage.
    pub seconds: Vec<f64>,
    /// Smallest threshold of any component, where the method has thresholds.
    pub threshold_min: Vec<Option<f64>>,
    /// Median threshold of the components, where the method has thresholds.
    pub threshold_median: Vec<Option<f64>>,
    /// Share of weights that are not zero.
    pub active_fraction: Vec<f64>,
    /// How far the components moved, relative to their size.
    pub change: Vec<f64>,
    /// What the method minimizes, where it minimizes anything that it knows.
    pub loss: Vec<Option<f64>>,
    /// Distance from the truth; empty where none is known.
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

    /// Adds the distance from the truth after each stage.
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
