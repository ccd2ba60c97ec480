//! The truth and the real data of a reproduction.

use std::path::{Path, PathBuf};

use andnmf::baselines::anchor_words::AnchorWordsParams;
use andnmf_io::read_array;
use andnmf_io::text::{Corpus, StopWords};
use andnmf_lab::reproduce::{ExperimentScale, MatrixFingerprint, Sources};
use andnmf_program::corpus::{anchor_topics, read_bag};
use andnmf_program::{CommonArgs, Failure, Fingerprint, OutputFolder, read_failure};
use clap::Args;
use ndarray::Array2;

use crate::plan_file::{PlanFile, TRUTH};

/// Number of topics of the paper's truth.
const TOPICS: usize = 100;
/// Number of topics with `--quick`.
const QUICK_TOPICS: usize = 30;
/// The environment variable for the data folder, shared with the Python examples.
const DATA_VARIABLE: &str = "ANDNMF_DATA";
const TEXTS: &str = "newsgroups/20news-bydate.tar.gz";
const FACES: &str = "olivetti/faces.npy";
/// The largest pixel value of 8-bit images.
const WHITE: f64 = 255.0;

const DATA: &str = "Data";

/// The options for data.
#[derive(Debug, Clone, Args)]
pub(crate) struct SourceArgs {
    /// True components (rank × features) to generate samples from, in any supported format [default: built in]
    #[arg(long, value_name = "FILE", conflicts_with = "corpus", help_heading = DATA)]
    truth: Option<PathBuf>,
    /// Corpus to learn the truth from by anchor words: a UCI docword file, or any matrix of documents × words
    #[arg(long, value_name = "DOCWORD", help_heading = DATA)]
    corpus: Option<PathBuf>,
    /// Vocabulary of --corpus, one word per line
    #[arg(long, value_name = "VOCAB", requires = "corpus", help_heading = DATA)]
    vocab: Option<PathBuf>,
    /// Number of topics to learn from --corpus [default: 100; with --quick 30]
    #[arg(long, value_name = "K", requires = "corpus", help_heading = DATA)]
    topics: Option<usize>,
    /// Folder with newsgroups/20news-bydate.tar.gz (for table1) and olivetti/faces.npy (for fig5) [default:
    /// $ANDNMF_DATA]
    #[arg(long, value_name = "DIR", help_heading = DATA)]
    data: Option<PathBuf>,
}

/// The data of a reproduction.
pub(crate) struct LoadedSources {
    pub(crate) sources: Sources,
    /// The origin of the truth, as text for the report.
    pub(crate) truth: String,
    /// Fingerprint of the corpus that the truth was learned from.
    pub(crate) learned_from: Option<String>,
}

impl SourceArgs {
    /// Reads all data; reuses a truth that an earlier call learned and stored in the folder.
    pub(crate) fn read(
        &self,
        scale: ExperimentScale,
        folder: &OutputFolder,
        before: Option<&PlanFile>,
        common: &CommonArgs,
    ) -> Result<LoadedSources, Failure> {
        let mut loaded = self.truth(scale, folder, before)?;
        let Some(data) = self.data.clone().or_else(|| std::env::var_os(DATA_VARIABLE).map(PathBuf::from))
        else {
            return Ok(loaded);
        };
        if !data.is_dir() {
            return Err(Failure::Request(format!("--data {}: no such folder", data.display())));
        }
        let there = |name: &str| Some(data.join(name)).filter(|path| path.is_file());
        let sources = &mut loaded.sources;
        sources.texts = there(TEXTS);
        sources.images = there(FACES).map(|path| faces(&path)).transpose()?;
        let missing: Vec<String> = [(TEXTS, sources.texts.is_none()), (FACES, sources.images.is_none())]
            .into_iter()
            .filter(|(_, missing)| *missing)
            .map(|(name, _)| {
                format!("{} not found; the figure that needs it is skipped", data.join(name).display())
            })
            .collect();
        common.print_notes(&missing);
        Ok(loaded)
    }

    fn truth(
        &self,
        scale: ExperimentScale,
        folder: &OutputFolder,
        before: Option<&PlanFile>,
    ) -> Result<LoadedSources, Failure> {
        let loaded = |truth: Option<Array2<f64>>, origin: String, learned_from: Option<String>| {
            LoadedSources { sources: Sources { truth, ..Sources::default() }, truth: origin, learned_from }
        };
        if let Some(file) = &self.truth {
            let truth = read_array::<f64>(file).map_err(read_failure)?;
            return Ok(loaded(Some(truth), format!("truth from {}", name_of(file)), None));
        }
        let Some(file) = &self.corpus else { return Ok(loaded(None, "built-in truth".to_owned(), None)) };
        let usual = if scale == ExperimentScale::Quick { QUICK_TOPICS } else { TOPICS };
        let topics = self.topics.unwrap_or(usual);
        let print = corpus_fingerprint(file, self.vocab.as_deref(), topics)?;
        let truth = match learned_before(folder, before, &print) {
            Some(known) => known,
            None => {
                let corpus: Corpus<f64> = read_bag(file, self.vocab.as_deref())?;
                let params = AnchorWordsParams::new(topics);
                anchor_topics(corpus, params, StopWords::english(), None, None)?.topics.components
            }
        };
        Ok(loaded(Some(truth), format!("truth learned from {} by anchor words", name_of(file)), Some(print)))
    }
}

/// The truth that an earlier call learned from the same corpus, vocabulary and number of topics, if its file is intact.
fn learned_before(folder: &OutputFolder, before: Option<&PlanFile>, print: &str) -> Option<Array2<f64>> {
    let before = before.filter(|before| before.learned_from.as_deref() == Some(print))?;
    let truth = read_array::<f64>(&folder.file(TRUTH)).ok()?;
    let known = before.params.truth.as_ref()?;
    (*known == MatrixFingerprint::of(&truth)).then_some(truth)
}

/// Fingerprint of corpus, vocabulary and number of topics.
fn corpus_fingerprint(corpus: &Path, vocab: Option<&Path>, topics: usize) -> Result<String, Failure> {
    let mut print = Fingerprint::default();
    for file in [Some(corpus), vocab].into_iter().flatten() {
        let of = Fingerprint::of_file(file).map_err(|error| {
            Failure::Request(format!("{}: cannot read the file: {error}", file.display()))
        })?;
        print = print.with_bytes(of.to_string().as_bytes());
    }
    print.mix(topics as u64);
    Ok(print.to_string())
}

/// Images as rows, with values from 0 to 1.
fn faces(path: &Path) -> Result<Array2<f64>, Failure> {
    let mut faces = read_array::<f64>(path).map_err(read_failure)?;
    if faces.iter().any(|&value| value > 1.0) {
        faces /= WHITE;
    }
    Ok(faces)
}

fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
