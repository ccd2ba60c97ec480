//! Reasons as one sentence and in JSON: their data, and texts that programs can show without knowing the code.

use std::fmt;

use serde::de::Error as _;
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use super::{Reason, UnknownReason};

impl fmt::Display for Reason {
    /// The text and, after a semicolon, the advice.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text())?;
        let advice = self.advice();
        if advice.is_empty() { Ok(()) } else { write!(f, "; {advice}") }
    }
}

impl Serialize for Reason {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut value = match self {
            Self::Unknown(reason) => serde_json::to_value(reason),
            known => Reason::serialize(known, serde_json::value::Serializer),
        }
        .map_err(S::Error::custom)?;
        if let Value::Object(fields) = &mut value {
            fields.insert("severity".into(), self.severity().name().into());
            fields.insert("text".into(), self.text().into());
            fields.insert("advice".into(), self.advice().into());
            fields.insert("components".into(), self.components().into());
        }
        value.serialize(to)
    }
}

impl<'de> Deserialize<'de> for Reason {
    /// A code of another version, or the plain text of earlier ones, becomes [`Reason::Unknown`].
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(from)?;
        if let Value::String(text) = value {
            return Ok(Self::Unknown(Box::new(UnknownReason { text, ..UnknownReason::default() })));
        }
        match Reason::deserialize(value.clone()) {
            Ok(reason) => Ok(reason),
            Err(_) => {
                let unknown = serde_json::from_value(value).map_err(D::Error::custom)?;
                Ok(Self::Unknown(Box::new(unknown)))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trust::Verdict;

    #[test]
    fn a_reason_is_an_object_with_code_text_advice_and_components_and_comes_back() {
        let reasons = [
            Reason::OutOfStages,
            Reason::UnstableStart { components: vec![2, 5], of: 7, severity: Verdict::Poor },
            Reason::Inseparable { pairs: vec![(4, 5, 0.98), (1, 4, 0.99)] },
            Reason::NegativeWeights { share: 0.123_456_789, foreign: true },
        ];
        for reason in reasons {
            let json = serde_json::to_value(&reason).unwrap();
            assert_eq!(json["code"], reason.code());
            assert_eq!(json["text"], reason.text());
            assert_eq!(json["advice"], reason.advice());
            assert_eq!(json["severity"], reason.severity().name());
            assert_eq!(json["components"], serde_json::to_value(reason.components()).unwrap());
            let text = serde_json::to_string(&reason).unwrap();
            assert_eq!(serde_json::from_str::<Reason>(&text).unwrap(), reason);
        }
    }

    #[test]
    fn every_code_is_stable_unique_and_the_one_in_files() {
        let mut codes = std::collections::BTreeSet::new();
        for reason in Reason::examples() {
            let json = serde_json::to_value(&reason).unwrap();
            assert_eq!(json["code"], reason.code(), "the variant's name and its code differ");
            assert!(codes.insert(reason.code().to_owned()), "{}", reason.code());
            assert_eq!(serde_json::from_value::<Reason>(json).unwrap(), reason);
            // Every reason against a result comes with advice.
            assert!(reason.severity() == Verdict::Good || !reason.advice().is_empty(), "{}", reason.code());
            assert!(!reason.text().is_empty() && !reason.text().ends_with('.'), "{reason}");
        }
    }

    #[test]
    fn reasons_of_other_versions_keep_their_texts() {
        let plain: Reason = serde_json::from_value("few samples; add more".into()).unwrap();
        assert_eq!((plain.code(), plain.to_string()), ("unknown", "few samples; add more".into()));
        let newer = r#"{"code": "novel", "severity": "poor", "text": "a", "advice": "b", "components": [1]}"#;
        let newer: Reason = serde_json::from_str(newer).unwrap();
        assert_eq!((newer.code(), newer.severity(), newer.components()), ("novel", Verdict::Poor, vec![1]));
        let again: Reason = serde_json::from_value(serde_json::to_value(&newer).unwrap()).unwrap();
        assert_eq!(again, newer);
    }
}
