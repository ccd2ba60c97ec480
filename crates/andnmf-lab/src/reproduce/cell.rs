//! A cell: one run of one method on one set of samples.

use andnmf::MethodParams;
use andnmf_program::{Experiment, Fingerprint};
use serde::{Deserialize, Serialize};

use super::{FigureName, ReleasedMethod};
use crate::Norm;

/// Version of the stored results. Increase it when the measurements of a cell change, so that older results are not
/// reused.
const FORMAT: u64 = 3;

/// One run of a plan: everything that determines its result, except for times.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cell {
    /// The figure that shows it.
    pub figure: FigureName,
    /// Label of the samples.
    pub case: String,
    /// Label of the method or setting.
    pub method: String,
    /// The values of the varied parameters, if any: a noise level, or the two coordinates of a map.
    pub at: Vec<f64>,
    /// Random seed of samples and method.
    pub seed: u64,
    /// The task.
    pub task: Task,
}

/// The task of a cell.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Task {
    /// Recover a known truth.
    Recovery(Box<RecoveryTask>),
    /// Record the errors of the theory stage by stage.
    StageLemma(Box<RecoveryTask>),
    /// Find topics of texts.
    Topics {
        /// Fingerprint of the texts.
        texts: String,
        /// The method and its settings.
        method: MethodParams,
        /// The start.
        from: RealStart,
        /// Counts or tf-idf.
        values: TextValues,
        /// The part of the texts; all of them without it.
        part: Option<TextPart>,
    },
    /// Find components of images.
    #[serde(rename = "pictures")]
    Images {
        /// Fingerprint of the images.
        #[serde(rename = "pictures")]
        images: String,
        /// The method and its settings.
        method: MethodParams,
        /// The start.
        from: RealStart,
    },
}

/// A recovery experiment on a built-in or given truth.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecoveryTask {
    /// The samples and the method.
    pub experiment: Experiment,
    /// The truth that the samples are generated from.
    pub truth: Truth,
    /// The part of the start outside the span of the truth. Replaces the absolute scale of the dataset.
    pub out_of_span: Option<OutOfSpan>,
    /// A method of the released program to run in place of the one of the experiment.
    pub released: Option<ReleasedRun>,
    /// True if the conditions of the theorems are estimated for the weights.
    pub conditions: bool,
}

/// The part of a start outside the span of the truth, relative to the true components.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OutOfSpan {
    /// The norm.
    pub norm: Norm,
    /// Its ratio to that of the true components.
    pub share: f64,
}

/// A run of a method of the released program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReleasedRun {
    /// The method.
    pub method: ReleasedMethod,
    /// The number of stages; the time limit is that of the experiment.
    pub stages: usize,
}

/// The origin of a truth.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Truth {
    /// Built by the dataset.
    BuiltIn,
    /// Supplied by the caller, identified by its fingerprint.
    Given(String),
}

/// A part of the texts: evenly spaced documents, and their most frequent words that at least two of them contain and at
/// most 95 %.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TextPart {
    /// Number of documents.
    pub documents: usize,
    /// Number of words.
    pub words: usize,
}

/// The start of a method on samples without a known truth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RealStart {
    /// Randomly drawn samples, as in the paper.
    RandomSamples,
    /// The method's default start.
    #[serde(rename = "own")]
    MethodDefault,
}

/// The values of the document-word matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TextValues {
    /// Word counts.
    Counts,
    /// Counts weighted by tf-idf.
    TfIdf,
}

impl Cell {
    /// Its file name: readable, and unique for every specification.
    #[must_use]
    pub fn file_name(&self) -> String {
        let text = serde_json::to_string(self).expect("a cell has nothing that JSON cannot hold");
        let mut fingerprint = Fingerprint::default().with_bytes(text.as_bytes());
        fingerprint.mix(FORMAT);
        let readable: Vec<String> = [&self.case, &self.method].map(|text| plain(text)).into();
        format!("{}-{}-{fingerprint}.json", readable.join("-"), self.seed)
    }

    /// The settings of its method.
    #[must_use]
    pub fn settings(&self) -> &MethodParams {
        match &self.task {
            Task::Recovery(recovery) | Task::StageLemma(recovery) => &recovery.experiment.method,
            Task::Topics { method, .. } | Task::Images { method, .. } => method,
        }
    }
}

/// Letters and digits, joined by dashes.
fn plain(text: &str) -> String {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("-").to_lowercase()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use andnmf::Method;
    use andnmf::synth::{DatasetKind, DatasetSpec};
    use andnmf_program::StartFrom;

    /// A cell with a very small run.
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
            task: Task::Recovery(Box::new(RecoveryTask {
                experiment,
                truth: Truth::BuiltIn,
                out_of_span: None,
                released: None,
                conditions: false,
            })),
        }
    }

    #[test]
    fn cells_round_trip_through_json_and_every_specification_has_its_own_file_name() {
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
