//! Parsing and formatting of the setting `threshold`: `auto`, or a schedule with its numbers, such as
//! `geometric:0.1:1.1`.

use std::fmt;
use std::str::FromStr;

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::threshold::{Schedule, Threshold, ThresholdParams};
use crate::SettingError;
use crate::settings::{SettingKind, SettingValue};

impl Schedule {
    /// The name and the syntax of every schedule.
    pub const SYNTAX: [(&str, &str); 4] = [
        ("constant", "constant:C"),
        ("geometric", "geometric:START:RATIO[:FLOOR]"),
        ("theory", "theory:LAMBDA:R:Q"),
        ("list", "list:A,B,..."),
    ];
}

impl FromStr for Threshold {
    type Err = SettingError;

    /// ```
    /// use andnmf::and::{Schedule, Threshold};
    /// let parsed: Threshold = "geometric:0.1:1.5".parse()?;
    /// assert_eq!(parsed, Schedule::Geometric { start: 0.1, ratio: 1.5, floor: None }.into());
    /// assert_eq!("auto".parse(), Ok(Threshold::Auto));
    /// # Ok::<(), andnmf::SettingError>(())
    /// ```
    fn from_str(text: &str) -> Result<Self, SettingError> {
        if text == "auto" {
            return Ok(Self::Auto);
        }
        let wrong = |expected: String| SettingError::new("threshold", format!("'{text}'"), expected);
        let (name, rest) = text.split_once(':').unwrap_or((text, ""));
        let Some((_, syntax)) = Schedule::SYNTAX.iter().find(|(known, _)| *known == name) else {
            let all = Schedule::SYNTAX.map(|(_, syntax)| syntax).join(", ");
            return Err(wrong(format!("it must be auto or a schedule: {all}")));
        };
        let separator = if name == "list" { ',' } else { ':' };
        let number = |part: &str| {
            let parsed = part.trim().parse::<f64>();
            parsed.map_err(|_| wrong(format!("'{part}' is not a number; write {syntax}")))
        };
        let numbers = rest.split(separator).map(number).collect::<Result<Vec<f64>, _>>()?;
        let schedule = match (name, numbers.as_slice()) {
            ("constant", &[value]) => Schedule::Constant(value),
            ("geometric", &[start, ratio]) => Schedule::Geometric { start, ratio, floor: None },
            ("geometric", &[start, ratio, floor]) => Schedule::Geometric { start, ratio, floor: Some(floor) },
            ("theory", &[lambda, sparsity, decay_order]) => {
                Schedule::Theory { lambda, sparsity, decay_order }
            }
            ("list", values) => Schedule::List(values.to_vec()),
            _ => return Err(wrong(format!("it has {} numbers; write {syntax}", numbers.len()))),
        };
        Ok(schedule.into())
    }
}

impl fmt::Display for Threshold {
    /// The text that [`FromStr`] parses. `data_floor` and `fastest_fall` have no text form.
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self::Scheduled(ThresholdParams { schedule, .. }) = self else { return to.write_str("auto") };
        match schedule {
            Schedule::Constant(value) => write!(to, "constant:{value}"),
            Schedule::Geometric { start, ratio, floor: None } => write!(to, "geometric:{start}:{ratio}"),
            Schedule::Geometric { start, ratio, floor: Some(floor) } => {
                write!(to, "geometric:{start}:{ratio}:{floor}")
            }
            Schedule::Theory { lambda, sparsity, decay_order } => {
                write!(to, "theory:{lambda}:{sparsity}:{decay_order}")
            }
            Schedule::List(values) => {
                let values: Vec<String> = values.iter().map(ToString::to_string).collect();
                write!(to, "list:{}", values.join(","))
            }
        }
    }
}

const ONE_SCHEDULE: &str = r#"it must have one schedule, such as {"schedule": {"constant": 0.1}}"#;

impl SettingValue for Threshold {
    const KIND: SettingKind = SettingKind::Threshold;

    fn from_text(text: &str) -> Result<Self, String> {
        text.parse().map_err(|error: SettingError| error.expected)
    }

    /// Accepts text, a number for all stages, a list of numbers, [`ThresholdParams`], or the serialized form.
    fn from_json(value: &Value) -> Result<Self, String> {
        fn read<D: DeserializeOwned>(value: &Value) -> Result<D, String> {
            serde_json::from_value(value.clone()).map_err(|error| error.to_string())
        }
        match value {
            Value::String(text) => Self::from_text(text),
            Value::Number(_) => read(value).map(|number| Schedule::Constant(number).into()),
            Value::Array(_) => read(value).map(|values| Schedule::List(values).into()),
            Value::Object(fields) => {
                let bounded = fields.contains_key("schedule");
                let inner = if bounded { fields.get("schedule") } else { Some(value) };
                if inner.and_then(Value::as_object).is_none_or(|inner| inner.len() != 1) {
                    return Err(ONE_SCHEDULE.to_owned());
                }
                if bounded { read(value).map(Self::Scheduled) } else { read(value) }
            }
            Value::Null | Value::Bool(_) => Err(Self::KIND.expected()),
        }
    }

    fn number(&self) -> Option<f64> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_schedule_is_parsed_and_formatted() {
        let geometric = |floor| Schedule::Geometric { start: 0.25, ratio: 1.5, floor };
        let theory = Schedule::Theory { lambda: 1.0, sparsity: 2.0, decay_order: 3.0 };
        for (text, schedule) in [
            ("constant:0.25", Schedule::Constant(0.25)),
            ("geometric:0.25:1.5", geometric(None)),
            ("geometric:0.25:1.5:1e-3", geometric(Some(1e-3))),
            ("theory:1:2:3", theory),
            ("list:0.5, 0.1", Schedule::List(vec![0.5, 0.1])),
        ] {
            let threshold = Threshold::from(schedule);
            assert_eq!(text.parse(), Ok(threshold.clone()), "{text}");
            assert_eq!(threshold.to_string().parse(), Ok(threshold), "{text}");
        }
        assert_eq!("auto".parse(), Ok(Threshold::Auto));
    }

    #[test]
    fn invalid_text_is_refused_with_the_right_syntax() {
        for (text, message) in [
            ("geometrik:1:2", "it must be auto or a schedule: constant:C, geometric:"),
            ("theory:a:1:1", "'a' is not a number; write theory:LAMBDA:R:Q"),
            ("geometric:1", "it has 1 numbers; write geometric:START:RATIO[:FLOOR]"),
            ("constant", "'' is not a number; write constant:C"),
        ] {
            let error = text.parse::<Threshold>().unwrap_err();
            assert!(error.name == "threshold" && error.given.contains(text), "{error}");
            assert!(error.expected.contains(message), "{error}");
        }
    }
}
