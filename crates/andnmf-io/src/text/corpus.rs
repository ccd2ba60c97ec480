//! Documents as word counts.

use std::collections::HashMap;
use std::path::Path;

use super::documents::{Document, Skipped, read_documents};
use super::posts::{looks_like_post, strip_post};
use super::tokenize::WordRules;
use crate::files::{FileError, LocatedProblem, SampleTable, TableValues};
use andnmf::samples::{CsrSamples, Samples};
use andnmf::{FitError, Real, SamplesError, ShapeError};

/// Word counts of documents (bag of words).
#[derive(Debug, Clone)]
pub struct Corpus<T: Real> {
    /// Documents × words.
    pub counts: CsrSamples<'static, T>,
    /// The words, one per column.
    pub words: Vec<String>,
    /// The names of the documents, one per row, if known.
    pub documents: Option<Vec<String>>,
}

/// Options of [`read_texts`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TextOptions {
    /// Tokenization rules.
    pub words: WordRules,
    /// True to remove headers, quotes and signatures of e-mail and news posts.
    pub strip_posts: bool,
}

/// The result of [`read_texts`].
#[derive(Debug, Clone)]
pub struct Texts<T: Real> {
    /// All words of all documents, in alphabetical order.
    pub corpus: Corpus<T>,
    /// Files that were skipped.
    pub skipped: Vec<Skipped>,
    /// The number of documents that begin like e-mail or news posts.
    pub posts: usize,
}

/// Reads the corpus in a folder, an archive, or a file with one document per line: see [`read_documents`].
///
/// # Errors
/// If a file cannot be read, or there are no documents or no words.
///
/// ```
/// use andnmf_io::text::{TextOptions, read_texts};
/// let folder = tempfile::tempdir()?;
/// std::fs::write(folder.path().join("a.txt"), "red wine")?;
/// std::fs::write(folder.path().join("b.txt"), "white wine")?;
/// let texts = read_texts::<f64>(folder.path(), &TextOptions::default())?;
/// assert_eq!(texts.corpus.words, ["red", "white", "wine"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn read_texts<T: Real>(path: &Path, options: &TextOptions) -> Result<Texts<T>, FileError> {
    let mut builder = CorpusBuilder::new(*options);
    let skipped = read_documents(path, &mut |document| builder.add(document))?;
    let posts = builder.posts;
    let corpus = builder.finish().map_err(|error| LocatedProblem::from(error).in_file(path))?;
    Ok(Texts { corpus, skipped, posts })
}

impl<T: Real> Corpus<T> {
    /// Counts the words of documents in memory.
    ///
    /// # Errors
    /// If there are no documents or no words.
    ///
    /// ```
    /// use andnmf_io::text::{Corpus, Document, TextOptions};
    /// let texts = ["red wine", "white wine and red"];
    /// let documents = texts.map(|text| Document { name: String::new(), text: text.to_owned() });
    /// let corpus = Corpus::<f64>::from_documents(documents, &TextOptions::default())?;
    /// assert_eq!(corpus.words, ["and", "red", "white", "wine"]);
    /// # Ok::<(), andnmf::SamplesError>(())
    /// ```
    pub fn from_documents(
        documents: impl IntoIterator<Item = Document>,
        options: &TextOptions,
    ) -> Result<Self, SamplesError> {
        let mut builder = CorpusBuilder::new(*options);
        documents.into_iter().for_each(|document| builder.add(document));
        builder.finish()
    }

    /// Makes a corpus of word counts from a file; `words` replaces the feature names of the file.
    ///
    /// # Errors
    /// If the number of words is not the number of columns, or a count is negative.
    pub fn from_table(table: SampleTable<T>, words: Option<Vec<String>>) -> Result<Self, FitError> {
        let shape = (table.n_samples(), table.n_features());
        let Some(words) = words.or(table.feature_names) else {
            return Err(ShapeError::new("the words of the corpus", (0, 1), format!("{} × 1", shape.1)).into());
        };
        if words.len() != shape.1 {
            return Err(ShapeError::new(
                "the words of the corpus",
                (words.len(), 1),
                format!("{} × 1", shape.1),
            )
            .into());
        }
        let counts = match table.values {
            TableValues::Sparse(counts) => counts,
            TableValues::Dense(counts) => sparse(&counts)?,
        };
        let mut negative = None;
        counts.block(0..shape.0)?.for_each(|row, column, value| {
            if value < T::default() && negative.is_none() {
                negative = Some(SamplesError::Negative {
                    row,
                    column,
                    value: value.as_f64(),
                    required_by: "a corpus",
                });
            }
        });
        negative.map_or(Ok(Self { counts, words, documents: table.sample_names }), |error| Err(error.into()))
    }
}

fn sparse<T: Real>(dense: &dyn Samples<T>) -> Result<CsrSamples<'static, T>, SamplesError> {
    let (mut row_starts, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
    for row in 0..dense.n_samples() {
        dense.block(row..row + 1)?.for_each(|_, column, value| {
            if value != T::default() {
                indices.push(column);
                values.push(value);
            }
        });
        row_starts.push(values.len());
    }
    CsrSamples::new::<usize, usize>(dense.n_features(), &row_starts, indices, values)
}

/// Counts words document by document; `finish` sorts the vocabulary.
struct CorpusBuilder {
    options: TextOptions,
    word_index: HashMap<String, usize>,
    row_starts: Vec<usize>,
    indices: Vec<usize>,
    counts: Vec<u32>,
    documents: Vec<String>,
    posts: usize,
}

impl CorpusBuilder {
    fn new(options: TextOptions) -> Self {
        Self {
            options,
            word_index: HashMap::new(),
            row_starts: vec![0],
            indices: Vec::new(),
            counts: Vec::new(),
            documents: Vec::new(),
            posts: 0,
        }
    }

    fn add(&mut self, document: Document) {
        self.posts += usize::from(looks_like_post(&document.text));
        let stripped = self.options.strip_posts.then(|| strip_post(&document.text));
        let text = stripped.as_deref().unwrap_or(&document.text);
        let mut document_counts = HashMap::<usize, u32>::new();
        let word_index = &mut self.word_index;
        self.options.words.for_each_word(text, |word| {
            // Looked up first: most words are already known and need no copy.
            let number = word_index.get(word).copied().unwrap_or_else(|| {
                word_index.insert(word.to_owned(), word_index.len());
                word_index.len() - 1
            });
            *document_counts.entry(number).or_default() += 1;
        });
        for (number, count) in document_counts {
            self.indices.push(number);
            self.counts.push(count);
        }
        self.row_starts.push(self.indices.len());
        self.documents.push(document.name);
    }

    /// Sorts the vocabulary alphabetically and renumbers the words of all documents.
    fn finish<T: Real>(self) -> Result<Corpus<T>, SamplesError> {
        let mut words: Vec<(String, usize)> = self.word_index.into_iter().collect();
        words.sort_unstable();
        let mut new_index = vec![0; words.len()];
        for (new, &(_, old)) in words.iter().enumerate() {
            new_index[old] = new;
        }
        let (mut indices, mut values) = (Vec::with_capacity(self.indices.len()), Vec::new());
        let mut row = Vec::new();
        for ends in self.row_starts.windows(2) {
            row.clear();
            row.extend((ends[0]..ends[1]).map(|i| (new_index[self.indices[i]], self.counts[i])));
            row.sort_unstable();
            for &(word, count) in &row {
                indices.push(word);
                values.push(T::from_f64(f64::from(count)));
            }
        }
        let counts = CsrSamples::new::<usize, usize>(words.len(), &self.row_starts, indices, values)?;
        let words = words.into_iter().map(|(word, _)| word).collect();
        Ok(Corpus { counts, words, documents: Some(self.documents) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::{Array2, array};

    fn dense(counts: &CsrSamples<'static, f64>) -> Array2<f64> {
        SampleTable::from(counts.clone()).into_dense().unwrap()
    }

    #[test]
    fn a_corpus_counts_words_in_alphabetical_order() {
        let texts = [("b", "Zoo, apple; zoo"), ("a", ""), ("c", "melon apple")];
        let documents = texts.map(|(name, text)| Document { name: name.into(), text: text.into() });
        let corpus = Corpus::<f64>::from_documents(documents, &TextOptions::default()).unwrap();
        assert_eq!(corpus.words, ["apple", "melon", "zoo"]);
        assert_eq!(dense(&corpus.counts), array![[1.0, 0.0, 2.0], [0.0, 0.0, 0.0], [1.0, 1.0, 0.0]]);
        assert_eq!(corpus.documents.unwrap(), ["b", "a", "c"]);
        let none = Document { name: String::new(), text: "1 2".into() };
        assert!(Corpus::<f64>::from_documents([none], &TextOptions::default()).is_err(), "no words");
    }

    #[test]
    fn posts_are_counted_and_stripped_of_headers_and_quotes() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("1"), "From: me\nSubject: stars\n\nred dwarfs\n> quoted").unwrap();
        std::fs::write(folder.path().join("2"), "white dwarfs").unwrap();
        let words = |strip_posts| {
            let options = TextOptions { strip_posts, ..TextOptions::default() };
            let texts = read_texts::<f32>(folder.path(), &options).unwrap();
            assert_eq!(texts.posts, 1);
            texts.corpus.words
        };
        assert_eq!(words(true), ["dwarfs", "red", "white"]);
        assert!(words(false).contains(&"subject".to_owned()));
    }

    #[test]
    fn counts_of_a_file_need_as_many_words_as_columns() {
        let table = || SampleTable::try_from(array![[1.0, 0.0], [0.0, 3.0]]).unwrap();
        let words = |n: usize| Some((0..n).map(|i| format!("w{i}")).collect());
        let corpus = Corpus::from_table(table(), words(2)).unwrap();
        assert_eq!(corpus.counts.stored_values(), 2);
        let message = |words| Corpus::from_table(table(), words).unwrap_err().to_string();
        assert!(message(words(3)).contains("must be 2 × 1, but is 3 × 1"), "{}", message(words(3)));
        assert!(message(None).contains("but is 0 × 1"), "{}", message(None));
        let negative = SampleTable::try_from(array![[1.0, -2.0]]).unwrap();
        assert!(Corpus::from_table(negative, words(2)).unwrap_err().to_string().contains("zero or more"));
    }
}
