//! The smallest piece of work: one method, once, on one set of samples.

use andnmf::{Method, MethodParams};
use andnmf_program::{Experiment, Fingerprint};
use serde::{Deserialize, Serialize};

use super::FigureName;

/// Results of other rules than these are not taken for results of these: raise it where what a cell measures changes.
const FORMAT: u64 = 2;

/// One run of a plan: everything that decides its result, times apart.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cell {
    /// Where it is shown.
    pub figure: FigureName,
    /// The samples, as the figure calls them.
    pub case: String,
    /// The method or setting, as the figure calls it.
    pub method: String,
    /// The values that the figure varies, where it varies any: a noise level, or the two sides of a map.
    pub at: Vec<f64>,
    /// Where all chance comes from.
    pub seed: u64,
    /// What is done.
    pub task: Task,
}

/// What a cell does.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Task {
    /// Recovers a known truth.
    Recovery(Box<Recovery>),
    /// Follows the errors of the theory from stage to stage.
    StageLemma(Box<Recovery>),
    /// Finds topics of texts.
    Topics {
        /// The texts, by their fingerprint.
        texts: String,
        /// The method and its settings.
        method: MethodParams,
        /// Where it begins.
        from: RealStart,
        /// What the numbers are.
        values: TextValues,
    },
    /// Finds components of pictures.
    Pictures {
        /// The pictures, by their fingerprint.
        pictures: String,
        /// The method and its settings.
        method: MethodParams,
        /// Where it begins.
        from: RealStart,
    },
}

/// A recovery experiment on a truth that may come from elsewhere.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recovery {
    /// The samples and the method.
    pub experiment: Experiment,
    /// The truth that the samples are made of.
    pub truth: Truth,
    /// Length of what the start has outside the span of the truth, as a share of the length of the true components; in
    /// place of the scale in the dataset, which knows nothing of their length.
    pub out_of_span_share: Option<f64>,
    /// Whether the conditions of the theorems are estimated for the weights.
    pub conditions: bool,
}

/// Where a truth comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Truth {
    /// What the dataset builds by itself.
    BuiltIn,
    /// What the caller brings along, by its fingerprint.
    Given(String),
}

/// Where a method begins on samples without a truth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RealStart {
    /// At samples drawn at random, as in the paper.
    RandomSamples,
    /// Wherever the method begins by itself.
    Own,
}

/// What the numbers of a corpus are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TextValues {
    /// How often a word occurs.
    Counts,
    /// The same, weighed by how much the word tells.
    TfIdf,
}

impl Cell {
    /// The name of its file: readable, and another one for every other specification.
    #[must_use]
    pub fn file_name(&self) -> String {
        let text = serde_json::to_string(self).expect("a cell has nothing that JSON cannot hold");
        let mut print = Fingerprint::default().with_bytes(text.as_bytes());
        print.mix(FORMAT);
        let readable: Vec<String> = [&self.case, &self.method].map(|text| plain(text)).into();
        format!("{}-{}-{print}.json", readable.join("-"), self.seed)
    }

    /// Whether its run has an end of its own: methods that alternate stop in a recovery when their time is up.
    #[must_use]
    pub fn ends_by_itself(&self) -> bool {
        let ends = matches!(self.settings().method(), Method::And | Method::AnchorWords);
        ends || !matches!(self.task, Task::Recovery(_))
    }

    /// The settings of its method.
    #[must_use]
    pub fn settings(&self) -> &MethodParams {
        match &self.task {
            Task::Recovery(recovery) | Task::StageLemma(recovery) => &recovery.experiment.method,
            Task::Topics { method, .. } | Task::Pictures { method, .. } => method,
        }
    }
}

/// Letters and digits, with a dash for everything between them.
fn plain(text: &str) -> String {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("-").to_lowercase()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use andnmf::synth::{DatasetKind, DatasetSpec};
    use andnmf_program::StartFrom;

    /// A cell of almost no work.
    pub(in crate::reproduce) fn tiny(seed: u64) -> Cell {
        let dataset = DatasetSpec {
            n_features: 40,
            rank: 4,
            n_samples: 60,
            seed,
            ..DatasetSpec::new(DatasetKind::Dir)
        };
        let method = MethodParams::new(Method::Hals, 4).with_max_stages(3);
        let experiment = Experiment { dataset, method, from: StartFrom::MixedTruth };
        Cell {
            figure: FigureName::Fig1a,
            case: "DIR".into(),
            method: "HALS".into(),
            at: vec![],
            seed,
            task: Task::Recovery(Box::new(Recovery {
                experiment,
                truth: Truth::BuiltIn,
                out_of_span_share: None,
                conditions: false,
            })),
        }
    }

    #[test]
    fn cells_are_data_and_every_specification_has_a_file_of_its_own() {
        let cell = tiny(3);
        let text = serde_json::to_string(&cell).unwrap();
        assert_eq!(serde_json::from_str::<Cell>(&text).unwrap(), cell);
        assert!(cell.file_name().starts_with("dir-hals-3-"), "{}", cell.file_name());
        assert_eq!(cell.file_name(), tiny(3).file_name());
        assert_ne!(cell.file_name(), tiny(4).file_name());
        let mut longer = tiny(3);
        let Task::Recovery(recovery) = &mut longer.task else { unreachable!() };
        recovery.experiment.method = recovery.experiment.method.clone().with_max_stages(4);
        assert_ne!(cell.file_name(), longer.file_name());
    }
}
