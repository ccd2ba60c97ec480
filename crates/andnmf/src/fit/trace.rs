//! The trace as a table.

use super::StageRecord;

/// A column of the trace: its name, and its value in a record.
pub type TraceColumn = (&'static str, fn(&StageRecord) -> Option<f64>);

impl StageRecord {
    /// Every column of the trace but the stage itself, in order. A method may have no value for some of them.
    pub const COLUMNS: [TraceColumn; 6] = [
        ("seconds", |record| Some(record.seconds)),
        ("threshold_min", |record| record.threshold_min),
        ("threshold_median", |record| record.threshold_median),
        ("active_fraction", |record| Some(record.active_fraction)),
        ("change", |record| Some(record.change)),
        ("loss", |record| record.loss),
    ];
}
