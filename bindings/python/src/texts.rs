//! Texts as word counts.

use std::path::PathBuf;

use andnmf_io::text::{
    Corpus, Document, Frequency, StopWords, TextOptions, VocabularyParams, WordRules, read_texts,
};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::call::interruptible;
use crate::error::CallError;
use crate::files::csr_to_dict;

/// Texts in memory, or a folder, an archive or a file of them.
#[derive(FromPyObject)]
pub(crate) enum TextSource {
    Texts(Vec<String>),
    Path(PathBuf),
}

/// Which words are kept: least and most documents (a number or a share), most words, stop words (`None`: English).
type Vocabulary = (Option<String>, String, Option<usize>, Option<Vec<String>>);

/// Counts the words of texts: a dict with the parts of a CSR matrix, the words and the names of the documents. Without
/// `vocabulary` all words are kept.
#[pyfunction]
pub(crate) fn count_words(
    py: Python<'_>,
    source: TextSource,
    strip_posts: bool,
    min_letters: usize,
    numbers: bool,
    vocabulary: Option<Vocabulary>,
) -> PyResult<Bound<'_, PyDict>> {
    let words = WordRules { min_letters, numbers };
    let vocabulary = vocabulary.map(|vocabulary| params(vocabulary, words)).transpose()?;
    let options = TextOptions { words, strip_posts };
    let corpus = interruptible(py, Some(1), |_| {
        let corpus = match source {
            TextSource::Path(path) => read_texts::<f64>(&path, &options)?.corpus,
            TextSource::Texts(texts) => {
                let named = |(number, text)| Document { name: format!("text {number}"), text };
                Corpus::from_documents(texts.into_iter().enumerate().map(named), &options)?
            }
        };
        Ok(match &vocabulary {
            Some(vocabulary) => corpus.with_vocabulary(vocabulary)?,
            None => corpus,
        })
    })?;
    let dict = PyDict::new(py);
    csr_to_dict(&dict, &corpus.counts)?;
    dict.set_item("feature_names", corpus.words)?;
    dict.set_item("sample_names", corpus.documents)?;
    Ok(dict)
}

fn params(
    (min_documents, max_documents, max_words, stop_words): Vocabulary,
    words: WordRules,
) -> PyResult<VocabularyParams> {
    let frequency = |name: &str, text: String| {
        let wrong = |expected| CallError::Value(format!("{name} is {text}, but {expected}"));
        text.parse::<Frequency>().map_err(wrong)
    };
    Ok(VocabularyParams {
        min_documents: min_documents.map(|text| frequency("min_documents", text)).transpose()?,
        max_documents: frequency("max_documents", max_documents)?,
        max_words,
        stop_words: stop_words.map_or_else(StopWords::english, StopWords::of),
        words,
    })
}
