//! Documents as counts of words.

use std::collections::HashMap;
use std::path::Path;

use super::documents::{Document, Skipped, read_documents};
use super::posts::{looks_like_post, strip_post};
use super::words::WordRules;
use crate::files::{Fault, FileError, Table, Values};
use andnmf::samples::{CsrSamples, Samples};
use andnmf::{FitError, Real, SamplesError, ShapeError};

/// How often each word occurs in each document.
#[derive(Debug, Clone)]
pub struct Corpus<T: Real> {
    /// Documents × words.
    pub counts: CsrSamples<'static, T>,
    /// The words, one per column.
    pub words: Vec<String>,
    /// The names of the documents, one per row, where they have some.
    pub documents: Option<Vec<String>>,
}

/// How texts become a corpus.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TextOptions {
    /// What counts as a word.
    pub words: WordRules,
    /// Whether headers, quotes and signatures of e-mail and news posts are left out.
    pub strip_posts: bool,
}

/// What was read of texts.
#[derive(Debug, Clone)]
pub struct Texts<T: Real> {
    /// Every word of every document. Words are in the order of the alphabet.
    pub corpus: Corpus<T>,
    /// Files that are no documents.
    pub skipped: Vec<Skipped>,
    /// How many documents begin like e-mail or news posts.
    pub posts: usize,
}

/// The corpus of a folder, an archive or a file with one document per line: see [`read_documents`].
///
/// # Errors
/// Where something cannot be read, or there are no documents or no words.
pub fn read_texts<T: Real>(path: &Path, options: &TextOptions) -> Result<Texts<T>, FileError> {
    let mut builder = CorpusBuilder::new(*options);
    let skipped = read_documents(path, &mut |document| builder.add(document))?;
    let posts = builder.posts;
    let corpus = builder.finish().map_err(|error| Fault::from(error).in_file(path))?;
    Ok(Texts { corpus, skipped, posts })
}

impl<T: Real> Corpus<T> {
    /// A corpus of documents in memory.
    ///
    /// # Errors
    /// Where there are no documents or no words.
    ///
    /// ```
    /// use andnmf_io::text::{Corpus, Document, TextOptions};
    /// let texts = ["red wine", "white wine and red"];
    /// let documents = texts.map(|text| Document { name: String::new(), text: text.to_owned() });
    /// let corpus = Corpus::<f64>::of_documents(documents, &TextOptions::default())?;
    /// assert_eq!(corpus.words, ["and", "red", "white", "wine"]);
    /// # Ok::<(), andnmf::SamplesError>(())
    /// ```
    pub fn of_documents(
        documents: impl IntoIterator<Item = Document>,
        options: &TextOptions,
    ) -> Result<Self, SamplesError> {
        let mut builder = CorpusBuilder::new(*options);
        documents.into_iter().for_each(|document| builder.add(document));
        builder.finish()
    }

    /// A corpus of counts that were read from a file, with the words where the file does not have them.
    ///
    /// # Errors
    /// Where there are more or fewer words than columns, or a count is negative.
    pub fn of_table(table: Table<T>, words: Option<Vec<String>>) -> Result<Self, FitError> {
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
            Values::Sparse(counts) => counts,
            Values::Dense(counts) => sparse(&counts)?,
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

/// Counts words as documents come in; words get their final order at the end.
struct CorpusBuilder {
    options: TextOptions,
    numbers: HashMap<String, usize>,
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
            numbers: HashMap::new(),
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
        let mut here = HashMap::<usize, u32>::new();
        let numbers = &mut self.numbers;
        self.options.words.for_each_word(text, |word| {
            // Looked up first: most words are known, and need no copy.
            let number = numbers.get(word).copied().unwrap_or_else(|| {
                numbers.insert(word.to_owned(), numbers.len());
                numbers.len() - 1
            });
            *here.entry(number).or_default() += 1;
        });
        for (number, count) in here {
            self.indices.push(number);
            self.counts.push(count);
        }
        self.row_starts.push(self.indices.len());
        self.documents.push(document.name);
    }

    /// Puts the words in the order of the alphabet, in every document.
    fn finish<T: Real>(self) -> Result<Corpus<T>, SamplesError> {
        let mut words: Vec<(String, usize)> = self.numbers.into_iter().collect();
        words.sort_unstable();
        let mut place = vec![0; words.len()];
        for (new, &(_, old)) in words.iter().enumerate() {
            place[old] = new;
        }
        let (mut indices, mut values) = (Vec::with_capacity(self.indices.len()), Vec::new());
        let mut row = Vec::new();
        for ends in self.row_starts.windows(2) {
            row.clear();
            row.extend((ends[0]..ends[1]).map(|i| (place[self.indices[i]], self.counts[i])));
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
        Table::from(counts.clone()).into_dense().unwrap()
    }

    #[test]
    fn a_corpus_counts_words_in_alphabetical_order() {
        let texts = [("b", "Zoo, apple; zoo"), ("a", ""), ("c", "melon apple")];
        let documents = texts.map(|(name, text)| Document { name: name.into(), text: text.into() });
        let corpus = Corpus::<f64>::of_documents(documents, &TextOptions::default()).unwrap();
        assert_eq!(corpus.words, ["apple", "melon", "zoo"]);
        assert_eq!(dense(&corpus.counts), array![[1.0, 0.0, 2.0], [0.0, 0.0, 0.0], [1.0, 1.0, 0.0]]);
        assert_eq!(corpus.documents.unwrap(), ["b", "a", "c"]);
        let none = Document { name: String::new(), text: "1 2".into() };
        assert!(Corpus::<f64>::of_documents([none], &TextOptions::default()).is_err(), "no words");
    }

    #[test]
    fn texts_tell_how_many_are_posts_and_lose_what_is_not_theirs() {
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
        let table = || Table::try_from(array![[1.0, 0.0], [0.0, 3.0]]).unwrap();
        let words = |n: usize| Some((0..n).map(|i| format!("w{i}")).collect());
        let corpus = Corpus::of_table(table(), words(2)).unwrap();
        assert_eq!(corpus.counts.stored_values(), 2);
        let message = |words| Corpus::of_table(table(), words).unwrap_err().to_string();
        assert!(message(words(3)).contains("must be 2 × 1, but is 3 × 1"), "{}", message(words(3)));
        assert!(message(None).contains("but is 0 × 1"), "{}", message(None));
        let negative = Table::try_from(array![[1.0, -2.0]]).unwrap();
        assert!(Corpus::of_table(negative, words(2)).unwrap_err().to_string().contains("zero or more"));
    }
}
