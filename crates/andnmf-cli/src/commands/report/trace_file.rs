//! Reads `trace.csv`: one line per stage.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use andnmf::fit::StageRecord;
use andnmf_program::Failure;

/// The stages of a fit.
#[derive(Debug, Default)]
pub(super) struct TraceFile {
    pub(super) records: Vec<StageRecord>,
    /// Error against the truth by stage; empty if there was no truth.
    pub(super) errors: BTreeMap<usize, f64>,
}

/// Reads the columns of a trace in any order, ignoring other columns.
pub(super) fn read(file: &Path) -> Result<TraceFile, Failure> {
    let text =
        fs::read_to_string(file).map_err(|error| Failure::Request(format!("{}: {error}", file.display())))?;
    parse(&text).map_err(|problem| Failure::Request(format!("{}, {problem}", file.display())))
}

fn parse(text: &str) -> Result<TraceFile, String> {
    let mut lines = text.lines().enumerate();
    let header: Vec<&str> = lines.next().map_or_else(Vec::new, |(_, line)| line.split(',').collect());
    let position = |name: &str| {
        let missing = || format!("line 1: there is no column '{name}'; expected the trace of a fit");
        header.iter().position(|column| column.trim() == name).ok_or_else(missing)
    };
    let (stage, seconds) = (position("stage")?, position("seconds")?);
    let (threshold_min, threshold_median) = (position("threshold_min")?, position("threshold_median")?);
    let (active, change) = (position("active_fraction")?, position("change")?);
    let error = position("relative_correlation_error").ok();
    // Files of earlier versions have no loss.
    let loss = position("loss").ok();

    let mut trace = TraceFile::default();
    for (at, line) in lines.filter(|(_, line)| !line.trim().is_empty()) {
        let fields: Vec<&str> = line.split(',').map(str::trim).collect();
        let number = |field: usize| -> Result<f64, String> {
            let given = fields.get(field).copied().unwrap_or_default();
            let parsed = given.parse().ok().filter(|value: &f64| value.is_finite());
            parsed.ok_or_else(|| format!("line {}, field {}: '{given}' is not a number", at + 1, field + 1))
        };
        // Values that a method does not have are empty.
        let optional = |field: usize| match fields.get(field) {
            None | Some(&"") => Ok(None),
            Some(_) => number(field).map(Some),
        };
        let record = StageRecord {
            stage: number(stage)? as usize,
            seconds: number(seconds)?,
            threshold_min: optional(threshold_min)?,
            threshold_median: optional(threshold_median)?,
            active_fraction: number(active)?,
            change: number(change)?,
            loss: loss.map(optional).transpose()?.flatten(),
        };
        if let Some(error) = error.map(optional).transpose()?.flatten() {
            trace.errors.insert(record.stage, error);
        }
        trace.records.push(record);
    }
    Ok(trace)
}
