//! Bags of words from files, and topics that anchor words give in them.

use std::path::Path;

use andnmf::Real;
use andnmf::baselines::anchor_words::{AnchorTopics, AnchorWordsParams};
use andnmf::samples::Samples;
use andnmf_io as io;
use andnmf_io::ReadOptions;
use andnmf_io::text::{Corpus, Frequency, StopWords, VocabularyParams, WordRules};

use crate::failure::Failure;
use crate::input::reading;

/// Documents that must hold a word that can be an anchor, in a corpus of more than that many times [`ANCHOR_SHARE`].
const ANCHOR_DOCUMENTS: usize = 100;
/// In a smaller one, one document in so many. (The authors take 100 of 1500.)
const ANCHOR_SHARE: usize = 15;
/// The same for words to be kept at all.
const WORD_DOCUMENTS: usize = 50;
const WORD_SHARE: usize = 30;

/// Counts of words from a file, with the words from `vocab` or from the file itself.
///
/// # Errors
/// Where a file cannot be read, or the words do not match the columns.
pub fn read_bag<T: Real>(file: &Path, vocab: Option<&Path>) -> Result<Corpus<T>, Failure> {
    let table = io::read::<T>(file, &ReadOptions::default()).map_err(reading)?;
    let words = vocab.map(io::read_names).transpose().map_err(reading)?;
    let (n_words, named) =
        (table.n_features(), words.as_ref().or(table.feature_names.as_ref()).map(Vec::len));
    match (named, vocab) {
        (None, _) => Err(Failure::Request(format!(
            "{} does not name its words; add --vocab FILE with one word per line",
            file.display()
        ))),
        (Some(named), Some(vocab)) if named != n_words => Err(Failure::Request(format!(
            "{}: {named} words, but {} has {n_words}; each column needs one",
            vocab.display(),
            file.display()
        ))),
        _ => Ok(Corpus::from_table(table, words)?),
    }
}

/// Topics of a corpus, and the words they are made of.
#[derive(Debug)]
pub struct Found {
    /// The corpus with the words that were kept.
    pub corpus: Corpus<f64>,
    /// Its topics.
    pub topics: AnchorTopics<f64>,
    /// Documents that must hold a word that can be an anchor.
    pub anchor_documents: usize,
}

/// Topics by anchor words, among words that enough documents hold.
///
/// # Errors
/// Where a setting is out of range, or no words or anchors are left.
pub fn anchor_topics(
    corpus: Corpus<f64>,
    params: AnchorWordsParams,
    stop_words: StopWords,
    min_documents: Option<Frequency>,
    anchor_documents: Option<usize>,
) -> Result<Found, Failure> {
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
    Ok(Found { corpus, topics, anchor_documents })
}
