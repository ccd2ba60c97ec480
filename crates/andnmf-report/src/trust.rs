//! What the summary of a fit says about the errors of its components.

use serde::Serialize;
use serde_json::Value;

use crate::rounding::rounded;

/// The error of a component as a sine, with an interval that should contain it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ComponentError {
    /// The lower end.
    pub low: f64,
    /// The estimate.
    pub estimate: f64,
    /// The upper end.
    pub high: f64,
}

/// The errors of all components, as far as they are known.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Judged {
    /// Component stability.
    pub(crate) stability: Vec<Option<f64>>,
    /// Intervals of the errors.
    pub(crate) errors: Vec<Option<ComponentError>>,
}

impl Judged {
    /// The errors in a summary. Intervals are one object or one list per component, or one list per end.
    pub(crate) fn of(summary: &Value) -> Self {
        let list = |value: Option<&Value>| value.and_then(Value::as_array).cloned().unwrap_or_default();
        let stability =
            list(summary.pointer("/trust/component_stability")).iter().map(Value::as_f64).collect();
        let found = ["/component_error", "/trust/component_error"].map(|path| summary.pointer(path));
        let errors = match found.into_iter().flatten().find(|value| !value.is_null()) {
            Some(Value::Array(entries)) => {
                let place = |end: &str| ["low", "estimate", "high"].iter().position(|name| *name == end);
                let at =
                    |entry: &Value, end: &str| entry.get(end).or_else(|| entry.get(place(end)?)).cloned();
                entries.iter().map(|entry| ComponentError::of(|end| at(entry, end))).collect()
            }
            Some(ends @ Value::Object(_)) => {
                let count = list(ends.get("estimate")).len();
                (0..count)
                    .map(|k| {
                        ComponentError::of(|end| ends.get(end).and_then(|values| values.get(k)).cloned())
                    })
                    .collect()
            }
            _ => Vec::new(),
        };
        Self { stability, errors }
    }
}

impl ComponentError {
    fn of(value: impl Fn(&'static str) -> Option<Value>) -> Option<Self> {
        let number = |end| value(end).as_ref().and_then(Value::as_f64).map(rounded);
        Some(Self { low: number("low")?, estimate: number("estimate")?, high: number("high")? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn intervals_are_read_as_objects_or_as_lists() {
        let expected = [
            Some(ComponentError { low: 0.0, estimate: 0.125, high: 0.5 }),
            Some(ComponentError { low: 0.1, estimate: 0.2, high: 1.0 }),
        ];
        let objects =
            json!([{"low": 0, "estimate": 0.125, "high": 0.5}, {"low": 0.1, "estimate": 0.2, "high": 1}]);
        let triples = json!([[0, 0.125, 0.5], [0.1, 0.2, 1]]);
        assert_eq!(Judged::of(&json!({"trust": {"component_error": triples}})).errors, expected);
        let lists = json!({"low": [0, 0.1], "estimate": [0.125, 0.2], "high": [0.5, 1]});
        for summary in [json!({"component_error": objects}), json!({"trust": {"component_error": lists}})] {
            assert_eq!(Judged::of(&summary).errors, expected);
        }
    }

    #[test]
    fn missing_and_incomplete_errors_are_omitted() {
        for summary in
            [Value::Null, json!({}), json!({"component_error": null}), json!({"component_error": "?"})]
        {
            assert_eq!(Judged::of(&summary), Judged::default());
        }
        let incomplete = json!({"component_error": [{"low": 0.1}, null]});
        assert_eq!(Judged::of(&incomplete).errors, [None, None]);
    }
}
