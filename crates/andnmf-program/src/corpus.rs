//! Word counts from files, and their topics by anchor words.

use std::path::Path;

use andnmf::Real;
use andnmf::baselines::anchor_words::{AnchorTopics, AnchorWordsParams};
use andnmf::samples::Samples;
use andnmf_io as io;
use andnmf_io::ReadOptions;
use andnmf_io::text::{Corpus, Frequency, StopWords, VocabularyParams, WordRules};

use crate::failure::Failure;
use crate::input::read_failure;

/// Default minimum number of documents that contain an anchor, in a corpus of more than that many times
/// [`ANCHOR_SHARE`].
const ANCHOR_DOCUMENTS: usize = 100;
/// In a smaller corpus: one document in this many. (The authors use 100 of 1500.)
const ANCHOR_SHARE: usize = 15;
/// Default minimum number of documents that contain a word of the vocabulary.
const WORD_DOCUMENTS: usize = 50;
const WORD_SHARE: usize = 30;

/// Reads word counts from a file, with the words from `vocab` or from the file itself.
///
/// # Errors
/// If a file cannot be read, or the words do not match the columns.
pub fn read_bag<T: Real>(file: &Path, vocab: Option<&Path>) -> Result<Corpus<T>, Failure> {
    let table = io::read::<T>(file, &ReadOptions::default()).map_err(read_failure)?;
    let words = vocab.map(io::read_names).transpose().map_err(read_failure)?;
    let (n_words, named) =
        (table.n_features(), words.as_ref().or(table.feature_names.as_ref()).map(Vec::len));
    match (named, vocab) {
        (None, _) => Err(Failure::Request(format!(
            "{}: the file contains no words; add --vocab FILE with one word per line",
            file.display()
        ))),
        (Some(named), Some(vocab)) if named != n_words => Err(Failure::Request(format!(
            "{}: {named} words, but {} has {n_words} columns; each column needs one word",
            vocab.display(),
            file.display()
        ))),
        _ => Ok(Corpus::from_table(table, words)?),
    }
}

/// The topics of a corpus and the vocabulary they are computed on.
#[derive(Debug)]
pub struct CorpusTopics {
    /// The corpus, restricted to the vocabulary.
    pub corpus: Corpus<f64>,
    /// Its topics.
    pub topics: AnchorTopics<f64>,
    /// Minimum number of documents that contain an anchor.
    pub anchor_documents: usize,
}

/// Computes topics by anchor words, on the words that enough documents contain.
///
/// # Errors
/// If a setting is out of range, or no words or anchors remain.
pub fn anchor_topics(
    corpus: Corpus<f64>,
    params: AnchorWordsParams,
    stop_words: StopWords,
    min_documents: Option<Frequency>,
    anchor_documents: Option<usize>,
) -> Result<CorpusTopics, Failure> {
    let n_documents = corpus.counts.n_samples();
    let scaled = |share: usize, most: usize| n_documents.div_ceil(share).min(most);
    let corpus = corpus.with_vocabulary(&VocabularyParams {
        min_documents: Some(
            min_documents.unwrap_or(Frequency::Documents(scaled(WORD_SHARE, WORD_DOCUMENTS))),
        ),
        max_documents: Frequency::Share(1.0),
        max_words: None,
        stop_words,
        words: WordRules { min_letters: 1, numbers: true },
    })?;
    let anchor_documents = anchor_documents.unwrap_or(scaled(ANCHOR_SHARE, ANCHOR_DOCUMENTS));
    let solver = AnchorWordsParams { min_documents: anchor_documents, ..params }.check()?;
    let topics = solver.topics(&corpus.counts)?;
    Ok(CorpusTopics { corpus, topics, anchor_documents })
}
