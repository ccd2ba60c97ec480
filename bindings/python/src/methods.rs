//! Descriptions of the methods and their settings for the Python sources.

use andnmf::fit::{StageRecord, Start};
use andnmf::settings::{NumberKind, Setting};
use andnmf::{Method, MethodParams};
use pyo3::prelude::*;
use serde_json::{Map, Value, json};

use crate::error::CallError;

/// All methods with their settings, all starts, and the columns of the trace, as JSON.
#[pyfunction]
pub(crate) fn methods() -> String {
    let starts = Start::<f64>::NAMES.map(|start| json!({"name": start.name, "help": start.help}));
    let columns: Vec<&str> =
        ["stage"].into_iter().chain(StageRecord::COLUMNS.map(|(name, _)| name)).collect();
    json!({"methods": Method::ALL.map(method), "starts": starts, "trace": columns}).to_string()
}

fn method(method: Method) -> Value {
    let info = method.info();
    json!({
        "name": info.name,
        "class": info.about.class,
        "title": info.about.title,
        "summary": info.about.summary,
        "loss": info.about.loss,
        "staged": info.staged,
        "takes_start": info.takes_start,
        "needs_nonnegative": info.needs_nonnegative,
        "counts": info.about.counts,
        "default_start": info.default_start,
        "settings": info.settings.iter().map(setting).collect::<Vec<Value>>(),
    })
}

fn setting(setting: &Setting) -> Value {
    let number = setting.kind.number().map(|number| match number {
        NumberKind::Whole => "whole",
        NumberKind::Real => "real",
    });
    json!({
        "name": setting.name,
        "parameter": setting.parameter(),
        "option": setting.option(),
        "kind": setting.kind,
        "words": setting.kind.words(),
        "number": number,
        "expected": setting.kind.expected(),
        "range": setting.range.expected(),
        "default": setting.default(),
        "default_text": setting.default_text(),
        "help": setting.help(),
    })
}

/// All settings of a method as JSON: its defaults, overridden by the given ones.
#[pyfunction]
pub(crate) fn settings(method: &str, given: &str) -> PyResult<String> {
    let method: Method = method.parse().map_err(CallError::from)?;
    let given: Map<String, Value> = serde_json::from_str(given).map_err(CallError::from)?;
    let mut settings = MethodParams::new(method, 1);
    for (name, value) in &given {
        settings.set_json(name, value).map_err(CallError::from)?;
    }
    Ok(serde_json::to_string(&settings).map_err(CallError::from)?)
}
