//! Reasons in JSON: their data, and texts that programs can show without knowing the code.

use serde::de::Error as _;
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use super::reason::{Reason, UnknownReason};

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

    /// One of each kind, in the order of the variants.
    fn one_of_each() -> Vec<Reason> {
        let (components, severity, share) = (vec![1, 3], Verdict::Doubtful, 0.25);
        vec![
            Reason::SurplusComponents { found: 2, components: components.clone() },
            Reason::NoSpectralGap { next_strength: 0.9, leaking: false },
            Reason::Inclusions { pairs: 2 },
            Reason::NegativeWeights { share, foreign: false },
            Reason::AlwaysOn { components: components.clone() },
            Reason::HiddenLevel,
            Reason::SharedBackground { share },
            Reason::NmfInstead,
            Reason::UnstableStart { components: components.clone(), of: 5, severity },
            Reason::UnstableCounts { components: components.clone(), of: 5, severity },
            Reason::UnstableSamples { components: components.clone(), of: 5, severity },
            Reason::MixedComponents { components: components.clone(), of: 5, severity },
            Reason::OutOfStages,
            Reason::Stopped,
            Reason::ZeroSamples,
            Reason::BackgroundWeight { share, components: components.clone(), severity },
            Reason::NoWeights,
            Reason::NeverUsed { components: components.clone() },
            Reason::RarelyUsed { components, fewest: 10 },
            Reason::DenseWeights { typical: 0.8 },
            Reason::DependentWeights,
            Reason::Inseparable { pairs: vec![(0, 2, 0.99)] },
            Reason::FewerSamplesThanComponents { n_samples: 2, rank: 3 },
            Reason::FewSamples { n_samples: 20, rank: 3, wanted: 10 },
            Reason::ExactRank { rank: 3 },
            Reason::AboveNoise { rank: 3, clearance: 2.0 },
            Reason::NearNoise { rank: 3, clearance: 1.05 },
            Reason::UnstableRank { rank: 3, share },
            Reason::RankBelowRange { rank: 3, lowest: 5 },
            Reason::RankBeyondRange { highest: 9, table: true },
            Reason::BestPrediction { rank: 3 },
            Reason::StableRanks { ranks: vec![2, 3] },
            Reason::NoStableRank { share },
        ]
    }

    #[test]
    fn every_code_is_stable_unique_and_the_one_in_files() {
        let mut codes = std::collections::BTreeSet::new();
        for reason in one_of_each() {
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
