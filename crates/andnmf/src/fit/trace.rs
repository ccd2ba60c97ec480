//! The columns of the trace as a table.

use super::StageRecord;

/// A column of the trace: its name, and its value in a record.
pub type TraceColumn = (&'static str, fn(&StageRecord) -> Option<f64>);

impl StageRecord {
    /// Every column of the trace except the stage number, in order; `None` if the method has no such value.
    pub const COLUMNS: [TraceColumn; 6] = [
        ("seconds", |record| Some(record.seconds)),
        ("threshold_min", |record| record.threshold_min),
        ("threshold_median", |record| record.threshold_median),
        ("active_fraction", |record| Some(record.active_fraction)),
        ("change", |record| Some(record.change)),
        ("loss", |record| record.loss),
    ];
}
