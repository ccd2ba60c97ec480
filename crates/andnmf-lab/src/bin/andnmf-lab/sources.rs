//! The truth and the real data of a reproduction.

use std::path::{Path, PathBuf};

use andnmf::baselines::anchor_words::AnchorWordsParams;
use andnmf_io::read_array;
use andnmf_io::text::{Corpus, StopWords};
use andnmf_lab::reproduce::{KnownMatrix, Scale, Sources};
use andnmf_program::corpus::{anchor_topics, read_bag};
use andnmf_program::{CommonArgs, Failure, Fingerprint, OutputFolder, read_failure};
use clap::Args;
use ndarray::Array2;

use crate::folder::{PlanFile, TRUTH};

/// Topics of the paper's truth.
const TOPICS: usize = 100;
/// Topics of a quick look.
const QUICK_TOPICS: usize = 30;
/// Where the Python examples look for the same data.
const DATA_VARIABLE: &str = "ANDNMF_DATA";
const TEXTS: &str = "newsgroups/20news-bydate.tar.gz";
const FACES: &str = "olivetti/faces.npy";
/// The largest value of a pixel.
const WHITE: f64 = 255.0;

/// Where data come from.
#[derive(Debug, Clone, Args)]
pub(crate) struct SourceArgs {
    /// True components (rank × features) to make samples of, in any format that is read [default: built in]
    #[arg(long, value_name = "FILE", conflicts_with = "corpus")]
    truth: Option<PathBuf>,
    /// Learn the truth from this corpus by anchor words: a UCI docword file, or any matrix of documents × words
    #[arg(long, value_name = "DOCWORD")]
    corpus: Option<PathBuf>,
    /// The words of --corpus, one per line
    #[arg(long, value_name = "VOCAB", requires = "corpus")]
    vocab: Option<PathBuf>,
    /// Topics to learn from --corpus [default: 100; with --quick 30]
    #[arg(long, value_name = "K", requires = "corpus")]
    topics: Option<usize>,
    /// The folder with newsgroups/20news-bydate.tar.gz and olivetti/faces.npy, for table1 and fig5 [default: $ANDNMF_DATA]
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
}

/// What there is to work on.
pub(crate) struct Taken {
    pub(crate) sources: Sources,
    /// In words, where the truth comes from.
    pub(crate) truth: String,
    /// What the truth was learned from, by its fingerprint.
    pub(crate) learned_from: Option<String>,
}

impl SourceArgs {
    /// Reads everything; a truth that was learned before is taken from the folder.
    pub(crate) fn read(
        &self,
        scale: Scale,
        folder: &OutputFolder,
        before: Option<&PlanFile>,
        common: &CommonArgs,
    ) -> Result<Taken, Failure> {
        let mut taken = self.truth(scale, folder, before)?;
        let Some(data) = self.data.clone().or_else(|| std::env::var_os(DATA_VARIABLE).map(PathBuf::from))
        else {
            return Ok(taken);
        };
        if !data.is_dir() {
            return Err(Failure::Request(format!("--data {}: there is no such folder", data.display())));
        }
        let there = |name: &str| Some(data.join(name)).filter(|path| path.is_file());
        let sources = &mut taken.sources;
        sources.texts = there(TEXTS);
        sources.pictures = there(FACES).map(|path| faces(&path)).transpose()?;
        let missing: Vec<String> = [(TEXTS, sources.texts.is_none()), (FACES, sources.pictures.is_none())]
            .into_iter()
            .filter(|(_, missing)| *missing)
            .map(|(name, _)| format!("{} is not there: what needs it is left out", data.join(name).display()))
            .collect();
        common.print_notes(&missing);
        Ok(taken)
    }

    fn truth(
        &self,
        scale: Scale,
        folder: &OutputFolder,
        before: Option<&PlanFile>,
    ) -> Result<Taken, Failure> {
        let taken = |truth: Option<Array2<f64>>, origin: String, learned_from: Option<String>| Taken {
            sources: Sources { truth, ..Sources::default() },
            truth: origin,
            learned_from,
        };
        if let Some(file) = &self.truth {
            let truth = read_array::<f64>(file).map_err(read_failure)?;
            return Ok(taken(Some(truth), format!("truth from {}", name_of(file)), None));
        }
        let Some(file) = &self.corpus else { return Ok(taken(None, "built-in truth".to_owned(), None)) };
        let usual = if scale == Scale::Quick { QUICK_TOPICS } else { TOPICS };
        let topics = self.topics.unwrap_or(usual);
        let print = print_of(file, self.vocab.as_deref(), topics)?;
        let truth = match learned_before(folder, before, &print) {
            Some(known) => known,
            None => {
                let corpus: Corpus<f64> = read_bag(file, self.vocab.as_deref())?;
                let params = AnchorWordsParams::new(topics);
                anchor_topics(corpus, params, StopWords::english(), None, None)?.topics.components
            }
        };
        Ok(taken(Some(truth), format!("truth learned from {} by anchor words", name_of(file)), Some(print)))
    }
}

/// The truth that an earlier call learned from the same corpus, words and number of topics, if it is still the same.
fn learned_before(folder: &OutputFolder, before: Option<&PlanFile>, print: &str) -> Option<Array2<f64>> {
    let before = before.filter(|before| before.learned_from.as_deref() == Some(print))?;
    let truth = read_array::<f64>(&folder.file(TRUTH)).ok()?;
    let known = before.params.truth.as_ref()?;
    (*known == KnownMatrix::of(&truth)).then_some(truth)
}

/// What a truth is learned from, in short.
fn print_of(corpus: &Path, vocab: Option<&Path>, topics: usize) -> Result<String, Failure> {
    let mut print = Fingerprint::default();
    for file in [Some(corpus), vocab].into_iter().flatten() {
        let of = Fingerprint::of_file(file)
            .map_err(|error| Failure::Request(format!("{} cannot be read: {error}", file.display())))?;
        print = print.with_bytes(of.to_string().as_bytes());
    }
    print.mix(topics as u64);
    Ok(print.to_string())
}

/// Pictures as rows, from 0 to 1.
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
