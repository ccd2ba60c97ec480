//! What a reproduction works on beside what it makes itself.

use std::path::{Path, PathBuf};

use andnmf::baselines::anchor_words::AnchorWordsParams;
use andnmf::io::read_array;
use andnmf::text::{Corpus, StopWords};
use andnmf_lab::reproduce::{Scale, Sources};
use clap::Args;
use ndarray::Array2;

use super::super::anchor;
use super::super::topics::corpus_of_bag;
use crate::failure::Failure;
use crate::shared::{Common, reading};

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
pub(super) struct SourceArgs {
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

impl SourceArgs {
    /// What there is, and in words where the truth comes from.
    pub(super) fn read(&self, scale: Scale, common: &Common) -> Result<(Sources, String), Failure> {
        let (truth, told) = self.truth(scale)?;
        let mut sources = Sources { truth, ..Sources::default() };
        let Some(data) = self.data.clone().or_else(|| std::env::var_os(DATA_VARIABLE).map(PathBuf::from))
        else {
            return Ok((sources, told));
        };
        if !data.is_dir() {
            return Err(Failure::Request(format!("--data {}: there is no such folder", data.display())));
        }
        let there = |name: &str| Some(data.join(name)).filter(|path| path.is_file());
        sources.texts = there(TEXTS);
        sources.pictures = there(FACES).map(|path| faces(&path)).transpose()?;
        let missing: Vec<String> = [(TEXTS, sources.texts.is_none()), (FACES, sources.pictures.is_none())]
            .into_iter()
            .filter(|(_, missing)| *missing)
            .map(|(name, _)| format!("{} is not there: what needs it is left out", data.join(name).display()))
            .collect();
        common.note(&missing);
        Ok((sources, told))
    }

    fn truth(&self, scale: Scale) -> Result<(Option<Array2<f64>>, String), Failure> {
        if let Some(file) = &self.truth {
            let truth = read_array::<f64>(file).map_err(reading)?;
            return Ok((Some(truth), format!("truth from {}", name_of(file))));
        }
        let Some(file) = &self.corpus else { return Ok((None, "built-in truth".to_owned())) };
        let usual = if scale == Scale::Quick { QUICK_TOPICS } else { TOPICS };
        let params = AnchorWordsParams::new(self.topics.unwrap_or(usual));
        let corpus: Corpus<f64> = corpus_of_bag(file, self.vocab.as_deref())?;
        let found = anchor::find(corpus, params, StopWords::english(), None, None)?;
        let told = format!("truth learned from {} by anchor words", name_of(file));
        Ok((Some(found.topics.components), told))
    }
}

/// Pictures as rows, from 0 to 1.
fn faces(path: &Path) -> Result<Array2<f64>, Failure> {
    let mut faces = read_array::<f64>(path).map_err(reading)?;
    if faces.iter().any(|&value| value > 1.0) {
        faces /= WHITE;
    }
    Ok(faces)
}

fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
