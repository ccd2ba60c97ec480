//! Where a corpus comes from, and which of its words are kept.

use std::path::{Path, PathBuf};

use andnmf::Real;
use andnmf_io as io;
use andnmf_io::text::{Corpus, Frequency, StopWords, TextOptions, VocabularyParams, WordRules, read_texts};
use andnmf_program::corpus::read_bag;
use andnmf_program::{Failure, reading};
use clap::Args;

/// So many of the files that were left out are named.
const NAMED: usize = 3;

/// Texts, or a bag of words.
#[derive(Debug, Clone, Args)]
pub(crate) struct CorpusArgs {
    /// A folder of text files, a .tar.gz archive of them, or a file with one document per line
    #[arg(value_name = "TEXTS", required_unless_present = "corpus", conflicts_with = "corpus")]
    texts: Option<PathBuf>,
    /// Counts of words instead: a UCI docword file, or any matrix of documents × words
    #[arg(long, value_name = "DOCWORD")]
    corpus: Option<PathBuf>,
    /// The words of --corpus, one per line
    #[arg(long, value_name = "VOCAB", requires = "corpus")]
    vocab: Option<PathBuf>,
    /// Leave out the headers, quotes and signatures of e-mail and news posts
    #[arg(long, conflicts_with = "corpus")]
    pub(crate) strip_headers: bool,
}

impl CorpusArgs {
    /// The file or folder.
    pub(crate) fn source(&self) -> Result<&Path, Failure> {
        let missing = || Failure::Request("a folder of texts or --corpus is needed".to_owned());
        self.texts.as_deref().or(self.corpus.as_deref()).ok_or_else(missing)
    }

    /// The corpus with all its words, and what is to be said of it.
    pub(crate) fn read<T: Real>(&self, words: WordRules) -> Result<(Corpus<T>, Vec<String>), Failure> {
        match &self.corpus {
            Some(file) => Ok((read_bag(file, self.vocab.as_deref())?, Vec::new())),
            None => self.read_texts(words),
        }
    }

    fn read_texts<T: Real>(&self, words: WordRules) -> Result<(Corpus<T>, Vec<String>), Failure> {
        let path = self.source()?;
        if path.is_file() && io::Format::of(path).is_ok() {
            return Err(Failure::Request(format!(
                "{} holds a matrix, not texts; for counts of words: --corpus {} --vocab FILE",
                path.display(),
                path.display()
            )));
        }
        let options = TextOptions { words, strip_posts: self.strip_headers };
        let read = read_texts::<T>(path, &options).map_err(reading)?;
        let mut notes = Vec::new();
        if let [first, ..] = read.skipped.as_slice() {
            let names: Vec<&str> = read.skipped.iter().take(NAMED).map(|file| file.name.as_str()).collect();
            let more = if read.skipped.len() > NAMED { ", ..." } else { "" };
            let count = read.skipped.len();
            notes.push(format!("left out {count} files, as {}: {}{more}", first.reason, names.join(", ")));
        }
        let documents = read.corpus.documents.as_ref().map_or(0, Vec::len);
        if !self.strip_headers && 2 * read.posts > documents {
            notes.push("these look like e-mail or news posts; --strip-headers leaves out their headers, quotes and signatures".to_owned());
        }
        Ok((read.corpus, notes))
    }
}

/// Which words are kept.
#[derive(Debug, Clone, Args)]
pub(crate) struct WordArgs {
    /// Leave out words in fewer documents: a number or a share [default: 10, or 1% where there are fewer than 1000]
    #[arg(long, value_name = "N|SHARE")]
    min_documents: Option<Frequency>,
    /// Leave out words in more documents: a number or a share
    #[arg(long, default_value = "50%", value_name = "N|SHARE")]
    max_documents: Frequency,
    /// Keep so many of the most frequent words, or all of them
    #[arg(long, default_value = "4000", value_name = "N|all", value_parser = most_words)]
    words: MostWords,
    /// Words to leave out: english, none, or a file with one per line
    #[arg(long, default_value = "english", value_name = "english|none|FILE")]
    stop_words: String,
    /// Fewest letters of a word
    #[arg(long, default_value_t = 2, value_name = "N")]
    min_letters: usize,
    /// Keep numbers, and words with digits in them
    #[arg(long)]
    numbers: bool,
}

/// `--words`.
#[derive(Debug, Clone, Copy)]
struct MostWords(Option<usize>);

fn most_words(text: &str) -> Result<MostWords, String> {
    match text.parse() {
        Ok(0) | Err(_) if text != "all" => Err("a number of 1 or more, or all, is needed".to_owned()),
        parsed => Ok(MostWords(parsed.ok())),
    }
}

impl WordArgs {
    /// The same as settings of the library.
    pub(crate) fn vocabulary(&self) -> Result<VocabularyParams, Failure> {
        Ok(VocabularyParams {
            min_documents: self.min_documents,
            max_documents: self.max_documents,
            max_words: self.words.0,
            stop_words: read_stop_words(&self.stop_words)?,
            words: WordRules { min_letters: self.min_letters, numbers: self.numbers },
        })
    }
}

/// `--stop-words`.
pub(crate) fn read_stop_words(typed: &str) -> Result<StopWords, Failure> {
    match typed {
        "english" => Ok(StopWords::english()),
        "none" => Ok(StopWords::none()),
        file => StopWords::read(Path::new(file)).map_err(reading),
    }
}
