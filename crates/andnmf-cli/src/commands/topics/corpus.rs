//! The corpus of `andnmf topics` and its vocabulary.

use std::path::{Path, PathBuf};

use andnmf::Real;
use andnmf_io as io;
use andnmf_io::text::{Corpus, Frequency, StopWords, TextOptions, VocabularyParams, WordRules, read_texts};
use andnmf_program::corpus::read_bag;
use andnmf_program::{Failure, read_failure};
use clap::Args;

/// Headings of the help.
const INPUT: &str = "Input options";
pub(crate) const VOCABULARY: &str = "Vocabulary options";
/// Number of skipped files to name.
const MAX_NAMED: usize = 3;

/// Texts, or word counts.
#[derive(Debug, Clone, Args)]
pub(crate) struct CorpusArgs {
    /// Folder of text files, a .tar.gz archive of them, or a file with one document per line
    #[arg(value_name = "TEXTS", required_unless_present = "corpus", conflicts_with = "corpus")]
    texts: Option<PathBuf>,
    /// Word counts instead of TEXTS: a UCI docword file, or any matrix of documents × words
    #[arg(long, value_name = "DOCWORD", help_heading = INPUT)]
    corpus: Option<PathBuf>,
    /// File of the words of --corpus, one per line
    #[arg(long, value_name = "VOCAB", requires = "corpus", help_heading = INPUT)]
    vocab: Option<PathBuf>,
    /// Remove headers, quotes and signatures of e-mail and news posts
    #[arg(long, conflicts_with = "corpus", help_heading = INPUT)]
    pub(crate) strip_headers: bool,
}

impl CorpusArgs {
    /// The path of the texts or counts.
    pub(crate) fn source(&self) -> Result<&Path, Failure> {
        let missing = || Failure::Request("TEXTS or --corpus is required".to_owned());
        self.texts.as_deref().or(self.corpus.as_deref()).ok_or_else(missing)
    }

    /// Reads the corpus with all its words; also returns notes for the user.
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
                "{} contains a matrix, not texts; for word counts use --corpus {} --vocab FILE",
                path.display(),
                path.display()
            )));
        }
        let options = TextOptions { words, strip_posts: self.strip_headers };
        let read = read_texts::<T>(path, &options).map_err(read_failure)?;
        let mut notes = Vec::new();
        if let [first, ..] = read.skipped.as_slice() {
            let names: Vec<&str> =
                read.skipped.iter().take(MAX_NAMED).map(|file| file.name.as_str()).collect();
            let more = if read.skipped.len() > MAX_NAMED { ", ..." } else { "" };
            let count = read.skipped.len();
            notes.push(format!("skipped {count} files: {}{more} ({})", names.join(", "), first.reason));
        }
        let documents = read.corpus.documents.as_ref().map_or(0, Vec::len);
        if !self.strip_headers && 2 * read.posts > documents {
            notes.push("the texts look like e-mail or news posts; --strip-headers removes their headers, quotes and signatures".to_owned());
        }
        Ok((read.corpus, notes))
    }
}

/// The vocabulary: rules for the words to keep.
#[derive(Debug, Clone, Args)]
pub(crate) struct WordArgs {
    /// Drop words in fewer documents: a number, or a fraction such as 5% [default: 10, or 1% of fewer than 1000
    /// documents]
    #[arg(long, value_name = "N|FRACTION", help_heading = VOCABULARY)]
    min_documents: Option<Frequency>,
    /// Drop words in more documents: a number, or a fraction such as 5%
    #[arg(long, default_value = "50%", value_name = "N|FRACTION", help_heading = VOCABULARY)]
    max_documents: Frequency,
    /// Maximum number of words; the most frequent ones are kept
    #[arg(long, help_heading = VOCABULARY, default_value = "4000", value_name = "N|all", value_parser = most_words)]
    words: MostWords,
    /// Stop words to drop: english, none, or a file with one word per line
    #[arg(long, help_heading = VOCABULARY, default_value = "english", value_name = "english|none|FILE")]
    stop_words: String,
    /// Minimum number of letters of a word
    #[arg(long, help_heading = VOCABULARY, default_value_t = 2, value_name = "N")]
    min_letters: usize,
    /// Keep numbers and words with digits
    #[arg(long, help_heading = VOCABULARY)]
    numbers: bool,
}

/// `--words`.
#[derive(Debug, Clone, Copy)]
struct MostWords(Option<usize>);

fn most_words(text: &str) -> Result<MostWords, String> {
    match text.parse() {
        Ok(0) | Err(_) if text != "all" => Err("expected a number of 1 or more, or all".to_owned()),
        parsed => Ok(MostWords(parsed.ok())),
    }
}

impl WordArgs {
    /// The settings of the library.
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
pub(crate) fn read_stop_words(option: &str) -> Result<StopWords, Failure> {
    match option {
        "english" => Ok(StopWords::english()),
        "none" => Ok(StopWords::none()),
        file => StopWords::read(Path::new(file)).map_err(read_failure),
    }
}
