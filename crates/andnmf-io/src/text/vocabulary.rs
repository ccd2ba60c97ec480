//! Vocabulary selection.

use std::fmt;
use std::str::FromStr;

use super::{Corpus, StopWords, WordRules};
use andnmf::samples::{Samples, document_frequencies};
use andnmf::{FitError, Real, SamplesError, SettingError};

/// The default minimum document frequency.
const DEFAULT_MIN_DOCUMENTS: usize = 10;
/// In a small corpus the default is one document in this many.
const MIN_DOCUMENTS_DIVISOR: usize = 100;

/// A document frequency, as a number of documents or a share of all.
///
/// ```
/// use andnmf_io::text::Frequency;
/// assert_eq!("20".parse(), Ok(Frequency::Documents(20)));
/// assert_eq!("0.25".parse(), Ok(Frequency::Share(0.25)));
/// assert_eq!("25%".parse(), Ok(Frequency::Share(0.25)));
/// assert!("1.5".parse::<Frequency>().is_err());
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Frequency {
    /// A number of documents.
    Documents(usize),
    /// A share of all documents, 0 to 1.
    Share(f64),
}

impl FromStr for Frequency {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Ok(documents) = text.parse() {
            return Ok(Self::Documents(documents));
        }
        let (number, unit) = text.strip_suffix('%').map_or((text, 1.0), |percent| (percent, 100.0));
        match number.trim().parse::<f64>() {
            Ok(value) if (0.0..=unit).contains(&value) => Ok(Self::Share(value / unit)),
            _ => Err("it must be a number of documents (20) or a share of them (0.5 or 50%)".to_owned()),
        }
    }
}

impl fmt::Display for Frequency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Documents(documents) => write!(f, "{documents}"),
            Self::Share(share) => write!(f, "{}%", 100.0 * share),
        }
    }
}

impl Frequency {
    /// Returns true if `documents` of `all` documents reach this frequency.
    fn reached_by(self, documents: usize, all: usize) -> bool {
        match self {
            Self::Documents(min) => documents >= min,
            Self::Share(share) => documents as f64 >= share * all as f64,
        }
    }

    /// Returns true if `documents` of `all` documents exceed this frequency.
    fn exceeded_by(self, documents: usize, all: usize) -> bool {
        match self {
            Self::Documents(max) => documents > max,
            Self::Share(share) => documents as f64 > share * all as f64,
        }
    }

    fn check(self, name: &'static str) -> Result<(), SettingError> {
        match self {
            Self::Share(share) if !(0.0..=1.0).contains(&share) => {
                Err(SettingError::new(name, share, "a share of documents must be between 0 and 1"))
            }
            _ => Ok(()),
        }
    }
}

/// Options of vocabulary selection.
#[derive(Debug, Clone, PartialEq)]
pub struct VocabularyParams {
    /// Minimum document frequency of a word. By default 10, or one document in 100 if there are fewer than 1000.
    pub min_documents: Option<Frequency>,
    /// Maximum document frequency of a word.
    pub max_documents: Frequency,
    /// Keep only this many of the remaining words, the most frequent ones; `None` keeps all.
    pub max_words: Option<usize>,
    /// Words to exclude.
    pub stop_words: StopWords,
    /// Tokenization rules.
    pub words: WordRules,
}

impl Default for VocabularyParams {
    /// The 4000 most frequent words that occur in enough documents but not in more than half of them, without English
    /// stop words.
    fn default() -> Self {
        Self {
            min_documents: None,
            max_documents: Frequency::Share(0.5),
            max_words: Some(4000),
            stop_words: StopWords::english(),
            words: WordRules::default(),
        }
    }
}

impl VocabularyParams {
    /// The minimum document frequency in a corpus of this many documents.
    #[must_use]
    pub fn min_documents_of(&self, documents: usize) -> Frequency {
        self.min_documents.unwrap_or(Frequency::Documents(
            documents.div_ceil(MIN_DOCUMENTS_DIVISOR).min(DEFAULT_MIN_DOCUMENTS),
        ))
    }
}

impl<T: Real> Corpus<T> {
    /// Reduces the corpus to the selected vocabulary. The order of words stays, and so do documents without any words.
    ///
    /// # Errors
    /// If a setting is out of range, or no word is left; the error gives the number of words excluded for each reason.
    ///
    /// ```
    /// use andnmf_io::text::{Corpus, Document, TextOptions, VocabularyParams};
    /// let texts = ["the red wine", "the white wine", "the blue sky", "the sea"];
    /// let documents = texts.map(|text| Document { name: String::new(), text: text.to_owned() });
    /// let corpus = Corpus::<f64>::from_documents(documents, &TextOptions::default())?;
    /// let kept = corpus.with_vocabulary(&VocabularyParams { max_words: Some(1), ..Default::default() })?;
    /// assert_eq!(kept.words, ["wine"]);
    /// # Ok::<(), andnmf::FitError>(())
    /// ```
    pub fn with_vocabulary(&self, params: &VocabularyParams) -> Result<Self, FitError> {
        let kept = self.select_words(params)?;
        let words = kept.iter().map(|&word| self.words[word].clone()).collect();
        Ok(Self { counts: self.counts.keep_features(&kept)?, words, documents: self.documents.clone() })
    }

    fn select_words(&self, params: &VocabularyParams) -> Result<Vec<usize>, FitError> {
        let n_documents = self.counts.n_samples();
        let min_documents = params.min_documents_of(n_documents);
        min_documents.check("min_documents")?;
        params.max_documents.check("max_documents")?;
        if params.max_words == Some(0) {
            return Err(SettingError::new("words", 0, "at least one word must be kept").into());
        }
        let frequencies = document_frequencies(&self.counts)?;
        let [mut not_words, mut stop_words, mut rare, mut common] = [0; 4];
        let mut kept = Vec::new();
        for (word, name) in self.words.iter().enumerate() {
            let documents = frequencies[word];
            if !params.words.accepts(name) {
                not_words += 1;
            } else if params.stop_words.contains(name) {
                stop_words += 1;
            } else if documents == 0 || !min_documents.reached_by(documents, n_documents) {
                rare += 1;
            } else if params.max_documents.exceeded_by(documents, n_documents) {
                common += 1;
            } else {
                kept.push(word);
            }
        }
        if kept.is_empty() {
            let reason = format!(
                "no word is left of {}: {not_words} are too short or numbers, {stop_words} are stop words, {rare} are \
                 in too few of the {n_documents} documents (fewer than {min_documents}), {common} in too many (more than {}); \
                 keep words that are rarer or more frequent, or add documents",
                self.words.len(),
                params.max_documents
            );
            return Err(SamplesError::Unusable { reason }.into());
        }
        if let Some(max_words) = params.max_words.filter(|&max_words| max_words < kept.len()) {
            let totals = self.totals()?;
            kept.sort_by(|&a, &b| totals[b].total_cmp(&totals[a]).then(a.cmp(&b)));
            kept.truncate(max_words);
            kept.sort_unstable();
        }
        Ok(kept)
    }

    /// The total count of each word.
    fn totals(&self) -> Result<Vec<f64>, SamplesError> {
        let mut totals = vec![0.0; self.words.len()];
        let all = self.counts.block(0..self.counts.n_samples())?;
        all.for_each(|_, word, count| totals[word] += count.as_f64());
        Ok(totals)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{Document, TextOptions};

    fn corpus() -> Corpus<f64> {
        let texts = [
            "apple apple the sun of 1 everywhere",
            "apple moon everywhere",
            "sun sun sun everywhere",
            "moon rare",
        ];
        let documents = texts.map(|text| Document { name: String::new(), text: text.to_owned() });
        let words = WordRules { min_letters: 1, numbers: true };
        Corpus::from_documents(documents, &TextOptions { words, ..TextOptions::default() }).unwrap()
    }

    fn kept(params: &VocabularyParams) -> Vec<String> {
        corpus().with_vocabulary(params).unwrap().words
    }

    fn all() -> VocabularyParams {
        VocabularyParams {
            max_documents: Frequency::Share(1.0),
            stop_words: StopWords::none(),
            ..VocabularyParams::default()
        }
    }

    #[test]
    fn rare_common_and_stop_words_are_excluded() {
        // "everywhere" is a stop word.
        assert_eq!(kept(&VocabularyParams::default()), ["apple", "moon", "rare", "sun"]);
        assert_eq!(kept(&all()), ["apple", "everywhere", "moon", "of", "rare", "sun", "the"]);
        let twice = VocabularyParams { min_documents: Some(Frequency::Documents(2)), ..all() };
        assert_eq!(kept(&twice), ["apple", "everywhere", "moon", "sun"]);
        assert_eq!(
            kept(&VocabularyParams { min_documents: Some(Frequency::Share(0.6)), ..all() }),
            ["everywhere"]
        );
        let common = VocabularyParams { max_documents: Frequency::Documents(2), ..twice };
        assert_eq!(kept(&common), ["apple", "moon", "sun"]);
        assert_eq!(
            kept(&VocabularyParams { max_documents: Frequency::Share(0.5), ..common }),
            ["apple", "moon", "sun"]
        );
        let numbers = VocabularyParams { words: WordRules { min_letters: 4, numbers: true }, ..all() };
        assert_eq!(kept(&numbers), ["1", "apple", "everywhere", "moon", "rare"]);
    }

    #[test]
    fn the_most_frequent_of_the_remaining_words_are_kept() {
        // "sun" occurs four times, "apple" and "everywhere" three times each.
        let max_words = |n| kept(&VocabularyParams { max_words: Some(n), ..all() });
        assert_eq!(max_words(1), ["sun"]);
        assert_eq!(max_words(2), ["apple", "sun"]);
        assert_eq!(max_words(99).len(), 7);
        let column =
            corpus().with_vocabulary(&VocabularyParams { max_words: Some(1), ..all() }).unwrap().counts;
        assert_eq!((column.n_samples(), column.stored_values()), (4, 2));
    }

    #[test]
    fn fewer_documents_are_enough_in_a_small_corpus() {
        let min_documents = |documents| VocabularyParams::default().min_documents_of(documents);
        assert_eq!(min_documents(5), Frequency::Documents(1));
        assert_eq!(min_documents(250), Frequency::Documents(3));
        assert_eq!(min_documents(1_000_000), Frequency::Documents(10));
    }

    #[test]
    fn an_empty_vocabulary_is_an_error_with_reasons() {
        let message = |params: VocabularyParams| corpus().with_vocabulary(&params).unwrap_err().to_string();
        let rare = VocabularyParams { min_documents: Some(Frequency::Documents(4)), ..Default::default() };
        let rare = message(rare);
        assert!(
            rare.contains("no word is left of 8: 1 are too short or numbers, 3 are stop words, 4 are in"),
            "{rare}"
        );
        assert!(message(VocabularyParams { max_words: Some(0), ..all() }).contains("words is 0"));
        let share = VocabularyParams { max_documents: Frequency::Share(1.5), ..all() };
        assert!(message(share).contains("max_documents is 1.5"));
        let share = VocabularyParams { min_documents: Some(Frequency::Share(f64::NAN)), ..all() };
        assert!(message(share).contains("min_documents is NaN"));
    }

    #[test]
    fn a_formatted_frequency_parses_back() {
        for frequency in [Frequency::Documents(7), Frequency::Share(0.25)] {
            assert_eq!(frequency.to_string().parse(), Ok(frequency));
        }
        for wrong in ["-1", "101%", "1.1", "half", "", "nan"] {
            assert!(wrong.parse::<Frequency>().unwrap_err().contains("50%"), "{wrong}");
        }
    }
}
